"""The combat worksheet: strength, ratio, shifts, dice [5.2.1]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.engine.forms.fields import Context
from companion.engine.forms.worksheet import Breakdown, chances
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.wb95 import stars
from companion.systems.wb95.base import ATTACK, halve, refusal, rules
from companion.systems.wb95.combat_form import CombatForm
from companion.systems.wb95.fight import Fight, assemble
from companion.systems.wb95.hq import covered
from companion.systems.wb95.ratio import COLUMNS, TOP, shifted, start_column
from companion.systems.wb95.strength import against_support, concentration, named, numbers
from companion.systems.wb95.terrain import crossed, halves_attacker, hex_shift, shift


@rules.worksheet(rule="5.2.1", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """Work out the column: strengths, ratio, the attacker's shifts up to 10:1, then the defender's."""
    fight = assemble(ctx, form)
    if fight.force.unknown:
        raise refusal(f"type the strength of {named(fight.force.unknown)}", field="attack_sp", rule="1.2")
    return work_out(ctx, fight)


def _untold(ctx: Context, fight: Fight) -> bool:
    """At a table the defender is asked for what the attacker does not know [5.2.1]."""
    known = not fight.wall.closed and not fight.wall.unknown and (fight.held > 0 or fight.helpless)
    return not known and (ctx.game.phase in ATTACK or ctx.battle is not None)


def work_out(ctx: Context, fight: Fight) -> Breakdown:
    """The sheet of a battle before its roll; without a column while the defence is not known."""
    game, sheet = ctx.game, Breakdown("Combat")
    _attackers(sheet, fight)
    _defenders(sheet, fight)
    if _untold(ctx, fight) and fight.regular + fight.fire > 0:
        sheet.facts = {**_follow_up(fight), "attack_users": [], "defence_users": []}
        return sheet
    total = _total(sheet, game, fight)
    column = _ratio(sheet, game, fight, total)
    plus, minus = Shifts(sheet, "attacker"), Shifts(sheet, "defender")
    if (
        not fight.helpless
    ):  # those are always attacked in the last column, whatever else counts [5.1.9, 6.6.4]
        _shifts(plus, minus, game, fight)
    after, final = shifted(column, plus.total, minus.total)
    if column + plus.total > TOP:
        sheet.add("attacker's shifts stop at", COLUMNS[after], "1.6")
    sheet.column = COLUMNS[final]
    if final != column:
        sheet.add("column", sheet.column, "1.6")
    _headquarters(ctx, sheet, fight)
    sheet.dice = "2d6"
    sheet.warnings += _doubts(game, fight)
    sheet.facts = {
        "attack": total,
        "defence": fight.held,
        "ratio": COLUMNS[column],
        "attack_shifts": plus.total,
        "defence_shifts": minus.total,
        **_follow_up(fight),
        "attack_stars": plus.used,
        "defence_stars": minus.used,
        "attack_users": plus.users,
        "defence_users": minus.users,
    }
    sheet.chances = chances(game.chart("combat"), sheet.column, "2d6", lambda n: row_of(n, sheet.modifier))
    return sheet


def _attackers(sheet: Breakdown, fight: Fight) -> None:
    form = fight.form
    for label, effect, rule in fight.force.lines:
        sheet.add(label, effect, rule)
    for label, amount, rule in (
        ("attackers", form.attack, ""),
        (f"halved attackers ({form.attack_halved})", fight.attack_halved, "1.7, 5.6.4, 10.2.2"),
        ("artillery in attack", form.attack_artillery, "6.3.1"),
        ("aircraft in attack", fight.attack_air, "8.2.2"),
    ):
        if amount:
            sheet.add(label, f"{amount} SP", rule)


def _defenders(sheet: Breakdown, fight: Fight) -> None:
    form, air = fight.form, fight.defence_air
    for label, effect, rule in fight.wall.lines:
        sheet.add(f"{label} (defender)", effect, rule)
    for label, amount, rule in (
        ("defenders", form.defence, ""),
        (f"disorganised defenders ({form.defence_halved})", fight.defence_halved, "5.6.4"),
        ("artillery in defence", form.defence_artillery, "6.3.1"),
        ("guns alone, 1 a hex", form.lone_guns, "6.6.3"),
        (f"half of {air} air SP in defence", halve(air), "8.2.4"),
    ):
        if amount:
            sheet.add(label, f"{amount} SP", rule)


def _total(sheet: Breakdown, game: Game, fight: Fight) -> int:
    """The attack's strength as fixed positions and swamp leave it [7.3.2, 7.3.4]."""
    regular, fire, front = fight.regular, fight.fire, fight.form.front
    total = regular + fire
    if fight.fort == "fp":
        halved = game["fp-halves"] == "all"
        total = halve(total) if halved else halve(front) + (regular - front) + halve(fire)
        sheet.add("fixed position halves", f"{total} SP", "7.3.2")
    if any(halves_attacker(game, g) for g in fight.ground):
        total = halve(total)
        sheet.add("attack into swamp", f"{total} SP", "summer table")
    return total


def _ratio(sheet: Breakdown, game: Game, fight: Fight, total: int) -> int:
    """The column before any shift [1.5, 1.7]."""
    if fight.helpless:
        sheet.add("only headquarters, or guns in transport setup", "10:1", "5.1.9, 6.6.4")
        return TOP
    if total <= 0:
        raise refusal("give the attackers: on record, or as strength", field="attack", accepted="above 0")
    if fight.held <= 0:
        raise refusal("give the defenders' strength", field="defence", accepted="above 0")
    column = start_column(total, fight.held, game["weak-ratio"])
    sheet.add(f"{total} against {fight.held}", COLUMNS[column], "1.5, 1.7")
    return column


class Shifts:
    """One side's column shifts, logged where they are counted."""

    def __init__(self, sheet: Breakdown, who: str) -> None:
        self.sheet, self.who, self.total = sheet, who, 0
        self.used = 0
        """Shifts of stars and fortification units: their users must share losses [15.1.7, 15.4.3]."""
        self.users: list[str] = []
        """Those users, by unit; one without a name where they are not on record."""

    def add(self, label: str, amount: int, rule: str) -> None:
        if amount:
            self.total += amount
            self.sheet.add(f"{label} ({self.who})", amount if self.who == "attacker" else -amount, rule)

    def stars(self, verdicts: list[stars.Verdict], units: Iterable[Unit], game: Game) -> None:
        colours = {v.colour for v in verdicts if v.counted}
        known = [u.id for u in units if game.mark(u.id, "star") in colours]
        self.users += known or ([""] if colours else [])
        for verdict in verdicts:
            self.add(f"{verdict.colour} star", verdict.counted, "15.1.3")
            self.used += verdict.counted
            if verdict.reason:
                self.sheet.add(f"{verdict.colour} star ({self.who}): {verdict.reason}", "0", "15.1.2")


def _shifts(plus: Shifts, minus: Shifts, game: Game, fight: Fight) -> None:
    """Every shift of both sides, in the order of the sheet."""
    form = fight.form
    minus.add(f"terrain: {', '.join(fight.ground)}", hex_shift(game, fight.ground), "5.5.2")
    _water(minus, game, fight)
    _fortification(minus, game, fight)
    if game["concentration"]:
        _concentrate(plus, game, (*fight.attackers, *fight.guns), form.attack_formations, "attack_formations")
        held = tuple(u for u in (*fight.defenders, *fight.cover) if u not in fight.wall.idle)
        _concentrate(minus, game, held, form.defence_formations, "defence_formations")
    _special(plus, minus, fight)
    _stars(plus, minus, game, fight)
    plus.add("fallen headquarters", form.attack_pool, "9.1.6")
    minus.add("fallen headquarters", form.defence_pool, "9.1.6")


def _water(minus: Shifts, game: Game, fight: Fight) -> None:
    """Water counts when more than half of the regular strength attacks across it [5.5.4]."""
    for name, strength in fight.water.items():
        if 2 * strength > fight.regular:
            minus.add(f"more than half across the {name.capitalize()}", shift(game, name), "5.5.4")
        elif strength:
            minus.sheet.add(f"not more than half across the {name.capitalize()}", "0", "5.5.4")


def _fortification(minus: Shifts, game: Game, fight: Fight) -> None:
    """Field works count double in a city; a fixed position only from its front [7.1.10, 7.2.1, 7.3.4]."""
    city = "city" in fight.ground or ("town" in fight.ground and bool(game["ff-in-towns"]))
    field_works = 2 if city else 1
    if fight.fort == "ff":
        minus.add("field fortification" + (" in a city" if city else ""), field_works, "7.1.10")
    elif fight.fort == "if":
        minus.add("improved fortification", 2, "7.2.1")
    elif fight.fort == "fp" and fight.frontal:
        minus.add("fixed position", fight.form.fp_shifts, "7.3.2")
    elif fight.fort == "fp":
        minus.add("fixed position from behind", field_works, "7.3.4")


def _concentrate(tally: Shifts, game: Game, units: tuple[Unit, ...], by_hand: str, name: str) -> None:
    """One shift for every three units of a formation [13.1.2]."""
    for formation, amount in concentration(game, units).items():
        # Under fog a public record names no formation that lies in a stack.
        label = "concentration" if game["fog"] else f"concentration: {formation}"
        tally.add(label, amount, "13.1.2")
    tally.add("concentration", sum(n // 3 for n in numbers(by_hand, name)), "13.1.2")


def _special(plus: Shifts, minus: Shifts, fight: Fight) -> None:
    """Resilience groups, fortification units, Volkssturm [15.2.3, 15.3.1, 15.3.2, 15.4.1]."""
    kinds = fight.form.special
    if "rg" in kinds:
        minus.add("resilience group", 1, "15.2.3")
    if "fu" in kinds and fight.fortified:
        minus.add("fortification unit", 2, "15.4.1")
        minus.used += 2
        minus.users.append("")
    weakness = max(0, 2 - fight.form.vs_regulars)
    if "vs-defends" in kinds:
        plus.add("against Volkssturm", weakness, "15.3.1")
    if "vs-attacks" in kinds:
        minus.add("against Volkssturm", weakness, "15.3.1")


def _stars(plus: Shifts, minus: Shifts, game: Game, fight: Fight) -> None:
    """Both sides' stars as far as they count, one shift each [15.1.3, 15.1.4]."""
    form = fight.form
    dry = [u for u in fight.stars[0] if not _over_big_river(game, u, form.target)]
    given, held = stars.judge(
        _counted(form.attack_stars, "attack_stars", game, dry),
        _counted(form.defence_stars, "defence_stars", game, fight.stars[1]),
        fortified=fight.fortified,
        attack_mech=form.attack_mech or any(u.klass == "mechanized" for u in fight.attackers),
        defence_mech=form.defence_mech or any(u.klass == "mechanized" for u in fight.defenders),
        all_across_big_river=bool(game["doniec-is-big"]) and 0 < fight.regular <= fight.water["doniec"],
    )
    plus.stars(given, dry, game)
    if len(dry) < len(fight.stars[0]):
        plus.sheet.add("stars across the big river (attacker)", "0", "15.1.8")
    minus.stars(held, fight.stars[1], game)


def _over_big_river(game: Game, unit: Unit, target: Iterable[str]) -> bool:
    """Whether a unit can reach what it attacks only across a big river [15.1.8]."""
    beside = [h for h in target if h in game.maps.neighbours(unit.place)]
    across = [h for h in beside if game["doniec-is-big"] and "doniec" in crossed(game, unit.place, h)]
    return bool(beside) and len(across) == len(beside)


def _counted(typed: str, name: str, game: Game, units: Iterable[Unit]) -> dict[str, int]:
    """Stars by colour: those on the counters, and those of units not on record."""
    found = stars.read(typed, name)
    for unit in units:
        colour = str(game.mark(unit.id, "star"))
        found[colour] = found.get(colour, 0) + 1
    return found


def _headquarters(ctx: Context, sheet: Breakdown, fight: Fight) -> None:
    """A headquarters in range of all its units moves the dice by one [9.2.1, 9.2.3, 9.2.4]."""
    game, form = ctx.game, fight.form
    guns = fight.guns if game["hq-counts-guns"] else ()
    places = {u.place for u in (*fight.attackers, *guns)}
    if form.attack_hq or (fight.attackers and covered(ctx, fight.side, places)):
        sheet.shift("attackers in HQ range", -1, "9.2.1")
    if form.defence_hq or (fight.manned and covered(ctx, game.other(fight.side), form.target)):
        sheet.shift("defenders in HQ range", +1, "9.2.1")


def _doubts(game: Game, fight: Fight) -> list[str]:
    """What is missing, or looks wrong; the players decide."""
    form, found = fight.form, []
    if any(game.mark(h, "shelled") for h in form.target):
        found.append("shelled at range this phase: it may not be assaulted (6.4.5)")
    if len({u.place for u in fight.attackers}) > 1 and len(form.target) > 1:
        found.append("one of the two sides must stand in a single hex (5.1.5)")
    return found + against_support(game, fight.guns, [u.place for u in fight.attackers])


def _follow_up(fight: Fight) -> dict[str, Any]:
    """What the outcome of the battle needs to know."""
    return {
        "attacker": fight.side,
        "hexes": list(fight.form.target),
        "from": sorted({u.place for u in fight.attackers}),
        "fp": fight.fort == "fp" and fight.frontal,
        "helpless": fight.helpless,
    }


def row_of(roll: int, modifier: int) -> str:
    """The row after HQ modifiers, held at the ends of the table."""
    return str(min(12, max(2, roll + modifier)))
