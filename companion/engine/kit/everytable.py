"""The values that every table has, whatever the game."""

from __future__ import annotations

from typing import Any

TABLE_VALUES: dict[str, Any] = {
    "mode-dice": "either",
    "mode-chits": "either",
    "mode-cards": "either",
    "effort": "",
    "solo": False,
    "fog": True,
    "record": None,
    "judge": None,
    "judge-sees": (),
    "clock": "off",
    "clock-limit": "0",
    "spent": {},
    "clock-set": {},
    "cells": {},
    "faces": {},
    "entered": {},
    "disputed": (),
}
"""How dice, chits and cards are used, how much goes on record (empty until somebody says so), who sees what, a judge
called and the sides that he may look at, the sides' clocks (off, running or paused; minutes a side; seconds used, and
those set by hand), chart cells read off the printed chart in play, faces of cards and chits that lay open there, the hex
where reinforcements last came in by each entry, and endings by the rules that the players did not agree to."""
