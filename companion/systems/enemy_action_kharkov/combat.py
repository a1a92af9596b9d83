"""Declaring a combat: the worksheet of chits, and the record that every chit is judged against (9.0-9.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, SOVIET, ask, on_map, rules
from companion.systems.enemy_action_kharkov.command import in_command, played
from companion.systems.enemy_action_kharkov.fight import LARGE, STATUS, Fight, cleanup, current, draws, save
from companion.systems.enemy_action_kharkov.manifest import cup_is_real
from companion.systems.enemy_action_kharkov.record import barrage as in_barrage_zone
from companion.systems.enemy_action_kharkov.record import from_record, knows_rivers
from companion.systems.enemy_action_kharkov.record import terrain as map_terrain
from companion.systems.enemy_action_kharkov.situations import armoured, flank
from companion.systems.enemy_action_kharkov.support import in_support
from companion.systems.enemy_action_kharkov.tactics import invite

TERRAINS = [(t, t.capitalize()) for t in ("clear", "broken", "woods", "marsh", "town", "city")]


def _attacker(ctx: Context) -> str:
    return (ctx.game.active if ctx.game else "") or SOVIET


def _ready(ctx: Context) -> list[Unit]:
    """Active units that may still attack; all own units when nobody is marked active."""
    game = ctx.game
    if game is None:
        return []
    own = on_map(game, _attacker(ctx))
    active = [u for u in own if game.mark(u.id, "active")]
    return [u for u in active or own if not why_not(game, u)]


def why_not(game: Game, unit: Unit) -> str:
    """9.1: why a unit cannot attack, or an empty string."""
    if game.mark(unit.id, "dispersed"):
        return "dispersed [9.9]"
    if game.mark(unit.id, "supply") == "isolated":
        return "isolated [10.22]"
    if game.mark(unit.id, "attacked"):
        return "has attacked in this activation [9.1]"
    if game.mark(unit.id, "active") == "no-attack":
        return "activated alone, cannot attack [6.1]"
    return ""


def _statuses(ctx: Context) -> list[tuple[str, str]]:
    """10.0: nobody lacks supply on turn 1, no Soviet unit before turn 4."""
    always = ctx.game is not None and ctx.game.turn < (4 if _attacker(ctx) == GERMAN else 2)
    return [(s, label) for s, label in STATUS.items() if not always or s in ("good", "dispersed")]


def _late(ctx: Context) -> bool:
    return ctx.game is None or ctx.game["support-line"] != "everywhere"


def _early(ctx: Context) -> bool:
    return ctx.game is None or (ctx.game.turn <= 2 and _attacker(ctx) == SOVIET)


def _on_record(ctx: Context) -> bool:
    return bool(_ready(ctx))


def _beside(ctx: Context) -> list[Unit]:
    """Those next to the target are offered, once it is named."""
    hex_id = str(ctx.values.get("hex") or "")
    ready = _ready(ctx)
    if ctx.game is None or not hex_id:
        return ready
    return [u for u in ready if u.place in ctx.game.maps.neighbours(hex_id)]


def _told(ctx: Context) -> bool:
    """Units on record tell it, unless the player prefers to enter everything."""
    return ctx.game is not None and _on_record(ctx) and not ctx.values.get("by_hand")


def _by_map(known: Callable[[Game, str], bool]) -> Callable[[Context], bool]:
    """Quiet while the record and the map book tell it of the target hex."""

    def quiet(ctx: Context) -> bool:
        hex_id = str(ctx.values.get("hex") or "")
        return _told(ctx) and ctx.game is not None and (not hex_id or known(ctx.game, hex_id))

    return quiet


_terrain_known = _by_map(lambda game, hex_id: bool(map_terrain(game, hex_id)))
_rivers_known = _by_map(lambda game, hex_id: knows_rivers(game))
_support_known = _by_map(lambda game, hex_id: in_support(game, hex_id) is not None)


def _not_judged(ctx: Context) -> bool:
    """Only chits that the companion draws are judged by it; with a real cup the players do that."""
    return _told(ctx) or (ctx.game is not None and cup_is_real(ctx.game))


def _first(value: Any, quiet: Callable[[Context], bool]) -> Callable[[Context], Any]:
    """The usual answer stands there from the start, unless the record tells."""
    return lambda ctx: None if quiet(ctx) else value


def _halving(ctx: Context) -> bool:
    return ctx.game is None or bool(ctx.values.get("halving"))


@rules.worksheet(rule="9.3, 9.4", title="Combat")
def combat(
    ctx: Context,
    attacker: Annotated[
        str,
        Choice(
            label="Attacker", options=[(SOVIET, "Soviet"), (GERMAN, "German")], when=lambda c: c.game is None
        ),
    ] = "",
    hex: Annotated[str, HexId(label="Target hex")] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Attacking units", many=True, pick=_ready, suggest=_beside, when=_on_record),
    ] = (),
    by_hand: Annotated[bool, Flag(label="Enter everything by hand", when=_on_record)] = False,
    small: Annotated[
        int | None,
        Whole(label="Attackers of 1 or 2 steps", high=18, start=_first(0, _told), quiet=_told),
    ] = None,
    large: Annotated[
        int | None, Whole(label="Attackers of 3 steps", high=12, start=_first(0, _told), quiet=_told)
    ] = None,
    steps: Annotated[
        int | None, Whole(label="Defending steps", high=9, start=_first(0, _told), quiet=_told)
    ] = None,
    attack: Annotated[
        int | None,
        Whole(label="Attack strength", high=200, start=_first(0, _not_judged), quiet=_not_judged),
    ] = None,
    defence: Annotated[
        int | None,
        Whole(label="Defence strength", high=100, start=_first(0, _not_judged), quiet=_not_judged),
    ] = None,
    halving: Annotated[
        bool,
        Flag(
            label="More strength, to be halved",
            help="attack over the Dniepr; mechanised in, into or out of marsh",
            quiet=_not_judged,
        ),
    ] = False,
    attack_halved: Annotated[
        int, Whole(label="Attack strength to be halved", high=200, quiet=lambda c: not _halving(c))
    ] = 0,
    defence_halved: Annotated[
        int, Whole(label="Defence strength to be halved", high=100, quiet=lambda c: not _halving(c))
    ] = 0,
    hexes: Annotated[
        int | None,
        Whole(label="Hexes attacked from", low=1, high=6, start=_first(1, _not_judged), quiet=_not_judged),
    ] = None,
    apart: Annotated[
        bool, Flag(label="The two hexes do not touch", when=lambda c: c.values.get("hexes") == 2)
    ] = False,
    terrain: Annotated[
        str,
        Choice(
            label="Defender's terrain",
            options=TERRAINS,
            start=_first("clear", _terrain_known),
            quiet=_terrain_known,
        ),
    ] = "",
    status: Annotated[
        str, Choice(label="Defenders", options=_statuses, start=_first("good", _told), quiet=_told)
    ] = "",
    adjacent: Annotated[
        bool, Flag(label="Fresh supplied friend beside the defender", quiet=_not_judged)
    ] = False,
    ip: Annotated[
        bool,
        Flag(
            label="Improved position",
            quiet=lambda c: _told(c) or c.values.get("terrain") in ("town", "city"),
        ),
    ] = False,
    river: Annotated[bool, Flag(label="All attack across Donets or Dniepr", quiet=_rivers_known)] = False,
    attacker_armour: Annotated[bool, Flag(label="Attacker has armour", quiet=_not_judged)] = False,
    defender_armour: Annotated[bool, Flag(label="Defender has armour", quiet=_not_judged)] = False,
    unsupported: Annotated[
        bool,
        Flag(
            label="Soviet side is outside support",
            when=_late,
            quiet=_support_known,
        ),
    ] = False,
    barrage: Annotated[bool, Flag(label="Target east of the artillery line", when=_early)] = False,
    tactics: Annotated[
        int, Whole(label="Attacker's tactics", high=9, quiet=lambda c: c.game is not None)
    ] = 0,
) -> Breakdown:
    """How many chits the attacker must and may draw, and which situations hold."""
    game = ctx.game
    side = attacker or _attacker(ctx)
    fight = Fight(attacker=side, target=hex or "")
    if game is not None and hex and not by_hand:
        fight = from_record(game, side, hex, [game.units[u] for u in units])
    given: dict[str, Any] = {
        "small": small,
        "large": large,
        "steps": steps,
        "hexes": hexes,
        "terrain": terrain,
        "status": status,
    }
    fight = replace(fight, **{k: v for k, v in given.items() if v not in (None, "")})
    if attack is not None or attack_halved:
        fight.attack = (attack or 0) + attack_halved // 2
    if defence is not None or defence_halved:
        fight.defence = (defence or 0) + defence_halved // 2
    for name, flag in (
        ("apart", apart),
        ("adjacent", adjacent),
        ("ip", ip),
        ("river", river),
        ("attacker_armour", attacker_armour),
        ("defender_armour", defender_armour),
    ):
        setattr(fight, name, getattr(fight, name) or flag)
    fight.supported = fight.supported and not unsupported
    if fight.status == "mixed" and game is not None and game["mixed-isolation"] == "none":
        fight.status = "poor"
    if fight.status != "good":
        fight.defender_tactics_open = False  # 9.2: one defender must be supplied and in order
    if (
        side == SOVIET
        and (game is None or game.turn <= 2)
        and (barrage or (game is not None and in_barrage_zone(game, hex)))
    ):
        fight.attack_tactics.append("artillery")
    fight.light_mud = game is not None and game["ground"] == "light-mud"
    sheet = _sheet(fight, tactics)
    if game is not None and in_command(game) and not cup_is_real(game) and played(game).value is None:
        sheet.warnings.append(
            "no command value is known for the card: chits that name one do not apply [9.4]"
        )
    return sheet


def _sheet(fight: Fight, preview: int = 0) -> Breakdown:
    shown = replace(
        fight, attack_tactics=[*fight.attack_tactics, *(f"tactic {n + 1}" for n in range(preview))]
    )
    sheet = draws(shown, Breakdown("Combat"))
    sheet.facts["fight"] = fight.to_json()
    ours, theirs = armoured(fight)
    for label, true, rule in (
        ("flank attack", flank(fight), "9.4"),
        ("one-hex attack", fight.hexes == 1, "9.4"),
        ("defender adjacent to a friend", fight.adjacent, "9.4"),
        ("IP crossfire", fight.ip, "9.4"),
        ("only the attacker has armour", ours and not theirs, "9.4"),
        ("only the defender has armour", theirs and not ours, "9.4"),
        ("dispersed or unsupplied defenders", fight.status != "good", "9.4"),
        ("Soviets not supported", not fight.supported, "10.42"),
        ("all attack across a river: one defender hit less", fight.river, "9.51"),
    ):
        if true:
            sheet.add(label, "applies", rule)
    if fight.attack or fight.defence:
        sheet.add(f"strength {fight.attack}:{fight.defence} in {fight.terrain}", "", "9.4")
    sheet.result = f"{sheet.facts['required']} required, {sheet.facts['maximum']} at most"
    need = LARGE[fight.attacker]
    sheet.add("large attack from", f"{need} chits", "9.4")
    return sheet


def _may_declare(game: Game) -> bool | str:
    said = in_command(game)
    if not said or said.get("what") not in ("activate", "units", "kg"):
        return "only units activated by the card of this impulse attack [9.1]"
    fight = current(game)
    return fight is None or fight.settled or "finish the combat in hand first"


@rules.action(
    phase="command",
    by="active",
    rule="9.0",
    worksheet=combat,
    label="Declare a combat",
    primary=True,
    when=_may_declare,
)
def declare_combat(game: Game, sheet: Breakdown) -> Events:
    """Name the target and the attackers; both sides may then play tactics, attacker first."""
    fight = Fight(**sheet.facts["fight"])
    if not fight.small + fight.large:
        raise Unreadable("how many units attack? Choose them, or enter their number", field="small")
    if not fight.steps:
        raise Unreadable("how many steps defend? One chit is drawn for each", field="steps")
    attackers = [game.units[u] for u in fight.units]
    beside = game.maps.neighbours(fight.target) if fight.target else ()
    far = [u.name or u.id for u in attackers if u.place not in beside]
    if far:
        raise NotNow(f"{', '.join(far)}: not next to {fight.target} [9.1]", field="units")
    if attackers and all(game.mark(u.id, "supply") for u in attackers):
        raise NotNow("at least one supplied unit must attack [9.1]", field="units")
    if fight.defenders and all(game.mark(d, "struck") for d in fight.defenders):
        raise NotNow("those defenders were attacked in this activation already [9.1]", field="hex")
    if not fight.attack and not fight.units and not cup_is_real(game):
        raise Unreadable("enter both strengths: many chits compare them [9.4]", field="attack")
    yield from cleanup(game)
    known = played(game)
    fight.value = known.value
    fight.fixed_counts = bool(game["fixed-counts"])
    fight.nkvd_event = game["nkvd-turn"] == game.turn
    blocked = fight.attacker == SOVIET and not fight.supported
    if (known.manstein or known.stavka) and not blocked:
        fight.bonus = 1
    if blocked:
        fight.attacker_tactics_open = False
        fight.attack_tactics = []
    if fight.defender == SOVIET and not fight.supported:
        fight.defender_tactics_open = False
    yield e.Resolved("combat", sheet.to_json(), sheet.result)
    where = f" on {fight.target}" if fight.target else ""
    yield save(fight, f"{game.side_name(fight.attacker)} attack{where}")
    for unit in attackers:
        yield from _leave_ip(game, unit, fight)
    if fight.bonus:
        text = f"Attacker: name the free tactic of {known.label}"
        yield ask(game, "bonus", (fight.attacker, "table"), text, "bonus-tactic", "9.23")
    yield from invite(game, fight)


def _leave_ip(game: Game, unit: Unit, fight: Fight) -> Events:
    """12.24: an IP goes when all units of its hex attack."""
    if game.mark(unit.place, "ip") and all(u.id in fight.units for u in game.units_at(unit.place)):
        yield e.Marked(unit.place, "ip", None, reason="all its units attack", rule="12.24")
