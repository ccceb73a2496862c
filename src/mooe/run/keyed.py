"""A keyed stream carried out: one model per key over a file, in this process or on Spark."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mooe.datasets import Stream, open_stream
from mooe.engine import AnyParams, engine_of
from mooe.evaluate.key_results import KeyedResults, KeyRegime, regimes_of_rows
from mooe.evaluate.measures import unit_of
from mooe.evaluate.results import MOST_INPUTS
from mooe.keyed import KeyedMOOE
from mooe.keyed.models import BUCKETS
from mooe.labels import is_given
from mooe.model import Model
from mooe.streams.arrangement import ArrangedStream
from mooe.streams.stream import StreamError

ENGINES = ("process", "spark")
CORES = "local[*]"  # where the command starts a Spark of its own


@dataclass(frozen=True)
class KeyedPlan:
    """What is to be run over a keyed stream."""

    source: str
    key: str
    options: dict[str, Any] = field(default_factory=dict)  # of `mooe.datasets.open_stream`
    setting: Any = "light"
    shared: Any = None
    buckets: int = BUCKETS
    engine: str = "process"
    seed: int = 0
    unit: str | None = None
    regimes: bool = True  # whether the regimes of all keys are asked for at the end

    @property
    def kept(self) -> list[str]:
        """The columns that are carried along, once each, the key first."""
        return list(dict.fromkeys([self.key, *self.options.get("keep", ())]))

    def open_stream(self) -> Stream:
        """Return the stream, the key among the columns that are carried along."""
        if self.key == self.options.get("label"):
            raise StreamError("key", "be another column than the label", self.key)
        try:
            return open_stream(self.source, seed=self.seed, **{**self.options, "keep": self.kept})
        except StreamError as problem:
            if problem.name == "keep" and problem.value == self.key:
                about = problem.rule, problem.value, problem.hint
                raise StreamError("key", *about) from None
            raise


@dataclass(frozen=True)
class Part:
    """Some rows, as they were answered."""

    keys: np.ndarray  # (n,) of str
    kept: np.ndarray  # (n, number of kept columns), the key first
    labels: list[Any]
    answers: list[Any]
    probabilities: np.ndarray | None  # (n, n_classes) in the order of `classes`
    classes: list[Any]
    regimes: list[int | None] | None = None  # of each row, where the engine tells


class KeyedRun:
    """A plan carried out; `results` are complete once it has run."""

    def __init__(self, plan: KeyedPlan) -> None:
        self.plan, self.stream = plan, plan.open_stream()
        self.model: KeyedMOOE | None = None
        self.n_without_key = 0
        label = plan.options.get("label") or ""
        unit = unit_of(label) if plan.unit is None else plan.unit
        self.results = KeyedResults(
            *(self.stream.name, plan.key, label, self.stream.task),
            *(unit if self.stream.task == "regression" else "", plan.seed),
        )

    def go(self, see: Callable[[KeyedResults, Part], None] | None = None) -> None:
        """In place: run to the end of the stream; `see` is called after every part."""
        began = time.perf_counter()
        columns = self._columns()
        self.results.inputs = columns[:MOST_INPUTS]
        walk = self._in_process if self.plan.engine == "process" else self._on_spark
        seen: dict[str, list[int | None]] = {}
        for part in walk(columns):
            self.results.add(part.keys, part.labels, part.answers)
            for key, label, regime in zip(
                part.keys.tolist(), part.labels, part.regimes or (), strict=False
            ):
                if is_given(label):
                    seen.setdefault(key, []).append(regime)
            if see is not None:
                see(self.results, part)
        if self.plan.regimes and self.model is not None:
            self.results.regimes = dict(regimes_of_models(self.model))
        else:
            found = {key: regimes_of_rows(regimes) for key, regimes in seen.items()}
            self.results.regimes = {key: regimes for key, regimes in found.items() if regimes}
        self.results.seconds = time.perf_counter() - began

    def _columns(self) -> list[str]:
        """Return the columns of the whole stream: every key's model has the same."""
        kinds = self.stream.kinds or {}
        if all(kind == "number" for kind in kinds.values()):
            return list(self.stream.feature_names)
        if self.plan.source == "-":
            raise StreamError(
                "columns", "be numbers where rows come from standard input", "texts or dates",
                "rows of texts are read twice, which a file allows",
            )  # fmt: skip
        rows = ArrangedStream(self.plan.open_stream())
        for _ in rows.chunks():
            pass
        return list(rows.columns)

    def _chunks(self, columns: list[str]) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """In place: yield inputs, labels and kept columns of rows that have a key."""
        rows = ArrangedStream(self.stream, columns, is_fixed=True)
        for chunk in rows.chunks():
            kept: Any = rows.kept
            has_key = np.array([cell is not None for cell in kept[:, 0].tolist()], bool)
            self.n_without_key += int((~has_key).sum())
            yield np.ascontiguousarray(chunk.X[has_key]), chunk.y[has_key], kept[has_key]

    def _in_process(self, columns: list[str]) -> Iterator[Part]:
        """In place: yield the answers of models in this process."""
        plan, task = self.plan, self.stream.task
        self.model = KeyedMOOE(
            plan.setting, task=task, shared=plan.shared, buckets=plan.buckets, columns=columns,
            seed=plan.seed,
        )  # fmt: skip
        self.results.shared = self.model.told_shared()
        for X, y, kept in self._chunks(columns):
            keys, shares = kept[:, 0].astype(str), None
            if task == "classification":
                shares = self.model.predict_proba_then_learn(keys, X, y)
                names = self.model.labels.names
                answers = [None if p != p else names[at] for at, p in _best(shares)]
            else:
                names, answers = [], self.model.predict_then_learn(keys, X, y).tolist()
            yield Part(keys, kept, y.tolist(), answers, shares, list(names))

    def _on_spark(self, columns: list[str]) -> Iterator[Part]:
        """Yield the answers of models on Spark, in the order of the rows."""
        from mooe.run.spark import answered_on_spark

        with tempfile.TemporaryDirectory(prefix="mooe-") as folder:
            plan = self.plan
            asked = {"setting": plan.setting, "task": self.stream.task, "seed": plan.seed}
            for rows, kept in answered_on_spark(
                Path(folder), columns, self._chunks(columns), asked
            ):
                labels, answers, likely, regimes = zip(*rows, strict=True)
                classes = sorted({label for one in likely if one for label in one})
                shares = None
                if self.stream.task == "classification":
                    shares = np.array(
                        [
                            [(one or {}).get(name, 0.0 if one else np.nan) for name in classes]
                            for one in likely
                        ]
                    ).reshape(len(likely), len(classes))
                yield Part(
                    kept[:, 0].astype(str),
                    kept,
                    list(labels),
                    list(answers),
                    shares,
                    classes,
                    list(regimes),
                )


def _best(shares: np.ndarray) -> Iterator[tuple[int, float]]:
    """Yield the likeliest class of each row, and its probability."""
    if not shares.shape[1]:
        return iter([(0, float("nan"))] * len(shares))
    best = np.where(np.isnan(shares[:, 0]), 0, np.nan_to_num(shares).argmax(axis=1))
    return zip(best.tolist(), shares[np.arange(len(shares)), best].tolist(), strict=True)


def regimes_of_models(model: KeyedMOOE) -> Iterator[tuple[str, list[KeyRegime]]]:
    """Yield the regimes of every key that has any."""
    for key in model:
        one = model.model(key)
        engine = one.engine
        concepts = [] if one.state is None else engine.concepts(one.params, one.state)
        if concepts:
            weights = _weights(one, one.params)
            yield (
                str(key),
                [
                    KeyRegime(concept.name, concept.visits, weights.get(concept.name))
                    for concept in concepts
                ],
            )


def _weights(model: Model, params: AnyParams) -> dict[int, dict[Any, np.ndarray]]:
    """Return what makes each class up in each regime, by the regime's number, then by class."""
    state: Any = model.state
    found = {}
    for trait in engine_of(params).traits(params, state):
        weights = np.asarray(trait.weights)
        if model.task == "regression":
            found[trait.name] = {"value": weights[0]}
        elif weights.shape[0] == 1:  # of two classes, for the second
            names = model.labels.names
            if len(names) == 2:
                sign = 1.0 if names[1] == max(names) else -1.0
                found[trait.name] = {max(names): sign * weights[0]}
        else:
            found[trait.name] = dict(zip(model.labels.names, weights, strict=False))
    return found
