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
        record = {"rows": 1_000, "accuracy": 0.833, **counts, **experiment.arguments}
        if "setting" in record:
            record["model"] += " swept"
        records[experiment.name] = record
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


def test_precision_and_recall_of_the_other_class_and_of_both():
    record = {"true_positive": 3, "false_positive": 1, "false_negative": 2, "true_negative": 4}
    other = table2.READINGS["class 0"]
    assert other["precision"](record) == pytest.approx(100 * 4 / 6)
    assert other["recall"](record) == pytest.approx(100 * 4 / 5)
    both = table2.READINGS["mean of both"]
    assert both["precision"](record) == pytest.approx((75 + 100 * 4 / 6) / 2)
    titles = [table.title for table in table2.tables(made())]
    assert "Whose precision and recall" in titles


def test_all_three_measures_of_both_streams_share_one_setting():
    records = made()
    for stream, rows in RECURRING.items():
        accuracy, precision, recall = rows["mooe-paper"]
        there = 467
        found = round(recall / 100 * there)
        counts = {"true_positive": found, "false_negative": there - found}
        counts["false_positive"] = round(found / (precision / 100)) - found
        records[f"{stream} mooe-paper with R 30"] |= {**counts, "accuracy": accuracy / 100}
    shown = table2.tables(records)[0]
    words = [row[-1] for row in shown.rows if row[1] == "mooe-paper"]
    assert words == ["holds at R 30"] * 6


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
