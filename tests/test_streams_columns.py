"""Tables as people and programs of other countries write them: read as meant, and said so."""

import csv
import io

import numpy as np
import pytest

from mooe.datasets import StreamError, open_stream
from mooe.streams import delimited
from mooe.streams.layout import Options, Usual

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def path(tmp_path):
    def write(text, name="d.csv", encoding="utf-8"):
        (tmp_path / name).write_bytes(text.encode(encoding) if isinstance(text, str) else text)
        return tmp_path / name

    return write


def column(path, name="x", label="y", **options):
    """Return a column of numbers of a table, and what is said of it."""
    stream = open_stream(path, label=label, **options).load()
    return stream.X[:, list(stream.feature_names).index(name)].tolist(), stream


def written(cells, sign=";"):
    """Return a table of one column and a label, quoted where need be."""
    text = io.StringIO()
    csv.writer(text, delimiter=sign, lineterminator="\n").writerows(
        [["x", "y"], *([cell, row % 2] for row, cell in enumerate(cells))]
    )
    return text.getvalue()


nan = float("nan")


@pytest.mark.parametrize(
    ("cells", "numbers", "said"),
    [
        (["0,0", "2,5", "0,0", "2,5"], [0.0, 2.5, 0.0, 2.5], "decimal commas as in '0,0'"),
        (["1.234,5", "12,0"], [1234.5, 12.0], "thousands as in '1.234,5'"),
        (["1 234,5", "12,0"], [1234.5, 12.0], "thousands"),
        (["1\N{NO-BREAK SPACE}234,5", "2,5"], [1234.5, 2.5], "thousands"),
        (["1'234.5", "2.5"], [1234.5, 2.5], 'thousands as in "1\'234.5"'),
        (["1,234.5", "12.25"], [1234.5, 12.25], "thousands as in '1,234.5'"),
        (["1,234,567", "12"], [1234567.0, 12.0], "thousands"),
        (["1,234", "2,345"], [1.234, 2.345], "decimal commas"),  # between semicolons
        (["1.234", "0.5"], [1.234, 0.5], None),
        (["k.A.", "1,5", "-", "N/A"], [nan, 1.5, nan, nan], "'-' and 'k.A.' as no value"),
        (["#NV", "n.a.", "7"], [nan, nan, 7.0], "as no value"),
        (["62,2 s", "saknas", "7,1 s"], [62.2, nan, 7.1], "'saknas' as no value"),
        (["1.5", "missing", "#DIV/0!"], [1.5, nan, nan], "'#DIV/0!' and 'missing' as no value"),
        (["True", "false", "TRUE"], [1.0, 0.0, 1.0], None),
        (["-1,5e3", "+2,0"], [-1500.0, 2.0], "decimal commas"),
        (["$1,234.50", "-$2.50", "$-"], [1234.5, -2.5, nan], "'$' left away from numbers"),
        (["1.234,50 €", "-2,5 €"], [1234.5, -2.5], "'€' left away"),
        (["12.5%", "3%", ""], [12.5, 3.0, nan], "'%' left away"),
        (["-3,5 °C", "12,0 °C"], [-3.5, 12.0], "'°C' left away"),
        (["70 kg", "71.5 kg"], [70.0, 71.5], "'kg' left away"),
        (["1.000,55-", "2,5"], [-1000.55, 2.5], "'1.000,55-' as minus"),
        (["(1,000.55)", "2.5"], [-1000.55, 2.5], "'(1,000.55)' as minus"),
        (["\N{MINUS SIGN}1.5", "2.5"], [-1.5, 2.5], None),
        (["12:05", "0:30", "k.A."], [43500.0, 1800.0, nan], "'12:05' in seconds"),
        (["1:05 PM", "12:00 am"], [47100.0, 0.0], "'1:05 PM' in seconds"),
    ],
)
def test_numbers_are_read_as_they_are_written(path, cells, numbers, said):
    values, stream = column(path(written(cells)))
    np.testing.assert_array_equal(values, numbers)
    line = " ".join(stream.remarks)
    assert said is None or said in line


@pytest.mark.parametrize(
    "cells",
    [["12a", "13a"], ["K17", "K18"], ["$5", "€5"], ["5%", "5"], ["12:99", "10:00"], ["1. Tag"] * 2],
)
def test_what_only_looks_like_a_unit_leaves_a_column_of_texts(path, cells):
    stream = open_stream(path(written(cells)), label="y")
    assert stream.kinds == {"x": "text"}


def test_units_beside_some_numbers_only_are_warned_of(path):
    stream = open_stream(path(written(["70 kg", "71.5 kg", "69"])), label="y")
    line = next(line for line in stream.remarks if "look like" in line)
    assert "'x' is taken as texts, though 3 of its 3 values look like numbers" in line
    assert line.endswith(
        "such as '69', some with 'kg' and some without; beside all of them it is read"
    )


def test_a_number_without_the_unit_of_its_column_is_refused(path):
    table = path(written([*(f"{i} %" for i in range(1000)), "0.5"]))
    rule = (
        r"line 1,002, column 'x' must be a number with '%', as in the first 1,000 rows, got '0.5'; "
        r"--skip-bad-rows \(skip_bad_rows=True\) leaves such rows out and counts them"
    )
    with pytest.raises(StreamError, match=rule):
        open_stream(table, label="y").load()


def test_labels_with_a_unit_are_numbers_where_there_are_many_and_classes_where_few(path):
    many = path("x,y\n" + "".join(f"{i},{i / 8} %\n" for i in range(100)))
    stream = open_stream(many, label="y").load()
    assert (stream.task, stream.y[-1], stream.units) == ("regression", 99 / 8, {"y": "%"})
    few = path("x,y\n" + "".join(f"{i},{i % 3} %\n" for i in range(100)))
    assert open_stream(few, label="y").load().y[:3].tolist() == ["0 %", "1 %", "2 %"]


def test_codes_of_equal_length_with_leading_zeros_are_texts(path):
    rows = "".join(
        f"{code},{count:02d},{count}\n" for count, code in enumerate(["01067", "80331"] * 9)
    )
    stream = open_stream(path("zip,n,y\n" + rows), label="y", drop=["n"])
    assert stream.kinds == {"zip": "text"}
    assert stream.remarks == ("'zip' is taken as texts, not as numbers: '01067' is a code",)
    ragged = open_stream(path("zip,y\n1067,0\n80331,1\n007,1\n"), label="y")
    assert (ragged.kinds, ragged.remarks) == ({"zip": "number"}, ())
    known = open_stream(path("zip,y\n01067,0\n"), label="y", inputs={"zip": "number"})
    assert known.load().X.tolist() == [[1067.0]], "a model that learnt numbers goes on with them"


def test_a_comma_between_commas_sets_thousands_apart(path):
    values, _ = column(path(written(["1,234", "2,345", "7"], ",")))
    assert values == [1234.0, 2345.0, 7.0]
    values, _ = column(path(written(["1,234", "2,345", "7"], ",")), decimal=",")
    assert values == [1.234, 2.345, 7.0]


def test_other_columns_say_what_a_point_means(path):
    table = "price;amount;part;y\n1,5;1.250;0.125;0\n2,5;900;0.5;1\n"
    price, stream = column(path(table), "price")
    assert price == [1.5, 2.5]
    assert column(path(table), "amount")[0] == [1250.0, 900.0]
    assert column(path(table), "part")[0] == [0.125, 0.5]  # no thousands begin with a 0
    assert stream.written == (",", None)
    assert column(path("price;amount;y\n1.5;1.250;0\n2.5;900;1\n"), "amount")[0] == [1.25, 900.0]


def test_points_before_three_digits_only_set_thousands_apart_where_other_cells_have_fewer(path):
    amounts = [5, 81, 640, 12, 999, *range(1_096, 90_000, 7_412)]
    cells = [f"{amount:,}".replace(",", ".") for amount in amounts]
    for sign in (";", ","):
        values, stream = column(path(written(cells, sign)))
        assert values == amounts
        assert "thousands as in '1.096'" in stream.remarks[0]
        assert stream.written == (",", None), "a model goes on so, also with a row alone"
        assert column(path(written(cells, sign)), decimal=".")[0][5] == 1.096
    euros, _ = column(path(written([f"{cell} €" for cell in cells])))
    assert euros == amounts
    decimals = [cell for cell in cells if "." in cell]
    assert column(path(written(decimals)))[0][0] == 1.096, "three decimals in every cell"
    assert column(path(written([*decimals, "0", "999"])))[0][0] == 1.096, "what stands for no value"
    assert column(path(written([*cells, "1500"])))[0][5] == 1.096, "thousands without a point"
    usual = {"inputs": {"x": "number"}, "label": "y"}
    known = open_stream(path(written(cells)), usual=Usual("."), **usual)
    assert known.load().X[5] == 1.096, "a model goes on with the numbers that it learnt"


def test_commas_between_thousands_are_told_from_decimal_ones_between_tabs_and_semicolons(path):
    amounts = [5, 81, 640, 12, 812, *range(1_454, 90_000, 7_412)]
    cells = [f"{amount:,}" for amount in amounts]
    for sign in ";\t":
        values, stream = column(path(written(cells, sign)))
        assert values == amounts
        assert "thousands as in '1,454'" in stream.remarks[0]
        assert stream.decimals == {"x": "."}
    decimals = [cell for cell in cells if "," in cell]
    assert column(path(written(decimals)))[0][0] == 1.454, "three decimals in every cell"
    assert column(path(written([*cells, "1,5"])))[0][5] == 1.454
    assert column(path(written(cells)), decimal=",")[0][5] == 1.454


@pytest.mark.parametrize("sign", [".", ","])
def test_a_model_reads_one_row_as_the_table_that_showed_what_a_point_or_comma_means(path, sign):
    amounts = [5, 81, 640, 12, 812, *range(1_096, 90_000, 7_412)]
    other = {".": "{}.5", ",": "{},5"}[sign]  # decimals of another column, by the same sign
    rows = "".join(
        f"{f'{amount:,}'.replace(',', sign)};{other.format(row)};{row % 2}\n"
        for row, amount in enumerate(amounts)
    )
    stream = open_stream(path("x;z;y\n" + rows), label="y")
    known = stream.load()
    assert known.X[5].tolist() == [1_096.0, 5.5]
    usual = Usual(stream.written[0], decimals=stream.decimals)
    settings = {"labelled": False, "inputs": stream.kinds, "usual": usual}
    one = path(f"x;z\n1{sign}096;{other.format(5)}\n")
    assert open_stream(one, **settings).load().X.tolist() == [[1_096.0, 5.5]]
    one = path(f"x;z\n1{sign}096;1{sign}096\n")
    assert open_stream(one, **settings).load().X.tolist() == [[1_096.0, 1.096]]


def test_a_number_of_another_form_is_refused_and_not_misread(path):
    cells = ["1,5"] * 1_000
    for odd in ("12.5", "1.23.456", "1,5,5"):
        with pytest.raises(StreamError, match=r"line 1,002, column 'x' must be a number with a de"):
            column(path(written([*cells, odd])))
    assert column(path(written([*cells, "1.234"])))[0][-1] == 1234.0
    with pytest.raises(StreamError, match=r"line 1,002, column 'x' must be a number, as in"):
        column(path(written(["1.5"] * 1_000 + ["2,5"])))


def test_a_column_of_texts_that_looks_like_numbers_is_warned_of(path):
    text = written(["1,5", "2,5", "n.v.", "2,5"])
    stream = open_stream(path(text), label="y")
    assert stream.kinds == {"x": "text"}
    (line,) = [line for line in stream.remarks if line.startswith("warning")]
    assert "2 of its 3 values look like numbers, such as '1,5', but 'n.v.'" in line
    assert "--na 'n.v.'" in line
    np.testing.assert_array_equal(column(path(text), na=["n.v."])[0], [1.5, 2.5, nan, 2.5])
    mixed = open_stream(path(written(["1,5", "2.5"])), label="y").remarks
    assert any("some with a decimal point and some with a comma" in line for line in mixed)
    assert not open_stream(path(written(["a", "b", "7"])), label="y").remarks[1:]


def test_dashes_are_classes_and_texts_but_no_numbers(path):
    stream = open_stream(path("sign,x,y\n-,1,+\n+,-,-\n"), label="y").load()
    assert stream.y.tolist() == ["+", "-"]
    assert stream.feature_names == ("x", "sign=-", "sign=+")
    assert open_stream(path("x,y\n1,-\n2,1\n"), label="y").load().y.tolist() == ["-", "1"]
    values = open_stream(path("x,y\n1,-\n2,1.5\n"), label="y").load().y
    np.testing.assert_array_equal(values, [nan, 1.5])


@pytest.mark.parametrize(
    "name", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"]
)
@pytest.mark.parametrize("is_prompt", [False, True])
def test_every_encoding_gives_the_same_rows(path, name, is_prompt):
    text = "größe;ort;y\n" + "1,5;Köln;ja\n2,5;Zürich;nein\n" * 500
    raw = text.encode(name)

    def pieces():
        sizes = (1, 2, 3, 5, 7, 1_000) if is_prompt else (1 << 20,)
        at, k = 0, 0
        while at < len(raw):
            yield raw[at : at + sizes[k % len(sizes)]]
            at, k = at + sizes[k % len(sizes)], k + 1

    stream = delimited.table_stream("d.csv", pieces, Options(label="y"))
    loaded = stream.load()
    assert loaded.feature_names == ("größe", "ort=Köln", "ort=Zürich")
    assert loaded.X[:2].tolist() == [[1.5, 1.0, 0.0], [2.5, 0.0, 1.0]]
    assert len(loaded.y) == 1_000
    is_said = "encoding" in stream.remarks[0]
    assert is_said == (name not in ("utf-8", "utf-8-sig"))


def test_an_encoding_can_be_named(path):
    text = "x,ort,y\n1,Łódź,0\n2,Gdańsk,1\n"
    stream = open_stream(path(text, encoding="cp1250"), label="y", encoding="cp1250")
    assert stream.load().feature_names == ("x", "ort=Łódź", "ort=Gdańsk")
    assert not stream.remarks


def test_umlauts_that_come_late_are_read_too(path):
    text = "x,ort,y\n" + "1,Bonn,0\n" * 3_000 + "2,Köln,1\n"
    stream = open_stream(path(text, encoding="cp1252"), label="y")
    assert stream.load().feature_names == ("x", "ort=Bonn", "ort=Köln")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"name, first";price;y\n"Doe, Jane";1,5;0\n', ("name, first", "price")),
        ("sep=;\na;b;y\n1;2;0\n", ("a", "b")),
        ("a|b|y\n1|2|0\n", ("a", "b")),
        ("a\tb\ty\n1,5\t2\t0\n", ("a", "b")),
    ],
)
def test_the_sign_between_cells_is_found(path, text, names):
    assert open_stream(path(text), label="y").feature_names == names


@pytest.mark.parametrize(
    ("cells", "form"),
    [
        (["03.01.2022 10:07", "04.01.2022 09:00"], "%d.%m.%Y %H:%M"),
        (["31/01/2022 23h30", "01/02/2022 00h07"], "%d/%m/%Y %Hh%M"),
        (["03.01.22", "04.01.22"], "%d.%m.%y"),
        (["31/01/2022", "01/02/2022"], "%d/%m/%Y"),
        (["01/31/2022 1:05 PM", "02/01/2022 2:00 AM"], "%m/%d/%Y %I:%M %p"),
        (["01/02/2022", "02/02/2022", "03/02/2022"], "%d/%m/%Y"),  # a day apart, not a month
        (["01/02/2022", "01/03/2022", "01/04/2022"], "%m/%d/%Y"),
        (["2022/01/31 10:00:00", "2022/02/01 11:00:00"], "%Y/%m/%d %H:%M:%S"),
        (["31-Jan-2022", "01-Feb-2022"], "%d-%b-%Y"),
        (["2022-01-31", "2022-02-01 10:00"], None),
    ],
)
def test_dates_are_read_in_the_form_in_which_they_run_on(path, cells, form):
    text = "when;x;y\n" + "".join(f"{cell};1;0\n" for cell in cells)
    stream = open_stream(path(text), label="y")
    assert (stream.time, stream.written[1]) == ("when", form)
    times = stream.load().times
    assert 0.0 < np.diff(times).max() < 3 * 86_400.0
    assert any("'when' is the clock" in line for line in stream.remarks)
    assert any(f"({form})" in line for line in stream.remarks) == (form is not None)


def test_the_form_of_dates_can_be_named(path):
    text = "when;x;y\n01/02/2022;1;0\n02/02/2022;1;1\n"
    stream = open_stream(path(text), label="y", time="when", date_format="%m/%d/%Y")
    assert np.diff(stream.load().times).tolist() == [31 * 86_400.0]


def test_odd_times_are_counted_and_rows_stay_in_their_order(path):
    times = ["noon", "2024-01-02", "2024-01-03", "", "2024-01-03", "2024-01-01", "x", "2024-01-04"]
    text = "when,x,y\n" + "".join(f"{time},{row},0\n" for row, time in enumerate(times))
    for rows in (1, 3, 100):
        chunks = list(open_stream(path(text), label="y", time="when").chunks(rows))
        assert tuple(sum(n) for n in zip(*(chunk.odd_times for chunk in chunks), strict=True)) == (
            3,
            1,
            1,
        )
        days = np.concatenate([chunk.times for chunk in chunks]) / 86_400.0
        assert (days - days[1]).tolist() == [0.0, 0.0, 1.0, 1.0, 1.0, -1.0, -1.0, 2.0]
        X = np.concatenate([chunk.X for chunk in chunks])
        assert X[:, 0].tolist() == list(range(8))


def test_a_column_without_times_is_no_clock_and_no_error(path):
    stream = open_stream(path("when,x,y\nnoon,1,0\nnight,2,1\n"), label="y", time="when")
    assert (stream.time, stream.feature_names) == (None, ("x",))
    assert "'when' holds no times that can be read, such as 'noon'" in stream.remarks[0]
    numbers = open_stream(path("when,x,y\n5,1,0\n,2,1\n4,2,1\n"), label="y", time="when")
    (chunk,) = numbers.chunks()
    assert (chunk.times.tolist(), chunk.odd_times) == ([5.0, 5.0, 4.0], (1, 0, 1))


def test_a_text_that_is_another_in_every_row_is_left_out(path):
    text = "id,x,y\n" + "".join(f"u{row},{row},{row % 2}\n" for row in range(200))
    stream = open_stream(path(text), label="y")
    assert stream.feature_names == ("x",)
    assert stream.remarks == ("id: another text in every row, left out",)
    few = "\n".join(text.splitlines()[:51])
    assert open_stream(path(few), label="y").feature_names == ("id", "x")


def test_numbers_that_are_left_out_for_one_text_among_them_are_warned_of(path):
    rows = [f"{row / 7:.6f},{row % 5},{row % 2}\n" for row in range(200)]
    rows[150] = "OFF,1,0\n"
    stream = open_stream(path("load,x,y\n" + "".join(rows)), label="y")
    assert stream.feature_names == ("x",)
    (line,) = stream.remarks
    assert line.startswith("warning: 'load' is left out, another text in every row, though 199 of ")
    assert "but 'OFF'; --na 'OFF' takes that as no value" in line
    assert open_stream(path("load,x,y\n" + "".join(rows)), label="y", na=["OFF"]).remarks == ()


def test_dates_with_months_in_words_of_another_language_are_warned_of(path):
    months = ("Januar", "Februar", "März", "April", "Mai")
    rows = "".join(f"{1 + i % 28}. {months[i % 5]} 2022,{i % 7},{i % 2}\n" for i in range(60))
    (line,) = open_stream(path("when,x,y\n" + rows), label="y").remarks
    assert line.startswith("warning: 'when' is taken as texts, though '1. ")
    assert line.endswith(" 2022' looks like a date; months in digits, as 2024-01-31, are read")
    towns = "".join(f"Ulm {i % 9},{i % 7},{i % 2}\n" for i in range(60))
    assert open_stream(path("town,x,y\n" + towns), label="y").remarks == ()


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be"])
def test_a_text_with_the_mark_of_utf_32_is_read(path, encoding):
    text = "x,y\n" + "".join(f"{row},{'jä' if row % 3 else 'nö'}\n" for row in range(40))
    mark = "" if encoding == "utf-32" else "\ufeff"
    stream = open_stream(path((mark + text).encode(encoding)), label="y").load()
    assert set(stream.y) == {"jä", "nö"}
    assert len(stream.y) == 40


def test_a_form_of_dates_that_no_column_has_is_said(path):
    text = "when,x,y\n" + "".join(
        f"2022-01-{day:02d},{day % 3},{day % 2}\n" for day in range(1, 29)
    )
    (line,) = open_stream(path(text), label="y", date_format="%d.%m.%Y").remarks
    assert line == "warning: no column holds times written as --date-format '%d.%m.%Y' says"
    right = open_stream(path(text), label="y", date_format="%Y-%m-%d").remarks
    assert not any("no column holds" in line for line in right)


@pytest.mark.parametrize(
    ("unit", "per_second"), [("seconds", 1), ("milliseconds", 1_000), ("microseconds", 1_000_000)]
)
def test_numbers_that_are_moments_since_1970_are_dates_where_time_names_them(
    path, unit, per_second
):
    moments = [1_700_000_000.0 + 3_600.0 * row for row in range(30)]
    rows = "".join(f"{int(at * per_second)},{i % 7},{i % 2}\n" for i, at in enumerate(moments))
    stream = open_stream(path("ts,x,y\n" + rows), label="y", time="ts")
    assert stream.has_dates
    assert stream.load().times.tolist() == moments
    assert stream.remarks == (f"'ts' is read as {unit} since 1970",)
    odd = open_stream(path("ts,x,y\n?,1,0\n" + rows), label="y", time="ts")
    assert odd.load().times[:2].tolist() == [moments[0]] * 2, "what cannot be read stands still"
    counted = open_stream(path("ts,x,y\n7,1,0\n" + rows), label="y", time="ts")
    assert (counted.has_dates, counted.remarks) == (False, ()), "one of them is no such moment"


def test_numbers_that_may_be_dates_of_another_kind_are_said_to_be_taken_as_numbers(path):
    days = "".join(f"{45_000 + row / 24:.4f},{row % 7},{row % 2}\n" for row in range(30))
    stream = open_stream(path("day,x,y\n" + days), label="y", time="day")
    assert not stream.has_dates
    (line,) = stream.remarks
    assert line.startswith(
        "'day' is taken as numbers, though '45000.0000' could be a spreadsheet's"
    )
    compact = "".join(f"202401{1 + row:02d},{row % 7},{row % 2}\n" for row in range(30))
    stream = open_stream(path("day,x,y\n" + compact), label="y", time="day")
    (line,) = stream.remarks
    assert "'20240101' could be a date; --date-format %Y%m%d (date_format=) reads it so" in line
    way = {"label": "y", "time": "day", "date_format": "%Y%m%d"}
    assert open_stream(path("day,x,y\n" + compact), **way).has_dates
    plain = "".join(f"{row},{row % 7},{row % 2}\n" for row in range(30))
    assert open_stream(path("day,x,y\n" + plain), label="y", time="day").remarks == ()


def test_a_model_says_what_its_rows_leave_open(path):
    known = {"inputs": {"x": "number"}, "labelled": False}
    usual = open_stream(path("x;z\n1.234;1\n"), usual=Usual(","), **known)
    assert usual.load().X.tolist() == [[1234.0]]
    shown = open_stream(path("x;z\n1.5;1\n"), usual=Usual(","), **known)
    assert shown.load().X.tolist() == [[1.5]]


def test_a_table_without_anything_odd_is_read_without_a_word(path):
    assert open_stream(path("x,kind,y\n1.5,a,0\n,b,1\n"), label="y").remarks == ()


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("Report 2021\n", "1 line"),
        ("Sales, by day\nas of 4.1.2022\n\n", "2 lines"),
        ("Report;;;\n;;;\n", "2 lines"),
        ("", ""),
    ],
)
def test_a_title_above_the_names_of_columns_is_left_out_and_said(path, above, said):
    rows = "price;n;shop;y\n" + "1,5;2;Bern;ja\n2,5;3;Zug;nein\n" * 500
    stream = open_stream(path(above + rows), label="y")
    assert list(stream.kinds) == ["price", "n", "shop"]
    assert len(stream.load().y) == 1_000
    line = " ".join(stream.remarks)
    assert (
        f"{said} above the names of its columns left out" in line if said else "above" not in line
    )
    at = above.count("\n") + 1_002
    with pytest.raises(StreamError, match=f"line {at:,}, column 'price' must be a number"):
        open_stream(path(above + rows + "x;3;Zug;nein\n"), label="y").load()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (",value,y\n0,1.5,ja\n1,2.5,nein\n", ["", "value"]),  # as pandas writes its index
        ("a;y\n1;2;3;4;5\n1;2;3;4;5\n", None),  # names that are too few are no title
        ("2019;2020;y\n1;2;3\n", ["2019", "2020"]),
    ],
)
def test_a_first_line_that_is_no_title_has_the_names(path, text, names):
    if names is None:
        with pytest.raises(StreamError, match="line 2 must have 2 columns and has 5"):
            open_stream(path(text), label="y")
    else:
        assert list(open_stream(path(text), label="y").kinds) == names


@pytest.mark.parametrize(
    ("first", "row"), [("x;y", "1;ja;"), ("x;y;", "1;ja;"), ("x;y;;", "1;ja;;"), ("x;y", "1;ja;;;")]
)
def test_signs_behind_the_last_cell_make_no_columns(path, first, row):
    stream = open_stream(path(f"{first}\n" + f"{row}\n" * 5), label="y").load()
    assert (stream.feature_names, stream.X.tolist()) == (("x",), [[1.0]] * 5)


def test_columns_without_a_name_that_hold_something_are_counted(path):
    stream = open_stream(path("x;y;;\n1;ja;2;3\n4;nein;5;6\n"), label="y").load()
    assert stream.feature_names == ("x", "column 3", "column 4")


def test_sums_below_a_table_are_left_out_and_counted(path):
    rows = "1;2;ja\n3;4;nein\n" * 3
    chunks = list(open_stream(path(f"x;n;y\n{rows}\nsum;12\n"), label="y").chunks())
    assert [len(chunk.y) for chunk in chunks] == [6]
    assert sum(chunk.n_skipped for chunk in chunks) == 1
    with pytest.raises(StreamError, match="line 8 must have 3 columns and has 2, got 'sum;12'"):
        open_stream(path(f"x;n;y\n{rows}sum;12\n{rows}"), label="y").load()
