"""The report of a model with regimes: which came back, when, and what that was worth."""

import html
import re
from dataclasses import replace

import pytest
from made import made, made_regimes, regimes

from mooe.evaluate.measures import MEASURES
from mooe.report import write_report
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
