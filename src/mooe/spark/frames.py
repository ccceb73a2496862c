"""predict_then_learn on a DataFrame: streaming, exactly once; or all there, for a back-test."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from mooe.keyed.settings import params_of
from mooe.modelfile import dump
from mooe.numerics.checks import check_choice, check_whole
from mooe.spark.bucket import KEY, PLACE, TIE, InMemory, Task
from mooe.spark.columns import Columns, of_names
from mooe.spark.outcomes import OUTCOMES
from mooe.spark.packing import ANSWERED_SCHEMA, BUCKET, PACKED_SCHEMA, packed, unpacked
from mooe.spark.processor import BucketProcessor

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
PARTITIONS = "spark.sql.shuffle.partitions"

# What a session needs, to be given to its builder; partitions of the shuffle are for you to choose.
SETTINGS = {
    PROVIDER: ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # A limit in time would make Spark run empty batches without end, also with availableNow.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
}


def predict_then_learn(
    df: DataFrame,
    *,
    key: str,
    features: Sequence[str],
    label: str,
    seq: str,
    id: str | None = None,
    keep: Sequence[str] = (),
    setting: Any = "light",
    task: str = "classification",
    buckets: int = 64,
    label_within: timedelta | None = None,
    idle: timedelta | None = None,
    seed: int = 0,
) -> DataFrame:
    """Return what each key's model says of its rows before their labels, which it then learns.

    Rows of a key are taken in the order of `seq`, within each batch of a stream. A row that brings
    a label and whose seq is not above that of the key's last such row, or is null or NaN, is
    answered and not learnt.
    A row without a label is answered only. With `id`, a row that has a label and none of the
    features is the label of an earlier row of the same key and id, which is learnt then; its answer
    is the one that was given to that row.

    Parameters
    ----------
    df : DataFrame
        Streaming, or not. A stream's answers go into a sink of `append` mode, with a checkpoint.
    key, label, seq, id : str
        Names of columns. seq: numbers, dates or times.
    features : list of str
        Columns of numbers, or true and false; null is an absent value.
    keep : list of str
        Further columns that are given back with the answers.
    setting : {"light", "full", "paper"}, AutoParams or Params
        What each key keeps, as for `mooe.keyed.KeyedMOOE`.
    task : {"classification", "regression"}
        Where the setting has a name.
    buckets : int
        Parts that keys are shared out to; a stream's checkpoint fixes them.
    label_within : timedelta, optional
        How long a row of a stream waits for its label, by the clock of the batches; by default for
        ever.
    idle : timedelta, optional
        How long a stream keeps a key that no row comes for; by default for ever.
    seed : int
        Where the setting has a name.

    Returns
    -------
    DataFrame
        A row for each row: key, seq, id, label and what `keep` names; `prediction`;
        `probabilities`, a map from label to probability (not in regression); `regime`, the number
        of the one that the key was in, null for none; `version`, how many labels its model had
        learnt; `outcome`: "answered", "learnt", "late" (not learnt, for its seq), "unmatched" (a
        label whose row does not wait), or "refused" (no key, or inputs or a label that no model
        takes). Each of these is counted in a stream's progress, under `observedMetrics`, "mooe".
    """
    check_choice("task", task, ("classification", "regression"))
    check_whole("buckets", buckets, 1)
    params = params_of(setting, task, False, seed)
    if not isinstance(df, DataFrame):
        raise ValueError(f"df must be a DataFrame of Spark, got {df!r:.80}")
    columns = of_names(key, features, label, seq, id, keep, params.task)
    columns.check(df)
    limits = {
        "label_within": _milliseconds("label_within", label_within),
        "idle": _milliseconds("idle", idle),
    }
    work = Task(
        params,
        columns.worker_features(),
        columns.worker_carried(),
        columns.id is not None,
        idle is not None,
    )
    if df.isStreaming:
        answers = _streaming(df, columns, work, buckets, limits)
    else:
        answers = _at_once(df, columns, work)
    return columns.as_given(answers)


def _streaming(
    df: DataFrame, columns: Columns, work: Task, buckets: int, limits: dict[str, int | None]
) -> DataFrame:
    """Return the answers to a stream, whose models are Spark's state."""
    conf = df.sparkSession.conf
    provider = conf.get(PROVIDER, "")
    if provider != ROCKSDB:
        raise ValueError(
            f"{PROVIDER} must be {ROCKSDB}, got {provider!r}; mooe.spark.SETTINGS has what a "
            "session needs"
        )
    about = {
        "buckets": buckets,
        PARTITIONS: int(conf.get(PARTITIONS)),
        "features": list(columns.features),
        "setting": json.loads(dump({"mode": work.params.mode, **asdict(work.params)})),
    }
    bucket = F.pmod(F.xxhash64(F.col(KEY)), F.lit(buckets)).cast("int")
    rows = columns.for_workers(df).withColumn(BUCKET, bucket)
    by_bucket = rows.mapInArrow(packed, PACKED_SCHEMA).groupBy(BUCKET)
    answers = by_bucket.transformWithStateInPandas(
        BucketProcessor(
            work, about, columns.place_type(df), limits["idle"], limits["label_within"]
        ),
        ANSWERED_SCHEMA,
        outputMode="append",
        timeMode="none"
        if limits["idle"] is None and limits["label_within"] is None
        else "processingTime",
    )
    counts = [F.count_if(F.col("outcome") == name).alias(name) for name in OUTCOMES]
    return answers.mapInArrow(unpacked, columns.answer_schema(df)).observe("mooe", *counts)


def _at_once(df: DataFrame, columns: Columns, work: Task) -> DataFrame:
    """Return the answers to rows that are all there: sorted, then key by key."""
    rows = columns.for_workers(df)
    ordered = rows.repartition(F.col(KEY)).sortWithinPartitions(
        KEY, F.col(PLACE).asc_nulls_last(), TIE
    )

    def answered(parts: Iterator[Any]) -> Iterator[Any]:
        states = InMemory()
        for part in parts:
            if len(part):
                states.begin(part.column(KEY)[-1].as_py())
                yield from work.run(pa.Table.from_batches([part]), states).to_batches()

    return ordered.mapInArrow(answered, columns.answer_schema(df))


def _milliseconds(name: str, limit: timedelta | None) -> int | None:
    """Return a time limit as Spark takes it, or raise ValueError."""
    if limit is None:
        return None
    if not isinstance(limit, timedelta) or limit < timedelta(milliseconds=1):
        raise ValueError(f"{name} must be a timedelta of at least a millisecond, got {limit!r}")
    return limit // timedelta(milliseconds=1)
