"""Cards to print: every free seat has its code, the Wi-Fi has its own; which tables, which paper, how many to a page."""

import re
from collections.abc import Callable

import pytest
from deskkey import Organiser
from flask import Flask
from toykit import Device

from companion.engine.errors import Unreadable
from companion.hall.desk import Desk
from companion.hall.wifi import Wifi, read_wifi

Found = Callable[..., list[str]]


def cards(page: str) -> list[str]:
    return re.findall(r'<article class="tcard" aria-label="Table (\d+)', page)


def codes_on(page: str) -> int:
    return page.count('aria-label="Join as ')


def test_cards_have_numbers_players_and_a_code_for_every_seat(boss: Organiser, founded: Found) -> None:
    codes = founded("1,toy,,Anna <i>,Boris\n2,toy,,Carl,-,,Stage\n")
    page = boss.get("/desk/cards/print?paper=letter&per=2").text
    assert cards(page) == ["1", "2"] and codes_on(page) == 6
    assert "Anna &lt;i&gt;" in page and "Stage" in page and all(code in page for code in codes)
    assert page.count('<section class="tsheet tsheet-letter tsheet-2"') == 1


def test_one_two_or_four_to_a_page(boss: Organiser, founded: Found) -> None:
    founded("\n".join(f"{n},toy,,A{n},B{n}" for n in range(1, 6)))
    sheets = [boss.get(f"/desk/cards/print?per={n}").text.count("<section class=") for n in (1, 2, 4)]
    assert sheets == [5, 3, 2]


def test_some_tables_by_number_and_one_again_by_its_code(boss: Organiser, founded: Found) -> None:
    codes = founded("\n".join(f"{n},toy,,A{n},B{n}" for n in range(1, 8)))
    assert cards(boss.get("/desk/cards/print?tables=2-3, 7").text) == ["2", "3", "7"]
    assert cards(boss.get(f"/desk/cards/print?table={codes[4].lower()}").text) == ["5"]
    assert "No table has such a number" in boss.get("/desk/cards/print?tables=9").text
    for query in ("tables=x", "tables=1-", "tables=99999"):
        assert boss.get(f"/desk/cards/print?{query}").status_code == 422
    assert boss.get("/desk/cards/print?paper=a5").status_code == 422
    assert boss.get("/desk/cards/print?per=3").status_code == 422
    assert boss.get("/desk/cards/print?table=ZZZZ").status_code == 404


def test_closed_tables_have_no_card(boss: Organiser, founded: Found) -> None:
    codes = founded()
    boss.post(f"/desk/table/{codes[0]}/state", do="close", sure="yes")
    assert cards(boss.get("/desk/cards/print").text) == ["2"]


def test_a_cards_code_opens_its_seat_and_is_gone_from_the_card_then(
    boss: Organiser, app: Flask, founded: Found
) -> None:
    """A code that lies about in the hall must not open a seat that somebody holds: he gets a new link instead."""
    code = founded("1,toy,,Anna,Boris\n")[0]
    assert codes_on(boss.get(f"/desk/cards/print?table={code}").text) == 3
    Device(app, code, "red")
    page = boss.get(f"/desk/cards/print?table={code}").text
    assert codes_on(page) == 2 and "taken" in page
    boss.post(f"/desk/table/{code}/link/red")
    assert codes_on(boss.get(f"/desk/cards/print?table={code}").text) == 3


def test_the_wifi_is_on_every_card_when_it_is_known(boss: Organiser, desk: Desk, founded: Found) -> None:
    founded()
    assert 'aria-label="Wi-Fi' not in boss.get("/desk/cards/print").text
    assert boss.post("/desk/cards", name="Hall", password="short", kind="WPA").status_code == 422
    assert desk.state().wifi == Wifi()
    boss.post("/desk/cards", name="Hall; 5", password="stalingrad42", kind="WPA", hidden="on")
    assert desk.state().wifi == Wifi("Hall; 5", "stalingrad42", "WPA", True)
    page = boss.get("/desk/cards/print").text
    assert page.count('aria-label="Wi-Fi Hall; 5"') == 2 and "stalingrad42" in page


@pytest.mark.parametrize(
    ("wifi", "code"),
    [
        (Wifi("Hall", "stalingrad"), "WIFI:T:WPA;S:Hall;P:stalingrad;;"),
        (Wifi("Hall", "", "nopass"), "WIFI:T:nopass;S:Hall;;"),
        (
            Wifi('a;b,c:d"e\\f', "p;w:12345", "WPA", True),
            'WIFI:T:WPA;S:a\\;b\\,c\\:d\\"e\\\\f;P:p\\;w\\:12345;H:true;;',
        ),
    ],
)
def test_the_wifis_code_is_what_phones_read(wifi: Wifi, code: str) -> None:
    assert wifi.code() == code


@pytest.mark.parametrize(
    ("name", "password", "kind", "field"),
    [
        ("x" * 33, "stalingrad", "WPA", "name"),
        ("ü" * 17, "stalingrad", "WPA", "name"),
        ("Hall", "seven77", "WPA", "password"),
        ("Hall", "", "WEP", "password"),
        ("Hall", "stalingrad", "WPA9", "kind"),
    ],
)
def test_a_wifi_that_no_phone_would_join_is_refused(name: str, password: str, kind: str, field: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_wifi(name, password, kind, hidden=False)
    assert caught.value.field == field
