"""KeyedMOOE: every key as if it were alone; any threads, any chunks; whatever is refused."""

from pathlib import Path

import numpy as np
import pytest

from keyed.rows import KINDS, N_KEYS, WIDTH, bits, in_parts, rows, task_of
from mooe.auto.params import AutoParams
from mooe.keyed import KeyedMOOE, batch
from mooe.keyed.keys import as_column
from mooe.keyed.settings import LIGHT
from mooe.keyed.spill import SpillFile
from mooe.model import Model
from mooe.paper.params import Params

SETTINGS = ("light", "full", "paper")
each_kind = pytest.mark.parametrize("kind", KINDS)
each_setting = pytest.mark.parametrize("setting", SETTINGS)


def alone(params, keys, X, y):
    """Return the answers of one Model for each key, row by row, and the models."""
    models, answers = {}, []
    for key, x, label in zip(keys.tolist(), X[:, None], y.tolist(), strict=True):
        model = models.setdefault(key, Model(params))
        answers += model.predict(x) if model.n_labelled else [None]
        if label is not None and label == label:
            given = np.array([label])
            numbers = given if params.task == "regression" else model.labels.encode(given)
            model.learn(x, numbers)
    return answers, models


@each_kind
@each_setting
def test_mixed_rows_equal_a_model_for_each_key(setting, kind):
    keys, X, y = rows(kind)
    model = KeyedMOOE(setting, task=task_of(kind))
    answers = model.predict_then_learn(keys, X, y)
    expected, models = alone(model.params, keys, X, y)
    assert answers.tolist() == expected
    assert {key: model.model(key).to_bytes() for key in model} == {
        key: one.to_bytes() for key, one in models.items()
    }


@pytest.fixture
def _eager(monkeypatch):
    """Threads have their part of ever so few rows, and shared models are not far ahead."""
    monkeypatch.setattr(batch, "FEW", 1)
    monkeypatch.setattr(batch, "STRETCH", 23)


@each_kind
@each_setting
@pytest.mark.usefixtures("_eager")
def test_threads_and_chunks_change_nothing(setting, kind):
    keys, X, y = rows(kind)
    one = KeyedMOOE(setting, task=task_of(kind), threads=1)
    other = KeyedMOOE(setting, task=task_of(kind), threads=3)
    assert in_parts(one, keys, X, y, len(X)).tolist() == in_parts(other, keys, X, y, 170).tolist()
    assert bits(one) == bits(other)


@each_kind
@pytest.mark.parametrize("buckets", [1, 4])
@pytest.mark.usefixtures("_eager")
def test_beside_a_shared_model_threads_and_chunks_change_nothing(kind, buckets):
    keys, X, y = rows(kind, 900)
    about = {"task": task_of(kind), "shared": "learning", "buckets": buckets}
    one, other = KeyedMOOE(**about, threads=1), KeyedMOOE(**about, threads=30)
    assert in_parts(one, keys, X, y, len(X)).tolist() == in_parts(other, keys, X, y, 70).tolist()
    assert bits(one) == bits(other)
    assert one.shared.stats.tobytes() == other.shared.stats.tobytes()
    blobs = [model.to_bytes() for model in one.shared.models]
    assert blobs == [model.to_bytes() for model in other.shared.models]


def test_only_rows_of_the_same_bucket_matter_beside_a_shared_model():
    keys, X, y = rows("two classes", 800)
    model = KeyedMOOE(shared="learning", buckets=3)
    answers = model.predict_then_learn(keys, X, y)
    own = model._buckets(as_column(keys), 3) == 1
    alone = KeyedMOOE(shared="learning", buckets=3)
    assert answers[own].tolist() == alone.predict_then_learn(keys[own], X[own], y[own]).tolist()


def test_by_default_one_shared_model_learns_from_all_keys(tmp_path):
    keys, X, y = rows("two classes", 800)
    model, explicit = KeyedMOOE(shared="learning"), KeyedMOOE(shared="learning", buckets=5)
    alone = KeyedMOOE()
    for one in (model, explicit, alone):
        one.learn(keys, X, y)
    assert model.shared.models[0].n_labelled == sum(label is not None for label in y)
    assert "12 keys, classification, auto, one shared model that learns from all" in repr(model)
    assert "5 shared models that learn, one for each bucket of keys" in repr(explicit)
    assert "nothing shared" in repr(alone)
    explicit.save(tmp_path / "keys")
    again = KeyedMOOE.load(tmp_path / "keys")
    assert (again.buckets, repr(again)) == (5, repr(explicit))


@each_kind
@pytest.mark.parametrize("shared", [None, "learning"])
def test_predicting_changes_nothing_and_is_what_learning_reports(kind, shared):
    keys, X, y = rows(kind, 700)
    model = KeyedMOOE(task=task_of(kind), shared=shared, buckets=2)
    model.learn(keys[:600], X[:600], y[:600])
    before = bits(model)
    strangers = np.append(keys[600:650], np.arange(100, 150))
    expected = model.predict(strangers, X[600:])
    assert bits(model) == before
    assert len(model) == N_KEYS
    assert 100 not in model
    first = model.predict_then_learn(keys[600:601], X[600:601], y[600:601])
    assert first.tolist() == expected[:1].tolist()


def test_a_new_key_answers_none_unless_a_shared_model_knows():
    keys, X, y = rows("two classes", 600)
    model, beside = KeyedMOOE(), KeyedMOOE(shared="learning", buckets=1)
    model.learn(keys, X, y)
    beside.learn(keys, X, y)
    assert model.predict(["new"], X[:1]).tolist() == [None]
    assert beside.predict(["new"], X[:1])[0] in ("elm", "oak")
    assert np.isnan(model.predict_proba(["new"], X[:1])).all()
    known = [label is not None for label in y]
    right = beside.predict(["new"] * len(X), X)[known] == y[known]
    assert right.mean() > 0.7


def test_a_correction_is_learnt_on_top_of_the_shared_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, WIDTH))
    keys = rng.integers(0, 20, 6000)
    y = (X[:, 0] + np.where(keys == 7, -3.0, 0.0) * X[:, 0] > 0.0).astype(int)
    model = KeyedMOOE(shared="learning", buckets=1)
    right = model.predict_then_learn(keys, X, y) == y
    assert right[(keys == 7)][-100:].mean() > 0.85
    assert right[keys != 7].mean() > 0.95
    weights = {expert.name: expert.weight for expert in model.model(7).experts()}
    assert weights["shared"] < weights["corrected"]


@each_kind
def test_a_frozen_prior_votes_and_stays_as_it_is(kind, tmp_path):
    keys, X, y = rows(kind, 900)
    known = [label is not None and label == label for label in y.tolist()]
    prior = Model(AutoParams(task=task_of(kind)))
    given = y[known].astype(float) if kind == "regression" else prior.labels.encode(y[known])
    prior.learn(X[known], given)
    prior.save(tmp_path / "prior.mooe")
    model = KeyedMOOE(task=task_of(kind), shared=tmp_path / "prior.mooe", threads=1)
    other = KeyedMOOE(task=task_of(kind), shared=prior.copy(), threads=2)
    assert None not in model.predict_then_learn(keys, X, y).tolist()
    in_parts(other, keys, X, y, 100)
    assert bits(model) == bits(other)
    assert model.shared.models[0].to_bytes() == prior.to_bytes()
    assert "a shared model that is frozen" in repr(model)


@each_kind
def test_beside_a_frozen_prior_every_key_learns_as_if_it_were_alone(kind):
    keys, X, y = rows(kind, 900)
    known = [label is not None and label == label for label in y.tolist()]
    prior = Model(AutoParams(task=task_of(kind)))
    given = y[known].astype(float) if kind == "regression" else prior.labels.encode(y[known])
    prior.learn(X[known], given)
    about = {"task": task_of(kind), "classes": None if kind == "regression" else prior.labels.names}
    together = KeyedMOOE(shared=prior.copy(), **about)
    answers = together.predict_then_learn(keys, X, y)
    for key in range(N_KEYS):
        mine, single = keys == key, KeyedMOOE(shared=prior.copy(), buckets=7, **about)
        said = single.predict_then_learn(keys[mine], X[mine], y[mine])
        assert said.tolist() == answers[mine].tolist()
        assert bits(single)[key] == bits(together)[key]


@pytest.mark.parametrize("params", [AutoParams(), Params()])
def test_statistics_beside_a_frozen_prior_are_its_own(params):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3)) * [1.0, 50.0, 0.1] + [900.0, 0.0, -7.0]
    prior = Model(params)
    prior.learn(X, prior.labels.encode((X[:, 1] > 0.0).astype(int)))
    model = KeyedMOOE(shared=prior)
    model.learn(np.arange(300), X, (X[:, 1] > 0.0).astype(int))
    counts, means, squares = model.shared.stats.reshape(3, 3)
    assert counts.tolist() == [300.0] * 3
    assert np.allclose(means, X.mean(axis=0), rtol=1e-9)
    assert np.allclose(squares, 300 * X.var(axis=0), rtol=1e-9)


def test_a_frozen_prior_finds_its_columns_by_name(tmp_path):
    keys, X, y = rows("two classes", 600, unlabelled=0.0)
    prior = Model(AutoParams(), columns=list("abcde"))
    prior.learn(X[:300], prior.labels.encode(y[:300]))
    straight = KeyedMOOE(shared=prior, columns=list("abcde"))
    turned = KeyedMOOE(shared=prior, columns=list("ecabd"))
    order = [4, 2, 0, 1, 3]
    expected = straight.predict(keys, X)
    assert turned.predict(keys, X[:, order]).tolist() == expected.tolist()
    turned.learn(keys, X[:, order], y)
    assert np.allclose(turned.shared.stats.reshape(3, 5)[1], np.nanmean(X[:300], axis=0)[order])
    turned.save(tmp_path / "keys")
    again = KeyedMOOE.load(tmp_path / "keys")
    assert again.predict(keys, X).tolist() == turned.predict(keys, X).tolist()
    with pytest.raises(ValueError, match="columns must be those of the shared model, a, b, c, d"):
        KeyedMOOE(shared=prior, columns=list("abcdx"))


def test_probabilities_are_those_of_the_keys_models():
    keys, X, y = rows("four classes", 900)
    model = KeyedMOOE(threads=2)
    shares = model.predict_proba_then_learn(keys, X, y)
    twin = KeyedMOOE()
    twin.learn(keys[:800], X[:800], y[:800])
    for i in range(800, 810):
        one = twin.model(int(keys[i]))
        own = one.predict_proba(X[i : i + 1])[0]
        expected = [own[one.labels.numbers[name]] for name in model.labels.names]
        again = twin.predict_proba(keys[i : i + 1], X[i : i + 1])[0]
        assert again.tolist() == expected
    assert np.isnan(shares[0]).all()
    sums = shares[~np.isnan(shares[:, 0])].sum(axis=1)
    assert np.allclose(sums, 1.0, atol=1e-12)
    with pytest.raises(ValueError, match="task must be 'classification' for probabilities"):
        KeyedMOOE(task="regression").predict_proba([1], X[:1])


def test_classes_that_are_known_beforehand_have_room_from_the_start():
    keys, X, y = rows("four classes", 600)
    model = KeyedMOOE(classes=["fir", "elm", "oak", "ash"])
    answers = model.predict_then_learn(keys, X, y)
    assert answers[0] is None
    assert model.labels.names == ["fir", "elm", "oak", "ash"]
    sizes = {len(blob) for blob in bits(model).values()}
    assert len(sizes) == 1
    beside = KeyedMOOE(classes=["fir", "elm", "oak", "ash"], shared="learning", buckets=2)
    assert beside.predict_then_learn(keys, X, y)[0] is None
    assert {len(blob) for blob in bits(beside).values()} != sizes


def test_keys_may_have_parameters_of_their_own():
    keys, X, y = rows("two classes")
    own = {3: AutoParams(max_concepts=2, without=LIGHT.without)}
    model = KeyedMOOE(own=own)
    answers = model.predict_then_learn(keys, X, y)
    mine = keys == 3
    assert answers[mine].tolist() == alone(own[3], keys[mine], X[mine], y[mine])[0]
    assert model.model(3).params == own[3]
    assert model.model(4).params == LIGHT
    with pytest.raises(ValueError, match="own must hold parameters of the engine 'auto'"):
        KeyedMOOE(own={3: Params()})


def test_wide_rows_are_learnt_as_by_a_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 140)) * (rng.random((300, 140)) < 0.1)
    keys, y = rng.integers(0, 3, 300), np.where(X[:, 0] + X[:, 1] > 0, "a", "b").astype(object)
    model = KeyedMOOE()
    answers = model.predict_then_learn(keys, X, y)
    expected, models = alone(model.params, keys, X, y)
    assert answers.tolist() == expected
    assert model.model(2).to_bytes() == models[2].to_bytes()


def test_weights_scale_rows_and_zero_learns_nothing():
    keys, X, y = rows("two classes", 400, unlabelled=0.0)
    weights = np.random.default_rng(1).integers(0, 3, 400).astype(float)
    model = KeyedMOOE()
    model.learn(keys, X, y, weights)
    lone = Model(model.params)
    mine = (keys == 2) & (weights > 0)
    lone.learn(X[mine], lone.labels.encode(y[mine]), weights[mine])
    assert model.model(2).to_bytes() == lone.to_bytes()


@pytest.mark.parametrize("key", [None, float("nan"), [1], "nobody"])
def test_what_is_no_key_is_not_there(key):
    model = KeyedMOOE()
    model.learn([1], np.zeros((1, 2)), ["a"])
    assert key not in model
    for ask in (model.forget, model.model):
        with pytest.raises(KeyError):
            ask(key)


def test_forgetting_a_key_leaves_the_others_and_it_starts_anew():
    keys, X, y = rows("two classes", 600)
    model = KeyedMOOE()
    model.learn(keys, X, y)
    before = bits(model)
    model.forget(5)
    assert 5 not in model
    assert len(model) == N_KEYS - 1
    assert bits(model) == {key: blob for key, blob in before.items() if key != 5}
    assert model.predict([5], X[:1]).tolist() == [None]
    with pytest.raises(KeyError, match="5"):
        model.forget(5)
    labelled = np.flatnonzero([label is not None for label in y])[:1]
    model.learn([5], X[labelled], y[labelled])
    assert model.model(5).n_labelled == 1


@each_setting
def test_keys_that_wait_in_a_file_come_back_bit_for_bit(setting, tmp_path):
    keys, X, y = rows("four classes")
    free = KeyedMOOE(setting)
    expected = in_parts(free, keys, X, y, 50)
    memory = max(map(len, bits(free).values())) * 6
    tight = KeyedMOOE(setting, memory=memory, spill=tmp_path / "slots")
    assert in_parts(tight, keys, X, y, 50).tolist() == expected.tolist()
    assert tight.n_waiting() > 0
    assert bits(tight) == bits(free)
    assert tight.n_bytes() == free.n_bytes()
    assert tight.predict(keys[:40], X[:40]).tolist() == free.predict(keys[:40], X[:40]).tolist()


def test_a_full_disk_leaves_rows_before_it_learnt_and_says_so(monkeypatch):
    keys, X, y = rows("two classes", 300)
    model, n_put, put = KeyedMOOE(memory=60_000), 0, SpillFile.put

    def full(self, slot):
        nonlocal n_put
        n_put += 1
        if n_put > 6:
            raise OSError(28, "No space left on device")
        return put(self, slot)

    model.learn(keys, X, y)
    before, names = bits(model), list(model.labels.names)
    new, labels = [f"new {at}" for at in range(40)], ["yew", "elm"] * 20
    monkeypatch.setattr(SpillFile, "put", full)
    with pytest.raises(OSError, match="No space left") as found:
        model.learn(new, X[:40], labels)
    n_done = int(found.value.__notes__[0].split()[0])
    assert 0 < n_done < 40
    assert [key for key in model if key not in before] == new[:n_done]
    model.memory = model.store.memory = 1
    with pytest.raises(OSError, match="No space left") as found:
        model.learn(["x"] * 9, X[:9], ["ash"] * 9)
    assert found.value.__notes__ == ["0 of 9 rows were answered and learnt, no others"]
    assert model.labels.names == [*names, "yew"]
    assert "x" not in model
    monkeypatch.undo()
    model.learn(new[n_done:], X[n_done:40], labels[n_done:])
    whole = KeyedMOOE()
    whole.learn(keys, X, y)
    whole.learn(new, X[:40], labels)
    assert bits(model) == bits(whole)


def test_least_recently_used_keys_wait_first():
    X, y = np.zeros((1, 2)), np.array(["a"])
    model = KeyedMOOE(memory=8 * 5_000)
    for key in range(8):
        model.learn([key], X, y)
    model.learn([0], X, y)
    model.learn([99], X, y)
    waits = [key for key in model if model.store.facts[model._number(key), 0] == 0]
    assert waits
    assert not {0, 7, 99} & set(waits)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"X": np.full((3, WIDTH), 1e300)}, "X must hold finite numbers"),
        ({"X": np.zeros((3, WIDTH + 1))}, r"X must have the shape \(n, 5\), got \(3, 6\)"),
        ({"X": [["a"] * WIDTH] * 3}, "X must be an array of numbers"),
        ({"keys": [1, 2]}, "keys must be 3, one for each row of X, got 2"),
        ({"keys": [1, None, 2]}, "keys must be hashable and not missing, got None in row 1"),
        ({"keys": [1, [2], 3]}, r"keys must be hashable and not missing, got \[2\] in row 1"),
        ({"keys": "abc"}, "keys must be one for each row, in their order, got 'abc'"),
        ({"y": ["elm", 3, "oak"]}, "y must be of one type, got 3 after 'elm'"),
        ({"y": ["elm", "oak"]}, r"y must have the shape \(3,\), got \(2,\)"),
        ({"weights": [1.0, -1.0, 1.0]}, "weights must be at least 0 .* got -1 in row 1"),
        ({"weights": ["a", 1.0, 1.0]}, "weights must be an array of numbers"),
        ({"X": np.zeros((3, WIDTH), complex)}, "X must be an array of numbers .they are complex"),
        ({"weights": [1.0]}, r"weights must have the shape \(3,\), got \(1,\)"),
        (
            {"X": np.full((3, WIDTH), "2024", "M8[D]")},
            "X must be an array of numbers .they are dat",
        ),
        ({"keys": {1, 2, 3}}, "keys must be one for each row, in their order, got {1, 2, 3}"),
        ({"keys": {1: 1, 2: 2, 3: 3}}, "keys must be one for each row, in their order, got {1: 1"),
        ({"keys": np.ma.masked_equal([1, 2, 3], 2)}, "keys must be .*, got None in row 1"),
    ],
)
def test_whatever_is_refused_leaves_everything_as_it_was(change, problem):
    keys, X, y = rows("two classes", 300)
    model = KeyedMOOE(shared="learning", buckets=1)
    model.learn(keys, X, y)
    before, names, shared = bits(model), list(model.labels.names), model.shared.models[0].to_bytes()
    new = {"keys": [1, 2, "x"], "X": np.zeros((3, WIDTH)), "y": ["elm", "yew", "oak"], **change}
    with pytest.raises(ValueError, match=problem):
        model.predict_then_learn(**new)
    assert (bits(model), model.labels.names) == (before, names)
    assert model.shared.models[0].to_bytes() == shared
    assert list(model) == list(dict.fromkeys(keys[[label is not None for label in y]].tolist()))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"setting": "small"}, "setting must be one of 'light', 'full', 'paper', .* got 'small'"),
        ({"buckets": 0}, "buckets must be"),
        ({"buckets": None}, "buckets must be"),
        ({"threads": 0}, "threads must be"),
        ({"memory": 0}, "memory must be"),
        ({"task": "ranking"}, "task must be"),
        ({"shared": 3}, "shared must be None, 'learning', AutoParams, a Model or its file, got 3"),
        ({"shared": AutoParams(task="regression")}, "shared must be of the task 'classification'"),
        ({"setting": "paper", "shared": "learning"}, "shared must be None with the paper's model"),
        (
            {"shared": np.zeros(3)},
            "shared must be None, 'learning', AutoParams, a Model or its file",
        ),
        ({"shared": Model(AutoParams())}, "shared must have learnt rows, got <default model"),
        ({"task": "regression", "classes": [1]}, "classes must be None in regression"),
        ({"classes": 3}, "classes must be labels of one type, different ones, got 3"),
        ({"classes": "ab"}, "classes must be labels of one type, different ones, got 'ab'"),
        ({"classes": ["a", None]}, "classes must be labels .* got .'a', None.: y must be text or"),
        ({"classes": ["a", "b", "a"]}, "classes must be labels of one type, different ones, got"),
        ({"classes": [1, True]}, "classes must be labels of one type, different ones, got .1, Tr"),
        ({"classes": [1, "a"]}, "classes must be labels of one type, .* got 'a' after 1"),
        ({"classes": [[1]]}, "classes must be labels of one type, different ones, got ..1.."),
        ({"columns": 3}, "columns must be different names, one for each column, got 3"),
        ({"columns": "abc"}, "columns must be different names, one for each column, got 'abc'"),
        ({"columns": ["a", "a"]}, "columns must be different names, one for each column, got .'a'"),
        ({"columns": [["a"], "b"]}, "columns must be different names, one for each column"),
        ({"columns": ["a", None]}, "columns must be .*: names of features must be text"),
        ({"own": [1]}, "own must be a mapping from keys to their parameters, got .1."),
        ({"own": {1: 2}}, "own must hold parameters of the engine 'auto' .* got 2 for 1"),
        ({"own": {None: LIGHT}}, "own must have keys that are hashable and not missing, got None"),
        ({"memory": 10**6, "spill": 3}, "spill must be the path of a file to be made, got 3"),
        ({"spill": "waiting"}, "spill must be None without a limit of memory, got 'waiting'"),
    ],
)
def test_parameters_are_checked(options, problem):
    with pytest.raises(ValueError, match=problem):
        KeyedMOOE(**options)


def test_memory_may_be_larger_than_two_gigabytes():
    assert KeyedMOOE(memory=12 * 2**30).memory == 12 * 2**30


@pytest.mark.parametrize("kind", [int, np.int64, np.bool_, np.float32, np.str_])
def test_labels_and_classes_of_numpy_are_those_of_python(kind, tmp_path):
    keys, X, _ = rows("two classes", 300, absent=0.0)
    y = [kind(value > 0.0) for value in X[:, 0]]
    plain = {str: str, np.str_: str}.get(kind, lambda value: np.asarray(value).item())
    late, declared = KeyedMOOE(), KeyedMOOE(classes=[kind(False), kind(True)])
    for model in (late, declared):
        model.learn(keys, X, y)
        model.save(tmp_path / "keys")
        again = KeyedMOOE.load(tmp_path / "keys")
        assert again.labels.names == model.labels.names
        assert {type(name) for name in model.labels.names} == {type(plain(kind(True)))}
        assert model.predict(keys, X).tolist() == again.predict(keys, X).tolist()


def test_names_of_columns_come_back_from_a_file(tmp_path):
    names = [("heat", 1), np.int64(2), "wind"]
    KeyedMOOE(columns=names).save(tmp_path / "keys")
    assert KeyedMOOE.load(tmp_path / "keys").columns == [("heat", 1), 2, "wind"]


def test_a_prior_stays_frozen_where_its_model_learns_on():
    keys, X, y = rows("two classes", 600, unlabelled=0.0)
    prior = Model(AutoParams())
    prior.learn(X, prior.labels.encode(y))
    model = KeyedMOOE(shared=prior)
    before = model.predict_proba(keys, X)
    prior.learn(X, 1.0 - prior.labels.encode(y))
    assert model.predict_proba(keys, X).tobytes() == before.tobytes()


def test_rows_that_were_only_asked_for_do_not_say_how_wide_rows_are():
    keys, X, y = rows("two classes", 300)
    asked, straight = KeyedMOOE(shared="learning"), KeyedMOOE(shared="learning")
    asked.predict(keys, np.hstack([X, X]))
    said = straight.predict_then_learn(keys, X, y)
    assert asked.predict_then_learn(keys, X, y).tolist() == said.tolist()


def test_without_a_shared_model_buckets_change_nothing():
    keys, X, y = rows("two classes", 600)
    one, other = KeyedMOOE(buckets=1), KeyedMOOE(buckets=64)
    assert (one.predict_then_learn(keys, X, y) == other.predict_then_learn(keys, X, y)).all()
    assert bits(one) == bits(other)


def test_an_explanation_is_that_of_the_keys_model():
    keys, X, y = rows("two classes", 900, absent=0.0)
    model = KeyedMOOE(columns=["a", "b", "c", "d", "e"])
    model.learn(keys, X, y)
    said = model.explain(4, X[0])
    assert said == model.model(4).explain(X[:1])
    assert {effect.column for effect in said.inputs} <= set("abcde")
    with pytest.raises(KeyError):
        model.explain("nobody", X[0])


def test_sizes_of_a_key_are_as_promised():
    X = np.random.default_rng(0).normal(size=(50, 8))
    y = (X[:, 0] > 0).astype(int)
    light, beside = KeyedMOOE(), KeyedMOOE(shared="learning")
    paper = KeyedMOOE(Params(max_experts=8, interval=50))
    for model in (light, beside, paper):
        model.learn(np.arange(50), X, y)
    assert light.n_bytes() / 50 <= 9_500
    assert beside.n_bytes() / 50 <= 8_000
    assert paper.n_bytes() / 50 <= 6_000
    page = Path(__file__).parents[2] / "docs" / "scale.md"
    sizes = f"{light.n_bytes() // 50:,} bytes by itself and {beside.n_bytes() // 50:,} beside"
    assert sizes in page.read_text(encoding="utf-8")
