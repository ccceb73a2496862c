"""The published data sets: what each is, where it comes from, and how its files become one text.

No address could be tried when this was written.
"""

import gzip
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from mooe.datasets.archive import Published, pieces, published_stream, stream_of_text
from mooe.streams.arff import arff_rows, read_header
from mooe.streams.delimited import blocks_of
from mooe.streams.files import pieces_of
from mooe.streams.layout import Options
from mooe.streams.libsvm import libsvm_stream
from mooe.streams.stream import Chunk, Stream, StreamError, numbered

MLKD = "http://mlkd.csd.auth.gr/concept_drift.html"
POLIKAR = "http://users.rowan.edu/~polikar/research"
UCI = "https://archive.ics.uci.edu"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
FOR_RESEARCH = "none stated; made available for research"
N_WORDS = 39_916  # of Spam_full
N_CHOSEN = 499
NOON = 12
GAS = "gas+sensor+array+drift+dataset"
N_GAS = 128
N_KITSUNE = 115
SOME_BATCHES = (1, 2, 3, 4, 5, 6, 8, 9)
ALL_BATCHES = tuple(range(1, 11))
CARTOGRAPHY = (
    *("Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology"),
    *("Vertical_Distance_To_Hydrology", "Horizontal_Distance_To_Roadways", "Hillshade_9am"),
    *("Hillshade_Noon", "Hillshade_3pm", "Horizontal_Distance_To_Fire_Points"),
    *(f"Wilderness_Area{number}" for number in range(1, 5)),
    *(f"Soil_Type{number}" for number in range(1, 41)),
)


def usenet1(**options: Any) -> Stream:
    """Return Usenet1: 1,500 messages, 99 words, interesting or not.

    Put usenet1.arff of the MLKD group into MOOE_DATA_HOME.
    """
    return published_stream(USENET1, **options)


def email(**options: Any) -> Stream:
    """Return Email (elist): 1,500 messages, 913 words, interesting or not.

    Put the elist file of the MLKD group into MOOE_DATA_HOME as email_data.arff.
    """
    return published_stream(EMAIL, **options)


def spam(**options: Any) -> Stream:
    """Return Spam: 9,324 messages, 499 words.

    Made from `spam_full`: the 499 words with the largest chi-square over all labels. That looks
    ahead; it stands in for the published file of 499 words, which could not be had.
    """
    return published_stream(SPAM, **options)


def spam_full(**options: Any) -> Stream:
    """Return Spam_full: 9,324 messages, all 39,916 words; chunks are CSR matrices.

    Put the ARFF file of the MLKD group into MOOE_DATA_HOME as spam_data.arff.
    """
    return published_stream(SPAM_FULL, **options)


def weather(**options: Any) -> Stream:
    """Return Weather: 18,159 days in Bellevue, Nebraska, 8 measurements, rain (1) or none (0)."""
    return published_stream(WEATHER, **options)


def electricity(**options: Any) -> Stream:
    """Return Electricity: 45,312 half hours, 8 inputs; does the price go UP or DOWN?"""
    return published_stream(ELECTRICITY, **options)


def powersupply(**options: Any) -> Stream:
    """Return Powersupply: 29,928 hours, 2 inputs; label 1 before noon (hour < 12), otherwise 0.

    The paper's figures only make sense for a task with two classes. `powersupply24` has the hour
    as its label.
    """
    stream = powersupply24(**options)

    def read(rows: int) -> Iterator[Chunk]:
        for chunk in stream.chunks(rows):
            yield replace(chunk, y=(chunk.y < NOON).astype(np.int64))

    note = "Label 1 where hour < 12; sha256 is that of the 24 hours."
    return replace(stream, name="Powersupply", read=read, note=note)


def powersupply24(**options: Any) -> Stream:
    """Return Powersupply24: 29,928 hours, 2 inputs; which hour of the day is it, 0 to 23?"""
    return replace(published_stream(POWERSUPPLY, **options), name="Powersupply24")


def covertype(**options: Any) -> Stream:
    """Return Covertype: 581,012 pieces of forest, 54 inputs, 7 kinds of tree, in file order."""
    return published_stream(COVERTYPE, **options)


def gas_sensor(folder: Path | str | None = None, **options: Any) -> Stream:
    """Return GasSensor: 128 numbers of 16 sensors, 6 gases, over 36 months.

    From a folder with the published files batch1.dat to batch10.dat all 13,910 rows are read, also
    in the form of UCI 270, where the concentration follows the label; without a folder batches 1 to
    6, 8 and 9, 6,697 rows.
    """
    if folder is None:
        return published_stream(GAS_SENSOR, **options)
    paths = [Path(folder) / f"batch{number}.dat" for number in ALL_BATCHES]
    for path in paths:
        if not path.exists():
            raise StreamError("file", "exist", str(path))

    def text() -> Iterator[bytes]:
        return pieces(_gas_lines((path.name, _lines_of(path)) for path in paths))

    return stream_of_text(GAS_SENSOR_10, text, **options)


def gas_sensor_10(**options: Any) -> Stream:
    """Return GasSensor with all ten batches, 13,910 rows; no checksum is known."""
    return published_stream(GAS_SENSOR_10, **options)


def wesad(**options: Any) -> Stream:
    """Return WESAD: 1,484 windows of 60 seconds, 54 features of a wrist sensor, stress or not.

    A third party's features, not those of the paper. The raw data are UCI 465; this table of
    features has no address: put WESAD.csv.xz into MOOE_DATA_HOME.
    """
    return published_stream(WESAD, **options)


def kitsune(
    dataset: Path | str | None = None, labels: Path | str | None = None, **options: Any
) -> Stream:
    """Return Kitsune: packets in a network under attack, 115 numbers each, the Mirai capture.

    No checksum is known. Two paths are those of another capture's published files, such as
    SSDP_Flood_dataset.csv.gz and SSDP_Flood_labels.csv.gz: 115 columns without names, and a file of
    labels apart, either 0 and 1 alone, or below a line of names and behind a number.
    """
    if (dataset is None) != (labels is None):
        raise StreamError("dataset and labels", "be given together", (dataset, labels))
    if dataset is None or labels is None:
        return published_stream(KITSUNE, **options)
    files = Path(dataset), Path(labels)
    return stream_of_text(KITSUNE, lambda: pieces(_kitsune_lines(*files)), **options)


def ijcnn1(**options: Any) -> Stream:
    """Return ijcnn1: 49,990 moments of an engine, 22 inputs, labels -1.0 and 1.0; a time series."""
    return published_stream(IJCNN1, **options)


def cod_rna(**options: Any) -> Stream:
    """Return cod-rna: 59,535 pairs of RNA, 8 inputs, coding or not, sorted by label."""
    return published_stream(COD_RNA, **options)


def bag_lines(path: Path) -> Iterator[str]:
    """Yield an ARFF file of words, dense or sparse, as LIBSVM text; the label is its last cell."""
    rows, defaults, _ = read_header(pieces_of(path), path.name)
    numbers = {"spam": "1", "legitimate": "0"}
    for block in rows.blocks:
        for line in block.decode().splitlines():
            row = line.strip()
            if row.startswith("{"):
                items = [item.split() for item in row.strip("{} \t").split(",") if item.strip()]
                cells = {int(index): value for index, value in items}
            else:
                cells = dict(enumerate(cell.strip() for cell in row.split(",")))
            if row:
                label = cells.pop(len(rows.names) - 1, defaults[-1])
                words = (f"{at + 1}:{cell}" for at, cell in sorted(cells.items()) if cell != "0")
                yield " ".join([numbers.get(label, label), *words]) + "\n"


def chosen_lines(full: Path) -> Iterator[str]:
    """Yield the 499 words with the largest chi-square of Spam_full."""
    bag = libsvm_stream(full.name, partial(pieces_of, full), Options(), N_WORDS).load()
    is_spam = bag.y == 1
    n, n_spam = len(is_spam), np.count_nonzero(is_spam)
    spam, ham = (np.asarray(bag.X[rows].sum(axis=0)).ravel() for rows in (is_spam, ~is_spam))
    cross = spam * (n - n_spam - ham) - ham * (n_spam - spam)
    spread = (spam + ham) * (n - spam - ham) * n_spam * (n - n_spam)
    chi_square = n * cross**2 / np.maximum(spread, 1.0)
    chosen = np.sort(np.argsort(-chi_square, kind="stable")[:N_CHOSEN])
    yield _csv_line([*(f"w{word + 1}" for word in chosen), "class"])
    cells = bag.X[:, chosen].toarray().astype(np.int64).astype(str).tolist()
    for row, label in zip(cells, bag.y.tolist(), strict=True):
        yield _csv_line([*row, str(label)])


def _weather_lines(archive: Path) -> Iterator[str]:
    """Yield NEweather_data.csv with the labels of NEweather_class.csv, where 1 is no rain."""
    numbers = {"1": "0", "2": "1"}
    labels = (numbers.get(line.strip(), line) for line in _member(archive, "NEweather_class.csv"))
    return _joined(_member(archive, "NEweather_data.csv"), labels, numbered(8, prefix="attr"))


def _covertype_lines(archive: Path) -> Iterator[str]:
    """Yield covtype.data.gz, which has no names."""
    yield _csv_line([*CARTOGRAPHY, "class"])
    yield from (row + "\n" for row in _member(archive, "covtype.data.gz") if row)


def _archive_lines(numbers: tuple[int, ...], archive: Path) -> Iterator[str]:
    """Yield some batches of the published archive."""
    names = (f"batch{number}.dat" for number in numbers)
    yield from _gas_lines((name, _member(archive, name)) for name in names)


def _gas_lines(batches: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    """Yield rows 'class 1:v 2:v ...' or 'class;concentration 1:v ...' of named batches."""
    yield _csv_line([*numbered(N_GAS), "class"])
    indices = [str(number) for number in range(1, N_GAS + 1)]
    for name, rows in batches:
        for line, row in enumerate(rows, 1):
            if not row.strip():
                continue
            label, *items = row.split()
            cells = [item.partition(":") for item in items]
            if [index for index, _, _ in cells] != indices:
                rule = f"be 'class 1:value ... {N_GAS}:value'"
                raise StreamError(f"{name}, line {line:,}", rule, row[:200])
            yield _csv_line([*(value for _, _, value in cells), label.partition(";")[0]])


def _kitsune_lines(dataset: Path, labels: Path) -> Iterator[str]:
    """Yield the two files of a capture as one."""
    rows = (row for row in _lines_of(dataset) if row)
    return _joined(rows, _kitsune_labels(labels), numbered(N_KITSUNE))


def _kitsune_labels(path: Path) -> Iterator[str]:
    """Yield the last cell of each line but a line of names."""
    for line in _lines_of(path):
        cell = line.rpartition(",")[2].strip().strip('"')
        if cell in ("0", "1"):
            yield cell
        elif cell and cell != "x":
            raise StreamError(f"label in {path.name}", "be 0 or 1", cell)


def _csv_line(cells: Iterable[str]) -> str:
    return ",".join(cells) + "\n"


def _lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of a text, which may be compressed, without their ends."""
    for block in blocks_of(pieces_of(path), path.name):
        yield from block.decode().splitlines()


def _member(archive: Path, name: str) -> Iterator[str]:
    """Yield the lines of a file in a zip archive, in whatever folder, without their ends."""
    with zipfile.ZipFile(archive) as files:
        paths = [path for path in files.namelist() if Path(path).name.lower() == name.lower()]
        if len(paths) != 1:
            raise StreamError(archive.name, f"hold one file {name}", paths)
        with files.open(paths[0]) as packed:
            file: Any = gzip.GzipFile(fileobj=packed) if name.endswith(".gz") else packed
            yield from map(str.rstrip, io.TextIOWrapper(file, encoding="utf-8"))


def _arff_lines(path: Path) -> Iterator[str]:
    """Yield an ARFF file, whose last attribute is the label."""
    rows = arff_rows(pieces_of(path), path.name)
    yield _csv_line([*rows.names[:-1], "class"])
    for block in rows.blocks:
        for line in block.decode().splitlines():
            if line.strip():
                yield _csv_line(cell.strip().strip("'\"") for cell in line.split(","))


def _libsvm_lines(n_features: int, classes: dict[str, str], path: Path) -> Iterator[str]:
    """Yield LIBSVM text: values as they are written, 0 where there is none."""
    yield _csv_line([*numbered(n_features), "class"])
    for row in _lines_of(path):
        label, *items = row.split()
        cells = ["0"] * n_features
        for item in items:
            index, _, value = item.partition(":")
            cells[int(index) - 1] = value
        yield _csv_line([*cells, classes.get(label, label)])


def _joined(rows: Iterable[str], labels: Iterable[str], names: Sequence[str]) -> Iterator[str]:
    """Yield rows with the labels that lie in a file apart; both must be of one length."""
    yield _csv_line([*names, "class"])
    for number, (row, label) in enumerate(zip_longest(rows, labels), 1):
        if row is None or label is None:
            value = f"no {'row' if row is None else 'label'} {number:,}"
            raise StreamError("the two files", "have one label for each row", value)
        if row.count(",") + 1 != len(names):
            raise StreamError(f"row {number:,}", f"have {len(names)} columns", row[:200])
        yield _csv_line([row, label])


RECURRING = (
    "I. Katakis, G. Tsoumakas, I. Vlahavas: An ensemble of classifiers for coping with recurring "
    "contexts in data streams. ECAI 2008"
)
TRACKING = (
    "I. Katakis, G. Tsoumakas, I. Vlahavas: Tracking recurring contexts using ensemble "
    "classifiers: an application to email filtering. Knowledge and Information Systems 22, 2010. "
    "doi:10.1007/s10115-009-0206-2"
)
BLOCKS = (
    "Five blocks of 300 rows, two interests that take turns. Inside a block the label has period "
    "3: a learner that is fed past labels would score 99 % without learning anything."
)
_of_mlkd = partial(Published, page=MLKD, licence=f"{FOR_RESEARCH} by the MLKD group")
USENET1 = _of_mlkd(
    "Usenet1",
    size=(1_500, 99, 2),
    sha256="a3d3b6db4578417e16726ce840b6d31f9b9dd53f8297f74679c0c3f11662cf6b",
    files=(("usenet1.arff", None),),
    convert=_arff_lines,
    citation=RECURRING,
    note=BLOCKS,
)
EMAIL = _of_mlkd(
    "Email",
    size=(1_500, 913, 2),
    sha256="28a0ba65babe80a295b014b043630166bf8f6d900189c8f488ed18d3bc7b959d",
    files=(("email_data.arff", None),),
    convert=_arff_lines,
    citation=TRACKING,
    note=BLOCKS,
)
SPAM_FULL = _of_mlkd(
    "Spam_full",
    size=(9_324, N_WORDS, 2),
    sha256="f7aeb270ae5eda43e132ac870070d7cc1a6c105219c8843fb405cef5e0700060",
    files=(("spam_data.arff", None),),
    convert=bag_lines,
    citation=TRACKING,
    note="The whole bag of words; chunks are sparse.",
    ending=".svm",
)
SPAM = _of_mlkd(
    "Spam",
    size=(9_324, N_CHOSEN, 2),
    sha256="27b9bebe87eb6dcbf072973f2ecec9cba360bbc07013b87385ee2a4a6d9f2e2f",
    files=(("Spam_full.svm.xz", None),),
    convert=chosen_lines,
    citation=TRACKING,
    note="499 words chosen by chi-square over all labels, which looks ahead; see Spam_full.",
)
WEATHER = Published(
    "Weather",
    size=(18_159, 8, 2),
    sha256="fe1bb97d226d7eb7c11c2f9ea544b74484204b767e9de2277f714b9a1fce80ed",
    files=(("weather_data.zip", f"{POLIKAR}/NSE/weather_data.zip"),),
    convert=_weather_lines,
    page=f"{POLIKAR}/nse/",
    citation=(
        "R. Elwell, R. Polikar: Incremental learning of concept drift in nonstationary "
        "environments. IEEE Transactions on Neural Networks 22, 2011. doi:10.1109/TNN.2011.2160459"
    ),
    licence="measurements of NOAA, public domain",
)
ELECTRICITY = Published(
    "Electricity",
    size=(45_312, 8, 2),
    sha256="1990d7ea200d6a7830e15b009311f0f79ea8f07b1986826d140af9867a98879a",
    files=(("electricity.arff", "https://www.openml.org/data/download/2419/electricity.arff"),),
    convert=_arff_lines,
    page="https://www.openml.org/d/151",
    citation=(
        "M. Harries: Splice-2 comparative evaluation: electricity pricing. University of New South "
        "Wales, 1999"
    ),
    licence="ODC-PDDL",
    note="Scaled to [0, 1], except day. Labels come in runs: compare with the label before.",
)
POWERSUPPLY = Published(
    "Powersupply",
    size=(29_928, 2, 24),
    sha256="6f4889a04c211a7d6fff20eda93c9e33190bf0027186bcfa672081e1255b7da1",
    files=(("powersupply.arff", "https://www.cse.fau.edu/~xqzhu/Stream/powersupply.arff"),),
    convert=_arff_lines,
    page="https://www.cse.fau.edu/~xqzhu/stream.html",
    citation="X. Zhu: Stream data mining repository, 2010",
    licence=FOR_RESEARCH,
    note="The label is the hour of the day, 0 to 23.",
)
COVERTYPE = Published(
    "Covertype",
    size=(581_012, 54, 7),
    sha256="ca3730d479f26b43e9e96052a9992bf4c15fa99e98b09c27aa6815553e8b55ba",
    files=(("covertype.zip", f"{UCI}/static/public/31/covertype.zip"),),
    convert=_covertype_lines,
    page=f"{UCI}/dataset/31/covertype",
    citation="J. Blackard: Covertype. UCI Machine Learning Repository, 1998. doi:10.24432/C50K5N",
    licence="CC BY 4.0",
    note="Labels come in runs: compare with always answering the label before.",
)
GAS_SENSOR = Published(
    "GasSensor",
    size=(6_697, N_GAS, 6),
    sha256="34391a61191b0102ee69b90eae5617bd665e781a4731cd72110a8b6dddcf0390",
    files=(("gas_sensor_array_drift.zip", f"{UCI}/static/public/224/{GAS}.zip"),),
    convert=partial(_archive_lines, SOME_BATCHES),
    page=f"{UCI}/dataset/224/{GAS}",
    citation=(
        "A. Vergara et al.: Chemical gas sensor drift compensation using classifier ensembles. "
        "Sensors and Actuators B 166-167, 2012. doi:10.1016/j.snb.2012.01.074"
    ),
    licence="for research only, commercial use excluded (UCI 224)",
    note="Batches 1-6, 8, 9; they start at rows 0, 445, 1689, 3275, 3436, 3633, 5933, 6227.",
)
GAS_SENSOR_10 = replace(
    GAS_SENSOR,
    name="GasSensor10",
    size=(13_910, N_GAS, 6),
    sha256=None,
    convert=partial(_archive_lines, ALL_BATCHES),
    note="All ten batches.",
)
WESAD = Published(
    "WESAD",
    size=(1_484, 54, 2),
    sha256="b49c4fb14edfb147e173d2669adabdd7dddd8d46e74717713b830ca75777781b",
    files=(("WESAD.csv.xz", None),),
    convert=_lines_of,
    page=f"{UCI}/dataset/465/wesad+wearable+stress+and+affect+detection",
    citation=(
        "P. Schmidt et al.: Introducing WESAD, a multimodal dataset for wearable stress and affect "
        "detection. ICMI 2018. doi:10.1145/3242969.3242985"
    ),
    licence="its own terms apply: research, not commercial; see the page",
    note="A third party's features, subjects one after another; not the features of the paper.",
)
KITSUNE = Published(
    "Kitsune",
    size=(764_137, N_KITSUNE, 2),
    sha256=None,
    files=tuple(
        (name, f"{UCI}/ml/machine-learning-databases/00516/mirai/{name}")
        for name in ("Mirai_dataset.csv.gz", "Mirai_labels.csv.gz")
    ),
    convert=_kitsune_lines,
    page=f"{UCI}/dataset/516/kitsune+network+attack+dataset",
    citation=(
        "Y. Mirsky et al.: Kitsune: an ensemble of autoencoders for online network intrusion "
        "detection. NDSS 2018. doi:10.14722/ndss.2018.23204"
    ),
    licence="CC BY 4.0",
    note="The Mirai capture; the paper does not say which one it used.",
)
IJCNN1 = Published(
    "ijcnn1",
    size=(49_990, 22, 2),
    sha256="9abcd8eb7b9bd75be6952bbba9ef9b4e9c1cd4d2f7e5716c8b719129af014b7d",
    files=(("ijcnn1.bz2", f"{LIBSVM}/ijcnn1.bz2"),),
    convert=partial(_libsvm_lines, 22, {}),
    page=f"{LIBSVM}.html#ijcnn1",
    citation="D. Prokhorov: IJCNN 2001 neural network competition",
    licence=FOR_RESEARCH,
)
COD_RNA = Published(
    "cod-rna",
    size=(59_535, 8, 2),
    sha256="cff981223d7637591246dee6bc5721bffc208eea28be176cf9c35ba709d3cc07",
    files=(("cod-rna", f"{LIBSVM}/cod-rna"),),
    convert=partial(_libsvm_lines, 8, {"-1": "0", "+1": "1"}),
    page=f"{LIBSVM}.html#cod-rna",
    citation=(
        "A. Uzilov, J. Keegan, D. Mathews: Detection of non-coding RNAs on the basis of predicted "
        "secondary structure formation free energy change. BMC Bioinformatics 7, 2006. "
        "doi:10.1186/1471-2105-7-173"
    ),
    licence=FOR_RESEARCH,
    note="Sorted by label: shuffle it, or see cod-rna-drift.",
)
