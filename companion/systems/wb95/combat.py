"""The combat worksheet: strength, ratio, shifts, dice [5.2.1]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, Roll
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record.game import Game
from companion.systems.wb95 import combat_form as form
from companion.systems.wb95 import results, stars
from companion.systems.wb95.base import (
    ATTACK,
    at_hexes,
    halve,
    option,
    refusal,
    rules,
)
from companion.systems.wb95.hq import covered, spend
from companion.systems.wb95.ratio import COLUMNS, TOP, shifted, start_column
from companion.systems.wb95.strength import Force, across, attacking, concentration, defending, numbers
from companion.systems.wb95.terrain import halves_attacker, hex_shift, printed, shift


@rules.worksheet(rule="5.2.1", title="Combat")
def combat(
    ctx: Context,
    target: form.Target = (),
    attackers: form.Attackers = (),
    attack_guns: form.AttackGuns = (),
    pay: form.Pay = (),
    attack: form.Attack = 0,
    defence_guns: form.DefenceGuns = (),
    defence: form.Defence = 0,
    terrain: form.Terrain = (),
    fort: form.Fort = "auto",
    front: form.Front = 0,
    fp_shifts: form.FpShifts = 3,
    attack_hq: form.AttackHq = False,
    defence_hq: form.DefenceHq = False,
    attack_pool: form.AttackPool = 0,
    defence_pool: form.DefencePool = 0,
    also: form.Also = (),
    attack_artillery: form.AttackArtillery = 0,
    defence_artillery: form.DefenceArtillery = 0,
    attack_air: form.AttackAir = 0,
    defence_air: form.DefenceAir = 0,
    attack_halved: form.AttackHalved = "",
    defence_halved: form.DefenceHalved = "",
    river: form.River = 0,
    doniec: form.Doniec = 0,
    lone_guns: form.LoneGuns = 0,
    helpless: form.Helpless = False,
    attack_formations: form.AttackFormations = "",
    defence_formations: form.DefenceFormations = "",
    attack_stars: form.AttackStars = "",
    defence_stars: form.DefenceStars = "",
    attack_mech: form.AttackMech = False,
    defence_mech: form.DefenceMech = False,
    special: form.Special = (),
    vs_regulars: form.VsRegulars = 0,
) -> Breakdown:
    """Work out the column: strengths, ratio, the attacker's shifts up to 10:1, then the defender's."""
    game, sheet = ctx.game, Breakdown("Combat")
    side = game.active if game else ""
    mine = [game.units[u] for u in attackers] if game else []
    support = [game.units[u] for u in attack_guns] if game else []
    theirs = at_hexes(game, game.other(side), target) if game and side else []
    cover = [game.units[u] for u in defence_guns] if game else []
    force = attacking(game, mine, support, pay) if game else Force()
    wall = defending(ctx, theirs, cover)
    fought_over = {*target, *(u.place for u in mine)}
    attack_air = attack_air or form.overhead(game, True, fought_over)
    defence_air = defence_air or form.overhead(game, False, fought_over)
    regular = _attack(sheet, force, attack, attack_halved, attack_artillery, attack_air)
    fire = force.guns + attack_artillery + attack_air
    held = _defence(sheet, wall, defence, defence_halved, defence_artillery, defence_air, lone_guns)
    kind = _fort(game, target, fort)
    ground = terrain or (printed(game, _strongest(target, wall)) if game and target else ())
    frontal = 2 * front >= regular > 0
    total = _fixed(sheet, ctx, regular, fire, front) if kind == "fp" else regular + fire
    if any(halves_attacker(game, g) for g in ground):
        total = halve(total)
        sheet.add("attack into swamp", f"{total} SP", "summer table")
    alone = helpless or wall.helpless
    _need(total, held, alone, wall.closed)
    column = TOP if alone else start_column(total, held, str(option(game, "weak-ratio", "nearest")))
    if alone:
        sheet.add("headquarters or guns on the move alone", "10:1", "5.1.9, 6.6.4")
    else:
        sheet.add(f"{total} against {held}", COLUMNS[column], "1.5, 1.7")

    plus, minus = Shifts(sheet, "attacker"), Shifts(sheet, "defender")
    minus.add(f"terrain: {', '.join(ground)}", hex_shift(game, ground), "5.5.2")
    wet = {
        "river": river or (across(game, mine, target, "river", force.by_hex) if game else 0),
        "doniec": doniec or (across(game, mine, target, "doniec", force.by_hex) if game else 0),
    }
    for name, strength in wet.items():
        if 2 * strength > regular:
            minus.add(f"more than half across the {name.capitalize()}", shift(game, name), "5.5.4")
        elif strength:
            sheet.add(f"not more than half across the {name.capitalize()}", "0", "5.5.4")
    minus.add(*_fort_shift(game, kind, ground, frontal, fp_shifts))
    if option(game, "concentration", True):
        _concentrate(plus, game, [*mine, *support], attack_formations)
        _concentrate(minus, game, [] if wall.closed else [*theirs, *cover], defence_formations)
    _special(plus, minus, special, vs_regulars, kind != "none")
    verdicts = stars.judge(
        stars.read(attack_stars),
        stars.read(defence_stars),
        fortified=kind != "none",
        attack_mech=attack_mech or any(u.klass == "mechanized" for u in mine),
        defence_mech=defence_mech or any(u.klass == "mechanized" for u in theirs if not wall.closed),
        all_across_big_river=bool(option(game, "doniec-is-big", True)) and 0 < regular <= wet["doniec"],
    )
    plus.stars(verdicts[0])
    minus.stars(verdicts[1])
    plus.add("fallen headquarters", attack_pool, "9.1.6")
    minus.add("fallen headquarters", defence_pool, "9.1.6")
    after, final = shifted(column, plus.total, minus.total)
    if column + plus.total > TOP:
        sheet.add("attacker's shifts stop at", COLUMNS[after], "1.6")
    sheet.column = COLUMNS[final]
    if final != column:
        sheet.add("column", sheet.column, "1.6")

    places = {u.place for u in [*mine, *(support if option(game, "hq-counts-guns", False) else [])]}
    if attack_hq or (mine and covered(ctx, side, places)):
        sheet.shift("attackers in HQ range", -1, "9.2.1")
    if defence_hq or (game and side and theirs and covered(ctx, game.other(side), target)):
        sheet.shift("defenders in HQ range", +1, "9.2.1")
    sheet.dice = "2d6"
    for names, by_hand in ((force.unknown, attack), (wall.unknown, defence)):
        if names and not by_hand:
            sheet.warnings.append(f"{', '.join(names)}: strength not on record, add it by hand")
    if game and any(game.mark(h, "shelled") for h in target):
        sheet.warnings.append("shelled at range this phase: it may not be assaulted [6.4.5]")
    if len({u.place for u in mine}) > 1 and len(target) > 1:
        sheet.warnings.append("one of the two sides must stand in a single hex [5.1.5]")
    sheet.facts = {
        "attack": total,
        "defence": held,
        "ratio": COLUMNS[column],
        "attack_shifts": plus.total,
        "defence_shifts": minus.total,
        "attacker": side,
        "hexes": list(target),
        "from": sorted({u.place for u in mine}),
        "fp": kind == "fp" and frontal,
        "helpless": alone,
        "attack_stars": plus.used,
        "defence_stars": minus.used,
    }
    if game:
        sheet.chances = chances(
            game.chart("combat"), sheet.column, "2d6", lambda n: row_of(n, sheet.modifier)
        )
    return sheet


def _attack(sheet: Breakdown, force: Force, whole: int, halved: str, guns: int, air: int) -> int:
    """Log the attackers; the answer is the strength of regular units, which alone cross rivers."""
    for label, effect, rule in force.lines:
        sheet.add(label, effect, rule)
    half = sum(halve(n) for n in numbers(halved, "attack_halved"))
    if whole:
        sheet.add("attackers", f"{whole} SP")
    if half:
        sheet.add(f"halved attackers ({halved})", f"{half} SP", "1.7, 5.6.4, 10.2.2")
    if guns:
        sheet.add("artillery in attack", f"{guns} SP", "6.3.1")
    if air:
        sheet.add("aircraft in attack", f"{air} SP", "8.2.2")
    return force.regular + whole + half


def _defence(sheet: Breakdown, wall: Force, whole: int, halved: str, guns: int, air: int, lone: int) -> int:
    """Log the defenders and add them up; aircraft count half [8.2.4]."""
    for label, effect, rule in wall.lines:
        sheet.add(f"{label} (defender)", effect, rule)
    half = sum(halve(n) for n in numbers(halved, "defence_halved"))
    if whole:
        sheet.add("defenders", f"{whole} SP")
    if half:
        sheet.add(f"disorganised defenders ({halved})", f"{half} SP", "5.6.4")
    if guns:
        sheet.add("artillery in defence", f"{guns} SP", "6.3.1")
    if lone:
        sheet.add("guns alone, 1 a hex", f"{lone} SP", "6.6.3")
    if air:
        sheet.add(f"half of {air} air SP in defence", f"{halve(air)} SP", "8.2.4")
    return wall.regular + wall.guns + whole + half + guns + lone + halve(air)


def _need(total: int, held: int, alone: bool, closed: bool) -> None:
    if total <= 0 and not alone:
        raise refusal("give the attackers: on record, or as strength", field="attack", accepted="above 0")
    if held <= 0 and not alone:
        why = " (the stack is closed to you: declare the attack, or ask)" if closed else ""
        raise refusal(f"give the defenders' strength{why}", field="defence", accepted="above 0")


def _fort(game: Game | None, target: tuple[str, ...], said: str) -> str:
    if said != "auto":
        return said
    return str(game.mark(target[0], "fort") or "none") if game and target else "none"


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


def _special(plus: Shifts, minus: Shifts, kinds: tuple[str, ...], regulars: int, fortified: bool) -> None:
    """Resilience groups, fortification units, Volkssturm [15.2-15.4]."""
    if "rg" in kinds:
        minus.add("resilience group", 1, "15.2.3")
    if "fu" in kinds and fortified:
        minus.add("fortification unit", 2, "15.4.1")
        minus.used += 2
    weakness = max(0, 2 - regulars)
    if "vs-defends" in kinds:
        plus.add("against Volkssturm", weakness, "15.3.1")
    if "vs-attacks" in kinds:
        minus.add("against Volkssturm", weakness, "15.3.1")


def _strongest(target: tuple[str, ...], wall: Force) -> str:
    """The hex with most SP decides the defender's terrain [5.5.3]."""
    return max(target, key=lambda h: wall.by_hex.get(h, 0))


def _fixed(sheet: Breakdown, ctx: Context, regular: int, others: int, front: int) -> int:
    """Fixed positions halve the attackers across their edge, guns and aircraft, or all [7.3.2, 7.3.4]."""
    if option(ctx.game, "fp-halves", "front") == "all":
        total = halve(regular + others)
    else:
        total = halve(front) + (regular - front) + halve(others)
    sheet.add("fixed position halves", f"{total} SP", "7.3.2")
    return total


def _fort_shift(
    game: Game | None, kind: str, ground: tuple[str, ...], frontal: bool, fixed: int
) -> tuple[str, int, str]:
    city = "city" in ground or ("town" in ground and bool(option(game, "ff-in-towns", False)))
    field_works = 2 if city else 1
    if kind == "ff":
        return "field fortification" + (" in a city" if city else ""), field_works, "7.1.10"
    if kind == "if":
        return "improved fortification", 2, "7.2.1"
    if kind == "fp":
        return (
            ("fixed position", fixed, "7.3.2")
            if frontal
            else ("fixed position from behind", field_works, "7.3.4")
        )
    return "", 0, ""


def _concentrate(tally: Shifts, game: Game | None, units: list[Unit], by_hand: str) -> None:
    for name, amount in concentration(game, units).items():
        # Under fog a public record names no formation that lies in a stack.
        label = "concentration" if game is None or game["fog"] else f"concentration: {name}"
        tally.add(label, amount, "13.1.2")
    tally.add("concentration", sum(n // 3 for n in numbers(by_hand, "formations")), "13.1.2")


def row_of(roll: int, modifier: int) -> str:
    """The row after HQ modifiers, held at the ends of the table."""
    return str(min(12, max(2, roll + modifier)))


@rules.action(
    phase=ATTACK, by="active", rule="5.2.1", worksheet=combat, label="Resolve a combat", primary=True
)
def resolve_combat(
    game: Game,
    sheet: Breakdown,
    target: form.Target = (),
    attackers: form.Attackers = (),
    attack_guns: form.AttackGuns = (),
    pay: form.Pay = (),
    attack_pool: form.AttackPool = 0,
    defence_pool: form.DefencePool = 0,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="combat")],
) -> Events:
    """Work out the column, roll two dice, read the table, and hand out what follows."""
    sheet.roll = die.total
    look_up(sheet, game.chart("combat"), row_of(die.total, sheet.modifier))
    side = game.active
    yield from results.begin(game, sheet, target, attackers, attack_guns, pay)
    if attack_pool:
        yield from spend(game, side, attack_pool, target)
    if defence_pool:
        yield from spend(game, game.other(side), defence_pool, target)
    yield from rules.settle(game, "combat", sheet, rule="5.2.1")
