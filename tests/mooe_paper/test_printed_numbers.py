"""The paper's numbers are complete; MOOE is the best of each of its lines, as it says."""

import pytest

from mooe.run.registry import MODELS
from mooe_paper.accuracy.models import PAPER_MODELS
from mooe_paper.printed_numbers import ACCURACY, GROWING_NOISE, LARGEST_POOLS, RECURRING


@pytest.mark.parametrize("table", [*ACCURACY.values(), GROWING_NOISE], ids=[*ACCURACY, "noise"])
def test_every_line_has_the_four_methods_and_mooe_is_best(table):
    assert list(table) == list(PAPER_MODELS)
    assert max(table, key=table.get) == "mooe-paper"


def test_methods_are_models_of_ours():
    assert set(PAPER_MODELS) <= set(MODELS)


def test_the_second_table_has_accuracy_precision_and_recall():
    for rows in RECURRING.values():
        assert list(rows) == list(PAPER_MODELS)
        assert all(len(row) == 3 and max(row) < 100.0 for row in rows.values())


def test_the_figure_has_seven_points():
    assert list(LARGEST_POOLS) == [5, 10, 15, 20, 25, 30, 35]
