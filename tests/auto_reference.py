"""The default model, transcribed literally and slowly: the oracle of the compiled kernel.

The recipe is that of spec/default-model.md; what that leaves open is decided and told here.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from forest_reference import ForestReference, key_of

NARROW = 128  # inputs
EXPERTS = (
    "passive_plain",
    "passive_rich",
    "adagrad",
    "squares_slow",
    "squares_fast",
    "no_change",
    "memory_plain",
    "memory_rich",
    "steady",
    "usual",
    "forest",
    "leaves",
    "autoregression",
)
# Not for wide inputs.
NARROW_ONLY = {
    *("passive_rich", "squares_slow", "squares_fast", "memory_rich", "steady", "forest", "leaves"),
}
CLASSES_ONLY = {"autoregression"}
CONSTANT = 1e-300  # a column whose squares sum up to no more has no scale: it gives 0


@dataclass
class Columns:
    """Running statistics of the input columns, over labelled rows; an absent value leaves none."""

    count: np.ndarray  # (d,)
    mean: np.ndarray
    squares: np.ndarray  # sums of squared deviations
    zeros: np.ndarray

    def copy(self):
        return Columns(*(array.copy() for array in vars(self).values()))


@dataclass
class AdaGrad:
    """A logistic learner, of one score or one per class; it is also what a concept is."""

    weights: np.ndarray  # (n_outputs, p)
    sums: np.ndarray  # (n_outputs, p) of squared gradients

    def copy(self):
        return AdaGrad(self.weights.copy(), self.sums.copy())

    def learn(self, x, slopes, rate):
        """A_j += g^2 x_j^2, w_j += rate g x_j / sqrt(A_j), unless the slope is 0."""
        for o, g in enumerate(slopes):
            if g != 0.0:
                self.sums[o] += g**2 * x**2
                self.weights[o] += rate * g * x / np.sqrt(self.sums[o])


def fresh(n_outputs, p):
    """An AdaGrad learner that knows nothing."""
    return AdaGrad(np.zeros((n_outputs, p)), np.full((n_outputs, p), 1e-8))


def scores_of(learner, x):
    """Scores of a linear learner; classes with the same weights have the very same score."""
    return (learner.weights * x).sum(axis=1)


@dataclass
class Passive:
    """Passive-aggressive learner."""

    weights: np.ndarray  # (n_outputs, p)


@dataclass
class Squares:
    """Recursive least squares that forgets."""

    weights: np.ndarray  # (n_outputs, p)
    inverse: np.ndarray  # (p, p)
    keeping: float  # lambda

    def learn(self, x, errors, weight):
        """k = P x, D = lambda / weight + x.k, w += k error / D, P = (P - k k' / D) / lambda."""
        gain = self.inverse @ x
        divisor = self.keeping / weight + x @ gain
        self.weights += np.outer(errors, gain) / divisor
        self.inverse = (self.inverse - np.outer(gain, gain) / divisor) / self.keeping

    def cap(self):
        """Scale the inverse to a trace of 1000 per input, if it has more."""
        largest = 1000.0 * len(self.inverse)
        self.inverse *= min(1.0, largest / np.trace(self.inverse))


@dataclass
class Autoregression:
    """A softmax over the labels of late: the score of a class sums up the lags at which it was."""

    n_classes: int
    recent: list = field(default_factory=list)  # labels, the last one first
    lags: np.ndarray = field(default_factory=lambda: np.zeros(32))
    lag_sums: np.ndarray = field(default_factory=lambda: np.zeros(32))
    met: set = field(default_factory=set)  # classes
    followers: dict = field(default_factory=dict)  # (label, next label): weight
    follower_sums: dict = field(default_factory=dict)

    def probabilities(self, last, is_late):
        """Of all classes, behind the last label that is known; of late ones no other is known."""
        is_followed = self.n_classes <= 64 and math.isfinite(last)
        scores = np.zeros(self.n_classes)
        for k in range(self.n_classes):
            scores[k] = self.followers.get((last, k), 0.0) if is_followed else 0.0
            scores[k] -= 0.0 if k in self.met else 30.0
            for j, label in enumerate(self.recent):
                scores[k] += self.lags[j] if label == k and not is_late else 0.0
        found = np.exp(scores - scores.max())
        return found / found.sum()

    def learn(self, label, last, is_late, weight):
        """AdaGrad: sum += g^2, weight -= .2 g / sqrt(1 + sum)."""
        gradient = self.probabilities(last, is_late)
        gradient[int(label)] -= 1.0
        gradient *= min(weight, 1e6)
        if not is_late:
            for j, past in enumerate(self.recent):
                g = gradient[int(past)]
                self.lag_sums[j] += g * g
                self.lags[j] -= 0.2 * g / math.sqrt(1.0 + self.lag_sums[j])
        if self.n_classes <= 64 and math.isfinite(last):
            for k, g in enumerate(gradient):
                total = self.follower_sums[last, k] = self.follower_sums.get((last, k), 0.0) + g * g
                before = self.followers.get((last, k), 0.0)
                self.followers[last, k] = before - 0.2 * g / math.sqrt(1.0 + total)
        self.recent = [label, *self.recent][:32]
        self.met.add(int(label))

    def grow(self, n_classes):
        """Behind each class a new one is as unlikely as the least likely."""
        before, self.n_classes = self.n_classes, n_classes
        for label in range(before):
            known = [self.followers.get((float(label), k), 0.0) for k in range(before)]
            for k in range(before, n_classes):
                self.followers[float(label), k] = min(known)
        if n_classes > 64:
            self.followers, self.follower_sums = {}, {}


@dataclass
class Concept:
    """A frozen learner, and what is known of it. Rows are numbered by their labels, from 0."""

    learner: AdaGrad
    born: int  # first row of the interval that made it
    last: int = 0  # row in which it was last in charge
    samples: int = 0
    recognised: int = 0  # intervals, the one that made it included
    name: int = 0  # from 1 on, after the third recognition, once its memory is shown
    visits: list = field(default_factory=list)  # the latest 16 stretches in charge: [first, last]
    worse: float = 0.0  # than the concept in charge, over the intervals compared
    compared: int = 0


@dataclass
class Row:
    """A row of the open interval."""

    x: np.ndarray
    label: float
    weight: float
    losses: list  # of each concept
    live: float
    fresh: float


@dataclass
class Memory:
    """The concept memory over one kind of inputs."""

    model: "AutoReference"
    n_inputs: int
    concepts: list = field(default_factory=list)
    current: int | None = None  # the concept in charge
    rows: list = field(default_factory=list)
    gains: dict = field(default_factory=dict)  # CUSUM of each concept: (sum, first row)
    n_made: int = 0
    n_switched: int = 0
    n_absorbed: int = 0
    live_loss: float = 0.0
    unit: tuple | None = None  # regression: deviation and mean that the concepts are in

    def __post_init__(self):
        self.live, self.fresh = self.nothing(), self.nothing()

    def nothing(self):
        return fresh(self.model.n_outputs, self.n_inputs)

    def learn(self, x, label, weight, rate):
        """One labelled row: charge, learn, switch early, close."""
        model = self.model

        def lost(learner):
            return weight * model.loss(scores_of(learner, x), label)

        losses = [lost(concept.learner) for concept in self.concepts]
        self.rows.append(Row(x, label, weight, losses, lost(self.live), lost(self.fresh)))
        self.live_loss += self.rows[-1].live
        for learner in (self.live, self.fresh):
            self.teach(learner, self.rows[-1:], rate)
        if self.current is not None and "early_switch" not in model.without:
            self.switch_early(rate)
        if len(self.rows) == model.interval:
            self.close(rate)

    def teach(self, learner, rows, rate):
        """The learner learns rows, by today's rate and targets."""
        for row in rows:
            slopes = self.model.slopes(scores_of(learner, row.x), row.label, row.weight)
            learner.learn(row.x, slopes, rate)

    def switch_early(self, rate):
        """A CUSUM for each other concept against the better of live and the one in charge."""
        t, row = len(self.rows) - 1, self.rows[-1]
        reference = min(row.live, row.losses[self.current])
        for k in range(len(self.concepts)):
            if k == self.current:
                continue
            total, since = self.gains.get(k, (0.0, 0))
            total += reference - row.losses[k]
            self.gains[k] = (total, since) if total > 0 else (0.0, t + 1)
        others = [k for k in range(len(self.concepts)) if k != self.current]
        best = max(others, key=lambda k: self.gains[k][0], default=None)
        if best is None or not self.gains[best][0] > 3:
            return
        self.rows = self.rows[self.gains[best][1] :]
        self.take_charge(best)
        self.n_switched += 1
        self.live, self.fresh = self.concepts[best].learner.copy(), self.nothing()
        for learner in (self.live, self.fresh):
            self.teach(learner, self.rows, rate)
        self.gains = {k: (0.0, len(self.rows)) for k in range(len(self.concepts))}

    def take_charge(self, k):
        """Concept k is in charge; after a change the others are compared with it from the start."""
        first, last = self.model.n_labelled - len(self.rows), self.model.n_labelled - 1
        visits = self.concepts[k].visits
        if k != self.current:
            for concept in self.concepts:
                concept.worse, concept.compared = 0.0, 0
            if self.current is not None and self.concepts[self.current].visits:
                left = self.concepts[self.current].visits
                left[-1][1] = first - 1
                if left[-1][0] >= first:  # all of it turned out to be another's
                    del left[-1]
            visits.append([first, last])
            del visits[:-16]
        elif visits:
            visits[-1][1] = last
        self.current = k
        self.concepts[k].last = last

    def close(self, rate):
        """A concept is recognised and learns the interval, or a new one is made of fresh."""
        losses = [np.array([row.losses[k] for row in self.rows]) for k in range(len(self.concepts))]
        live, fresh = (
            np.array([getattr(row, one) for row in self.rows]) for one in ("live", "fresh")
        )
        best = min(range(len(losses)), key=lambda k: losses[k].sum(), default=None)
        least = None if best is None else losses[best].sum()
        if self.current is not None and live.sum() < least:
            best, least = self.current, live.sum()
        before, mixed = self.current, False
        known = best is not None and least <= fresh.sum()
        if known and best == self.current:
            mixed = is_mixed(losses[best])
        self.follow_unit()
        contenders = [losses[best]] if known else []
        if known and best == self.current:
            contenders.append(live)
        if known and (mixed or not is_outdone(contenders, fresh)):
            if best != self.current:
                self.teach(self.concepts[best].learner, self.rows, rate)
            elif not mixed:
                self.concepts[best].learner = self.live.copy()
        else:
            best, before = self.make(), None
            self.current = None if best == self.current else self.current
        self.take_charge(best)
        concept = self.concepts[best]
        concept.samples += len(self.rows)
        concept.recognised += 1
        if best == before and not mixed and "merge" not in self.model.without:
            self.compare()
        if not mixed:
            self.live = self.concepts[self.current].learner.copy()
        self.fresh = self.nothing()
        self.rows, self.gains = [], {}

    def follow_unit(self):
        """Regression: concepts and live learner say the same labels in the unit of now."""
        model = self.model
        if not model.regression:
            return
        if self.unit is not None:
            unit, mean = self.unit
            for learner in (*(concept.learner for concept in self.concepts), self.live):
                learner.weights *= unit / model.unit
                learner.weights[0, model.n_features] += (mean - model.target_mean) / model.unit
        self.unit = (model.unit, model.target_mean)

    def make(self):
        """A new concept := fresh, in a free slot or that of the one least recently in charge."""
        self.n_made += 1
        concept = Concept(self.fresh, self.model.n_labelled - len(self.rows))
        if len(self.concepts) < self.model.max_concepts:
            self.concepts.append(concept)
            return len(self.concepts) - 1
        oldest = min(range(len(self.concepts)), key=lambda k: self.concepts[k].last)
        self.concepts[oldest] = concept
        return oldest

    def compare(self):
        """Absorb whoever does no worse than the one in charge on at least 5 intervals of its own.

        Counted are intervals that the same concept closed and was in charge of, without a break.
        """
        keeper = self.concepts[self.current]
        sums = [sum(row.losses[k] for row in self.rows) for k in range(len(self.concepts))]
        own = sums[self.current]
        k = 0
        while k < len(self.concepts):
            other = self.concepts[k]
            if other is not keeper:
                other.worse += sums[k] - own
                other.compared += 1
            if other is keeper or other.compared < 5 or other.worse > 0:
                k += 1
                continue
            self.n_absorbed += 1
            keeper.born = min(keeper.born, other.born)
            keeper.samples += other.samples
            keeper.recognised += other.recognised
            names = [name for name in (keeper.name, other.name) if name]
            keeper.name = min(names, default=0)
            whole = [visit for visit in other.visits if visit[0] <= visit[1]]
            keeper.visits = sorted(keeper.visits + whole)[-16:]
            self.concepts[k], sums[k] = self.concepts[-1], sums[-1]  # the last fills the gap
            del self.concepts[-1], sums[-1]
        self.current = next(k for k, c in enumerate(self.concepts) if c is keeper)


def is_outdone(contenders, fresh):
    """Whether in the second half fresh does better than the best, by 1.5 standard errors."""
    half = len(fresh) // 2
    worse = min((losses[half:] for losses in contenders), key=sum) - fresh[half:]
    return worse.sum() > 0 and worse.sum() ** 2 > 1.5**2 * (worse**2).sum() + 1e-12


def is_mixed(losses):
    """Whether losses are larger behind some row than before it, by 3 standard errors."""
    n = len(losses)
    for k in range(4, n - 3):
        before, behind = losses[:k], losses[k:]
        worse = behind.mean() - before.mean()
        explained = worse**2 * k * (n - k) / n
        within = ((before - before.mean()) ** 2).sum() + ((behind - behind.mean()) ** 2).sum()
        if worse > 0 and explained > 3.0**2 * within / (n - 2) + 1e-12:
            return True
    return False


def rows_of(concept):
    """The rows in a concept's charge, by the visits that are kept."""
    return {row for first, last in concept.visits for row in range(first, last + 1)}


def name_of_same_rows(concept, others):
    """The name of the other concept that had most of this one's rows, more than half; or 0."""
    rows = rows_of(concept)
    shared = [(len(rows & rows_of(one)), -k) for k, one in enumerate(others) if one.name]
    most, place = max(shared, default=(0, 0))
    return others[-place].name if most > 0.5 * len(rows) else 0


class Calibration:
    """Scores as true probabilities: powers and noise mixed, then a curve of the winner's odds."""

    powers = (0.3, 0.46, 0.71, 1.08, 1.66, 2.55, 3.91, 6.0)
    noises = (0.0, 0.06, 0.2, 0.6)
    step, n_knots = 0.5, 24

    def __init__(self):
        self.shares = np.full((4, 8), 1 / 32)
        self.trust = 0.5
        self.curve = self.step * np.arange(self.n_knots)
        self.slopes = np.ones(self.n_knots)
        self.met = 1

    def experts(self, scores):
        """Probabilities by every noise and power, (4, 8, n)."""
        n = len(scores)
        found = np.empty((4, 8, n))
        for k, power in enumerate(self.powers):
            raised = ((1 + scores) / 2 + 0.002) ** power
            for e, noise in enumerate(self.noises):
                found[e, k] = (1 - noise) * raised / raised.sum() + noise / n
        return found

    def before(self, scores):
        """Probabilities before the curve."""
        return np.tensordot(self.shares, self.experts(scores), axes=2)

    def place(self, chances):
        """Odds of the winner beside a blind guess, in knots; None where somebody is level."""
        ordered = np.sort(chances)
        if ordered[-2] >= ordered[-1]:
            return None
        odds = math.log(chances.max() / (chances.sum() - chances.max()))
        return max(0.0, odds + math.log(len(chances) - 1)) / self.step

    def after(self, chances):
        """Probabilities after the curve."""
        place = self.place(chances)
        if place is None:
            return chances
        blind = math.log(len(chances) - 1)
        rise = self.step * np.arange(self.n_knots)
        odds = np.interp(place * self.step, rise, self.curve)
        odds += max(0.0, place * self.step - rise[-1]) - blind
        top = chances.argmax()
        others = np.delete(chances, top)
        odds = max(odds, math.log(others.max() / others.sum()))
        found = chances / others.sum() / (1 + math.exp(odds))
        found[top] = 1 / (1 + math.exp(-odds))
        return found

    def probabilities(self, scores):
        chances = self.before(scores)
        return (1 - self.trust) * chances + self.trust * self.after(chances)

    def learn(self, scores, label, weight):
        """Bayes with a fixed share for experts and curve; the curve goes along its gradient."""
        if label >= self.met:
            self.met = label + 1
            return
        experts, chances = self.experts(scores)[:, :, label], self.before(scores)
        after, place = self.after(chances), self.place(chances)
        self.shares = self.shares * self.times(experts / chances[label], weight)
        self.shares = 0.99998 * self.shares / self.shares.sum() + 0.00002 / 32
        if place is None:
            return
        gain = self.trust * self.times(after[label] / chances[label], weight)
        self.trust = 0.99998 * gain / (gain + 1 - self.trust) + 0.00001
        top = chances.argmax()
        slope = min(weight, 10.0) * ((label == top) - after[top])
        first = min(int(place), self.n_knots - 2)
        along = min(place - first, 1.0)
        flattest = 0.02 * self.step
        for at, share in ((first, 1 - along), (first + 1, along)):
            if at > 0:
                self.slopes[at] = 0.999 * self.slopes[at] + (slope * share) ** 2
                self.curve[at] += 0.1 * slope * share / math.sqrt(self.slopes[at])
                self.curve[at] = max(self.curve[at], at * flattest)
        for at in range(first, 0, -1):
            self.curve[at] = max(at * flattest, min(self.curve[at], self.curve[at + 1] - flattest))
        for at in range(first + 2, self.n_knots):
            self.curve[at] = max(self.curve[at], self.curve[at - 1] + flattest)

    @staticmethod
    def times(ratio, weight):
        return ratio if weight == 1 else np.exp(np.clip(weight * np.log(ratio), -50, 50))


def of_all_classes(scores):
    """Scores of all classes: of two from a single one."""
    return np.array([-scores[0], scores[0]]) if len(scores) == 1 else scores


class AutoReference:
    """The default model; frequencies (d, n) and phases (n,) in turns, pairs (n, 2) are drawn."""

    def __init__(self, params, n_features, n_classes, frequencies, phases, pairs, groups=None):
        self.nominal = [0] * n_features if groups is None else [int(g) for g in groups]
        # A column of the table: a number, of size 0, or all indicators of a nominal one.
        self.sources = [(0, [j]) for j, g in enumerate(self.nominal) if g == 0]
        for g in sorted(set(self.nominal) - {0}):
            own = [j for j, other in enumerate(self.nominal) if other == g]
            self.sources.append((len(own), own))
        self.ranks = [0] * len(self.sources)  # by the values so far
        sizes = sorted(size for size, _ in self.sources)
        numbers = [n for n, size in enumerate(filter(None, sizes), 1) for _ in range(size)]
        self.groups = np.array([0] * sizes.count(0) + numbers, int)
        self.task, self.interval, self.max_concepts = (
            params.task,
            params.interval,
            params.max_concepts,
        )
        self.without = set(params.without)
        self.n_features, self.n_classes = n_features, n_classes
        self.narrow = n_features <= NARROW
        self.frequencies, self.phases = frequencies.copy(), phases.copy()
        self.pairs = pairs.astype(int)
        self.columns = Columns(*np.zeros((4, n_features)))
        self.order = np.arange(n_features)  # the column that each input is
        self.first = np.zeros(n_features)  # value of each input
        self.values = [set() for _ in range(n_features)]  # of each input in the first rows
        self.seed = params.seed
        self.norms = np.zeros(2)  # means of the squared norms of plain and of rich inputs
        self.n_labelled, self.last = 0, math.nan
        # Regression: mean, squares, range of the labels; usual squared error of the mixture.
        self.target_mean = self.target_squares = 0.0
        self.target_range = (math.inf, -math.inf)
        self.first_labels = []  # until the deviation of the labels is known
        self.usual, self.was_far = 1.0, False
        z = n_features + 1
        r, q = z + len(phases), z + len(phases) + len(pairs)
        o = self.n_outputs
        self.passive_plain, self.passive_rich = (Passive(np.zeros((o, p))) for p in (z, q))
        self.adagrad, self.steady = fresh(o, q), fresh(o, z)
        self.mean_of_late = np.zeros(o)  # of the targets; regression: of the labels
        self.squares_slow = Squares(np.zeros((o, r)), 10.0 * np.eye(r), 0.999)
        self.squares_fast = Squares(np.zeros((o, z)), 10.0 * np.eye(z), 0.98)
        self.memory_plain, self.memory_rich = Memory(self, z), Memory(self, q)
        self.shown, self.n_named = self.memory_plain, 0
        n_counted = n_classes or 2 if self.task == "classification" else 0
        self.forest = ForestReference(params.seed, n_features, n_counted, self.groups)
        self.autoregression = Autoregression(max(2, n_classes))
        off = self.without | (set() if self.narrow else NARROW_ONLY)
        off |= CLASSES_ONLY if self.regression else set()
        self.on = np.array([name not in off for name in EXPERTS])
        self.shares = self.on / self.on.sum()  # by Hedge
        self.tuned = self.shares.copy()  # by exponentiated gradient
        self.calibration = None if "calibration" in self.without else Calibration()

    @property
    def n_outputs(self):
        return self.n_classes if self.task == "classification" and self.n_classes > 2 else 1

    @property
    def regression(self):
        return self.task == "regression"

    # Inputs

    def arrange(self, x, learn):
        """Return the column of each input: by what its values were so far, and x after them.

        Numbers by their binary digits, then themselves; groups by their size, then by which of
        their indicators is on. With learn, x is among what the values were from now on.
        """
        if not self.narrow:
            return self.order

        def place(j):
            value, absent = (x[j], False) if x[j] == x[j] else (0.0, True)
            digits = 2.0 * math.frexp(abs(value))[0]
            return absent, digits / 2.0 if digits >= math.sqrt(2.0) else digits, value

        def on(columns):
            return next((k for k, j in enumerate(columns) if x[j] > 0.5), len(columns))

        sources = zip(self.sources, self.ranks, strict=True)
        keys = [(size, rank, on(own) if size else place(own[0])) for (size, own), rank in sources]
        by_key = sorted(range(len(keys)), key=keys.__getitem__)
        order = np.array([j for k in by_key for j in self.sources[k][1]], dtype=int)
        if learn:
            distinct = sorted(set(keys))
            self.order, self.ranks = order, [distinct.index(key) for key in keys]
        return order

    def pairs_of_different_groups(self):
        """All pairs, squares too, but those of indicators of one nominal column."""
        d, groups = self.n_features, self.groups
        pairs = [(i, j) for i in range(d) for j in range(i, d)]
        return [(i, j) for i, j in pairs if groups[i] == 0 or groups[i] != groups[j]]

    def choose_pairs(self):
        """After 50 rows: numbers before indicators, the kind that finds room in part drawn."""
        many = [len(v) > 2 and not g for v, g in zip(self.values, self.groups, strict=True)]

        def kind_of(i, j):
            if all(many) or not any(many):
                return -1
            if i == j:
                return 0 if many[i] else 4
            return 3 - many[i] - many[j]

        pairs = self.pairs_of_different_groups()
        chosen = []
        for kind in (-1, 0, 1, 2, 3, 4):
            some = [pair for pair in pairs if kind_of(*pair) == kind]
            wanted, key = min(len(some), 300 - len(chosen)), key_of(self.seed, kind + 2)
            for left, pair in zip(range(len(some), 0, -1), some, strict=True):
                if (key_of(key, left) >> 11) * 2.0**-53 * left < wanted:
                    chosen.append(pair)
                    wanted -= 1
        self.pairs = np.array(chosen)

    def raw(self, x):
        """Return the values of a row counted from the first of their column, and the firsts."""
        first = np.where((self.columns.count == 0) & (x == x), x, self.first)
        return np.where(x == x, x, self.columns.mean) - first, first

    def see(self, x):
        """Return z, r, q of a row, and the statistics with the row included."""
        columns = self.columns.copy()
        z = np.ones(self.n_features + 1)
        for j, value in enumerate(x):
            given = not math.isnan(value)
            seen = self.standardise(columns, j, value if given else self.columns.mean[j])
            z[j] = min(4.0, max(-4.0, seen))
            if not given:
                for now, before in zip(
                    vars(columns).values(), vars(self.columns).values(), strict=True
                ):
                    now[j] = before[j]
        if not self.narrow:
            return z, z, z, columns
        turns = z[:-1] @ self.frequencies + self.phases
        waves = 3.0 * math.sqrt(2.0 / max(len(turns), 1)) * np.cos(2.0 * math.pi * turns)
        factors = z[:-1].clip(-3.0, 3.0)
        chosen = self.pairs[:, 0] >= 0
        products = 0.5 * chosen * factors[self.pairs[:, 0]] * factors[self.pairs[:, 1]]
        r = np.concatenate([z, waves])
        return z, r, np.concatenate([r, products]), columns

    def standardise(self, columns, j, value):
        """Take a value into the statistics of column j (Welford) and standardise it by them."""
        columns.count[j] += 1
        columns.zeros[j] += value == 0
        n, before = columns.count[j], columns.mean[j]
        columns.mean[j] += (value - before) / n
        columns.squares[j] += (value - before) * (value - columns.mean[j])
        mean, squares = columns.mean[j], columns.squares[j]
        if columns.zeros[j] / n > 0.75 and "sparse_columns" not in self.without:
            about_zero = squares + n * mean**2
            return value / math.sqrt(about_zero / n) if about_zero > CONSTANT else 0.0
        return (value - mean) / math.sqrt(squares / n) if squares > CONSTANT else 0.0

    # Targets, votes and losses

    @property
    def unit(self):
        """Regression: standard deviation of the labels, 1 while there is none."""
        if self.n_labelled == 0 or not self.target_squares > 0:
            return 1.0
        return math.sqrt(self.target_squares / self.n_labelled)

    def targets(self, label):
        """T of each output."""
        if self.regression:
            return np.array([(label - self.target_mean) / self.unit])
        classes = [1] if self.n_outputs == 1 else range(self.n_outputs)
        return np.array([1.0 if label == c else -1.0 for c in classes])

    def clip(self, scores):
        """Scores within the range of targets: [-1, 1], or that of the labels so far."""
        if not self.regression:
            return np.clip(scores, -1.0, 1.0)
        if self.n_labelled == 0:
            return np.zeros_like(scores)
        low, high = ((end - self.target_mean) / self.unit for end in self.target_range)
        return np.clip(scores, low, high)

    def loss(self, scores, label):
        """Half for being wrong, half for being unsure; regression: beside the usual error."""
        targets, clipped = self.targets(label), self.clip(scores)
        squares = np.sum((clipped - targets) ** 2)
        if self.regression:
            return min(1.0, squares / (8.0 * self.usual))
        if self.n_outputs == 1:
            return 0.5 * (scores[0] * targets[0] <= 0) + 0.5 * 0.25 * squares
        return 0.5 * (np.argmax(clipped) != label) + 0.5 * min(1.0, squares / 8.0)

    def slopes(self, scores, label, weight):
        """What AdaGrad follows, for each output; next to nothing is 0."""
        targets = self.targets(label)
        if self.regression:
            found = np.clip(targets - scores, -1.0, 1.0)
        else:
            found = targets / (1.0 + np.exp(np.clip(2.0 * targets * scores, -30.0, 30.0)))
        return np.where(abs(found) > 1e-4, weight * found, 0.0)

    def scores(self, z, r, q, last, said, is_late=False):
        """Scores of the experts, (n, n_outputs); of those that are off 0; said: the forest's."""
        found = np.zeros((len(EXPERTS), self.n_outputs))
        forest = dict(zip(("forest", "leaves"), said, strict=True))
        inputs = {"passive_plain": z, "squares_slow": r, "squares_fast": z, "memory_plain": z}
        inputs["steady"] = z
        for k, name in enumerate(EXPERTS):
            if not self.on[k]:
                continue
            if name == "no_change":
                found[k] = 0.0 if math.isnan(last) else self.targets(last)
                continue
            if name in forest:
                found[k] = forest[name]
                continue
            if name == "autoregression":
                shares = self.autoregression.probabilities(last, is_late)
                found[k] = 2.0 * shares[-self.n_outputs :] - 1.0
                continue
            if name == "usual":
                late = self.mean_of_late
                found[k] = self.targets(late[0]) if self.regression else late
                continue
            expert = getattr(self, name)
            learner = expert.live if isinstance(expert, Memory) else expert
            found[k] = scores_of(learner, inputs.get(name, q))
        return found

    @property
    def weights(self):
        """The weights of the mixture, (n_experts,)."""
        if "hedge" in self.without:
            return self.tuned
        return self.shares if "gradient" in self.without else (self.shares + self.tuned) / 2

    def answer(self, mixed):
        """The mixture's scores as users get them."""
        if self.regression:
            return self.target_mean + self.unit * mixed if self.n_labelled else mixed * math.nan
        if self.n_classes < 2:
            return np.array([math.nan if self.n_classes == 0 else -math.inf])
        if self.calibration is None:
            return mixed
        found = np.log(self.calibration.probabilities(of_all_classes(mixed)))
        return np.array([(found[1] - found[0]) / 4]) if self.n_outputs == 1 else found / 2

    def predict(self, x):
        x = np.asarray(x)[self.arrange(np.asarray(x), False)]
        z, r, q, _ = self.see(x)
        raw, first = self.raw(x)
        said = self.forest.vote(raw, x, first)
        return self.answer(self.weights @ self.clip(self.scores(z, r, q, self.last, said)))

    def learn(self, x, label, weight=1.0, known=math.nan):
        """Return the scores given before the label; learn it if there is one to learn."""
        labelled = not math.isnan(label) and weight > 0
        given = np.asarray(x)
        x = given[self.arrange(given, labelled)]
        z, r, q, columns = self.see(x)
        raw, first = self.raw(x)
        said = self.forest.vote(raw, x, first)
        is_late = not math.isnan(known)
        last = known if is_late else self.last
        scores = self.scores(z, r, q, last, said, is_late)
        votes = self.clip(scores)
        mixed = self.weights @ votes
        if not labelled:
            return self.answer(mixed)
        if not self.regression and label >= self.n_classes:
            said = self.answer(mixed)
            self.grow(int(label) + 1)
            self.learn(given, label, weight, known)
            return said
        said = self.answer(mixed)
        if self.calibration is not None and not self.regression and self.n_classes > 1:
            self.calibration.learn(of_all_classes(mixed), int(label), weight)
        self.columns, self.first = columns, first
        self.n_labelled += 1
        self.norms += (np.array([z @ z, q @ q]) - self.norms) / self.n_labelled
        for j in np.flatnonzero(x == x):
            self.values[j].add(x[j])
        if self.n_labelled == 50 and len(self.pairs) and self.pairs[0, 0] < 0:
            self.choose_pairs()
        self.last = label
        if self.regression:
            nearer = self.doubt(label, mixed[0])
            is_doubted, label = nearer != label, self.meet_label(nearer)
            self.meet_error(label, mixed[0], is_doubted)
        self.reweight(votes, label, weight)
        if self.on[EXPERTS.index("autoregression")]:
            self.autoregression.learn(label, last, is_late, weight)
        self.teach_experts(z, r, q, scores, label, weight)
        if self.n_labelled % 50 == 0:
            self.squares_slow.cap()
            self.squares_fast.cap()
        plain_rate, rich_rate = 0.3 / np.sqrt(self.norms)
        if self.on[EXPERTS.index("memory_plain")]:
            self.memory_plain.learn(z, label, weight, plain_rate)
        if self.on[EXPERTS.index("memory_rich")]:
            self.memory_rich.learn(q, label, weight, rich_rate)
        self.give_names()
        return said

    def give_names(self):
        """Users see the memory that does clearly better; its concepts get the next names."""
        plain, rich = self.memory_plain, self.memory_rich
        if self.on[EXPERTS.index("memory_rich")]:
            if "memory_plain" in self.without or rich.live_loss < 0.98 * plain.live_loss - 5:
                self.shown = rich
            elif plain.live_loss < 0.98 * rich.live_loss - 5:
                self.shown = plain
        others = (plain if self.shown is rich else rich).concepts
        for concept in sorted(self.shown.concepts, key=lambda concept: concept.born):
            if concept.recognised >= 3 and not concept.name:
                taken = {one.name for one in self.shown.concepts}
                concept.name = name_of_same_rows(concept, others)
                if concept.name in taken:
                    self.n_named += 1
                    concept.name = self.n_named

    def doubt(self, label, mixed):
        """Regression: the label, or one nearer to the answer for the first in a row that is far.

        That is 40 usual errors from the answer, and six deviations from the mean.
        """
        if self.first_labels is not None:
            return label
        unit = math.sqrt(self.target_squares / (self.n_labelled - 1))
        middle = np.clip(self.target_mean + unit * mixed, *self.target_range)
        reach, before = 40.0 * math.sqrt(self.usual) * unit, self.was_far
        is_outside = abs(label - self.target_mean) > 6.0 * unit
        self.was_far = is_outside and abs(label - middle) > reach
        is_doubted = self.was_far and not before
        return np.clip(label, middle - reach, middle + reach) if is_doubted else label

    def meet_label(self, label):
        """Regression: the statistics of the labels with this one; return it as it is learnt."""
        if self.first_labels is not None:
            return self.meet_first(label)
        reach = 30.0 * math.sqrt(self.target_squares / (self.n_labelled - 1))
        label = min(self.target_mean + reach, max(self.target_mean - reach, label))
        self.add_target(label, self.n_labelled)
        return label

    def meet_first(self, label):
        """Among the first 30 labels, those more than 30 deviations from the middle of them all
        count as the last ones within; a deviation is 1.5 times the median distance from the middle.

        Where most labels are the same, the first of the 30 stands for all that were, and it is the
        median distance of the others, if there are three.
        """
        self.first_labels.append(label)
        times = self.n_labelled - len(self.first_labels) + 1
        if len(set(self.first_labels)) == 1:
            times, self.first_labels = self.n_labelled, [label]
        labels = np.array([self.first_labels[0]] * (times - 1) + self.first_labels)
        middle = np.sort(labels)[len(labels) // 2]
        distances = np.sort(abs(labels - middle))
        typical = distances[len(labels) // 2]
        others = distances[distances > 0]
        if typical == 0.0 and len(others) >= 3:
            typical = others[len(others) // 2]
        reach = 30.0 * 1.5 * typical if len(labels) >= 4 else math.inf
        believed = labels[abs(labels - middle) <= reach]
        tamed = np.clip(self.first_labels, believed.min(), believed.max())
        self.target_mean = self.target_squares = 0.0
        self.target_range = (math.inf, -math.inf)
        self.add_target(tamed[0], 1)
        for i, one in enumerate(tamed[1:], start=1):
            self.add_target(one, times + i)
        if len(tamed) == 30:
            first, *others = self.first_labels
            others = [one for one in [*others, first] if one != middle]
            self.first_labels = None if self.target_squares > 0.0 else [middle, *others]
        return tamed[-1]

    def add_target(self, label, n):
        """The n-th label."""
        step = label - self.target_mean
        self.target_mean += step / n
        self.target_squares += step * (label - self.target_mean)
        self.target_range = (min(self.target_range[0], label), max(self.target_range[1], label))

    def meet_error(self, label, mixed, is_doubted):
        """Regression: the usual error of the mixture; ten such errors where a label is doubted."""
        error = self.clip(np.array([mixed]))[0] - self.targets(label)[0]
        squared = min(error**2, 100.0 * self.usual) if is_doubted else error**2
        share = max(0.01, 1.0 / self.n_labelled)
        self.usual = max(1e-12, self.usual + share * (squared - self.usual))

    def reweight(self, votes, label, weight):
        """Hedge with a fixed share, and exponentiated gradient on the loss of its own mixture."""
        n_on = self.on.sum()
        losses = np.array([self.loss(vote, label) for vote in votes])
        kept = self.shares * np.exp(-weight * (losses - losses[self.on].min())) * self.on
        mixture = self.tuned @ votes
        self.shares = np.where(self.on, 0.997 * kept / kept.sum() + 0.003 / n_on, 0.0)
        exponents = np.clip(0.5 * weight * self.pull(votes, mixture, label), -20.0, 20.0)
        tuned = np.where(self.on, self.tuned * np.exp(exponents), 0.0)
        self.tuned = np.where(self.on, np.maximum(tuned / tuned.sum(), 1e-12), 0.0)

    def pull(self, votes, mixture, label):
        """How much more of each expert would have lowered the mixture's log-loss."""
        targets = self.targets(label)
        if self.regression:
            usual = math.sqrt(self.usual)
            error = np.clip((targets[0] - mixture[0]) / usual, -1.0, 1.0)
            return error * np.clip((votes[:, 0] - mixture[0]) / (2.0 * usual), -1.0, 1.0)
        if self.n_outputs == 1:
            return targets[0] / (1.0 + np.exp(4.0 * targets[0] * mixture[0])) * votes[:, 0]
        odds = np.exp(2.0 * mixture)
        return votes @ ((targets > 0) - odds / odds.sum())

    def teach_experts(self, z, r, q, scores, label, weight):
        """The online experts learn, from the scores they gave."""
        targets = self.targets(label)
        by_name = dict(zip(EXPERTS, scores, strict=True))
        for name, x in (("passive_plain", z), ("passive_rich", q)):
            if self.on[EXPERTS.index(name)]:
                steps = self.passive_steps(by_name[name], targets, x @ x, weight)
                getattr(self, name).weights += np.outer(steps, x)
        if self.on[EXPERTS.index("adagrad")]:
            rate = 2.0 / math.sqrt(self.norms[1])
            self.adagrad.learn(q, self.slopes(by_name["adagrad"], label, weight), rate)
        if self.on[EXPERTS.index("steady")]:
            rate = 0.1 / math.sqrt(self.norms[0])
            self.steady.learn(z, self.slopes(by_name["steady"], label, weight), rate)
        share = max(0.001, 1.0 / (self.n_labelled + (0 if self.regression else 1)))
        newest = label if self.regression else targets
        if self.regression and self.n_labelled > 1:  # labels of before may have been tamed since
            self.mean_of_late = np.clip(self.mean_of_late, *self.target_range)
        self.mean_of_late += min(1.0, weight * share) * (newest - self.mean_of_late)
        for name, x in (("squares_slow", r), ("squares_fast", z)):
            if self.on[EXPERTS.index(name)]:
                getattr(self, name).learn(x, targets - by_name[name], weight)
        if self.on[EXPERTS.index("forest")] or self.on[EXPERTS.index("leaves")]:
            self.forest.learn(label, targets[0], weight, self.n_labelled)

    def passive_steps(self, scores, targets, norm, weight):
        """T min(weight, hinge / ||x||^2); regression: towards the target, errors of .1 are free."""
        if self.regression:
            errors = targets - scores
            return np.sign(errors) * np.minimum(weight, np.maximum(0, abs(errors) - 0.1) / norm)
        return targets * np.minimum(weight, np.maximum(0, 1.0 - targets * scores) / norm)

    def grow(self, n_classes):
        """More classes: a single score w becomes (-w, w), a class never met has the score -1."""
        before, self.n_classes = self.n_outputs, n_classes
        if self.n_outputs == before:
            return
        self.forest.grow(n_classes)
        self.autoregression.grow(n_classes)
        memories = [self.memory_plain, self.memory_rich]
        learners = [
            self.adagrad,
            self.steady,
            *(one for m in memories for one in (m.live, m.fresh)),
        ]
        learners += [concept.learner for m in memories for concept in m.concepts]
        online = [self.passive_plain, self.passive_rich, self.squares_slow, self.squares_fast]
        for one in (*learners, *online):
            absent = np.zeros((1, one.weights.shape[1]))
            absent[0, self.n_features] = -1.0
            one.weights = self.per_class(one.weights, -1.0, absent)
        late = self.per_class(self.mean_of_late[:, None], -1.0, np.full((1, 1), -1.0))
        self.mean_of_late = late[:, 0]
        for one in learners:
            one.sums = self.per_class(one.sums, 1.0, np.full((1, one.sums.shape[1]), 1e-8))

    def per_class(self, values, sign, absent):
        """Values of all classes, from those of a single score or of fewer classes."""
        values = np.vstack([sign * values, values]) if len(values) == 1 else values
        return np.vstack([values] + [absent] * (self.n_outputs - len(values)))
