"""The model file: equal bytes for equal models, and nothing but whole models come back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save as save_tensors

from mooe import MOOEClassifier, MOOERegressor, core, modelfile
from mooe.modelfile import ModelFileError

GOLDEN = Path(__file__).parent / "golden"


def stream(n=330, n_classes=3):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3))
    return X, (X @ rng.normal(size=(3, n_classes))).argmax(axis=1)


def models():
    X, y = stream()
    names = np.array(["rain", "sun", "snow"])[y]
    return {
        "text": MOOEClassifier(mode="paper", interval=20, max_experts=5).fit(X[:170], names[:170]),
        "binary": MOOEClassifier(mode="paper", loss="logistic", random_state=1).fit(
            X[:170], y[:170] > 0
        ),
        "young": MOOEClassifier(mode="paper").fit(X[:3], y[:3]),
        "regression": MOOERegressor(mode="paper", interval=20, target_bounds=(-9, 9)).fit(
            X[:170], X[:170, 0]
        ),
    }


MODELS = models()
BLOB = MODELS["text"].to_bytes()
each_model = pytest.mark.parametrize("name", MODELS)


def labels_for(name):
    X, y = stream()
    labels = {"text": np.array(["rain", "sun", "snow"])[y], "binary": y > 0, "young": y}
    return X[170:], labels.get(name, X[:, 0])[170:]


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
    np.savez(tmp_path / "rows.npz", X=X, y=y)
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
    again = MOOEClassifier.from_bytes(MOOEClassifier(mode="paper").fit(frame, y).to_bytes())
    assert again.feature_names_in_.tolist() == ["b", "a", "c"]


def test_the_header_is_readable_by_anyone():
    size = int.from_bytes(BLOB[:8], "little")
    whole = json.loads(json.loads(BLOB[8 : 8 + size])["__metadata__"]["mooe"])
    header = json.loads(whole["header"])
    assert header["format"] == 1
    assert header["params"]["interval"] == 20
    assert header["counters"]["n_labelled"] == 170


@given(st.integers(0, len(BLOB) - 1), st.integers(1, 255))
def test_a_changed_byte_is_noticed(place, change):
    damaged = bytearray(BLOB)
    damaged[place] ^= change
    with pytest.raises(ModelFileError):
        MOOEClassifier.from_bytes(bytes(damaged))


@given(st.integers(0, len(BLOB) - 1))
def test_a_file_cut_short_is_noticed(length):
    with pytest.raises(ModelFileError):
        MOOEClassifier.from_bytes(BLOB[:length])


@given(st.binary(max_size=300))
def test_any_other_bytes_are_refused(blob):
    with pytest.raises(ModelFileError):
        modelfile.from_bytes(blob)


def test_a_safetensors_file_of_something_else_is_refused():
    with pytest.raises(ModelFileError, match="not a mooe model"):
        modelfile.from_bytes(save_tensors({"weight": np.zeros(3)}, {"format": "pt"}))


def test_a_newer_format_says_upgrade():
    text = json.dumps({"format": 3})
    blob = save_tensors({}, {"mooe": json.dumps({"header": text, "sha256": ""})})
    with pytest.raises(ModelFileError, match=r"newer mooe \(format 3\).* up to 2: upgrade"):
        modelfile.from_bytes(blob)


def test_another_kind_of_model_is_refused_and_the_file_is_named(tmp_path):
    path = tmp_path / "model.mooe"
    MODELS["text"].save(path)
    with pytest.raises(ModelFileError, match="the model is a MOOEClassifier"):
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
    assert modelfile.to_bytes(params, quiet, {}) == modelfile.to_bytes(params, chatty, {})


@pytest.mark.parametrize("name", ["classifier", "binary", "regressor"])
def test_files_of_format_1_load_and_answer_for_ever(name):
    path = GOLDEN / f"format1-{name}.mooe"
    known = json.loads(path.with_suffix(".json").read_text())
    model = (MOOERegressor if name == "regressor" else MOOEClassifier).load(path)
    ask = model.predict if name == "regressor" else model.predict_proba
    assert ask(np.array(known["asked"])) == pytest.approx(np.array(known["answers"]), abs=1e-9)
    assert modelfile.FORMAT > 1 or model.to_bytes() == path.read_bytes()


def forged(name, counters=(), params=(), tensors=()):
    """Return a file with a right checksum and wrong content."""
    blob = MODELS[name].to_bytes()
    header = json.loads(modelfile.read_header(blob)[0])
    header["counters"].update(counters)
    header["params"].update(params)
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
    "a missing counter": {"counters": {"other": 3}},
    "no number": {"tensors": {"online": np.full((3, 4), np.nan)}},
    "one number for many": {"tensors": {"online": np.zeros((1, 1))}},
    "whole numbers": {"tensors": {"mean": np.zeros(3, dtype=np.int8)}},
    "one array too many": {"tensors": {"other": np.zeros(1)}},
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_file_with_a_right_checksum_is_refused_whole(name):
    with pytest.raises(ModelFileError):
        MOOEClassifier.from_bytes(forged("text", **FORGERIES[name]))


def test_a_link_stays_a_link_and_a_mode_stays_a_mode(tmp_path):
    target, link = tmp_path / "target.mooe", tmp_path / "link.mooe"
    MODELS["young"].save(target)
    target.chmod(0o600)
    link.symlink_to(target)
    MODELS["text"].save(link)
    assert link.is_symlink()
    assert target.read_bytes() == BLOB
    assert target.stat().st_mode & 0o777 == 0o600
