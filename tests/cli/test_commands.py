"""The `companion` command: what each part prints, and what it says to a mistake."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from toykit import SYSTEM, write_kit

from companion import __version__
from companion.cli import _parser
from companion.store import open_store
from companion.tables.savefile import checksum
from companion.tables.tables import Tables
from companion.web.book.lock import BOOK
from companion.web.passphrase import digest

COMMANDS = (
    "serve",
    "move",
    "scenarios",
    "calc",
    "check",
    "export",
    "import",
    "seats",
    "verify",
    "backup",
    "restore",
    "passphrase",
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir()
    return folder


@pytest.fixture
def code(data: Path, shelf: Path) -> Iterator[str]:
    """A table with some dice rolled."""
    store = open_store(data / "companion.db")
    tables = Tables(store, shelf)
    code = tables.new("toy", "skirmish", {}, "Friday night")
    tables.act(code, "red", "roll-dice", {"dice": "3d6"})
    tables.act(code, "red", "draw-card", {})
    yield code
    store.close()


# -- help ----------------------------------------------------------------------------------------------------


def test_help_mentions_every_command_with_a_sentence(run: Any) -> None:
    text = run("--help").out.partition("commands:")[2]
    for command in COMMANDS:
        assert re.search(rf"^    {command}\s+\w+ \w+", text, re.M), command


def test_every_command_is_listed_here() -> None:
    (actions,) = [a for a in _parser()._actions if a.dest == "command"]
    assert set(actions.choices or ()) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_for_every_argument(run: Any, command: str) -> None:
    result = run(command, "--help")
    assert result.code == 0
    (actions,) = [a for a in _parser()._actions if a.dest == "command"]
    parser = actions.choices[command]  # type: ignore[index,call-overload]
    assert all(a.help for a in parser._actions)


def test_without_a_command_help_is_shown(run: Any) -> None:
    result = run()
    assert result.code == 0 and "companion serve" in result.out


def test_the_version_is_told(run: Any) -> None:
    assert run("--version").out.strip() == f"companion {__version__}"


def test_an_unknown_command_is_refused_with_the_known_ones(run: Any) -> None:
    result = run("dance")
    assert result.code == 2 and "scenarios" in result.err


# -- scenarios, calc, check ----------------------------------------------------------------------------------


def test_scenarios_are_listed_for_people_and_for_programs(run: Any) -> None:
    text = run("scenarios").out
    assert "toy: Toy Kharkov" in text and "Skirmish, days 1-3" in text
    assert json.loads(run("scenarios", "--json").out) == [
        {
            "system": "toy",
            "name": "Toy Kharkov",
            "scenario": "skirmish",
            "title": "Skirmish",
            "first": 1,
            "last": 3,
        }
    ]


@pytest.mark.parametrize("argv", [("--list",), ("toy", "--list")])
def test_worksheets_are_listed_with_their_fields(run: Any, argv: tuple[str, ...]) -> None:
    result = run("calc", *argv)
    assert result.code == 0
    assert "toy combat: Combat (7.1)" in result.out
    assert "attack defence posture" in result.out


def test_a_worksheet_is_worked(run: Any) -> None:
    text = run("calc", "toy", "combat", "attack=6", "defence=3", "posture=defend").out
    assert text.splitlines() == [
        "Combat",
        "       2:1  Odds  [7.1]",
        "        -1  Dug in  [7.2]",
        "  column 2:1, modifier -1",
        "    50.0%  NE",
        "    33.3%  DR",
        "    16.7%  DE",
    ]


def test_a_worksheet_is_worked_as_json(run: Any) -> None:
    body = json.loads(run("calc", "toy", "combat", "attack=6", "defence=3", "--json").out)
    assert (body["column"], body["facts"]["ratio"]) == ("2:1", 2.0)
    assert sum(body["chances"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("tyo", "combat"), "companion calc: there is no game 'tyo'"),
        (("tyo", "--list"), "there is no game 'tyo': toy. Did you mean toy"),
        (("toy", "combta"), "Did you mean combat"),
        (("toy", "combat", "attack"), "'attack' is not name=value"),
        (("toy", "combat", "attack=lots", "defence=0", "colour=red"), "'lots' is not a whole number"),
        (("toy", "combat", "attack=lots", "defence=0", "colour=red"), "Defence: 0 is not"),
        (("toy", "combat", "attack=lots", "defence=0", "colour=red"), "no field 'colour'"),
    ],
)
def test_a_wrong_calculation_is_refused_in_words(run: Any, argv: tuple[str, ...], words: str) -> None:
    result = run("calc", *argv)
    assert result.code == 1
    assert words in result.err and "Traceback" not in result.err


def test_check_passes_a_sound_folder(run: Any, shelf: Path) -> None:
    result = run("check", shelf / "toy")
    assert (result.code, result.out.strip()) == (0, "toy: 1 scenario(s), nothing wrong")


def test_check_names_every_problem_of_a_bad_folder(run: Any, tmp_path: Path) -> None:
    bad = SYSTEM.replace('turns = "2-3"', 'turns = "soon"').replace('id = "reserve"', 'id = "vp"')
    result = run("check", write_kit(tmp_path / "bad" / "toy", system=bad))
    assert result.code == 1
    assert "toy/system.toml: 'air': turns 'soon' cannot be read" in result.out
    assert "track 'vp' is there twice" in result.out


@pytest.mark.parametrize("what", ["nowhere", "file"])
def test_check_says_what_is_no_folder(run: Any, tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what == "file":
        path.write_text("")
    result = run("check", path)
    assert result.code == 1 and "is not a folder" in result.err


# -- export, import, verify, backup --------------------------------------------------------------------------


def test_a_game_is_exported_imported_and_exported_the_same(
    run: Any, data: Path, tmp_path: Path, code: str
) -> None:
    text = run("export", code.lower(), "--data", data).out
    file, away = tmp_path / "game.json", tmp_path / "away"
    file.write_text(text, encoding="utf-8")
    result = run("import", file, "--data", away)
    assert (result.code, result.out.splitlines()[0]) == (0, f"Restored as table {code}.")
    assert run("export", code, "--data", away).out == text


def test_a_game_is_imported_from_standard_input(
    run: Any, data: Path, tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = run("export", code, "--data", data).out
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    assert run("import", "-", "--data", tmp_path / "away").code == 0


def test_a_seats_export_hides_the_others_cards(run: Any, data: Path, code: str) -> None:
    copy = json.loads(run("export", code, "--seat", "blue", "--data", data).out)
    assert copy["copy"] == "reading copy, as seen by blue" and "seed" not in copy
    assert "tokens" not in copy["events"][-1]["body"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("export", "ZZZZ"), "there is no table 'ZZZZ'"),
        (("export", "{code}", "--seat", "rde"), "no seat 'rde'"),
        (("import", "nowhere.json"), "companion import: there is no file nowhere.json"),
        (("import", "{bad}"), "not a companion export"),
        (("verify", "{bad}"), "not a companion export"),
        (("verify", "nowhere.json"), "there is no file nowhere.json"),
    ],
)
def test_what_is_not_there_is_named(
    run: Any, data: Path, tmp_path: Path, code: str, argv: tuple[str, ...], words: str
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    given = [a.replace("{code}", code).replace("{bad}", str(bad)) for a in argv]
    result = run(*given, *(() if argv[0] == "verify" else ("--data", data)))
    assert result.code == 1
    assert words in result.err and "Traceback" not in result.err


def test_a_file_that_is_no_text_is_refused(run: Any, data: Path, tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    result = run("import", tmp_path / "photo.jpg", "--data", data)
    assert result.code == 1 and "photo.jpg" in result.err


def test_fair_dice_are_verified(run: Any, data: Path, tmp_path: Path, code: str) -> None:
    file = tmp_path / "game.json"
    file.write_text(run("export", code, "--data", data).out, encoding="utf-8")
    result = run("verify", file)
    assert result.code == 0
    assert result.out.startswith("2 digital rolls and draws recomputed") and "All fair" in result.out


def test_a_tampered_roll_is_detected(run: Any, data: Path, tmp_path: Path, code: str) -> None:
    """Even when the forger also renewed the file's checksum."""
    copy = json.loads(run("export", code, "--data", data).out)
    roll = next(i for i in copy["events"] if i["body"]["kind"] == "rolled")
    roll["body"]["values"] = [6, 6, 6] if roll["body"]["values"] != [6, 6, 6] else [1, 1, 1]
    copy["checksum"] = checksum(copy)
    file = tmp_path / "game.json"
    file.write_text(json.dumps(copy), encoding="utf-8")
    result = run("verify", file)
    assert result.code == 1
    assert f"line {roll['seq']}: 3d6 rolled" in result.out and "not what the seed gives" in result.out
    assert "NOT fair: 1 found." in result.out


def test_all_games_are_backed_up_to_one_file(run: Any, data: Path, tmp_path: Path, code: str) -> None:
    target = tmp_path / "copy" / "companion.db"
    target.parent.mkdir()
    assert run("backup", target, "--data", data).code == 0
    assert run("export", code, "--data", target.parent).code == 0
    refused = run("backup", target, "--data", data)
    assert refused.code == 1 and "choose another name, or --force" in refused.err
    assert run("backup", target, "--force", "--data", data).code == 0


def test_a_forgotten_passphrase_is_replaced(run: Any, data: Path, code: str) -> None:
    with open_store(data / "companion.db") as store:
        store.setting_put(BOOK.setting, {"salt": "00", "hash": "y", "seats": False})
        words = run("passphrase", "--data", data).out.splitlines()[0].removeprefix("Chart book passphrase: ")
        kept = store.setting_get(BOOK.setting)
        assert kept["hash"] == digest(words, kept["salt"])
        assert kept["seats"] is False, "who may write without it stays as it was"
