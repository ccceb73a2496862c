"""The last interval by setting: with our default it is what the figures show."""

import pytest

from mooe_paper.intervals import by_setting, last_interval
from mooe_paper.intervals.last_interval import FIRST
from mooe_paper.unknowns import default_setting

DEFAULT = default_setting("mooe-paper")


def test_losses_with_our_default_are_those_of_the_figure():
    swept, shown = by_setting.losses("synthetic", DEFAULT, 2), last_interval.losses("synthetic", 2)
    for other in by_setting.OTHERS:
        for measure in ("loss", "error"):
            wanted = shown["more"][f"MOOE - {other}"][measure]
            kept = [wanted[FIRST.index(n)] for n in by_setting.FIRST]
            for ours, theirs in zip(swept["more"][f"MOOE - {other}"][measure], kept, strict=True):
                assert ours == pytest.approx(theirs, abs=2e-6)


def test_regrets_with_our_default_are_those_of_the_figure():
    swept = by_setting.regrets("synthetic", DEFAULT, 2)
    shown = last_interval.regrets("synthetic", 2)
    for pair, more in swept["more"].items():
        assert more == pytest.approx(shown["more"][pair], abs=2e-6)


def test_another_radius_is_another_record_for_both_sides():
    one, other = (by_setting.losses("synthetic", name, 2)["more"] for name in (DEFAULT, "R 10"))
    assert one["MOOE - OGD warm"] != other["MOOE - OGD warm"]
