"""Processes that are killed in mid-stream lose nothing and learn nothing twice, bit for bit."""

import json
import random
import sqlite3
import subprocess
from contextlib import closing, suppress

import pytest

from mooe.platform import Platform
from mooe.platform.learner import numerics_version
from sources.scenes import conversation, hold, started

ROWS, KILLS = 600, 4


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Have the compiler done with its work before processes are watched."""
    numerics_version()


def reader(scene, store, group, answers):
    """Start the command on the topics of a scene."""
    arguments = [
        *("consume", scene.url, "--store", store, "--group", f"{scene.name}-{group}"),
        *("--requests", scene.topic("requests"), "--labels", scene.topic("labels")),
        *("--answers", scene.topic(answers), "--dead-letters", scene.topic(f"{answers}-dead")),
        *("--model", "m", "--batch", 20, "--until-end", "--json"),
    ]
    return started(*arguments)


def n_learnt(store):
    """Return how many labels a store holds, while another process works on it."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return db.execute("SELECT count(*) FROM feedback").fetchone()[0]
    return 0


def kill_when(process, store, n):
    """Kill a process as soon as so many labels are stored."""
    while process.returncode is None and n_learnt(store) < n:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    process.kill()
    _, told = process.communicate()
    assert process.returncode < 0, f"it was over before it could be killed: {told}"


def learnt_in(store):
    """Return the model of a store, and each label in the order of learning."""
    with Platform(store) as platform:
        assert platform.check() == []
        model = platform.get("m").to_bytes()
    with closing(sqlite3.connect(store)) as db:
        sql = (
            "SELECT p.id, f.label, f.kind, p.version, p.known FROM feedback f "
            "JOIN prediction p ON p.n = f.n ORDER BY f.seq"
        )
        return model, db.execute(sql).fetchall()


def answers_by_id(sent):
    """Return the answers that were sent of each id."""
    found = {}
    for value, _, _ in sent:
        found.setdefault(json.loads(value)["id"], []).append(value)
    return found


def test_killed_in_mid_stream_it_ends_as_if_it_had_never_been(scene, tmp_path):
    hold(scene, conversation(ROWS))
    whole = reader(scene, tmp_path / "whole", "whole", "whole")
    counts, told = whole.communicate()
    assert whole.returncode == 0, told
    expected = json.loads(counts)
    model, labels = learnt_in(tmp_path / "whole")
    assert expected["learned"] == len(labels) > ROWS

    rng = random.Random(scene.kind)
    for n in sorted(rng.sample(range(1, len(labels) - 50), KILLS)):
        process = reader(scene, tmp_path / "killed", "killed", "killed")
        kill_when(process, tmp_path / "killed", n)
    last = reader(scene, tmp_path / "killed", "killed", "killed")
    _, told = last.communicate()
    assert last.returncode == 0, told

    assert learnt_in(tmp_path / "killed") == (model, labels)
    wanted, given = answers_by_id(scene.sent("whole")), answers_by_id(scene.sent("killed"))
    assert {name: set(bodies) for name, bodies in given.items()} == {
        name: set(bodies) for name, bodies in wanted.items()
    }
    assert all(len(bodies) == 1 for bodies in wanted.values())
    if scene.kind == "redis":  # sent and acknowledged in one transaction
        assert given == wanted
    dead = [
        {extras["mooe-message"] for _, _, extras in scene.sent(f"{name}-dead")}
        for name in ("whole", "killed")
    ]
    assert dead[0] == dead[1]
    assert len(dead[0]) == expected["refused"]
