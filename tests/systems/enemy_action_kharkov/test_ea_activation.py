"""Commands, Kampfgruppen and the consecutive activation restriction: 5.2, 6.1-6.3 with the rulebook's examples."""

from __future__ import annotations

from typing import Any

from harness import Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    activate,
    blank_table,
    cards,
    command,
    hand,
    mark,
    owners_book,
    play_event,
    put,
    set_,
    take,
)

from companion.engine.errors import NotNow, Unreadable, Warned


def impulse(t: Any, card: str, formation: str, **fields: Any) -> None:
    activate(t, card, formation, **fields)
    t.do(t.game.active, "end-impulse")


def test_an_army_is_barred_in_the_next_impulse_only() -> None:
    """6.3 example: 3rd Tank Army."""
    t = command()
    impulse(t, "P03", "3T")
    assert t.game["last-soviet"] == "3T"
    play_event(t)
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02")
    with refused(Unreadable, field="formations", given="3T"):
        t.do("soviet", "give-command", what="activate", formations="3T")
    t.do("soviet", "give-command", what="activate", formations="40")
    t.do("soviet", "end-impulse")
    play_event(t)
    assert t.game["last-soviet"] == "40"


def test_deploying_or_an_event_frees_the_formation() -> None:
    t = command()
    impulse(t, "P03", "3T")
    play_event(t)
    play_event(t)  # now the Soviet side plays an event
    assert t.game["last-soviet"] == ""


def test_kampfgruppe_takes_units_in_range_and_bars_their_corps() -> None:
    """6.2, 6.3 examples: Army Group South, marker on 1414, range 3."""
    t = command(turn=7)
    near = {"Raus": ("1413", "1513", "1314"), "XLVIII": ("1512",), "IISS": ("1713",), "XL": ("1415",)}
    for corps, places in near.items():
        for n, place in enumerate(places):
            put(t, "german", f"{corps} {n}", place, formation=corps)
    far = put(t, "german", "429-168-Raus", "0812", formation="Raus")
    put(t, "soviet", "enemy", "1414", formation="3T")
    take(t, "german", "P44")
    t.do("german", "play-card", card="P44")
    t.do("german", "give-command", what="kg", hex="1414", reach=3)
    active = t.game.marked("active")
    assert len(active) == 6 and far not in active
    assert t.game.mark("1414", "kg") == 3
    t.do("german", "end-impulse")
    assert set(t.game["last-german"].split(", ")) == {"Raus", "XLVIII", "IISS", "XL"}
    assert not t.game.marked("kg") and not t.game.marked("active")


def test_barred_units_are_left_out_of_a_kampfgruppe_but_not_of_mansteins() -> None:
    t = command(turn=7)
    raus = put(t, "german", "Raus 1", "1413", formation="Raus")
    xl = put(t, "german", "XL 1", "1513", formation="XL")
    set_(t, "last-german", "Raus")
    take(t, "german", "P44")
    t.do("german", "play-card", card="P44")
    t.do("german", "give-command", what="kg", hex="1413")
    assert set(t.game.marked("active")) == {xl}
    t = command(turn=7)
    raus = put(t, "german", "Raus 1", "1413", formation="Raus")
    set_(t, "last-german", "Raus")
    take(t, "german", "P26")
    t.do("german", "play-card", card="P26")
    t.do("german", "give-command", what="kg", hex="1413")
    assert set(t.game.marked("active")) == {raus}
    t.do("german", "end-impulse")
    assert t.game["last-german"] == "Raus"  # his own activations do bar


def test_front_card_takes_stacked_units_of_its_front_along() -> None:
    """5.2 example: Voronezh Front, 3rd Tank Army with 270.69 and 180.69 stacked."""
    t = command()
    put(t, "soviet", "1GC.3T", "1207", formation="3T", kind="cavalry")
    a = put(t, "soviet", "270.69", "1207", formation="69")
    b = put(t, "soviet", "180.69", "1207", formation="69")
    stranger = put(t, "soviet", "350.6", "1207", formation="6")
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02")
    with refused(Warned) as told:
        t.do("soviet", "give-command", what="activate", formations="3T", units=[stranger])
    assert told.value.said == ["350.6 cannot come along [5.2]"]
    t.do("soviet", "give-command", what="activate", formations="3T", units=[a, b])
    assert len(t.game.marked("active")) == 3
    t.do("soviet", "end-impulse", anyway=True)  # 7.4: four units in one hex are still owed
    assert t.game["last-soviet"] == "3T, 69"


def test_an_army_card_takes_nobody_along() -> None:
    t = command()
    put(t, "soviet", "1GC.3T", "1207", formation="3T")
    extra = put(t, "soviet", "270.69", "1207", formation="69")
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03")
    with refused(Warned) as told:
        t.do("soviet", "give-command", what="activate", formations="3T", units=[extra])
    assert told.value.said == ["270.69 cannot come along [5.2]"]


def test_one_unit_once_a_turn_and_no_attack() -> None:
    """6.1 and the 6.3 example AH-LAH-IISS."""
    t = command(turn=7)
    ah = put(t, "german", "AH-LAH-IISS", "1108", formation="IISS", kind="mechanised")
    take(t, "german", "P23")
    t.do("german", "play-card", card="P23")
    t.do("german", "give-command", what="one-unit", units=[ah])
    with refused(NotNow, given="declare-combat"):
        t.do("german", "declare-combat", small=1, steps=1)
    t.do("german", "end-impulse")
    assert t.game["last-german"] == "IISS" and t.game["one-unit-german"] == 7
    play_event(t)
    t.do("german", "play-card", card=hand(t, "german")[0])
    with refused(Unreadable, field="what", given="one-unit"):
        t.do("german", "give-command", what="one-unit", formations="XL")


def test_army_units_in_two_hexes_at_most() -> None:
    t = command()
    units = [
        put(t, "soviet", f"u{n}", place, formation="69") for n, place in enumerate(("0606", "0607", "0608"))
    ]
    take(t, "soviet", "P04")
    t.do("soviet", "play-card", card="P04")
    with refused(Warned) as told:
        t.do("soviet", "give-command", what="units", units=units)
    assert told.value.said == ["an Army Units card activates units in up to two hexes [5.2]"]
    t.do("soviet", "give-command", what="units", units=units[:2])


def test_commands_follow_the_type_of_card() -> None:
    t = command()
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03")
    with refused(Unreadable, field="what", given="replace"):
        t.do("soviet", "give-command", what="replace", formations="3T")  # before turn 3 [5.5]
    with refused(Unreadable, field="what", given="kg"):
        t.do("soviet", "give-command", what="kg", formations="3T")
    with refused(Unreadable, field="formations", given="40"):
        t.do("soviet", "give-command", what="activate", formations="40")  # another army's card
    with refused(NotNow, given="end-impulse"):
        t.do("soviet", "end-impulse")


def test_events_by_turn_and_card() -> None:
    rows = cards()
    rows["P03"]["events"] = "engineers, forward support (5+)"
    t = command(book=owners_book(cards=rows))
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03")
    with refused(Unreadable, field="event", given="forward support"):
        t.do("soviet", "give-command", what="event", event="forward support")
    t.do("soviet", "give-command", what="event", event="engineers")
    assert t.asked("soviet")[0]["action"] == "engineers"
    put(t, "soviet", "48G", "1207", formation="3T")
    t.answer("soviet", what="place", hexes="1207")
    assert t.game.mark("1207", "ip") == "soviet"
    t.do("soviet", "place-unit", unit="48g", hex="1307")
    assert not t.game.mark("1207", "ip")  # 12.24: left empty


def test_nkvd_event_lasts_the_turn() -> None:
    t = command()
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02")
    t.do("soviet", "give-command", what="event", event="nkvd")
    assert t.game["nkvd-turn"] == 1


def test_bars_and_one_unit_are_forgotten_with_the_turn() -> None:
    t = command("star-and-gallop")
    impulse(t, "P03", "3T")
    t.until("command", 2)
    assert t.game["last-soviet"] == ""


def test_the_panel_says_who_is_barred() -> None:
    t = command()
    impulse(t, "P03", "3T")
    panel = next(p for p in t.sees("soviet")["panels"] if p["title"] == "Impulse")
    barred = {"label": "Soviet barred: activated last impulse", "value": "3rd Tank Army", "rule": "6.3"}
    assert barred in panel["rows"]
    t.do("table", "set-barred", side="soviet", nothing=True)
    assert t.game["last-soviet"] == ""


def test_soviet_activation_builds_one_ip_german_any_number() -> None:
    """12.21, 12.22."""
    book = owners_book("town 1207 Testtown\n")
    t = command(book=book)
    for n, place in enumerate(("1205", "1206", "1207")):
        put(t, "soviet", f"u{n}", place, formation="3T")
    mark(t, "u1", "dispersed", "on")
    activate(t, "P03", "3T")
    for hexes, said in (
        ("1207", "1207 is a town or city [12.22]"),
        ("1205 1206", "a Soviet activation builds one position [12.21]"),
        ("1206", "1206: dispersed or unsupplied units build nothing [12.22]"),
    ):
        with refused(Warned) as told:
            t.do("soviet", "build-ip", hexes=hexes)
        assert said in told.value.said
    t.do("soviet", "build-ip", hexes="1205")
    with refused(Warned) as told:
        t.do("soviet", "build-ip", hexes="1205")
    assert "1205 has one already [12.22]" in told.value.said


# -- a real card whose manifest row is blank ------------------------------------------------------------------


def real_table() -> Bench:
    """Turn 1, the Soviet's first impulse: real cards, of which nobody has told anything."""
    t = blank_table(mode_cards="physical")
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    t.until("command")
    return t


def _asked(t: Bench, **values: Any) -> dict[str, Any]:
    """The fields of Play a card that are shown, with their choices."""
    rows = t.form(t.game.active, "play-real-card", **values)
    return {r["name"]: [o["value"] for o in r.get("choices") or ()] for r in rows if not r.get("quiet")}


def test_an_army_card_takes_no_other_army_into_its_kampfgruppe() -> None:
    """5.2, 6.2: only units of the army that the card names; which one is asked once, and kept."""
    t = real_table()
    set_(t, "impulse", "german")
    put(t, "german", "lah", "1712", formation="IISS")
    put(t, "german", "inf", "2012", formation="XL")
    said = {"card": "P30", "kind": "primary", "type": "german army", "what": "kg", "hex": "1911"}
    assert _asked(t, **said)["formation"] == ["4Pz", "1Pz"]
    with refused(Unreadable, field="formations", rule="5.2, 6.2"):
        t.do("german", "play-real-card", **said)
    t.do("german", "play-real-card", **said, formation="4Pz")
    assert [u for u in ("lah", "inf") if t.game.mark(u, "active")] == ["lah"]
    assert "formation" not in _asked(t, card="P30", what="kg")


def test_one_army_is_one_tap() -> None:
    """5.2: an Army card names one army: it is chosen, not ticked, and no barred one is offered [6.3]."""
    t = real_table()
    put(t, "soviet", "red", "1510", formation="3T")
    set_(t, "last-soviet", "40")
    said = {"card": "P05", "kind": "primary", "type": "army", "what": "activate"}
    asked = _asked(t, **said)
    assert asked["formation"] == ["3T", "69", "6", "1G", "MGP"] and "formations" not in asked
    t.do("soviet", "play-real-card", **said, formation="3T")
    assert t.game["command"]["for"] == ["3T"] and t.game.mark("red", "active")


def test_a_front_card_deploys_its_front() -> None:
    """5.3: the front is named, not its three armies."""
    t = real_table()
    said = {"card": "P09", "kind": "primary", "type": "front", "what": "deploy"}
    asked = _asked(t, **said)
    assert asked["formation"] == ["Voronezh", "Southwest"] and "formations" not in asked
    t.do("soviet", "play-real-card", **said, formation="Southwest")
    assert t.game["command"]["for"] == ["6", "1G", "MGP"]
