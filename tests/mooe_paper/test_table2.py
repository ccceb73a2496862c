"""Table 2, from records that are made, and what its printed rows imply."""

import pytest

from mooe_paper import table2
from mooe_paper.printed_numbers import RECURRING
from mooe_paper.table2 import implied_share, share_range


def made(quick=False, missing=(), share=0.467):
    records = {}
    for experiment in table2.experiments(quick):
        if set(experiment.needs) & set(missing):
            records[experiment.name] = {"missing": f"{experiment.needs[0]} is not here"}
            continue
        there = round(1_000 * share)
        counts = {"true_positive": there - 67, "false_negative": 67}
        counts |= {"false_positive": 100, "true_negative": 900 - there}
        records[experiment.name] = {
            "rows": 1_000,
            "accuracy": 0.833,
            **counts,
            **experiment.arguments,
        }
    return records


@pytest.mark.parametrize("share", [0.1, 0.256, 0.467, 0.9])
@pytest.mark.parametrize("rates", [(0.9, 0.05), (0.5, 0.4)])
def test_three_figures_of_a_run_give_back_its_share_of_positives(share, rates):
    hits, alarms = rates[0] * share, rates[1] * (1 - share)
    accuracy = hits + (1 - share) - alarms
    records = implied_share(100 * accuracy, 100 * hits / (hits + alarms), 100 * rates[0])
    assert records == pytest.approx(share)


def test_rounding_widens_the_share_around_the_printed_one():
    for rows in RECURRING.values():
        for row in rows.values():
            low, high = share_range(row)
            assert low < 100 * implied_share(*row) < high


def test_the_printed_rows_contradict_each_other_and_the_data():
    table = table2.tables(made())[-1]
    words = {(row[0], row[1]): row[-1] for row in table.rows}
    for stream in RECURRING:
        assert words[stream, "all four rows"] == "no share fits all rows"
    assert words["Email", "mooe-paper"] == "contradicts the data"
    assert table2.share_verdict(46.0, 47.0, 46.7) == "as in the data"
    assert table2.share_verdict(53.0, 54.0, 46.7) == "as in the data, classes swapped"


def test_precision_and_recall_are_those_of_the_positive_class():
    line = {(row[0], row[1], row[2]): row for row in table2.tables(made())[0].rows}
    assert line["Email", "mooe", "precision"][4] == pytest.approx(80.0)
    assert line["Email", "mooe", "recall"][4] == pytest.approx(100 * 400 / 467)
    assert line["Email", "mooe-paper", "accuracy"][3] == 97.1


def test_precision_and_recall_are_shares_of_fewer_rows():
    record = made()["Email condor seed 0"]
    sizes = {name: size(record) for name, size in table2.SIZES.items()}
    assert sizes == {"accuracy": 1_000, "precision": 500, "recall": 467}


def test_who_never_answers_a_class_has_no_precision():
    never = {"true_positive": 0, "false_positive": 0, "false_negative": 3, "true_negative": 7}
    assert table2.precision(never) is None
    assert table2.recall(never) == 0.0


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("missing", [(), ("Email",), ("Email", "Spam")])
def test_rows_are_as_long_as_their_header(quick, missing):
    for one in table2.tables(made(quick, missing)):
        assert all(len(row) == len(one.columns) for row in one.rows), one.title
