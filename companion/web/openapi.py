"""The OpenAPI document, written from the routes and the games' worksheets."""

from __future__ import annotations

from typing import Any

from companion import __version__
from companion.tables.tables import Tables

_TYPES = {"whole": "integer", "flag": "boolean"}
_DICE = (
    "A dice field left out is rolled by the companion. Real dice are an array or a text with the dice apart "
    "([6, 6], '6 6'); one number for several dice ('12' for 2d6) is their sum before any plus, or is refused "
    "where each die counts (the field's `sum` is null). Digits are never split."
)


def _operation(summary: str, **more: Any) -> dict[str, Any]:
    error = {
        "description": "A mistake, with field and remedy",
        "content": _json({"$ref": "#/components/schemas/Error"}),
    }
    done = more.pop("done", "200")
    answers = {done: {"description": "Done", "content": _json({"type": "object"})}}
    return {"summary": summary, "responses": answers | {"4XX": error}, **more}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _path(name: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


_SEAT = {
    "name": "seat",
    "in": "query",
    "schema": {"type": "string"},
    "description": "which of the held seats",
}


def document(tables: Tables) -> dict[str, Any]:
    """The whole document; every worksheet of every game is a path of its own."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Kharkov companion", "version": __version__},
        "paths": {**_tables(), **_worksheets(tables)},
        "components": {
            "securitySchemes": {"seat": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": _ERROR},
        },
    }


_ERROR = {
    "type": "object",
    "required": ["error", "field", "given", "accepted", "rule"],
    "properties": {
        "error": {"type": "string"},
        "field": {"type": "string"},
        "given": {"type": ["string", "null"]},
        "accepted": {"type": "string"},
        "rule": {"type": "string"},
    },
}


def _tables() -> dict[str, Any]:
    bearer: list[dict[str, list[str]]] = [{"seat": []}, {}]
    body = {"requestBody": {"content": _json({"type": "object"})}}
    code = [_path("code"), _SEAT]
    return {
        "/api/systems": {"get": _operation("Games, scenarios, options and worksheets")},
        "/api/tables": {"post": _operation("Found a table", done="201", **body)},
        "/api/tables/{code}": {
            "get": _operation("The table as the bearer sees it", parameters=code, security=bearer)
        },
        "/api/tables/{code}/actions": {
            "get": _operation("What the bearer may do now, with fields", parameters=code, security=bearer)
        },
        "/api/tables/{code}/actions/{name}": {
            "post": _operation(
                "Do something", description=_DICE, parameters=[*code, _path("name")], security=bearer, **body
            )
        },
        "/api/tables/{code}/seats": {
            "get": _operation("Who sits where, and free seats' links", parameters=code, security=bearer)
        },
        "/api/tables/{code}/events": {
            "get": _operation(
                "Events as the bearer may see them",
                parameters=[
                    *code,
                    {"name": "since", "in": "query", "schema": {"type": "integer", "minimum": 0}},
                ],
                security=bearer,
            )
        },
    }


def _worksheets(tables: Tables) -> dict[str, Any]:
    found = {}
    for system in tables.systems.values():
        for sheet in system.rules.worksheets.values():
            properties = {
                name: {"type": _TYPES.get(field.type, "string"), "description": field.label or name}
                for name, field in sheet.fields.items()
            }
            schema = {"type": "object", "properties": properties, "additionalProperties": False}
            found[f"/api/calc/{system.id}/{sheet.name}"] = {
                "post": _operation(
                    f"{system.kit.system.name}: {sheet.title}", requestBody={"content": _json(schema)}
                )
            }
    return found
