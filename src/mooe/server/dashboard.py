"""The live page at /: one document that needs nothing but itself, and the state that it shows.

What was answered right is read from the store, once for each label, while somebody looks; so the
page knows the past of a model after a restart, and costs nothing where nobody looks.
"""

import base64
import hashlib
import math
import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from importlib.resources import files
from string import Template
from typing import Any

import msgspec
import numpy as np

from mooe.explanation import Concept, Expert, outcome_text
from mooe.platform import Platform
from mooe.server.messages import ModelFacts, X
from mooe.server.metrics import Metrics

KEPT = 6_000  # latest labels that are drawn one by one
PIECE = 1_000  # labels read at once; others have their turn in between
POINT = 100  # labels of a point of the long view
MOST_POINTS = 160  # of a line
LEAST = 20  # labels of the first point of a line
WINDOW = 500  # labels over which the page judges unless it is told otherwise
WATCHED = 50  # models whose past is in memory, those looked at last
SAMPLES = 240  # looks at the traffic that are kept
SAME = 0.5  # seconds for which all who look at a model see the same
MINUTE = 60.0  # seconds over which latencies are told
VERBS = ("predict", "feedback", "learn")
PARTS = files(__package__) / "page"
HEADERS = {
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class Window(msgspec.Struct):
    """The mean over the latest labels, and over as many before them; null where there are none."""

    labels: int
    value: float | None
    before: float | None


class Lines(msgspec.Struct):
    """Means along the stream: numbers of feedback, their times, and a line for each model.

    first: the number that drawings begin with.
    """

    first: int
    seqs: list[int]
    times: list[float]
    values: dict[str, list[float | None]]


class Visit(msgspec.Struct):
    """A stretch in the charge of a regime: numbers of feedback and times, null where unknown."""

    first: int | None
    last: int | None
    begin: float | None
    end: float | None
    dates: tuple[str, str] = ("", "")


class RegimeLine(msgspec.Struct):
    """A regime and when it was here, oldest visit first."""

    number: int
    title: str
    in_charge: bool
    labels: int
    visits: list[Visit]
    outcomes: str  # shares of its classes, or the mean of its labels
    set_apart_by: list[str]
    recognised_after: int | None = None  # rows of the visit now


class ExpertLine(msgspec.Struct):
    """An expert, its weight, since when it is there and how many labels it has learnt or seen."""

    name: str
    kind: str
    weight: float
    since: float | None
    labels: int | None
    fitted: tuple[int, int] | None = None  # samples, of the paper's offline experts


class Waiting(msgspec.Struct):
    """Labels that are waited for, and that were waited for in vain; times since 1970.

    oldest: when the oldest prediction that waits was made; last: when the last label came.
    """

    pending: int
    oldest: float | None
    last: float | None
    expired: int
    defaulted: int
    backlog: int


class Traffic(msgspec.Struct):
    """Rows per second between two looks, at the times of the second; learning, in seconds a row."""

    times: list[float]
    predictions: list[float]
    labels: list[float]
    pace: float


class Latency(msgspec.Struct):
    """Seconds of requests in the last minute, about: half and 99 of 100 took no longer."""

    n: int
    p50: float | None
    p99: float | None


class Duel(msgspec.Struct):
    """A shadow against its model on the latest labels that both answered.

    difference: shadow less champion, with its standard error.
    """

    name: str
    labels: int
    champion: float | None
    shadow: float | None
    difference: float | None
    error: float | None


class Overview(msgspec.Struct):
    """All that the page shows of a model."""

    now: float
    model: ModelFacts
    window: Window
    recent: Lines
    long: Lines
    regimes: list[RegimeLine]
    experts: list[ExpertLine]
    waiting: Waiting
    traffic: Traffic
    latency: dict[str, Latency]
    shadows: list[Duel]
    columns: int


class InputBody(msgspec.Struct):
    """The columns of a model, and the x that it learnt last; null for none."""

    columns: list[str | int]
    x: X | None


class Dashboard:
    """What the page shows, of one platform; safe for threads.

    Parameters
    ----------
    platform : Platform
    metrics : Metrics
        Whose histogram of requests tells latencies.
    """

    def __init__(self, platform: Platform, metrics: Metrics) -> None:
        self.platform, self.metrics = platform, metrics
        self.page, self.policy = page()
        self._histories: OrderedDict[tuple[str, float, int], History] = OrderedDict()
        self._requests: deque[tuple[float, dict[str, np.ndarray]]] = deque(maxlen=SAMPLES)
        self._latest: dict[tuple[str, int], Overview] = {}
        self._lock = threading.Lock()

    def overview(self, name: str, window: int = WINDOW) -> Overview:
        """Return the present state of a model, and its past as far as the page draws it."""
        with self._lock:
            made = self._latest.get((name, window))
            if made is None or not 0.0 <= self.platform.clock() - made.now < SAME:
                made = self._overview(name, window)
                self._latest = {(name, window): made}
            return made

    def _overview(self, name: str, window: int) -> Overview:
        platform = self.platform
        facts: Any = platform.facts(name)
        if facts["shadow_of"] is not None:
            raise ValueError(
                f"model must be one that answers, got {name!r}, a shadow of {facts['shadow_of']!r}"
            )
        answered, head, pace, last, rollbacks = platform.traffic(name)
        now = platform.clock()
        past = self._history(name, facts["created"], rollbacks)
        past.read(platform, name, head)
        past.note_traffic(now, answered, head)
        regimes, recognised = platform.regimes(name), platform.recognised_after(name)
        experts = platform.experts(name)
        spoken = {at for regime in regimes for visit in regime.visits for at in visit}
        spoken |= {at for each in experts if each.samples for at in each.samples}
        places = platform.places(name, spoken)
        columns, learnt = platform.size(name)
        oldest = [] if facts["problem"] else platform.pending(name, 1)
        expired, defaulted = platform.n_expired(name)
        return Overview(
            now=now,
            model=msgspec.convert(facts, ModelFacts),
            window=past.window(name, window),
            recent=past.recent(name, window),
            long=past.long.lines(),
            regimes=[regime_line(each, places, recognised) for each in regimes],
            experts=[
                expert_line(each, regimes, places, facts["created"], learnt) for each in experts
            ],
            waiting=Waiting(
                facts["pending"],
                oldest[0].at / 1e6 if oldest else None,
                last,
                expired,
                defaulted,
                platform.backlog(name),
            ),
            traffic=past.traffic(pace),
            latency=self._latencies(now),
            shadows=[past.duel(name, each, window) for each in facts["shadows"]],
            columns=columns,
        )

    def last_input(self, name: str) -> InputBody:
        """Return what the model can be asked, and with which values to begin."""
        columns, x = self.platform.last_input(name)
        return InputBody([each if isinstance(each, int) else str(each) for each in columns], x)

    def _history(self, name: str, created: float, rollbacks: int) -> "History":
        """Return what is kept of a model; of one that was made anew or taken back nothing."""
        key = name, created, rollbacks
        past = self._histories.setdefault(key, History())
        self._histories.move_to_end(key)
        if len(self._histories) > WATCHED:
            self._histories.popitem(last=False)
        return past

    def _latencies(self, now: float) -> dict[str, Latency]:
        """Return how long requests of all models took in the last minute."""
        times = self.metrics.seconds
        edges = np.array([*times.bounds, math.inf])
        counted = {
            verb: np.array(counts[:-1])
            for route, counts in list(times.counts.items())
            if (verb := route.rpartition("/")[2]) in VERBS
        }
        while len(self._requests) > 1 and self._requests[1][0] <= now - MINUTE:
            self._requests.popleft()
        before = self._requests[0][1] if self._requests else {}
        if not self._requests or now - self._requests[-1][0] >= 1.0:
            self._requests.append((now, counted))
        found = {}
        for verb, counts in counted.items():
            lately = counts - before.get(verb, 0.0)
            halves = quantile(edges, lately, 0.5), quantile(edges, lately, 0.99)
            found[verb] = Latency(int(lately.sum()), *halves)
        return found


class History:
    """The outcomes of a model and its shadows, as they were read from the store."""

    def __init__(self) -> None:
        self.long = LongView()
        self._head = 0
        self._marks: dict[str, np.ndarray] = {}  # (n, 3) as of Platform.outcomes
        self._traffic: deque[tuple[float, int, int]] = deque(maxlen=SAMPLES)

    def read(self, platform: Platform, name: str, head: int) -> None:
        """In place: the labels that came since the last look."""
        begin = max(self._head, head - KEPT)
        while begin < head:
            until = min(begin + PIECE, head)
            found = platform.outcomes(name, begin, until)
            self._marks = {
                each: np.concatenate([self._of(each), np.array(marks).reshape(-1, 3)])[-KEPT:]
                for each, marks in found.items()
            }
            begin = until
        self._head = head
        self.long.read(platform, name, head)

    def note_traffic(self, now: float, answered: int, learnt: int) -> None:
        """In place: how many rows were answered and learnt until now, once a second at most."""
        if not self._traffic or now - self._traffic[-1][0] >= 1.0:
            self._traffic.append((now, answered, learnt))

    def traffic(self, pace: float) -> Traffic:
        """Return rows per second."""
        times, answered, learnt = (
            np.array(each, float) for each in zip(*self._traffic, strict=True)
        )
        seconds = np.diff(times)
        rates = [np.diff(each).clip(0.0) / seconds for each in (answered, learnt)]
        return Traffic(times[1:].tolist(), rates[0].tolist(), rates[1].tolist(), pace)

    def window(self, name: str, window: int) -> Window:
        """Return how the latest labels were answered."""
        _, _, values = self._arrays(name)
        latest, before = values[-window:], values[-2 * window : -window]
        return Window(len(latest), _mean(latest), _mean(before) if len(before) >= LEAST else None)

    def recent(self, name: str, window: int) -> Lines:
        """Return the means of the latest labels, sliding."""
        seqs, times, values = self._arrays(name)
        first = min(window if self._head > KEPT else LEAST, len(values))
        step = max(1, -(-(len(values) - first) // MOST_POINTS))
        ends = np.arange(len(values), max(first, 1) - 1, -step)[::-1]
        shown = {name: sliding_means(values, ends, window)}
        at = seqs[ends - 1]
        for other in self._marks.keys() - {name}:
            own, _, marks = self._arrays(other)
            shown[other] = sliding_means(marks, np.searchsorted(own, at, "right"), window)
        return Lines(max(0, self._head - KEPT), at.tolist(), times[ends - 1].tolist(), shown)

    def duel(self, name: str, shadow: str, window: int) -> Duel:
        """Return how a shadow did against its model."""
        (a, _, champion), (b, _, other) = self._arrays(name), self._arrays(shadow)
        _, at, beside = np.intersect1d(a, b, assume_unique=True, return_indices=True)
        champion, other = champion[at[-window:]], other[beside[-window:]]
        gap, n = other - champion, len(champion)
        error = float(gap.std(ddof=1) / math.sqrt(n)) if n > 1 else None
        return Duel(shadow, n, _mean(champion), _mean(other), _mean(gap), error)

    def _of(self, name: str) -> np.ndarray:
        """Return what is kept of a model, (n, 3)."""
        return self._marks.get(name, np.empty((0, 3)))

    def _arrays(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return numbers, times and marks, (n,) each."""
        rows = self._of(name)
        return rows[:, 0].astype(np.int64), rows[:, 1], rows[:, 2]


class LongView:
    """Means of `POINT` labels all along the stream, at most `MOST_POINTS` of them.

    Every `width` labels the first `POINT` are read; where there would be too many points, every
    second is left and the width is doubled. So each is read once.
    """

    def __init__(self) -> None:
        self.width = POINT
        self._next = 0
        self._points: list[tuple[int, float, dict[str, float]]] = []

    def read(self, platform: Platform, name: str, head: int) -> None:
        """In place: points up to the last label."""
        while head // self.width > MOST_POINTS:
            self.width *= 2
        self._points = [
            point for point in self._points if (point[0] - 1) // POINT * POINT % self.width == 0
        ]
        begin = -(-self._next // self.width) * self.width
        while begin + POINT <= head:
            found = platform.outcomes(name, begin, begin + POINT)
            if found[name]:
                means = {
                    each: sum(mark for *_, mark in marks) / len(marks)
                    for each, marks in found.items()
                    if marks
                }
                seq, at, _ = found[name][-1]
                self._points.append((seq, at, means))
            begin += self.width
        self._next = begin

    def lines(self) -> Lines:
        """Return the points."""
        names = dict.fromkeys(name for *_, means in self._points for name in means)
        return Lines(
            0,
            [seq for seq, *_ in self._points],
            [at for _, at, _ in self._points],
            {name: [means.get(name) for *_, means in self._points] for name in names},
        )


def regime_line(
    regime: Concept, places: dict[int, tuple[int, float]], recognised: int | None = None
) -> RegimeLine:
    """Return a regime with the places of its visits; recognised: after how many rows of this."""
    dates = regime.dates or (("", ""),) * len(regime.visits)
    nowhere = None, None
    visits = []
    for (first, last), words in zip(regime.visits, dates, strict=True):
        (begin_seq, begin), (end_seq, end) = places.get(first, nowhere), places.get(last, nowhere)
        visits.append(Visit(begin_seq, end_seq, begin, end, words))
    return RegimeLine(
        *(regime.name, regime.title, regime.in_charge, regime.samples),
        *(visits, outcome_text(regime.shares, regime.mean), list(map(str, regime.inputs))),
        recognised if regime.in_charge else None,
    )


def expert_line(
    expert: Expert,
    regimes: Sequence[Concept],
    places: dict[int, tuple[int, float]],
    created: float,
    learnt: int,
) -> ExpertLine:
    """Return an expert with its age; learnt: labels that the model has learnt."""
    name, kind, weight = expert.called, expert.kind, expert.weight
    if kind == "memory":  # a live copy of the regime in charge
        regime = next((each for each in regimes if each.in_charge), None)
        if regime is None:
            return ExpertLine(name, kind, weight, None, None)
        at = [regime.first, *(first for first, _ in regime.visits)]
        since = next((places[first][1] for first in at if first in places), None)
        return ExpertLine(name, kind, weight, since, regime.samples)
    if expert.samples is None:
        return ExpertLine(name, kind, weight, created, learnt)
    first, last = expert.samples
    begin, labels = (last, learnt - 1 - last) if kind == "offline" else (first, last - first + 1)
    since = places[begin][1] if begin in places else None
    return ExpertLine(name, kind, weight, since, labels, expert.samples)


def sliding_means(values: np.ndarray, ends: np.ndarray, window: int) -> list[float | None]:
    """Return the means of the `window` values before each end; None where there are too few.

    >>> sliding_means(np.ones(40), np.array([10, 40]), 5)
    [None, 1.0]
    """
    total = np.concatenate([[0.0], np.cumsum(values)])
    begins = np.maximum(ends - window, 0)
    means = (total[ends] - total[begins]) / np.maximum(ends - begins, 1)
    enough = ends >= LEAST
    return [
        mean if is_enough else None for mean, is_enough in zip(means.tolist(), enough, strict=True)
    ]


def quantile(edges: np.ndarray, counts: np.ndarray, share: float) -> float | None:
    """Return about what a share of values lie below, by counts between edges.

    >>> quantile(np.array([1.0, 2.0, np.inf]), np.array([10.0, 10.0, 0.0]), 0.75)
    1.5
    """
    total = np.cumsum(counts)
    if not len(total) or total[-1] <= 0:
        return None
    at = int(np.searchsorted(total, share * total[-1]))
    if not np.isfinite(edges[at]):
        return float(edges[at - 1])
    low = edges[at - 1] if at else 0.0
    below = total[at - 1] if at else 0.0
    part = (share * total[-1] - below) / counts[at]
    return float(low + part * (edges[at] - low))


def page() -> tuple[str, str]:
    """Return the page, and the policy by which a browser runs its own script and nothing else."""

    def read(*names: str) -> str:
        return "\n".join((PARTS / name).read_text("utf-8") for name in names)

    style = read("uPlot.min.css", "dashboard.css")
    script = read("uPlot.min.js", "dashboard.js")
    text = Template(read("dashboard.html")).substitute(style=style, script=script)
    policy = (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return text, policy


def _digest(text: str) -> str:
    """Return how a policy names a script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _mean(values: np.ndarray) -> float | None:
    """Return the mean, None of nothing."""
    return float(values.mean()) if len(values) else None
