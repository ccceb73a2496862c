"""Streams of the UCI Machine Learning Repository: Covertype, GasSensor, WESAD, Kitsune."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from mooe.datasets.conversion import csv_line, joined_lines, lines_of, member, pieces
from mooe.datasets.home import Published
from mooe.datasets.published import published_stream, stream_of_text
from mooe.streams.stream import Stream, StreamError, numbered

UCI = "https://archive.ics.uci.edu"
N_GAS = 128
N_KITSUNE = 115
N_BATCHES = 10
SOME_BATCHES = (1, 2, 3, 4, 5, 6, 8, 9)
GAS_ARCHIVE = (
    "gas_sensor_array_drift.zip",
    f"{UCI}/static/public/224/gas+sensor+array+drift+dataset.zip",
)
CARTOGRAPHY = (
    "Elevation",
    "Aspect",
    "Slope",
    "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology",
    "Horizontal_Distance_To_Roadways",
    "Hillshade_9am",
    "Hillshade_Noon",
    "Hillshade_3pm",
    "Horizontal_Distance_To_Fire_Points",
    *(f"Wilderness_Area{number}" for number in range(1, 5)),
    *(f"Soil_Type{number}" for number in range(1, 41)),
)


def covertype(**options: Any) -> Stream:
    """Return Covertype: 581,012 pieces of forest, 54 inputs, 7 kinds of tree, in file order.

    Source: UCI 31. The address could not be tried when this was written.
    """
    return published_stream(COVERTYPE, **options)


def gas_sensor(folder: Path | str | None = None, **options: Any) -> Stream:
    """Return GasSensor: 128 numbers of 16 sensors, 6 gases, over 36 months.

    Source: UCI 224. The address could not be tried when this was written.

    Parameters
    ----------
    folder : path, optional
        A folder with the published files batch1.dat to batch10.dat, 13,910 rows, which are then
        read; also in the form of UCI 270, where the concentration follows the label. Otherwise
        batches 1 to 6, 8 and 9 are read, 6,697 rows.
    """
    if folder is None:
        return published_stream(GAS_SENSOR, **options)
    found = [Path(folder) / f"batch{number}.dat" for number in range(1, N_BATCHES + 1)]
    for path in found:
        if not path.exists():
            raise StreamError("file", "exist", str(path))
    return stream_of_text(
        GAS_SENSOR_10,
        lambda: pieces(_gas_lines((path.name, lines_of(path)) for path in found)),
        **options,
    )


def gas_sensor_10(**options: Any) -> Stream:
    """Return GasSensor with all ten batches, 13,910 rows, from the archive of UCI 224.

    The address could not be tried when this was written, and no checksum is known.
    """
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

    Source: UCI 516. The address could not be tried when this was written, and no checksum is known.

    Parameters
    ----------
    dataset, labels : path, optional
        Published files of another capture, such as SSDP_Flood_dataset.csv.gz and
        SSDP_Flood_labels.csv.gz: 115 columns without names, and a file of labels apart, either
        0 and 1 alone, or below a line of names and behind a number.
    """
    if (dataset is None) != (labels is None):
        raise StreamError("dataset and labels", "be given together", (dataset, labels))
    if dataset is None or labels is None:
        return published_stream(KITSUNE, **options)
    files = Path(dataset), Path(labels)
    return stream_of_text(KITSUNE, lambda: pieces(_kitsune_lines(*files)), **options)


def _covertype_lines(archive: Path) -> Iterator[str]:
    """Yield covtype.data.gz, which has no names."""
    yield csv_line([*CARTOGRAPHY, "class"])
    for row in member(archive, "covtype.data.gz"):
        if row:
            yield row + "\n"


def _archive_lines(numbers: tuple[int, ...], archive: Path) -> Iterator[str]:
    """Yield some batches of the published archive."""
    names = (f"batch{number}.dat" for number in numbers)
    yield from _gas_lines((name, member(archive, name)) for name in names)


def _gas_lines(batches: Iterable[tuple[str, Iterable[str]]]) -> Iterator[str]:
    """Yield rows 'class 1:v 2:v ...' or 'class;concentration 1:v ...' of named batches."""
    yield csv_line([*numbered(N_GAS), "class"])
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
            yield csv_line([*(value for _, _, value in cells), label.partition(";")[0]])


def _kitsune_lines(dataset: Path, labels: Path) -> Iterator[str]:
    """Yield the two files of a capture as one."""
    rows = (row for row in lines_of(dataset) if row)
    return joined_lines(rows, _kitsune_labels(labels), numbered(N_KITSUNE))


def _kitsune_labels(path: Path) -> Iterator[str]:
    """Yield the last cell of each line but a line of names."""
    for line in lines_of(path):
        cell = line.rpartition(",")[2].strip().strip('"')
        if cell in ("0", "1"):
            yield cell
        elif cell and cell != "x":
            raise StreamError(f"label in {path.name}", "be 0 or 1", cell)


def _not_here(*_: Path) -> Iterator[str]:
    raise StreamError("WESAD", "be put into MOOE_DATA_HOME by hand as WESAD.csv.xz", None)


some_batches: Callable[..., Iterator[str]] = partial(_archive_lines, SOME_BATCHES)
all_batches: Callable[..., Iterator[str]] = partial(_archive_lines, tuple(range(1, N_BATCHES + 1)))

VERGARA = (
    "A. Vergara et al.: Chemical gas sensor drift compensation using classifier ensembles. "
    "Sensors and Actuators B 166-167, 2012. doi:10.1016/j.snb.2012.01.074"
)
RESEARCH_ONLY = "for research only, commercial use excluded (UCI 224)"
COVERTYPE = Published(
    "Covertype",
    n_rows=581_012,
    n_features=54,
    n_classes=7,
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
    n_rows=6_697,
    n_features=N_GAS,
    n_classes=6,
    sha256="34391a61191b0102ee69b90eae5617bd665e781a4731cd72110a8b6dddcf0390",
    files=(GAS_ARCHIVE,),
    convert=some_batches,
    page=f"{UCI}/dataset/224/gas+sensor+array+drift+dataset",
    citation=VERGARA,
    licence=RESEARCH_ONLY,
    note="Batches 1-6, 8, 9; they start at rows 0, 445, 1689, 3275, 3436, 3633, 5933, 6227.",
)
GAS_SENSOR_10 = Published(
    "GasSensor10",
    n_rows=13_910,
    n_features=N_GAS,
    n_classes=6,
    sha256=None,
    files=(GAS_ARCHIVE,),
    convert=all_batches,
    page=GAS_SENSOR.page,
    citation=VERGARA,
    licence=RESEARCH_ONLY,
    note="All ten batches.",
)
WESAD = Published(
    "WESAD",
    n_rows=1_484,
    n_features=54,
    n_classes=2,
    sha256="b49c4fb14edfb147e173d2669adabdd7dddd8d46e74717713b830ca75777781b",
    files=(("WESAD.csv.xz", None),),
    convert=_not_here,
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
    n_rows=764_137,
    n_features=N_KITSUNE,
    n_classes=2,
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
