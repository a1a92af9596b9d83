"""Record games with the code as it is now: `python -m tests.games.record NAME ...` from the repository's folder.

Without a name, every game that has no files yet is played and written. A recording is never made again: it shows
what an earlier version wrote, and what it wrote cannot be asked of today's code. See README.md beside this file.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "systems" / "kharkov_battles")]  # as pytest has it

from .expected import names  # noqa: E402
from .plays import enemy_action, features, kharkov_battles, panzer_keil, second_kharkov, wb95  # noqa: E402
from .recorder import record  # noqa: E402

GAMES: dict[str, Callable[[], None]] = {
    "second-kharkov-historical": second_kharkov.historical,
    "second-kharkov-alternative": second_kharkov.alternative,
    "panzer-keil-winter-1943": panzer_keil.winter_1943,
    "enemy-action-initial-assault": enemy_action.initial_assault,
    "enemy-action-star-and-gallop": enemy_action.star_and_gallop,
    "enemy-action-campaign": enemy_action.campaign,
    "kharkov-battles-operation-star": kharkov_battles.operation_star,
    "kharkov-battles-second-kharkov-k": kharkov_battles.second_kharkov_k,
    "kharkov-battles-third-kharkov-l": kharkov_battles.third_kharkov_l,
    "kharkov-battles-january-campaign": kharkov_battles.january_campaign,
    "kharkov-battles-grand-campaign": kharkov_battles.grand_campaign,
    "wb95-kharkov-1942": wb95.kharkov_1942,
    "wb95-kharkov-1943": wb95.kharkov_1943,
    "wb95-black-snow": wb95.black_snow,
    "undo": features.undo,
    "ending-taken-back": features.ending_taken_back,
    "ending-by-consent": features.ending_by_consent,
    "lost-tablet": features.lost_tablet,
    "fog-of-war": second_kharkov.fog,
    "sealed-missions": wb95.sealed_missions,
    "hidden-hands": enemy_action.hidden_hands,
    "face-down-chits": kharkov_battles.face_down_chits,
    # The same evenings once more, as they are played since battles are in the record.
    "battles-second-kharkov": second_kharkov.historical,
    "battles-panzer-keil": panzer_keil.winter_1943,
    "battles-enemy-action": enemy_action.star_and_gallop,
    "battles-kharkov-battles": kharkov_battles.third_kharkov_l,
    "battles-wb95": wb95.kharkov_1943,
    "battles-hidden-hands": enemy_action.hidden_hands,
}


def main() -> None:
    """Play and write the games named, or all that are not recorded yet."""
    parser = argparse.ArgumentParser(prog="python -m tests.games.record", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(GAMES))
    parser.add_argument("--into", type=Path, default=HERE, help="another folder, to try a play out")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in GAMES]
    if unknown:
        parser.error(f"there is no game {unknown[0]!r}: {', '.join(GAMES)}")
    again = [name for name in args.names if name in names(args.into)]
    if again:
        parser.error(f"{again[0]} is recorded already: recordings are only added, never made again")
    with tempfile.TemporaryDirectory() as work:
        for name in args.names or [n for n in GAMES if n not in names(args.into)]:
            for path in record(name, GAMES[name], Path(work), args.into):
                print(f"{path.stat().st_size:8} {path.name}", flush=True)


if __name__ == "__main__":
    main()
