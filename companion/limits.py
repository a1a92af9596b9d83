"""How much anybody may send, keep or open: every cap of the companion with its reason, in one place.

One process serves a whole hall, so a request that works for a second keeps every table waiting for a second. Each cap
is far above what a game needs and low enough that the longest request it lets in takes a fraction of that.
This module imports nothing, so that engine, store and web may all read it.
"""

# -- a request -------------------------------------------------------------------------------------------

FORM_BYTES = 64 * 1024
"""A form or an API call: the longest honest one, 500 lines of positions, has 20 KB."""

UPLOAD_BYTES = 8 * 1024 * 1024
"""A saved game or a shared book: ten thousand events of a long campaign have 4 MB."""

SHEET_BYTES = 1024 * 1024
"""A spreadsheet, a map book, a page of 5,000 chart cells."""

FORM_FIELDS = 1000
"""Named values of one submission; the widest form (WB-95's combat) has 35, a supply check one per unit."""

SHEET_FIELDS = 6000
"""Named values of a chart book's page: one per cell, EDITS_AT_ONCE of them."""

KEY_LENGTH = 80
"""The longest name of a field; ours have up to 24 letters."""

UNKNOWN_FIELDS = 5
"""Unknown fields that are named with a guess of what was meant; the others are counted."""

VALUE_ITEMS = 700
"""Things named in one field (units, hexes, cards): every unit of a full table, and some."""

VALUE_LENGTH = 20_000
"""Characters of one value where the field itself sets no limit: 500 lines of positions."""

JSON_DEPTH = 20
"""How deep JSON may be nested; the deepest we write, a battle's breakdown inside an event, goes 8 deep."""

QUERY_LENGTH = 16_000
"""Characters of an address after its question mark; a prompt that names forty units has 1,000. The server itself reads
addresses of 8 KB; this holds where another one stands in its place."""

NUMBER_DIGITS = 18
"""Digits of a whole number before it is read: Python takes quadratic time for long ones and refuses very long ones."""

# -- words -----------------------------------------------------------------------------------------------

GUESS_LENGTH = 60
"""Characters of a wrong word that are compared with the right ones; names have at most 60."""

GUESS_AMONG = 2000
"""Right words that a wrong one is compared with, about 10 ms of work."""

TITLE = 80
"""A table's name, in the lobby and at the head of every page."""

NOTE = 500
"""A remark in the log."""

NAME = 60
"""A unit's name."""

TEXT = 20_000
"""Any text inside an imported game's event: the longest honest one is an asked question's worksheet, under 5 KB."""

# -- what a table holds ----------------------------------------------------------------------------------

UNITS = 600
"""Units on a table's record. The largest set-up we ship has 223, the largest box holds fewer than 600 combat units, and
pages that draw them all stay under a third of a second."""

MARKS = 1500
"""Units and hexes that carry markers in an imported game: every unit, and the greater part of a map."""

OPEN_QUESTIONS = 100
"""Prompts and reminders that wait for an answer at once; a hard-fought turn leaves about 20."""

# -- lines and lists -------------------------------------------------------------------------------------

ENTRY_LINES = 500
"""Lines of positions entered at once."""

ENTRY_LINE = 1000
"""Characters of one such line: about a hundred units."""

PROBLEMS = 40
"""Bad lines that are told one by one, each with a guess; after that reading stops or the others are counted."""

SHEET_CELLS = 5000
"""Cells of one chart or list: 500 rows of ten columns."""

MAP_LINES = 3000
"""Lines typed or pasted into a map book at once: more than a hex a line for the largest map (2,368 hexes)."""

LINE_HEXES = 500
"""Hexes that one such line may name, ranges spelled out: ten printed columns."""

MAP_FACTS = 20_000
"""Facts of a game's map book: eight a hex on the largest map."""

ROSTER_LINES, ROSTER_COLUMNS = 3000, 60
"""Lines and columns of a roster or of positions as a spreadsheet."""

ROSTER_UNITS = UNITS
"""Units of a scenario's roster in the chart book: what a table can hold."""

IMPORT_EVENTS = 20_000
"""Events of an imported game; a campaign of a whole summer has about 10,000. They are kept in one transaction, half a
second for so many (measured); all checks before it let other requests through."""

IMPORT_ITEMS = 2000
"""Things in one list or table inside an imported event: a supply check of every unit, and some."""

# -- tables ----------------------------------------------------------------------------------------------

NEW_TABLES_BURST = 40
NEW_TABLES_EVERY = 20.0
"""Tables that one address may found at once, and the seconds after which it may found one more. A convention's hall
may share one address, and its organiser opens 40 tables before the doors do; after that 180 an hour."""

LOBBY_PAGE = 30
"""Tables on one page of the lobby."""

# -- the hall --------------------------------------------------------------------------------------------

HALL_TABLES = 500
"""Tables that the organiser has at once in a round, those left out that were closed: more than the largest hall holds."""

HALL_NUMBER = 9999
"""The highest number on a table's card: four figures fill it."""

PLAYER = 60
"""A player's name, or those of a team, on a card."""

HALL_PLAYERS = 1000
"""Players in the organiser's list: two at every table of the largest hall."""

HALL_TOURNAMENTS = 20
"""Tournaments at once: each game four times."""

HALL_LINES = 3000
"""Lines of a list of players, pairs or results: every table of a large hall in ten rounds."""

HALL_LEVELS = 20
"""Levels of victory with points of their own: four games have three to five each."""
