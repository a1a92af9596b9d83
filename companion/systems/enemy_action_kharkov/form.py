"""What the combat worksheet asks: units on record tell most of it, bare numbers do as well [9.1, 9.3, 9.4]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Flag, HexId, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.positions.pieces import on_map
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, SIDES, SOVIET, Reason, called, isolated
from companion.systems.enemy_action_kharkov.command import in_command
from companion.systems.enemy_action_kharkov.fight import STATUS
from companion.systems.enemy_action_kharkov.manifest import cup_is_real
from companion.systems.enemy_action_kharkov.numbers import Needed, Strengths, Tapped
from companion.systems.enemy_action_kharkov.record import knows_rivers
from companion.systems.enemy_action_kharkov.record import terrain as map_terrain
from companion.systems.enemy_action_kharkov.situations import TOWNS
from companion.systems.enemy_action_kharkov.support import in_support

TERRAINS = [(t, t.capitalize()) for t in ("clear", "broken", "woods", "marsh", *TOWNS)]


def what_if(ctx: Context) -> bool:
    """No side is acting: the sheet answers what would be, from what is typed."""
    return not ctx.game.active


def attacker(ctx: Context) -> str:
    return str(ctx.values.get("attacker") or ctx.game.active or SOVIET)


def against_attacker(game: Game, unit: Unit) -> Iterator[Reason]:
    """Once an activation; not dispersed, isolated, or activated alone [6.1, 9.1, 9.9, 10.22]."""
    if game.mark(unit.id, "dispersed"):
        yield Reason(f"{called(unit)} is dispersed", "9.9")
    if isolated(game, unit):
        yield Reason(f"{called(unit)} is isolated", "10.22")
    if game.mark(unit.id, "attacked"):
        yield Reason(f"{called(unit)} has attacked in this activation", "9.1")
    if game.mark(unit.id, "active") == "no-attack":
        yield Reason(f"{called(unit)} was activated alone", "6.1")


def inactive(game: Game, unit: Unit) -> bool:
    """Not of those whom the card of this impulse activated, as far as they are on record [9.1]."""
    if game.mark(unit.id, "active"):
        return False
    named = in_command(game).get("for", ())
    known = any(game.mark(u.id, "active") for u in on_map(game, unit.side))
    return known or bool(named and unit.formation and unit.formation not in named)


def ready(ctx: Context) -> list[Unit]:
    """Active units that may still attack; where none was on record then, those of the card's formations [9.1]."""
    return list(_ready(ctx.game, attacker(ctx)))


@once
def _ready(game: Game, side: str) -> tuple[Unit, ...]:
    own = [u for u in on_map(game, side) if not inactive(game, u)]
    return tuple(u for u in own if not any(against_attacker(game, u)))


def _beside(ctx: Context, target: str = "") -> list[Unit]:
    """Those next to the target are offered, once it is named."""
    target = target or str(ctx.values.get("hex") or "")
    return [u for u in ready(ctx) if not target or u.place in ctx.game.maps.neighbours(target)]


def _on_record(ctx: Context) -> bool:
    return bool(ready(ctx))


def _told(ctx: Context) -> bool:
    """Units on record tell it, unless the player prefers to enter numbers."""
    return _on_record(ctx) and not ctx.values.get("by_hand")


def _attackers(ctx: Context) -> list[str] | None:
    """All that may attack the hex that was named, or the only one; to be tapped away again."""
    target = str(ctx.values.get("hex") or "") or _only_target(ctx)
    return [u.id for u in _beside(ctx, target)] if target else None


def _targets(ctx: Context) -> dict[str, str]:
    """Enemy stacks that somebody ready stands next to, with who is in them [9.1]."""
    game, near = ctx.game, {u.place for u in ready(ctx)}
    return {
        place: ", ".join(u.name or u.id for u in stack)
        for place, stack in game.stacks().items()
        if stack[0].side != attacker(ctx) and near & set(game.maps.neighbours(place))
    }


def _only_target(ctx: Context) -> str:
    found = list(_targets(ctx))
    return found[0] if len(found) == 1 else ""


@dataclass(frozen=True)
class Target(HexId):
    """The enemy stacks that somebody ready stands next to are offered; any hex may be named [9.1]."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        choices = [{"value": place, "label": f"{place} {names}"} for place, names in _targets(ctx).items()]
        return {**super().describe(ctx), "choices": choices}


def _by_map(known: Callable[[Game, str], bool]) -> Callable[[Context], bool]:
    """Quiet while the record and the map book tell it of the target hex."""

    def quiet(ctx: Context) -> bool:
        target = str(ctx.values.get("hex") or "")
        return _told(ctx) and (not target or known(ctx.game, target))

    return quiet


_terrain_known = _by_map(lambda game, target: bool(map_terrain(game, target)))
_rivers_known = _by_map(lambda game, target: knows_rivers(game))
_support_known = _by_map(lambda game, target: in_support(game, target) is not None)


def _not_judged(ctx: Context) -> bool:
    """Only chits that the companion draws are judged by it; with a real cup the players do that."""
    return _told(ctx) or cup_is_real(ctx.game)


def _folded(ctx: Context) -> bool:
    """What is rarely needed comes with one more tap; without a table everything is there at once."""
    return not ctx.values.get("more") and not what_if(ctx)


def _or_folded(quiet: Callable[[Context], bool]) -> Callable[[Context], bool]:
    return lambda ctx: _folded(ctx) or quiet(ctx)


def _nothing_more(ctx: Context) -> bool:
    """Without positions, or with a map book that leaves something open, there is more to say."""
    known = (_rivers_known, _support_known, _not_judged)
    return what_if(ctx) or (_told(ctx) and all(tell(ctx) for tell in known))


def _not_halved(ctx: Context) -> bool:
    return not ctx.values.get("halving")


def _no_ip(ctx: Context) -> bool:
    return _told(ctx) or ctx.values.get("terrain") in TOWNS


def _no_large_ones(ctx: Context) -> bool:
    """Somebody must attack: the number of small units is needed unless larger ones do, or units on record."""
    return not (_told(ctx) or what_if(ctx) or ctx.values.get("large") or ctx.values.get("units"))


def _steps_unknown(ctx: Context) -> bool:
    """Nobody is on record in the hex: the players count the steps [9.3]."""
    target = str(ctx.values.get("hex") or "")
    there = [u for u in ctx.game.units_at(target) if target and u.side != attacker(ctx)]
    return not there and not what_if(ctx)


def _strengths_unknown(ctx: Context) -> bool:
    return not (ctx.values.get("units") or ctx.values.get("attack") is not None or _not_judged(ctx))


def _ground(ctx: Context) -> str | None:
    """The terrain that the form begins with: the map book's, else the commonest, for all to see."""
    target = str(ctx.values.get("hex") or "")
    known = map_terrain(ctx.game, target) if target else ""
    return None if _terrain_known(ctx) else known or "clear"


def _at_a_table(ctx: Context) -> bool:
    """Typed in one field there; `companion calc` and an API client may send each by itself."""
    return not what_if(ctx)


def _first(value: Any, quiet: Callable[[Context], bool]) -> Callable[[Context], Any]:
    """The usual answer stands there from the start, unless the record tells: what is typed counts before it."""
    return lambda ctx: None if quiet(ctx) or _on_record(ctx) else value


def _statuses(ctx: Context) -> list[tuple[str, str]]:
    """Nobody lacks supply on turn 1, no Soviet unit before turn 4 [10.0]."""
    always = not what_if(ctx) and ctx.game.turn < (4 if attacker(ctx) == GERMAN else 2)
    return [(s, label) for s, label in STATUS.items() if not always or s in ("good", "dispersed")]


def _late(ctx: Context) -> bool:
    """Soviet support has an end [10.41]."""
    return what_if(ctx) or bool(ctx.game["support-line"] != "everywhere")


def _early(ctx: Context) -> bool:
    """The Soviet barrage is fired [9.24]."""
    return ctx.game.turn <= 2 and attacker(ctx) == SOVIET


@dataclass(frozen=True)
class More(Flag):
    """What is rarely needed, by name: only what would open here and now."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        inside = [
            ("halving", not _not_judged(ctx)),
            ("supply" if len(_statuses(ctx)) > 2 else "dispersed", not _told(ctx)),
            ("friends beside", not _not_judged(ctx)),
            ("position", not _no_ip(ctx)),
            ("river", not _rivers_known(ctx)),
            ("armour", not _not_judged(ctx)),
            ("support", _late(ctx) and not _support_known(ctx)),
        ]
        return {
            **super().describe(ctx),
            "label": f"More: {', '.join(name for name, there in inside if there)}",
        }


@dataclass(frozen=True)
class CombatForm:
    """A combat as it is typed; None, an empty text and an unticked box leave it to the record."""

    @property
    def typed_strengths(self) -> tuple[int | None, int | None]:
        """Attack and defence as entered, together or each by itself."""
        if not self.strengths:
            return self.attack, self.defence
        attack, defence = map(int, self.strengths.split(":"))
        return attack, defence

    attacker: Annotated[str, Choice(label="Attacker", options=SIDES, when=what_if)] = ""
    hex: Annotated[str, Target(label="Target hex", start=lambda c: _only_target(c) or None)] = ""
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Attacking units",
            many=True,
            pick=lambda c: on_map(c.game, attacker(c)),
            suggest=_beside,
            start=_attackers,
            when=_on_record,
        ),
    ] = ()
    by_hand: Annotated[bool, Flag(label="Enter numbers instead", when=_on_record)] = False
    small: Annotated[
        int | None,
        Needed(label="Attackers of 1 or 2 steps", high=18, quiet=_told, needed=_no_large_ones),
    ] = None
    large: Annotated[int | None, Whole(label="Attackers of 3 steps", high=12, quiet=_told)] = None
    steps: Annotated[
        int | None,
        Tapped(label="Defending steps", usual=range(1, 7), high=9, quiet=_told, needed=_steps_unknown),
    ] = None
    strengths: Annotated[
        str,
        Strengths(
            label="Strengths, attack : defence",
            placeholder="9:3",
            most=40,
            when=_at_a_table,
            quiet=_not_judged,
            needed=_strengths_unknown,
        ),
    ] = ""
    attack: Annotated[
        int | None,
        Whole(label="Attack strength", high=200, quiet=_at_a_table),
    ] = None
    defence: Annotated[
        int | None,
        Whole(label="Defence strength", high=100, quiet=_at_a_table),
    ] = None
    hexes: Annotated[
        int | None,
        Tapped(
            label="Hexes attacked from",
            usual=range(1, 7),
            low=1,
            high=6,
            start=_first(1, _not_judged),
            quiet=_not_judged,
        ),
    ] = None
    apart: Annotated[
        bool, Flag(label="The two hexes do not touch", when=lambda c: c.values.get("hexes") == 2)
    ] = False
    terrain: Annotated[
        str,
        Choice(
            label="Defender's terrain",
            options=TERRAINS,
            start=_ground,
            quiet=_terrain_known,
        ),
    ] = ""
    more: Annotated[
        bool, More(label="More: supply, river, position, armour, halving", quiet=_nothing_more)
    ] = False
    """Ticked to see what is rarely needed."""
    halving: Annotated[
        bool,
        Flag(
            label="Strength to be halved besides",
            help="attack over the Dniepr; mechanised in, into or out of marsh",
            quiet=_or_folded(_not_judged),
        ),
    ] = False
    """Ticked to see the next two, which count by themselves."""
    attack_halved: Annotated[
        int, Whole(label="Attack strength to be halved", high=200, quiet=_not_halved)
    ] = 0
    defence_halved: Annotated[
        int, Whole(label="Defence strength to be halved", high=100, quiet=_not_halved)
    ] = 0
    status: Annotated[
        str,
        Choice(label="Defenders", options=_statuses, start=_first("good", _told), quiet=_or_folded(_told)),
    ] = ""
    adjacent: Annotated[
        bool, Flag(label="Fresh supplied friend beside the defender", quiet=_or_folded(_not_judged))
    ] = False
    ip: Annotated[bool, Flag(label="Improved position", quiet=_or_folded(_no_ip))] = False
    river: Annotated[
        bool, Flag(label="All attack across Donets or Dniepr", quiet=_or_folded(_rivers_known))
    ] = False
    attacker_armour: Annotated[bool, Flag(label="Attacker has armour", quiet=_or_folded(_not_judged))] = False
    defender_armour: Annotated[bool, Flag(label="Defender has armour", quiet=_or_folded(_not_judged))] = False
    unsupported: Annotated[
        bool,
        Flag(label="Soviet side is outside support", when=_late, quiet=_or_folded(_support_known)),
    ] = False
    barrage: Annotated[bool, Flag(label="Target east of the artillery line", when=_early)] = False
    tactics: Annotated[int, Whole(label="Attacker's tactics", high=9, quiet=lambda c: True)] = 0
    """Only for a sheet without a table: a combat counts the cards that are played."""
