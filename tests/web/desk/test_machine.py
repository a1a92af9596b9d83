"""The machine's page: health, a backup by hand, and the chart book's lock."""

from collections.abc import Callable
from pathlib import Path

import pytest
from deskkey import ORIGIN, Organiser
from flask import Flask
from toykit import Device, install

from companion import __version__
from companion.tables.backups import Backups, found_in
from companion.web.app import create_app
from companion.web.book import lock
from companion.web.desk import machine


def test_the_page_tells_disk_database_backups_devices_and_version(boss: Organiser) -> None:
    page = boss.get("/desk/machine").text
    assert all(word in page for word in ("Disk", "Database", "Newest backup", "Devices", __version__))


def test_a_backup_is_made_by_hand(app: Flask, boss: Organiser, founded: Callable[..., list[str]]) -> None:
    assert boss.post("/desk/machine/backup").status_code == 409, "this server makes none"
    data: Path = app.extensions["companion"]["data"]
    app.extensions["companion"]["backups"] = Backups(data / "companion.db")
    founded()
    assert boss.post("/desk/machine/backup").status_code == 303
    (made,) = found_in(data / "backups")
    assert made.name in boss.get("/desk/machine").text


def test_the_organiser_locks_the_chart_book_without_its_passphrase(
    app: Flask, boss: Organiser, founded: Callable[..., list[str]]
) -> None:
    code = founded()[0]
    lock.first_passphrase(app.extensions["companion"]["store"])
    red = Device(app, code, "red")

    def writes() -> int:
        form = {"f0": "3", "was": "[]"}
        return red.client.post("/book/toy/chart/crt", data=form, headers=ORIGIN).status_code

    assert writes() != 403
    boss.post("/desk/machine/book", do="lock")
    assert writes() == 403 and "It is locked" in boss.get("/desk/machine").text
    boss.post("/desk/machine/book", do="open")
    assert writes() != 403


def test_where_the_games_are_in_a_database_the_page_says_so(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(postgres, scenarios=install(monkeypatch), testing=True, organiser=True)
    with app.test_request_context("/desk/machine"):
        told = {fact.label: fact.value for fact in machine.facts()}
    assert told["Database"] == "PostgreSQL, 0 tables" and "PostgreSQL" in told["Backups"]
    app.extensions["companion"]["store"].close()
