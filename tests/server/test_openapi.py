"""The OpenAPI document: valid, complete, and true: schemathesis finds no server error."""

import json

import msgspec
import pytest

from mooe.server.openapi import document, page
from mooe.server.routes import OPERATIONS

TOLD = document("1.2.3")


def test_the_document_is_valid():
    validate = pytest.importorskip("openapi_spec_validator").validate
    validate(json.loads(json.dumps(TOLD)))


def test_every_route_is_in_it_with_examples_that_its_types_take():
    for each in OPERATIONS:
        path = each.path.replace(":int}", "}").replace(":path}", "}")
        told = TOLD["paths"][path][each.method.lower()]
        assert told["summary"].endswith(".")
        if each.example is not None:
            msgspec.convert(each.example, each.body)
        if each.shows is not None:
            msgspec.convert(each.shows, each.gives)
    names = [one["operationId"] for methods in TOLD["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names) == len(OPERATIONS)


def test_the_page_has_every_route_and_needs_nothing_from_elsewhere(server):
    text = server.client.request("GET", "/docs", is_raw=True).decode()
    assert "http" not in text.replace("http-equiv", "").partition("</style>")[2].split("Types")[0]
    for path in TOLD["paths"]:
        assert f"<code>{path}</code>" in text
    assert "<script" not in text
    assert page(TOLD)


def test_hostile_requests_find_no_server_error(server):
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    server.client.create("fuzz")
    server.client.create("behind", shadow_of="fuzz")
    schema = schemathesis.openapi.from_dict(server.client.request("GET", "/openapi.json"))
    cases = []
    for result in schema.get_all_operations():
        operation = result.ok()
        if not operation.path.endswith("/events"):
            cases.append(operation.as_strategy())
    found = []

    @settings(
        max_examples=250,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(st.one_of(cases), st.booleans())
    def ask(case, is_known):
        if is_known and "model" in case.path_parameters and case.method != "DELETE":
            case.path_parameters["model"] = "fuzz"
        answer = case.call(base_url=server.url)
        if answer.status_code >= 500:
            found.append((case.method, case.formatted_path, case.body, answer.text))

    ask()
    assert found == []
    assert server.platform.check() == []
