"""CapyMOA's and MOA's models behind the call of `peers_models`; nothing of ours is in them."""

from functools import partial

import numpy as np
from peers_names import MOA

TREE = "-l trees.HoeffdingTree"


def capymoa(make, numeric, stream, seed):
    """A model of CapyMOA or MOA, from dense rows: CapyMOA makes no others.

    stream["nominal"] gives the number of values of each nominal column, codes from 0; all are
    numeric if told so. No answer counts as the first class, as in CapyMOA's own evaluation.
    """
    from capymoa.core import LabeledInstance
    from capymoa.stream import Schema
    from scipy import sparse

    names = [f"x{j}" for j in range(stream["features"])]
    values = {"y": [str(number) for number in range(stream["classes"])]}
    if not numeric:
        nominal = stream["nominal"].items()
        values |= {names[j]: [str(code) for code in range(count)] for j, count in nominal}
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


def named(name, schema, seed, **settings):
    """A classifier that CapyMOA has a class for, with its defaults unless settings are given.

    ARF, SRP and LB have 100 trees, the nearest neighbours are 3 of the last 1,000 rows.
    """
    from capymoa import classifier

    return getattr(classifier, name)(schema, random_seed=seed, **settings)


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
    "knn": partial(named, "KNN"),
    "hat": partial(named, "HoeffdingAdaptiveTree"),
    "lb": partial(named, "LeveragingBagging"),
    "arf-30": partial(named, "AdaptiveRandomForestClassifier", ensemble_size=30),
    "arf": partial(named, "AdaptiveRandomForestClassifier"),
    "srp-30": partial(named, "StreamingRandomPatches", ensemble_size=30),
    "srp": partial(named, "StreamingRandomPatches"),
}
MODELS = {
    **{name: partial(capymoa, MOA_MODELS[name], False) for name in MOA},
    **{f"{name} numeric": partial(capymoa, MOA_MODELS[name], True) for name in MOA},
}
