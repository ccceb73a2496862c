"""Routes: each is documented, and those that test_app does not ask are asked here."""

from pathlib import Path

import pytest

from mooe.client import ServerError
from mooe.server.routes import OPERATIONS

DOCS = Path(__file__).parents[2] / "docs" / "server.md"


def test_every_route_is_in_the_documents():
    text = DOCS.read_text(encoding="utf-8")
    for each in OPERATIONS:
        path = (
            each.path.replace("/v1/models/{model}", "…")
            .replace(":int}", "}")
            .replace(":path}", "}")
        )
        words = (
            f"`{each.method} {path}`" if path != "…" else f"`{each.method} /v1/models/{{model}}`"
        )
        assert words in text, f"docs/server.md must name {words}"


def test_regimes_are_named_and_answers_explained(server, model):
    client = server.client
    for i in range(300):
        client.learn(model, {"a": i % 7, "b": i % 3}, "yes" if i % 7 > 3 else "no")
    number = client.ask(model, "regime")["number"]
    named = client.request("PUT", f"/v1/models/{model}/regimes/{number}", {"title": "summer"})
    assert [each["title"] for each in named if each["number"] == number] == ["summer"]
    assert client.ask(model, "regime")["title"] == "summer"
    client.predict(model, {"a": 6, "b": 1}, "why")
    told = client.tell(model, "explain", id="why")
    assert told["sentence"].startswith("yes, with a probability")
    assert told["inputs"][0]["column"] == "a"
    assert abs(sum(vote["weight"] for vote in told["votes"]) - 1.0) < 1e-9


def test_a_model_that_is_deleted_while_all_are_listed_is_left_out(server, model, monkeypatch):
    names = server.platform.models
    monkeypatch.setattr(server.platform, "models", lambda: [*names(), "deleted-meanwhile"])
    assert model in [each["name"] for each in server.client.models()]


def test_settings_change_and_what_waits_is_listed(server, model):
    client = server.client
    facts = client.request("PUT", f"/v1/models/{model}/settings", {"default_label": "no"})
    assert facts["settings"]["default_label"] == "no"
    client.predict_many(model, [{"a": 1}] * 3, ["a/b", "c d", "é"])
    assert [each["id"] for each in client.ask(model, "pending?limit=2")] == ["a/b", "c d"]
    assert client.ask(model, "predictions/a/b")["status"] == "pending"
    assert client.tell(model, "expire", before=4e9) == {"n": 3}
    assert client.ask(model, "predictions/c%20d")["label"] == "no"
    for query in ("0", "x", "99999999999999", "000000001000" + "9" * 30, "9" * 5000):
        for what in ("pending?limit", "comparison?window", "overview?window"):
            with pytest.raises(ServerError, match=r"422: \w+ must be a number from 1 to"):
                client.ask(model, f"{what}={query}")


def test_snapshots_are_saved_and_gone_back_to(server, model):
    client = server.client
    client.learn_many(model, [{"a": i} for i in range(10)], ["x"] * 10)
    assert client.tell(model, "snapshots")["seq"] == 10
    with pytest.raises(ServerError, match="seq or before"):
        client.tell(model, "restore")
    assert client.tell(model, "restore", before=1.0) == {"n": 10}
    assert client.ask(model, "snapshots")[-1]["kind"] == "restored"


def test_a_shadow_of_rows_whose_inputs_were_deleted_is_refused(server, model):
    client = server.client
    client.learn_many(model, [{"a": i} for i in range(10)], ["x"] * 10)
    server.platform.forget_inputs(model)
    with pytest.raises(ServerError, match=r"422: from_start must be .* 10 rows"):
        client.create("late", shadow_of=model, from_start=True)
    with pytest.raises(ServerError, match="404"):
        client.ask("late", "experts")
    assert client.create("late", shadow_of=model)["shadow_of"] == model
