"""The log, settings, more, watching and step zero: short, live, and changed where they stand."""

import re
from pathlib import Path

import pytest
from flask import Flask
from hall import Hall, text_of
from toykit import Device

from companion.engine.errors import NotNow
from companion.tables.tables import Tables
from companion.web.app import create_app


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "Friday night")


@pytest.fixture
def watch(app: Flask, code: str) -> Device:
    device = Device(app, code)
    device.seat = "watch"
    return device


def words(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


PAGES = ("units", "log", "settings", "more", "seats")


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_a_seat_refreshes_itself(red: Device, page: str) -> None:
    whole, part = red.get(page).text, red.get(page, "live").text
    assert "data-stream=" in whole and re.search(r'id="live" data-rev="\d+"[^>]* hx-get="/t/', whole)
    assert "<!doctype" not in part.lower() and re.search(r'id="live" data-rev="\d+"', part)
    assert 'hx-trigger="table-changed from:body"' in part


@pytest.mark.parametrize("page", ["", *PAGES, "save", "do/note", "map", "entry", "supply"])
def test_no_page_has_two_things_of_one_name(red: Device, tables: Tables, code: str, page: str) -> None:
    tables.act(code, "table", "set-up", {})
    ids = re.findall(r'\bid="([^"]+)"', red.get(page).text)
    assert sorted(ids) == sorted(set(ids))


def test_a_result_is_shown_no_longer_than_its_phase(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "table", "go-to", {"turn": 1, "phase": "red-move"}, revision=tables.store.latest(code))
    tables.act(code, "red", "fight", {"attack": 6, "defence": 3, "die": "3"})
    tables.act(code, "red", "note", {"text": "what now?"})
    assert 'id="last-result"' in red.get().text
    tables.act(code, "table", "go-to", {"turn": 1, "phase": "blue-move"}, revision=tables.store.latest(code))
    assert 'id="last-result"' not in red.get().text


# -- the log -------------------------------------------------------------------------------------------------


def test_taking_back_waits_behind_the_line_it_goes_back_to(red: Device, tables: Tables, code: str) -> None:
    for n in range(3):
        tables.act(code, "red", "note", {"text": f"note-{n}."})
    page = red.get("log").text
    assert "Take back to here" in page
    outside = re.sub(r"<details\b.*?</details>", "", page, flags=re.S)
    assert "Take back to here" not in outside
    assert "note-0." in page and "note-0." not in outside, "what can be taken back to unfolds"
    newest = re.search(r"note-2\..*?</li>", page, re.S)
    assert newest and "Take back to here" not in newest[0], "behind the newest there is nothing to take back"


def test_the_logs_filters_are_folded_until_one_is_used(red: Device) -> None:
    assert re.search(r'<details class="flap" id="log-filter">', red.get("log").text)
    assert re.search(
        r'id="log-filter" open><summary>Only: Red, rolls', red.get("log?side=red&kind=rolled").text
    )
    live = re.search(r'id="live"[^>]*hx-get="([^"]+)"', red.get("log?side=red&kind=rolled").text)
    assert live and "side=red" in live[1] and "kind=rolled" in live[1], "and stay when the page refreshes"


def test_a_filter_looks_further_back_than_one_page(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "blue", "note", {"text": "the only one"})
    for n in range(90):
        tables.act(code, "red", "note", {"text": f"note-{n}."})
    assert "the only one" in red.get("log?side=blue").text


def test_a_folded_entry_says_how_much_is_in_it(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "red", "enter-positions", {"text": "A 0101; B 0102; C 0103"})
    entry = re.search(r"<summary[^>]*>((?:(?!</summary>).)*A: 0101.*?)</summary>", red.get("log").text, re.S)
    assert entry and words(entry[1]).endswith("A: 0101 and 2 more")


def test_a_stack_that_moves_is_named_whole(red: Device, tables: Tables, code: str) -> None:
    """On the line of a phone that tells what was last, too."""
    tables.act(code, "red", "enter-positions", {"text": "A 0101; B 0101"})
    tables.act(code, "red", "enter-positions", {"text": "0101 0102"})
    assert set(tables.log(code, "red")[0].lines) == {"A, B: 0101 \u2192 0102"}
    fold = re.search(r'id="so-far".*?</summary>', red.get().text, re.S)
    assert fold and "A, B: 0101 \u2192 0102" in words(fold[0])


def test_who_is_asked_to_put_something_back_reads_what(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "red", "enter-positions", {"text": "A 0101"})
    tables.log(code, "red")
    tables.act(code, "red", "take-back", {"to": tables.undo_target(code)})
    tables.act(code, "blue", "redo", {})
    asked = re.search(r"wants to put back what was taken back.*?Refuse", red.get().text, re.S)
    assert asked and "Enter positions" in words(asked[0])


# -- more ------------------------------------------------------------------------------------------------------


def test_dice_are_offered_only_where_the_game_has_some(tmp_path: Path) -> None:
    """Enemy Action: Kharkov for two players rolls none [2.0]: its tray is empty."""
    dice, none = Hall(tmp_path / "a"), Hall(tmp_path / "b", "enemy-action-kharkov", "initial-assault")
    assert 'id="more-dice"' in text_of(dice.get("soviet", "more"))
    assert "dice, readings of the rules" in text_of(dice.get("soviet", "more"))
    for seat in ("soviet", "table"):
        for page in ("", "more", "settings"):
            shown = text_of(none.get(seat, page))
            assert not re.search(r"roll-dice|more-dice|dice, readings|Fair dice|the dice seed", shown), (
                seat,
                page,
            )
    with pytest.raises(NotNow):
        none.act("soviet", "roll-dice")


# -- settings ------------------------------------------------------------------------------------------------


def form_of(page: str, name: str) -> str:
    found = re.search(rf'<details class="setting" id="set-{name}">.*?</details>', page, re.S)
    assert found, name
    return found[0]


def test_a_reading_is_changed_by_its_own_buttons_logged_and_undone(
    red: Device, tables: Tables, code: str
) -> None:
    form = form_of(red.get("settings").text, "reading")
    assert [v for v in re.findall(r'name="value" value="([^"]+)"', form)] == ["attacker", "defender"]
    assert re.search(r'value="attacker" aria-pressed="true".*suggested', form)
    answer = red.do("correct", name="reading", value="defender", back=f"/t/{code}/red/settings")
    page = red.get(answer.headers["Location"]).text
    assert tables.game(code)["reading"] == "defender"
    assert "changed" in form_of(page, "reading") and "toast-undo" in page
    assert "Ties go to: The attacker → The defender" in words(red.get("log").text)


def test_an_optional_rule_is_switched_with_one_tap(red: Device, tables: Tables, code: str) -> None:
    assert 'value="yes" aria-pressed="false"' in form_of(red.get("settings").text, "storm")
    red.do("correct", name="storm", value="yes")
    assert tables.game(code)["storm"] is True


def test_the_table_sets_one_mode_without_touching_the_others(
    table: Device, tables: Tables, code: str
) -> None:
    tables.act(code, "table", "set-mode", {"cards": "physical", "fog": "on"})
    form = form_of(table.get("settings").text, "dice")
    assert 'name="fog" value="on"' in form, "or the fog would be lifted with it"
    table.do("set-mode", dice="physical", fog="on")
    game = tables.game(code)
    assert (game["mode-dice"], game["mode-cards"], game["fog"]) == ("physical", "physical", True)
    assert "Dice: digital, or typed in → real ones, typed in" in words(table.get("log").text)


def test_a_side_reads_modes_and_a_watcher_changes_nothing(red: Device, watch: Device) -> None:
    assert "Set on the table's screen." in words(red.get("settings").text).replace("&#39;", "'")
    assert "<button" not in form_of(watch.get("settings").text, "reading")


def test_groups_but_the_first_are_folded(red: Device) -> None:
    folds = re.findall(r'<details class="flap" id="group-[a-z]+"( open)?>', red.get("settings").text)
    assert folds.count(" open") == 1 and len(folds) > 3


def test_more_folds_everything_but_a_few(red: Device) -> None:
    page = red.get("more").text
    folds = re.findall(r'<details class="flap" id="more-([a-z-]+)"( open)?>', page)
    assert {"units", "dice", "fix", "talk", "pack", "leave"} <= {name for name, _ in folds}
    assert [name for name, is_open in folds if is_open] in ([], ["sheets"])


# -- watching ------------------------------------------------------------------------------------------------


def test_a_watcher_reads_score_story_and_who_is_awaited_but_no_checklist(
    watch: Device, tables: Tables, code: str
) -> None:
    for n in range(5):
        tables.act(code, "red", "note", {"text": f"note-{n}."})
    page = watch.get().text
    told = words(page)
    assert "check-box" not in page and "Roll for the weather" not in told
    assert [n for n in range(5) if f"note-{n}." in told] == [2, 3, 4], "three sentences"
    assert told.index("note-4.") < told.index("note-2."), "newest first, as on every screen"
    assert re.search(r'class="watch-awaits"><span[^>]*>\S', page)
    assert 'aria-label="Score"' in page
    assert "watching" in told and f"The code {code} lets anybody look on" in told


def test_the_watchers_page_refreshes_to_the_watchers_page(watch: Device) -> None:
    assert 'class="page watch"' in watch.get("", "live").text


def test_the_lobby_says_what_a_code_is_good_for(red: Device) -> None:
    page = words(red.get("/").text)
    assert "code lets you look on" in page and "To play, scan your side" in page


# -- a new table ---------------------------------------------------------------------------------------------


def test_a_new_table_asks_whose_dice_and_cards_in_the_open(red: Device) -> None:
    page = red.get("/new/toy/skirmish").text
    outside = re.sub(r"<details\b.*?</details>", "", page, flags=re.S)
    assert 'name="mode-dice"' in outside and 'name="mode-cards"' in outside


def test_step_zero_is_asked_until_somebody_chooses(
    app: Flask, red: Device, tables: Tables, code: str
) -> None:
    template = app.jinja_env.get_template("setup_step.html")

    def step(seat: str) -> str:
        from companion.engine.seat.view import view

        seen = view(tables.system("toy").rules, tables.game(code), seat)
        return str(template.module.step(seen, code, seat))  # type: ignore[attr-defined]

    assert re.findall(r'name="effort" value="(\w+)"', step("red")) == ["turn", "exceptions", "record"]
    assert step("watch").strip() == ""
    red.do("set-effort", effort="exceptions")
    assert tables.game(code)["effort"] == "exceptions" and step("red").strip() == ""
    assert "On record: mark exceptions" in words(red.get("log").text)
    assert 'value="exceptions" aria-pressed="true"' in form_of(red.get("settings").text, "effort")
    red.do("set-effort", effort="record")
    assert tables.game(code)["effort"] == "record", "and it can be changed later"
    assert red.get().text.count('id="do-set-up"') == 1, "the step offers it, the other acts do not repeat it"


@pytest.mark.parametrize("act", [("set-up", {}), ("next-phase", {})])
def test_a_table_that_has_begun_is_not_asked(
    tables: Tables, code: str, act: tuple[str, dict[str, str]]
) -> None:
    from companion.engine.people.settings import is_unsettled

    assert is_unsettled(tables.game(code))
    tables.act(code, "table", *act, revision=tables.store.latest(code))
    assert not is_unsettled(tables.game(code))


@pytest.mark.parametrize(
    ("system", "scenario", "modes"),
    [
        ("wb95", "kharkov-1942", {"mode-dice"}),
        ("kharkov-battles", "operation-star", {"mode-dice", "mode-chits"}),
        ("enemy-action-kharkov", "campaign", {"mode-chits", "mode-cards"}),
    ],
)
def test_a_new_table_offers_only_what_the_game_has(
    tmp_path: Path, system: str, scenario: str, modes: set[str]
) -> None:
    app = create_app(tmp_path / "shelf", testing=True)
    page = Device(app).get(f"/new/{system}/{scenario}").text
    assert set(re.findall(r'name="(mode-\w+)"', page)) == modes
    app.extensions["companion"]["store"].close()
