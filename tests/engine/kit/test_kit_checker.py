"""The kit checker: whatever is wrong with a game's files is named at once, by file and line, with a remedy."""

from pathlib import Path
from typing import Any

import pytest
from toykit import CRT, GRID, SCENARIO, SYSTEM, UNITS, toy_kit, write_kit

from companion.engine.kit.load import load_kit


def problems_of(tmp_path: Path, **changed: str) -> list[str]:
    return [str(p) for p in load_kit(write_kit(tmp_path / "toy", **changed))[1]]


def in_system(old: str, new: str) -> dict[str, str]:
    assert old in SYSTEM
    return {"system": SYSTEM.replace(old, new, 1)}


def line_of(start: str) -> str:
    return next(line for line in SYSTEM.splitlines() if line.startswith(start))


def in_scenario(old: str, new: str) -> dict[str, str]:
    assert old in SCENARIO
    return {"scenario": SCENARIO.replace(old, new, 1)}


def line_in(text: str, words: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


def test_a_sound_kit_has_no_problems(tmp_path: Path) -> None:
    assert problems_of(tmp_path) == []
    kit = toy_kit()
    assert list(kit.scenarios) == ["skirmish"]
    assert [u.id for u in kit.scenarios["skirmish"].units][:2] == ["red-guards", "red-tanks"]
    assert kit.charts["crt"].filled == 14


MISTAKES: dict[str, tuple[dict[str, str], list[str]]] = {
    "a misspelt key": (
        in_system('mark = "star"', 'marc = "star"'),
        ["system.toml", "unknown key 'marc'", "Did you mean mark"],
    ),
    "a missing key": (
        in_system('name = "Weather Phase"\n', ""),
        ["system.toml line", "phase weather", "'name' is missing"],
    ),
    "a number in quotes": (
        in_system("max = 20", 'max = "20"'),
        ["track vp", "max: a whole number is needed, not '20'"],
    ),
    "a word without quotes round it": (
        in_system('turns = "2-3"', "turns = 2"),
        ["phase air", "text in quotes is needed, not 2"],
    ),
    "a list that is none": (
        in_system('tray = ["1d6", "2d6"]', 'tray = "1d6"'),
        ["tray: a list is needed, not '1d6'"],
    ),
    "a third side": (
        in_system("[[phase]]", '[[side]]\nid = "green"\nname = "Green"\n\n[[phase]]'),
        ["system.toml", "a game has two sides, not 3"],
    ),
    "an id used twice": (
        in_system('id = "reserve"', 'id = "vp"'),
        ["system.toml line", "track 'vp' is there twice"],
    ),
    "an id with capitals": (
        in_system('id = "reserve"', 'id = "Red Reserve"'),
        ["'Red Reserve'", "small letters, digits and hyphens"],
    ),
    "an unknown side": (
        in_system('side = "first"', 'side = "frist"'),
        ["phase 'red-move'", "'frist' is not a side or role", "Did you mean first"],
    ),
    "turns that cannot be read": (
        in_system('turns = "2-3"', 'turns = "2 to 3"'),
        ["'air'", "'2 to 3' cannot be read: write 1, 3+"],
    ),
    "turns that run backwards": (
        in_system('turns = "2-3"', 'turns = "3-2"'),
        ["'air'", "3-2 runs backwards"],
    ),
    "a condition on nothing": (
        in_system('when = "weather=mud" },', 'when = "wether=mud" },'),
        ["no value 'wether'", "Did you mean weather"],
    ),
    "a variant of unknown phases": (
        in_system('"weather", "blue-move"', '"weather", "blu-move"'),
        ["variant: no phase 'blu-move'", "Did you mean blue-move"],
    ),
    "a pile that starts nowhere": (
        in_system('start = "deck"', 'start = "dekc"'),
        ["pile 'deck'", "no zone 'dekc'"],
    ),
    "a pile without zones": (
        in_system(line_of('zones = [{ id = "cup"'), "zones = []"),
        ["system.toml line", "pile 'cup'", "zone"],
    ),
    "a chit that is there twice": (
        in_system('"amber", "birch"', '"amber", "amber"'),
        ["pile 'cup'", "'amber'", "twice"],
    ),
    "a dial without positions": (
        in_system(line_of('values = [{ id = "clear"'), "values = []"),
        ["system.toml line", "dial 'weather'", "value"],
    ),
    "a dial that starts nowhere": (
        in_system('label = "Weather"\n', 'label = "Weather"\nstart = "hail"\n'),
        ["dial 'weather'", "'hail'", "clear, mud"],
    ),
    "results that cannot be checked": (
        in_system('codes = "A[ER]|D[ER]|NE"', 'codes = "A[ER"'),
        ["crt", "codes"],
    ),
    "no format": (in_system("format = 1\n", ""), ["system.toml line 1", "must begin with: format = 1"]),
    "a file that is no TOML": (
        {"scenario": "format = 1\nfirst = 0507\n"},
        ["skirmish.toml", "not readable as TOML", "Quote hex numbers"],
    ),
    "a scenario that ends before it begins": (
        in_scenario("last = 3", "last = 0"),
        ["skirmish.toml", "first turn 1 comes after last turn 0"],
    ),
    "a turn record of nothing": (
        in_scenario("[by_turn.vp]", "[by_turn.vps]"),
        ["skirmish.toml", "'vps' is no track, dial or option", "Did you mean vp"],
    ),
    "a start of nothing": (
        in_scenario("[roles]", "[start]\nwether = 'mud'\n\n[roles]"),
        ["'wether' is no track", "Did you mean weather"],
    ),
    "turns of an unknown phase": (
        in_scenario("[roles]", "[phase_turns]\nari = '2+'\n\n[roles]"),
        ["no phase 'ari'", "Did you mean air"],
    ),
    "a beginning in an unknown phase": (
        in_scenario("last = 3", 'last = 3\nfirst_phase = "wether"'),
        ["skirmish.toml", "'wether'", "Did you mean weather"],
    ),
    "an arrival of an unknown side": (
        in_scenario('side = "blue"', 'side = "bleu"'),
        ["arrival on turn 2", "no side 'bleu'", "Did you mean blue"],
    ),
    "a note that cannot be timed": (
        in_scenario('turns = "2+"', 'turns = "soon"'),
        ["'The ferry runs'", "'soon' cannot be read"],
    ),
    "a roster that is not there": (
        in_scenario('"units.csv"', '"unist.csv"'),
        ["unist.csv", "named as roster but is not there"],
    ),
    "a unit that is there twice": (
        {"units": UNITS.replace("red-tanks", "red-guards")},
        ["unit 'red-guards' is there twice"],
    ),
    "a unit of nobody": (
        {"units": UNITS.replace("red-tanks,red", "red-tanks,rde")},
        ["units.csv", "line 3", "Did you mean red"],
    ),
    "a chart with an unknown head": ({"crt": CRT.replace("2:1", "2;1")}, ["crt.csv", "no column '2;1'"]),
    "a chart with an impossible result": (
        {"crt": CRT.replace("DE", "BOOM", 1)},
        ["crt.csv", "row 5, column 2:1", "'BOOM'", "AE, AR, NE"],
    ),
    "a grid that cannot be read": (
        {"grid": GRID.replace("columns = [1, 10]", "colums = [1, 10]")},
        ["grid.toml", "colums", "columns"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_named_with_its_place_and_remedy(tmp_path: Path, mistake: str) -> None:
    changed, words = MISTAKES[mistake]
    found = problems_of(tmp_path, **changed)
    assert any(all(word in problem for word in words) for problem in found), found


def test_a_kit_with_many_mistakes_reports_every_one(tmp_path: Path) -> None:
    system = SYSTEM
    for old, new in (
        ('turns = "2-3"', 'turns = "2 to 3"'),
        ('id = "reserve"', 'id = "vp"'),
        ('side = "first"', 'side = "frist"'),
        ('start = "deck"', 'start = "dekc"'),
        ('"weather", "blue-move"', '"weather", "blu-move"'),
    ):
        system = system.replace(old, new, 1)
    scenario = SCENARIO.replace("[by_turn.vp]", "[by_turn.pv]").replace('side = "blue"', 'side = "bleu"')
    units = UNITS.replace("red-tanks,red", "red-tanks,rde").replace(",4\n", ",four\n")
    crt = CRT.replace("DE", "BOOM", 1).replace("AR", "BANG", 1)
    found = problems_of(tmp_path, system=system, scenario=scenario, units=units, crt=crt)
    for words in (
        "2 to 3",
        "'vp' is there twice",
        "frist",
        "dekc",
        "blu-move",
        "'pv'",
        "bleu",
        "rde",
        "four",
        "BOOM",
        "BANG",
    ):
        assert any(words in problem for problem in found), (words, found)


def test_shape_mistakes_of_one_file_are_all_reported(tmp_path: Path) -> None:
    system = (
        SYSTEM.replace('mark = "star"', 'marc = "star"')
        .replace("max = 20", 'max = "x"', 1)
        .replace('tray = ["1d6", "2d6"]', "tray = 6")
    )
    found = problems_of(tmp_path, system=system)
    for words in ("marc", "max", "tray"):
        assert any(words in problem for problem in found), (words, found)


def test_a_problem_names_the_line_of_its_block(tmp_path: Path) -> None:
    system = SYSTEM.replace('name = "Air Phase"\n', "")
    where = line_in(system, 'id = "air"') - 1
    assert f"system.toml line {where}: phase air: 'name' is missing" in problems_of(tmp_path, system=system)


@pytest.mark.parametrize("missing", ["system.toml", "grid.toml", "skirmish.toml"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    folder = write_kit(tmp_path / "toy")
    (folder / missing).unlink()
    found = " ".join(str(p) for p in load_kit(folder)[1])
    assert ("<scenario>.toml" if missing == "skirmish.toml" else missing) in found


@pytest.mark.parametrize("name", ["system.toml", "skirmish.toml", "units.csv", "charts/crt.csv", "grid.toml"])
def test_a_file_saved_in_another_alphabet_is_named_with_the_remedy(tmp_path: Path, name: str) -> None:
    folder = write_kit(tmp_path / "toy")
    (folder / name).write_bytes((folder / name).read_bytes() + b"\n# M\xfcnchen\n")
    found = [str(p) for p in load_kit(folder)[1]]
    assert any(Path(name).name in problem and "UTF-8" in problem for problem in found), found


def test_a_mark_that_spreadsheets_put_in_front_is_no_problem(tmp_path: Path) -> None:
    folder = write_kit(tmp_path / "toy")
    for name in ("system.toml", "skirmish.toml", "units.csv", "charts/crt.csv", "grid.toml"):
        (folder / name).write_bytes(b"\xef\xbb\xbf" + (folder / name).read_bytes())
    assert load_kit(folder)[1] == []


def test_charts_may_be_blank_or_missing(tmp_path: Path) -> None:
    folder = write_kit(tmp_path / "toy")
    (folder / "charts/crt.csv").unlink()
    kit, found = load_kit(folder)
    assert found == [] and kit is not None
    assert kit.charts["crt"].filled == 0


def test_dates_are_told_by_turn() -> None:
    scenario: Any = toy_kit().scenarios["skirmish"]
    assert [scenario.date(n) for n in (0, 1, 3, 4)] == ["", "12 May", "14 May", ""]
