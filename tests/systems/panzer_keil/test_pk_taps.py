"""What is said before a stack is put down on the map: retreats, disruption, zones, whose phase it is."""

from __future__ import annotations

from harness import Bench
from systems.panzer_keil.pk_battle import battle, hit
from systems.panzer_keil.pk_bench import actions, go, mark, offered, put, reply, table, warned


def tap(t: Bench, seat: str, unit: str, hex_id: str, **fields: object) -> None:
    t.do(seat, "move-stack", units=[unit], hex=hex_id, **fields)


def beaten(result: str) -> Bench:
    """A Soviet in 2040 attacked from 2041."""
    t = battle({"ss-w-1": "2041"}, [2])
    hit(t, result, "ss-w-1")
    return t


def test_a_retreat_on_the_map_into_an_enemy_zone_is_said_first_and_stays_owed() -> None:
    """9.7.2: 2141 touches the attackers in 2041."""
    t = beaten("D1")
    assert "2141" not in offered(t, "soviet", "retreat")
    with warned("9.7.2"):
        tap(t, "soviet", "voronezh-1", "2141")
    assert t.game.units["voronezh-1"].place == "2040" and "retreat" in actions(t, "soviet")
    tap(t, "soviet", "voronezh-1", "2141", anyway=True)
    assert t.game.units["voronezh-1"].place == "2141" and "retreat" not in actions(t, "soviet", live=False)


def test_a_retreat_on_the_map_to_where_it_may_end_is_done_without_a_word() -> None:
    """9.7: the same hexes as on the card, though it is the other side's phase and the unit may be disrupted."""
    t = beaten("D1")
    tap(t, "soviet", "voronezh-1", offered(t, "soviet", "retreat")[0])
    assert "retreat" not in actions(t, "soviet", live=False)


def test_a_retreat_is_moved_by_the_player_whose_it_is() -> None:
    """9.6, 9.7: D2D is moved by the attacker."""
    t = beaten("D2D")
    with warned("9.7"):
        tap(t, "soviet", "voronezh-1", offered(t, "german", "retreat")[0])
    assert "retreat" in actions(t, "german")


def test_a_disrupted_unit_does_not_move_and_not_in_the_other_sides_phase() -> None:
    """8.5.1, 4.1"""
    t = table()
    put(t, "voronezh-2", "1030")
    mark(t, "voronezh-2", "disrupted", "d")
    go(t, "soviet-move")
    with warned("8.5.1"):
        tap(t, "soviet", "voronezh-2", "1031")
    go(t, "german-move")
    with warned("8.5.1", "4.1"):
        tap(t, "soviet", "voronezh-2", "1031")
    mark(t, "voronezh-2", "disrupted", "off")
    with warned("4.1"):
        tap(t, "soviet", "voronezh-2", "1031")
    go(t, "soviet-move")
    tap(t, "soviet", "voronezh-2", "1031")
    assert t.game.units["voronezh-2"].place == "1031"


def test_straight_from_one_enemy_zone_into_another() -> None:
    """8.4.4"""
    t = table()
    put(t, "h2a-1", "1030")
    put(t, "voronezh-1", "0930")
    go(t, "german-move")
    there = set(t.game.maps.neighbours("1030")) & set(t.game.maps.neighbours("0930"))
    away = set(t.game.maps.neighbours("1030")) - there - {"0930"}
    with warned("8.4.4"):
        tap(t, "german", "h2a-1", min(there))
    tap(t, "german", "h2a-1", min(away))
    assert t.game.units["h2a-1"].place == min(away)


def test_an_advance_may_be_made_on_the_map() -> None:
    """9.8: into the vacated hex, out of one zone into another."""
    t = beaten("D1")
    put(t, "voronezh-5", "2140")
    reply(t, "soviet", "retreat", to=offered(t, "soviet", "retreat")[0])
    assert "advance" in actions(t, "german")
    tap(t, "german", "ss-w-1", "2040")
    assert t.game.units["ss-w-1"].place == "2040"
