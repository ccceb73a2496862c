"""The report says what the results say, escapes names, is the same every time, needs no network."""

import html
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from browser import browser, chromium, look
from forecast.results import one_series
from made import (
    ROWS,
    everyone,
    made,
    made_keys,
    made_rare,
    made_regimes,
    made_values,
    moments,
    regimes,
)
from matplotlib.image import imread

from mooe.evaluate import results
from mooe.evaluate.measures import table_measures, trivial_models
from mooe.plots import compare_ranks
from mooe.report import (
    FILES,
    write_comparison,
    write_forecast,
    write_keyed_report,
    write_report,
)
from mooe.report.returns import sentences, stretches, strongest_returns
from mooe.report.sentences import far_labels, how_well, outcome
from mooe.report.tables import escape_latex, escape_markdown, threshold_table, with_trivial
from mooe.words import UNSEEN

NASTY = "<script>alert('x')</script> & 50_% {a} \\b | *c* $d$ ~ ^ #1"
STEERING = "a\x1b[31mb\x00\u202e"
KEYS = [measure.key for measure in table_measures("classification")]


class Tables(HTMLParser):
    """The tables of a page: by section, rows of (text, exact value or None, whether bold)."""

    def __init__(self, text):
        super().__init__()
        self.found, self.section = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "section":
            self.section = self.found.setdefault(dict(attrs)["id"], [])
        elif tag == "tr":
            self.section.append([])
        elif tag in ("td", "th"):
            self.section[-1].append(["", None, False])
        elif tag == "data":
            self.section[-1][-1][1] = float(dict(attrs)["value"])
        elif tag == "strong":
            self.section[-1][-1][2] = True

    def handle_data(self, data):
        if self.section and self.section[-1] and "\n" not in data:
            self.section[-1][-1][0] += data


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "deep" / "er"
    results = everyone()
    return write_report(folder, results, results[1]).parent


@pytest.fixture(scope="module")
def text(report):
    return (report / "index.html").read_text()


def comparison_results():
    rng = np.random.default_rng(0)
    return [
        made(model, accuracy + 0.01 * rng.random(), seed, f"stream {k}")
        for k in range(8)
        for model, accuracy in (("mooe", 0.8), ("ogd", 0.7), ("no-change", 0.5), ("majority", 0.6))
        for seed in range(2)
    ]


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    return write_comparison(tmp_path_factory.mktemp("comparison"), comparison_results()).parent


def test_a_report_is_a_page_with_every_figure_in_three_forms_and_two_tables(report):
    figures = [f"{n}.{f}" for n in ("windows", "recall", "memory", "regret") for f in FORMS]
    assert {path.name for path in report.iterdir()} == {
        "index.html", "table.md", "table.tex", *figures,
    }  # fmt: skip
    for name in figures:
        assert (report / name).read_bytes().startswith(FORMS[name.rpartition(".")[2]])


def test_all_that_a_report_may_write_is_named_beforehand(report, comparison, tmp_path):
    results.save(made("mooe", 0.8, predictions=np.array([None], dtype=object)), tmp_path)
    write_report(tmp_path, [made_rare()])
    write_forecast(tmp_path, one_series())
    write_keyed_report(tmp_path, made_keys())
    written = {path.name for folder in (report, comparison, tmp_path) for path in folder.iterdir()}
    assert written == set(FILES)


FORMS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def test_the_numbers_of_the_page_are_those_of_the_results(text):
    header, *rows = Tables(text).found["models"]
    assert [cell[0] for cell in header][:2] == ["model", "accuracy (%)"]
    for row, one in zip(rows, everyone(), strict=True):
        assert row[0][0] == one.model
        values = [cell[1] for cell in row[1:]]
        expected = [one.cumulative.get(key) for key in KEYS]
        assert values == [*expected, one.rows_per_second, one.seconds]
        assert row[1][0] == f"{100 * one.cumulative['accuracy']:.2f}"


def test_the_best_of_each_measure_is_bold_and_only_it(text):
    _, *rows = Tables(text).found["models"]
    assert [[cell[2] for cell in row[1:7]] for row in rows] == [[True] * 6] + [[False] * 6] * 3


def test_the_page_answers_both_questions_in_words(text):
    plain = html.unescape(re.sub(r"<[^>]+>", " ", text)).replace("\u2060", "")
    assert "mooe answered 80.00 % of 1,000 rows right." in plain
    assert "30.00 points more than repeating the last label (no-change, 50.00 %)" in plain
    assert "20.00 points more than naming the most frequent class so far" in plain
    assert "No model in the table does better than mooe by any measure." in plain
    assert re.search(r"Most in rows \d+–\d+, when experts fitted before, on rows 0–199", plain)
    assert "machine" in plain
    assert "Linux x" in plain


def test_tables_in_markdown_and_latex_have_the_same_numbers(report):
    markdown = (report / "table.md").read_text().splitlines()
    assert markdown[2].startswith("| mooe | **80.00** | **0.600** | **0.500** | **0.600** |")
    assert len(markdown) == 2 + 4
    latex = (report / "table.tex").read_text().splitlines()
    assert latex[0] == r"\begin{tabular}{lrrrrrrrr}"
    assert latex[4].startswith(r"mooe & \textbf{80.00} & \textbf{0.600} &")
    assert all(line.endswith(r"\\") for line in (latex[2], *latex[4:8]))


def test_a_model_that_loses_is_said_to_lose(tmp_path):
    results = [made(accuracy=0.55), made("no-change", 0.6), made("majority", 0.4)]
    opening, _, verdict = how_well(results)
    assert opening == (
        "mooe answered 55.00 % of 1,000 rows right, worse than no-change, which learns nothing."
    )
    assert verdict.startswith(
        "mooe is not the best here: no-change is, with 60.00 %; mooe loses by 5.00 points."
    )


def test_a_difference_of_errors_has_the_digits_that_tables_give_it():
    results = [made_values(), made_values(), made_values()]
    models = ("mooe", *trivial_models("regression"))
    for run, model, mae in zip(results, models, (0.8115, 1.123, 10.5), strict=True):
        run.model, run.cumulative = model, {"mae": mae}
    _, compared, _ = how_well(results)
    assert compared.startswith("That is 0.3115 less than repeating the last label")
    assert " and 9.6885 less than " in compared


def test_without_labels_nothing_is_claimed():
    bare = made()
    bare.cumulative = {}
    (sentence,) = how_well([bare])
    assert "none of them had a label" in sentence


def test_trivial_models_are_in_the_table_also_when_they_were_not_run():
    first, no_change, majority = with_trivial([made(accuracy=0.8)])
    assert first.model == "mooe"
    assert no_change.model == "no-change"
    assert no_change.cumulative == {"accuracy": pytest.approx(0.5)}
    assert majority.cumulative == {"accuracy": pytest.approx(0.6)}
    assert [one.cumulative for one in with_trivial([made_values()])[1:]] == [{}, {}]
    assert len(with_trivial(everyone())) == 4


def test_the_past_comes_back_where_the_weights_say_so():
    one = made(moments=moments())
    found = stretches(one)
    assert found[0].first == 50  # the online expert leads in the first interval
    back = strongest_returns(found, 6)
    assert [stretch.first for stretch in back] == [400, 600, 800]  # every return, and no other row
    for stretch in back:
        for source in stretch.returned:
            assert source.last < stretch.first - 1
            assert source.first // 200 % 2 == stretch.last // 200 % 2  # of the same concept
    assert sum(s.rows for s in found) == sum(1 - m.weights[-1] > 0.5 for m in one.moments) * 50


def test_a_past_that_does_not_come_back_is_said_not_to():
    assert "cannot be said" in sentences(made())[0]
    first = moments()[:1]
    assert "no past that could come back" in sentences(made(moments=first))[0]
    online = [
        replace(m, weights=(*[0.4 / len(m.names)] * len(m.names), 0.6)) for m in moments()[1:]
    ]
    assert sentences(made(moments=online)) == [
        "It did not come back.",
        "The online expert always held at least half the weight.",
    ]
    near = sentences(made(moments=moments()[:3]))
    assert near[0] == "It did not come back."
    assert near[1].endswith("all of it from rows just before.")


def test_names_are_escaped_everywhere(tmp_path):
    one = made(NASTY, stream=NASTY, moments=moments())
    folder = write_report(tmp_path, [one], title=NASTY).parent
    page = (folder / "index.html").read_text()
    assert "<script" not in page
    assert html.escape(NASTY) in page
    assert Tables(page).found["models"][1][0][0] == NASTY
    latex = (folder / "table.tex").read_text().replace(r"\allowbreak{}", "")
    assert escape_latex(NASTY) in latex
    assert escape_markdown(NASTY) in (folder / "table.md").read_text()


def test_letters_that_nobody_sees_are_written_out_on_the_page_and_in_its_figures(tmp_path):
    one = made_rare(STEERING, stream=STEERING)
    one.rare["class"], one.inputs, one.label = STEERING, [STEERING], STEERING
    folder = write_report(tmp_path, [one], title=STEERING).parent
    for name in ("index.html", "table.md", "table.tex", "precision_recall.svg"):
        text = (folder / name).read_bytes().decode()
        assert not UNSEEN.search(text), name
    page = (folder / "index.html").read_text()
    assert page.count(r"a\x1b[31mb\x00\u202e") > 5
    assert "of class a\\x1b[31mb" in page[page.index("<figure") :]  # along an axis


@pytest.mark.filterwarnings("error")
def test_names_in_any_script_are_drawn_without_a_warning(tmp_path):
    one = made_rare("一番", stream="販売")
    one.rare["class"] = "詐欺 🙂"
    page = write_report(tmp_path, [one]).read_text()
    assert "of class 詐欺 🙂 are found" in page


def test_latex_escapes_every_sign_it_would_read():
    assert escape_latex(r"\{}$&#%_^~") == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}"
    )
    assert escape_latex("a\n b") == "a b"


def test_the_same_results_give_the_same_bytes_in_another_process(report, tmp_path):
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from made import everyone; from mooe.report import write_report\n"
        "results = everyone(); write_report(sys.argv[1], results, results[1])"
    )
    subprocess.run(
        [sys.executable, "-c", code, tmp_path],
        check=True,
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1"},
    )
    for path in report.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


def test_regression_has_the_same_report_with_its_measures(tmp_path):
    results = [made_values(moments=moments()), made_values("ogd", 0.6)]
    folder = write_report(tmp_path, results, results[1]).parent
    page = (folder / "index.html").read_text()
    header, first, *_ = Tables(page).found["models"]
    assert [cell[0] for cell in header] == [
        "model", "MAE", "median error", "RMSE", "R2", "rows/s", "seconds",
    ]  # fmt: skip
    assert [cell[1] for cell in first[1:5]] == [0.5, None, 0.75, 0.5]
    assert "was off by 0.5000 on average" in page
    assert [row[0][0] for row in Tables(page).found["models"][1:]] == [
        "mooe", "ogd", "no-change", "mean",
    ]  # fmt: skip
    assert "Errors are in the unit of the label." in page


def test_errors_are_written_in_their_unit(tmp_path):
    results = [made_values(unit="kWh"), made_values("ogd", 0.6, unit="kWh")]
    page = write_report(tmp_path, results).read_text()
    header, *_ = Tables(page).found["models"]
    assert [cell[0] for cell in header[1:5]] == [
        "MAE (kWh)", "median error (kWh)", "RMSE (kWh)", "R2",
    ]  # fmt: skip
    assert "was off by 0.5000 kWh on average" in page
    assert "unit of the label" not in page


def test_labels_far_from_all_others_are_named_with_what_is_left_without_them():
    far = {
        "rows": 24, "first": 227, "last": 981, "labels": [[9999.0, 24]], "least": 9999.0,
        "greatest": 9999.0, "mae": 0.8, "rmse": 1.0,
    }  # fmt: skip
    run = made_values(mae=240.0, far=far, unit="kW")
    run.cumulative["median_error"] = 0.676
    said = " ".join(how_well(with_trivial([run])))
    assert "24 labels are far from all others: 9,999 (24 times), in rows 227–981;" in said
    assert "without them MAE is 0.8000 kW and RMSE 1.000 kW" in said
    assert said.startswith(
        "mooe was off by 240.0 kW on average over 1,000 rows; half of its errors"
    )
    assert "half of its errors are below 0.6760 kW" in said
    run.far = {**far, "rows": 9, "labels": [[7.0, 1], [8.0, 1]], "least": 7.0}
    assert far_labels(run) == "9 labels are far from all others: from 7 to 9,999, in rows 227–981"
    run.times = [(row, 86_400.0 * row) for row in range(1000)]
    assert far_labels(run).endswith("9,999, from 1970-08-16 to 1972-09-08")
    run.far = {**far, "rows": 1, "labels": [[9999.0, 1]], "last": 227}
    assert far_labels(run) == "1 label is far from all others: 9,999 (once), on 1970-08-16"


def test_rows_without_a_possible_answer_are_told_apart(tmp_path):
    results = [made(unanswered=40, judged=960), made("no-change", 0.5)]
    page = write_report(tmp_path, results).read_text()
    assert "mooe answered 80.00 % of 960 rows right." in page
    said = "Measures are over 960 of 1,000 rows; 40 rows came before the first label"
    assert said in page
    results[0].judged = 950
    page = write_report(tmp_path, results).read_text()
    assert "first label: no answer was possible, and 10 had no label when the stream ended." in page
    none = made(unanswered=1000)
    none.cumulative = {}
    (sentence,) = how_well([none])
    assert sentence == ("mooe saw 1,000 rows and no label came in time to answer any of them by.")


def test_a_page_of_one_row_and_one_class_says_so_and_what_was_too_little_to_remember(tmp_path):
    run = made(unanswered=1, remembers="regimes")
    run.rows, run.classes, run.cumulative, run.windows = 1, ["yes"], {}, []
    page = write_report(tmp_path, [run]).read_text()
    assert "1 row, 5 features, 1 class<" in page
    assert "mooe saw 1 row and no label came in time" in page
    assert "mooe had remembered nothing: too few labels came" in page


def test_the_short_last_window_is_said_to_be_left_out(tmp_path):
    run = made()
    run.windows[-1]["row"] = 960
    page = write_report(tmp_path, [run]).read_text()
    assert "The last 60 rows fill no window and are left out." in page
    run.windows[-1]["row"] = 901
    page = write_comparison(tmp_path, [run, made("ogd")]).read_text()
    assert "The last row fills no window and is left out." in page
    assert "fill no window" not in write_report(tmp_path, [made()]).read_text()


def test_that_no_model_does_better_is_checked_against_every_column():
    for measure in table_measures("classification"):
        results = [made(), made("ogd", 0.7), made("no-change", 0.5), made("majority", 0.6)]
        best = 0.001 if not measure.higher_is_better else 0.999
        results[1].cumulative[measure.key] = best
        *_, verdict = how_well(results)
        assert "by any measure" not in verdict
        if measure.key == "accuracy":
            assert verdict.startswith("mooe is not the best here: ogd is, with 99.90 %")
        else:
            assert verdict.startswith(
                "No model in the table does better than mooe by accuracy, but"
            )
            assert f"but ogd does by {measure.name} ({measure.text(best)} against " in verdict


def test_a_model_that_loses_by_more_than_one_measure_is_said_to():
    results = [made(accuracy=0.5), made("ogd", 0.7)]
    *_, verdict = how_well(results)
    assert verdict.endswith(
        "Others do better by kappa, kappa-M, kappa-T, macro F1 and log-loss too."
    )


def test_a_rare_class_comes_first_in_words_tables_and_pictures(tmp_path):
    results = [made_rare(), made_rare("ogd", 0.3), made_rare("no-change", 0.01)]
    folder = write_report(tmp_path, results).parent
    page = (folder / "index.html").read_text()
    plain = html.unescape(re.sub(r"<[^>]+>", " ", page))
    opening = (
        "mooe found 60.00 % of the 10 rows of class b, with 8 alarms (8.01 per 1,000 rows), "
        "75.00 % of them right."
    )
    assert opening in plain
    assert plain.index(opening) < plain.index("mooe answered 99.30 %")
    assert "its average precision is 0.600, that of guessing 0.01" in plain
    header, *rows = Tables(page).found["rare"]
    assert [cell[0] for cell in header] == [
        "model", "average precision", "precision (%)", "recall (%)", "F1 (%)",
        "alarms per 1,000 rows",
    ]  # fmt: skip
    assert [cell[1] for cell in rows[0][1:]] == [0.6, 0.75, 0.6, pytest.approx(2 / 3), 8.008]
    assert [row[1][2] for row in rows] == [True, False, False]
    assert not any(row[5][2] for row in rows), "many alarms are neither good nor bad"
    assert (folder / "precision_recall.svg").exists()
    assert not (folder / "windows.svg").exists(), "lines that all touch 99 %"


def test_what_a_threshold_would_have_given_is_told(tmp_path):
    page = write_report(tmp_path, [made_rare(), made_rare("no-change", 0.01)]).read_text()
    header, *rows = Tables(page).found["thresholds"]
    assert [cell[0] for cell in header] == [
        "threshold", "recall (%)", "precision (%)", "alarms per 1,000 rows",
    ]  # fmt: skip
    found = [[cell[1] for cell in row[1:]] for row in rows]
    assert [recall for recall, _, _ in found] == [0.25, 0.5, 0.75, 0.9]
    for recall, precision, alarms in found:
        assert alarms == pytest.approx(1000 * 10 * recall / precision / 999)
    assert threshold_table(made_rare("no-change", 0.01)) is None


def priced(model, cost, false_alarms, misses):
    """Return results where errors have costs."""
    run = made_rare(model)
    run.cumulative["cost"] = cost
    amounts = {"false_alarm": 1.0, "miss": 50.0, "false_alarms": false_alarms, "misses": misses}
    run.costs = {"class": "b", **amounts}
    return run


def test_where_errors_have_costs_these_come_first_in_words_tiles_and_table(tmp_path):
    """And a model that is right more often is not called better for it."""
    others = [priced("no-change", 505.0, 5, 10), priced("majority", 500.0, 0, 10)]
    others[1].cumulative["accuracy"] = 0.999
    page = write_report(tmp_path, [priced("mooe", 231.0, 31, 4), *others]).read_text()
    plain = html.unescape(re.sub(r"<[^>]+>", " ", page))
    opening = "mooe cost 231.0 over 999 rows, 31 false alarms at 1 and 4 misses at 50."
    assert opening in plain
    assert plain.index(opening) < plain.index("mooe found 60.00 %")
    assert "That is 274.0 less than repeating the last label (no-change, 505.0)" in plain
    assert "No model in the table does better than mooe by cost, but majority does" in plain
    assert plain.index("cost") < plain.index("average precision")
    header, *rows = Tables(page).found["models"]
    assert header[1][0] == "cost"
    assert [row[1][1] for row in rows] == [231.0, 505.0, 500.0]
    assert [row[1][2] for row in rows] == [True, False, False]


def test_a_comparison_on_one_stream_tells_of_its_rare_class(tmp_path):
    results = [made_rare("ogd", 0.3), made_rare(), made_rare("no-change", 0.01)]
    folder = write_comparison(tmp_path, results).parent
    page = (folder / "index.html").read_text()
    plain = html.unescape(re.sub(r"<[^>]+>", " ", page))
    assert "mooe has the best average precision, 0.600." in plain
    assert "That is 0.300 more than ogd, 0.300. Class b makes" in plain
    assert "of the labels, so that accuracy says little" in plain
    _, *rows = Tables(page).found["rare"]
    assert [row[0][0] for row in rows] == ["ogd", "mooe", "no-change"]
    assert "thresholds" in Tables(page).found
    assert (folder / "precision_recall.svg").exists()
    assert not (folder / "windows.svg").exists()


def test_no_alarm_at_all_is_said():
    run = made_rare()
    run.rare |= {"alarms": 0, "hits": 0}
    run.cumulative |= {"rare_recall": 0.0, "rare_precision": 0.0}
    assert how_well([run])[0] == ("mooe raised no alarm and found none of the 10 rows of class b.")


def test_results_of_two_streams_or_none_make_no_report(tmp_path):
    with pytest.raises(ValueError, match="at least one Results, got none"):
        write_report(tmp_path, [])
    with pytest.raises(ValueError, match="results must be of one stream and task"):
        write_report(tmp_path, [made(), made(stream="other")])
    with pytest.raises(ValueError, match="results must be of one task"):
        write_comparison(tmp_path, [made(), made_values()])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_named(tmp_path, below):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match=r"folder must be one that can be written, got '.*file") as e:
        write_report(tmp_path / below, [made()])
    assert str(tmp_path / below) in str(e.value)


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "table.md").mkdir()
    with pytest.raises(OSError, match="folder must be one that can be written"):
        write_report(tmp_path, [made()])


def test_a_comparison_has_ranks_means_and_spreads(comparison):
    names = {path.name for path in comparison.iterdir()}
    assert names == {"index.html", "table.md", "table.tex", "ranks.png", "ranks.svg", "ranks.pdf"}
    found = Tables((comparison / "index.html").read_text()).found
    header, *rows, last = found["scores"]
    models = [cell[0] for cell in header[1:]]
    assert models == ["mooe", "ogd", "majority", "no-change"]
    results = comparison_results()
    for row in rows:
        for model, cell in zip(models, row[1:], strict=True):
            scores = [
                one.cumulative["accuracy"]
                for one in results
                if (one.stream, one.model) == (row[0][0], model)
            ]
            assert cell[1] == np.mean(scores)
            spread = 100 * np.std(scores, ddof=1)
            assert cell[0] == f"{100 * np.mean(scores):.2f} ± {spread:.2f}"
    assert [cell[1] for cell in last[1:]] == [1.0, 2.0, 3.0, 4.0]
    assert [cell[1] for cell in found["tests"][-1][1:]] == [0.046875] * 3
    assert r"$\pm$" in (comparison / "table.tex").read_text()


def test_a_comparison_says_who_is_better_and_what_so_few_streams_allow():
    table = {f"s{k}": {"a": 0.9 - k / 100, "b": 0.5 + k / 100} for k in range(8)}
    said = outcome(compare_ranks(table), 0, 0.05)
    assert said == [
        "Over 8 streams, a has the best mean rank, 1.00.",
        "a is significantly better than b (p < 0.05).",
    ]
    few = outcome(compare_ranks(dict(list(table.items())[:4])), 2, 0.05)
    assert "With so few streams no difference can be significant" in few[1]
    assert "is 0.12" in few[1]
    assert few[2] == "2 streams on which a model is missing are left out of the ranks."


def test_the_page_refers_to_nothing_outside(text):
    assert not re.findall(r'(?:src|srcset|data|poster)="([^"]{0,60})', text)
    links = [link for link in re.findall(r'href="([^"]*)"', text) if not link.startswith("#")]
    pictures = [link for link in links if link.startswith("data:image/png;base64,")]
    assert len(pictures) == 2 * 2 * 2  # the cells of the recall map, and its scale
    assert all("/" not in link and ":" not in link for link in links if link not in pictures)
    assert not re.search(r"<(script|link|iframe|object|embed)|url\((?!#)|@import|@font-face", text)
    assert "default-src 'none'" in text


OWN = (".google.com", ".googleapis.com", ".gstatic.com")  # what the browser asks for by itself


def browse(page, folder, dark=False):
    """Return the picture of a page in a real browser and the hosts that it wanted to reach."""
    log, picture = folder / "net.json", folder / "page.png"
    scheme = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
    subprocess.run(
        [
            chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--hide-scrollbars", f"--user-data-dir={folder / 'profile'}",
            "--proxy-server=http://127.0.0.1:9", f"--log-net-log={log}", "--window-size=1000,3600",
            f"--screenshot={picture}",
            *(scheme if dark else ["--blink-settings=preferredColorScheme=1"]), page.as_uri(),
        ],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    urls = re.findall(r'"url":"https?://([^/"]+)', json.dumps(log.read_text()).replace("\\", ""))
    return imread(picture)[:, :, :3], {host for host in urls if not host.endswith(OWN)}


def test_in_a_real_browser_nothing_is_requested_and_the_figures_follow_the_scheme(report, tmp_path):
    page = report / "index.html"
    light, hosts = browse(page, tmp_path)
    assert hosts == set()
    dark, hosts = browse(page, tmp_path, dark=True)
    assert hosts == set()
    assert light.shape == dark.shape
    assert (light.min(axis=2) > 0.95).mean() > 0.8  # mostly paper
    assert (dark.max(axis=2) > 0.95).mean() < 0.02  # a light figure would be most of the page
    assert (dark.max(axis=2) < 0.2).mean() > 0.8
    outside = tmp_path / "outside.html"
    outside.write_text('<img src="http://asked.example/x.png">')
    assert browse(outside, tmp_path)[1] == {"asked.example"}, "requests would not be noticed"


def test_rows_are_those_of_the_stream(text):
    assert f"{ROWS:,} rows, 5 features, 2 classes" in text


def test_an_svg_in_the_page_has_ids_of_its_own_and_text_for_letters(text):
    drawings = re.findall(r"<svg.*?</svg>", text, flags=re.S)
    assert len(drawings) == 2 * 2 * 4  # themes, sizes, figures
    ids = re.findall(r'\bid="([^"]*)"', "".join(drawings))
    assert len(ids) == len(set(ids)) > 100
    for drawing in drawings:
        own = set(re.findall(r'\bid="([^"]*)"', drawing))
        assert set(re.findall(r'(?:url\(|href=")#([^)"]*)', drawing)) <= own
        assert "<text" in drawing
        assert 'role="img" aria-label="' in drawing
    assert "accuracy (%)" in drawings[0]


LEAST = 11.0  # px, of any letter on a phone


@pytest.fixture(scope="module")
def pages(report, tmp_path_factory):
    """Pages of every kind of report: paper mode, regimes with dates, a regression, comparisons."""
    folder = tmp_path_factory.mktemp("pages")
    days = [(row, 1.6e9 + 43_200.0 * row) for row in range(ROWS)]
    long = {"title": "the summer of a very long name", "shares": [["a", 0.7], ["b", 0.3]]}
    weights = {"label": "b", "weight": 1.0, "elsewhere": -1.0}
    long["inputs"] = [{"column": "a column of a long name", **weights}]
    concepts = [{**regime, **long} for regime in regimes()]
    dated = made_regimes(times=days, concepts=concepts)
    without = made("mooe, no memory", 0.7, times=days)
    several = comparison_results()
    one = [run for run in several if run.stream == several[0].stream]
    return {
        "paper mode": report / "index.html",
        "regimes": write_report(folder / "regimes", [dated], without),
        "regression": write_report(folder / "values", [made_values()]),
        "comparison": write_comparison(folder / "many", several),
        "one stream": write_comparison(folder / "one", one),
        "rare class": write_report(folder / "rare", [made_rare(), made_rare("ogd", 0.3)]),
        "costs": write_report(folder / "costs", [priced("mooe", 231.0, 31, 4)]),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_no_letter_is_small_and_nothing_is_cut(pages, scheme):
    with browser() as tell:
        for page in pages.values():
            found = look(tell, page, 390, scheme)
            assert found["smallest"][0] >= LEAST, (page, found)
            assert found["cut"] == [], page
            assert found["width"] <= 390, page
            assert found["drawings"] == found["figures"] > 0
            assert found["hints"] > 0, "the table of models goes on sideways"
            wide = look(tell, page, 1280, scheme)
            assert wide["hints"] == 0
            assert wide["cut"] == [], page
            assert wide["drawings"] == wide["figures"]
        small = page.with_name("small.html")
        style = "font-size: 9px; white-space: nowrap"
        head = '<meta name="viewport" content="width=device-width">'
        small.write_text(f'{head}<p style="{style}">{"cut off " * 99}')
        found = look(tell, small, 390, scheme)
        assert found["smallest"][0] < LEAST
        assert found["cut"], "what is cut would not be noticed"
