"""The combat form: what is named and typed of an attack, field by field [9.2-9.5, B11]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Field, Flag, UnitRef, Whole
from companion.systems.panzer_keil import asking
from companion.systems.panzer_keil.base import GERMAN, SOVIET, named
from companion.systems.panzer_keil.condition import on_record

TARGET = asking.Target(label="Target hex", start=asking.only_target)
YES_NO = [("yes", "yes"), ("no", "no")]


@dataclass(frozen=True)
class Sums(Field):
    """Strengths hex by hex: '3 5' for two hexes, '3+2 5' with a stack of two in the first."""

    def read(self, raw: Any, ctx: Context) -> tuple[int, ...]:
        parts = (
            [str(p) for p in raw] if isinstance(raw, list | tuple) else re.split(r"[\s,;]+", str(raw).strip())
        )
        found = []
        for part in filter(None, parts):
            if not re.fullmatch(r"\d{1,3}(\+\d{1,3})*", part):
                raise Unreadable(
                    f"{part!r} is not a strength: write 3 5, or 3+2 for a stack", given=part, accepted="3+2 5"
                )
            found += [[int(n) for n in part.split("+")]]
        return tuple(self.summed(found, ctx))

    def summed(self, hexes: list[list[int]], ctx: Context) -> list[int]:
        """One number for each hex."""
        return [sum(stack) for stack in hexes]

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {"placeholder": "3+2 5", "most": 80, "long": False}


@dataclass(frozen=True)
class Strengths(Sums):
    """Strengths of units on record that their counters lack, one each; without such units hex by hex."""

    factor: str = "AF"

    def summed(self, hexes: list[list[int]], ctx: Context) -> list[int]:
        if asking.attackers(ctx) if self.factor == "AF" else asking.defenders(ctx):
            return [n for stack in hexes for n in stack]
        return super().summed(hexes, ctx)

    def describe(self, ctx: Context) -> dict[str, Any]:
        found, asked = super().describe(ctx), asking.to_type(ctx, self.factor)
        if asked:
            names = named(ctx.game, [u.id for u in asked])
            told = {"help": f"as printed, in this order: {names}", "placeholder": "3 5", "required": True}
            return {**found, **told}
        if self.factor == "AF":
            halved = any(ctx.values.get(name) for name in asking.HALVED)
            ticked = set(ctx.values.get("halved") or ()) & set(asking.HALVED)
            parted = {"help": "what is not halved, one number for each hex"} if halved or ticked else {}
            return {**found, **parted, "required": not asking.attackers(ctx) and not halved}
        whole = {"type": "whole", "min": 0, "max": 99, "placeholder": "", "help": "undisrupted units"}
        wanted = asking.nobody_there(ctx) and not ctx.values.get("weak")
        return {**found, **whole, "required": wanted}


def _hindered(name: str, label: str, help: str = "") -> Sums:
    """The strengths that something halves, of units not on record; asked for once its reason is ticked [9.2]."""
    told = f"{help + '; ' if help else ''}as printed, not counted in Attack above"
    return Sums(label=label, help=told, when=asking.nobody_named, quiet=asking.not_hindered(name))


def _these(name: str, label: str) -> UnitRef:
    """Which of the named attackers something halves."""
    return UnitRef(label=label, many=True, pick=asking.attackers, when=asking.only_some(name))


def _yes_no(label: str, quiet: asking.Quiet) -> Choice:
    return Choice(label=label, options=YES_NO, quiet=quiet)


def _never_shown(ctx: Context) -> bool:
    """Said by a tick among what else counts; the field itself serves the API and the command line."""
    return True


@dataclass(frozen=True)
class CombatForm:
    """An attack as its form tells it; what is empty is read off the record."""

    target: Annotated[str, TARGET] = ""
    elsewhere: Annotated[str, TARGET.another()] = ""
    attackers: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Attackers",
            many=True,
            pick=asking.beside,
            suggest=asking.able,
            start=asking.all_able,
            when=on_record,
        ),
    ] = ()
    side: Annotated[
        str,
        Choice(
            label="Attacking side",
            options=[(SOVIET, "Soviet"), (GERMAN, "German")],
            quiet=asking.side_known,
        ),
    ] = ""
    typed: Annotated[
        bool,
        Flag(label="Enter it by hand", help="instead of what the record tells", when=asking.may_type),
    ] = False
    full: Annotated[
        tuple[int, ...],
        Strengths(label="Attack", help="one number for each hex", quiet=asking.attack_told),
    ] = ()
    defence: Annotated[
        tuple[int, ...], Strengths(label="Defence", factor="DF", quiet=asking.defence_told)
    ] = ()
    ground: Annotated[
        str,
        Choice(
            label="Defender's hex",
            help="taken as clear if you say nothing",
            options=[("clear", "clear"), ("other", "other")],
            quiet=asking.ground_told,
        ),
    ] = ""
    halved: Annotated[
        tuple[str, ...],
        Choice(
            label="The attack is",
            help="wholly or in part",
            options=asking.also,
            many=True,
            when=lambda c: bool(asking.also(c)),
        ),
    ] = ()
    river: Annotated[tuple[int, ...], _hindered("river", "Attack over a river")] = ()
    by_river: Annotated[tuple[str, ...], _these("river", "Who attacks over a river")] = ()
    major: Annotated[
        tuple[int, ...], _hindered("major", "Attack over a major river", "not at a railroad")
    ] = ()
    over: Annotated[tuple[str, ...], _these("major", "Who attacks over the major river")] = ()
    marsh: Annotated[tuple[int, ...], _hindered("marsh", "Attack out of a marsh")] = ()
    by_marsh: Annotated[tuple[str, ...], _these("marsh", "Who attacks out of a marsh")] = ()
    oos: Annotated[tuple[int, ...], _hindered("oos", "Attack out of supply", "if not halved already")] = ()
    weak: Annotated[
        int | None,
        Whole(label="Defence of disrupted units", high=99, when=asking.nobody_there, quiet=asking.no_weak),
    ] = None
    armour: Annotated[
        str,
        Choice(
            label="Attacker's armour",
            options=asking.armour_choices,
            quiet=asking.armour_told(defending=False),
        ),
    ] = ""
    enemy_armour: Annotated[str, _yes_no("Defender's armour", asking.armour_told(defending=True))] = ""
    grenadiers: Annotated[str, _yes_no("German mechanized infantry takes part", asking.no_grenadiers)] = ""
    concentric: Annotated[str, _yes_no("Concentric attack", _never_shown)] = ""
    roll: Annotated[
        str,
        Choice(label="Die column", options=[(GERMAN, "German"), (SOVIET, "Soviet")], quiet=_never_shown),
    ] = ""
