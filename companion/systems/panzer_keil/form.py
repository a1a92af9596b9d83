"""The combat form: what is named and typed of an attack, field by field [9.2-9.5, B11]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.play.fields import Choice, Context, Field, Flag, UnitRef, Whole
from companion.systems.panzer_keil import asking
from companion.systems.panzer_keil.base import GERMAN, SOVIET
from companion.systems.panzer_keil.condition import on_record
from companion.systems.panzer_keil.odds import HINDRANCES

TARGET = asking.Target(label="Target hex")
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
            found.append(sum(map(int, part.split("+"))))
        return tuple(found)

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {"placeholder": "3+2 5", "most": 80, "long": False}


def _hindered(name: str, label: str, help: str = "") -> Sums:
    """The strengths that something halves; asked for once its reason is ticked [9.2.1-9.2.3]."""
    return Sums(label=label, help=help, quiet=asking.not_hindered(name))


def _yes_no(label: str, quiet: asking.Quiet, help: str = "") -> Choice:
    return Choice(label=label, help=help, options=YES_NO, quiet=quiet)


@dataclass(frozen=True)
class CombatForm:
    """An attack as its form tells it; what is empty is read off the record."""

    target: Annotated[str, TARGET] = ""
    elsewhere: Annotated[str, TARGET.another()] = ""
    attackers: Annotated[
        tuple[str, ...],
        UnitRef(label="Attackers", many=True, pick=asking.beside, suggest=asking.able, when=on_record),
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
        tuple[int, ...], Sums(label="Attack", help="one number for each hex", quiet=asking.attack_told)
    ] = ()
    halved: Annotated[
        tuple[str, ...],
        Choice(
            label="Some attackers are halved",
            options=[(cause.id, cause.words) for cause in HINDRANCES],
            many=True,
            when=asking.by_hand,
        ),
    ] = ()
    river: Annotated[tuple[int, ...], _hindered("river", "Attack over a river")] = ()
    major: Annotated[
        tuple[int, ...], _hindered("major", "Attack over a major river", "not at a railroad")
    ] = ()
    over: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Who attacks over the major river",
            many=True,
            pick=asking.named_attackers,
            quiet=asking.crossers_known,
        ),
    ] = ()
    marsh: Annotated[tuple[int, ...], _hindered("marsh", "Attack out of a marsh")] = ()
    oos: Annotated[tuple[int, ...], _hindered("oos", "Attack out of supply", "if not halved already")] = ()
    defence: Annotated[
        int | None, Whole(label="Defence", help="undisrupted units", high=99, quiet=asking.defence_told)
    ] = None
    weak: Annotated[
        int | None, Whole(label="Defence of disrupted units", high=99, quiet=asking.defence_told)
    ] = None
    ground: Annotated[
        str,
        Choice(
            label="Defender's hex",
            options=[("clear", "clear"), ("other", "other")],
            quiet=asking.ground_told,
        ),
    ] = ""
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
    concentric: Annotated[
        str,
        _yes_no(
            "Concentric attack",
            asking.not_concentric,
            "all six hexes around are German or in German zones",
        ),
    ] = ""
    roll: Annotated[
        str,
        Choice(
            label="Die column",
            help="Soviet when only allies attack",
            options=[(GERMAN, "German"), (SOVIET, "Soviet")],
            quiet=asking.column_told,
        ),
    ] = ""
