"""predict_then_learn with a real Spark: the bits of a run without it, whatever happens."""

from datetime import timedelta

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("pyspark")

from mooe.spark import predict_then_learn

from .rows import FEATURES, made_rows, said_in_order
from .session import put_rows, read_back, run_to_end, source

pytestmark = pytest.mark.xdist_group("spark")  # one JVM

ASKED = {"key": "key", "features": FEATURES, "label": "label", "seq": "seq", "buckets": 4}


def said(rows) -> dict[int, tuple]:
    """Return what was said, by seq; a row that is there twice fails."""
    found = {row.seq: (row.prediction, row.probabilities, row.regime, row.version) for row in rows}
    assert len(found) == len(rows)
    return found


def shuffled(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    return rows.iloc[np.random.default_rng(seed).permutation(len(rows))]


def parts_of(rows: pd.DataFrame, n: int) -> list[pd.DataFrame]:
    """Return rows in so many parts."""
    return [rows.iloc[at] for at in np.array_split(np.arange(len(rows)), n)]


def test_a_stream_equals_rows_in_order_bit_for_bit_with_new_keys_and_rows_out_of_order(
    spark, tmp_path
):
    rows = made_rows(6, 60)
    rows = rows[(rows["seq"] >= 200) | (rows["key"] != "key 5")]  # which comes later than others
    for at, part in enumerate(parts_of(rows, 3)):
        put_rows(tmp_path / "in", f"{at}", shuffled(part, at))
    put_rows(tmp_path / "in", "3", rows.iloc[[10, 20]])  # again: their seqs are behind
    answers = predict_then_learn(source(spark, tmp_path / "in"), **ASKED)
    query = run_to_end(answers, tmp_path)
    back = read_back(spark, tmp_path)
    late = [row for row in back if row.outcome == "late"]
    assert sorted(row.seq for row in late) == sorted(rows["seq"].iloc[[10, 20]])
    assert all(row.prediction is not None for row in late)
    assert said([row for row in back if row.outcome == "learnt"]) == said_in_order(rows)
    counts = [progress["observedMetrics"]["mooe"] for progress in query.recentProgress]
    assert sum(count["learnt"] for count in counts) == len(rows)
    assert sum(count["late"] for count in counts) == 2
    assert answers.columns == [
        "key",
        "seq",
        "label",
        "prediction",
        "probabilities",
        "regime",
        "version",
        "outcome",
    ]


def test_what_a_checkpoint_was_begun_with_cannot_change(spark, tmp_path):
    rows = made_rows(4, 5)
    put_rows(tmp_path / "in", "0", rows)
    run_to_end(predict_then_learn(source(spark, tmp_path / "in"), **ASKED), tmp_path)
    put_rows(tmp_path / "in", "1", made_rows(4, 5, first=1000))
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        spark.conf.set("spark.sql.shuffle.partitions", "3")
        with pytest.raises(
            Exception,
            match=r"shuffle.partitions must be 2, with which the checkpoint was begun, got 3",
        ):
            run_to_end(predict_then_learn(source(spark, tmp_path / "in"), **ASKED), tmp_path)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    with pytest.raises(Exception, match="buckets must be 4, with which the checkpoint was begun"):
        run_to_end(
            predict_then_learn(source(spark, tmp_path / "in"), **{**ASKED, "buckets": 5}), tmp_path
        )
    run_to_end(predict_then_learn(source(spark, tmp_path / "in"), **ASKED), tmp_path)
    assert len(read_back(spark, tmp_path)) == 40


def test_labels_come_later_within_a_limit_and_idle_keys_leave(spark, tmp_path):
    ids = 2**60 + 1  # which a float could not hold
    rows = made_rows(2, 30)
    rows["id"] = ids + rows["seq"]
    asked = rows.assign(label=pd.array([None] * len(rows), "string"))
    no_id = pd.array([None] * len(rows), "Int64")
    late = rows.iloc[:30].assign(seq=1000 + rows["seq"], a=np.nan, b=np.nan, c=np.nan)
    schema = "a double, b double, c double, key string, seq long, label string, id long"
    for name, part in (("0", asked), ("1", late)):
        put_rows(tmp_path / "in", name, part)

    def answers(folder, **limits):
        return predict_then_learn(source(spark, folder, schema), **ASKED, id="id", **limits)

    run_to_end(
        answers(tmp_path / "in", label_within=timedelta(hours=1), idle=timedelta(hours=1)), tmp_path
    )
    back = read_back(spark, tmp_path)
    assert {row.outcome: row.version for row in back} == {"answered": 0, "learnt": 0}
    assert {row.id for row in back if row.outcome == "learnt"} == {ids + at for at in range(30)}

    short = tmp_path / "short"
    put_rows(short / "in", "0", asked)
    put_rows(short / "in", "1", late)
    put_rows(short / "in", "2", rows.assign(seq=5000 + rows["seq"], id=no_id))
    put_rows(short / "in", "3", rows.assign(seq=6000 + rows["seq"], id=no_id))
    moment = timedelta(milliseconds=1)  # every batch takes longer
    run_to_end(answers(short / "in", label_within=moment, idle=moment), short)
    back = read_back(spark, short)
    assert {row.outcome for row in back if 1000 <= row.seq < 5000} == {"unmatched"}
    assert {row.version for row in back if row.seq == 6000} == {0}  # forgotten since


def test_a_history_that_is_all_there_gives_the_same(spark):
    rows = made_rows(5, 50)
    asked = {**ASKED, "keep": ["extra"]}
    frame = spark.createDataFrame(shuffled(rows, 1).assign(extra=rows["seq"] + 2**60)).repartition(
        5
    )
    back = predict_then_learn(frame, **asked).collect()
    assert said(back) == said_in_order(rows)
    assert all(row.extra == row.seq + 2**60 for row in back)


def test_columns_of_maps_beside_the_rows_change_nothing(spark):
    rows = spark.createDataFrame(made_rows(2, 30))
    more = rows.selectExpr("*", "map('a', a) as m", "array(struct(map('b', 1) as n)) as l")
    more = more.selectExpr("*", "parse_json('[1]') as v")
    answers = predict_then_learn(more, **ASKED, keep=["m"]).orderBy("seq").collect()
    expected = predict_then_learn(rows, **ASKED).orderBy("seq").collect()
    assert [row.probabilities for row in answers] == [row.probabilities for row in expected]
    assert answers[0].m == {"a": rows.orderBy("seq").first().a}


def test_a_regression_has_values_and_no_probabilities(spark):
    rows = made_rows(2, 40).assign(label=lambda frame: frame["a"] * 3.0)
    answers = predict_then_learn(spark.createDataFrame(rows), **ASKED, task="regression")
    assert "probabilities" not in answers.columns
    errors = [abs(row.prediction - row.label) for row in answers.collect() if row.version > 20]
    assert np.mean(errors) < 0.5


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"key": "kee"}, "got 'kee'; nearest: key"),
        ({"features": []}, "features must name at least one"),
        ({"features": "a"}, "features must be a list"),
        ({"features": ["a", "key"]}, "features must be numbers"),
        ({"features": ["a", "label"]}, "features must not name the label, got 'label'"),
        ({"features": ["a", "b"], "id": "b"}, "features must not name the id, got 'b'"),
        ({"key": "label"}, "label must be another column than key, seq and id, got 'label'"),
        ({"buckets": 0}, "buckets must be"),
        ({"idle": 5}, "idle must be a timedelta"),
        ({"task": "ranking"}, "task must be"),
        ({"keep": ["outcome"]}, "outcome"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(spark, change, rule):
    frame = spark.createDataFrame(
        [("k", 1, 1.0, 1.0, 1.0, "up", 1)],
        "key string, seq long, a double, b double, c double, label string, outcome long",
    )
    with pytest.raises(ValueError, match=rule):
        predict_then_learn(frame, **{**ASKED, **change})


def test_a_session_with_another_state_store_is_refused(spark, tmp_path):
    put_rows(tmp_path / "in", "0", made_rows(1, 1))
    name = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(name)
    try:
        spark.conf.set(name, "some.other.Provider")
        with pytest.raises(
            ValueError, match=r"RocksDBStateStoreProvider, got 'some.other.Provider'"
        ):
            predict_then_learn(source(spark, tmp_path / "in"), **ASKED)
    finally:
        spark.conf.set(name, before)
