"""The combat worksheet: strength, ratio, shifts, dice [5.2.1]."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, Roll
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record.game import Game
from companion.systems.wb95 import combat_form as fields
from companion.systems.wb95 import results, stars
from companion.systems.wb95.base import ATTACK, halve, refusal, rules
from companion.systems.wb95.battle import Battle, assemble
from companion.systems.wb95.combat_form import CombatForm
from companion.systems.wb95.hq import covered, spend
from companion.systems.wb95.ratio import COLUMNS, TOP, shifted, start_column
from companion.systems.wb95.strength import concentration, numbers
from companion.systems.wb95.terrain import halves_attacker, hex_shift, shift


@rules.worksheet(rule="5.2.1", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """Work out the column: strengths, ratio, the attacker's shifts up to 10:1, then the defender's."""
    return work_out(ctx, assemble(ctx, form))


def work_out(ctx: Context, battle: Battle) -> Breakdown:
    """The sheet of a battle before its roll."""
    game, sheet = ctx.game, Breakdown("Combat")
    _attackers(sheet, battle)
    _defenders(sheet, battle)
    total = _total(sheet, game, battle)
    column = _ratio(sheet, game, battle, total)
    plus, minus = Shifts(sheet, "attacker"), Shifts(sheet, "defender")
    _shifts(plus, minus, game, battle)
    after, final = shifted(column, plus.total, minus.total)
    if column + plus.total > TOP:
        sheet.add("attacker's shifts stop at", COLUMNS[after], "1.6")
    sheet.column = COLUMNS[final]
    if final != column:
        sheet.add("column", sheet.column, "1.6")
    _headquarters(ctx, sheet, battle)
    sheet.dice = "2d6"
    sheet.warnings += _doubts(game, battle)
    sheet.facts = {
        "attack": total,
        "defence": battle.held,
        "ratio": COLUMNS[column],
        "attack_shifts": plus.total,
        "defence_shifts": minus.total,
        **_follow_up(battle),
        "attack_stars": plus.used,
        "defence_stars": minus.used,
    }
    sheet.chances = chances(game.chart("combat"), sheet.column, "2d6", lambda n: row_of(n, sheet.modifier))
    return sheet


def _attackers(sheet: Breakdown, battle: Battle) -> None:
    form = battle.form
    for label, effect, rule in battle.force.lines:
        sheet.add(label, effect, rule)
    for label, amount, rule in (
        ("attackers", form.attack, ""),
        (f"halved attackers ({form.attack_halved})", battle.attack_halved, "1.7, 5.6.4, 10.2.2"),
        ("artillery in attack", form.attack_artillery, "6.3.1"),
        ("aircraft in attack", battle.attack_air, "8.2.2"),
    ):
        if amount:
            sheet.add(label, f"{amount} SP", rule)


def _defenders(sheet: Breakdown, battle: Battle) -> None:
    form, air = battle.form, battle.defence_air
    for label, effect, rule in battle.wall.lines:
        sheet.add(f"{label} (defender)", effect, rule)
    for label, amount, rule in (
        ("defenders", form.defence, ""),
        (f"disorganised defenders ({form.defence_halved})", battle.defence_halved, "5.6.4"),
        ("artillery in defence", form.defence_artillery, "6.3.1"),
        ("guns alone, 1 a hex", form.lone_guns, "6.6.3"),
        (f"half of {air} air SP in defence", halve(air), "8.2.4"),
    ):
        if amount:
            sheet.add(label, f"{amount} SP", rule)


def _total(sheet: Breakdown, game: Game, battle: Battle) -> int:
    """The attack's strength as fixed positions and swamp leave it [7.3.2, 7.3.4]."""
    regular, fire, front = battle.regular, battle.fire, battle.form.front
    total = regular + fire
    if battle.fort == "fp":
        halved = game["fp-halves"] == "all"
        total = halve(total) if halved else halve(front) + (regular - front) + halve(fire)
        sheet.add("fixed position halves", f"{total} SP", "7.3.2")
    if any(halves_attacker(game, g) for g in battle.ground):
        total = halve(total)
        sheet.add("attack into swamp", f"{total} SP", "summer table")
    return total


def _ratio(sheet: Breakdown, game: Game, battle: Battle, total: int) -> int:
    """The column before any shift [1.5, 1.7]."""
    if battle.helpless:
        sheet.add("headquarters or guns on the move alone", "10:1", "5.1.9, 6.6.4")
        return TOP
    if total <= 0:
        raise refusal("give the attackers: on record, or as strength", field="attack", accepted="above 0")
    if battle.held <= 0:
        why = " (the stack is closed to you: declare the attack, or ask)" if battle.wall.closed else ""
        raise refusal(f"give the defenders' strength{why}", field="defence", accepted="above 0")
    column = start_column(total, battle.held, game["weak-ratio"])
    sheet.add(f"{total} against {battle.held}", COLUMNS[column], "1.5, 1.7")
    return column


class Shifts:
    """One side's column shifts, logged where they are counted."""

    def __init__(self, sheet: Breakdown, who: str) -> None:
        self.sheet, self.who, self.total = sheet, who, 0
        self.used = 0
        """Shifts of stars and fortification units: their users must share losses [15.1.7, 15.4.3]."""

    def add(self, label: str, amount: int, rule: str) -> None:
        if amount:
            self.total += amount
            self.sheet.add(f"{label} ({self.who})", amount if self.who == "attacker" else -amount, rule)

    def stars(self, verdicts: list[stars.Verdict]) -> None:
        for verdict in verdicts:
            self.add(f"{verdict.colour} star", verdict.counted, "15.1.3")
            self.used += verdict.counted
            if verdict.reason:
                self.sheet.add(f"{verdict.colour} star ({self.who}): {verdict.reason}", "0", "15.1.2")


def _shifts(plus: Shifts, minus: Shifts, game: Game, battle: Battle) -> None:
    """Every shift of both sides, in the order of the sheet."""
    form = battle.form
    minus.add(f"terrain: {', '.join(battle.ground)}", hex_shift(game, battle.ground), "5.5.2")
    _water(minus, game, battle)
    _fortification(minus, game, battle)
    if game["concentration"]:
        _concentrate(
            plus, game, (*battle.attackers, *battle.guns), form.attack_formations, "attack_formations"
        )
        _concentrate(
            minus, game, (*battle.defenders, *battle.cover), form.defence_formations, "defence_formations"
        )
    _special(plus, minus, battle)
    _stars(plus, minus, game, battle)
    plus.add("fallen headquarters", form.attack_pool, "9.1.6")
    minus.add("fallen headquarters", form.defence_pool, "9.1.6")


def _water(minus: Shifts, game: Game, battle: Battle) -> None:
    """Water counts when more than half of the regular strength attacks across it [5.5.4]."""
    for name, strength in battle.water.items():
        if 2 * strength > battle.regular:
            minus.add(f"more than half across the {name.capitalize()}", shift(game, name), "5.5.4")
        elif strength:
            minus.sheet.add(f"not more than half across the {name.capitalize()}", "0", "5.5.4")


def _fortification(minus: Shifts, game: Game, battle: Battle) -> None:
    """Field works count double in a city; a fixed position only from its front [7.1.10, 7.2.1, 7.3.4]."""
    city = "city" in battle.ground or ("town" in battle.ground and bool(game["ff-in-towns"]))
    field_works = 2 if city else 1
    if battle.fort == "ff":
        minus.add("field fortification" + (" in a city" if city else ""), field_works, "7.1.10")
    elif battle.fort == "if":
        minus.add("improved fortification", 2, "7.2.1")
    elif battle.fort == "fp" and battle.frontal:
        minus.add("fixed position", battle.form.fp_shifts, "7.3.2")
    elif battle.fort == "fp":
        minus.add("fixed position from behind", field_works, "7.3.4")


def _concentrate(tally: Shifts, game: Game, units: tuple[Unit, ...], by_hand: str, name: str) -> None:
    """One shift for every three units of a formation [13.1.2]."""
    for formation, amount in concentration(game, units).items():
        # Under fog a public record names no formation that lies in a stack.
        label = "concentration" if game["fog"] else f"concentration: {formation}"
        tally.add(label, amount, "13.1.2")
    tally.add("concentration", sum(n // 3 for n in numbers(by_hand, name)), "13.1.2")


def _special(plus: Shifts, minus: Shifts, battle: Battle) -> None:
    """Resilience groups, fortification units, Volkssturm [15.2.3, 15.3.1, 15.3.2, 15.4.1]."""
    kinds = battle.form.special
    if "rg" in kinds:
        minus.add("resilience group", 1, "15.2.3")
    if "fu" in kinds and battle.fortified:
        minus.add("fortification unit", 2, "15.4.1")
        minus.used += 2
    weakness = max(0, 2 - battle.form.vs_regulars)
    if "vs-defends" in kinds:
        plus.add("against Volkssturm", weakness, "15.3.1")
    if "vs-attacks" in kinds:
        minus.add("against Volkssturm", weakness, "15.3.1")


def _stars(plus: Shifts, minus: Shifts, game: Game, battle: Battle) -> None:
    """Both sides' stars as far as they count, one shift each [15.1.3, 15.1.4]."""
    form = battle.form
    given, held = stars.judge(
        stars.read(form.attack_stars, "attack_stars"),
        stars.read(form.defence_stars, "defence_stars"),
        fortified=battle.fortified,
        attack_mech=form.attack_mech or any(u.klass == "mechanized" for u in battle.attackers),
        defence_mech=form.defence_mech or any(u.klass == "mechanized" for u in battle.defenders),
        all_across_big_river=bool(game["doniec-is-big"]) and 0 < battle.regular <= battle.water["doniec"],
    )
    plus.stars(given)
    minus.stars(held)


def _headquarters(ctx: Context, sheet: Breakdown, battle: Battle) -> None:
    """A headquarters in range of all its units moves the dice by one [9.2.1, 9.2.3, 9.2.4]."""
    game, form = ctx.game, battle.form
    guns = battle.guns if game["hq-counts-guns"] else ()
    places = {u.place for u in (*battle.attackers, *guns)}
    if form.attack_hq or (battle.attackers and covered(ctx, battle.side, places)):
        sheet.shift("attackers in HQ range", -1, "9.2.1")
    if form.defence_hq or (battle.manned and covered(ctx, game.other(battle.side), form.target)):
        sheet.shift("defenders in HQ range", +1, "9.2.1")


def _doubts(game: Game, battle: Battle) -> list[str]:
    """What is missing, or looks wrong; the players decide."""
    form, found = battle.form, []
    for names, by_hand in ((battle.force.unknown, form.attack), (battle.wall.unknown, form.defence)):
        if names and not by_hand:
            found.append(f"{', '.join(names)}: strength not on record, add it by hand")
    if any(game.mark(h, "shelled") for h in form.target):
        found.append("shelled at range this phase: it may not be assaulted [6.4.5]")
    if len({u.place for u in battle.attackers}) > 1 and len(form.target) > 1:
        found.append("one of the two sides must stand in a single hex [5.1.5]")
    return found


def _follow_up(battle: Battle) -> dict[str, Any]:
    """What the outcome of the battle needs to know."""
    return {
        "attacker": battle.side,
        "hexes": list(battle.form.target),
        "from": sorted({u.place for u in battle.attackers}),
        "fp": battle.fort == "fp" and battle.frontal,
        "helpless": battle.helpless,
    }


def row_of(roll: int, modifier: int) -> str:
    """The row after HQ modifiers, held at the ends of the table."""
    return str(min(12, max(2, roll + modifier)))


@rules.action(
    phase=ATTACK, by="active", rule="5.2.1", worksheet=combat, label="Resolve a combat", primary=True
)
def resolve_combat(
    game: Game,
    sheet: Breakdown,
    target: fields.Target = (),
    attackers: fields.Attackers = (),
    attack_guns: fields.AttackGuns = (),
    pay: fields.Pay = (),
    attack_pool: fields.AttackPool = 0,
    defence_pool: fields.DefencePool = 0,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="combat")],
) -> Events:
    """Work out the column, roll two dice, read the table, and hand out what follows."""
    sheet.roll = die.total
    look_up(sheet, game.chart("combat"), row_of(die.total, sheet.modifier))
    side = game.active
    yield from results.begin(game, sheet, target, attackers, attack_guns, pay)
    if attack_pool:
        yield from spend(game, side, attack_pool, target, "attack_pool")
    if defence_pool:
        yield from spend(game, game.other(side), defence_pool, target, "defence_pool")
    yield from rules.settle(game, "combat", sheet, rule="5.2.1")
