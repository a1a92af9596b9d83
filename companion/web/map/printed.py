"""The printed map as this installation knows it: its ground, its numbering, and the picture of both."""

from __future__ import annotations

import gzip

from flask import Response, request, url_for

from companion.engine.errors import Unreadable
from companion.engine.hexes.grid import Grid
from companion.engine.hexes.ground import MapBook
from companion.systems import System
from companion.web.current import tables
from companion.web.map import base
from companion.web.map.blueprint import bp

FOREVER = "public, max-age=31536000, immutable"


def ground(system: System) -> MapBook:
    """The rulebook's facts under the owner's."""
    book = MapBook.from_json(system.kit.map_facts)
    return book.merge(MapBook.from_json(tables().book(system).map))


def grids(system: System) -> tuple[Grid, ...]:
    """The game's maps, numbered as its owner says they are."""
    maps = tables().book(system).maps or system.kit.maps
    return maps.grids


_versions: dict[tuple[str, int], tuple[object, Grid, str, MapBook]] = {}


def version(system: System, index: int) -> tuple[str, MapBook]:
    """The address and the facts of a base map, worked out once while book and grid stay the same."""
    held, here = _versions.get((system.id, index)), grids(system)[index]
    owner = tables().book(system).map
    if held is None or held[0] is not owner or held[1] is not here:
        book = ground(system)
        held = _versions[system.id, index] = (owner, here, base.version(here, book), book)
    return held[2], held[3]


def base_url_of(system: System, index: int) -> str:
    return url_for("map.base_map", system=system.id, index=index, name=version(system, index)[0])


@bp.get("/map/<system>/<int:index>/<name>.svg")
def base_map(system: str, index: int, name: str) -> Response:
    """The ground and its numbers; its address changes with it, so a browser keeps it for good."""
    found = tables().system(system)
    if index >= len(grids(found)):
        raise Unreadable(f"{found.kit.system.name} has no map {index}", given=index)
    now, book = version(found, index)
    body = base.base_gzip(grids(found)[index], book, now)
    response = Response(body, mimetype="image/svg+xml")
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Cache-Control"] = FOREVER if name == now else "no-store"
    if "gzip" not in request.headers.get("Accept-Encoding", ""):
        response.set_data(gzip.decompress(body))
        del response.headers["Content-Encoding"]
    return response


def answered(system: System, grid: Grid) -> bool:
    """Whether the owner answered the map's one-look question."""
    body = tables().store.book_get(system.id, "grid") or {}
    return bool(body.get(grid.prefixes[0], {}).get("answer"))
