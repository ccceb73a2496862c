"""What the user chooses, and what is refused."""

import numpy as np
import pytest

from mooe.forecast.params import Params


def test_numbers_of_numpy_and_lists_are_taken_as_python_has_them():
    params = Params(horizon=np.int64(3), season=[np.int64(24), 168, 24], levels=[95.0, 80, 99.5])
    assert (params.horizon, params.season, params.levels) == (3, (24, 168), (80, 95, 99.5))
    assert Params(season=None) == Params(season=1) == Params(season=())
    assert Params(levels=None).levels == ()


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number of at least 1, got 0"),
        ({"season": "daily"}, "season must be 'auto', a whole number or several, got 'daily'"),
        ({"season": 24.0}, r"season must be a whole number of at least 1, got 24\.0"),
        ({"levels": True}, "level must be a number above 0 and below 100, got True"),
        ({"season": [24, -1]}, "season must be a whole number of at least 1, got -1"),
        ({"levels": (80, 100)}, "level must be a number above 0 and below 100, got 100"),
        ({"memory": "yes"}, "memory must be one of"),
    ],
)
def test_an_error_names_name_value_and_rule(chosen, message):
    with pytest.raises(ValueError, match=message):
        Params(**chosen)


def test_quantiles_are_the_bounds_of_the_levels():
    assert Params(levels=(80, 95)).probabilities == pytest.approx([0.1, 0.025, 0.9, 0.975])
