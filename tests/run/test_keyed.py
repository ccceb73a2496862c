"""One model per key over a file: what the command carries out."""

import io

import numpy as np
import pandas as pd
import pytest

from mooe.keyed import KeyedMOOE
from mooe.run.keyed import KeyedPlan, KeyedRun
from mooe.streams.stream import StreamError


@pytest.fixture
def table(tmp_path):
    """Return a file of rows of six shops, and the rows."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.normal(size=(900, 2)), columns=["price", "rain"])
    rows["shop"] = [f"s{at % 6}" for at in range(900)]
    turned = np.where(np.arange(900) // 300 % 2, -1.0, 1.0)
    rows["sold"] = np.where(turned * rows["price"] > 0, "yes", "no")
    path = tmp_path / "shops.csv"
    rows.to_csv(path, index=False)
    return path, rows


def went(path, **options):
    parts = []
    run = KeyedRun(KeyedPlan(str(path), "shop", {"label": "sold", "task": "auto"}, **options))
    run.go(lambda results, part: parts.append(part))
    return run, [answer for part in parts for answer in part.answers]


def test_a_file_is_answered_as_the_models_of_its_keys_answer(table):
    path, rows = table
    run, answers = went(path)
    model = KeyedMOOE()
    expected = model.predict_then_learn(
        rows["shop"].to_numpy(str),
        rows[["price", "rain"]].to_numpy(),
        rows["sold"].to_numpy(object),
    )
    assert answers == expected.tolist()
    assert run.results.names == [f"s{at}" for at in range(6)]
    right = sum(one == other for one, other in zip(answers, rows["sold"], strict=True))
    assert run.results.total.sum() == right
    assert run.results.inputs == ["price", "rain"]


def test_regimes_are_those_of_the_keys_models(table):
    run, _ = went(table[0])
    assert len(run.results.drifts()) >= 4
    families = run.results.families()
    assert len(families[0].keys) >= 4
    (weights,) = families[0].weights.values()
    assert abs(weights[0]) > 3.0 * abs(weights[1])  # it is the price that tells


def test_rows_without_a_key_are_left_out_and_counted(table):
    path, rows = table
    rows.loc[5, "shop"] = None
    rows.to_csv(path, index=False)
    run, answers = went(path)
    assert (run.n_without_key, len(answers)) == (1, 899)


def test_texts_get_their_columns_before_the_first_row_is_learnt(table):
    path, rows = table
    rows["day"] = ["mon"] * 500 + ["tue"] * 400
    rows.to_csv(path, index=False)
    run, answers = went(path)
    assert len(answers) == 900
    assert any("tue" in name for name in run.results.inputs)
    assert run.model.width == len(run.results.inputs)


def test_texts_from_standard_input_are_refused(monkeypatch):
    text = "shop,day,sold\n" + "a,mon,yes\nb,tue,no\n" * 20
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    with pytest.raises(StreamError, match="must be numbers where rows come from standard input"):
        went("-")


def test_a_shared_model_helps_keys_that_are_new(table):
    run, _ = went(table[0], shared="learning", buckets=1)
    alone, _ = went(table[0])
    assert run.results.by_age()[3][2] > alone.results.by_age()[3][2]
