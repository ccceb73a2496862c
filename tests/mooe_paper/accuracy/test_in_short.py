"""The counts of the page follow from the tables."""

from test_table1 import made as made_first
from test_table2 import made as made_second

from mooe_paper import table1, table2
from mooe_paper.accuracy.in_short import OWN, best_models, printed_verdicts, short_table
from mooe_paper.cells import Table


def counts(tables):
    return {row[0]: row[1] for row in short_table(tables).rows}


def test_counts_are_those_of_the_tables_of_the_paper():
    found = made_first(missing=("Kitsune",), accuracy=0.8)
    found["Weather mooe-paper seed 0"]["accuracy"] = 0.9
    for seed in range(3):
        found[f"Usenet1 mooe seed {seed}"]["accuracy"] = 0.9
    told = counts({"table1": table1.tables(found), "table2": table2.tables(made_second())})
    assert told["streams on which mooe is best of all"] == "1 of 9"
    assert told["streams on which mooe-paper is best of all"] == "1 of 9"
    assert told["the paper's MOOE, above every batch reference"] == "5 of 7"
    assert told["printed numbers: holds"].endswith(" of 52"), "7 x 4 of one, 2 x 4 x 3 of the other"
    shares = [int(told[f"printed numbers: {word}"].split()[0]) for word in
              ("holds", "ours higher", "ours lower")]  # fmt: skip
    assert sum(shares) == 52
    assert told["printed numbers of MOOE and Condor within our sweep"] == "0 of 16"


def test_equals_are_both_best_and_no_one_is_best_alone():
    rows = [["a", "10", 1.0, 1.0, 0.5], ["b", "10", None, 1.0, 2.0]]
    own = Table(OWN, ["stream", "rows", "mooe-paper", "mooe", "majority"], rows)
    assert best_models({"table1": [own]}) == {"a": ["mooe-paper", "mooe"]}
    assert counts({"table1": [own]})["streams on which mooe is best of all"] == "0 of 1"


def test_without_results_nothing_is_counted():
    assert set(counts({}).values()) == {"0 of 0"}


def test_our_default_model_and_what_has_no_printed_number_are_left_out():
    rows = [["mooe", 1.0, "holds"], ["mooe-paper", 1.0, "holds"], ["dtel", None, ""]]
    assert printed_verdicts({"t": [Table("t", ["model", "paper", "verdict"], rows)]}) == ["holds"]
    assert printed_verdicts({"t": [Table("t", ["model", "verdict"], [["dtel", "holds"]])]}) == []
