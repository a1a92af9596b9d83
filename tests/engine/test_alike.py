"""Lines that read alike are told once, and how many they are."""

from companion.engine.alike import counted, each_once, gathered, several


def test_alike_names_are_counted() -> None:
    assert counted(["Tank brigade", "Guards", "Tank brigade"]) == ["2 \u00d7 Tank brigade", "Guards"]
    assert several("a Soviet unit", 3) == "3 Soviet units" and several("a Soviet unit", 1) == "a Soviet unit"


def test_those_that_went_the_same_way_are_one_line() -> None:
    lines = [
        "A: 2719 \u2192 2619",
        "German VP: 2 \u2192 3",
        "B: 2719 \u2192 2619",
        "A: 2719 \u2192 2619",
        "B: 1 step",
        "a German unit: 2408",
        "a German unit: 2408",
        "Nobody advances.",
    ]
    assert gathered(lines) == [
        "2 \u00d7 A, B: 2719 \u2192 2619",
        "German VP: 2 \u2192 3",
        "B: 1 step",
        "2 German units: 2408",
        "Nobody advances.",
    ]
    assert gathered([]) == []


def test_what_became_of_units_keeps_their_number() -> None:
    """Three of one name are not one; those without a name are as many as did the same."""
    told = [
        ("t1", "Tank brigade", "turned over"),
        ("t2", "Tank brigade", "turned over"),
        ("t2", "Tank brigade", "eliminated"),
        ("t3", "Tank brigade", "turned over"),
        ("", "a German unit", "2619 \u2192 2620"),
        ("", "a German unit", "2619 \u2192 2620"),
    ]
    assert each_once(told) == [
        "2 \u00d7 Tank brigade: turned over",
        "Tank brigade: turned over, eliminated",
        "2 German units: 2619 \u2192 2620",
    ]


def test_units_marked_alike_are_told_in_one_line() -> None:
    lines = ["H2A 1: Disrupted off (recovery)", "FP 1: Disrupted off (recovery)", "Turn 1: German recovery"]
    assert gathered(lines) == ["H2A 1, FP 1: Disrupted off (recovery)", "Turn 1: German recovery"]
