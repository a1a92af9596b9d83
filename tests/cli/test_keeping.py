"""Backups put back elsewhere, games imported, links printed: whoever holds the machine is never locked out."""

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from toykit import Device

from companion.engine.record.game import Game
from companion.store import open_store
from companion.tables.sealing import restore_key
from companion.tables.tables import Tables
from companion.web.app import create_app

ORIGIN = {"Origin": "http://localhost"}


class Home:
    """An installation that is being served."""

    def __init__(self, folder: Path, shelf: Path) -> None:
        self.folder = folder
        self.app: Flask = create_app(folder, scenarios=shelf, testing=True)
        self.tables: Tables = self.app.extensions["companion"]["tables"]

    def close(self) -> None:
        self.app.extensions["companion"]["store"].close()

    def device_like(self, old: Device) -> FlaskClient:
        """The same device at this installation's address: it brings its cookies."""
        client = self.app.test_client()
        for name in (f"seats-{old.code}", "last"):
            cookie = old.client.get_cookie(name)
            if cookie is not None:
                client.set_cookie(name, cookie.value)
        return client


@pytest.fixture
def serve(shelf: Path) -> Iterator[Any]:
    homes: list[Home] = []

    def start(folder: Path) -> Home:
        homes.append(Home(folder, shelf))
        return homes[-1]

    yield start
    for home in homes:
        home.close()


@pytest.fixture
def home(serve: Any, tmp_path: Path) -> Home:
    found: Home = serve(tmp_path / "home")
    return found


@pytest.fixture
def code(home: Home) -> str:
    code = home.tables.new("toy", "skirmish", {}, "Friday night")
    home.tables.act(code, "table", "set-up", {})
    return code


@pytest.fixture
def devices(home: Home, code: str) -> dict[str, Device]:
    """A tablet and two phones in the middle of a game."""
    found = {seat: Device(home.app, code, seat) for seat in ("table", "red", "blue")}
    for seat in ("red", "blue"):
        assert found[seat].do("draw-card").status_code == 303
    found["red"].do("choose", mission="operation-kremlin")
    found["table"].do("roll-dice", dice="3d6")
    return found


def hands(game: Game) -> dict[str, list[str]]:
    return {side: list(game.piles["deck"][f"hand:{side}"]) for side in game.sides}


def rolled(tables: Tables, code: str) -> list[int]:
    bodies = [item.body for item in tables.store.events(code)]
    return list([b["values"] for b in bodies if b["kind"] == "rolled"][-1])


# -- moving house in mid-play --------------------------------------------------------------------------------


def test_a_backup_moves_a_game_with_its_three_devices_to_another_folder(
    run: Any, serve: Any, home: Home, code: str, devices: dict[str, Device], tmp_path: Path
) -> None:
    backup, new = tmp_path / "saturday.db", tmp_path / "new"
    assert run("backup", backup, "--data", home.folder).code == 0  # while it is being served
    moved = run("restore", backup, "--data", new)
    assert (moved.code, moved.out.splitlines()[0]) == (0, f"1 game restored to {new}.")
    away = serve(new)
    assert hands(away.tables.game(code)) == hands(home.tables.game(code))
    for seat, device in devices.items():
        client = away.device_like(device)
        assert client.get(f"/t/{code}/{seat}").status_code == 200, seat
        for browser in (device.client, client):
            done = browser.post(f"/t/{code}/{seat}/do/roll-dice", data={"dice": "9d6"}, headers=ORIGIN)
            assert done.status_code == 303, seat
        assert rolled(home.tables, code) == rolled(away.tables, code), "the same stream of dice"
        assert f'href="/t/{code}/{seat}"' in client.get("/").text, "and the lobby carries on"


def test_a_sealed_save_moves_a_game_and_the_devices_get_new_links(
    run: Any, serve: Any, home: Home, code: str, devices: dict[str, Device], tmp_path: Path
) -> None:
    file, new = tmp_path / "saved.json", tmp_path / "new"
    file.write_bytes(devices["table"].get("export.json").data)
    keys = [
        re.search(r"[0-9A-Z]{5}-[0-9A-Z]{5}", devices[side].get("save").text)[0] for side in ("red", "blue")
    ]  # type: ignore[index]
    refused = run("import", file, "--data", new)
    assert refused.code == 1 and "keys of both sides: Red and Blue. Give each with --key" in refused.err
    done = run("import", file, "--key", keys[0], "--key", keys[1], "--data", new, "--no-qr")
    assert done.out.splitlines()[0] == f"Restored as table {code}."
    links = re.findall(rf"http\S+(/j/{code}/\w+)", done.out)
    assert len(links) == 3
    away = serve(new)
    assert hands(away.tables.game(code)) == hands(home.tables.game(code))
    for (seat, device), link in zip(devices.items(), links, strict=True):
        assert away.device_like(device).get(f"/t/{code}/{seat}").status_code == 403, (
            "old links are of the old place"
        )
        client = away.app.test_client()
        assert client.get(link).headers["Location"] == f"/t/{code}/{seat}"
        device.do("roll-dice", dice="9d6")
        client.post(f"/t/{code}/{seat}/do/roll-dice", data={"dice": "9d6"}, headers=ORIGIN)
        assert rolled(home.tables, code) == rolled(away.tables, code)


# -- restore -------------------------------------------------------------------------------------------------


@pytest.fixture
def backup(run: Any, home: Home, devices: dict[str, Device], tmp_path: Path) -> Path:
    file = tmp_path / "saturday.db"
    run("backup", file, "--data", home.folder)
    return file


def test_games_in_place_are_never_lost(run: Any, home: Home, code: str, backup: Path) -> None:
    home.tables.act(code, "red", "note", {"text": "after the backup"})
    home.close()
    refused = run("restore", backup, "--data", home.folder)
    assert refused.code == 1 and "holds 1 game already: --force" in refused.err
    done = run("restore", backup, "--force", "--data", home.folder)
    assert done.code == 0
    (aside,) = home.folder.glob("companion.before-restore-*.db")
    assert str(aside) in done.out
    with open_store(aside) as old, open_store(home.folder / "companion.db") as now:
        assert old.latest(code) == now.latest(code) + 1


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_running_companion_is_not_robbed_of_its_file(
    run: Any, home: Home, code: str, backup: Path, force: tuple[str, ...]
) -> None:
    before = home.tables.store.latest(code)
    refused = run("restore", backup, *force, "--data", home.folder)
    assert refused.code == 1 and "a companion is running on" in refused.err
    assert home.tables.act(code, "red", "roll-dice", {}).revision == before + 1


def test_a_damaged_database_is_put_aside_for_a_backup(run: Any, home: Home, code: str, backup: Path) -> None:
    home.close()
    (home.folder / "companion.db").write_bytes(b"not a database" * 100)
    refused = run("restore", backup, "--data", home.folder)
    assert refused.code == 1 and "cannot be read: --force puts it aside" in refused.err
    assert run("restore", backup, "--force", "--data", home.folder).code == 0
    with open_store(home.folder / "companion.db") as store:
        assert store.table(code).title == "Friday night"


def _text(path: Path) -> None:
    path.write_text("hello")


def _other_program(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("create table recipe (name text)")
    db.close()


def _newer(path: Path) -> None:
    with open_store(path) as store:
        store.setting_put("x", 1)
    with sqlite3.connect(path) as db:
        db.execute(
            "insert into _sqlite_migrations (migration_set, name, applied_at) values ('companion', 'zz', '2099')"
        )
    db.close()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "there is no file"),
        (_text, "is not a companion database"),
        (_other_program, "another program's database"),
        (_newer, "a newer version of the companion"),
    ],
)
def test_what_is_no_backup_is_named_and_nothing_is_left_behind(
    run: Any, tmp_path: Path, make: Any, words: str
) -> None:
    file, folder = tmp_path / "file.db", tmp_path / "new"
    make(file)
    result = run("restore", file, "--data", folder)
    assert result.code == 1 and words in result.err and str(file) in result.err
    assert list(folder.iterdir()) == []


def test_a_damaged_backup_is_told(run: Any, backup: Path, tmp_path: Path) -> None:
    data = bytearray(backup.read_bytes())
    data[4096:12288] = b"\xff" * 8192
    backup.write_bytes(data)
    result = run("restore", backup, "--data", tmp_path / "new")
    assert result.code == 1 and "damaged" in result.err
    assert not (tmp_path / "new" / "companion.db").exists()


def test_a_file_copied_after_a_clean_stop_is_a_backup_too(
    run: Any, home: Home, code: str, devices: dict[str, Device], tmp_path: Path
) -> None:
    home.close()
    result = run("restore", home.folder / "companion.db", "--data", tmp_path / "new")
    assert result.code == 0
    assert list(home.folder.glob("companion.db-*")) == [], "and reading it leaves nothing beside it"


def test_a_backup_of_an_older_version_lacks_the_secret_and_says_so(
    run: Any, home: Home, tmp_path: Path
) -> None:
    home.tables.new("toy", "skirmish", {})
    home.close()
    with sqlite3.connect(home.folder / "companion.db") as db:
        db.execute("delete from setting where key = 'secret'")
    db.close()
    result = run("restore", home.folder / "companion.db", "--data", tmp_path / "new")
    assert "put its secret.key into the folder" in result.out
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret.key").write_bytes(b"k" * 32)
    assert (
        "go on as they were" in run("restore", home.folder / "companion.db", "--data", tmp_path / "other").out
    )


# -- seats ---------------------------------------------------------------------------------------------------


def test_the_links_of_all_seats_are_printed_any_time(
    run: Any, home: Home, code: str, devices: dict[str, Device]
) -> None:
    home.tables.store.setting_put("address", "http://192.168.1.5:1942/")
    home.tables.store.revoke_seat(code, "blue")
    out = run("seats", code.lower(), "--data", home.folder, "--no-qr").out
    table, red, blue = out.splitlines()
    assert table.startswith(f"Table's screen (taken): http://192.168.1.5:1942/j/{code}/")
    assert red.startswith("Red (taken): http") and blue.startswith("Blue: closed")
    lost_tablet = home.app.test_client()
    link = table.partition("1942")[2]
    assert lost_tablet.get(link).headers["Location"] == f"/t/{code}/table"
    assert lost_tablet.get(f"/t/{code}/table").status_code == 200


def test_links_are_drawn_as_qr_codes_and_take_another_address(run: Any, home: Home, code: str) -> None:
    out = run("seats", code, "--data", home.folder, "--url", "https://games.example.org/").out
    assert "Red: https://games.example.org/j/" in out and out.count("\u2584") > 100
    assert "Never served from here" in run("seats", code, "--data", home.folder, "--no-qr").out


def test_seats_of_no_table_are_refused(run: Any, home: Home) -> None:
    result = run("seats", "ZZZZ", "--data", home.folder)
    assert result.code == 1 and "no table 'ZZZZ'" in result.err


# -- import, export, verify ----------------------------------------------------------------------------------


def test_the_operators_import_needs_no_keys_where_the_game_was_saved(
    run: Any, home: Home, code: str, devices: dict[str, Device], tmp_path: Path
) -> None:
    file = tmp_path / "saved.json"
    file.write_bytes(devices["table"].get("export.json").data)
    done = run("import", file, "--data", home.folder, "--no-qr")
    assert done.code == 0 and f"table {code}." not in done.out and done.out.count("/j/") == 3


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["K7QM"], "2 restore keys: Red and Blue"),
        (["K7QM4-TRX2B"] * 2, "do not open this file"),
        (["x", "y"], "Red: 'x'"),
    ],
)
def test_wrong_keys_are_told_on_the_command_line(
    run: Any, home: Home, code: str, devices: dict[str, Device], tmp_path: Path, keys: list[str], words: str
) -> None:
    file = tmp_path / "saved.json"
    file.write_bytes(devices["table"].get("export.json").data)
    result = run(
        "import", file, *(part for key in keys for part in ("--key", key)), "--data", tmp_path / "new"
    )
    assert result.code == 1 and words in result.err


def test_a_sealed_save_is_not_verified_before_its_record_lies_open(
    run: Any, devices: dict[str, Device], tmp_path: Path
) -> None:
    file = tmp_path / "saved.json"
    file.write_bytes(devices["table"].get("export.json").data)
    result = run("verify", file)
    assert result.code == 1 and "this is a sealed save" in result.err


def test_the_operators_export_says_that_it_is_not_sealed(run: Any, home: Home, code: str) -> None:
    result = run("export", code, "--data", home.folder)
    assert json.loads(result.out)["seed"] and "not sealed" in result.err
    assert run("export", code, "--seat", "red", "--data", home.folder).err == ""


@pytest.mark.parametrize("command", [("serve", "--host", "127.0.0.1", "--port", "0"), ("backup", "copy.db")])
def test_a_damaged_secret_file_is_a_printed_sentence(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "secret.key").write_bytes(b"abc")
    done = subprocess.run(
        [sys.executable, "-m", "companion", *command, "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "secret.key holds 3 bytes instead of 32" in done.stderr and "Traceback" not in done.stderr


def test_a_restore_key_belongs_to_one_installation(home: Home, serve: Any, code: str, tmp_path: Path) -> None:
    secrets = {h.app.extensions["companion"]["secret"] for h in (home, serve(tmp_path / "other"))}
    assert len({restore_key(secret, code, "red") for secret in secrets}) == 2


def test_the_newest_backup_of_a_folder_is_restored(home: Home, code: str, run: Any, tmp_path: Path) -> None:
    """As a stick carries it to the second machine, or as a whole data folder does."""
    for name in ("companion-20261121-120000.db", "companion-20261121-121500.db"):
        assert run("backup", tmp_path / "stick" / name, "--data", home.folder).code == 0
    (tmp_path / "stick" / "companion-20261121-120000.db").write_bytes(b"an older one, and damaged")
    done = run("restore", tmp_path / "stick", "--data", tmp_path / "other")
    assert done.code == 0 and "companion-20261121-121500.db" in done.out and "1 game restored" in done.out
    (tmp_path / "stick").rename(tmp_path / "backups")
    assert run("restore", tmp_path, "--data", tmp_path / "third").code == 0
    nothing = run("restore", home.folder, "--data", tmp_path / "fourth")
    assert nothing.code == 1 and "no automatic backup" in nothing.err
