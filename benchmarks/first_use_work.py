"""What first_use.py runs in two environments: the first steps of a user, or rows on demand.

python first_use_work.py start   # imports, fits, prints what that took
python first_use_work.py speed   # measures each time a line comes in, and prints it
"""

import json
import sys
import time

ROWS, FEW = 20_000, 2_000  # of a chunk, and one by one
ENGINES = ("default", "paper")


def start():
    """Return processor seconds of the imports and of the first fit, those of the clock, and MB."""
    before, clock = time.process_time(), time.perf_counter()
    import numpy as np

    from mooe.estimators import MOOEClassifier

    imported = time.process_time()
    MOOEClassifier().fit(np.random.default_rng(0).random((50, 3)), np.arange(50) % 2)
    done = time.process_time()
    return {
        "import": imported - before,
        "fit": done - imported,
        "clock": time.perf_counter() - clock,
        "megabytes": peak_megabytes(),
        "numba": "numba" in sys.modules,
    }


def peak_megabytes():
    """Return the most memory that was resident, None where the system does not tell."""
    try:
        with open("/proc/self/status") as lines:
            (peak,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    except OSError:
        return None
    return float(peak) / 1e3


def paths():
    """Return, by name, functions that learn rows, and how many rows each."""
    import numpy as np

    from mooe.auto.params import AutoParams
    from mooe.model import Model
    from mooe.named_rows import NamedRows
    from mooe.paper.params import Params

    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 8))
    y = Model(AutoParams()).labels.encode(X[:, 0] + rng.normal(size=ROWS) > 0)
    samples = [dict(enumerate(x)) for x in X[:FEW].tolist()]
    labels = y.tolist()

    def chunk(params):
        model = Model(params)
        return lambda: model.learn(X, y)

    def one_by_one(params):
        rows = NamedRows(Model(params, range(8)))
        rows.model.learn(X[:FEW], y[:FEW])

        def learn():
            for sample, label in zip(samples, labels, strict=False):
                rows.answer(sample)
                rows.learn(sample, label)

        return learn

    found = {}
    for engine, params in zip(ENGINES, (AutoParams(), Params()), strict=True):
        found[f"{engine}, chunk"] = chunk(params), ROWS
        found[f"{engine}, one row"] = one_by_one(params), FEW
    return found


def microseconds(learn, rows):
    """Return what a row costs, in microseconds of processor time."""
    before = time.process_time()
    learn()
    return 1e6 * (time.process_time() - before) / rows


if __name__ == "__main__":
    if sys.argv[1] == "start":
        print(json.dumps(start()))
    else:
        measured = paths()
        for learn, _ in measured.values():
            learn()
        for _ in sys.stdin:
            costs = {name: microseconds(*path) for name, path in measured.items()}
            print(json.dumps(costs), flush=True)
