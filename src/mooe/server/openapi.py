"""The OpenAPI 3.1 document, from the types that the server checks by, and a page of it."""

import json
import re
from html import escape
from http import HTTPStatus
from typing import Any

import msgspec

from mooe.server.routes import FILE, OPERATIONS, PROBLEM, Operation

REFERENCE = "#/components/schemas/{name}"
ALWAYS = (401,)  # where a token is set


def document(version: str) -> dict[str, Any]:
    """Return the OpenAPI document of all routes."""
    types = [kind for each in OPERATIONS for kind in (each.body, each.gives) if _is_type(kind)]
    schemas, components = msgspec.json.schema_components([*types, PROBLEM], ref_template=REFERENCE)
    by_type = {id(kind): schema for kind, schema in zip([*types, PROBLEM], schemas, strict=True)}
    paths: dict[str, dict[str, Any]] = {}
    for each in OPERATIONS:
        path = re.sub(r":\w+}", "}", each.path)
        paths.setdefault(path, {})[each.method.lower()] = _operation(each, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "mooe",
            "version": version,
            "description": "Predict now, learn when the label comes, lose nothing.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
    }


def _is_type(kind: Any) -> bool:
    """Whether what a route takes or gives is a type, and no media type."""
    return kind is not None and not isinstance(kind, str)


def _operation(each: Operation, schemas: dict[int, Any]) -> dict[str, Any]:
    """Return what the document says of a route."""
    told: dict[str, Any] = {
        "operationId": f"{each.method.lower()}{re.sub(r'[^a-z]+', '_', each.path.lower())}".strip(
            "_"
        ),
        "summary": each.summary,
        "responses": {**_success(each, schemas), **_failures(each, schemas)},
    }
    if each.is_open:
        told["security"] = []
    parameters = [_path_parameter(*found) for found in re.findall(r"{(\w+)(?::(\w+))?}", each.path)]
    parameters += [
        {
            "name": name,
            "in": "query",
            "description": words,
            "schema": {"type": "integer", "minimum": 1},
        }
        for name, words in each.parameters.items()
    ]
    if parameters:
        told["parameters"] = parameters
    if each.body is not None:
        content: dict[str, Any] = {"application/json": {"schema": schemas[id(each.body)]}}
        if each.example is not None:
            content["application/json"]["example"] = each.example
        if each.takes_file:
            content[FILE] = {"schema": {"type": "string", "format": "binary"}}
        told["requestBody"] = {"required": True, "content": content}
    return told


def _path_parameter(name: str, kind: str) -> dict[str, Any]:
    """Return what the document says of a part of a path."""
    schema: dict[str, Any] = (
        {"type": "integer"} if kind == "int" else {"type": "string", "minLength": 1}
    )
    if name == "model":
        schema["pattern"] = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$"
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _success(each: Operation, schemas: dict[int, Any]) -> dict[str, Any]:
    """Return what the document says of the answer of a route."""
    if each.gives is None:
        return {"204": {"description": "done"}}
    media = each.gives if isinstance(each.gives, str) else "application/json"
    schema = schemas[id(each.gives)] if _is_type(each.gives) else {"type": "string"}
    content: dict[str, Any] = {media: {"schema": schema}}
    if each.shows is not None:
        content[media]["example"] = each.shows
    told = {"200": {"description": "fine", "content": content}}
    if each.takes_file:
        told["201"] = {"description": "made", "content": content}
    return told


def _failures(each: Operation, schemas: dict[int, Any]) -> dict[str, Any]:
    """Return what the document says of the errors of a route."""
    content = {"application/problem+json": {"schema": schemas[id(PROBLEM)]}}
    statuses = sorted({*each.errors, *(() if each.is_open else (*ALWAYS, 503))})
    return {
        str(status): {"description": HTTPStatus(status).phrase, "content": content}
        for status in statuses
    }


STYLE = """
:root { color-scheme: light dark; --line: #8884; --code: #8882 }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem }
h2 { font-size: 1rem; border-top: 1px solid var(--line); padding-top: 1rem; margin: 1.5rem 0 0 }
h2 code { font-size: 1rem; overflow-wrap: anywhere } b { display: inline-block; min-width: 4.5rem }
pre, code { font-family: ui-monospace, monospace; font-size: .875rem }
pre { background: var(--code); padding: .75rem; overflow-x: auto; border-radius: .25rem }
p { margin: .25rem 0 } summary { cursor: pointer }
"""


def page(told: dict[str, Any]) -> str:
    """Return the document as a page, which needs nothing but itself."""
    parts = []
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            parts.append(_section(method, path, operation))
    schemas = json.dumps(told["components"]["schemas"], indent=2)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'><title>mooe: routes</title>"
        f"<style>{STYLE}</style><main><h1>mooe {escape(told['info']['version'])}</h1>"
        f"<p>{escape(told['info']['description'])} For machines: "
        f"<a href='openapi.json'>openapi.json</a>.</p>{''.join(parts)}"
        f"<h2>Types</h2><details><summary>All types</summary><pre>{escape(schemas)}</pre></details>"
        "</main></html>"
    )


def _section(method: str, path: str, operation: dict[str, Any]) -> str:
    """Return what the page says of a route."""
    lines = [f"<h2><b>{method.upper()}</b> <code>{escape(path)}</code></h2>"]
    lines.append(f"<p>{escape(operation['summary'])}</p>")
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    shown = operation["responses"].get("200", {}).get("content", {}).get("application/json", {})
    for words, about in (("send", body), ("get", shown)):
        if "example" in about:
            lines.append(
                f"<p>{words}</p><pre>{escape(json.dumps(about['example'], indent=2))}</pre>"
            )
    errors = [status for status in operation["responses"] if int(status) >= 400]
    if errors:
        lines.append(f"<p>errors: {', '.join(errors)}</p>")
    return "".join(lines)
