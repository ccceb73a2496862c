"""Made results: two concepts that take turns, with numbers that are easy to follow."""

import numpy as np

from mooe.evaluate.key_results import KeyedResults, KeyRegime
from mooe.evaluate.results import Moment, Results

INTERVAL = 50  # rows
VISIT = 4  # intervals
N_INTERVALS = 20
ROWS = INTERVAL * N_INTERVALS


def concept(interval):
    return interval // VISIT % 2


def moments(n=N_INTERVALS, interval=INTERVAL):
    """Weights at the last row of each interval: 90 % go to the experts of its own concept.

    The online expert has what they leave; without any of the own concept it has nearly all.
    """
    out = []
    for now in range(n):
        own = [g for g in range(now) if concept(g) == concept(now)]
        weights = [0.9 / len(own) if g in own else 0.01 / now for g in range(now)]
        online = 1.0 - sum(weights)
        spans = tuple((g * interval, (g + 1) * interval - 1) for g in range(now))
        row = (now + 1) * interval - 1
        out.append(Moment(row, tuple(range(now)), (*weights, online), spans))
    return out


def windows(measures, n=10):
    """The same measures in every window, moved a little, so that lines are told apart."""
    size = ROWS // n
    return [
        {
            "row": size * (k + 1),
            **{name: value + 0.01 * (k % 3) for name, value in measures.items()},
        }
        for k in range(n)
    ]


def made(model="mooe", accuracy=0.8, seed=0, stream="made", **more):
    """Results of classification; kappas fit no-change 50 % and majority 60 %."""
    measures = {
        "accuracy": accuracy,
        "kappa": 2 * accuracy - 1,
        "kappa_m": (accuracy - 0.6) / 0.4,
        "kappa_temporal": (accuracy - 0.5) / 0.5,
        "f1": accuracy - 0.0123,
        "log_loss": 1.0 - accuracy,
    }
    if model in ("no-change", "majority"):
        del measures["log_loss"]
    return Results(
        model, stream, "classification", ROWS // 10, seed, ROWS, 5, ["a", "b"], measures,
        windows(measures), seconds=0.25, origin={"mooe": "0.1", "machine": "Linux x"}, **more,
    )  # fmt: skip


def made_rare(model="mooe", average=0.6, **more):
    """Results of a stream of which 10 rows are of the class b; a model finds 6 with 8 alarms."""
    results = made(model, 0.993, unanswered=1, judged=ROWS - 1, **more)
    curve = [[k / 20, 1.0 - k / 40, 0.9 - k / 25] for k in range(1, 21)]
    if model in ("no-change", "majority"):
        curve = curve[-1:]
    results.rare = {
        "class": "b", "share": 0.01, "is_rare": True, "rows": 10, "alarms": 8, "hits": 6,
        "curve": curve,
    }  # fmt: skip
    results.cumulative |= {
        "average_precision": average, "rare_precision": 0.75, "rare_recall": 0.6,
        "rare_f1": 2 * 0.75 * 0.6 / 1.35, "alarms_per_1000_rows": 8.008,
    }  # fmt: skip
    return results


def made_values(model="mooe", mae=0.5, **more):
    """Results of regression."""
    measures = {"mae": mae, "rmse": 1.5 * mae, "r2": 1.0 - mae}
    return Results(
        model, "values", "regression", ROWS // 10, 0, ROWS, 5, [], measures, windows(measures),
        seconds=0.25, **more,
    )  # fmt: skip


def regrets(bound=40.0):
    """Regrets of every interval but the first."""
    rng = np.random.default_rng(0)
    return [
        {
            "interval": k,
            "rows": INTERVAL,
            "meta": 1.0 + rng.random(),
            "experts": 1.0 + rng.random(),
            "online": 3.0 + rng.random(),
            "mixture": 2.0 + rng.random(),
            "bound": bound + k,
        }
        for k in range(1, N_INTERVALS)
    ]


def everyone(**more):
    """A few models of one stream; mooe has a memory that was watched, and regrets."""
    return [
        made(moments=moments(), regrets=regrets(), **more),
        made("ogd", 0.7),
        made("no-change", 0.5),
        made("majority", 0.6),
    ]


def regimes():
    """The two concepts as regimes: regime 1 has rows 0-199, 400-599, 800-999, regime 2 the rest."""
    step = INTERVAL * VISIT
    visits = [[[a, a + step - 1] for a in range(k * step, ROWS, 2 * step)] for k in range(2)]
    return [
        {
            "name": k + 1,
            "samples": sum(b - a + 1 for a, b in own),
            "recognised": VISIT * len(own),
            "first": own[0][0],
            "last": own[-1][1],
            "visits": own,
            "in_charge": k == 0,
        }
        for k, own in enumerate(visits)
    ]


def made_regimes(**more):
    """Results of a model that knows two regimes; its memory has what the online experts leave."""
    return made(**{"moments": moments(), "remembers": "regimes", "concepts": regimes(), **more})


def made_keys():
    """Return results of 30 keys, of which 12 have two regimes."""
    rng = np.random.default_rng(0)
    made = KeyedResults("shops.csv", "shop", "sold", inputs=["price", "rain"])
    keys = np.array([f"shop with a long name {at % 30}" for at in range(3000)])
    labels = rng.integers(0, 2, 3000)
    answers = np.where(rng.random(3000) < 0.8, labels, 1 - labels)
    made.add(keys, labels.tolist(), answers.tolist())
    up, down = {"yes": np.array([2.0, -0.1])}, {"yes": np.array([-2.0, 0.3])}
    visits = ((0, 29), (60, 99)), ((30, 59),)
    regimes = [KeyRegime(1, visits[0], up), KeyRegime(2, visits[1], down)]
    made.regimes = dict.fromkeys(made.names[:12], regimes)
    return made
