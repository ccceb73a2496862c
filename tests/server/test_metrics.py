"""Metrics for Prometheus."""

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from mooe.client import ServerError


def fetched(server):
    """Return all metrics, (name, labels) to value."""
    text = server.client.request("GET", "/metrics", is_raw=True).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_what_was_asked_and_learnt_is_counted(server, model):
    server.client.predict_many(model, [{"a": 1}, {"a": 2}, {"a": 3}], ["x", "y", "z"])
    server.client.feedback_many(model, ["x", "x", "x", "nobody"], ["a", "a", "b", "a"])
    found = fetched(server)
    of = (("model", model),)
    assert found["mooe_predictions_total", of] == 3
    results = {"learned": 1, "duplicate": 1, "conflict": 1, "unknown": 1}
    for result, n in results.items():
        assert found["mooe_feedback_total", (*of, ("result", result))] == n
    assert found["mooe_pending_predictions", of] == 2
    assert found["mooe_labels_learnt", of] == 1
    assert found["mooe_experts", of] > 5
    assert found["mooe_feedback_delay_seconds_count", of] == 1
    weights = [
        v for (name, labels), v in found.items() if name == "mooe_expert_weight" and of[0] in labels
    ]
    assert abs(sum(weights) - 1.0) < 1e-9
    route = (("route", "/v1/models/{model}/predict"),)
    assert found["mooe_request_duration_seconds_count", route] >= 1


def test_what_is_refused_is_counted_by_its_route(server, model):
    with pytest.raises(ServerError, match="422"):
        server.client.tell(model, "restore", seq=-1)
    with pytest.raises(ServerError, match="404"):
        server.client.ask("nobody", "regime")
    found = fetched(server)
    for route, status in (("restore", "422"), ("regime", "404")):
        labels = (("route", f"/v1/models/{{model}}/{route}"), ("status", status))
        assert found["mooe_requests_total", labels] >= 1


def test_names_of_unknown_models_and_routes_make_no_series(server):
    for name in ("nobody1", "nobody2"):
        with pytest.raises(ServerError, match="404"):
            server.client.predict(name, {"a": 1})
    text = server.client.request("GET", "/metrics", is_raw=True).decode()
    assert not re.search("nobody", text)


def test_what_a_deleted_model_did_is_not_counted_for_ever(server):
    server.client.create("gone")
    server.client.feedback("gone", server.client.predict("gone", {"a": 1}).id, "yes")
    assert b'model="gone"' in server.server.metrics.text()
    server.client.delete("gone")
    assert b'model="gone"' not in server.server.metrics.text()
