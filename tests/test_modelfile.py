"""The model file: equal bytes for equal models, and nothing but whole models come back."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save as save_tensors
from scipy import sparse
from sklearn.base import clone

from mooe import MOOEClassifier, MOOERegressor, PaperMOOEClassifier, PaperMOOERegressor, modelfile
from mooe.estimators import load
from mooe.model import Model
from mooe.modelfile import Contents, ModelFileError
from mooe.numerics import checks
from mooe.paper import core

GOLDEN = Path(__file__).parent / "golden"


def stream(n=330, n_classes=3):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    return X, (X @ rng.normal(size=(3, n_classes))).argmax(axis=1)


def words(n=330):
    """Return rows of a bag of words, sparse and wide, and labels."""
    rng = np.random.default_rng(6)
    X = np.where(rng.random((n, 150)) < 0.05, rng.integers(1, 4, (n, 150)), 0)
    X[:, :2] = rng.integers(1, 9, (n, 2))  # columns that are not sparse
    return sparse.csr_array(X.astype(float)), X[:, 2:20].sum(axis=1) > X[:, 20:38].sum(axis=1)


def models():
    X, y = stream()
    names = np.array(["rain", "sun", "snow"])[y]
    wide, spam = words()
    return {
        "auto text": MOOEClassifier(interval=20).fit(X[:170], names[:170]),
        "auto binary": MOOEClassifier(random_state=1).fit(X[:170], y[:170] > 0),
        "auto young": MOOEClassifier().fit(X[:3], y[:3]),
        "auto wide": MOOEClassifier(interval=20).fit(wide[:170], spam[:170]),
        "auto without": MOOEClassifier(without=("memory_rich", "merge")).fit(X[:170], y[:170]),
        "auto regression": MOOERegressor(interval=20).fit(X[:170], X[:170, 0]),
        "text": PaperMOOEClassifier(interval=20, max_experts=5).fit(X[:170], names[:170]),
        "binary": PaperMOOEClassifier(loss="logistic", random_state=1).fit(X[:170], y[:170] > 0),
        "young": PaperMOOEClassifier().fit(X[:3], y[:3]),
        "regression": PaperMOOERegressor(interval=20, target_bounds=(-9, 9)).fit(
            X[:170], X[:170, 0]
        ),
    }


MODELS = models()
BLOBS = {name: MODELS[name].to_bytes() for name in ("text", "auto text", "auto wide")}
BLOB = BLOBS["text"]
each_model = pytest.mark.parametrize("name", MODELS)
each_blob = pytest.mark.parametrize("blob", BLOBS.values(), ids=BLOBS)


def labels_for(name):
    X, y = stream()
    if name == "auto wide":
        wide, spam = words()
        return wide[170:], spam[170:]
    kind = name.removeprefix("auto ")
    labels = {"text": np.array(["rain", "sun", "snow"])[y], "binary": y > 0}
    return X[170:], labels.get(kind, X[:, 0] if kind == "regression" else y)[170:]


@each_model
def test_what_is_loaded_has_the_bytes_and_the_answers_of_what_was_saved(name, tmp_path):
    model, path = MODELS[name], tmp_path / "model.mooe"
    model.save(path)
    again = type(model).load(path)
    X, _ = labels_for(name)
    assert again.to_bytes() == model.to_bytes() == path.read_bytes()
    assert np.array_equal(again.predict(X), model.predict(X))
    assert again.get_params() == {**model.get_params(), "random_state": model.params_.seed}
    assert again.experts_ == model.experts_


@each_model
def test_load_and_continue_in_a_new_process_equals_never_stopped(name, tmp_path):
    model, path = MODELS[name], tmp_path / "model.mooe"
    model.save(path)
    X, y = labels_for(name)
    np.savez(tmp_path / "rows.npz", X=X.toarray() if sparse.issparse(X) else X, y=y)
    code = (
        "import sys, numpy as np, mooe\n"
        f"model = mooe.{type(model).__name__}.load(sys.argv[1])\n"
        "rows = np.load(sys.argv[2])\n"
        "model.partial_fit(rows['X'], rows['y']).save(sys.argv[1])\n"
    )
    subprocess.run([sys.executable, "-c", code, path, tmp_path / "rows.npz"], check=True)
    never_stopped = type(model).from_bytes(model.to_bytes()).partial_fit(X, y)
    assert path.read_bytes() == never_stopped.to_bytes()


def test_feature_names_come_back():
    pandas = pytest.importorskip("pandas")
    X, y = stream(60)
    frame = pandas.DataFrame(X, columns=["b", "a", "c"])
    again = PaperMOOEClassifier.from_bytes(PaperMOOEClassifier().fit(frame, y).to_bytes())
    assert again.feature_names_in_.tolist() == ["b", "a", "c"]


@pytest.mark.parametrize(("name", "mode"), [("text", "paper"), ("auto text", "auto")])
def test_the_header_is_readable_by_anyone(name, mode):
    blob = BLOBS[name]
    size = int.from_bytes(blob[:8], "little")
    whole = json.loads(json.loads(blob[8 : 8 + size])["__metadata__"]["mooe"])
    header = json.loads(whole["header"])
    assert (header["format"], header["mode"]) == (modelfile.FORMAT, mode)
    assert header["params"]["interval"] == 20
    assert header["counters"]["n_labelled"] == 170


@each_blob
@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_changed_byte_is_noticed(blob, place, change):
    damaged = bytearray(blob)
    damaged[int(place * len(blob))] ^= change
    with pytest.raises(ModelFileError):
        Model.from_bytes(bytes(damaged))


@each_blob
@given(st.floats(0, 1, exclude_max=True))
def test_a_file_cut_short_is_noticed(blob, share):
    with pytest.raises(ModelFileError):
        Model.from_bytes(blob[: int(share * len(blob))])


@given(st.binary(max_size=300))
def test_any_other_bytes_are_refused(blob):
    with pytest.raises(ModelFileError):
        modelfile.from_bytes(blob)


def test_a_safetensors_file_of_something_else_is_refused():
    with pytest.raises(ModelFileError, match="not a mooe model"):
        modelfile.from_bytes(save_tensors({"weight": np.zeros(3)}, {"format": "pt"}))


def test_a_newer_format_says_upgrade():
    newest = modelfile.FORMAT
    text = json.dumps({"format": newest + 1})
    blob = save_tensors({}, {"mooe": json.dumps({"header": text, "sha256": ""})})
    told = rf"newer mooe \(format {newest + 1}\).* up to {newest}: upgrade"
    with pytest.raises(ModelFileError, match=told):
        modelfile.from_bytes(blob)


def test_another_kind_of_model_is_refused_and_the_file_is_named(tmp_path):
    path = tmp_path / "model.mooe"
    MODELS["text"].save(path)
    with pytest.raises(ModelFileError, match="the model is a PaperMOOEClassifier"):
        MOOERegressor.load(path)
    path.write_bytes(b"something else")
    with pytest.raises(ModelFileError, match=r"model\.mooe: not a model file"):
        MOOEClassifier.load(path)


def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "model.mooe"
    MODELS["text"].save(path)

    def fail(_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        MODELS["young"].save(path)
    assert path.read_bytes() == BLOB
    assert os.listdir(tmp_path) == ["model.mooe"]


def test_a_saved_file_can_be_read_by_whom_the_umask_allows(tmp_path):
    before = os.umask(0o022)
    try:
        MODELS["young"].save(tmp_path / "model.mooe")
    finally:
        os.umask(before)
    assert (tmp_path / "model.mooe").stat().st_mode & 0o777 == 0o644


def test_an_unlabelled_prediction_in_the_stream_leaves_no_trace_in_the_file():
    X, y = stream(70, 2)
    params = core.Params()
    quiet, chatty = core.init(params, 3), core.init(params, 3)
    core.predict_then_learn(params, quiet, X, y.astype(float))
    core.predict_then_learn(params, chatty, X, y.astype(float))
    core.predict_then_learn(params, chatty, X + 1.0, np.full(70, np.nan))
    core.predict_then_learn(params, chatty, X + 2.0, np.zeros(70), np.zeros(70))
    files = [modelfile.to_bytes(Contents(params, state)) for state in (quiet, chatty)]
    assert files[0] == files[1]


GOLDEN_FILES = {
    1: ["classifier", "binary", "regressor"],
    2: ["classifier", "binary", "wide", "added", "regressor"],
    **{
        number: [
            *("classifier", "binary", "wide", "added", "regressor"),
            *("paper-classifier", "paper-regressor"),
        ]
        for number in (3, 4, 5, 6, 7)
    },
}
GOLDEN_FILES[8] = [*GOLDEN_FILES[7], "returning"]


@pytest.mark.parametrize(
    ("number", "name"), [(number, name) for number, names in GOLDEN_FILES.items() for name in names]
)
def test_files_of_every_format_load_and_answer_for_ever(number, name):
    path = GOLDEN / f"format{number}-{name}.mooe"
    known = json.loads(path.with_suffix(".json").read_text())
    if name == "added":
        pytest.importorskip("skops")
    model = load(path)
    ask = model.predict if name.endswith("regressor") else model.predict_proba
    assert ask(np.array(known["asked"])) == pytest.approx(np.array(known["answers"]), abs=1e-9)
    assert json.loads(modelfile.read_header(path.read_bytes())[0])["format"] == number
    assert number < modelfile.FORMAT or model.to_bytes() == path.read_bytes()
    assert type(model).from_bytes(model.to_bytes(), trusted=[]).to_bytes() == model.to_bytes()


def test_there_is_no_golden_file_that_nobody_reads():
    read = {f"format{k}-{name}.mooe" for k, names in GOLDEN_FILES.items() for name in names}
    assert {path.name for path in GOLDEN.glob("*.mooe")} == read


def forged(name, counters=(), params=(), tensors=(), **others):
    """Return a file with a right checksum and wrong content."""
    blob = MODELS[name].to_bytes()
    header = json.loads(modelfile.read_header(blob)[0])
    header["counters"].update(counters)
    header["params"].update(params)
    header.update(others)
    arrays = {**modelfile.safetensors.load(blob), **dict(tensors)}
    text = modelfile.dump(header)
    whole = modelfile.dump({"header": text, "sha256": modelfile.digest(text, arrays)})
    return save_tensors(arrays, {"mooe": whole})


FORGERIES = {
    "more rows than an interval": {"counters": {"t": 10**6}},
    "a full interval": {"counters": {"t": 20}},
    "rows below none": {"counters": {"t": -100}},
    "fewer classes": {"counters": {"n_classes": 1}},
    "far more classes": {"counters": {"n_classes": 10**6, "n_outputs": 10**6}},
    "half a class": {"counters": {"n_classes": 1.5}},
    "more experts than slots": {"counters": {"n_offline": 9}},
    "another interval": {"params": {"interval": 10}},
    "an interval too large to hold": {"params": {"interval": 2**31 - 1}},
    "another task": {"params": {"task": "regression"}},
    "an unknown parameter": {"params": {"magic": 1}},
    "an unknown engine": {"mode": "a"},
    "an engine of no name": {"mode": None},
    "a column without a name": {"columns": [None, "a", "b"]},
    "a missing counter": {"counters": {"other": 3}},
    "no number": {"tensors": {"online": np.full((3, 4), np.nan)}},
    "one number for many": {"tensors": {"online": np.zeros((1, 1))}},
    "whole numbers": {"tensors": {"mean": np.zeros(3, dtype=np.int8)}},
    "one array too many": {"tensors": {"other": np.zeros(1)}},
    "a label of half a character": {"labels": ["no", "yes", "\ud83d"]},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_with_a_right_checksum_is_refused_whole(name):
    with pytest.raises(ModelFileError):
        PaperMOOEClassifier.from_bytes(forged("text", **FORGERIES[name]))


def test_half_a_character_is_refused_when_a_model_is_saved_not_when_it_is_printed():
    X, y = np.array([[0.0], [1.0]]), ["sun \N{SUN WITH FACE}", "half \ud83c"]
    whole = MOOEClassifier().partial_fit(X, [y[0], "moon"])
    assert MOOEClassifier.from_bytes(whole.to_bytes()).classes_.tolist() == whole.classes_.tolist()
    half = MOOEClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="texts of a model must be of whole characters, got half"):
        half.to_bytes()


AUTO_FORGERIES = {
    "fewer classes": {"counters": {"n_classes": 2}},
    "far more classes": {"counters": {"n_classes": 10**6, "n_outputs": 10**6}},
    "experts that were added": {"counters": {"n_added": 1}},
    "no experts without end": {"counters": {"n_added": 2**31 - 1}},
    "another interval": {"params": {"interval": 10}},
    "an interval too large to hold": {"params": {"interval": 2**31 - 1}},
    "more concepts than memory has": {"params": {"max_concepts": 2**31 - 1}},
    "another task": {"params": {"task": "regression"}},
    "a part left out": {"params": {"without": ["adagrad"]}},
    "a parameter of paper mode": {"params": {"radius": 1.0}},
    "a missing counter": {"counters": {"other": 3}},
    "one array too many": {"tensors": {"other": np.zeros(1)}},
    "groups that the inputs do not know": {"groups": ["a", "a"]},
    "groups without names": {"groups": [None, {}]},
    "groups of columns that are not there": {"groups": [None] * 99},
    "groups that are none": {"groups": None},
    "a title of half a character": {"notes": {"regimes": {"titles": {"1": "summer \udc00"}}}},
}


@pytest.mark.parametrize("name", AUTO_FORGERIES)
def test_a_forged_file_of_the_default_model_is_refused_whole(name):
    assert MOOEClassifier.from_bytes(forged("auto text")).to_bytes() == BLOBS["auto text"]
    with pytest.raises(ModelFileError):
        MOOEClassifier.from_bytes(forged("auto text", **AUTO_FORGERIES[name]))


@pytest.mark.parametrize(
    ("name", "labels"), [("text", None), ("auto text", None), ("auto regression", ["a"])]
)
def test_a_classifier_has_labels_and_a_regressor_has_none(name, labels):
    model = MODELS[name]
    contents = modelfile.from_bytes(model.to_bytes())
    contents.labels = labels
    with pytest.raises(ModelFileError, match="labels must be"):
        type(model).from_bytes(modelfile.to_bytes(contents))


@pytest.mark.parametrize("extras", [5, None, [], "text", {}, {"labels": 5}])
@pytest.mark.parametrize("name", ["format1-classifier", "format2-classifier"])
def test_extras_of_older_formats_are_what_their_shells_wrote(name, extras):
    blob = (GOLDEN / f"{name}.mooe").read_bytes()
    header = json.loads(modelfile.read_header(blob)[0])
    text = modelfile.dump({**header, "extras": extras})
    arrays = modelfile.safetensors.load(blob)
    whole = modelfile.dump({"header": text, "sha256": modelfile.digest(text, arrays)})
    with pytest.raises(ModelFileError, match="damaged"):
        modelfile.from_bytes(save_tensors(arrays, {"mooe": whole}))


MANY = 2**27
SIZE_BOMBS = {
    "outputs without inputs": (
        "text",
        {
            "counters": {"n_features": 0, "n_classes": MANY, "n_outputs": MANY},
            "params": {"intercept": False},
            "tensors": {"online": np.zeros((MANY, 0)), "counts": np.zeros(0)},
        },
    ),
    "inputs without outputs": (
        "text",
        {
            "counters": {"n_features": MANY, "n_outputs": 0},
            "tensors": {"online": np.zeros((0, MANY + 1))},
        },
    ),
    "outputs of the default model": (
        "auto text",
        {
            "counters": {"n_classes": MANY, "n_outputs": MANY},
            "tensors": {"plain.weights": np.zeros((MANY, 4, 0))},
        },
    ),
    "inputs of the default model": (
        "auto wide",
        {
            "counters": {"n_features": MANY},
            "tensors": {"plain.weights": np.zeros((1, MANY + 1, 0))},
        },
    ),
    **{
        f"{parameter} of {name}": (
            name,
            {"params": {parameter: 2**24}},
        )
        for name, parameter in (
            ("text", "interval"),
            ("text", "max_experts"),
            ("auto text", "interval"),
            ("auto text", "max_concepts"),
            ("auto wide", "interval"),
        )
    },
}


@pytest.mark.parametrize("bomb", SIZE_BOMBS)
def test_a_small_file_that_claims_a_large_model_is_refused_before_room_is_made(bomb):
    name, claims = SIZE_BOMBS[bomb]
    blob = forged(name, **claims)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            Model.from_bytes(blob)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(blob) + 2**20
    finally:
        tracemalloc.stop()


@each_model
def test_a_modest_interval_is_taken_however_large_the_state(name, monkeypatch):
    monkeypatch.setattr(checks, "LARGEST_STATE", 1)
    model = clone(MODELS[name]).set_params(interval=1000)
    X, y = labels_for(name)
    model.fit(X, y)
    assert type(model).from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match=r"interval must be at most 1000 where .*, got 1001"):
        model.set_params(interval=1001).fit(X, y)


TAMPERED = {
    name: (
        json.loads(modelfile.read_header(MODELS[name].to_bytes())[0])["counters"],
        modelfile.safetensors.load(MODELS[name].to_bytes()),
    )
    for name in ("auto text", "auto binary", "auto wide", "auto regression")
}
FREE = {"shown"}  # counters that no other one tells: another value makes another whole model
COUNTDOWNS = {"until_copy": range(1, 501), "trial_left": range(101)}  # likewise, within a range


@pytest.mark.parametrize("name", TAMPERED)
def test_every_counter_is_held_against_the_rest_of_the_file(name):
    counters, _ = TAMPERED[name]
    for counter, value in counters.items():
        for other in (-1, 0, value - 1, value + 1, 2**31, 2**62, value + 0.5, None, str(value)):
            if other == value or counter in FREE or other in COUNTDOWNS.get(counter, ()):
                continue
            with pytest.raises(ModelFileError):
                type(MODELS[name]).from_bytes(forged(name, {counter: other}))


@pytest.mark.parametrize("name", TAMPERED)
def test_every_array_has_its_shape_its_type_and_its_place(name):
    for key, array in TAMPERED[name][1].items():
        for other in (
            array.astype(np.float16),
            np.zeros(array.shape, np.int64),
            array[..., None],
            np.concatenate([array, array[:1]]) if array.size else np.zeros(7),
            array[:-1] if array.size else np.zeros((0, 7)),
        ):
            if other.shape == array.shape and other.dtype == array.dtype:
                continue
            with pytest.raises(ModelFileError):
                type(MODELS[name]).from_bytes(forged(name, tensors={key: other}))
        if key != "reals" and array.size:
            wrong = np.full_like(array, np.nan)
            with pytest.raises(ModelFileError):
                type(MODELS[name]).from_bytes(forged(name, tensors={key: wrong}))


WEIRD = (np.nan, np.inf, -np.inf, -1.0, 0.5, 0.0, 7.0, 1e9, 2.0**53, 1e300, -1e300, 1e-300)


@pytest.mark.parametrize("name", TAMPERED)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_tampered_number_is_refused_or_harmless(name, data):
    """What cannot be told from a model of some stream is a model: finite, and goes on."""
    _, arrays = TAMPERED[name]
    key = data.draw(st.sampled_from([key for key, array in arrays.items() if array.size]), "array")
    array = arrays[key].copy()
    place = data.draw(st.one_of(st.none(), st.integers(0, array.size - 1)), "place")
    value = data.draw(st.sampled_from(WEIRD), "value")
    with np.errstate(over="ignore"):  # some are numbers of half the size
        array.reshape(-1)[slice(None) if place is None else place] = value
    try:
        model = type(MODELS[name]).from_bytes(forged(name, tensors={key: array}))
    except ModelFileError:
        return
    X, y = labels_for(name)
    for _ in range(2):
        found = model.predict(X) if name == "auto regression" else model.predict_proba(X)
        assert np.isfinite(found).all()
        model.explain(X[:1])
        assert len(model.experts_) == len(model.weights_)
        assert all(one.samples >= 0 for one in model.concepts_)
        model.partial_fit(X, y)
    assert type(model).from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


def test_a_link_stays_a_link_and_a_mode_stays_a_mode(tmp_path):
    target, link = tmp_path / "target.mooe", tmp_path / "link.mooe"
    MODELS["young"].save(target)
    target.chmod(0o600)
    link.symlink_to(target)
    MODELS["text"].save(link)
    assert link.is_symlink()
    assert target.read_bytes() == BLOB
    assert target.stat().st_mode & 0o777 == 0o600
