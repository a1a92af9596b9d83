"""A toy wargame with one of everything, so that engine and web are tested without any real game.

Red and Blue fight over a ten by ten map for three days. `Table` plays it in memory; `install` puts it on the shelf
that the store, the web app and the command line look at.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Annotated, Any

import pytest
from flask import Flask
from harness import Bench, consents
from toybattle import add_battle
from werkzeug.test import TestResponse

import companion.systems
from companion.engine.forms.fields import Choice, Context, Dice, Roll, Text, Tokens, UnitRef, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import Breakdown, chances, look_up
from companion.engine.kit.blocks import Kit
from companion.engine.kit.book import Book
from companion.engine.kit.load import load_kit
from companion.engine.play.actions import Chance
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.changes import seal
from companion.engine.record.game import Game
from companion.systems import System, new_rules
from companion.tables.tables import Tables
from companion.web.app import create_app
from companion.web.seats import token

SEED = "5e" * 32

SYSTEM = """\
format = 1
id = "toy"
name = "Toy Kharkov"
turn_name = "Day"
tray = ["1d6", "2d6"]
enemy_stacks = "top"

[[side]]
id = "red"
name = "Red"
mark = "star"

[[side]]
id = "blue"
name = "Blue"

[[phase]]
id = "weather"
name = "Weather Phase"
rule = "4.1"
checklist = [
  { text = "Roll for the weather", rule = "4.1", action = "roll-weather" },
  { text = "Turn the night marker", turns = "2+" },
  { text = "Sandbag the bridges", when = "weather=mud" },
]

[[phase]]
id = "red-move"
name = "Red Movement"
side = "first"

[[phase]]
id = "air"
name = "Air Phase"
turns = "2-3"
skip = "no planes yet"

[[phase]]
id = "blue-move"
name = "Blue Movement"
side = "second"

[[phase]]
id = "bog"
name = "Bogging Down"
when = "weather=mud"

[[variant]]
when = "storm"
phases = ["weather", "blue-move", "red-move"]

[[track]]
id = "vp"
label = "Victory points"
start = 3
max = 20

[[track]]
id = "reserve"
label = "Red reserve"
side = "red"
max = 20

[[track]]
id = "ledger"
label = "Inner ledger"
hidden = true

[[dial]]
id = "weather"
label = "Weather"
values = [{ id = "clear", label = "Clear" }, { id = "mud", label = "Deep mud", effect = "half speed" }]

[[marker]]
id = "oos"
label = "Out of supply"
values = ["#"]

[[marker]]
id = "fort"
label = "Fort"
on = ["hex"]

[[marker]]
id = "posture"
label = "Posture"
values = ["attack", "defend"]
clears = "turn"

[[marker]]
id = "moved"
label = "Moved"
on = ["unit", "hex"]
clears = "phase"

[[pile]]
id = "cup"
label = "Chit cup"
tokens = ["amber", "birch", "cedar", "delta", "ember", "flint"]
zones = [{ id = "cup", label = "cup" }, { id = "drawn", label = "drawn", seen = "all" }, { id = "aside", seen = "none" }]

[[pile]]
id = "deck"
label = "Card deck"
start = "deck"
tokens = ["SABOTAGE", "BRIDGEHEAD", "COUNTERBLOW", "MASKIROVKA", "KATYUSHA", "STUKA"]
zones = [
  { id = "deck", label = "deck" },
  { id = "hand", label = "hand", seen = "owner" },
  { id = "discard", label = "discard", seen = "all" },
  { id = "at", label = "under", seen = "owner" },
]

[[box]]
id = "dead"
label = "Dead pile"
out = true

[[box]]
id = "camp"
label = "Rear camp"

[[option]]
id = "storm"
label = "Storm order"

[[option]]
id = "reading"
label = "Ties go to"
default = "attacker"
choices = [{ id = "attacker", label = "The attacker" }, { id = "defender", label = "The defender" }]

[[note]]
text = "No bridges may be blown"
turns = "1"

[[note]]
text = "Mud everywhere"
when = "weather=mud"

[[chart]]
id = "crt"
title = "Combat Results Table"
rows = ["1", "2", "3", "4", "5", "6"]
columns = ["1:2", "1:1", "2:1"]
codes = "A[ER]|D[ER]|NE"
examples = "AE, AR, NE, DR, DE"
rule = "7.1"
"""

GRID = """\
format = 1

[[grid]]
name = "Toy map"
prefixes = [""]
first = "column"
columns = [1, 10]
rows = [1, 10]
column_grows = "east"
row_grows = "south"
tops = "flat"
shifted = "odd"
shift_toward = "south"
"""

SCENARIO = """\
format = 1
id = "skirmish"
name = "Skirmish"
first = 1
last = 3
dates = ["12 May", "13 May", "14 May"]
roster = "units.csv"

[roles]
first = "red"
second = "blue"

[by_turn.vp]
2 = 5

[[note]]
text = "The ferry runs"
turns = "2+"

[[arrival]]
turn = 2
side = "blue"
text = "The relief column"
units = ["blue-relief"]

[[arrival]]
turn = 1
text = "A supply drop"
"""

UNITS = """\
id,side,name,kind,steps,place,turn,marks,AF
red-guards,red,Guards,infantry,2,0303,,oos=2,5
red-tanks,red,Tanks,armour,1,0303,,,8
blue-jaeger,blue,Jaeger,infantry,2,0505,,,4
blue-flak,blue,Flak,artillery,1,0505,,,1
blue-relief,blue,Relief,infantry,1,,2,,3
"""

CRT = """\
crt,1:2,1:1,2:1
1,AE,AR,NE
2,AE,AR,NE
3,AR,NE?,DR
4,AR,NE,DR
5,,,DE
6,,,DE
"""


def write_kit(folder: Path, **changed: str) -> Path:
    """The toy's files; `system`, `grid`, `scenario`, `units` or `crt` replace their text."""
    files = {
        "system.toml": changed.get("system", SYSTEM),
        "grid.toml": changed.get("grid", GRID),
        "skirmish.toml": changed.get("scenario", SCENARIO),
        "units.csv": changed.get("units", UNITS),
        "charts/crt.csv": changed.get("crt", CRT),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@cache
def toy_kit() -> Kit:
    with TemporaryDirectory() as folder:
        kit, problems = load_kit(write_kit(Path(folder) / "toy"))
    if kit is None or problems:
        raise AssertionError("\n".join(map(str, problems)))
    return kit


# -- the toy's own rules -------------------------------------------------------------------------------------


def my_units(ctx: Context) -> list[Any]:
    return [u for u in ctx.game.units.values() if ctx.seat in {"table", u.side}] if ctx.game else []


@cache
def toy_rules() -> Rules:
    rules = new_rules("toy")

    @rules.worksheet(rule="7.1", title="Combat")
    def combat(
        ctx: Context,
        attack: Annotated[int, Whole(label="Attack", low=1, high=99)],
        defence: Annotated[int, Whole(label="Defence", low=1, high=99)],
        posture: Annotated[
            str,
            Choice(
                label="Posture",
                options=(("attack", "Attack"), ("defend", "Defend")),
                start=lambda c: "defend" if c.game and c.game["weather"] == "mud" else "attack",
            ),
        ] = "attack",
    ) -> Breakdown:
        """Odds of a fight."""
        sheet = Breakdown("Combat", dice="1d6", facts={"ratio": attack / defence})
        sheet.column = "2:1" if attack >= 2 * defence else "1:1" if attack >= defence else "1:2"
        sheet.add("Odds", sheet.column, "7.1")
        sheet.shift("Dug in", -1 if posture == "defend" else 0, "7.2")
        chart = ctx.game.chart("crt") if ctx.game else toy_kit().charts["crt"]
        sheet.chances = chances(chart, sheet.column, "1d6", lambda n: str(max(1, n + sheet.modifier)))
        return sheet

    @rules.action(by="active", phase=("red-move", "blue-move"), rule="7.1", label="Fight", worksheet=combat)
    def fight(
        game: Game, sheet: Breakdown, die: Annotated[Roll, Dice(label="Die", purpose="combat")], seat: str
    ) -> Any:
        """Resolve a fight."""
        sheet.roll = die.total
        look_up(sheet, game.chart("crt"), str(max(1, die.total + sheet.modifier)))
        yield from rules.settle(game, "combat", sheet, (seat, "table"), rule="7.1")

    @rules.outcome("combat")
    def after_combat(game: Game, sheet: dict[str, Any], result: str) -> Iterator[e.Event]:
        if result.startswith("D"):
            yield e.Set("vp", game["vp"] + 1, was=game["vp"], reason="won a fight", rule="8.1")

    @rules.action(by="any", phase="weather", rule="4.1", label="Roll for the weather")
    def roll_weather(
        game: Game, die: Annotated[Roll, Dice(label="Die", spec="1d6", purpose="weather")]
    ) -> Any:
        """Roll for the weather and turn its dial."""
        yield e.Set("weather", "mud" if die.total >= 5 else "clear", was=game["weather"], rule="4.1")

    @rules.action(by="any", label="Draw a chit")
    def draw_chit(game: Game, chance: Chance) -> Any:
        """Draw a chit for all to see."""
        yield chance.draw(game, "cup", "cup", "drawn")

    @rules.action(by="any", label="Set a chit aside", secret=True)
    def hide_chit(game: Game, chance: Chance, seat: str) -> Any:
        """Set a chit aside, seen by nobody else."""
        yield chance.draw(game, "cup", "cup", "aside", only=(seat,))

    @rules.action(by="any", label="Return a chit")
    def return_chit(
        game: Game,
        chits: Annotated[tuple[str, ...], Tokens(label="Chits", pile="cup", zone="drawn", many=True)],
    ) -> Any:
        """Put drawn chits back in the cup."""
        yield e.Returned("cup", chits, "drawn", "cup", len(chits))

    @rules.action(by="any", label="Draw a card", secret=True, group="hand")
    def draw_card(game: Game, chance: Chance, seat: str) -> Any:
        """Draw a card into your own hand."""
        yield chance.draw(game, "deck", "deck", f"hand:{seat}", only=(seat,))

    @rules.action(by="any", label="Play a card", secret=True, group="hand")
    def play_card(
        game: Game,
        card: Annotated[str, Tokens(label="Card", pile="deck", zone=lambda c: f"hand:{c.seat}")],
        seat: str = "",
    ) -> Any:
        """Play a card from your hand, face up."""
        yield e.Drawn("deck", (card,), f"hand:{seat}", "discard", 1)

    @rules.action(by="red", label="Show Red's hand", secret=True, group="hand")
    def red_card(game: Game, card: Annotated[str, Tokens(label="Card", pile="deck", zone="hand:red")]) -> Any:
        """Red discards."""
        yield e.Drawn("deck", (card,), "hand:red", "discard", 1)

    @rules.action(by="any", label="Choose a mission", secret=True)
    def choose(
        game: Game, mission: Annotated[str, Text(label="Mission", most=40)] = "", seat: str = ""
    ) -> Any:
        """Choose in secret; both are shown when both have chosen."""
        yield from seal(game, "mission", seat, mission)

    @rules.action(by="red", label="Count the reserve", secret=True)
    def count_reserve(game: Game, points: Annotated[int, Whole(label="Points", high=20)]) -> Any:
        """Write down Red's reserve, for Red alone."""
        yield e.Set("reserve", points, was=game["reserve"], only=("red",))

    @rules.action(by="any", label="Lay a mine", secret=True)
    def lay_mine(game: Game, hex: Annotated[str, Text(label="Hex", most=4)], seat: str = "") -> Any:
        """A fort that the other side does not see."""
        yield e.Marked(hex, "fort", f"mine-{seat}", only=(seat,))

    @rules.action(by="any", label="Whisper", secret=True)
    def whisper(game: Game, text: Annotated[str, Text(label="Text", most=80)], seat: str = "") -> Any:
        """A note and a reminder for your own eyes."""
        yield e.Noted(text, only=(seat,))
        yield e.Asked(f"whisper-{game.revision}", (seat,), text, "spend", {"text": text}, only=(seat,))

    @rules.action(by="any", label="Spend a point", group="book-keeping")
    def spend(game: Game, text: Annotated[str, Text(label="What for", most=80)] = "") -> Any:
        """Spend a victory point."""
        yield e.Set("vp", game["vp"] - 1, was=game["vp"], reason=text)

    @rules.action(by="any", label="Secret roll", secret=True, group="dice")
    def secret_roll(game: Game, chance: Chance, seat: str) -> Any:
        """Roll behind the screen."""
        rolled = chance.roll("1d6", "behind the screen")
        yield e.Rolled(rolled.dice, rolled.values, rolled.purpose, rolled.mode, rolled.index, only=(seat,))

    @rules.action(by="any", label="Scout", when=lambda game: game.turn > 1 or "scouts ride from day 2 on")
    def scout(game: Game, unit: Annotated[str, UnitRef(label="Unit", pick=my_units)]) -> Any:
        """Send a unit forward."""
        yield e.Marked(unit, "moved", True)

    @rules.action(by="table", label="Ring the bell")
    def ring(game: Game) -> Any:
        """Only on the table's own screen."""
        yield e.Noted("the bell rings")

    @rules.action(by="blue", label="Blue's word")
    def blue_word(game: Game) -> Any:
        """Blue says something."""
        yield e.Noted("Blue has spoken")

    @rules.entering("turn", "2+")
    def new_day(game: Game) -> Iterator[e.Event]:
        yield e.Noted(f"day {game.turn} breaks")

    @rules.leaving("red-move")
    def red_rests(game: Game) -> Iterator[e.Event]:
        yield e.Noted("Red rests")

    @rules.watch
    def twenty_points(game: Game) -> Iterator[e.Event]:
        if game["vp"] >= 20 and not game.ended:
            yield e.Ended("red", "decisive", "Red has twenty points.", "9.1")

    @rules.panel
    def points(game: Game, seat: str) -> Panel:
        return Panel("Points", [Fact("Victory", str(game["vp"]))])

    add_battle(rules)
    return rules


# -- one of every event ---------------------------------------------------------------------------------------

OPEN: list[e.Event] = [
    e.Started("toy", "skirmish", {"fog": True, "mode-dice": "either"}, "ab" * 32, "Friday night"),
    e.Started("toy", "skirmish", {}, "ab" * 32),
    e.Advanced(2, "air", ("bog",), "set by hand"),
    e.Advanced(1, "weather"),
    e.Set("vp", 0, was=3, reason="corrected", rule="8.1"),
    e.Set("fog", False, was=True),
    e.Set("words", "", was=None),
    e.Rolled("2d6", (3, 5), "combat", "digital", 0),
    e.Rolled("1d10z", (0,), mode="physical"),
    e.Drawn("cup", ("amber", "birch"), "cup", "drawn", 2, "digital", 7, "two at dawn"),
    e.Drawn("cup", (), "cup", "drawn"),
    e.Returned("cup", ("amber",), "drawn", "cup", 1),
    e.Placed("red-guards", "0303", was="0304", facts={"steps": 1}, reason="retreat", rule="7.4", side="red"),
    e.Placed("red-guards", ""),
    e.Placed("red-guards", facts={"steps": 0}),
    e.Marked("red-guards", "oos", 2, "cut off", "6.1"),
    e.Marked("0303", "fort"),
    e.Marked("0303", "fort", False),
    e.Sealed("mission", "red", {"bomb": ["0303"]}),
    e.Sealed("mission", "red", []),
    e.Sealed("mission", "blue", ""),
    e.Revealed("mission", {"red": "bomb", "blue": ""}),
    e.Resolved("combat", {"title": "Combat", "lines": []}, "DR"),
    e.Engaged(
        title="Attack on 0303",
        attacker="red",
        defender="blue",
        hexes=("0303",),
        forces={"red": ["red-guards"]},
        facts={"aircraft": 1},
        opens=True,
        rule="7.1",
    ),
    e.Engaged(12, facts={"aircraft": None}, result="called off", reason="called off by both"),
    e.Asked(
        "lose-12",
        ("blue", "table"),
        "Lose 1 step",
        "lose",
        {"steps": 1},
        "7.2",
        "",
        "owed",
        12,
        2,
        ("x",),
        True,
    ),
    e.Answered("lose-12", "does not apply", 12, "Lose 1 step"),
    e.Asked(
        "result-9", ("red", "table"), "Read your chart", "enter-result", {"codes": ["DR"]}, "7.1", "combat"
    ),
    e.Answered("result-9", "DR"),
    e.Ticked("1/weather/0", True, "Roll for the weather"),
    e.Ticked("1/weather/0", False),
    e.Noted("<b>привет</b> 🎲", "1.1"),
    e.Seated("red", "joined", "phone"),
    e.Seated("table", "new-code", why="Red asked, Blue agreed"),
    e.Undone(4, "agreed by Blue"),
    e.Reseeded("cd" * 32, "11" * 32),
    e.Reseeded("cd" * 32),
    e.Ended("red", "decisive", "Red has twenty points.", "9.1"),
    e.Ended("nobody"),
]

HIDDEN: list[e.Event] = [
    e.Engaged(
        title="Attack on 0303",
        attacker="red",
        defender="blue",
        forces={"red": ["SECRET"]},
        facts={"plan": "SECRET"},
        only=("red",),
    ),
    e.Set("reserve", "SECRET", was="SECRET", reason="counted", only=("red",)),
    e.Rolled("1d6", (987654,), "behind the screen", only=("red",)),
    e.Drawn("deck", ("SECRET",), "deck", "hand:red", 1, only=("red",)),
    e.Returned("deck", ("SECRET",), "hand:red", "deck", 1, only=("red",)),
    e.Placed("SECRET", "0303", was="0304", facts={"name": "SECRET"}, side="red", only=("red",)),
    e.Marked("SECRET", "fort", "SECRET", only=("red",)),
    e.Sealed("mission", "red", "SECRET", only=("red",)),
    e.Resolved("combat", {"title": "SECRET"}, "DR", only=("red",)),
    e.Asked("q1", ("red",), "SECRET", "spend", {"text": "SECRET"}, only=("red",)),
    e.Answered("q1", "SECRET", only=("red",)),
    e.Noted("SECRET", only=("red",)),
]


# -- in memory -----------------------------------------------------------------------------------------------


class Table(Bench):
    """One toy game in memory: `t.do("red", "draw-card")`, `t.sees("blue")`."""

    seed = SEED
    title = "Friday night"

    def __init__(
        self, book: Book | None = None, set_up: bool = True, rules: Rules | None = None, **options: Any
    ) -> None:
        super().__init__(System(toy_kit(), rules or toy_rules()), "skirmish", book, **options)
        if set_up:
            self.do("table", "set-up")


def all_agree(tables: Tables, code: str) -> None:
    """Everybody at a stored table who is asked for consent gives it."""
    for ask in consents(tables.game(code)):
        tables.act(code, ask.to[0], "agree", {"ask": ask.id, "yes": True})


def plain(game: Game) -> Any:
    """A game's whole state as JSON has it, so that a live and a replayed one can be compared."""
    return json.loads(json.dumps(game.dump(), sort_keys=True))


# -- on the shelf --------------------------------------------------------------------------------------------


_shelf = TemporaryDirectory(prefix="shelf-")


@cache
def shelf() -> Path:
    """A scenarios folder with the toy alone, written once: a kit is read once for each folder it lies in."""
    write_kit(Path(_shelf.name) / "toy")
    return Path(_shelf.name)


def install(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the toy on the shelf: a scenarios folder for `create_app`, `Tables` and the command line."""
    module = ModuleType("companion.systems.toy")
    module.__spec__ = ModuleSpec("companion.systems.toy", None)
    module.rules = toy_rules()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "companion.systems.toy", module)
    monkeypatch.setattr(companion.systems, "IDS", (*companion.systems.IDS, "toy"))
    return shelf()


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[Flask]:
    """The web app over an empty data folder with the toy on its shelf."""
    app = create_app(folder / "data", scenarios=install(monkeypatch), testing=True)
    try:
        yield app
    finally:
        app.extensions["companion"]["store"].close()


class Device:
    """A browser at the web app: its own cookies, plain forms as without JavaScript, htmx fragments on request."""

    def __init__(self, app: Flask, code: str = "", seat: str = "") -> None:
        self.client = app.test_client()
        self.code, self.seat = code, seat
        if seat:
            with app.test_request_context():
                secret = token(code, seat)
            answer = self.client.get(f"/j/{code}/{secret}")
            if answer.status_code != 303:
                raise AssertionError(answer.text)

    def url(self, path: str) -> str:
        return path if path.startswith("/") else f"/t/{self.code}/{self.seat}/{path}".rstrip("/")

    def get(self, path: str = "", target: str = "", **headers: str) -> TestResponse:
        return self.client.get(self.url(path), headers=_htmx(target) | headers)

    def post(self, path: str, target: str = "", **form: Any) -> TestResponse:
        headers = {"Origin": "http://localhost"} | _htmx(target)
        return self.client.post(self.url(path), data=form, headers=headers)

    def do(self, action: str, target: str = "", **form: Any) -> TestResponse:
        """Submit an action's form."""
        return self.post(f"do/{action}", target, **form)


def _htmx(target: str) -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": target} if target else {}
