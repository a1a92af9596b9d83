"""The air phases: missions chosen in secret, revealed together, and air combat [8.1]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Dice, HexId, Roll, Text, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, learn, owe
from companion.engine.play.phases import advance
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, seal
from companion.engine.record.game import Game
from companion.systems.wb95 import airmarks, bombardment
from companion.systems.wb95.base import AIR, GERMAN, ROLL, SOVIET, halve, rules
from companion.systems.wb95.plan import MISSIONS, Plan, read_lines, row


def _missions(ctx: Context) -> list[tuple[str, str]]:
    """What this side's aircraft may fly at all [8.2.5, 8.2.11, 8.2.23]."""
    barred = {"defence", "harass"} if ctx.seat == SOVIET else set()
    if not ctx.game["air-supply"]:
        barred = barred | {"supply"}
    return [("", "none"), *((name, label) for name, label in MISSIONS if name not in barred)]


def _mission(number: int) -> Choice:
    """The next mission is asked for when the one before it is chosen."""
    before = f"mission_{number - 1}"
    return Choice(
        label=f"Mission {number}",
        options=_missions,
        when=None if number == 1 else lambda c: bool(c.values.get(before)),
    )


def _over(number: int) -> HexId:
    label = "over hex" if number == 1 else f"over hex, mission {number}"
    return HexId(label=label, when=lambda c: bool(c.values.get(f"mission_{number}")))


@dataclass(frozen=True)
class Points(Whole):
    """Strength points, up to what the side's other missions leave of today's."""

    number: int = 1

    def describe(self, ctx: Context) -> dict[str, Any]:
        if ctx.seat not in ctx.game.sides:
            return {"min": self.low, "max": self.high}
        others = [n for n in (1, 2, 3) if n != self.number and ctx.values.get(f"mission_{n}")]
        typed = [str(ctx.values.get(f"sp_{n}") or "") for n in others]
        given = sum(int(sp) for sp in typed if sp.isdecimal())
        left = max(0, ctx.game[f"air-{ctx.seat}"] - given)
        return {"min": self.low, "max": left, "help": f"of {left} left today"}


def _points(number: int) -> Points:
    label = "with SP" if number == 1 else f"with SP, mission {number}"
    return Points(
        label=label, low=1, high=99, number=number, when=lambda c: bool(c.values.get(f"mission_{number}"))
    )


def _spreads(ctx: Context) -> bool:
    return any(ctx.values.get(f"mission_{n}") == "crossing" for n in (1, 2, 3))


def choice_name(game: Game) -> str:
    """The sealed choice of this air phase."""
    return f"air missions, day {game.turn}, phase {'1' if game.phase == 'air-a' else '7'}"


def _open(game: Game) -> bool | str:
    if choice_name(game) in game.revealed:
        return "the missions of this phase lie open already"
    return any(game[f"air-{s}"] for s in game.sides) or "no air points are left today [8.1.5]"


def _flyers(game: Game) -> str:
    """The one side that has points to spend, or both."""
    able = [s for s in game.sides if game[f"air-{s}"]]
    return able[0] if len(able) == 1 else "any"


@rules.action(
    phase=AIR, by=_flyers, rule="8.1.7", label="Assign air missions", secret=True, primary=True, when=_open
)
def assign_air(
    game: Game,
    *,
    mission_1: Annotated[str, _mission(1)] = "",
    hex_1: Annotated[str, _over(1)],
    sp_1: Annotated[int, _points(1)],
    mission_2: Annotated[str, _mission(2)] = "",
    hex_2: Annotated[str, _over(2)],
    sp_2: Annotated[int, _points(2)],
    mission_3: Annotated[str, _mission(3)] = "",
    hex_3: Annotated[str, _over(3)],
    sp_3: Annotated[int, _points(3)],
    more: Annotated[
        str,
        Text(
            label="More missions, one a line",
            most=800,
            long=True,
            placeholder="attack 2408 3\ncrossing 2408:3 2409:1 2",
            help="mission, hex, SP; a crossing attack may name hexes with their attacks, then SP",
            quiet=lambda c: not c.values.get("mission_3") and not _spreads(c),
        ),
    ] = "",
    seat: str = "",
) -> Events:
    """In secret; both sides' missions open together. Choosing again replaces what you chose; none is a choice too."""
    plan = Plan(game, seat)
    rows = ((mission_1, hex_1, sp_1), (mission_2, hex_2, sp_2), (mission_3, hex_3, sp_3))
    for number, (mission, hex_id, sp) in enumerate(rows, 1):
        if mission:
            plan.add(row(mission, hex_id, sp, number))
    for line in read_lines(game, more):
        plan.add(line)
    able = tuple(s for s in game.sides if game[f"air-{s}"])  # a side without points has nothing to choose
    yield from seal(game, choice_name(game), seat, plan.sealed(), able)
    if choice_name(game) in game.revealed:
        yield from launch(game, game.revealed[choice_name(game)])
        yield from _tick_choosing(game)


def _tick_choosing(game: Game) -> Events:
    """Once the missions lie open the phase's line about choosing them is done; before that it would tell who has."""
    phase = game.phase_def()
    for index, check in enumerate(phase.checklist if phase else ()):
        if check.action == assign_air.name:
            yield e.Ticked(f"{game.turn}/{game.phase}/{index}", True, IN_PASSING)


def launch(game: Game, choices: Mapping[str, Any]) -> Events:
    """All missions lie open: debit the day's points, put the markers out, find the clashes [8.1.5, 8.1.8]."""
    for side in game.sides:
        plan = choices.get(side) or {"sp": 0, "missions": []}
        left = int(game[f"air-{side}"])
        if plan["sp"]:
            yield e.Set(
                f"air-{side}", max(0, left - int(plan["sp"])), was=left, reason="missions flown", rule="8.1.5"
            )
        there: dict[str, airmarks.Missions] = {}
        for mission, hex_id, amount in plan["missions"]:
            held = there.setdefault(hex_id, airmarks.over(game, side, hex_id))
            held[mission] = held.get(mission, 0) + int(amount)
        for hex_id, missions in there.items():
            yield airmarks.write(side, hex_id, missions)
    for ours, theirs in clashes(game):
        over = " and ".join(dict.fromkeys([*ours, *theirs]))
        battle = yield from engage(
            game,
            f"Air combat over {over}",
            GERMAN,
            [*ours, *theirs],
            rule="8.1.8",
            kind="air",
            hexes_of={GERMAN: list(ours), SOVIET: list(theirs)},
        )
        yield _owe_fight(game, battle)


def _owe_fight(game: Game, battle: Battle, tied: str = "") -> e.Asked:
    where = battle.facts["hexes_of"]
    power = [
        f"{game.side_name(s)} {strength(game, s, where[s])} SP over {', '.join(where[s])}"
        for s in (GERMAN, SOVIET)
    ]
    text = f"Air combat: {power[0]}, {power[1]}{tied}"
    return owe(game, (*game.sides, "table"), text, fight_in_the_air, battle=battle, rule="8.1.8")


def _still_flying(game: Game, duty: e.Asked) -> bool:
    """Both sides still have aircraft there: who was beaten elsewhere has gone home [8.1.9]."""
    battle = game.battles.get(duty.battle)
    return battle is not None and all(strength(game, s, h) for s, h in battle.facts["hexes_of"].items())


def clashes(game: Game) -> list[tuple[list[str], list[str]]]:
    """Enemy missions on the same or adjacent hexes: hex against hex, or by connected groups [8.1.8]."""
    ours, theirs = list(airmarks.everywhere(game, GERMAN)), list(airmarks.everywhere(game, SOVIET))
    pairs = [([a], [b]) for a in ours for b in theirs if game.maps.distance(a, b) <= 1]
    if game["air-clash"] != "group":
        return pairs
    groups: list[tuple[list[str], list[str]]] = []
    for mine, foe in pairs:
        touching = [g for g in groups if set(g[0]) & set(mine) or set(g[1]) & set(foe)]
        merged = (
            sorted({*mine, *(h for g in touching for h in g[0])}),
            sorted({*foe, *(h for g in touching for h in g[1])}),
        )
        groups = [g for g in groups if g not in touching] + [merged]
    return groups


def strength(game: Game, side: str, hexes: Sequence[str]) -> int:
    """Strength points over these hexes; two crossing attacks are one point [8.2.18]."""
    total = 0
    for hex_id in hexes:
        for mission, amount in airmarks.over(game, side, hex_id).items():
            total += halve(amount) if mission == "crossing" else amount
    return total


@rules.follow_up(rule="8.1.8", label="Fight in the air", still=_still_flying)
def fight_in_the_air(
    game: Game,
    battle: Battle,
    german_die: Annotated[Roll, Dice(label="German die", spec="1d6", purpose="air combat, German")],
    soviet_die: Annotated[Roll, Dice(label="Soviet die", spec="1d6", purpose="air combat, Soviet")],
) -> Events:
    """Strength plus a die each; the lower one is gone for the day, a tie is rolled again."""
    hexes, dice = battle.facts["hexes_of"], {GERMAN: german_die.total, SOVIET: soviet_die.total}
    score = {side: strength(game, side, hexes[side]) + dice[side] for side in (GERMAN, SOVIET)}
    if score[GERMAN] == score[SOVIET]:
        yield _owe_fight(game, battle, f"; tied at {score[GERMAN]}, roll again")
        return
    loser = min(score, key=lambda s: score[s])
    words = f"German {score[GERMAN]}, Soviet {score[SOVIET]}: {game.side_name(loser)} aircraft leave"
    yield from learn(game, battle, result=words)
    for hex_id in hexes[loser]:
        yield airmarks.write(loser, hex_id, {}, "beaten in the air", "8.1.9")


@rules.watch
def missions_due(game: Game) -> Events:
    """Air attacks and attacks on bridges are rolled once the sky is settled [8.2.6, 8.2.8]."""
    choosing = game.phase in AIR and choice_name(game) not in game.revealed
    if choosing or game.duties(action="fight-in-the-air"):
        return
    for side in game.sides:
        for hex_id, missions in airmarks.everywhere(game, side).items():
            for mission in {"attack", "object"} & set(missions):
                if not any(
                    d.args.get("over") == hex_id for d in game.duties() if d.args.get("mission") == mission
                ):
                    yield from _owe_attack(game, side, hex_id, mission, missions[mission])


def _owe_attack(game: Game, side: str, hex_id: str, mission: str, sp: int) -> Events:
    where: dict[str, Any] = {"over": hex_id, "mission": mission, "side": side}
    name = game.side_name(side)
    if mission == "attack":
        form: dict[str, Any] = {"target": hex_id, "sp": sp, "side": side}
        battle = yield from bombardment.begin(game, "Air attack", side, [hex_id], "8.2.6", form)
        text = f"{name}: air attack on {hex_id} with {sp} SP"
        yield owe(game, side, text, "bomb-hex", battle=battle, step=ROLL, rule="8.2.6", **where)
        return
    bridge = _bridge_at(game, hex_id)
    form = {"sp": sp, "by_air": True, "bridge": bridge}
    battle = yield from bombardment.begin(game, "Attack on a bridge", side, [hex_id], "8.2.8", form)
    text = f"{name}: attack on the bridge at {hex_id} with {sp} SP"
    yield owe(game, side, text, "bomb-bridge", battle=battle, step=ROLL, rule="8.2.8", **where)


def _bridge_at(game: Game, hex_id: str) -> list[str]:
    """The two hexes of the bridge on record at a hex, when there is just one that stands."""
    found = [b for b, state in game.marked("bridge").items() if hex_id in b.split("-") and state != "down"]
    return found[0].split("-") if len(found) == 1 else []


def _awaited(game: Game, side: str) -> set[str]:
    """Hexes whose aircraft still have to fight or to attack: what is owed does not lapse with its phase."""
    fights = [
        game.battles[d.battle] for d in game.duties(action="fight-in-the-air") if d.battle in game.battles
    ]
    attacks = [d.args for d in game.duties() if d.args.get("mission")]
    return {h for b in fights for h in b.facts["hexes_of"][side]} | {
        str(a["over"]) for a in attacks if a["side"] == side
    }


def _begin(game: Game) -> Events:
    """Yesterday's markers go."""
    for side in game.sides:
        for hex_id in set(airmarks.everywhere(game, side)) - _awaited(game, side):
            yield airmarks.write(side, hex_id, {}, "missions over")


@rules.due_in(*AIR)
def unassigned(game: Game) -> list[str]:
    """Nobody ends the phase over the other's head without being told; who chose nothing flies nothing."""
    able = [s for s in game.sides if game[f"air-{s}"]]
    if len(able) > 1 and not game.sealed.get(choice_name(game)):
        return []
    words = "has not assigned its air missions yet; none is a choice too (8.1.7)"
    return [f"{game.side_name(side)} {words}" for side in undecided(game)]


def _finish(game: Game) -> Events:
    """What was chosen is flown; where neither side chose, nothing is."""
    chosen = dict(game.sealed.get(choice_name(game), {}))
    if chosen and choice_name(game) not in game.revealed:
        yield e.Revealed(choice_name(game), chosen)
        yield from launch(game, chosen)


@rules.awaits
def undecided(game: Game) -> list[str]:
    """Sides with points that have not chosen yet in an air phase."""
    if game.phase not in AIR or choice_name(game) in game.revealed:
        return []
    chosen = game.sealed.get(choice_name(game), {})
    return [s for s in game.sides if game[f"air-{s}"] and s not in chosen]


for _phase in AIR:
    rules.entering(_phase)(_begin)
    rules.leaving(_phase)(_finish)


@rules.entering("air-b")
def nothing_left(game: Game) -> Events:
    """With no points on either side nothing can be chosen [8.1.5]: the missions before it are over, and play goes on."""
    if not any(game[f"air-{side}"] for side in game.sides):
        yield e.Noted("No air points are left today: the second air phase is passed over", rule="8.1.5")
        yield from advance(rules, game)


@rules.panel
def plans(game: Game, seat: str) -> Panel | None:
    """Who has chosen, and on a side's own phone what."""
    chosen = game.sealed.get(choice_name(game), {})
    if game.phase not in AIR or choice_name(game) in game.revealed:
        return None
    rows = []
    for side in sorted(game.sides, key=lambda s: s not in undecided(game)):  # first who is awaited
        left = int(game[f"air-{side}"])
        word = "chosen" if side in chosen else "still to choose"
        word = word if left else "nothing to choose"
        rows.append(Fact(game.side_name(side), word, "8.1.7"))
    for mission, hex_id, amount in chosen.get(seat, {}).get("missions", ()):
        label = dict(MISSIONS)[mission]
        unit = "attacks" if mission == "crossing" else "SP"
        rows.append(Fact(f"Yours: {label}", f"{hex_id}, {amount} {unit}", "8.2.1"))
    return Panel("Air missions", rows, first=seat not in undecided(game))


@rules.panel
def sky(game: Game) -> Panel | None:
    """Aircraft over the map, all of them revealed."""
    rows = [
        Fact(f"{game.side_name(side)} over {hex_id}", game.mark(hex_id, f"air-{side}"), "8.2")
        for side in game.sides
        for hex_id in sorted(airmarks.everywhere(game, side))
    ]
    return Panel("In the air", rows) if rows else None
