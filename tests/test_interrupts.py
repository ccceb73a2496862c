"""An interrupt at any line of any shell: the model is as before the call, or as after it."""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import mooe
from mooe import river_adapter

SOURCE = str(Path(mooe.__file__).parent)
LINES = 40  # looked at in each case, spread over all
RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = (X[:, 0] > 0.0).astype(int)


def river(kind):
    model = kind()
    for row, label in zip(X.tolist(), Y.tolist(), strict=True):
        model.learn_one(dict(zip("abc", row, strict=True)), label)
    return model


def interrupted(call, at):
    """Return whether a call was interrupted at its line number `at`, and how many it came to."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if not frame.f_code.co_filename.startswith(SOURCE):
            return None
        count += event == "line"
        if event == "line" and count == at:
            raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True, count
    finally:
        sys.settrace(None)
    return False, count


def sample(**more):
    return {"a": 0.5, "b": -1.0, "c": 2.0, **more}


FRAME = pd.DataFrame({"a": [1.0, 2.0], "d": [0.5, 0.1]})
ADDED = LogisticRegression().fit(X, Y)
RIVER = {
    "a known class": lambda model: model.learn_one(sample(), 1),
    "a new class": lambda model: model.learn_one(sample(), 7),
    "a new column": lambda model: model.learn_one(sample(d=1.0), 1),
    "a new class and column": lambda model: model.learn_one(sample(d=1.0), 7),
    "many": lambda model: model.learn_many(FRAME, pd.Series([1, 9])),
}
ESTIMATOR = {
    "known classes": lambda model: model.partial_fit(X[:3], Y[:3]),
    "new classes": lambda model: model.partial_fit(X[:3], [0, 5, 6]),
    "declared classes": lambda model: model.partial_fit(X[:3], Y[:3], classes=[0, 1, 9]),
}
CASES = [
    *((river, kind, case) for kind in ("MOOE", "PaperMOOE") for case in RIVER.items()),
    *((None, kind, case) for kind in ("MOOE", "PaperMOOE") for case in ESTIMATOR.items()),
    (None, "MOOE", ("an added expert", lambda model: model.add_expert(ADDED, "last year's"))),
]


def seen(model):
    """Return all of a model; equal bytes of added experts may differ, so those are counted."""
    added = getattr(getattr(model, "model_", None), "added", [])
    if added:
        return len(added), model.model_.state.n_added, len(model.experts_)
    return model.to_bytes()


@pytest.mark.parametrize(
    ("shell", "kind", "call"),
    [(shell, kind, call) for shell, kind, (_, call) in CASES],
    ids=[
        f"{kind} {'River' if shell else 'scikit-learn'}: {name}" for shell, kind, (name, _) in CASES
    ],
)
def test_an_interrupt_leaves_the_model_before_or_after_but_never_half_way(shell, kind, call):
    def make():
        if shell is None:
            return getattr(mooe, f"{kind}Classifier")().fit(X, Y)
        return shell(getattr(river_adapter, f"{kind}Classifier"))

    call(make())  # what is done once only, such as imports, is done
    model = make()
    before = seen(model)
    _, n_lines = interrupted(lambda: call(model), 0)
    after = seen(model)
    assert before != after
    for at in np.unique(np.linspace(1, n_lines, LINES).astype(int)):
        model = make()
        was_interrupted, _ = interrupted(lambda model=model: call(model), at)
        assert was_interrupted
        assert seen(model) in (before, after)
