"""Experts that the user brings compete under their names, and are saved safely or not at all."""

import copy
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mooe import ModelFileError, MOOEClassifier, MOOERegressor, PaperMOOEClassifier, modelfile
from mooe import user_experts as added
from mooe.auto.roster import EXPERTS
from mooe.run.source_columns import load_model

TREE = "sklearn.tree._tree.Tree"


def stream(n=400, n_classes=3, seed=0):
    """Return rows whose label is drawn by a hidden sum of products, which is hard to learn."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, (np.sin(3.0 * X[:, 0]) + X[:, 1] > 0) * (n_classes - 1) + rng.integers(0, 1, n)


class Oracle:
    """A model that knows the labels by the first column; `classes_` only if it is told any."""

    def __init__(self, X, y, classes=None):
        self.known = dict(zip(X[:, 0].tolist(), np.asarray(y).tolist(), strict=True))
        if classes is not None:
            self.classes_ = np.asarray(classes)
            self.predict_proba = self.shares

    def predict(self, X):
        other = next(iter(self.known.values()))
        return np.array([self.known.get(x, other) for x in np.asarray(X)[:, 0].tolist()])

    def shares(self, X):
        return (self.predict(X)[:, None] == self.classes_).astype(float)


class Says:
    """A model that gives whatever it was told to give."""

    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(X)


def weight_of(model, name):
    return next(one.weight for one in model.experts_ if one.name == name)


def noise(n=300, n_classes=3):
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, 4)), rng.integers(0, n_classes, n)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("soft", [True, False])
@pytest.mark.parametrize("before", [True, False])
def test_a_model_that_knows_gets_the_weight_under_its_name(n_classes, soft, before):
    X, y = noise(n_classes=n_classes)
    names = np.array(["oak", "elm", "fir"])[y]
    oracle = Oracle(X, names, ["elm", "fir", "oak"] if soft else None)
    model = MOOEClassifier()
    if not before:
        model.partial_fit(X[:100], names[:100])
    assert model.add_expert(oracle, "oracle") is model
    model.partial_fit(X[100:], names[100:])
    assert weight_of(model, "oracle") > 0.8
    assert [one.name for one in model.experts_] == [*EXPERTS, "oracle"]
    assert model.experts_[-1].kind == "added"
    assert model.weights_.tolist() == [one.weight for one in model.experts_]
    assert model.score(X, names) == 1.0
    vote = model.explain(X[5])[-1]
    assert (vote.expert.name, vote.vote) == ("oracle", names[5])
    assert model.explain(X[7].tolist())[-1].vote == names[7]


@pytest.mark.parametrize("before", [True, False])
def test_in_regression_a_model_says_values(before):
    X, _ = noise()
    y = 500.0 + 20.0 * np.random.default_rng(2).normal(size=300)
    model = MOOERegressor()
    if not before:
        model.partial_fit(X[:100], y[:100])
    model.add_expert(Oracle(X, y), "oracle").partial_fit(X[100:], y[100:])
    assert weight_of(model, "oracle") > 0.8
    assert np.abs(model.predict(X[100:]) - y[100:]).mean() < 4.0
    assert model.explain(X[150])[-1].vote == pytest.approx(y[150])
    column = MOOERegressor().add_expert(Says(lambda X: np.ones((len(X), 1))), "column")
    assert column.fit(X, y).explain(X[0])[-1].vote == pytest.approx(y.min())


def test_fitted_models_of_scikit_learn_help():
    X, y = stream(1200, 2)
    forest = RandomForestClassifier(30, random_state=0).fit(X[:600], y[:600])
    alone = MOOEClassifier().fit(X[600:900], y[600:900])
    helped = MOOEClassifier().add_expert(forest, "own forest").fit(X[600:900], y[600:900])
    assert weight_of(helped, "own forest") > 0.3
    assert helped.score(X[900:], y[900:]) > alone.score(X[900:], y[900:])
    values = X[:, 0] * X[:, 1]
    trees = RandomForestRegressor(30, random_state=0).fit(X[:600], values[:600])
    model = MOOERegressor().add_expert(trees, "trees").fit(X[600:], values[600:])
    assert 0.0 < weight_of(model, "trees") < 1.0


def test_scores_are_twice_the_probability_minus_one_and_unknown_classes_have_none():
    X, y = noise(60, 2)
    model = GaussianNB().fit(X, np.array(["a", "b"])[y])
    found = added.added_scores([added.AddedExpert("nb", model)], X, 60, ["b", "new", "a"])
    shares = model.predict_proba(X)
    np.testing.assert_array_equal(found[:, 0, [2, 0]], 2.0 * shares - 1.0)
    np.testing.assert_array_equal(found[:, 0, 1], np.full(60, -1.0))
    hard = added.AddedExpert("hard", RidgeClassifier().fit(X, np.array(["a", "b"])[y]))
    votes = hard.model.predict(X)
    expected = np.where(votes[:, None] == np.array(["b", "new", "a"]), 1.0, -1.0)
    np.testing.assert_array_equal(
        added.added_scores([hard], X, 60, ["b", "new", "a"])[:, 0], expected
    )
    assert added.added_scores([hard], X, 60, ["b"]).shape == (60, 1, 2)


def test_classes_may_appear_after_the_expert_was_added():
    X, y = noise(300, 4)
    y[:100] %= 2
    model = MOOEClassifier().add_expert(Oracle(X, y, [0, 1, 2, 3]), "oracle")
    model.partial_fit(X[:50], np.zeros(50, dtype=int))
    rows = clone(model).add_expert(Oracle(X, y, [0, 1, 2, 3]), "oracle")
    rows.partial_fit(X[:50], np.zeros(50, dtype=int))
    model.partial_fit(X[50:], y[50:])
    for i in range(50, 300):
        rows.partial_fit(X[i : i + 1], y[i : i + 1])
    assert rows.state_.block.tobytes() == model.state_.block.tobytes()
    assert model.score(X[200:], y[200:]) == 1.0


def test_models_get_the_rows_as_the_user_gives_them():
    X, y = stream(300, 2)
    frame = pd.DataFrame(X, columns=list("abcd"))
    forest = RandomForestClassifier(5, random_state=0).fit(frame, y)  # warns without names
    model = MOOEClassifier().fit(frame, y).add_expert(forest, "own forest").partial_fit(frame, y)
    model.predict(frame)
    model.explain(frame.iloc[:1])
    rows = sparse.csr_array(np.where(X > 0, X, 0.0))
    lines = LogisticRegression().fit(rows, y)
    wide = MOOEClassifier().add_expert(lines, "lines").fit(rows, y)
    assert wide.predict(rows).shape == (300,)


def spoil(X):
    """Write into rows of any form; answer 0."""
    n = np.shape(X)[0]
    if sparse.issparse(X):
        X.data[:] = np.inf
    elif isinstance(X, pd.DataFrame):
        X.loc[:, :] = np.inf
    elif isinstance(X, list):
        X[0][0] = np.inf
    else:
        X[...] = np.inf
    return np.zeros(n)


def zeros_of(X):
    """Answer 0, unless somebody has written into the rows."""
    assert np.isfinite(X.data if sparse.issparse(X) else np.asarray(X)).all()
    return np.zeros(np.shape(X)[0])


FORMS = {
    "array": np.array,
    "frame": lambda X: pd.DataFrame(X, columns=list("abcd")),
    "sparse": sparse.csr_array,
    "lists": lambda X: X.tolist(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [MOOEClassifier, MOOERegressor])
@pytest.mark.parametrize("before", [True, False])
def test_a_model_that_writes_into_its_rows_changes_neither_them_nor_ours(form, kind, before):
    X, y = noise(60, 2)
    rows = [FORMS[form](X) for _ in range(2)]
    models = []
    for given, says in zip(rows, (spoil, zeros_of), strict=True):
        model = kind() if before else kind().fit(given, y)
        model.add_expert(Says(says), "writer").add_expert(Says(zeros_of), "reader")
        models.append(model.partial_fit(given, y))
        model.predict(given)
        model.explain(given[:1])
    written, harmless = models
    assert written.weights_.tolist() == harmless.weights_.tolist()
    assert np.array_equal(written.predict(rows[0]), harmless.predict(rows[1]))
    as_array = rows[0].toarray() if form == "sparse" else np.asarray(rows[0])
    assert np.array_equal(as_array, X)


def test_several_experts_keep_their_order_and_predicting_changes_nothing():
    X, y = noise()
    model = MOOEClassifier().add_expert(Oracle(X, 2 - y), "wrong").fit(X[:50], y[:50])
    model.add_expert(Oracle(X, y), "right").add_expert(Says(lambda X: ["?"] * len(X)), "mute")
    model.partial_fit(X[50:], y[50:])
    assert [one.name for one in model.experts_[-3:]] == ["wrong", "right", "mute"]
    assert weight_of(model, "right") > 10 * weight_of(model, "wrong")
    before = model.state_.block.tobytes()
    model.predict_proba(X)
    model.explain(X[0])
    assert model.state_.block.tobytes() == before


def test_fit_begins_anew_with_the_same_experts_and_clone_without():
    X, y = noise()
    model = MOOEClassifier().add_expert(Oracle(X, y), "oracle").fit(X, y)
    first = model.state_.block.tobytes()
    assert model.fit(X, y).state_.block.tobytes() == first
    assert "oracle" not in [one.name for one in clone(model).fit(X, y).experts_]


def test_copies_and_pickles_keep_the_experts():
    X, y = stream(300, 2)
    model = MOOEClassifier().add_expert(GaussianNB().fit(X, y), "bayes").fit(X[:200], y[:200])
    twins = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model]
    blocks = {twin.partial_fit(X[200:], y[200:]).state_.block.tobytes() for twin in twins}
    assert len(blocks) == 1


BAD_MODELS = {
    "no predict": (object(), "model of 'bad' must be fitted and have predict, got <object"),
    "a class": (GaussianNB, "model of 'bad' must be fitted and have predict"),
    "not fitted": (GaussianNB(), "not fitted yet"),
    "fails": (Says(RuntimeError("out of order")), "expert 'bad' .* RuntimeError .*: out of order"),
    "too few rows": (Says(lambda X: np.zeros(len(X) + 1)), r"shape \(\d+,\), got \(\d+,\)"),
    "two columns": (Says(lambda X: np.zeros((len(X), 2))), r"shape \(\d+,\), got \(\d+, 2\)"),
    "NaN": (Says(lambda X: np.full(len(X), np.nan)), "finite numbers, got nan in row 0"),
    "infinity": (Says(lambda X: np.full(len(X), np.inf)), "finite numbers, got inf in row 0"),
    "other features": (
        LinearRegression().fit(np.eye(2), [0, 1]),
        "expert 'bad' .* 4 features, but .* 2 features",
    ),
}


@pytest.mark.parametrize("case", BAD_MODELS)
@pytest.mark.parametrize("kind", [MOOEClassifier, MOOERegressor])
def test_a_bad_model_is_refused_by_name_and_changes_nothing(case, kind):
    X, y = noise()
    bad, message = BAD_MODELS[case]
    model = kind().fit(X, y).add_expert(Oracle(X, y), "good").partial_fit(X, y)
    before = dict(vars(model)), model.state_.block.tobytes()
    with pytest.raises(ValueError, match=message):
        model.add_expert(bad, "bad")
    assert vars(model) == before[0]
    assert model.state_.block.tobytes() == before[1]
    young = kind()
    with pytest.raises(ValueError, match=message):
        young.add_expert(bad, "bad").fit(X, y)
    assert not hasattr(young, "state_")


@pytest.mark.parametrize("kind", [MOOEClassifier, MOOERegressor])
def test_a_model_that_fails_later_changes_nothing(kind):
    X, y = noise()
    fine = {"rows": True}

    def answer(X):
        return np.zeros(len(X)) if fine["rows"] else np.full(len(X), np.nan)

    model = kind().add_expert(Says(answer), "fickle").fit(X, y)
    before = dict(vars(model)), model.state_.block.tobytes()
    fine["rows"] = False
    for call in (model.partial_fit, model.fit):
        with pytest.raises(ValueError, match="predict of expert 'fickle' must give finite numbers"):
            call(X, y)
    with pytest.raises(ValueError, match="fickle"):
        model.predict(X)
    assert vars(model) == before[0]
    assert model.state_.block.tobytes() == before[1]


def test_probabilities_that_are_none_are_refused():
    X, y = noise(50, 2)
    for shares, message in (
        (np.full((50, 2), 1.5), "must give numbers from 0 to 1, got 1.5 in row 0"),
        (np.full((50, 3), 0.1), r"must give the shape \(50, 2\), got \(50, 3\)"),
        ([["much", "little"]] * 50, r"must give numbers, got \[\['much'"),
    ):
        model = Says(None)
        model.classes_, model.predict_proba = np.array([0, 1]), lambda X, shares=shares: shares
        with pytest.raises(ValueError, match=f"predict_proba of expert 'odd' {message}"):
            MOOEClassifier().add_expert(model, "odd").fit(X, y)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("twice", "name must differ from those of the other experts, got 'twice'"),
        ("no_change", "name must differ from those of the other experts, got 'no_change'"),
        ("", "name must be text, got ''"),
        (3, "name must be text, got 3"),
    ],
)
def test_a_name_is_text_and_its_own(name, message):
    X, y = noise()
    model = MOOEClassifier().add_expert(Oracle(X, y), "twice")
    with pytest.raises(ValueError, match=message):
        model.add_expert(Oracle(X, y), name)
    assert len(model._added) == 1


def test_the_papers_model_takes_no_experts():
    X, y = noise()
    for model in (PaperMOOEClassifier(), PaperMOOEClassifier().fit(X, y)):
        with pytest.raises(ValueError, match="to the default model only, not to the paper's"):
            model.add_expert(Oracle(X, y), "oracle")


def saveable():
    X, y = stream(300, 2)
    lines = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    model = MOOEClassifier().add_expert(lines, "lines").fit(X[:150], y[:150])
    return model.add_expert(GaussianNB().fit(X, y), "bayes").partial_fit(X[150:], y[150:])


def test_a_model_with_experts_is_saved_loaded_and_goes_on(tmp_path):
    X, y = stream(300, 2, seed=1)
    model, path = saveable(), tmp_path / "model.mooe"
    model.save(path)
    again = MOOEClassifier.load(path)
    assert again.to_bytes() == path.read_bytes()
    assert again.experts_ == model.experts_
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    script = (
        "import sys, numpy as np, mooe\n"
        "rows = np.load(sys.argv[2])\n"
        "mooe.MOOEClassifier.load(sys.argv[1]).partial_fit(rows['X'], rows['y']).save(sys.argv[1])"
    )
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    subprocess.run([sys.executable, "-c", script, path, tmp_path / "rows.npz"], check=True)
    model.partial_fit(X, y)
    new = MOOEClassifier.load(path)
    files = [
        modelfile.to_bytes(modelfile.Contents(one.params_, one.state_)) for one in (new, model)
    ]
    assert files[0] == files[1]
    assert np.array_equal(new.predict_proba(X), model.predict_proba(X))


def test_trees_are_saved_and_loaded_only_by_who_trusts_them(tmp_path):
    X, y = stream(300, 2)
    forest, path = RandomForestClassifier(5, random_state=0).fit(X, y), tmp_path / "model.mooe"
    model = MOOEClassifier().fit(X, y)
    model.save(path)
    before = path.read_bytes()
    model.add_expert(forest, "own forest").partial_fit(X, y)
    with pytest.raises(ValueError, match=rf"'own forest' must be a model .* safely, .*{TREE}"):
        model.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model.mooe"]
    trusting = MOOEClassifier().add_expert(forest, "own forest", trusted=[TREE]).fit(X, y)
    trusting.save(path)
    with pytest.raises(ModelFileError, match=rf"'own forest' cannot be loaded: .*{TREE}"):
        MOOEClassifier.load(path)
    again = MOOEClassifier.load(path, trusted=[TREE])
    assert np.array_equal(again.predict_proba(X), trusting.predict_proba(X))
    assert MOOEClassifier.from_bytes(path.read_bytes(), [TREE]).experts_ == again.experts_


def test_what_skops_does_not_know_is_refused_with_the_reason(tmp_path):
    X, y = noise()
    model = MOOEClassifier().add_expert(Oracle(X, y), "oracle").fit(X, y)
    with pytest.raises(ValueError, match=r"'oracle' must .* got Oracle: Untrusted types found"):
        model.save(tmp_path / "model.mooe")
    assert os.listdir(tmp_path) == []


def test_without_skops_it_is_said_what_to_install(tmp_path):
    path = tmp_path / "model.mooe"
    saveable().save(path)
    MOOEClassifier().fit(*noise()).save(tmp_path / "plain.mooe")
    script = (
        "import sys\n"
        "sys.modules['skops'] = sys.modules['skops.io'] = None\n"
        "import mooe\n"
        "mooe.MOOEClassifier.load(sys.argv[2])\n"
        "mooe.MOOEClassifier.load(sys.argv[1])\n"
    )
    arguments = [sys.executable, "-c", script, path, tmp_path / "plain.mooe"]
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == 1
    wanted = "ImportError: skops is needed to load the expert 'lines': pip install 'mooe[skops]'"
    assert wanted in done.stderr


def test_a_file_without_experts_does_not_speak_of_them():
    blob = MOOEClassifier().fit(*noise()).to_bytes()
    header = json.loads(modelfile.read_header(blob)[0])
    assert header["added"] == []
    assert not [name for name in modelfile.safetensors.load(blob) if name.startswith("added")]


def forged(blob, extras=(), tensors=(), counters=()):
    """Return a file with a right checksum and wrong content; None takes a tensor away."""
    header = json.loads(modelfile.read_header(blob)[0])
    header.update(extras)
    header["counters"].update(counters)
    arrays = {**modelfile.safetensors.load(blob), **dict(tensors)}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    text = modelfile.dump(header)
    whole = modelfile.dump({"header": text, "sha256": modelfile.digest(text, arrays)})
    return modelfile.safetensors.save(arrays, {"mooe": whole})


FORGERIES = {
    "one name": {"extras": {"added": ["lines"]}},
    "the same name twice": {"extras": {"added": ["lines", "lines"]}},
    "no names": {"extras": {"added": None}},
    "an empty list": {"extras": {"added": []}},
    "names that are numbers": {"extras": {"added": [1, 2]}},
    "one expert fewer": {"counters": {"n_added": 1}},
    "many experts more": {"counters": {"n_added": 2**30}},
    "an expert missing": {"tensors": {"added.1": None}},
    "an expert too many": {"tensors": {"added.2": np.zeros(3, np.uint8)}},
    "other bytes": {"tensors": {"added.0": np.zeros(30, np.uint8)}},
    "no bytes": {"tensors": {"added.0": np.zeros(0, np.uint8)}},
    "an expert of floats": {"tensors": {"added.0": np.zeros(3)}},
    "an expert who takes no part": {"tensors": {"shares": np.append(np.ones(11), 0.0)}},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_is_refused_whole(name):
    blob = saveable().to_bytes()
    assert MOOEClassifier.from_bytes(forged(blob)).to_bytes() == blob
    with pytest.raises(ModelFileError):
        MOOEClassifier.from_bytes(forged(blob, **FORGERIES[name]))


def test_a_changed_byte_of_an_expert_is_noticed():
    blob = bytearray(saveable().to_bytes())
    blob[blob.find(b"PK\x03\x04") + 200] ^= 1
    with pytest.raises(ModelFileError, match="checksum"):
        MOOEClassifier.from_bytes(bytes(blob))


def test_the_command_says_that_it_cannot_ask_them(tmp_path):
    path = tmp_path / "model.mooe"
    saveable().save(path)
    with pytest.raises(ValueError, match="must hold no experts that were added, got lines, bayes"):
        load_model(path)
