"""What the Prepared Assault form asks, and what of it the record tells already [12.0]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Flag, HexId, Whole
from companion.engine.once import once
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground, known
from companion.systems.kharkov_battles.base import AXIS, fall_blau
from companion.systems.kharkov_battles.bonuses import tiger_shifts
from companion.systems.kharkov_battles.fighting import most_air
from companion.systems.kharkov_battles.known import LINES, Field

RARE_LINES = ("high woods", "mountain")
"""Fall Blau's maps only."""
RIVERS = (
    ("none", "no, or some over Minor"),
    ("minor", "all over Minor"),
    ("mixed", "all over Minor or Major"),
    ("major", "all over Major"),
    ("some", "some over Major"),
)

Told = Callable[[Game, Field], bool]


def said(tell: Told) -> Callable[[Context], bool]:
    """A question that is asked only while the record does not say yes by itself."""
    return lambda c: not tell(c.game, known.field_of(c))


def counters_tell(attacking: bool) -> Callable[[Context], bool]:
    """Whether the counters of a force are on record, so that nobody is asked what they are."""

    def test(ctx: Context) -> bool:
        field = known.field_of(ctx)
        return bool(field.force if attacking else field.held)

    return test


def _lines(ctx: Context) -> list[tuple[str, str]]:
    """Untouched, the field follows the map; a town is a shift, not a line [12.34]."""
    mapped = known.best_line(ctx.game, known.field_of(ctx).hexes)
    rare = () if fall_blau(ctx.game) else RARE_LINES
    plain = [(t, t.capitalize()) for t in LINES if t == mapped or t not in (*rare, "town")]
    return [("", f"As mapped: {mapped}"), *plain] if mapped else [("", "Clear"), *plain[1:]]


def _rivers(ctx: Context) -> list[tuple[str, str]]:
    if not _mapped(ctx):
        return list(RIVERS)
    found = dict(RIVERS)[known.rivers_crossed(ctx.game, known.field_of(ctx))]
    return [("", f"as mapped: {found}"), *RIVERS]


def _mapped(ctx: Context) -> bool:
    return bool(known.field_of(ctx).force) and ground.known_map(ctx.game)


def _no_tigers(attacking: bool) -> Callable[[Context], bool]:
    """Only German forces have Tigers [15.3], and those on record tell it themselves."""

    def test(ctx: Context) -> bool:
        side = known.field_of(ctx).attacker or ctx.game.active
        return (side == AXIS) != attacking or counters_tell(attacking)(ctx)

    return test


def _no_air(ctx: Context) -> bool:
    return not ctx.game.active or not most_air(ctx.game, ctx.game.active, True, False)


def _at_a_table(ctx: Context) -> bool:
    """Without a table one person says it for both sides; at a table the defender says it on his own phone [5.21]."""
    return bool(ctx.game.phase)


def all_told(ctx: Context) -> bool:
    """Whether a battle's own card needs the die alone: the counters are on record, and its ground was told or mapped."""
    battle = ctx.battle
    if battle is None or ctx.duty is None or ctx.duty.action != "roll-assault":
        return False
    field = known.field_of(ctx)
    edge = any(
        ground.beside_the_edge(ctx.game, h) for h in field.hexes
    )  # who sees the map says what lies beyond
    told = "terrain" in battle.facts.get("form", {}) or bool(known.best_line(ctx.game, field.hexes))
    return told and bool(field.force) and bool(field.held) and not edge


def folded(otherwise: Callable[[Context], bool] = lambda c: False) -> Callable[[Context], bool]:
    """Out of sight on a card that needs the die alone, else by its own reason."""
    return lambda c: all_told(c) or otherwise(c)


def _rare(otherwise: Callable[[Context], bool] = lambda c: False) -> Callable[[Context], bool]:
    """Out of sight until somebody asks for more, and then by its own reason."""
    return folded(lambda c: not c.values.get("more") or otherwise(c))


# -- what a map that nobody entered cannot tell ------------------------------------------------------------

INSIDE = (("town", "Town"), ("fz", "Fortified Zone"))
"""What shelters a defender besides his terrain and is printed on the map [12.34, 18.1]; Rubble has its marker."""
OVER = (
    ("none", "No river"),
    ("minor", "Minor"),
    ("mixed", "Minor, Major"),
    ("major", "Major"),
    ("some", "Some Major"),
)
"""What all attackers cross, or some of them, in few words."""


def unmapped(ctx: Context) -> bool:
    return ctx.battle is not None and not known.best_line(ctx.game, ctx.battle.hexes)


def inside(ctx: Context) -> list[tuple[str, str]]:
    """Of these, what no marker tells already."""
    field = known.field_of(ctx)
    told = {"town": known.in_town, "fz": known.in_works}
    return [(name, words) for name, words in INSIDE if not told[name](ctx.game, field)]


def lines(ctx: Context) -> list[tuple[str, str]]:
    rare = () if fall_blau(ctx.game) else RARE_LINES
    return [(t, t.capitalize()) for t in LINES if t not in (*rare, "town")]


@dataclass(frozen=True)
class AssaultForm:
    """Everything that the odds of a Prepared Assault depend on."""

    target: Annotated[str, HexId(label="Hex under attack")] = ""
    attack: Annotated[int, Whole(label="Attack strength", help="after halving and doubling", high=400)] = 0
    defence: Annotated[int, Whole(label="Defence strength", help="after halving and doubling", high=400)] = 0
    terrain: Annotated[str, Choice(label="Terrain line", options=_lines, quiet=folded())] = ""
    town: Annotated[bool, Flag(label="Town in the hex", when=said(known.in_town), quiet=folded())] = False
    river: Annotated[
        str,
        Choice(
            label="Do they attack over a river?",
            options=_rivers,
            start=lambda c: "" if _mapped(c) else "none",
            quiet=folded(),
        ),
    ] = ""
    attacker_air: Annotated[int, Whole(label="Attacker's Air Points", high=2, quiet=_no_air)] = 0
    defender_air: Annotated[int, Whole(label="Defender's Air Points", high=1, quiet=_at_a_table)] = 0
    combined: Annotated[bool, Flag(label="Attacker has Combined Arms", quiet=_rare(counters_tell(True)))] = (
        False
    )
    combined_defence: Annotated[
        bool,
        Flag(
            label="Defender has Combined Arms too",
            quiet=_rare(lambda c: counters_tell(False)(c) or not c.values.get("combined")),
        ),
    ] = False
    band_crosses: Annotated[
        bool,
        Flag(
            label="The armoured unit crosses the Major River",
            when=lambda c: c.values.get("river") in ("mixed", "some"),
            quiet=folded(),
        ),
    ] = False
    encircled: Annotated[
        bool, Flag(label="Defender encircled", when=said(known.encircled), quiet=folded())
    ] = False
    fz: Annotated[
        bool, Flag(label="Defender in a Fortified Zone", when=said(known.in_works), quiet=_rare())
    ] = False
    rubble: Annotated[bool, Flag(label="Rubble", when=said(known.in_rubble), quiet=_rare())] = False
    tigers: Annotated[int, Whole(label="Tigers attacking", high=6, quiet=_rare(_no_tigers(True)))] = 0
    tigers_defence: Annotated[
        int, Whole(label="Tigers defending", high=6, quiet=_rare(_no_tigers(False)))
    ] = 0
    several_hexes: Annotated[bool, Flag(label="Defenders in several hexes", quiet=_rare())] = False

    more: Annotated[
        bool, Flag(label="More: Combined Arms, works, Rubble, Tigers, several hexes", quiet=folded())
    ] = False

    @property
    def in_city(self) -> bool:
        return self.terrain == "city"


def with_record(ctx: Context, form: AssaultForm) -> AssaultForm:
    """The form with everything that the map and the counters add to it; what was typed is never taken away."""
    found = _recorded(ctx.game, form.target) if ctx.battle is None else _facts(ctx.game, known.field_of(ctx))
    return replace(form, **{name: getattr(form, name) or fact for name, fact in found.items()})


@once
def _recorded(game: Game, target: str) -> Mapping[str, Any]:
    """The same of a hex that is about to be attacked: it hangs on no number that is typed."""
    return _facts(game, known.field_of(Context(game, values={"target": target})))


def _facts(game: Game, field: Field) -> Mapping[str, Any]:
    return {
        "terrain": known.best_line(game, field.hexes) or "clear",
        "river": known.rivers_crossed(game, field) if field.force else "none",
        "town": known.in_town(game, field),
        "fz": known.in_works(game, field),
        "rubble": known.in_rubble(game, field),
        "combined": known.attackers_combine(game, field),
        "combined_defence": known.defenders_combine(game, field),
        "band_crosses": known.band_crosses(game, field),
        "encircled": known.encircled(game, field),
        "tigers": tiger_shifts(game, field.force),
        "tigers_defence": tiger_shifts(game, field.held),
        "several_hexes": len(field.hexes) > 1,
    }
