"""Saved, loaded and continued equals never stopped; damage is found."""

import pickle
from copy import deepcopy
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from keyed.rows import KINDS, bits, in_parts, rows, task_of
from mooe.auto.params import AutoParams
from mooe.keyed import KeyedMOOE, file
from mooe.keyed.settings import LIGHT
from mooe.modelfile import ModelFileError

WAYS = (
    {"setting": "light"},
    {"setting": "paper"},
    {"setting": "full"},
    {"shared": "learning", "buckets": 3},
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_restarted_equals_never_stopped(kind, way, tmp_path):
    keys, X, y = rows(kind, 1000)
    whole, half = (KeyedMOOE(task=task_of(kind), **way) for _ in range(2))
    expected = in_parts(whole, keys, X, y, 500)
    half.learn(keys[:500], X[:500], y[:500])
    half.forget(3)
    half.learn(keys[:500][keys[:500] == 3], X[:500][keys[:500] == 3], y[:500][keys[:500] == 3])
    if "shared" in way:
        half = KeyedMOOE(task=task_of(kind), **way)
        half.learn(keys[:500], X[:500], y[:500])
    half.save(tmp_path / "keys")
    memory = half.n_bytes() // 2
    for options in ({}, {"memory": memory, "threads": 1}):
        again = KeyedMOOE.load(tmp_path / "keys", **options)
        assert bits(again) == bits(half)
        again.save(tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "keys").read_bytes()
        answers = again.predict_then_learn(keys[500:], X[500:], y[500:])
        assert answers.tolist() == expected[500:].tolist()
        assert bits(again) == bits(whole)


@pytest.mark.parametrize("copied", [lambda model: pickle.loads(pickle.dumps(model)), deepcopy])
def test_a_copy_and_one_in_another_process_go_on_with_the_same_bits(copied):
    keys, X, y = rows("two classes", 600)
    model = KeyedMOOE(shared="learning", threads=2)
    model.learn(keys[:400], X[:400], y[:400])
    again = copied(model)
    assert bits(again) == bits(model)
    assert again.threads == 2
    answers = again.predict_then_learn(keys[400:], X[400:], y[400:])
    assert answers.tolist() == model.predict_then_learn(keys[400:], X[400:], y[400:]).tolist()


@pytest.mark.parametrize("copied", [lambda model: pickle.loads(pickle.dumps(model)), deepcopy])
def test_a_copy_of_one_whose_keys_wait_in_a_named_file_has_a_file_of_its_own(copied, tmp_path):
    keys, X, y = rows("two classes", 600)
    model = KeyedMOOE(memory=20_000, spill=tmp_path / "waiting")
    model.learn(keys[:400], X[:400], y[:400])
    again = copied(model)
    assert again.n_waiting() > 0
    answers = again.predict_then_learn(keys[400:], X[400:], y[400:])
    assert answers.tolist() == model.predict_then_learn(keys[400:], X[400:], y[400:]).tolist()
    assert (tmp_path / "waiting").exists()


@pytest.mark.parametrize(
    "key",
    [
        Decimal(7),
        pd.Timestamp("2024-05-01", tz="Europe/Berlin"),
        (np.int64(7), np.str_("a"), True),
    ],
)
def test_a_key_that_equals_one_of_pythons_own_types_is_saved_as_that(key, tmp_path):
    model = KeyedMOOE()
    model.learn([key, "other"], np.zeros((2, 1)), ["a", "b"])
    model.save(tmp_path / "keys")
    again = KeyedMOOE.load(tmp_path / "keys")
    assert key in again
    assert list(again) == [key, "other"]


def test_what_was_chosen_is_kept(tmp_path):
    keys, X, y = rows("four classes", 300)
    own = {("a", 1): AutoParams(max_concepts=2, without=LIGHT.without)}
    model = KeyedMOOE(own=own, columns=list("abcde"), classes=["yew"], buckets=5)
    model.learn([("a", 1) if key == 2 else key for key in keys.tolist()], X, y)
    model.save(tmp_path / "keys")
    again = KeyedMOOE.load(tmp_path / "keys")
    assert list(again) == list(model)
    assert again.model(("a", 1)).params == own["a", 1]
    assert (again.columns, again.buckets, again.labels.names) == (
        list("abcde"),
        5,
        model.labels.names,
    )


def test_one_that_has_learnt_nothing_is_saved_too(tmp_path):
    KeyedMOOE(classes=["a", "b"]).save(tmp_path / "keys")
    again = KeyedMOOE.load(tmp_path / "keys")
    assert len(again) == 0
    assert again.predict_then_learn([1], np.zeros((1, 2)), ["a"]).tolist() == [None]


def damaged(blob, at, value):
    changed = bytearray(blob)
    changed[at] ^= value
    return bytes(changed)


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda blob: b"other" + blob, "not a file of KeyedMOOE"),
        (lambda blob: blob[:-100], "it is cut short|checksum"),
        (lambda blob: blob[:40], "it is cut short"),
        (lambda blob: blob + b"x", "checksum"),
        (lambda blob: damaged(blob, len(blob) - 1000, 1), "checksum"),
        (lambda blob: blob.replace(b'"format":1', b'"format":2'), "it has the format 2"),
        (
            lambda blob: blob.replace(b'"layouts":["', b'"layouts":["x')[:-1],
            "damaged|header|laid out|cut",
        ),
    ],
)
def test_damage_is_found_and_named(damage, problem, tmp_path):
    keys, X, y = rows("two classes", 200)
    model = KeyedMOOE()
    model.learn(keys, X, y)
    path = tmp_path / "keys"
    model.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ModelFileError, match=problem) as found:
        KeyedMOOE.load(path)
    assert str(path) in str(found.value)


def test_another_layout_is_refused(tmp_path, monkeypatch):
    keys, X, y = rows("two classes", 200)
    model = KeyedMOOE()
    model.learn(keys, X, y)
    model.save(tmp_path / "keys")
    monkeypatch.setattr(file, "layout_of", lambda params, width: "another")
    with pytest.raises(ModelFileError, match="laid out by another version of mooe"):
        KeyedMOOE.load(tmp_path / "keys")


def test_a_file_stays_as_it_was_if_keys_cannot_be_written(tmp_path):
    model = KeyedMOOE()
    model.learn([frozenset()], np.zeros((1, 2)), ["a"])
    (tmp_path / "keys").write_text("mine")
    with pytest.raises(ValueError, match="keys of a file must be text"):
        model.save(tmp_path / "keys")
    assert (tmp_path / "keys").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"threads": 0}, "threads must be a whole number of at least 1, got 0"),
        ({"memory": 0}, "memory must be a whole number of at least 1, got 0"),
        ({"memory": 10**6, "spill": 3}, "spill must be the path of a file to be made, got 3"),
    ],
)
def test_an_option_that_cannot_be_is_no_damage_of_the_file(options, problem, tmp_path):
    KeyedMOOE().save(tmp_path / "keys")
    with pytest.raises(ValueError, match=f"^{problem}"):
        KeyedMOOE.load(tmp_path / "keys", **options)
