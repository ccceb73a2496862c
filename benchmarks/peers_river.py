"""River's models behind the call of `peers_models`; nothing of ours is in them."""

from functools import partial

import numpy as np
from peers_names import GRIDS


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


MODELS = {
    **{name: partial(river, logistic, name) for name in GRIDS["river-lr"]},
    **{name: partial(river, passive_aggressive, name) for name in GRIDS["river-pa"]},
}
