"""Everything that every table can do, whatever the game."""

from __future__ import annotations

from companion.engine.play.consent import consent_rules
from companion.engine.play.corrections import correction_rules
from companion.engine.play.phases import phase_rules
from companion.engine.play.rules import Rules
from companion.engine.play.seats import seat_rules
from companion.engine.play.talk import talk_rules
from companion.engine.play.units import unit_rules

common = Rules("common", unit_rules, seat_rules, consent_rules, phase_rules, correction_rules, talk_rules)
