"""The file deleted, moved away or replaced while it is open: refused with words, and nothing false acknowledged."""

import shutil
import sys

import pytest

from companion.store import StoreGone, StoreReplaced, open_store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps an open file where it is")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def store(folder, new_table, append):
    with open_store(folder / "companion.db", patience=2) as store:
        store.create(new_table())
        append(store, "K7QX", "a1")
        yield store


def refuses(store, append, error=StoreGone):
    """Reading, writing and polling are all refused; the phones' words name no folder."""
    for use in (
        lambda: store.tables(),
        lambda: store.events("K7QX"),
        lambda: append(store, "K7QX", "a2"),
        lambda: store.setting_put("a", 1),
        lambda: store.poll_others(),
    ):
        with pytest.raises(error) as caught:
            use()
        assert str(store.path) in str(caught.value)
        assert "Nothing was saved" in caught.value.public and "/" not in caught.value.public


def test_a_deleted_folder_is_refused_and_not_made_anew(store, folder, append):
    shutil.rmtree(folder)
    refuses(store, append)
    folder.mkdir()
    refuses(store, append)
    assert list(folder.iterdir()) == [], "no empty database in the lost one's place"


def test_a_deleted_file_is_refused(store, append):
    store.path.unlink()
    refuses(store, append)


def test_a_folder_that_comes_back_is_used_again(store, folder, append):
    folder.rename(folder.with_name("elsewhere"))
    refuses(store, append)
    folder.with_name("elsewhere").rename(folder)
    assert append(store, "K7QX", "a2") == 2
    assert [event.act for event in store.events("K7QX")] == ["a1", "a2"]


def test_another_database_is_never_mixed_with_the_open_one(store, folder, append, new_table):
    folder.rename(folder.with_name("elsewhere"))
    with open_store(folder / "companion.db") as other:
        other.create(new_table("M2ZZ"))
        append(other, "M2ZZ", "b1")
        refuses(store, append, StoreReplaced)
        store.close()
        assert append(other, "M2ZZ", "b2") == 2, "closing the old one takes nothing from the new"
    with open_store(folder / "companion.db") as other:
        assert [row.code for row in other.tables()] == ["M2ZZ"]
    with open_store(folder.with_name("elsewhere") / "companion.db") as moved:
        assert [event.act for event in moved.events("K7QX")] == ["a1"]


def test_what_is_appended_while_the_folder_goes_is_not_acknowledged(store, folder, append):
    with pytest.raises(StoreGone), store.transaction("K7QX") as tx:
        tx.append([{"kind": "set"}], at="", seat="s", act="a2", name="n", stream=0, answer={})
        folder.rename(folder.with_name("elsewhere"))
    folder.with_name("elsewhere").rename(folder)
    assert store.latest("K7QX") == 1


def test_a_commit_into_a_file_that_has_just_gone_is_not_acknowledged(store, folder, monkeypatch):
    with pytest.raises(StoreGone), store.transaction("K7QX") as tx:
        tx.append([{"kind": "set"}], at="", seat="s", act="a2", name="n", stream=0, answer={})
        commit = tx._db.commit

        def late():
            commit()
            folder.rename(folder.with_name("elsewhere"))

        monkeypatch.setattr(tx._db, "commit", late)


def test_a_deleted_write_ahead_log_takes_no_commits(store, append):
    """The newest commits lie in the log alone: one that nobody can find again must not be written to."""
    store.path.with_name("companion.db-wal").unlink()
    with pytest.raises(StoreGone, match="companion.db-wal is gone"):
        append(store, "K7QX", "a2")
