"""The compiled function of forecasting that Python calls: rows in, forecasts and bands out."""

from mooe.forecast import bands, inputs, mixture, roster, trust
from mooe.forecast.experts import memory
from mooe.forecast.layout import counters_type, open_block, open_desk, settings_type
from mooe.forecast.mixture import GIVEN, LEAST_UNIT
from mooe.numerics.arithmetic import matrix, vector
from mooe.numerics.compiled import announced, compiled, part
from mooe.numerics.compiler import float32, float64, void


@part
def _see(c, seen, votes, now, y, turns, X):
    """In place: a row; a value that is not known is taken for the one that was forecast."""
    for i in range(c.n_channels):
        seen.known[i] = 1.0 if y[i] == y[i] else 0.0
        if y[i] == y[i]:
            inputs.count_value(seen, i, y[i])
            inputs.put_lag(c, seen, i, y[i])
        else:
            slot = c.n_rows % votes.shape[0]
            inputs.put_lag(c, seen, i, votes[slot, i, 0, GIVEN] if c.n_rows > 0 else 0.0)
        inputs.see_channel(c, seen, i, now, turns)
    inputs.see_covariates(c, seen, now, X)
    inputs.see_together(c, seen, now, turns)


@part
def _learn_row(s, c, m, w, y, turns, X):
    """In place: a row is learnt and the next ones are forecast."""
    ring = s.horizon + 1
    now, slot = c.n_rows % ring, c.n_rows % s.horizon
    n_origins = min(c.n_rows, s.horizon)
    _see(c, m.seen, m.mixture.votes, now, y, turns, X)
    roster.recognise(s, c, m.seen, m.experts, m.mixture.errors, m.mixture.votes[slot], now, y)
    for i in range(c.n_channels):
        unit, given, votes = m.seen.scales[i, now], m.mixture.votes[slot, i], w.votes[i]
        if y[i] == y[i] and m.seen.counts[i] > 1.0:
            mixture.learn(m.mixture, i, given, n_origins, y[i], LEAST_UNIT * unit, w.gains)
            trust.learn(m.trust, i, given, n_origins, y[i], roster.LAST)
            bands.learn(m.bands, i, slot, given, n_origins, y[i])
        known = s, c, m.seen, m.experts, i, now, n_origins, y[i], given
        roster.learn_and_vote(*known, votes, w.trial)
        roster.wake(s, c, m.seen, m.mixture, i)
        if c.season > 1 and c.n_rows + 1 == c.season:
            n = m.seen.lags.shape[1] // 2
            at = n - 1 - c.n_rows % n
            mixture.begin_season(m.mixture, i)
            trust.begin_season(m.trust, i, c.season, m.seen.lags[i, at : at + n])
        roster.set_bounds(m.seen.low[i], m.seen.high[i], w.bounds)
        mixture.mix(m.mixture, i, w.bounds, votes)
        trust.follow(m.trust, i, roster.LAST, votes)
        for h in range(s.horizon):
            target = m.mixture.votes[(c.n_rows + 1 + h) % s.horizon, i, h]
            for k in range(target.shape[0]):
                target[k] = votes[h, k]
        bands.give(m.bands, i, c.n_rows, unit, w.gains)
        roster.set_gains(s, c, m.seen, m.experts, i, now, w.room)
    roster.set_joint_gains(s, c, m.seen, m.experts, now, w.room)
    if s.remembers and c.season > 1 and c.n_rows + 1 == c.season:
        memory.begin_season(m.experts.memory)


@part
def _answer(s, c, m, row, mean, quantiles):
    """In place: forecasts (horizon, n_channels) and quantiles (n_quantiles, horizon, n_channels).

    Those of a row, the latest. Of a series that was never negative, no band is.
    """
    for i in range(c.n_channels):
        known = m.seen.counts[i] > 0.0
        for h in range(s.horizon):
            slot = (row + 1 + h) % s.horizon
            middle = m.mixture.votes[slot, i, h, GIVEN] if known else float("nan")
            mean[h, i] = middle
            for q in range(quantiles.shape[0]):
                bound = middle + m.bands.published[slot, i, h, q]
                quantiles[q, h, i] = 0.0 if m.seen.low[i] >= 0.0 and bound < 0.0 else bound


with announced(__name__, "the kernel of forecasting (10 to 20 s)"):

    @compiled(
        void(
            *(settings_type, counters_type, vector, vector, matrix, matrix, matrix),
            *(float32[:, :, ::1], float32[:, :, :, ::1], matrix),
        )
    )
    def learn(settings, counters, block, scratch, Y, turns, X, means, quantiles, regimes):
        """In place: learn rows in order; where there is room, forecast from each of them.

        Y (n, n_channels), NaN where nothing is known; turns (n, n_cycles), parts of full ones;
        X (n, n_covariates); means (n or 0, horizon, n_channels); quantiles (n or 0, n_quantiles,
        horizon, n_channels); regimes (n or 0, 2), number of the regime and share of the memory.
        """
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        w, _ = open_desk(s, c, scratch)
        for row in range(Y.shape[0]):
            _learn_row(s, c, m, w, Y[row], turns[row], X[row])
            if means.shape[0] > 0:
                _answer(s, c, m, c.n_rows, means[row], quantiles[row])
                roster.tell_regime(s, c, m.experts, m.mixture, regimes[row])
            c.n_rows += 1

    @compiled(
        void(
            *(settings_type, counters_type, vector),
            *(float64[:, ::1], float64[:, :, ::1]),
        )
    )
    def answer(settings, counters, block, mean, quantiles):
        """In place: the forecasts of the latest row; the state is only read."""
        s, c = settings[0], counters[0]
        m, _ = open_block(s, c, block)
        _answer(s, c, m, c.n_rows - 1, mean, quantiles)
