"""A stream packed piece by piece is what was said, whether its packer is kept or begins anew."""

import zlib

import pytest

from companion.web import compress
from companion.web.compress import Packer

PIECES = [f"event: screen\ndata: <p>{number} − {'word ' * number}</p>\n\n".encode() for number in range(40)]


@pytest.mark.parametrize("few", [compress.FEW, 0])
def test_it_is_what_was_said(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compress, "FEW", few)
    pack, unpack = Packer(), zlib.decompressobj(47)
    unpack.decompress(Packer.HEAD)
    assert [unpack.decompress(pack(piece)) for piece in PIECES] == PIECES


def test_packers_are_kept_for_few_streams_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Packer, "_all", type(Packer._all)())
    monkeypatch.setattr(compress, "FEW", 2)
    first, second = Packer(), Packer()
    unpack = zlib.decompressobj(-15)
    said = [unpack.decompress(first(PIECES[0])), unpack.decompress(first(PIECES[1]))]
    second(PIECES[0])
    assert first._kept and second._kept
    third = Packer()
    assert not first._kept and not second._kept, "all of them together would take too much memory"
    said.append(unpack.decompress(first(PIECES[2])))
    assert not first._kept
    del second
    third(PIECES[0])
    said += [unpack.decompress(first(piece)) for piece in PIECES[3:]]
    assert first._kept and said == PIECES
