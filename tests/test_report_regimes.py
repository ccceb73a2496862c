"""The report of a model with regimes: which came back, when, and what that was worth."""

import html
import re
from dataclasses import replace

import pytest
from made import made, made_regimes, regimes

from mooe.evaluate.measures import MEASURES
from mooe.report import write_report
from mooe.report.regimes import MOST_REGIMES, regime_cards, regime_note
from mooe.report.returns import MOST_RETURNS, Return, returns, returns_table, sentences

CHANGES = [200, 400, 600, 800]


def many(n_visits=9, n_regimes=6):
    """Regimes that take turns every 10 rows."""
    step = 10 * n_regimes
    return [
        {
            **regimes()[0],
            "name": k + 1,
            "first": 10 * k,
            "visits": [[step * v + 10 * k, step * v + 10 * k + 9] for v in range(n_visits)],
        }
        for k in range(n_regimes)
    ]


def test_a_return_is_a_visit_after_another_and_knows_how_long_it_was_away():
    assert returns(made_regimes()) == [
        Return(400, 599, 1, 200),
        Return(800, 999, 1, 200),
        Return(600, 799, 2, 200),
    ]


def test_what_was_before_the_stream_is_no_return_and_what_comes_after_it_is():
    (one, _) = regimes()
    one.update(first=-300, visits=[[-300, -101], [-50, 99], [400, 449]])
    results = made_regimes(concepts=[one])
    assert returns(results) == [Return(400, 449, 1, 300)]
    one["visits"] = [[-300, -101], [50, 99]]
    assert returns(results) == [Return(50, 99, 1, 150)]
    assert "was first in charge before the stream and came back once" in sentences(results)[1]


def test_a_regime_whose_first_visits_are_not_known_was_away_for_none_knows_how_long():
    (one, _) = regimes()
    one.update(first=10, visits=[[400, 449]])
    results = made_regimes(concepts=[one])
    assert returns(results) == [Return(400, 449, 1, None)]
    assert "first in charge at row 10 and came back once, in rows 400–449." in sentences(results)[1]


def test_every_regime_is_told_with_its_rows():
    first, *others, last = sentences(made_regimes())
    assert first == "2 regimes came back, 3 times in all."
    assert re.fullmatch(r"Back in charge, the memory held 9\d % of the weight.", last)
    assert others == [
        "Regime 1 was first in charge in rows 0–199 and came back twice, "
        "in rows 400–599 and 800–999.",
        "Regime 2 was first in charge in rows 200–399 and came back once, in rows 600–799.",
    ]


def test_many_regimes_and_visits_are_told_in_short():
    said = sentences(made_regimes(concepts=many()))
    assert said[0] == "6 regimes came back, 48 times in all."
    assert said[1] == (
        "Regime 1 was first in charge in rows 0–9 and came back 8 times, "
        "longest in rows 60–69, last in rows 480–489."
    )
    assert said[-2] == "2 other regimes came back 16 times."
    assert sum(map(len, said)) < 700


def test_a_memory_without_weight_hardly_came_back():
    light = [
        replace(m, weights=(0.04, 0.96), names=(0,), spans=((0, 9),))
        for m in made_regimes().moments
    ]
    said = sentences(made_regimes(moments=light))[0]
    assert said.startswith("Hardly: 2 regimes came back, 3 times in all")
    assert "4 % of the weight" in said


def test_what_did_not_come_back_is_said_not_to():
    once = [{**one, "visits": one["visits"][:1]} for one in regimes()]
    said = sentences(made_regimes(concepts=once))
    assert said[0] == "It did not come back."
    assert "Regime 2 was in charge in rows 200–399." in said
    assert "second time" in said[1]
    assert "never left" in sentences(made_regimes(concepts=once[:1]))[1]
    assert sentences(made_regimes(concepts=[]))[0] == "It did not come back."
    assert returns_table(made_regimes(concepts=once), None, MEASURES["accuracy"]) is None


def test_only_some_of_the_regimes_came_back():
    one, two = regimes()
    two["visits"] = two["visits"][:1]
    assert sentences(made_regimes(concepts=[one, two]))[0].startswith(
        "1 of 2 regimes came back, twice in all"
    )


def test_the_table_has_a_line_for_each_return_and_its_gain():
    results, without = made_regimes(), made("mooe, no memory", 0.7)
    for window in without.windows:  # memory is worth 30 points in rows 400-599, 10 elsewhere
        window["accuracy"] -= 0.2 * (400 < window["row"] <= 600)
    table, said = returns_table(results, without, MEASURES["accuracy"])
    lines = [[cell.text for cell in row] for row in table.rows]
    assert [(line[0], line[1], line[3]) for line in lines] == [
        ("regime 1", "400–599", "200"),
        ("regime 1", "800–999", "200"),
        ("regime 2", "600–799", "200"),
    ]
    assert [line[-1] for line in lines] == ["+30.00", "+10.00", "+10.00"]
    assert table.header[-1] == "gain over no memory (points)"
    bare, _ = returns_table(results, None, MEASURES["accuracy"])
    assert bare.header == table.header[:-1]
    assert not said[0].endswith("of 3.")


def test_a_long_table_keeps_the_longest_returns():
    concepts = many()
    concepts[2]["visits"][4][1] += 5
    table, said = returns_table(made_regimes(concepts=concepts), None, MEASURES["accuracy"])
    assert len(table.rows) == MOST_RETURNS
    assert any(cell.text == "260–274" for row in table.rows for cell in row)
    assert said[0].endswith("the longest 12 of 48.")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    results = [made_regimes(), made("no-change", 0.5), made("majority", 0.6)]
    path = write_report(folder, results, made("mooe, no memory", 0.7), marks=CHANGES)
    return html.unescape(path.read_text()).replace("\u2060", "")


def test_the_page_speaks_of_regimes_and_not_of_offline_experts(page):
    assert "2 regimes came back, 3 times in all." in page
    assert "A line is a regime" in page
    assert '<section id="regimes"><h2>Returns of the past' in page
    assert "the memory helps" in page
    assert not re.search("offline|fitted", page)


def test_paper_mode_keeps_its_words(tmp_path):
    results = replace(made_regimes(), remembers="intervals", concepts=[])
    page = write_report(tmp_path, [results], made("ogd", 0.7)).read_text()
    assert "experts fitted before, on rows" in page
    assert "the offline experts help" in page
    assert "egime" not in page


DAY = 86_400.0
DATED = [(row, 1_640_995_200.0 + DAY * row) for row in range(1000)]  # from 2022 on


def test_with_dates_sentences_and_tables_say_when():
    results = made_regimes(times=DATED)
    assert sentences(results)[2] == (
        "Regime 2 was first in charge from 2022-07-20 to 2023-02-04 and came back once, "
        "from 2023-08-24 to 2024-03-10."
    )
    table, said = returns_table(results, made("mooe, no memory", 0.7), MEASURES["accuracy"])
    assert table.header[:4] == ("regime", "when", "rows", "away for")
    assert [cell.text for cell in table.rows[0][:4]] == [
        *("regime 1", "2023-02-05 – 2023-08-23", "200", "201 days")
    ]
    assert "how many rows" not in said[0]
    known = sentences(made_regimes(concepts=[regimes()[0]], times=DATED))
    assert "from 2022-01-01 to 2022-07-19" in known[1]


def test_paper_mode_says_when_too():
    results = replace(made_regimes(times=DATED), remembers="intervals", concepts=[])
    said = sentences(results)[0]
    assert re.search(r"from 20\d\d-\d\d-\d\d to 20\d\d", said)
    assert "rows" not in said
    table, _ = returns_table(results, None, MEASURES["accuracy"])
    assert (table.header[0], table.header[-1]) == ("when", "fitted when")


def test_a_card_tells_when_a_regime_was_here_and_what_it_is_like():
    one, two = regimes()
    one |= {"title": "summer", "shares": [["yes", 0.75], ["no", 0.25]], "mean": None}
    one["inputs"] = [{"column": "sun", "label": "yes", "weight": 0.5, "elsewhere": -0.25}]
    (title, facts), (other, bare) = regime_cards(made_regimes(concepts=[one, two], times=DATED))
    assert title == "regime 1 (summer)"
    assert facts["here"].startswith("now, since 2024-03-11; from 2023-02-05 to 2023-08-23; from")
    assert facts["rows"] == "600, 60 % of the stream"
    assert facts["labels"] == "yes: 75 %, no: 25 %"
    assert facts["set apart by"] == "sun +0.50 for yes (elsewhere −0.25)"
    assert other == "regime 2"
    assert list(bare) == ["here", "rows"]
    assert "deviation" in regime_note(made_regimes())


def test_of_many_regimes_those_with_most_rows_have_a_card():
    concepts = many(n_regimes=15)
    concepts[3]["visits"] = concepts[3]["visits"][:1]
    cards = regime_cards(made_regimes(concepts=concepts))
    assert len(cards) == MOST_REGIMES
    assert "regime 4" not in [title for title, _ in cards]
    said = regime_note(made_regimes(concepts=concepts))
    assert said.endswith("3 regimes of fewer rows are not shown.")


def test_what_became_of_a_number_that_no_regime_has_any_more_is_said():
    one, two = regimes()
    assert "gone" not in regime_note(made_regimes(concepts=[one, two]))
    one["name"], two["name"] = 2, 4
    said = regime_note(made_regimes(concepts=[one, two]))
    assert (
        "Regimes 1, 3 are gone: they turned out to be one with others, or were forgotten." in said
    )


def test_the_page_has_the_users_names_for_regimes(tmp_path):
    one, two = regimes()
    one["title"] = "<summer> & more"
    page = write_report(tmp_path, [made_regimes(concepts=[one, two])]).read_text()
    assert "regime 1 (&lt;summer&gt; &amp; more)" in page
    assert "<summer>" not in page
