"""mooe snapshot, as its users start it."""

import json
from datetime import UTC, datetime

import pytest
from command import inside, words

from mooe.model import Model
from mooe.platform import Platform


@pytest.fixture
def store(tmp_path):
    """Return a store with a model that has learnt a good and a bad hour."""
    now = [1_800_000_000.0]
    with Platform(tmp_path / "store", clock=lambda: now[0]) as platform:
        platform.create("m")
        platform.learn_many("m", [{"a": i % 5} for i in range(50)], ["low", "high"] * 25)
        now[0] += 3600
        platform.learn_many("m", [{"a": i % 5} for i in range(30)], ["poison"] * 30)
    return tmp_path / "store"


def learnt(store):
    with Platform(store) as platform:
        return platform.get("m").n_labelled


def test_snapshots_are_listed_also_beside_a_server(store):
    with Platform(store):
        done = inside("snapshot", "list", "m", "--store", store)
    assert done.exit_code == 0, done.stderr
    assert "m: 80 labels learnt, 1 snapshots" in done.stdout
    assert "automatic" in done.stdout
    facts = json.loads(inside("snapshot", "list", "m", "--store", store, "--json").stdout)
    assert [each["seq"] for each in facts["snapshots"]] == [80]


def test_a_snapshot_is_saved_and_written_to_a_file(store, tmp_path):
    done = inside("snapshot", "save", "m", "--store", store, "--output", tmp_path / "m.mooe")
    assert done.stdout.startswith("m: saved after 80 labels, ")
    assert Model.load(tmp_path / "m.mooe").n_labelled == 80


def test_a_model_goes_back_to_a_number_of_labels_or_before_a_time(store):
    when = datetime.fromtimestamp(1_800_000_000 + 1800, UTC)
    done = inside("snapshot", "restore", "m", "--store", store, "--before", when.isoformat())
    assert done.stdout == "m: back to 50 labels; 30 after that count no longer\n"
    assert learnt(store) == 50
    inside("snapshot", "restore", "m", "--store", store, "--to", "20")
    assert learnt(store) == 20


def test_what_was_learnt_in_between_is_told(store):
    done = inside("snapshot", "diff", "m", "50", "--store", store)
    assert "class poison" in done.stdout
    changes = json.loads(
        inside("snapshot", "diff", "m", "0", "50", "--store", store, "--json").stdout
    )
    assert {"what": "labels learnt", "before": 0, "after": 50} in changes


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["list", "nobody"], 1, "no model is called 'nobody'"),
        (["restore", "m"], 2, "must be given, or --before"),
        (["restore", "m", "--before", "noon"], 2, "must be a time such as"),
        (["restore", "m", "--to", "99"], 1, "from 0 to 80, got 99"),
        (["diff", "m", "99"], 2, "from 0 to 80"),
    ],
)
def test_mistakes_are_told_in_a_line(store, arguments, code, message):
    done = inside("snapshot", *arguments, "--store", store)
    told = words(done.stderr) + str(done.exception)
    assert message in told
    assert done.exit_code == code or isinstance(done.exception, ValueError)


def test_a_store_in_use_is_not_changed(store):
    with Platform(store):
        done = inside("snapshot", "save", "m", "--store", store)
    assert done.exit_code == 1
    assert "is in use by process" in words(done.stderr)
