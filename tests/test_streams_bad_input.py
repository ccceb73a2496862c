"""What is wrong with a file, told with name, value, rule, line and what to do."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pytest

from mooe.datasets import StreamError, open_stream
from mooe.numerics.features import LARGEST_INPUT
from mooe.streams.cells import LARGEST

pytestmark = pytest.mark.usefixtures("engine")


@pytest.fixture
def path(tmp_path):
    def write(text, name="d.csv"):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return str(tmp_path / name)

    return write


def read(name, label="y", **options):
    return list(open_stream(name, label=label, **options).chunks())


def long(*rows, n=1_000):
    """Return n good rows and then some others; the first of these is in line n + 2."""
    return "x,y\n" + "".join(f"{row},{row % 2}\n" for row in range(n)) + "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "d.csv must have a first row with the names of its columns, got ''"),
        ("\n\n", {}, "d.csv must have a first row with the names of its columns, got ''"),
        ("x,y\n", {}, "d.csv must have rows below its column names, got 0"),
        ("y\n1\n", {}, "d.csv must have an input column beside label, time and dropped ones"),
        ("x,x,y\n1,2,3\n", {}, "columns of d.csv must have different names, got 'x'"),
        ("x,z\n1,2\n", {"label": None}, "label must be a column of d.csv; name the col"),
        ("x,z\n1,2\n", {"label": None}, "--label .* the columns are: x, z$"),
        ("x,labels\n1,2\n", {"label": "label"}, "be a column of d.csv, got 'label'; nearest: lab"),
        ("x,y\n1,2\n", {"time": "q"}, "time must be a column of d.csv, got 'q'; the columns are"),
        ("x,z,y\n1,2,3\n", {"drop": ["zz"]}, "drop must be a column of d.csv, got 'zz'; nearest"),
        ("x,z,y\n1,2,3\n", {"drop": ["y"]}, "label, time and drop must be different .* got 'y'"),
        ("x,y\n1,2\n", {"task": "clas"}, "task must be 'auto', 'classification' or 'regres"),
        ("x,y\n1,2\n", {"missing": "zero"}, "missing must be 'mean' or 'error', got 'zero'"),
        ("x,y\n1,2\n", {"max_rows": 0}, "max_rows must be at least 1, got 0"),
        ("x,y\n1,a\n", {"task": "regression"}, "label 'y' of d.csv must be a number .* got 'a'"),
        ("x,y\n1,2\n", {"decimal": "point"}, "decimal must be '.' or ',', got 'point'"),
        ("x,y\n1,2\n", {"encoding": "utf-99"}, "encoding must be known, got 'utf-99'; such as"),
        ("t,y\n2024-01-01,0\n", {}, "have an input column .* become inputs with --calendar"),
        ("x,z,y\n1,2,3\n", {"drop": ["x,z"]}, "got 'x,z'; one column each: --drop 'x' --drop 'z'"),
        (
            "x;z;y\n1,5;2;3\n" + "12.5;2;3\n",
            {"decimal": ",", "inputs": {"x": "number"}},
            "line 3, column 'x' must be a number with a decimal comma, .* got '12.5'",
        ),
        (
            "x,y\n1,2\n3\n1,2\n",
            {},
            "d.csv, line 3 must have 2 columns and has 1, got '3'; --skip-bad",
        ),
        ("x,y\n1,2\n3,4,5\n", {}, "line 3 must have 2 columns and has 3, got '3,4,5'"),
        (long("1,2,3"), {}, "d.csv, line 1,002 must have 2 columns and has 3, got '1,2,3'"),
        (long("abc,0"), {}, "line 1,002, column 'x' must be a number, as in the first 1,000 rows"),
        (long("1_000,0"), {}, "line 1,002, column 'x' must be a number, .* got '1_000'"),
        (long("1,0.5"), {}, "line 1,002, column 'y' must be a whole number, as in the first 1,0"),
        (long("1,spam"), {}, "line 1,002, column 'y' must be a number, as in the .* got 'spam'"),
        (long("-inf,0"), {}, "d.csv, line 1,002, column 'x' must be finite .*, got '-inf'"),
        (long("1e101,0"), {}, "d.csv, line 1,002, column 'x' must be finite .*, got '1e101'"),
        (long("1,-2e200"), {}, "d.csv, line 1,002, column 'y' must be finite .*, got '-2e200'"),
        (long("1e999,0"), {"skip_bad_rows": True}, "column 'x' must be finite .*; --na '1e999' "),
        (long(" NA ,0"), {"missing": "error"}, "line 1,002, column 'x' must hold a value"),
        (
            "x,y\n1,0\nInfinity,0\n",
            {},
            "d.csv, line 3, column 'x' must be finite .*, got 'Infinity'",
        ),
        (b"x,y\n1,0\n\x81,0\n", {}, "line 3 must be UTF-8 or cp1252 text, got .*; --encoding"),
        (b"x,y\n1,0\n\xff,0\n", {"encoding": "utf-8"}, "line 3 must be UTF-8 text, got .*; --enc"),
        (
            'x,y\n1,0\n2,"0\n3,0\n',
            {},
            "d.csv, line 3 must be delimited text, and a quote that begins there is left open",
        ),
        (
            long('5,"0', "6,1"),
            {},
            "d.csv, line 1,002 must be delimited text, and a quote that begins there is left open",
        ),
        ('x,y\n\n1,0\n2,"0"1\n3,0\n', {}, r"d.csv, line 4 must be delimited text \(.* expected"),
        (
            f"x,y\n1,0\n{'7' * 131_073},0\n",
            {},
            "d.csv, line 3 must have cells of at most 131,072 letters; is a quote left open",
        ),
        (
            f"\n{'x' * 131_073},y\n1,0\n",
            {},
            "d.csv, line 2 must have cells of at most 131,072 letters; is a quote left open",
        ),
        (f"x,y\n1,{'9' * 5_000}\n", {}, "line 2, column 'y' must be finite"),
    ],
)
def test_the_error_says_what_where_and_why(path, text, options, message):
    with pytest.raises(StreamError, match=message):
        read(path(text), **options)


def test_an_error_carries_its_parts(path):
    with pytest.raises(StreamError) as caught:
        read(path(long("abc,0")))
    assert caught.value.name.endswith("d.csv, line 1,002, column 'x'")
    assert caught.value.rule == "be a number, as in the first 1,000 rows"
    assert caught.value.value == "abc"


def test_rows_before_a_bad_one_are_given_first(path):
    stream = open_stream(path(long("abc,0", n=200_000)), label="y")
    rows = 0
    with pytest.raises(StreamError, match=r"line 200,002"):  # noqa: PT012
        for chunk in stream.chunks(100):
            rows += len(chunk.y)
    assert rows > 50_000


def test_bad_rows_are_skipped_and_counted_on_request(path):
    text = long("1,2,3", "7,0", "abc,1", "8", "9,1.5", "10,1")
    chunks = read(path(text), skip_bad_rows=True)
    assert sum(chunk.n_skipped for chunk in chunks) == 4
    assert chunks[-1].X[-2:, 0].tolist() == [7.0, 10.0]
    small = list(open_stream(path(text), label="y", skip_bad_rows=True).chunks(10))
    assert sum(chunk.n_skipped for chunk in small) == 4


def test_missing_cells_are_counted(path):
    (chunk,) = read(path("a,b,c,y\n1,,red,0\nNA,?,,1\n3,nan,red,\n"))
    assert chunk.n_missing == 5
    assert np.isnan(chunk.X[:, :2]).tolist() == [[False, True], [True, True], [False, True]]
    assert chunk.X[:, 2].tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no/such.csv", "file must exist, got 'no/such.csv'"),
        ("data.xlsx", r"stream must be a file or the name of a stream, got 'data.xlsx'"),
        ("./data.xlsx", r"file name must end in one of .csv, .*, got 'data.xlsx'"),
        ("Electricty", "got 'Electricty'; nearest: Electricity"),
        ("cod_rna", "nearest: cod-rna"),
        ("gas", "nearest: GasSensor"),
        ("zzz", "names: Usenet1, Email"),
    ],
)
def test_a_source_that_does_not_exist(name, message):
    with pytest.raises(StreamError, match=message):
        open_stream(name, label="y")


def test_a_folder_and_a_broken_archive_are_no_streams(path, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(StreamError, match="file must be readable"):
        open_stream(tmp_path / "folder.csv", label="y")
    for ending in ("gz", "xz", "bz2"):
        with pytest.raises(StreamError, match="file must be readable"):
            open_stream(path("not compressed", f"d.csv.{ending}"), label="y")
    with pytest.raises(StreamError, match="must be a Parquet file"):
        open_stream(path("not a table", "d.parquet"), label="y")
    with pytest.raises(StreamError, match=r"d.arff must have a line @data"):
        open_stream(path("a,b\n1,2\n", "d.arff"), label="y")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1 3:x", "d.svm, line 2 must be 'label index:value ...' with indices"),
        ("1 3", "d.svm, line 2 must be 'label index:value"),
        ("1 3:1 2:1", "indices from . that grow, got '1 3:1 2:1'"),
        ("1 2.5:1", "d.svm, line 2 must be"),
        ("1 2:inf", "d.svm, line 2 must be finite"),
        ("1 2:1e101", "d.svm, line 2 must be finite"),
        ("1 -1:1", "d.svm, line 2 must be"),
        ("1 qid:3 1:2", "d.svm, line 2 must be"),
    ],
)
def test_bad_libsvm_rows(path, row, message):
    text = f"0 1:1 3:2\n{row}\n1 1:5\n"
    with pytest.raises(StreamError, match=message):
        read(path(text, "d.svm"), label=None)
    if "inf" not in row and "e101" not in row:
        (chunk,) = read(path(text, "d.svm"), label=None, skip_bad_rows=True)
        assert (len(chunk.y), chunk.n_skipped) == (2, 1)


@pytest.mark.parametrize("index", ["1e300", "inf", "nan", "-inf", "2147483648", "1e10"])
@pytest.mark.filterwarnings("error")
def test_a_libsvm_index_that_no_column_can_have_is_named_and_nothing_else_is_said(path, index):
    rule = "have indices up to 2,147,483,647" if index[0] in "12i" else "be 'label index:value"
    with pytest.raises(StreamError, match=f"d.svm, line 2 must {rule}.* got '0 {index}:1'"):
        read(path(f"1 1:1\n0 {index}:1\n0 {index}:1\n", "d.svm"), label=None)


@pytest.mark.parametrize("index", ["²", "٣", "9" * 5_000, "-1", "3", "1.0"])
def test_a_sparse_arff_index_that_no_attribute_has_is_named_by_its_line(path, index):
    header = "@relation r\n@attribute a numeric\n@attribute y {0,1}\n@data\n"
    with pytest.raises(
        StreamError, match=r"d.arff, line 6 must have 2 columns and has 3, got '0,0,"
    ):
        read(path(header + f"{{0 1, 1 1}}\n{{{index} 1}}\n", "d.arff"))


def compressed(ending, text):
    packers = {"gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress}
    return packers[ending](text.encode())


@pytest.mark.parametrize("ending", ["gz", "xz", "bz2"])
def test_a_damaged_archive_is_named_by_its_file(path, ending):
    rng = np.random.default_rng(0)
    whole = compressed(
        ending, "x,y\n" + "".join(f"{x},{x % 2}\n" for x in rng.integers(1e9, size=9))
    )
    assert len(read(path(whole, f"d.csv.{ending}"))[0].y) == 9
    n_refused = 0
    for at in range(len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        for blob in (bytes(damaged), whole[:at]):
            name = path(blob, f"d.csv.{ending}")
            try:
                read(name)
            except StreamError as problem:  # any other error is a failure
                n_refused += "d.csv" in str(problem)
    assert n_refused > 1.8 * len(whole)  # the time in gzip's header means nothing to us


def test_options_that_do_not_fit_the_source(path):
    with pytest.raises(StreamError, match="time must not be given for LIBSVM text"):
        open_stream(path("0 1:1\n", "d.svm"), time="t")
    with pytest.raises(StreamError, match="label must not be given for recurring, which is made"):
        open_stream("recurring", label="y")
    with pytest.raises(StreamError, match="rows must be at least 1, got 0"):
        next(open_stream("recurring").chunks(0))


@pytest.mark.parametrize("part", ["first page", "later page", "footer"])
def test_a_broken_parquet_file_is_named_by_its_file(tmp_path, part):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    path, n = tmp_path / "d.parquet", 30_000
    table = pa.table({"x": np.random.default_rng(0).normal(size=n), "y": np.arange(n) % 2})
    pyarrow.parquet.write_table(table, path, row_group_size=n // 2, use_dictionary=False)
    blob = bytearray(path.read_bytes())
    later = pyarrow.parquet.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    start = {"first page": 4, "later page": later, "footer": len(blob) - 60}[part]
    blob[start : start + 40] = b"\xff" * 40
    path.write_bytes(blob)
    with pytest.raises(StreamError, match=r"d.parquet must be a Parquet file, got \"?'?\w"):
        read(path)


def test_parquet_errors_name_row_and_column(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    x = [1.0] * 1_200
    for value, options, message in [
        (float("inf"), {}, r"d.parquet, row 1,101, column 'x' must be finite .*, got inf"),
        (1e101, {}, r"d.parquet, row 1,101, column 'x' must be finite .*, got 1e\+101"),
        (None, {"missing": "error"}, r"d.parquet, row 1,101, column 'x' must hold a value"),
    ]:
        frame = pa.table({"x": [*x[:1_100], value, *x], "y": [0] * 2_301})
        pyarrow.parquet.write_table(frame, tmp_path / "d.parquet")
        with pytest.raises(StreamError, match=message):
            read(tmp_path / "d.parquet", **options)


def test_a_zip_file_with_one_table_is_read_and_any_other_is_named(path, tmp_path):
    def packed(**files):
        with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
            for name, text in files.items():
                archive.writestr(name.replace("_", ".", 1), text)
        return tmp_path / "d.zip"

    rows = open_stream(packed(d_csv="x;y\n1,5;ja\n2,5;nein\n", read_me="hello"), label="y").load()
    assert rows.X.tolist() == [[1.5], [2.5]]
    two = packed(a_csv="x,y\n", b_csv="x,y\n")
    with pytest.raises(StreamError, match=r"d.zip must hold one table of text.*'a.csv, b.csv'"):
        open_stream(two, label="y")
    with pytest.raises(StreamError, match=r"file must be readable .*not a zip file"):
        open_stream(path("x,y\n1,2\n", "broken.zip"), label="y")


def test_a_spreadsheet_is_told_how_to_become_a_table(tmp_path):
    with pytest.raises(StreamError, match=r"must end in .*b.xlsx.; save the sheet as CSV"):
        open_stream(tmp_path / "b.xlsx", label="y")


def test_a_first_row_of_numbers_is_asked_about(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1.5,2,0\n1,2,1\n")
    with pytest.raises(StreamError, match="has the first row no names"):
        open_stream(path, label="y")


def test_a_number_that_no_model_takes_is_refused_where_it_stands():
    assert LARGEST == LARGEST_INPUT


@pytest.mark.parametrize("bad", ["x", "y"])
def test_a_long_cell_is_cut_where_it_is_told(path, bad):
    rows = [["1", "0"], ["2", "1"], ["9" * 5_000] * 2]
    text = "x,y\n" + "".join(
        f"{x if bad == 'x' else 0},{y if bad == 'y' else 0}\n" for x, y in rows
    )
    with pytest.raises(StreamError, match="must be finite") as problem:
        read(path(text))
    assert len(str(problem.value)) < 250
