"""Metrics for Prometheus: counted on the way, and asked of the platform when they are fetched.

Counting is a sum in a dict, for it is done with every request; prometheus-client writes it down.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)

from mooe.platform import Platform, Result
from mooe.sources import Consumer

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
DELAYS = (1.0, 10.0, 60.0, 600.0, 3600.0, 6 * 3600.0, 86400.0, 7 * 86400.0, 30 * 86400.0)


class Times:
    """How often something took how long, by a label."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts: dict[str, list[float]] = {}  # of each span, then the sum of all seconds

    def add(self, label: str, seconds: float) -> None:
        """In place: one more."""
        counts = self.counts.get(label)
        if counts is None:
            counts = self.counts[label] = [0.0] * (len(self.bounds) + 2)
        counts[bisect_left(self.bounds, seconds)] += 1.0
        counts[-1] += seconds

    def family(self, name: str, words: str, label: str) -> Any:
        """Return it as Prometheus takes it."""
        family = HistogramMetricFamily(name, words, labels=[label])
        bounds = [*map(str, self.bounds), "+Inf"]
        for value, (*counts, total) in list(self.counts.items()):
            buckets = list(zip(bounds, accumulate(counts), strict=True))
            family.add_metric([value], buckets, total)
        return family


class Metrics:
    """What the server counts, of one platform."""

    def __init__(self, platform: Platform, consumer: Consumer | None = None) -> None:
        self.platform, self.consumer = platform, consumer
        self.predictions: Counter[str] = Counter()
        self.feedback: Counter[tuple[str, str]] = Counter()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds, self.delays = Times(SECONDS), Times(DELAYS)
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def forget(self, model: str) -> None:
        """In place: count no longer what a model did that was deleted."""
        self.predictions.pop(model, None)
        self.delays.counts.pop(model, None)
        for result in Result:
            self.feedback.pop((model, result.value), None)

    def text(self) -> bytes:
        """Return all metrics as Prometheus reads them."""
        text: bytes = generate_latest(self.registry)
        return text

    def describe(self) -> list[Any]:
        """Return nothing: the platform is asked when metrics are fetched, not before."""
        return []

    def collect(self) -> Iterator[Any]:
        """Yield all metrics."""
        yield from self._counted()
        yield from self._asked()
        if self.consumer is not None:
            yield from self._consumed(self.consumer)

    def _counted(self) -> Iterator[Any]:
        """Yield what was counted on the way."""
        words = "Rows that were answered."
        answered = CounterMetricFamily("mooe_predictions", words, labels=["model"])
        for model, n in list(self.predictions.items()):
            answered.add_metric([model], n)
        words = "Labels that came, by what became of them."
        labels = CounterMetricFamily("mooe_feedback", words, labels=["model", "result"])
        for pair, n in list(self.feedback.items()):
            labels.add_metric(list(pair), n)
        requests = CounterMetricFamily("mooe_requests", "Requests.", labels=["route", "status"])
        for (route, status), n in list(self.requests.items()):
            requests.add_metric([route, str(status)], n)
        yield from (answered, labels, requests)
        words = "Time of a request."
        yield self.seconds.family("mooe_request_duration_seconds", words, "route")
        words = "From a prediction to its label."
        yield self.delays.family("mooe_feedback_delay_seconds", words, "model")

    def _asked(self) -> Iterator[Any]:
        """Yield what the platform knows of its models; those that are not open stay closed."""
        gauge = GaugeMetricFamily
        names = ["model"]
        pending = gauge("mooe_pending_predictions", "Labels that are waited for.", labels=names)
        experts = gauge("mooe_experts", "Experts that have a say.", labels=names)
        weights = gauge("mooe_expert_weight", "Their weights.", labels=["model", "expert"])
        ages = gauge("mooe_snapshot_age_seconds", "Age of the last snapshot.", labels=names)
        learnt = gauge("mooe_labels_learnt", "Labels that a model has learnt.", labels=names)
        regimes = gauge("mooe_regime", "Number of the regime in charge, 0 for none.", labels=names)
        healthy = gauge("mooe_model_healthy", "0 for a model in quarantine.", labels=names)
        for fact in self.platform.gauges():
            name = [fact.name]
            pending.add_metric(name, fact.pending)
            experts.add_metric(name, len(fact.weights))
            learnt.add_metric(name, fact.version)
            regimes.add_metric(name, fact.regime or 0)
            healthy.add_metric(name, not fact.problem)
            if fact.snapshot_age is not None:
                ages.add_metric(name, fact.snapshot_age)
            for expert, weight in fact.weights.items():
                weights.add_metric([fact.name, expert], weight)
        yield from (pending, experts, weights, ages, learnt, regimes, healthy)

    def _consumed(self, consumer: Consumer) -> Iterator[Any]:
        """Yield what became of messages of Kafka or Redis, and how many were not read yet."""
        words = "Messages of the source, by what became of them."
        messages = CounterMetricFamily("mooe_source_messages", words, labels=["result"])
        for result, n in list(consumer.counts.items()):
            messages.add_metric([str(result)], n)
        words = "Messages of the source that were not read yet."
        lag = GaugeMetricFamily("mooe_source_lag", words, labels=["topic"])
        for topic, n in consumer.lag.items():
            lag.add_metric([topic], n)
        yield from (messages, lag)
