"""Metrics for Prometheus: counted on the way, and asked of the platform when they are fetched."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily

from mooe.platform import Platform

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
DELAYS = (1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400)


class Metrics:
    """What the server counts, of one platform."""

    def __init__(self, platform: Platform) -> None:
        disable_created_metrics()  # a second series for each, which nobody asked for
        self.registry = CollectorRegistry()
        of = {"registry": self.registry}
        self.predictions = Counter("mooe_predictions", "Rows that were answered.", ["model"], **of)
        self.feedback = Counter(
            "mooe_feedback", "Labels that came, by what became of them.", ["model", "result"], **of
        )
        self.seconds = Histogram(
            *("mooe_request_duration_seconds", "Time of a request.", ["route"]),
            buckets=SECONDS,
            **of,
        )
        self.delay = Histogram(
            *("mooe_feedback_delay_seconds", "From a prediction to its label.", ["model"]),
            buckets=DELAYS,
            **of,
        )
        self.requests = Counter("mooe_requests", "Requests.", ["route", "status"], **of)
        self.registry.register(_Asked(platform))

    @lru_cache(1024)  # noqa: B019 - lives as long as the server
    def of_route(self, route: str, status: int) -> tuple[Any, Any]:
        """Return what counts the time and the number of requests of a route."""
        return self.seconds.labels(route), self.requests.labels(route, str(status))

    def text(self) -> bytes:
        """Return all metrics as Prometheus reads them."""
        text: bytes = generate_latest(self.registry)
        return text


class _Asked:
    """Metrics that the platform knows."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform

    def describe(self) -> list[Any]:
        """Return nothing: the platform is asked when metrics are fetched, not before."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
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
