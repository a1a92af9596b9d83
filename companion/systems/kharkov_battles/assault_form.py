"""What the Prepared Assault form asks, and what of it the record tells already [12.0]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from companion.engine.play.fields import Choice, Context, Flag, HexId, Whole
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.asking import announced, no_air, no_tigers, told
from companion.systems.kharkov_battles.base import fall_blau
from companion.systems.kharkov_battles.units import fortified

LINES = ("clear", "woods", "high woods", "marsh", "mountain", "town", "city")
RARE_LINES = ("high woods", "mountain")
"""Fall Blau's maps only."""
RIVERS = (
    ("none", "no, or some over Minor"),
    ("minor", "all over Minor"),
    ("mixed", "all over Minor or Major"),
    ("major", "all over Major"),
    ("some", "some over Major"),
)


def terrain_line(game: Game, target: str) -> str:
    """The line a hex is read on: a city is one of its own [12.45]."""
    if ground.size(game, target) == "city":
        return "city"
    return ground.terrain(game, target) or "clear"


def _target(ctx: Context) -> str:
    return str(ctx.values.get("target") or "")


def _lines(ctx: Context) -> list[tuple[str, str]]:
    """The terrain lines to choose from; a town is a shift, not a line [12.34]."""
    here = _line(ctx)
    rare = () if fall_blau(ctx.game) else RARE_LINES
    return [(t, t.capitalize()) for t in LINES if t == here or t not in (*rare, "town")]


def _line(ctx: Context) -> str:
    return terrain_line(ctx.game, _target(ctx))


def _in_city(ctx: Context) -> bool:
    return ctx.values.get("terrain") == "city"


def _open_ground(ctx: Context) -> bool:
    return not _in_city(ctx)


def _rubble(ctx: Context) -> bool:
    return bool(ctx.game.mark(_target(ctx), "rubble"))


def _in_town(ctx: Context) -> bool:
    return bool(_target(ctx)) and ground.size(ctx.game, _target(ctx)) == "town"


def _fortified(ctx: Context) -> bool:
    return bool(_target(ctx)) and fortified(ctx.game, _target(ctx), ctx.game.other(ctx.game.active))


def _strength(label: str, marker: str) -> Whole:
    return Whole(
        label=label, help="after halving and doubling", high=400, start=announced(marker), quiet=told(marker)
    )


TARGET = Annotated[str, HexId(label="Hex under attack", quiet=told("target"))]
ATTACK_AIR = Annotated[int, Whole(label="Attacker's Air Points", high=2, quiet=no_air(True))]
DEFENCE_AIR = Annotated[int, Whole(label="Defender's Air Points", high=1, quiet=no_air(False))]
IN_CITY = Annotated[bool, Flag(label="In a city", hidden=True)]


@dataclass(frozen=True)
class AssaultForm:
    """Everything that the odds of a Prepared Assault depend on."""

    target: TARGET = ""
    attack: Annotated[int, _strength("Attack strength", "attack-total")] = 0
    defence: Annotated[int, _strength("Defence strength", "defence-total")] = 0
    terrain: Annotated[str, Choice(label="Terrain line", options=_lines, start=_line)] = "clear"
    town: Annotated[bool, Flag(label="Town in the hex", start=_in_town, quiet=_in_city)] = False
    city: IN_CITY = False
    river: Annotated[str, Choice(label="Do they attack over a river?", options=RIVERS)] = "none"
    attacker_air: ATTACK_AIR = 0
    defender_air: DEFENCE_AIR = 0
    combined: Annotated[bool, Flag(label="Attacker has Combined Arms")] = False
    combined_defence: Annotated[
        bool, Flag(label="Defender has Combined Arms too", quiet=lambda c: not c.values.get("combined"))
    ] = False
    band_crosses: Annotated[
        bool,
        Flag(
            label="The armoured unit crosses the Major River",
            when=lambda c: c.values.get("river") in ("mixed", "some"),
        ),
    ] = False
    encircled: Annotated[bool, Flag(label="Defender encircled", quiet=_in_city)] = False
    fz: Annotated[bool, Flag(label="Defender in a Fortified Zone", start=_fortified)] = False
    rubble: Annotated[bool, Flag(label="Rubble", start=_rubble, quiet=_open_ground)] = False
    tigers: Annotated[int, Whole(label="Tigers attacking", high=6, quiet=no_tigers(True))] = 0
    tigers_defence: Annotated[int, Whole(label="Tigers defending", high=6, quiet=no_tigers(False))] = 0
    several_hexes: Annotated[bool, Flag(label="Defenders in several hexes", quiet=told("target"))] = False

    @property
    def in_city(self) -> bool:
        return self.city or self.terrain == "city"
