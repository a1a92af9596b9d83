"""The toy's battle: one of everything that a battle can ask, in order, so that duties are tested without any real game.

attack          engages, and lays both stacks open
call-guns       offered to the defender: 0 to 2 guns; blocks the roll until it is answered or declined
roll-attack     owed by the attacker: the die, or what the printed chart says to it
lose-steps      owed by the side that lost, then by the other
fall-back       owed by a defender that must retreat: one hex of those around it
advance         offered to the attacker last
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Dice, Flag, HexId, Roll, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown, chances, look_up
from companion.engine.play.duties import DONE, drop, engage, has_units, learn, offer, owe, units_of
from companion.engine.play.rules import Rules
from companion.engine.positions.pieces import dealt
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game

GUNS, ROLL, LOSSES, RETREAT, PURSUIT = range(5)
LOST = {"AE": ("attacker", 2), "AR": ("attacker", 1), "DR": ("defender", 1), "DE": ("defender", 2)}


def near(ctx: Context) -> list[tuple[str, str]]:
    """Hexes around the one that was attacked, as far as nobody stands there."""
    battle = ctx.battle
    if battle is None:
        return []
    around = ctx.game.maps.neighbours(battle.hexes[0])
    return [(h, h) for h in sorted(around) if not ctx.game.units_at(h)][:6]


def own_units(ctx: Context) -> list[Any]:
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def only_loser(ctx: Context) -> Mapping[str, Any] | None:
    """Where one unit is left, it takes all of it."""
    left = own_units(ctx)
    return {"units": [left[0].id]} if len(left) == 1 else None


def add_battle(rules: Rules) -> None:
    """Give the toy its battle."""

    def odds(game: Game, battle: Battle) -> Breakdown:
        sheet = Breakdown("Assault", dice="1d6", facts={"battle": battle.id})
        sheet.column = str(battle.facts.get("column", "1:1"))
        sheet.add("Odds", sheet.column, "7.5")
        sheet.shift("Guns", -int(battle.facts.get("guns", 0)), "7.6")
        chart = game.chart("crt")
        sheet.chances = chances(chart, sheet.column, "1d6", lambda n: str(max(1, n + sheet.modifier)))
        return sheet

    @rules.sheet_of_battle
    def before_the_roll(game: Game, battle: Battle, seat: str) -> Breakdown:
        return odds(game, battle)

    @rules.action(by="active", phase=("red-move", "blue-move"), label="Attack", rule="7.5")
    def attack(
        game: Game,
        hex: Annotated[str, HexId(label="Hex")],
        column: Annotated[str, Choice(label="Odds", options=[(c, c) for c in ("1:2", "1:1", "2:1")])] = "1:1",
        seat: str = "",
    ) -> Iterator[e.Event]:
        """Attack a hex with everything near it."""
        side = game.active
        mine = [u.id for u in game.units.values() if u.side == side and u.on_map]
        theirs = [u.id for u in game.units_at(hex) if u.side != side]
        forces = {side: mine, game.other(side): theirs}
        title = f"Attack on {hex}"
        battle = yield from engage(
            game, title, side, [hex], forces, "7.5", opens=True, column=column, plan="none"
        )
        yield offer(game, game.other(side), "Call in guns", call_guns, battle=battle, step=GUNS, rule="7.6")
        text = f"{game.side_name(side)}: roll for the attack"
        yield owe(game, side, text, roll_attack, battle=battle, step=ROLL, rule="7.5", binding=True)

    def no_guns(game: Game, duty: e.Asked, how: str) -> Iterator[e.Event]:
        yield e.Noted(f"no guns at {game.battles[duty.battle].hexes[0]}")

    @rules.follow_up(rule="7.6", label="Call in guns", declined=no_guns)
    def call_guns(
        game: Game, battle: Battle, guns: Annotated[int, Whole(label="Guns", low=0, high=2)]
    ) -> Iterator[e.Event]:
        """Guns make the attack harder."""
        yield from learn(game, battle, f"{guns} guns", guns=guns)

    @rules.follow_up(rule="7.5", label="Roll for the attack")
    def roll_attack(
        game: Game, battle: Battle, die: Annotated[Roll, Dice(label="Die", purpose="attack")]
    ) -> Iterator[e.Event]:
        """Roll one die on the column of the odds."""
        sheet = odds(game, battle)
        sheet.roll = die.total
        look_up(sheet, game.chart("crt"), str(max(1, die.total + sheet.modifier)))
        seats = (battle.attacker, "table")
        yield from rules.settle(game, "assault", sheet, seats, rule="7.5", battle=battle)

    @rules.outcome("assault")
    def after_the_roll(game: Game, sheet: Mapping[str, Any], result: str) -> Iterator[e.Event]:
        battle = game.battles[int(sheet["facts"]["battle"])]
        role, steps = LOST.get(result, ("", 0))
        for side in (battle.defender, battle.attacker):
            lost = steps if battle.role_of(side) == role else 1 if steps else 0
            units = [u for u in battle.units(side) if u in game.units and game.units[u].on_map]
            if lost and units:
                words = f"{game.side_name(side)}: lose {lost} step{'s' * (lost > 1)}"
                yield owe(
                    game,
                    side,
                    words,
                    lose_steps,
                    battle=battle,
                    step=LOSSES,
                    units=units,
                    steps=lost,
                    rule="7.7",
                )
        if result.startswith("D"):
            yield owe(
                game,
                battle.defender,
                "Fall back from " + battle.hexes[0],
                fall_back,
                battle=battle,
                step=RETREAT,
                units=battle.units(battle.defender),
                rule="7.8",
            )
            yield offer(
                game,
                battle.attacker,
                f"Advance into {battle.hexes[0]}",
                advance,
                battle=battle,
                step=PURSUIT,
                units=battle.units(battle.attacker),
                rule="7.9",
            )

    @rules.follow_up(rule="7.7", label="Take the losses", still=has_units, alone=only_loser)
    def lose_steps(
        game: Game,
        duty: e.Asked,
        battle: Battle,
        units: Annotated[tuple[str, ...], UnitRef(label="Who loses", pick=own_units, many=True)] = (),
    ) -> Iterator[e.Event]:
        """Take the losses, spread evenly."""
        steps = {u.id: u.steps for u in units_of(game, duty)}
        for name, lost in dealt(steps, int(duty.args["steps"]), units, rule="7.7").items():
            left = steps[name] - lost
            place = None if left else "box:dead"
            yield e.Placed(name, place, facts={"steps": left}, reason="losses", side=game.units[name].side)

    @rules.follow_up(rule="7.8", label="Fall back", still=has_units)
    def fall_back(
        game: Game, duty: e.Asked, to: Annotated[str, Choice(label="To", options=near)]
    ) -> Iterator[e.Event]:
        """Leave the hex."""
        for unit in units_of(game, duty):
            yield e.Placed(unit.id, to, was=unit.place, reason="falls back", side=unit.side)

    @rules.follow_up(rule="7.9", label="Advance")
    def advance(game: Game, duty: e.Asked, battle: Battle) -> Iterator[e.Event]:
        """Take the hex."""
        for unit in units_of(game, duty):
            yield e.Placed(unit.id, battle.hexes[0], was=unit.place, reason="advances", side=unit.side)

    @rules.action(by="any", label="Owe something", group="book-keeping")
    def owe_something(game: Game, seat: str = "") -> Iterator[e.Event]:
        """Something that must be done on the map, and a test to roll."""
        side = seat if seat in game.sides else game.sides[0]
        yield owe(game, side, "Turn the night marker", rule="4.2")
        yield owe(game, side, "Test the bridge", test_bridge, rule="4.3")

    @rules.follow_up(rule="4.3", label="Test the bridge")
    def test_bridge(
        game: Game,
        hold: Annotated[bool, Flag(label="Hold it")] = False,
        how: Annotated[
            str,
            Choice(
                label="How",
                options=(("guns", "With guns"), ("men", "With men")),
                when=lambda c: c.values["hold"],
            ),
        ] = "men",
    ) -> Iterator[e.Event]:
        """Holding it asks how."""
        yield e.Noted(f"the bridge is held with {how}" if hold else "the bridge is left")

    @rules.action(by="any", label="Plan in secret", secret=True, group="book-keeping")
    def plan_secretly(game: Game, seat: str = "") -> Iterator[e.Event]:
        """A battle with facts, forces and a duty that only one side may know."""
        battle = yield from engage(
            game,
            "Raid",
            seat,
            forces={seat: [u.id for u in game.units.values() if u.side == seat]},
            only=(seat,),
            plan="SECRET-PLAN",
        )
        yield owe(
            game,
            seat,
            "SECRET-DUTY",
            carry_plan,
            battle=battle,
            only=(seat,),
            units=battle.units(seat),
            way="SECRET-ARG",
        )

    @rules.follow_up(rule="7.10", label="Carry out the plan")
    def carry_plan(game: Game, battle: Battle) -> Iterator[e.Event]:
        """The plan is carried out."""
        yield from learn(game, battle, result="carried out")

    @rules.action(by="any", label="Call it off", group="book-keeping", when=lambda game: bool(game.fighting))
    def call_off(game: Game) -> Iterator[e.Event]:
        """The newest battle is not fought."""
        battle = game.fighting[-1]
        yield from drop(game, call_guns, roll_attack, battle=battle, why=DONE)
        yield from learn(game, battle, result="called off")
