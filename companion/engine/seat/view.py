"""What one seat may see: the only thing a page, an API answer or a print sheet is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from companion.engine.dice import Spec
from companion.engine.forms.fields import Roll
from companion.engine.guard import Guard
from companion.engine.kit.blocks import Note, PileDef, Scenario, Side, SystemKit
from companion.engine.kit.roster import Unit
from companion.engine.kit.when import Turns, holds
from companion.engine.once import Direct, ForAll, Part, guarded
from companion.engine.people.settings import is_unsettled
from companion.engine.people.talk import judge
from companion.engine.people.units import due, entry_hex, may_arrive, may_read
from companion.engine.plain import plain
from companion.engine.play.phases import in_force
from companion.engine.play.rules import Rules
from companion.engine.record import sight
from companion.engine.record.events import Ended
from companion.engine.record.game import Game
from companion.engine.record.sequence import order, skip_reason
from companion.engine.seat import shapes
from companion.engine.seat.fights import awaits, battles, duties
from companion.engine.seat.offers import offered, panels
from companion.engine.seat.words import mark_label, place_label, steps_label, value_label

Made = TypeVar("Made")


def seat_name(game: Game, seat: str) -> str:
    return {"table": "Table", "watch": "Watching"}.get(seat) or game.side_name(seat)


# -- the moment ------------------------------------------------------------------------------------------


def _turn(game: Game) -> shapes.TurnView:
    return shapes.TurnView(game.turn, None if game.scenario.open_end else game.last, game.date(game.turn))


def _phases(game: Game) -> list[shapes.PhaseRow]:
    phases = order(game)
    ids = [p.id for p in phases]
    now = ids.index(game.phase) if game.phase in ids else 0
    rows = []
    for index, phase in enumerate(phases):
        reason = skip_reason(game, phase)
        state = "skipped" if reason else "now" if index == now else "done" if index < now else "to come"
        rows.append(shapes.PhaseRow.of(phase, side=game.side_of(phase), state=state, reason=reason))
    return rows


def _phase(game: Game) -> shapes.PhaseView:
    phase = game.phase_def()
    if phase is None:
        return shapes.PhaseView()
    checks = [
        shapes.CheckView.of(check, item=item, done=item in game.ticked, act=check.act or bool(check.action))
        for index, check in enumerate(phase.checklist)
        if game.turn in Turns(check.turns) and holds(check.when, game.values)
        for item in [f"{game.turn}/{phase.id}/{index}"]
    ]
    alternates = phase.side.startswith("@")
    return shapes.PhaseView.of(phase, side=game.side_of(phase), alternates=alternates, checklist=checks)


def _shows(game: Game, name: str, when: str, seat: str) -> bool:
    return holds(when, game.values) and seat in game.hidden.get(name, (seat,))


def _tracks(seen: SeatView) -> list[shapes.TrackView]:
    game, seat = seen._game, seen.seat
    found = (t for t in game.kit.tracks if not t.hidden and (not t.phases or game.phase in t.phases))
    return [shapes.TrackView.of(t, value=game[t.id]) for t in found if _shows(game, t.id, t.when, seat)]


def _dials(seen: SeatView) -> list[shapes.DialView]:
    game, found = seen._game, []
    for dial in game.kit.dials:
        if not dial.hidden and _shows(game, dial.id, dial.when, seen.seat):
            value = game[dial.id]
            effect = next((v.effect for v in dial.values if v.id == value), "")
            text = value_label(game, dial.id, value)
            positions = [(v.id, v.label) for v in dial.values]
            found.append(shapes.DialView.of(dial, value=value, text=text, effect=effect, positions=positions))
    return found


@guarded("What is due", list)
def _due(game: Game, seat: str) -> list[shapes.DueView]:
    return [
        shapes.DueView.of(
            a, id=name, late=game.turn - a.turn, open=may_arrive(game, a, seat), hex=entry_hex(game, a)
        )
        for name, a in due(game)
        if may_read(a, seat)
    ]


def _last_roll(game: Game) -> shapes.RollView | None:
    last = game.last_roll
    if not last:
        return None
    roll = Roll(last["dice"], tuple(last["values"]), last["mode"], last.get("sum"))
    told = {"sum": None, "each": False, **last}
    return shapes.RollView(**told, plus=Spec.parse(roll.dice).plus, total=roll.total)


def _result(seen: SeatView) -> shapes.ResultView | None:
    last = seen._game.last_result
    return shapes.ResultView(**last) if last and seen.seat in (last["only"] or [seen.seat]) else None


# -- units and piles -------------------------------------------------------------------------------------


@guarded("Units", list)
def _units(game: Game, seat: str) -> list[shapes.UnitView]:
    """Every unit as a seat sees it; counters it may not know are sorted by place, so that order tells nothing."""
    found = [_unit(game, unit, seat) for unit in game.units.values()]
    return sorted(found, key=lambda u: (u.hidden, u.id if u.hidden else ""))


def _unit(game: Game, unit: Unit, seat: str) -> shapes.UnitView:
    """A unit as a seat sees it; a hidden one is only a counter of its side in a place."""
    if not sight.may_see_unit(game, unit, seat):
        return shapes.UnitView(shown_id(game, unit, seat), unit.side, unit.place, hidden=True)
    marks = _marks(game, unit.id, seat)
    return shapes.UnitView.of(
        unit,
        hidden=False,
        factors=sight.known_factors(game, unit),
        place_label=place_label(game, unit.place),
        marks=marks,
        signs=signs(game, marks),
        step_words=f"{unit.steps} of {steps_label(game, unit.full)}" if unit.full > 1 else "",
    )


def shown_id(game: Game, unit: Unit, seat: str) -> str:
    """The id by which a seat knows a unit; a hidden one's tells nothing but its place in the stack."""
    if sight.may_see_unit(game, unit, seat):
        return unit.id
    place = [u.id for u in sight.stack_of(game, unit)].index(unit.id)
    return f"{unit.side}-{unit.place}-{place + 1}"


def _marks(game: Game, target: str, seat: str) -> dict[str, Any]:
    """The markers on a unit or hex that a seat may see."""
    held = game.marks.get(target, {})
    return {name: mark.value for name, mark in held.items() if sight.may_see_mark(game, target, name, seat)}


def signs(game: Game, marks: Mapping[str, Any]) -> tuple[shapes.MarkView, ...]:
    """Markers as a player reads them; those that only the rules need are left out."""
    kinds = {m.id: m for m in game.kit.markers}
    return tuple(
        shapes.MarkView(mark_label(game, name, value), kinds[name].effect if name in kinds else "")
        for name, value in marks.items()
        if name not in kinds or not kinds[name].quiet
    )


@guarded("Markers in hexes", dict)
def _hexes(game: Game, seat: str) -> dict[str, dict[str, Any]]:
    return {t: marks for t in game.marks if t not in game.units and (marks := _marks(game, t, seat))}


@guarded("Cups and decks", list)
def _piles(game: Game, seat: str) -> list[shapes.PileView]:
    held = (p for p in game.kit.piles if p.id in game.piles and holds(p.when, game.values))
    return [shapes.PileView.of(p, zones=_zones(game, p, seat)) for p in held]


def _zones(game: Game, pile: PileDef, seat: str) -> list[shapes.ZoneView]:
    labels = {z.id: z.label for z in pile.zones}
    found = []
    for zone, tokens in game.piles[pile.id].zones.items():
        if sight.zone_rule(game, pile.id, zone) != "none":
            base = zone.partition(":")[0]
            seen = sight.may_see_zone(game, pile.id, zone, seat)
            faces = [shapes.TokenView(t, game.face(pile.id, t)) for t in tokens] if seen else None
            found.append(shapes.ZoneView(zone, labels.get(base, base), len(tokens), faces))
    return found


# -- the view --------------------------------------------------------------------------------------------


class SeatView:
    """The table as one seat may see it; each part is made when it is first asked for, and kept (`engine/once.py`).

    What cannot be made is left empty and named under `faults`: who wants to tell of all of it asks for that last.
    """

    def __init__(self, rules: Rules, game: Game, seat: str) -> None:
        self._rules, self._game, self.seat, self.guard = rules, game, seat, Guard()

    revision: Part[int] = Direct(lambda seen: seen._game.revision)
    """The newest event that this view knows of."""
    title: Part[str] = Direct(lambda seen: seen._game.title)
    """What the players call their table."""
    seat_name: Part[str] = Part(lambda seen: seat_name(seen._game, seen.seat))
    """Who looks, in words."""
    system: Part[SystemKit] = Direct(lambda seen: seen._game.kit)
    """The game that is played, and its own words for turns and steps."""
    scenario: Part[Scenario] = Direct(lambda seen: seen._game.scenario)
    """The scenario that is played."""
    sides: Part[Sequence[Side]] = Direct(lambda seen: seen._game.kit.sides)
    """Both sides, with the shape that stands for each."""
    turn = ForAll(_turn)
    """The turn, the last one, and the date."""
    phases = ForAll(_phases)
    """The sequence of this turn."""
    phase = ForAll(_phase)
    """The phase that is played, with its checklist."""
    active: Part[str] = ForAll(lambda game: game.active)
    """The side to act; empty when both may."""
    movers: Part[list[str]] = Part(
        lambda seen: seen.guard.part("Whose move it is", partial(seen._rules.movers, seen._game), [])
    )
    """The sides whose move it is."""
    awaits = Part(awaits)
    """Whom the table waits for now, a move or an answer, in words for this seat."""
    actions = Part(offered)
    """What this seat may do now."""
    tracks = Part(_tracks)
    """Numbers that are counted, as far as they are shown now."""
    dials = Part(_dials)
    """Named values with what they do."""
    due = Part(_due)
    """What arrives on this turn or is late."""
    notes: Part[list[Note]] = Part(guarded("Notes in force", list)(lambda game, _: in_force(game)))
    """What holds on this turn."""
    asked = Part(duties)
    """Questions and follow-ups that wait for somebody."""
    battles = Part(battles)
    """The battles that are not over, and the newest."""
    units = cached_property(_units)
    """Every unit on record, as far as this seat may know it."""
    hexes = cached_property(_hexes)
    """Markers that lie on the map, by hex."""
    boxes: Part[list[shapes.BoxView]] = ForAll(
        lambda game: [shapes.BoxView(f"box:{b.id}", b.label, b.side) for b in game.kit.boxes]
    )
    """Places off the map."""
    piles = Part(_piles)
    """Cups and decks: what lies open, and how many of the rest."""
    sealed: Part[dict[str, list[str]]] = ForAll(
        lambda game: {name: sorted(choices) for name, choices in game.sealed.items()}
    )
    """Who has chosen in secret, by what is chosen."""
    my_sealed: Part[dict[str, Any]] = Part(
        lambda seen: {n: made[seen.seat] for n, made in seen._game.sealed.items() if seen.seat in made}
    )
    """What this seat itself has chosen."""
    revealed: Part[dict[str, Any]] = ForAll(lambda game: dict(game.revealed))
    """Choices that lie open."""
    result = Part(_result)
    """The last result, with its calculation."""
    last_roll = ForAll(_last_roll)
    """The last open roll."""
    panels = Part(panels)
    """What the game itself tells this seat."""
    ended: Part[Ended | None] = Direct(lambda seen: seen._game.ended)
    """Who won, once the game is over."""
    record_open: Part[bool] = ForAll(lambda game: game.record_open)
    """Whether everything hidden may be read by all."""
    modes: Part[dict[str, str]] = ForAll(
        lambda game: {name: game[f"mode-{name}"] for name in ("dice", "chits", "cards")}
    )
    """Whether dice, chits and cards are real, digital, or either."""
    judge: Part[str] = ForAll(lambda game: judge(game))
    """What a judge was called for."""
    solo: Part[bool] = ForAll(lambda game: bool(game["solo"]))
    """Whether one player holds every seat."""
    fog: Part[bool] = ForAll(lambda game: bool(game["fog"]))
    """Whether enemy units are hidden."""
    commitment: Part[str] = Direct(lambda seen: seen._game.commitment)
    """The fingerprint of the dice seed."""
    tray: Part[list[str]] = ForAll(lambda game: list(game.kit.tray))
    """Dice that one tap rolls."""

    def keep(self, name: str, make: Callable[[], Made]) -> Made:
        """What is made of this view and nothing else, kept like a part of it."""
        return self._game.worked.find(self._game, (name, self.seat), make)

    @property
    def effort(self) -> str:
        """How much the players put on record, as the table's settings name it; empty until they say so."""
        return str(self._game["effort"])

    @property
    def unsettled(self) -> bool:
        """Whether a new table still has to say so."""
        return is_unsettled(self._game)

    @property
    def has_units(self) -> bool:
        """Whether any unit of this seat's own is on record, without a look at them; the table's are all."""
        return any(self.seat in (u.side, "table") for u in self._game.units.values())

    @property
    def faults(self) -> list[str]:
        """A line for each part that was asked for so far and could not be made."""
        return self.guard.faults

    def to_json(self) -> dict[str, Any]:
        """All of it, as the API answers it."""
        found = {name: plain(getattr(self, name), _KIT_WORDS.get(name)) for name in PARTS}
        found |= {name: found[name] or {} for name in ("result", "last_roll")}
        return {"seat": self.seat, **found, "faults": self.faults}


_KIT_WORDS = {
    "system": ("id", "name", "turn_name", "step_name", "steps_name"),
    "scenario": ("id", "name", "partial"),
    "sides": ("id", "name", "mark"),
    "notes": ("text", "rule", "side"),
}
"""What is answered of the parts that are the kit's own."""
PARTS = tuple(name for name, part in vars(SeatView).items() if isinstance(part, Part | cached_property))


view = SeatView
