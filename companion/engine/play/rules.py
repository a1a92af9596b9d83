"""Rules: what one game adds to the engine, collected by decorators in companion/systems/<game>/."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Unknown, did_you_mean
from companion.engine.forms.fields import Context
from companion.engine.forms.panels import Panel
from companion.engine.forms.worksheet import Breakdown, Line, Worksheet, parameters, signature_fields
from companion.engine.hexes.trace import SupplyLine
from companion.engine.kit.roster import Unit
from companion.engine.kit.when import Turns
from companion.engine.play.actions import Action, FollowUp, make_action
from companion.engine.play.duties import Words, has_units, owe
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game

Step = Callable[[Game], Iterable[e.Event]]
Outcome = Callable[..., Iterable[e.Event]]
"""What a result means: (game, the breakdown as JSON, the result code, and if it asks for it the battle) -> events."""
PanelMaker = Callable[..., Panel | None]
"""A block of facts for a seat's screen, or None for nothing to show: (game, seat), or (game) where all see the same."""
BattleSheet = Callable[[Game, Battle, str], Breakdown | None]
"""A battle's calculation before its roll, as a seat may know it: (game, battle, seat) -> breakdown."""
BattleDeeds = Callable[[Game, Battle, str], Iterable[Line]]
"""What was done about a battle's result, as a seat may know it: (game, battle, seat) -> lines."""
Faces = Callable[[Game, Battle, str], Mapping[str, str]]
"""A chit or card of a battle in a reader's words: (game, battle, token) -> each face by its name."""
Warns = Callable[[Context], Iterable[object]]
"""Reasons against what was filled in: (context) -> words."""
Supply = Callable[[Game, str], Mapping[str, SupplyLine]]
"""Supply of all units of a side: (game, side) -> unit id -> the trace's answer."""


Minds = Callable[[Game, Sequence[Unit], str], Iterable[object]]
"""What the rules have against a move that was made: (game after it, the units, where they came from) -> words."""


@dataclass(frozen=True)
class Attack:
    """An action that attacks, for whoever points at the target: the fields that take the hex and the attackers."""

    action: str
    hex: str
    units: str


HIDDEN = "something that a player answers on his own phone"
"""What is said of a duty that a seat may not read."""
READ = -1
"""A blank chart cell is read before anything that follows from it."""


@dataclass(frozen=True)
class Hook:
    """Events that happen by themselves when a phase is entered or left, or a turn begins or ends."""

    moment: str
    phase: str
    turns: Turns
    fn: Step


class Rules:
    """The actions, worksheets, hooks and watchers of one game."""

    def __init__(self, system: str, *parts: Rules) -> None:
        self.system = system
        self.actions: dict[str, Action] = {n: a for part in parts for n, a in part.actions.items()}
        self.worksheets: dict[str, Worksheet] = {n: w for part in parts for n, w in part.worksheets.items()}
        self.hooks: list[Hook] = []
        self.watchers: list[Step] = []
        self.panels: list[PanelMaker] = []
        self.for_all: set[PanelMaker] = set()
        """Those that do not ask whose screen it is: made once for all of them."""
        self.finale: Callable[[Game], Iterable[e.Event]] | None = None
        self.outcomes: dict[str, Outcome] = {}
        self.duties: list[tuple[tuple[str, ...], Words, bool]] = []
        """What must be done before a phase ends, worked out from the game: phases, and the words for what is left."""
        self.battle_sheet: BattleSheet | None = None
        self.battle_deeds: BattleDeeds | None = None
        self.faces: dict[str, Faces] = {}
        """How the tokens of a pile read on a battle's card; others show what the owner's book has of them."""
        self.supply: Supply | None = None
        self.awaited: Callable[[Game], Iterable[str]] | None = None
        self.score: Callable[[Game], str] | None = None
        self.score_takes_long = False
        self.attacks: list[Attack] = []
        """Ways to attack the stack that a player points at, the likeliest first."""
        self.minds: list[Minds] = []
        self.supply_marker = "oos"
        """The marker of a unit out of supply, with its value where it has several: 'supply=oos'."""

    def action(self, **spec: Any) -> Callable[[Callable[..., Iterable[e.Event]]], Action]:
        """Define an action: `@rules.action(phase=..., by=..., rule=...)`."""

        def define(fn: Callable[..., Iterable[e.Event]]) -> Action:
            action = make_action(fn, **spec)
            self.actions[action.name] = action
            return action

        return define

    def follow_up(
        self,
        *,
        still: Callable[[Game, e.Asked], bool] = has_units,
        alone: Callable[[Context], Mapping[str, Any] | None] | None = None,
        declined: Callable[[Game, e.Asked, str], Iterable[e.Event]] | None = None,
        ageless: bool = False,
        **spec: Any,
    ) -> Callable[[Callable[..., Iterable[e.Event]]], Action]:
        """Define an action that exists only while a duty for it is open: `@rules.follow_up(rule=..., still=...)`.

        Its function may take `duty` and `battle`; what the duty tells (`duty.args`) is no field of the form.
        """
        answers = FollowUp(still, alone, declined, ageless)
        return self.action(group="hidden", follow_up=answers, **spec)

    def warns_of(self, action: str) -> Callable[[Warns], Warns]:
        """What a game has against an action that all games share, said before it is done: (context) -> reasons."""

        def define(fn: Warns) -> Warns:
            self.actions[action] = self.actions[action].warned(fn)
            return fn

        return define

    def due_in(self, *phases: str, stays: bool = False) -> Callable[[Words], Words]:
        """What must be done before a phase ends and no duty says yet: (game) -> words; one that stays is owed later, too."""

        def define(fn: Words) -> Words:
            self.duties.append((phases, fn, stays))
            return fn

        return define

    def owed(self, game: Game, seat: str) -> list[str]:
        """All that is owed as a phase, impulse or turn is to end, in words that a seat may read."""
        owed = [a for a in game.duties() if a.is_owed]
        found = [_in_full(game, a) if not a.only or seat in a.only else HIDDEN for a in owed]
        return list(dict.fromkeys([*found, *self.passing(game, kept=True)]))

    def passing(self, game: Game, kept: bool = False) -> list[str]:
        """What of it no duty keeps open: it must be done now, and is over with the phase, unless it is kept."""
        due = [fn for phases, fn, stays in self.duties if game.phase in phases and (kept or not stays)]
        return [words for fn in due for words in fn(game)]

    def worksheet(
        self, *, rule: str = "", title: str = ""
    ) -> Callable[[Callable[..., Breakdown]], Worksheet]:
        """Define a worksheet: the first parameter is the Context, the others are its fields."""

        def define(fn: Callable[..., Breakdown]) -> Worksheet:
            fields, defaults = signature_fields(fn, ("ctx",))
            name = fn.__name__.replace("_", "-")
            words = title or name.replace("-", " ").capitalize()
            sheet = Worksheet(name, words, rule, inspect.getdoc(fn) or "", fields, defaults, fn)
            self.worksheets[name] = sheet
            return sheet

        return define

    def entering(self, phase: str, turns: str = "") -> Callable[[Step], Step]:
        """Events to add when a phase begins; phase 'turn' means the start of a turn."""
        return self._hook("turn" if phase == "turn" else "enter", phase, turns)

    def leaving(self, phase: str, turns: str = "") -> Callable[[Step], Step]:
        """Events to add when a phase ends; phase 'turn' means the end of a turn."""
        return self._hook("turn-end" if phase == "turn" else "leave", phase, turns)

    def _hook(self, moment: str, phase: str, turns: str) -> Callable[[Step], Step]:
        def define(fn: Step) -> Step:
            self.hooks.append(Hook(moment, phase, Turns(turns), fn))
            return fn

        return define

    def watch(self, fn: Step) -> Step:
        """Look at the game after every action; yield events only when something has come about."""
        self.watchers.append(fn)
        return fn

    def panel(self, fn: PanelMaker) -> PanelMaker:
        """A block of facts for a seat's screen."""
        self.panels.append(fn)
        if len(inspect.signature(fn).parameters) == 1:
            self.for_all.add(fn)
        return fn

    def at_end(self, fn: Step) -> Step:
        """What happens when the last phase of the last turn is over."""
        self.finale = fn
        return fn

    def scores(self, fn: Callable[[Game], str]) -> Callable[[Game], str]:
        """The score in few words for the hall: only what everybody knows, worked out after every action."""
        self.score = fn
        return fn

    def scores_rarely(self, fn: Callable[[Game], str]) -> Callable[[Game], str]:
        """The same where that takes long: worked out as a phase begins and at the end; in between the last one stands."""
        self.score_takes_long = True
        return self.scores(fn)

    def awaits(self, fn: Callable[[Game], Iterable[str]]) -> Callable[[Game], Iterable[str]]:
        """Which sides a phase of both sides still waits for, such as a sealed choice; none when it is over."""
        self.awaited = fn
        return fn

    def movers(self, game: Game) -> list[str]:
        """The sides whose move it is: the active one, those that are awaited, or all."""
        if game.active:
            return [game.active]
        late = list(self.awaited(game)) if self.awaited and not game.ended else []
        return late or list(game.sides)

    def attack_by(self, action: str, *, hex: str, units: str) -> None:
        """Let a tap on an enemy stack open an action's form with its hex filled in: `attack_by("resolve-combat", ...)`."""
        self.attacks.append(Attack(action, hex, units))

    def minds_moves(self, fn: Minds) -> Minds:
        """What is said after a move and hinders nobody: a stack too high, a way too long."""
        self.minds.append(fn)
        return fn

    def supplies(self, fn: Supply) -> Supply:
        """How this game traces supply; serves the supply page, the map and the one-tap check."""
        self.supply = fn
        return fn

    def sheet_of_battle(self, fn: BattleSheet) -> BattleSheet:
        """How an open battle stands before its roll: drawn live on every screen, for each seat from what it may know."""
        self.battle_sheet = fn
        return fn

    def deeds_of_battle(self, fn: BattleDeeds) -> BattleDeeds:
        """What was really done about a battle's result: on its card it stands in place of what the result asked for."""
        self.battle_deeds = fn
        return fn

    def faces_of(self, pile: str) -> Callable[[Faces], Faces]:
        """How chits or cards that were drawn in a battle read on every screen."""

        def define(fn: Faces) -> Faces:
            self.faces[pile] = fn
            return fn

        return define

    def outcome(self, worksheet: str) -> Callable[[Outcome], Outcome]:
        """What follows from a worksheet's result, whether the chart gave it or a player read it off his own."""

        def define(fn: Outcome) -> Outcome:
            self.outcomes[worksheet] = fn
            return fn

        return define

    def settle(
        self,
        game: Game,
        worksheet: str,
        sheet: Breakdown,
        seats: Iterable[str] = (),
        rule: str = "",
        battle: Battle | None = None,
    ) -> Iterator[e.Event]:
        """Record a worked-through sheet and what follows.

        With a blank chart cell (no `sheet.result`) the seats are asked to read their own chart; their answer
        then goes the same way.
        """
        body = sheet.to_json()
        number = battle.id if battle else 0
        yield e.Resolved(worksheet, body, sheet.result, battle=number)
        if sheet.result:
            yield from self.follows(game, worksheet, body, sheet.result, battle)
        elif sheet.read_chart:
            text, to = f"{sheet.title}: {sheet.read_chart}", tuple(seats) or (*game.sides, "table")
            yield owe(
                game,
                to,
                text,
                "enter-result",
                battle=battle,
                step=READ,
                rule=rule,
                worksheet=worksheet,
                sheet=body,
                codes=sheet.codes,
            )

    def follows(
        self, game: Game, worksheet: str, sheet: dict[str, Any], result: str, battle: Battle | None
    ) -> Iterator[e.Event]:
        """What follows from a result, whether the chart gave it or a player read it off his own."""
        outcome = self.outcomes.get(worksheet)
        if outcome is not None:
            known = (game, sheet, result, battle)
            yield from outcome(*known[: len(parameters(outcome))])

    def run(self, moment: str, game: Game) -> Iterator[e.Event]:
        """The events of all hooks of a moment. Events must be applied as they come."""
        phases = {"turn", game.phase}  # a hook may go on to the next one, whose hooks run there
        for hook in self.hooks:
            if hook.moment == moment and game.turn in hook.turns and hook.phase in phases:
                yield from hook.fn(game)

    def find(self, name: str) -> Action:
        """An action by name."""
        wanted = name.replace("_", "-")
        if wanted not in self.actions:
            raise Unknown(
                f"there is no action {name[:60]!r} in this game.{did_you_mean(wanted, self.actions)}",
                field="action",
                given=name,
                accepted=", ".join(sorted(self.actions)),
            )
        return self.actions[wanted]


def _in_full(game: Game, duty: e.Asked) -> str:
    """What is owed, with the battle that it is owed to, where its words do not say which."""
    battle = game.battles.get(duty.battle)
    hexes = battle.hexes if battle else ()
    if battle is None or not hexes or any(name in duty.text for name in (battle.title, *hexes)):
        return duty.text
    return f"{duty.text.rstrip('.?')} ({battle.title})"
