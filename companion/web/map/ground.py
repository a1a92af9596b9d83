"""The map book's pages: the ground typed, tapped or read from a file; how the map is numbered."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Response, jsonify, make_response, render_template, request, url_for

from companion.engine.errors import Mistake, Unknown
from companion.engine.hexes.grid import Grid
from companion.engine.hexes.gridbook import owner_grid, read_limits
from companion.engine.hexes.ground import FIXED, RULEBOOK, Fact, MapBook, Vocabulary
from companion.engine.hexes.groundtext import BadMapLine, enter, read_csv
from companion.engine.hexes.maps import Maps
from companion.systems import System
from companion.tables.tables import utc_now
from companion.web.book.lock import may_edit, require_edit
from companion.web.current import tables
from companion.web.elsewhere import see_other
from companion.web.intake import number
from companion.web.map.blueprint import bp, reply
from companion.web.map.canvas import canvas_of
from companion.web.map.printed import base_url_of, grids, ground
from companion.web.page import is_htmx, target

SHOWN = 120


@lru_cache(16)
def vocabulary(folder: Path) -> Vocabulary:
    """The words that a game's map book takes."""
    return Vocabulary.from_toml(
        tomllib.loads((folder / "grid.toml").read_text(encoding="utf-8")).get("map", {})
    )


def maps_of(system: System) -> Maps:
    return tables().book(system).maps or system.kit.maps


def change(system: System, how: Any) -> None:
    """Rewrite the owner's book from the whole one in a transaction; open tables take it over at once."""
    shipped = MapBook.from_json(system.kit.map_facts)

    def rewrite(body: dict[str, Any] | None) -> dict[str, Any]:
        whole = shipped.merge(MapBook.from_json(body or {}))
        how(whole)
        own = {fact: by for fact, by in whole.facts.items() if by != RULEBOOK}
        return MapBook(own, set(whole.removed)).to_json()

    tables().store.book_change(system.id, "map", rewrite, utc_now())
    tables().book_changed()


def fact_words(fact: Fact) -> str:
    """A fact as it would be typed."""
    if fact.kind in ("terrain", "side"):
        return f"{fact.a}{'-' + fact.b if fact.b else ''} {fact.value}"
    if fact.kind == "link":
        return f"{fact.value} {fact.a} {fact.b}"
    if fact.kind in ("area", "line", "source", "edge"):
        return f'{fact.kind} "{fact.value}" {fact.a}{"-" + fact.b if fact.b else ""}'
    return f"{fact.kind} {fact.a} {fact.value}"


def context(system: System, index: int) -> dict[str, Any]:
    """What the map book's page shows."""
    here, shipped = grids(system), shipped_grid(system, index)
    grid, book, words = here[index], ground(system), vocabulary(system.kit.folder)
    query = request.values.get("q", "").strip()
    found = sorted(
        (f, by)
        for f, by in book.facts.items()
        if f.a in grid.index and (not query or query.casefold() in fact_words(f).casefold())
    )
    groups: dict[tuple[str, str, str], list[str]] = {}
    for fact, by in found:
        where = f"{fact.a}-{fact.b}" if fact.b else fact.a
        groups.setdefault((fact.kind, fact.value, by), []).append(where)
    counts: dict[str, list[int]] = {}
    for fact, by in book.facts.items():
        if fact.a in grid.index:
            tally = counts.setdefault(fact.kind if fact.kind in FIXED else "place", [0, 0])
            tally[0 if by == RULEBOOK else 1] += 1
    canvas = canvas_of(grid)
    stored = (tables().store.book_get(system.id, "grid") or {}).get(grid.prefixes[0], {})
    return {
        "kit": system.kit.system,
        "system": system.id,
        "grid": grid,
        "index": index,
        "maps": [(i, g.name or g.prefixes[0]) for i, g in enumerate(here)],
        "words": words,
        "base": base_url_of(system, index),
        "view_box": canvas.view_box,
        "shape": canvas.shape(0.97),
        "size": (canvas.width, canvas.height),
        "facts": [(f, fact_words(f), by) for f, by in found[:SHOWN]],
        "groups": sorted(groups.items()),
        "more": max(0, len(found) - SHOWN),
        "total": len(found),
        "counts": sorted(counts.items()),
        "blank": book.blank,
        "q": query,
        "answer": stored.get("answer", ""),
        "own_limits": bool(stored.get("columns")),
        "shipped": shipped,
        "may_edit": may_edit(),
        "problems": [],
        "done": "",
        "text": "",
    }


def page(system: System, index: int, status: int = 200, **more: Any) -> Response:
    """The whole page, or the part that htmx asked for."""
    name = "mapbook_facts.html" if is_htmx() and target() == "facts" else "mapbook.html"
    return reply(render_template(name, **{**context(system, index), "back": back(), **more}), status)


def back() -> str:
    """The table's map from which somebody came to say how it is numbered; never a page elsewhere."""
    given = request.values.get("back", "")
    return given if given.startswith("/t/") and given.isprintable() else ""


def place() -> int:
    """Which of the game's maps is meant; what is no number is the first."""
    return number(request.values.get("map", "0")) or 0


def shipped_grid(system: System, index: int) -> Grid:
    """One of the game's maps as the kit has it."""
    if index >= len(system.kit.maps.grids):
        most = len(system.kit.maps.grids) - 1
        raise Unknown(f"{system.kit.system.name} has no map {index}: 0 to {most}", given=index)
    return system.kit.maps.grids[index]


@bp.get("/book/<system>/map")
def map_book_page(system: str) -> Response:
    """What is known of a map and who said so; ways to add to it."""
    return page(tables().system(system), place())


@bp.post("/book/<system>/map")
def type_facts(system: str) -> Response:
    """Lines typed or tapped in: good ones count, bad ones come back with their numbers."""
    require_edit()
    found, text = tables().system(system), request.form.get("text", "")
    problems: list[BadMapLine] = []
    try:
        change(
            found,
            lambda book: problems.extend(enter(book, text, maps_of(found), vocabulary(found.kit.folder))),
        )
    except Mistake as mistake:
        return page(found, place(), 422, problems=[mistake.message], text=text)
    messages = [p.message for p in problems]
    bad, good = _sorted_out(text, problems)
    if request.headers.get("Accept", "").startswith("application/json"):
        body = {"problems": messages, "base": base_url_of(found, place()), "blank": ground(found).blank}
        return make_response(jsonify(body), 422 if problems else 200)
    words = f"{good} line{'s' if good != 1 else ''} entered." if good else ""
    return page(found, place(), 422 if problems else 200, problems=messages, text=bad, done=words)


def _sorted_out(text: str, problems: Sequence[BadMapLine]) -> tuple[str, int]:
    """The lines that were not entered, to be put right, and how many were."""
    lines = text.splitlines()
    wrong = {p.number for p in problems}
    rest = next((p.number for p in problems if p.rest), len(lines) + 1)
    bad = [line for n, line in enumerate(lines, 1) if n in wrong or n >= rest]
    good = sum(bool(line.strip()) for line in lines) - sum(bool(line.strip()) for line in bad)
    return "\n".join(bad), good


@bp.post("/book/<system>/map/import")
def import_facts(system: str) -> Response:
    """A map book from a file, laid over this one; rows that cannot be read are all named."""
    require_edit()
    found = tables().system(system)
    sent = request.files.get("file")
    text = (
        sent.read().decode("utf-8-sig", "replace") if sent and sent.filename else request.form.get("csv", "")
    )
    try:
        book, problems = read_csv(text, maps_of(found), vocabulary(found.kit.folder))
    except Mistake as mistake:
        return page(found, place(), 422, problems=[mistake.message])

    def lay_over(whole: MapBook) -> None:
        for fact in book.removed:
            whole.remove(fact)
        for fact in book.facts:
            if fact not in whole.facts:
                whole.add(fact)

    if book.facts or book.removed:
        change(found, lay_over)
    count = len(book.facts) + len(book.removed)
    return page(
        found,
        place(),
        422 if problems else 200,
        problems=[p.message for p in problems],
        done=f"{count} facts read." if count else "",
    )


@bp.get("/book/<system>/map.csv")
def export_facts(system: str) -> Response:
    """The whole map book as a spreadsheet, to share with a club."""
    found = tables().system(system)
    response = Response(ground(found).to_csv(), mimetype="text/csv")
    response.headers["Content-Disposition"] = f'attachment; filename="{found.id}-map.csv"'
    return response


@bp.post("/book/<system>/map/grid")
def answer_grid(system: str) -> Response:
    """The answer to the one-look question, or the limits read off the sheet."""
    require_edit()
    found, index = tables().system(system), place()
    shipped = shipped_grid(found, index)
    entry: dict[str, Any] = {}
    try:
        if "answer" in request.form:
            say = request.form["answer"]
            if say and say not in {layout.say for layout in shipped.answers}:
                raise Unknown(f"{say[:60]!r} is not one of the answers", given=say)
            entry["answer"] = say
        elif "reset" in request.form:
            entry |= {"columns": None, "rows": None}
        else:
            entry |= read_limits(shipped, request.form)
    except Mistake as mistake:
        return page(found, index, 422, problems=[mistake.message])
    prefix = shipped.prefixes[0]

    def write(body: dict[str, Any] | None) -> dict[str, Any]:
        whole = dict(body or {})
        kept = {k: v for k, v in {**whole.get(prefix, {}), **entry}.items() if v}
        owner_grid(shipped, kept)
        return {**whole, prefix: kept}

    tables().store.book_change(found.id, "grid", write, utc_now())
    tables().book_changed()
    return see_other(back() or url_for("map.map_book_page", system=found.id, map=index))
