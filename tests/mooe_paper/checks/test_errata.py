"""The errata: all of them in the table, their numbers from records and not typed."""

from mooe_paper.checks import counter_examples, errata, observations


def rows(records):
    return {row[0]: row for row in errata.errata_table(records).rows}


def test_every_erratum_has_words_and_what_shows_it():
    table = errata.errata_table({})
    assert len(table.rows) == len(errata.ERRATA)
    for row in table.rows:
        paper, finding, _, here, command = row
        assert paper
        assert finding
        assert here
        assert command == "reading" or command.startswith("mooe reproduce ")


def test_numbers_come_from_the_records():
    records = {"a": counter_examples.printed_step(0.1, 5.0, 50)}
    (text,) = [row[2] for name, row in rows(records).items() if name.startswith("step D")]
    assert "regret 40.06, claimed 0.60" in text
    records["a"]["printed_regret"] = 12.345
    (text,) = [row[2] for name, row in rows(records).items() if name.startswith("step D")]
    assert "regret 12.35" in text or "regret 12.34" in text


def test_without_records_no_number_is_given():
    known = ("K <= 2 exp", "13.7 %")  # from formulas, and from what the paper prints
    numbers = [row[2] for name, row in rows({}).items() if not name.startswith(known)]
    assert set(numbers) == {""}


def test_the_average_improvement_is_computed_from_what_the_paper_prints():
    (text,) = [row[2] for name, row in rows({}).items() if name.startswith("13.7 %")]
    assert text == "mean of ratios over all pairs, %: 16.9, claimed 13.7"


def test_the_pull_the_condition_and_the_risks_are_counted():
    records = {
        "a": observations.transfers("squared", None, 30, 1),
        "b": observations.transfers("squared", 30.0, 30, 1),
        "c": observations.regrets("squared", "random", 60, 3, 1),
        "d": observations.risks(50, 1),
    }
    texts = " ".join(row[2] for row in errata.errata_table(records).rows)
    assert "at the floor: 0 of 6 say something; with a pull of 30: 6 of 6 say" in texts
    assert "Theorem 1 6 of 12, the short form 6 of 12" in texts
    assert "of 5 intervals" in texts
    assert "T = 50, K = 4, d = 5: Theorem 3 printed 37.56" in texts
    assert "Lemma 3 printed 1.96, Lemma 4 printed 605.90, Theorem 3 corrected 3.32" in texts
