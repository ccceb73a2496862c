"""The paper's MOOE, transcribed literally and slowly: the oracle of the compiled kernel."""

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

EPSILON = float(np.finfo(float).eps)


@dataclass(eq=False)
class Reference:
    """MOOE, Algorithm 1 with its offline and online experts; parameters as in spec/algorithm.md."""

    task: str = "classification"
    interval: int = 50
    max_experts: int = 25
    loss: str = "squared"
    priority: str = "weight"
    start: str = "warm"
    radius: float = 1.0
    input_bound: float = 1.0
    pull: float | None = None
    online_rate: float | None = None
    meta_rate: float | str | None = None
    step: str = "corrected"
    scale: bool = True
    intercept: bool = True
    target_bounds: tuple[float, float] | None = None
    seed: int = 0
    _: KW_ONLY
    n_features: int
    n_classes: int = 0

    def __post_init__(self):
        self.width = self.n_features + self.intercept  # p, what an expert sees
        self.reach = math.sqrt(self.input_bound**2 + 1) if self.intercept else self.input_bound
        self.range, self.smoothness = range_and_smoothness(self.loss, self.radius, self.reach)
        self.statistics = np.zeros((3, self.n_features))  # count, mean, m2 of each column
        self.low, self.high = self.target_bounds or (math.inf, -math.inf)
        self.frozen = self.target_bounds is not None
        self.n_labels = self.n_intervals = 0
        self.experts = []  # offline, each (n_outputs, p), lowest priority first
        self.fitted = []  # the interval that each of them was fitted on
        self.online = self._first_online()  # (n_outputs, p)
        self.losses = np.zeros(1)  # (K,) cumulated over the open interval, online expert last
        self.rows = []  # of the open interval: (input as seen, label, weight)

    @property
    def n_outputs(self):
        return self.n_classes if self.task == "classification" and self.n_classes >= 3 else 1

    @property
    def log_weights(self):
        """Eq. (update:a) unrolled, not normalised: log(prior) - rate * cumulated loss; (K,)."""
        n_experts = len(self.losses)
        rate = self.meta_rate
        if rate is None:
            rate = 4 * math.sqrt(math.log(n_experts) / self.interval)
        elif rate == "anytime":
            rate = math.sqrt(8 * math.log(n_experts) / (len(self.rows) + 1))
        return np.log(prior(n_experts)) - rate * self.losses

    @property
    def weights(self):
        """Meta weights (K,), online expert last."""
        shifted = np.exp(self.log_weights - self.log_weights.max())
        return shifted / shifted.sum()

    @property
    def mixture(self):
        """Eq. (wf): the weighted average of all experts, (n_outputs, p)."""
        return sum(a * w for a, w in zip(self.weights, [*self.experts, self.online], strict=True))

    def predict(self, x):
        """Scores (n_outputs,) of the mixture; changes nothing."""
        scores = self.mixture @ self._see(x)[0]
        if self.task == "regression":
            middle, half = self._middle_and_half()
            return middle + half * scores if self.n_labels else np.array([math.nan])
        if self.n_classes < 2:
            return np.array([math.nan if self.n_classes == 0 else -math.inf])
        return scores

    def learn(self, x, y, weight=1.0):
        """Scores given before learning; one round of Algorithm 1 if there is a label to learn."""
        scores = self.predict(x)
        if math.isnan(y) or weight == 0:
            return scores
        self._admit(y)
        z, self.statistics = self._see(x)
        targets = self._targets(y)
        mixture, weights, online = self.mixture, self.weights, self.online  # as they predicted
        self.rows.append((z, y, weight))
        self.n_labels += 1
        for k, expert in enumerate([*self.experts, self.online]):
            self.losses[k] += weight * self._loss(expert, z, targets)
        self.online = self._stepped(z, targets, weight)
        if len(self.rows) == self.interval:
            self._close_interval(self._offline_fit(mixture, weights, online))
        return scores

    def _see(self, x):
        """What experts see of x, (p,), and the statistics with x included."""
        x = np.asarray(x, dtype=float)
        count, mean, m2 = statistics = self.statistics.copy()
        z = np.zeros(self.n_features)
        for j in range(self.n_features):
            if math.isnan(x[j]):
                continue
            count[j] += 1
            deviation = x[j] - mean[j]
            mean[j] += deviation / count[j]
            m2[j] += deviation * (x[j] - mean[j])
            if not self.scale:
                z[j] = x[j]
            elif m2[j] != 0:
                z[j] = (x[j] - mean[j]) / math.sqrt(m2[j] / count[j])
        length = float(np.linalg.norm(z))
        if length > self.input_bound:
            if not self.scale:
                raise ValueError(f"x must be no longer than {self.input_bound!r}, got {length!r}")
            z *= self.input_bound / length
        return (np.append(z, 1.0) if self.intercept else z), statistics

    def _admit(self, y):
        """Make room for a label: grow the classes up to it, or widen the running target bounds."""
        if self.task == "classification":
            while self.n_classes <= y:
                self._grow()
        elif self.target_bounds is not None and not self.low <= y <= self.high:
            raise ValueError(f"y must lie in {self.target_bounds!r}, got {y!r}")
        elif not self.frozen:
            self.low, self.high = min(self.low, y), max(self.high, y)

    def _grow(self):
        """One more class: 2 -> 3 gives rows (-w, +w, absent), C -> C + 1 appends absent."""
        self.n_classes += 1
        if self.n_classes < 3:
            return
        absent = np.zeros(self.width)
        if self.intercept:
            absent[-1] = -min(1.0, self.radius)
        for k, w in enumerate([*self.experts, self.online]):
            grown = np.vstack([-w, w, absent] if self.n_classes == 3 else [w, absent])
            if k < len(self.experts):
                self.experts[k] = grown
                self.losses[k] = self._interval_loss(grown)
            else:
                self.online = grown  # its loss stays: its past selves are gone

    def _middle_and_half(self):
        half = (self.high - self.low) / 2 if self.low != self.high else 1.0
        return (self.low + self.high) / 2, half

    def _targets(self, y):
        """Targets in [-1, 1] of a label, (n_outputs,)."""
        if self.task == "regression":
            middle, half = self._middle_and_half()
            return np.array([(min(max(y, self.low), self.high) - middle) / half])
        classes = [1] if self.n_outputs == 1 else range(self.n_classes)
        return np.array([1.0 if y == c else -1.0 for c in classes])

    def _loss(self, expert, z, targets):
        """f_t(w) in [0, 1]: the loss divided by its range, averaged over outputs."""
        return np.mean(loss_value(self.loss, expert @ z, targets)) / self.range

    def _interval_loss(self, expert):
        """Weighted sum of an expert's losses over the interval's rows, under today's targets."""
        return sum(weight * self._loss(expert, z, self._targets(y)) for z, y, weight in self.rows)

    def _stepped(self, z, targets, weight):
        """Section Online Expert: the online expert after a projected gradient step."""
        numerator = self.radius if self.step == "corrected" else self.reach
        rate = numerator / math.sqrt(self.smoothness * len(self.rows))
        if self.online_rate is not None:
            rate = self.online_rate
        slopes = loss_slope(self.loss, self.online @ z, targets) / self.range
        stepped = self.online - rate * weight * np.outer(slopes, z)
        for w in stepped:
            w *= self.radius / max(np.linalg.norm(w), self.radius)
        return stepped

    def _offline_fit(self, mixture, weights, online):
        """Eq. (off), one problem per output, with the floor of the pull from Lemma 1."""
        means = [self._interval_loss(w) / self.interval for w in [*self.experts, online]]
        floor = weights @ means / (4 * self.radius**2)
        mean_weight = np.mean([w for _, _, w in self.rows])
        least = max(1e-12, 1e-14 * mean_weight) * self.smoothness
        pull = max(self.pull or 0.0, floor, least)
        inputs = np.array([z for z, _, _ in self.rows])  # (interval, p)
        targets = np.array([self._targets(y) for _, y, _ in self.rows])  # (interval, n_outputs)
        shares = np.array([w for _, _, w in self.rows]) / (self.interval * self.range)
        path_of = {"squared": squared_path, "logistic": logistic_path}[self.loss]
        expert = np.zeros_like(mixture)
        for c in range(self.n_outputs):
            path = path_of(inputs, targets[:, c], shares, mixture[c], pull)
            expert[c] = best_in_ball(path, self.radius, pull)
        return expert

    def _close_interval(self, expert):
        """Section Offline Expert: set priorities, one leaves; restart weights and online expert."""
        order = list(range(len(self.experts)))
        if self.priority == "weight":
            final = self.log_weights
            order.sort(key=lambda k: (final[k], self.fitted[k]))
        self.frozen = self.frozen or self.low < self.high
        if self.task == "classification" or self.frozen:  # equal labels leave no expert
            keep = slice(max(0, len(order) + 1 - (self.max_experts - 1)), None)
            self.experts = [*(self.experts[k] for k in order), expert][keep]
            self.fitted = [*(self.fitted[k] for k in order), self.n_intervals][keep]
        self.n_intervals += 1
        self.losses = np.zeros(len(self.experts) + 1)
        self.rows = []
        if self.start != "warm":
            self.online = self._first_online()

    def _first_online(self):
        """The online expert an interval starts with: zeros, or random inside the ball."""
        online = np.zeros((self.n_outputs, self.width))
        if self.start == "random":
            for c, j in np.ndindex(*online.shape):
                u = uniform(self.seed, self.n_intervals, c * self.width + j)
                online[c, j] = self.radius / math.sqrt(self.width) * (2 * u - 1)
        return online


def prior(n_experts):
    """Eq. (in): (K+1) / ((K+1-k)(K+2-k)K) for k = 1..K."""
    n = n_experts
    return np.array([(n + 1) / ((n + 1 - k) * (n + 2 - k) * n) for k in range(1, n + 1)])


def range_and_smoothness(loss, radius, reach):
    """Largest loss over ball and inputs, and the smoothness of the loss divided by it."""
    if loss == "squared":
        largest = (radius * reach + 1) ** 2
        return largest, 2 * reach**2 / largest
    largest = np.logaddexp(0, radius * reach)
    return largest, reach**2 / 4 / largest


def loss_value(loss, score, target):
    """(s - T)^2 or log(1 + exp(-T s))."""
    return (score - target) ** 2 if loss == "squared" else np.logaddexp(0, -target * score)


def loss_slope(loss, score, target):
    """Derivative of loss_value in the score."""
    return 2 * (score - target) if loss == "squared" else -target * expit(-target * score)


def squared_path(inputs, targets, shares, mixture, pull):
    """multiplier -> argmin of eq. (off) + multiplier/2 ||w||^2, in the eigenbasis of the data."""
    eigenvalues, basis = np.linalg.eigh(2 * (inputs.T * shares) @ inputs)
    curvature = np.maximum(eigenvalues, 0.0) + pull

    def path(multiplier):
        w = mixture
        for _ in range(6):  # the first step is the solution, the others remove its rounding
            slopes = shares * loss_slope("squared", inputs @ w, targets)
            uphill = inputs.T @ slopes + pull * (w - mixture) + multiplier * w
            w = w - basis @ (basis.T @ uphill / (curvature + multiplier))
        return w

    return path


def logistic_path(inputs, targets, shares, mixture, pull):
    """multiplier -> argmin of eq. (off) + multiplier/2 ||w||^2, by a damped Newton method."""

    def gradient(w, multiplier):
        slopes = shares * loss_slope("logistic", inputs @ w, targets)
        return inputs.T @ slopes + pull * (w - mixture) + multiplier * w

    def hessian(w, multiplier):
        bends = shares * expit(inputs @ w) * expit(-inputs @ w)
        return (inputs.T * bends) @ inputs + (pull + multiplier) * np.eye(len(w))

    def path(multiplier):
        w = mixture
        while True:
            uphill = gradient(w, multiplier)
            newton = np.linalg.solve(hessian(w, multiplier), uphill)
            size = 1.0
            while np.linalg.norm(gradient(w - size * newton, multiplier)) >= np.linalg.norm(uphill):
                size /= 2
                if size < EPSILON:  # the gradient is down to rounding
                    return w
            w = w - size * newton

    return path


def best_in_ball(path, radius, pull):
    """The point of a path that solves eq. (off) over the ball: multiplier 0, or norm = radius."""

    def excess(multiplier):
        return np.linalg.norm(path(multiplier)) - radius

    if excess(0.0) <= 0:
        return path(0.0)
    high = pull
    while excess(high) > 0:
        high *= 2
    # w moves by at most radius / pull per unit of multiplier: this tolerance is below rounding.
    return path(brentq(excess, 0.0, high, xtol=EPSILON * pull, rtol=4 * EPSILON, maxiter=1000))


def uniform(seed, interval_no, position):
    """A number in [0, 1): splitmix64 of seed, interval and position."""
    mask = 2**64 - 1
    key = (seed + 1) * 0x9E3779B97F4A7C15
    key += interval_no * 0xD1B54A32D192ED03 + position * 0x8CB92BA72F3D8DD7
    z = (key + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53
