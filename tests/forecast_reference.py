"""Forecasting as written down, slowly: the oracle of mooe.forecast without covariates.

One plain function per idea, arrays of all rows instead of rings, numpy's own arithmetic.
"""

import math
from statistics import NormalDist

import numpy as np

HARMONICS = (4, 3)
N = 17  # places of experts, of which 5 is not here


def cycle_inputs(turns):
    """Return sines and cosines of the cycles of a row."""
    parts = []
    for turn, n in zip(turns, HARMONICS, strict=False):
        for k in range(1, n + 1):
            parts += [math.sin(2 * math.pi * k * turn), math.cos(2 * math.pi * k * turn)]
    return parts


def lag_list(season):
    """Return the lags that a channel is seen by."""
    lags = list(range(1, 60))
    if season > 60:
        step = max(1, season // 48)
        lags += list(range(60, season + 4 * step, step))
    return lags


class LeastSquares:
    """Recursive least squares with a delay: a covariance, and weights for every step."""

    def __init__(self, width, horizon, forget):
        self.P, self.W = np.eye(width), np.zeros((horizon, width))
        self.forget, self.rows, self.gains = forget, [], []

    def learn(self, t, h, target):
        """Learn the label of the origin t - h."""
        x, gain = self.rows[t - h], self.gains[t - h]
        self.W[h - 1] += gain * (target - self.W[h - 1] @ x)

    def see(self, x):
        """Take a row: its gain depends on it alone; the first tell no unit yet."""
        if len(self.rows) < 7:
            self.rows.append(x)
            self.gains.append(np.zeros(len(x)))
            return
        gain, self.P = gain_of(self.P, x, self.forget)
        self.rows.append(x)
        self.gains.append(gain)


def gain_of(P, x, forget):
    """Return the gain of a row, and the covariance behind it, whose trace is held."""
    Px = P @ x
    gain = Px / (forget + x @ Px)
    P = (P - np.outer(gain, Px)) / forget
    if forget < 1 and np.trace(P) > len(x):
        P = P * len(x) / np.trace(P)
    return gain, P


def smooth(values, season, level_step, factors=False):
    """Return level and profile after values: Holt-Winters without trend."""
    level, profile = values[0], np.zeros(season)
    for t, y in enumerate(values):
        if season > 1 and t == season - 1:
            level = float(np.mean(values[:season]))
            profile = values[:season] - level
            profile = profile / level if factors and level > 0 else profile * (not factors)
            continue
        step = max(level_step, 1 / (t + 1))
        profile_step = 0.5 if t < season else max(0.1, 1 / (t // season + 1))
        i = t % season
        if factors:
            level = max(level + step * (y / max(1 + profile[i], 0.05) - level), 0.0)
            if level > 0 and season > 1:
                profile[i] += profile_step * (min(y / level, season) - 1 - profile[i])
        else:
            level += step * (y - profile[i] - level)
            if season > 1:
                profile[i] += profile_step * (y - level - profile[i])
    return level, profile


def seasonal_votes(values, season, horizon):
    """Return the votes of the naive one, of both additive ones and of the multiplicative one."""
    t = len(values) - 1
    back = [t + h - season * -(-h // season) for h in range(1, horizon + 1)]
    naive = [values[one if one >= 0 else t] for one in back]
    found = [naive]
    for level_step in (0.1, 0.5):
        level, profile = smooth(values, season, level_step)
        found.append([level + profile[(t + h) % season] for h in range(1, horizon + 1)])
    level, profile = smooth(values, season, 0.1, factors=True)
    found.append([level * (1 + profile[(t + h) % season]) for h in range(1, horizon + 1)])
    return np.array(found)


def line(values, season, steps, is_log=False):
    """Return level, slope and profile (None before two seasons) after values: Holt-Winters."""
    v = np.log(values) if is_log else np.asarray(values)
    level, slope, profile = v[0], 0.0, None
    for t in range(1, len(v)):
        n = t + 1
        if season > 1 and n == 2 * season:
            one, two = v[:season], v[season:n]
            slope = (two.mean() - one.mean()) / season
            along = slope * (np.arange(season) - (season - 1) / 2)
            profile = (one - one.mean() + two - two.mean()) / 2 - along
            level = two.mean() + slope * (season - 1) / 2
            continue
        level += slope
        rest = v[t] - level - (0.0 if profile is None else profile[t % season])
        level += max(steps[0], 2 * (2 * n - 1) / (n * (n + 1))) * rest
        slope += max(steps[1] * min(1, 12 / season), 6 / (n * (n + 1))) * rest
        if profile is not None:
            step = max(0.1, 1 / (t // season + 1))
            profile[t % season] += step * (v[t] - level - profile[t % season])
    return level, slope, profile


def belief(values, season, slope, reach):
    """Return how much of a slope is believed: what walks have by chance is taken off its square."""
    v = np.asarray(values)[-60:]
    if season > 1 or len(v) < 16:
        return 1.0
    step = np.mean((v[8:] - v[:-8] - 8 * slope) ** 2) / 8  # square of a walk's step
    by_chance = 0.5 * (6 / 5) * step / min(len(v), reach)
    return max(1 - by_chance / slope**2, 0.0) if slope else 0.0


def trend_votes(values, season, horizon):
    """Return the votes of both lines and of the one of logarithms, which needs values above 0."""
    found, t = [], len(values) - 1
    for steps, is_log in (((0.2, 0.01), False), ((0.5, 0.05), False), ((0.2, 0.01), True)):
        if is_log and values.min() <= 0:
            found.append([0.0] * horizon)
            continue
        level, slope, profile = line(values, season, steps, is_log)
        of_values = line(values, season, steps)[1]
        slope *= belief(values, season, of_values, 15 if steps[0] == 0.5 else 40)
        votes = np.array(
            [
                level
                + slope * sum(0.97**j for j in range(1, h + 1))
                + (0.0 if profile is None else profile[(t + h) % season])
                for h in range(1, horizon + 1)
            ]
        )
        if is_log:
            low, high = np.log(values.min()) - 1, np.log(values.max()) + 1
            votes = np.exp(np.clip(votes, low, high))
        found.append(votes)
    return np.array(found)


def pull_votes(values, season, horizon):
    """Return the votes of the autoregression of order one on what is left of the season."""
    profiles = [smooth(values[: t + 1], season, 0.1)[1] for t in range(len(values))]
    rest = np.array([y - profiles[t][t % season] for t, y in enumerate(values)])
    t = len(values) - 1
    first = season - 1 if 1 < season <= len(values) else 0
    before, after = rest[first:-1], rest[first + 1 :]
    middle, kept = rest[-1], 0.0
    if len(after):
        w = 0.998 ** np.arange(len(after))[::-1]
        middle, one = np.average(after, weights=w), before - np.average(before, weights=w)
        if w @ one**2 > 0:
            kept = (w @ (one * (after - middle))) / (w @ one**2)
            kept = min(max(kept + (1 + 3 * kept) / w.sum(), 0.0), 1.0)
    profile = profiles[-1]
    return np.array(
        [
            middle + kept**h * (rest[-1] - middle) + profile[(t + h) % season]
            for h in range(1, horizon + 1)
        ]
    )


class Concept:
    """A regime: least squares of every channel, and what is known of it."""

    def __init__(self, n_channels, horizon, width):
        self.P = np.array([np.eye(width)] * n_channels)
        self.W = np.zeros((n_channels, horizon, width))
        self.number = self.rows = 0
        self.usual = self.recent = self.saved = self.excess = 0.0
        self.visits = []  # first and last row of each stretch in charge


class Memory:
    """The concepts of a series, of which one is in charge of each row."""

    def __init__(self, n_channels, horizon):
        self.shape, self.n_named = (n_channels, horizon), 0
        self.concepts, self.charge, self.begun = [], None, 0
        self.inputs, self.gains, self.owners = [], [], []  # of every row

    def recognise(self, t, Y, turns, scales, units):
        """Say who is in charge of row t; units (channels, steps) are squared errors before it."""
        self.inputs.append([self.inputs_of(Y[: t + 1, i], turns, scales[t, i]) for i in self.each])
        if t == 0:
            self.begin(t)
            return
        k, others = self.charge, [one for one in self.concepts if one is not self.charge]
        own = self.loss(k, t, Y, scales, units)
        k.recent += 0.2 * (own - k.recent)
        for one in others:
            loss = self.loss(one, t, Y, scales, units)
            one.recent += 0.2 * (loss - one.recent)
            one.saved = max(one.saved + 0.9 * own - loss, 0)
        n_losses = min(k.rows, t - self.begun)
        if n_losses > 48:
            k.excess = max(k.excess + (own / k.usual - 1.5 if k.usual > 0 else 0), 0)
        able = [one for one in others if one.number and one.recent < 1.5 * one.usual]
        best = max(able, key=lambda one: one.saved, default=None)
        if best is not None and best.saved > 12:  # a regime is back
            k.rows = k.rows if k.number else 0
            for one in self.concepts:
                one.saved = 0.0
            self.take_charge(best, t)
        elif n_losses > 48 and k.excess > 16:  # a regime is new
            self.begin(t)
        else:
            k.usual += max(0.01, 1 / (n_losses + 1)) * (own - k.usual)

    @property
    def each(self):
        """The channels."""
        return range(self.shape[0])

    @staticmethod
    def inputs_of(values, turns, unit):
        """Return what concepts see of a channel: cycles, four lags, level."""
        padded = [*np.repeat(values[0], 4), *values]
        lags = [(padded[-1 - k] - values[-1]) / unit for k in range(1, 5)]
        level = (values[-1] - np.mean(values)) / unit
        return np.array([1.0, *cycle_inputs(turns[len(values) - 1]), *lags, level])

    def begin(self, t):
        """A new concept takes charge; of more than eight the one of fewest rows goes."""
        new = Concept(*self.shape, len(self.inputs[0][0]))
        if len(self.concepts) < 8:
            self.concepts.append(new)
        else:
            others = [one for one in self.concepts if one is not self.charge]
            self.concepts[self.concepts.index(min(others, key=lambda one: one.rows))] = new
        self.take_charge(new, t)

    def take_charge(self, concept, t):
        """A stretch in charge begins with row t."""
        self.charge, concept.excess = concept, 0.0
        concept.visits.append([t, t])

    def loss(self, concept, t, Y, scales, units):
        """Return the mean loss of what a concept would have said of row t, 1, 2 and 4 before."""
        found = []
        for i in self.each:
            for h in (1, 2, 4):
                if h <= min(t, self.shape[1]):
                    change = concept.W[i, h - 1] @ self.inputs[t - h][i]
                    error = Y[t, i] - Y[t - h, i] - scales[t - h, i] * change
                    unit = units[i, h - 1]
                    found.append(min(error**2 / unit, 8) if unit > 0 else 0.0)
        return np.mean(found)

    def learn_and_vote(self, t, i, Y, scales):
        """Teach the one in charge what it was in charge of; return the vote of the best of late."""
        k, horizon = self.charge, self.shape[1]
        for h in range(1, min(t, horizon) + 1):
            if self.owners[t - h] is k:
                target = (Y[t, i] - Y[t - h, i]) / scales[t - h, i]
                error = target - k.W[i, h - 1] @ self.inputs[t - h][i]
                k.W[i, h - 1] += self.gains[t - h][i] * error
        voter, least = k, 0.9 * k.recent
        for one in self.concepts:
            if one is not k and one.number and one.recent < least:
                voter, least = one, one.recent
        return Y[t, i] + scales[t, i] * (voter.W[i] @ self.inputs[t][i])

    def begin_season(self, row):
        """Losses begin anew, for the errors that are their unit do."""
        self.begun = row
        for one in self.concepts:
            one.usual = one.recent = one.saved = one.excess = 0.0

    def note(self, t):
        """Row t is in the charge of a concept; the first rows tell no unit and teach nothing."""
        k, gains = self.charge, []
        for i in self.each:
            gain = np.zeros(len(self.inputs[t][i]))
            if t >= 7:
                gain, k.P[i] = gain_of(k.P[i], self.inputs[t][i], 0.9995)
            gains.append(gain)
        self.gains.append(gains)
        self.owners.append(k)
        k.rows += 1
        if k.rows > 48 and not k.number:
            self.n_named += 1
            k.number = self.n_named
        k.visits[-1][1] = t


def forecasts(Y, turns, horizon, season, levels=(80, 95), warm_up=0, memory=False):
    """Return means (n, horizon, n_channels) and quantiles (n, n_quantiles, horizon, n_channels)."""
    n, n_channels = Y.shape
    lags = lag_list(season)
    p = min(8, 96 // n_channels)
    is_joint = n_channels > 1 and p > 1
    banks, joint = [], []
    n_cycle = len(cycle_inputs(turns[0]))
    for _ in range(n_channels):
        wide = 1 + n_cycle + len(lags)
        banks.append(
            [
                LeastSquares(wide + 1, horizon, 1.0),
                LeastSquares(wide, horizon, 0.9995),
                LeastSquares(1 + n_cycle + 24, horizon, 0.998),
            ]
        )
    if is_joint:
        width = 1 + n_cycle + n_channels * p
        joint = [
            [LeastSquares(width, horizon, forget) for _ in range(n_channels)]
            for forget in (1.0, 0.9995)
        ]
    anchors, scales = np.zeros((n, n_channels)), np.zeros((n, n_channels))
    mixers = [Mixer(horizon) for _ in range(n_channels)]
    trusts = [Trust(horizon) for _ in range(n_channels)]
    bands = [Bands(horizon, levels) for _ in range(n_channels)]
    votes = np.zeros((n, n_channels, N, horizon))
    mixed, means = np.zeros((2, n, horizon, n_channels))
    quantiles = np.zeros((n, 2 * len(levels), horizon, n_channels))
    offline = [None] * n_channels
    of_regimes = Memory(n_channels, horizon)

    for t in range(n):
        cycles = cycle_inputs(turns[t])
        padded = np.vstack([np.repeat(Y[:1], 2 * season + 200, 0), Y[: t + 1]])
        deviation = Y[: t + 1].std(0)
        size = np.abs(Y[: t + 1]).max(0)
        scales[t] = np.where(deviation > 1e-9 * size, deviation, np.where(size > 0, size, 1.0))
        anchors[t] = Y[t]
        units = np.array([one.sums / np.maximum(one.counts, 1) for one in mixers])
        of_regimes.recognise(t, Y, turns, scales, units)
        together = [1.0, *cycles]
        for i in range(n_channels):
            together.append((Y[t, i] - Y[: t + 1, i].mean()) / scales[t, i])
            together += [(padded[-1 - k, i] - Y[t, i]) / scales[t, i] for k in range(1, p)]
        for i in range(n_channels):
            y, last, unit = Y[t, i], Y[t, i], scales[t, i]
            mixers[i].learn(t, y, votes[:, i], mixed[:, :, i], unit)
            trusts[i].learn(t, y, votes[:, i, 0], mixed[:, :, i])
            bands[i].learn(t, y, means[:, :, i])
            changes = [(padded[-1 - k, i] - last) / unit for k in lags]
            level = (last - Y[: t + 1, i].mean()) / unit
            rows = [
                np.array([1.0, *cycles, *changes, level]),
                np.array([1.0, *cycles, *changes]),
                np.array([1.0, *cycles, *changes[:24]]),
            ]
            bank = list(zip(banks[i], rows, strict=True))
            bank += [(kind[i], np.array(together)) for kind in joint]
            for k, (expert, row) in enumerate(bank):
                for h in range(1, min(t, horizon) + 1):
                    target = (y - anchors[t - h, i]) / scales[t - h, i]
                    expert.learn(t, h, target)
                votes[t, i, 6 + k] = last + unit * (expert.W @ row)
            if warm_up and t + 1 == warm_up:
                offline[i] = banks[i][0].W.copy()
            votes[t, i, 0] = last
            votes[t, i, 1:5] = seasonal_votes(Y[: t + 1, i], season, horizon)
            votes[t, i, 13:16] = trend_votes(Y[: t + 1, i], season, horizon)
            votes[t, i, 16] = pull_votes(Y[: t + 1, i], season, horizon)
            if offline[i] is not None:
                votes[t, i, 11] = last + unit * (offline[i] @ rows[0])
            for expert, row in bank:
                expert.see(row)
            votes[t, i, 12] = of_regimes.learn_and_vote(t, i, Y, scales)
            awake = awake_experts(Y[: t + 1, i], t + 1, season, is_joint, warm_up, memory)
            mixers[i].wake(awake)
            if season > 1 and t + 1 == season:
                mixers[i].begin_season()
                trusts[i].begin_season(Y[: t + 1, i])
            low, high = Y[: t + 1, i].min(), Y[: t + 1, i].max()
            reach = np.full((N, 1), 0.1 * (high - low))
            reach[13:16] = high - low
            least = np.maximum(low - reach, 0) if low >= 0 else low - reach
            votes[t, i] = np.clip(votes[t, i], least, high + reach)
            mixed[t, :, i] = mixers[i].mix(votes[t, i])
            means[t, :, i] = trusts[i].between(votes[t, i, 0], mixed[t, :, i])
            bounds = means[t, :, i] + bands[i].publish(t, unit)
            quantiles[t, :, :, i] = np.maximum(bounds, 0.0) if low >= 0 else bounds
        of_regimes.note(t)
        if season > 1 and t + 1 == season:
            of_regimes.begin_season(season)
    return means, quantiles


def awake_experts(values, rows, season, is_joint, warm_up, memory):
    """Return who votes after some rows, by place, and who of them had to learn first."""
    has_learnt = rows >= max(96, 2 * season)
    positive = values.min() >= 0 and values.mean() > 0
    awake = dict.fromkeys((0, 2, 3), True)
    awake[1] = season > 1
    awake[4] = positive and season > 1 and rows > season
    awake |= dict.fromkeys((6, 7, 8), has_learnt) | dict.fromkeys((9, 10), is_joint and has_learnt)
    awake[11] = 0 < warm_up <= rows
    has_line = rows >= 10 and (season <= 12 or rows >= 2 * season)
    awake |= {13: has_line, 14: has_line, 15: has_line and values.min() > 0}
    awake[16] = rows >= (16 + season if season > 1 else 16)
    awake[12] = memory and rows >= max(48, 2 * season)
    return [k for k in (1, 4, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 12, 0, 2, 3) if awake[k]]


class Mixer:
    """Exponentiated gradient over experts, for every bucket of steps of a channel."""

    def __init__(self, horizon):
        self.bucket = np.floor(np.log2(np.arange(1, horizon + 1))).astype(int)
        n = self.bucket.max() + 1
        self.awake = [0, 2, 3]
        self.w, self.R, self.V = np.zeros((n, N)), np.zeros((n, N)), np.full(n, 1e-3)
        self.w[:, self.awake] = 1 / 3
        self.sums, self.counts = np.zeros(horizon), np.zeros(horizon)

    def wake(self, awake):
        for k in awake:
            if k not in self.awake:
                share = 1 / (len(self.awake) + 1)
                worst = np.minimum(self.R[:, self.awake].min(1), 0)
                self.w *= 1 - share
                self.w[:, k] = share
                self.R[:, k] = worst if 6 <= k <= 10 or 12 <= k <= 15 else 0
                self.awake.append(k)

    def learn(self, t, y, votes, means, unit):
        a = self.awake
        for b in range(len(self.V)):
            steps = [h for h in np.flatnonzero(self.bucket == b) + 1 if h <= t]
            if not steps:
                continue
            gains = np.zeros(N)
            for h in steps:
                v = votes[t - h, a, h - 1]
                error = min((means[t - h, h - 1] - y) ** 2, np.mean((v - y) ** 2))
                self.counts[h - 1] = self.counts[h - 1] * 0.9995 + 1
                self.sums[h - 1] = self.sums[h - 1] * 0.9995 + error
                s = math.sqrt(self.sums[h - 1] / self.counts[h - 1] + (1e-6 * unit) ** 2)
                mixed = self.w[b, a] @ v
                g = np.clip((mixed - y) / s, -5, 5)
                gains[a] += -2 * g * np.clip((v - mixed) / s, -5, 5)
            gains /= len(steps)
            typical = np.mean(np.flatnonzero(self.bucket == b) + 1)
            self.V[b] = self.V[b] * 0.9995 + self.w[b] @ gains**2
            fastest = max(0.1, 5 / self.counts[steps[0] - 1])
            rate = math.sqrt(math.log(len(a) + 1) / (self.V[b] * math.sqrt(typical)))
            self.R[b] = self.R[b] * 0.9995 + gains
            w = np.exp(min(rate, fastest) * (self.R[b, a] - self.R[b, a].max()))
            w[np.isin(a, (0, 1))] *= 4  # the naive ones
            self.w[b] = 0
            self.w[b, a] = w / w.sum() * (1 - 1e-4) + 1e-4 / len(a)

    def begin_season(self):
        self.w[:], self.R[:], self.V[:], self.sums[:], self.counts[:] = 0, 0, 1e-3, 0, 0
        self.w[:, self.awake] = [4 if k < 2 else 1 for k in self.awake]
        self.w /= self.w.sum(1, keepdims=True)

    def mix(self, votes):
        mixed = np.array([self.w[b] @ votes[:, h] for h, b in enumerate(self.bucket)])
        for k in range(N):
            if k not in self.awake:
                votes[k] = mixed
        return mixed


class Trust:
    """What the mixture has saved of the last value's squared error, by bucket."""

    def __init__(self, horizon):
        self.bucket = np.floor(np.log2(np.arange(1, horizon + 1))).astype(int)
        self.errors = np.zeros((self.bucket.max() + 1, 2))

    def learn(self, t, y, last, mixed):
        if t == 0:
            return
        for b in range(len(self.errors)):
            steps = [h for h in np.flatnonzero(self.bucket == b) + 1 if h <= t]
            if steps:
                errors = [[f[t - h, h - 1] - y for h in steps] for f in (last, mixed)]
                self.errors[b] = 0.9995 * self.errors[b] + np.mean(np.square(errors), 1)

    def begin_season(self, values):
        returns = abs(values[-1] - values[0]) <= np.abs(np.diff(values)).max()
        self.errors = 0.25 * (self.errors[:, :1] * [1, 0.85] if returns else self.errors)

    def between(self, last, mixed):
        known = self.errors.max(1) > 0
        if not known.any():
            return last
        saved = (self.errors[:, 0] - self.errors[:, 1]) / np.where(known, self.errors.max(1), 1)
        pooled = np.average(saved, weights=known * 0.7 ** np.arange(len(saved)))
        saved = np.where(known, 0.15 * saved + 0.85 * pooled, pooled)
        return last + np.clip(saved / 0.15, 0, 1)[self.bucket] * (mixed - last)


class Bands:
    """Quantiles of errors in moving units."""

    def __init__(self, horizon, levels):
        outside = [(1 - level / 100) / 2 for level in levels]
        self.shares = [*outside, *(1 - one for one in outside)]
        self.horizon, n = horizon, len(self.shares)
        start = [NormalDist().inv_cdf(one) / math.sqrt(2 / math.pi) for one in self.shares]
        self.q = np.repeat(np.array(start)[None, :, None], horizon, 0).repeat(6, 2)
        self.shift = np.zeros((horizon, n))
        self.units, self.counts = np.zeros((horizon, 3)), np.zeros(horizon)
        self.bucket = np.floor(np.log2(np.arange(1, horizon + 1))).astype(int)
        self.losses = np.zeros((self.bucket.max() + 1, n, 6))
        self.given, self.published = {}, {}

    def learn(self, t, y, means):
        for b in range(len(self.losses)):
            steps = [h for h in np.flatnonzero(self.bucket == b) + 1 if h <= t]
            if not steps:
                continue
            self.losses[b] *= 0.999
            for h in steps:
                error, given = y - means[t - h, h - 1], self.given[t - h][h - 1]
                for q, share in enumerate(self.shares):
                    for j in range(6):
                        rest = error - self.q[h - 1, q, j] * given[j // 2]
                        side = share if rest >= 0 else share - 1
                        self.losses[b, q, j] += side * rest / given[2] / len(steps)
                        self.q[h - 1, q, j] += (0.01, 0.04)[j % 2] / math.sqrt(h) * side
                    side = share if error >= self.published[t - h][q, h - 1] else share - 1
                    self.shift[h - 1, q] += 0.1 / math.sqrt(h) * side
                self.counts[h - 1] += 1
                for d, decay in enumerate((0.96, 0.99, 0.998)):
                    step = max(1 - decay, 1 / self.counts[h - 1])
                    self.units[h - 1, d] += step * (abs(error) - self.units[h - 1, d])

    def publish(self, t, unit):
        given, out = np.zeros((self.horizon, 3)), np.zeros((len(self.shares), self.horizon))
        longest = 0
        for h in range(1, self.horizon + 1):
            longest = h if self.counts[h - 1] else longest
            known = self.units[longest - 1] if longest else np.full(3, 0.5 * unit)
            few = 1 + 2 / self.counts[longest - 1] if longest else 1
            given[h - 1] = np.maximum(known * few * math.sqrt(h / max(longest, 1)), 1e-9 * unit)
        for h in range(self.horizon):
            for q in range(len(self.shares)):
                losses = self.losses[self.bucket[h], q]
                w = np.exp(losses.min() - losses)
                tracked = (w * self.q[h, q] * given[h].repeat(2)).sum() / w.sum()
                out[q, h] = tracked + self.shift[h, q] * given[h, 2]
            half = len(self.shares) // 2
            low, high = out[0, h], out[half, h]
            if low > high:
                low = high = (low + high) / 2
            for q in range(half):
                low, high = min(low, out[q, h]), max(high, out[half + q, h])
                out[q, h], out[half + q, h] = low, high
        self.given[t], self.published[t] = given, out
        return out
