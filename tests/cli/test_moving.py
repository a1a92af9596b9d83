"""An installation moved between a data folder and PostgreSQL, and the commands that work on either."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from toykit import Device

import companion.resources
from companion.resources import SCENARIOS
from companion.store import open_any, open_store
from companion.tables.tables import Tables
from companion.tables.transfer import import_table
from companion.web.app import create_app


def served(place: Path | str, shelf: Path) -> Flask:
    return create_app(place, scenarios=shelf, testing=True)


def closed(app: Flask) -> None:
    app.extensions["companion"]["store"].close()


@pytest.fixture
def folder(tmp_path: Path, shelf: Path) -> Path:
    """A folder with three tables: one played at by two devices, one archived, one deleted; and a book."""
    place = tmp_path / "data"
    app = served(place, shelf)
    tables: Tables = app.extensions["companion"]["tables"]
    code = tables.new("toy", "skirmish", {}, "Пятница")
    for seat in ("red", "blue"):
        Device(app, code, seat)
        tables.act(code, seat, "note", {"text": f"from {seat}"}, action_id=f"a-{seat}")
    tables.act(code, "red", "roll-dice", {"dice": "2d6"})
    tables.act(code, "red", "take-back", {"to": tables.undo_target(code)})
    tables.store.save_snapshot(code, tables.store.latest(code), tables.game(code).dump())
    tables.store.reissue_seat(code, "blue")
    tables.store.archive(tables.new("toy", "skirmish", {}))
    tables.store.delete(tables.new("toy", "skirmish", {}))
    tables.store.book_change("toy", "chart/crt", lambda _: {"1": "AR"}, "now")
    closed(app)
    return place


def everything(place: Path | str) -> dict[str, Any]:
    """All that an installation holds, by SQL."""
    store: Any = open_any(place if isinstance(place, str) else place / "companion.db")
    with store._pool.reading() as db:
        found: dict[str, Any] = {}
        for table, columns in {
            "game": "code, title, seed, options, revision, stream, summary, changed_at, archived",
            "event": "game, seq, at, seat, act, name, kind, body",
            "action": "game, act, seat, name, revision, answer, digest",
            "snapshot": "game, seq, state, digest",
            "seat": "game, seat, generation, claimed_at, revoked",
            "book": "system, name, body, changed_at, revision",
            "setting": "key, value",
            "deleted": "code",
        }.items():
            rows = db.execute(f"select {columns} from {table}").fetchall()
            found[table] = sorted(rows, key=lambda row: [str(value) for value in row[:2]])
    store.close()
    return found


def test_there_and_back_again_nothing_is_lost(run: Any, folder: Path, postgres: str, tmp_path: Path) -> None:
    before = everything(folder)
    assert [len(before[name]) for name in ("game", "snapshot", "deleted", "book")] == [2, 1, 1, 1]
    there = run("move", "--from", folder, "--to", postgres)
    assert (there.code, there.err) == (0, "")
    assert "2 tables copied, 2 replayed on both sides: all equal" in there.out
    assert everything(postgres) == before
    back = run("move", "--from", postgres, "--to", tmp_path / "back")
    assert back.code == 0
    assert everything(tmp_path / "back") == before == everything(folder)


def test_devices_and_repeats_go_on_at_the_new_place(
    run: Any, folder: Path, postgres: str, shelf: Path
) -> None:
    """Its cookie still opens the seat, and a tap that was acknowledged there counts once here."""
    assert run("move", "--from", folder, "--to", postgres).code == 0
    app, old = served(postgres, shelf), served(folder, shelf)
    tables: Tables = app.extensions["companion"]["tables"]
    code = tables.store.tables()[0].code
    token = Device(old, code, "red").client.get_cookie(f"seats-{code}")
    client = app.test_client()
    client.set_cookie(f"seats-{code}", token.value)
    assert client.get(f"/t/{code}/red").status_code == 200
    latest = tables.store.latest(code)
    again = tables.act(code, "red", "note", {"text": "from red"}, action_id="a-red")
    assert again.repeated and tables.store.latest(code) == latest
    closed(old)
    closed(app)


def test_what_is_there_already_is_never_mixed_with(
    run: Any, folder: Path, postgres: str, tmp_path: Path
) -> None:
    assert run("move", "--from", folder, "--to", postgres).code == 0
    before = everything(postgres)
    done = run("move", "--from", folder, "--to", postgres)
    assert done.code == 1 and "holds games already" in done.err
    assert everything(postgres) == before
    assert run("move", "--from", folder, "--to", folder).code == 1
    missing = run("move", "--from", tmp_path / "none", "--to", postgres)
    assert missing.code == 1 and "no companion.db" in missing.err
    assert not (tmp_path / "none").exists()


def test_a_table_that_came_over_changed_is_told(
    run: Any, folder: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.store import moving

    real = moving._rows

    def forge(db: Any, part: str, *rest: Any) -> list[tuple[Any, ...]]:
        rows = real(db, part, *rest)
        if part != "event":
            return rows
        return [(*row[:-1], row[-1].replace("from red", "from rod")) for row in rows]

    monkeypatch.setattr(moving, "_rows", forge)
    done = run("move", "--from", folder, "--to", postgres)
    assert done.code == 1
    assert "its events differ" in done.err and "Do not use the copy" in done.err


def test_a_move_that_fails_leaves_the_new_place_empty(
    run: Any, folder: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.store import StoreFull, moving

    real = moving._put

    def fail(target: Any, db: Any, part: str, *rest: Any) -> None:
        if part == "book":
            raise StoreFull("no room")
        real(target, db, part, *rest)

    monkeypatch.setattr(moving, "_put", fail)
    assert run("move", "--from", folder, "--to", postgres).code == 1
    assert not any(everything(postgres).values())


@pytest.mark.slow
def test_recorded_games_of_every_system_are_moved(
    run: Any, tmp_path: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gzip

    monkeypatch.setattr(companion.resources, "SCENARIOS", SCENARIOS)
    monkeypatch.undo()
    with open_store(tmp_path / "real" / "companion.db") as store:
        tables = Tables(store, SCENARIOS)
        for file in sorted((Path(__file__).parents[1] / "games").glob("battles-*.game.json.gz")):
            import_table(tables, gzip.decompress(file.read_bytes()).decode(), b"k" * 32, operator=True)
        count = len(store.tables())
    assert count >= 4
    done = run("move", "--from", tmp_path / "real", "--to", postgres)
    assert f"{count} tables copied, {count} replayed on both sides: all equal" in done.out, done.err


def test_the_commands_work_on_a_database(run: Any, folder: Path, postgres: str, tmp_path: Path) -> None:
    run("move", "--from", folder, "--to", postgres)
    with open_store(folder / "companion.db") as store:
        code = store.tables()[0].code
    here, there = (run("export", code, *where) for where in (("--data", folder), ("--database", postgres)))
    assert json.loads(here.out) == json.loads(there.out)
    assert (
        run("seats", code, "--database", postgres, "--no-qr").out
        == run("seats", code, "--data", folder, "--no-qr").out
    )
    (tmp_path / "game.json").write_text(there.out, encoding="utf-8")
    assert "Restored as table" in run("import", tmp_path / "game.json", "--database", postgres, "--no-qr").out
    assert "Chart book passphrase" in run("passphrase", "--database", postgres).out
    fair = run("verify", tmp_path / "game.json")
    assert "All fair" in fair.out


@pytest.mark.parametrize(("command", "tool"), [("backup", "pg_dump"), ("restore", "pg_restore")])
def test_postgresqls_own_tools_are_named_where_they_serve_better(
    run: Any, postgres: str, tmp_path: Path, command: str, tool: str
) -> None:
    done = run(command, tmp_path / "copy.db", "--database", postgres)
    assert done.code == 1
    assert tool in done.err and "companion move" in done.err
    assert not (tmp_path / "copy.db").exists()


def test_the_environment_may_name_the_database_and_a_folder_goes_before_it(
    run: Any, folder: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password in a command line is read by everybody on the machine."""
    with open_store(folder / "companion.db") as store:
        code = store.tables()[0].code
    monkeypatch.setenv("COMPANION_DATABASE", postgres)
    assert run("export", code).code == 1
    assert run("export", code, "--data", folder).code == 0
    run("move", "--from", folder, "--to", postgres)
    assert run("export", code).code == 0


def test_a_database_that_is_none_is_told(run: Any, tmp_path: Path) -> None:
    other = run("seats", "K7QX", "--database", "mysql://x")
    assert other.code == 2 and "postgresql://role@host/name" in other.err
    both = run("seats", "K7QX", "--database", "postgresql:///x", "--data", tmp_path)
    assert both.code == 2 and "not in both" in both.err
