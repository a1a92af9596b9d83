"""Ground conditions: five markers, mixed twice, face down until their turn comes near; campaign only [15.33]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import owe
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.seat.words import value_label
from companion.systems.enemy_action_kharkov.base import NOBODY, rules
from companion.systems.enemy_action_kharkov.manifest import ground_ready

PILE = "ground-markers"
FACES = [("frozen", "Frozen"), ("light-mud", "Light mud"), ("heavy-mud", "Heavy mud")]
FIRST, SECOND = (7, 8, 9, 10), (11, 12, 13)


def real_markers(game: Game) -> bool:
    """Whether the players mix real markers: by the table's setting, or because their faces are not entered."""
    return bool(game["mode-chits"] == "physical") or not ground_ready(game)


def face(game: Game, token: str) -> str:
    return str(game.face(PILE, token).get("face") or "")


def laid(game: Game, turn: int) -> list[str]:
    return game.piles[PILE][f"turn:{turn}"]


def _campaign(game: Game) -> bool:
    return game.scenario.id == "campaign"


def _to_lay(game: Game) -> tuple[int, ...]:
    """The turns whose markers should lie there by now and do not: of turn 6's mix, then of turn 10's [15.33]."""
    pile, coming = game.piles[PILE], _next_turn(game)
    if coming in SECOND:
        return () if pile["aside"] else SECOND  # the frozen one is put aside by the second mix
    return FIRST if coming in FIRST and not pile["unseen"] else ()


def _may_lay(game: Game) -> bool | str:
    if not _campaign(game) or _next_turn(game) not in (*FIRST, *SECOND):
        return "markers are laid at the end of turns 6 and 10 of the campaign [15.33]"
    if not _to_lay(game):
        return "they lie there already"
    return not real_markers(game) or "mix and lay your own markers, then enter the one turned up"


@rules.action(
    phase="end", by="any", rule="15.33", label="Mix and lay the ground markers", when=_may_lay, order=5
)
def lay_ground(game: Game, chance: Chance) -> Events:
    """Turn 6: four of five on turns 7 to 10. Turn 10: a frozen one aside, three of the other four on 11 to 13."""
    yield from _lay(game, chance)


def _lay(game: Game, chance: Chance) -> Events:
    turns, pile = _to_lay(game), game.piles[PILE]
    for zone in [z for z in pile.zones if z != "box" and pile[z]]:
        tokens = tuple(pile[zone])
        hidden = NOBODY if zone == "unseen" or zone.startswith("turn") else ()
        yield e.Returned(PILE, tokens, zone, "box", len(tokens), reason="gathered [15.33]", only=hidden)
    if turns == SECOND:
        frozen = next((t for t in pile["box"] if face(game, t) == "frozen"), None)
        if frozen is None:
            raise NotNow("no marker is frozen: check the ground markers in the owner's book", rule="15.33")
        yield e.Drawn(PILE, (frozen,), "box", "aside", 1, reason="one frozen marker stays out [15.33]")
    for turn in turns:
        yield chance.draw(
            game, PILE, "box", f"turn:{turn}", 1, only=NOBODY, reason=f"face down on turn {turn}"
        )
    rest = tuple(pile["box"])
    yield e.Drawn(PILE, rest, "box", "unseen", len(rest), reason="aside, unseen", only=NOBODY)


def _next_turn(game: Game) -> int:
    """The turn whose marker is to be known: the next one in the end phase, this one later."""
    return game.turn + 1 if game.phase == "end" else game.turn


def _may_reveal(game: Game) -> bool | str:
    turn = _next_turn(game)
    if not _campaign(game) or not 7 <= turn <= 13:
        return "ground markers are for turns 7 to 13 of the campaign [15.33]"
    return int(game["ground-known"]) < turn or "it is turned up already"


@rules.due_in("end", stays=True)
def ground_to_turn_up(game: Game) -> Iterator[str]:
    """The coming turn's marker is turned up before this one ends [15.33]."""
    if _may_reveal(game) is True:
        yield f"the ground marker of turn {game.turn + 1} is not turned up [15.33]"


def _must_tell(ctx: Context) -> bool:
    game = ctx.game
    return not laid(game, _next_turn(game)) and (real_markers(game) or not _to_lay(game))


Shows = Annotated[str, Choice(label="The marker shows", options=FACES, when=_must_tell)]


@rules.action(
    phase=("end", "reserve", "cards", "supply"),
    by="any",
    rule="15.33",
    label="Turn up the ground marker",
    when=_may_reveal,
    primary=True,
)
def reveal_ground(game: Game, chance: Chance, shows: Shows = "") -> Events:
    """Show the marker of the coming turn; with real markers, enter what it shows."""
    yield from _turn_up(game, chance, shows)


def _turn_up(game: Game, chance: Chance, shows: str) -> Events:
    turn = _next_turn(game)
    if not real_markers(game) and _to_lay(game):
        yield from _lay(game, chance)  # also when the tap was forgotten at the end of its turn
    under = laid(game, turn)
    shows = face(game, under[0]) if under else shows
    if not shows:
        raise NotNow(f"what does the marker of turn {turn} show?", field="shows", rule="15.33")
    yield e.Noted(f"Ground on turn {turn}: {value_label(game, 'ground', shows)}", rule="15.33")
    if under:
        yield e.Drawn(PILE, (under[0],), f"turn:{turn}", "shown", 1)
    yield e.Set("ground-known", turn)
    if game.phase == "end":
        yield e.Set("ground-next", shows, was=game["ground-next"], reason=f"turn {turn}", rule="15.33")
    else:
        yield e.Set("ground", shows, was=game["ground"], reason=f"turn {turn}", rule="15.34")


def _still_down(game: Game, duty: e.Asked) -> bool:
    """It is not known yet, and its turn not yet over."""
    turn = int(duty.args["turn"])
    return int(game["ground-known"]) < turn == game.turn and game.phase != "end"


@rules.follow_up(rule="15.33", label="Turn it up", still=_still_down)
def turn_up_late(game: Game, chance: Chance, shows: Shows = "") -> Events:
    """Turn up the marker of this turn, which nobody did at the end of the last one."""
    yield from _turn_up(game, chance, shows)
    if game["ground"] == "heavy-mud" and game.phase == "command":  # there is none: the turn goes on behind it
        yield from rules.run("leave", game)
        yield e.Advanced(game.turn, "mud-replacements")


@rules.entering("turn")
def ground_of_turn(game: Game) -> Events:
    """The condition that was turned up holds now; turns 1-6 and 14 are frozen [15.33, 15.34]."""
    wanted = str(game["ground-next"]) if _campaign(game) and 7 <= game.turn <= 13 else "frozen"
    known = int(game["ground-known"]) >= game.turn or not (_campaign(game) and 7 <= game.turn <= 13)
    now = wanted if known and wanted != "unknown" else "frozen"
    if now != game["ground"]:
        yield e.Set("ground", now, was=game["ground"], reason=f"turn {game.turn}", rule="15.34")
    coming = "unknown" if _campaign(game) and 6 <= game.turn <= 12 else "frozen"
    if game["ground-next"] != coming:
        yield e.Set("ground-next", coming, was=game["ground-next"])
    if not known:
        text = f"Turn up the ground marker of turn {game.turn}"
        yield owe(game, (*game.sides, "table"), text, turn_up_late, rule="15.33", turn=game.turn)
