"""Recursive least squares with a delay are the ridge regression of the labels that have arrived."""

import numpy as np

from forecast.test_kernel import made, run
from mooe.forecast import inputs
from mooe.forecast.layout import views
from mooe.numerics.blocks import values


def seen_rows(Y, turns, horizon):
    """Return the inputs of every row, its anchors and scales, (n, ...)."""
    rows, anchors, scales = [], [], []
    for n in range(1, len(Y) + 1):
        *_, params, state = run(Y[:n], turns[:n], horizon=horizon, memory=False, levels=())
        seen, now = views(params, state).seen, (n - 1) % (horizon + 1)
        rows.append(seen.own[0, now].copy())
        anchors.append(seen.anchors[0, now])
        scales.append(seen.scales[0, now])
    return np.array(rows), np.array(anchors), np.array(scales), params, state


def test_the_steady_expert_is_a_ridge_regression_for_every_step():
    Y, turns = made(90, 1)
    X, anchors, scales, params, state = seen_rows(Y, turns, 3)
    own, _ = inputs.used_inputs(values(state.counters))
    weights = views(params, state).experts.squares[0].weights[0]
    for h in (1, 2, 3):
        learnt = slice(7, -h)  # the first tell no unit, of the last no label has arrived
        target = (Y[7 + h :, 0] - anchors[learnt]) / scales[learnt]
        rows = X[learnt][:, own]
        fit = np.linalg.solve(rows.T @ rows + np.eye(own.sum()), rows.T @ target)
        np.testing.assert_allclose(weights[h - 1][own], fit, atol=1e-8)
        assert (weights[h - 1][~own] == 0.0).all()


def test_covariances_stay_symmetric_to_the_last_bit_and_bounded():
    Y, turns = made(3000, 2)
    Y[1000:2000] = Y[999]
    *_, params, state = run(Y, turns)
    for kind in views(params, state).experts.squares:
        for P in kind.covariance:
            assert np.array_equal(P, P.T)
            assert 0.0 < np.trace(P) <= len(P) + 1e-9
            assert np.linalg.eigvalsh(P).min() > -1e-9
