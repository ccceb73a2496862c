"""Our model and its peers behind one call: answer each row of a part, then learn it.

A learner is a function of (X, y) that returns the answers (n,), class numbers, given before each
label; y are class numbers in the order of appearance. Libraries are imported where they are used.
"""

from functools import partial

import numpy as np
from peers_names import GRIDS, MOA

TREE = "-l trees.HoeffdingTree"


def ours(name, stream, seed):
    """A model of mooe, in parts."""
    from mooe.run.registry import make_learner

    learner = make_learner(name, seed=seed)
    return lambda X, y: learner.predict_then_learn(X, y.astype(np.float64)).chosen


def river(make, name, stream, seed):
    """A model of River, a point of a grid, from dicts; several classes one against the rest.

    Scaled: StandardScaler in front, and every column in the dict; raw: only what is not zero.
    """
    from river import multiclass, preprocessing
    from scipy import sparse

    _, value, inputs = name.split()
    model, scaled = make(float(value)), inputs == "scaled"
    binary = stream["classes"] <= 2
    if not binary:
        model = multiclass.OneVsRestClassifier(model)
    if scaled:
        model = preprocessing.StandardScaler() | model

    def samples(X):
        if scaled:
            return [dict(enumerate(row)) for row in X.tolist()]
        X = sparse.csr_matrix(X)
        cuts = zip(X.indptr, X.indptr[1:], strict=False)
        rows = ((X.indices[a:b].tolist(), X.data[a:b].tolist()) for a, b in cuts)
        return [dict(zip(*row, strict=True)) for row in rows]

    def answers(X, y):
        chosen = []
        for x, label in zip(samples(X), y.tolist(), strict=True):
            answer = model.predict_one(x)
            chosen.append(-1 if answer is None else int(answer))
            model.learn_one(x, bool(label) if binary else label)
        return np.array(chosen)

    return answers


def logistic(rate):
    from river import linear_model, optim

    return linear_model.LogisticRegression(optimizer=optim.SGD(rate))


def passive_aggressive(limit):
    from river import linear_model

    return linear_model.PAClassifier(C=limit)


def capymoa(make, numeric, stream, seed):
    """A model of CapyMOA or MOA, from dense rows: CapyMOA makes no others.

    Columns of nothing but 0 and 1 are nominal, unless all are to be numeric. No answer counts as
    the first class, as in CapyMOA's own evaluation.
    """
    from capymoa.core import LabeledInstance
    from capymoa.stream import Schema
    from scipy import sparse

    names = [f"x{j}" for j in range(stream["features"])]
    values = {"y": [str(number) for number in range(stream["classes"])]}
    if not numeric:
        values |= {names[j]: ["0", "1"] for j in stream["binary"]}
    schema = Schema.from_custom([*names, "y"], "y", values, stream["name"])
    model = make(schema, seed)

    def answers(X, y):
        chosen = np.zeros(len(y), dtype=np.int64)
        for i, label in enumerate(y.tolist()):
            row = X[i].toarray().ravel() if sparse.issparse(X) else X[i]
            instance = LabeledInstance.from_array(schema, row, label)
            chosen[i] = model.predict(instance) or 0
            model.train(instance)
        return chosen

    return answers


def named(name, schema, seed):
    """A classifier that CapyMOA has a class for, with its defaults; ARF, SRP and LB: 100 trees."""
    from capymoa import classifier

    return getattr(classifier, name)(schema, random_seed=seed)


def wrapped(name, options, schema, seed):
    """A classifier of MOA without a class in CapyMOA."""
    from capymoa.base import MOAClassifier
    from moa.classifiers import meta

    return MOAClassifier(getattr(meta, name)(), schema, CLI=options, random_seed=seed)


# -m 1: one thread for RCD's tests. Naive Bayes is MOA's default base of RCD and ADACC.
MOA_MODELS = {
    "rcd": partial(wrapped, "RCD", "-m 1"),
    "rcd-tree": partial(wrapped, "RCD", f"-m 1 {TREE}"),
    "adacc": partial(wrapped, "ADACC", ""),
    "adacc-tree": partial(wrapped, "ADACC", TREE),
    "lb": partial(named, "LeveragingBagging"),
    "arf": partial(named, "AdaptiveRandomForestClassifier"),
    "srp": partial(named, "StreamingRandomPatches"),
}
ROW_BY_ROW = {
    **{name: partial(capymoa, MOA_MODELS[name], False) for name in MOA},
    **{f"{name} numeric": partial(capymoa, MOA_MODELS[name], True) for name in MOA},
}
IN_PARTS = {
    **{name: partial(ours, name) for name in ("no-change", "majority", "mooe")},
    **{name: partial(river, logistic, name) for name in GRIDS["river-lr"]},
    **{name: partial(river, passive_aggressive, name) for name in GRIDS["river-pa"]},
}
MODELS = IN_PARTS | ROW_BY_ROW
