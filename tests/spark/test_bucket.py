"""What becomes of the rows of a bucket: answered, learnt, out of order, labelled later."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

pytest.importorskip("pyspark")

from mooe.keyed.settings import params_of
from mooe.model import Model
from mooe.spark import layouts
from mooe.spark.bucket import ID, KEY, LABEL, PLACE, TIE, InMemory, Task
from mooe.spark.record import Record, WaitingRow

from .rows import FEATURES, made_rows, said_in_order

LIGHT = params_of("light", "classification", False, 0)


class Kept(InMemory):
    """States of all keys, as columns, as Spark keeps them."""

    def __init__(self):
        super().__init__()
        self.records, self.params = {}, LIGHT

    def keeps(self, key):
        return True

    def record(self, key):
        found = self.records.get(key)
        return None if found is None else Record.of_columns(self.params, found, None)

    def keep(self, key, record):
        self.records[key] = record.to_columns()

    def wait(self, key, name, row):
        self.waiting[key, name] = row.to_columns()

    def take(self, key, name):
        found = self.waiting.pop((key, name), None)
        return None if found is None else WaitingRow.of_columns(*found)


def as_bucket(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows under the names that workers know."""
    names = {"key": KEY, "seq": PLACE, "label": LABEL, "id": ID}
    return rows.rename(columns=names).assign(**{TIE: np.arange(len(rows)), "number": rows["seq"]})


def task(**options):
    return Task(LIGHT, tuple(FEATURES), ("number",), **options)


def run(rows: pd.DataFrame, states, **options) -> pd.DataFrame:
    work = task(**options)
    return as_frame(work.run(work.sorted(as_table(as_bucket(rows))), states))


def as_table(rows: pd.DataFrame) -> pa.Table:
    """Return rows as workers get them: a column without any value has a type all the same."""
    table = pa.Table.from_pandas(rows, preserve_index=False)
    place = table.column_names.index(LABEL)
    if pa.types.is_null(table[LABEL].type):
        table = table.set_column(place, LABEL, table[LABEL].cast(pa.string()))
    return table


def as_frame(answers: pa.Table) -> pd.DataFrame:
    """Return answers with Python's own values."""
    columns = {name: answers[name].to_pylist() for name in answers.column_names}
    if "probabilities" in columns:
        likely = columns["probabilities"]
        columns["probabilities"] = [None if one is None else dict(one) for one in likely]
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()})


def said(answers: pd.DataFrame) -> dict[int, tuple]:
    return {
        row.number: (
            row.prediction,
            row.probabilities,
            row.regime,
            row.version,
        )
        for row in answers.itertuples()
    }


def test_batches_of_any_size_and_order_give_what_rows_in_order_give():
    rows = made_rows(3, 120)
    expected, rng = said_in_order(rows), np.random.default_rng(1)
    assert any(regime is not None for _, _, regime, _ in expected.values())
    for cuts in ([], [1, 7, 100, 101]):
        states, found = Kept(), {}
        for part in np.split(np.arange(len(rows)), cuts):
            found |= said(run(rows.iloc[rng.permutation(part)], states))
        assert found == expected


def test_rows_without_a_label_are_answered_and_change_nothing():
    rows = made_rows(1, 40)
    states = Kept()
    run(rows, states)
    before = dict(states.records)
    asked = run(rows.assign(label=None, seq=1000 + rows["seq"]), states)
    assert set(asked["outcome"]) == {"answered"}
    assert asked["prediction"].notna().all()
    assert states.records == before


def test_a_label_out_of_order_is_answered_not_learnt_and_counted():
    rows = made_rows(1, 20)
    states = Kept()
    run(rows, states)
    again = run(rows.iloc[[3, 19]].assign(label="up"), states)
    assert again["outcome"].tolist() == ["late", "late"]
    assert again["prediction"].notna().all()
    assert again["version"].tolist() == [20, 20]
    assert states.record("key 0").n_late == 2
    missing = run(rows.iloc[[0]].assign(seq=np.nan), states)
    assert missing["outcome"].tolist() == ["late"]


def test_of_two_labels_with_one_seq_the_first_by_content_is_learnt_whoever_comes_first():
    rows = made_rows(1, 2).assign(seq=7)
    outcomes = set()
    for order in ([0, 1], [1, 0]):
        work = task()
        both = as_bucket(rows).iloc[order].reset_index(drop=True)
        table = as_table(both.assign(number=both[TIE]))
        answers = as_frame(work.run(work.sorted(table), Kept()))
        outcomes.add(tuple(sorted(zip(answers["number"], answers["outcome"], strict=True))))
    assert outcomes == {((0, "learnt"), (1, "late"))}


def test_labels_that_come_later_are_learnt_as_the_model_learns_late_labels():
    rows = made_rows(1, 60)
    rows["id"] = [f"r{at}" for at in rows["seq"]]
    states = Kept()
    first = run(rows.assign(label=None), states, has_ids=True)
    assert set(first["outcome"]) == {"answered"}
    assert len(states.waiting) == 60
    late = rows.assign(seq=100 + rows["seq"], **dict.fromkeys(FEATURES, np.nan))
    later = run(late, states, has_ids=True)
    assert set(later["outcome"]) == {"learnt"}
    assert later["version"].tolist() == [0] * 60  # the answers are those of then
    assert not states.waiting
    model = Model(LIGHT)
    y = model.labels.encode(rows["label"].to_numpy(object))
    model.learn(rows[FEATURES].to_numpy(), y, None, np.full(60, -np.inf))
    assert states.record("key 0").state == layouts.to_bytes(LIGHT, model.state)
    again = run(late.assign(seq=500), states, has_ids=True)
    assert set(again["outcome"]) == {"unmatched"}


def test_rows_that_no_model_takes_are_refused_one_by_one():
    rows = made_rows(1, 4)
    rows.loc[1, "a"] = np.inf
    rows.loc[2, "key"] = None
    answers = run(rows, Kept()).sort_values("number")
    assert answers["outcome"].tolist() == ["learnt", "refused", "refused", "learnt"]


def test_a_key_that_is_only_asked_is_kept_alive_where_idle_keys_leave():
    rows = made_rows(1, 4)
    states = Kept()
    run(rows, states)
    kept = []
    states.keep = lambda key, record: kept.append(key)
    run(rows.assign(label=None), states)
    assert kept == []
    run(rows.assign(label=None), states, keeps_alive=True)
    assert kept == ["key 0"]
    run(made_rows(1, 1).assign(key="new", label=None), states, keeps_alive=True)
    assert kept == ["key 0"]


def test_whole_numbers_are_labels_of_their_own_kind():
    rows = made_rows(1, 20)
    rows["label"] = np.where(rows["label"] == "up", 2**60 + 1, 7)
    answers = run(rows, Kept())
    assert {*answers["prediction"]} == {None, 7, 2**60 + 1}
