"""Our model and its peers behind one call: answer each row of a part, then learn it.

A learner is a function of (X, y) that returns the answers (n,), class numbers, given before each
label; y are class numbers in the order of appearance. Libraries are imported where they are used.
"""

from functools import partial

import numpy as np
import peers_capymoa
import peers_river


def ours(name, stream, seed):
    """A model of mooe, in parts."""
    from mooe.run.registry import make_learner

    learner = make_learner(name, seed=seed)
    return lambda X, y: learner.predict_then_learn(X, y.astype(np.float64)).chosen


OURS = {name: partial(ours, name) for name in ("no-change", "majority", "mooe")}
MODELS = OURS | peers_river.MODELS | peers_capymoa.MODELS
