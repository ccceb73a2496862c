"""mooe store, as its users start it."""

import json
import sqlite3

import pytest
from command import inside, words

from mooe.platform import Platform


@pytest.fixture
def store(tmp_path):
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        platform.learn_many("m", [{"a": i % 5} for i in range(50)], ["low", "high"] * 25)
    return tmp_path / "store"


def test_a_sound_store_is_called_sound(store):
    with Platform(store) as platform:
        platform.predict("m", {"a": 1})
        done = inside("store", "check", "--store", store)
    assert (done.exit_code, done.stdout) == (
        0,
        "sound: 1 model, 51 predictions, 50 feedback, 1 snapshot\n",
    )


def test_damage_is_exit_code_1(store):
    with sqlite3.connect(store) as damaged:
        damaged.execute("DELETE FROM prediction WHERE n = 3")
    damaged.close()
    done = inside("store", "check", "--store", store)
    assert done.exit_code == 1
    assert "1 rows of feedback without their prediction" in done.stdout
    facts = json.loads(inside("store", "check", "--store", store, "--json").stdout)
    assert len(facts["problems"]) == 1


def test_a_store_is_copied_while_it_is_in_use(store, tmp_path):
    with Platform(store) as platform:
        platform.learn("m", {"a": 1}, "low")
        done = inside("store", "backup", tmp_path / "copy", "--store", store)
    assert done.exit_code == 0, done.stderr
    with Platform(tmp_path / "copy") as copy:
        assert copy.get("m").n_labelled == 51
    again = inside("store", "backup", tmp_path / "copy", "--store", store)
    assert again.exit_code == 1
    assert "must go to a new file" in words(again.stderr)


def test_what_is_no_store_is_told(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n" * 100)
    for name in ("nothing", "table.csv"):
        done = inside("store", "check", "--store", tmp_path / name)
        assert done.exit_code == 1
        assert words(done.stderr).startswith("mooe: ")
