"""Streams of the LIBSVM collection of binary tasks: ijcnn1 and cod-rna."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mooe.datasets.conversion import libsvm_lines, lines_of
from mooe.datasets.home import Published
from mooe.datasets.published import published_stream
from mooe.streams.stream import Stream

COLLECTION = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"


def ijcnn1(**options: Any) -> Stream:
    """Return ijcnn1: 49,990 moments of an engine, 22 inputs, labels -1.0 and 1.0; one time series.

    Source: LIBSVM collection. The address could not be tried when this was written.
    """
    return published_stream(IJCNN1, **options)


def cod_rna(**options: Any) -> Stream:
    """Return cod-rna: 59,535 pairs of RNA, 8 inputs, coding or not, sorted by label.

    Source: LIBSVM collection. The address could not be tried when this was written.
    """
    return published_stream(COD_RNA, **options)


def _ijcnn1_lines(path: Path) -> Iterator[str]:
    return libsvm_lines(lines_of(path), n_features=22)


def _cod_rna_lines(path: Path) -> Iterator[str]:
    numbers = {"-1": "0", "+1": "1"}
    return libsvm_lines(lines_of(path), 8, lambda label: numbers.get(label, label))


IJCNN1 = Published(
    "ijcnn1",
    n_rows=49_990,
    n_features=22,
    n_classes=2,
    sha256="9abcd8eb7b9bd75be6952bbba9ef9b4e9c1cd4d2f7e5716c8b719129af014b7d",
    files=(("ijcnn1.bz2", f"{COLLECTION}/ijcnn1.bz2"),),
    convert=_ijcnn1_lines,
    page=f"{COLLECTION}.html#ijcnn1",
    citation="D. Prokhorov: IJCNN 2001 neural network competition",
    licence="none stated; made available for research",
)
COD_RNA = Published(
    "cod-rna",
    n_rows=59_535,
    n_features=8,
    n_classes=2,
    sha256="cff981223d7637591246dee6bc5721bffc208eea28be176cf9c35ba709d3cc07",
    files=(("cod-rna", f"{COLLECTION}/cod-rna"),),
    convert=_cod_rna_lines,
    page=f"{COLLECTION}.html#cod-rna",
    citation=(
        "A. Uzilov, J. Keegan, D. Mathews: Detection of non-coding RNAs on the basis of predicted "
        "secondary structure formation free energy change. BMC Bioinformatics 7, 2006. "
        "doi:10.1186/1471-2105-7-173"
    ),
    licence="none stated; made available for research",
    note="Sorted by label: shuffle it, or see cod-rna-drift.",
)
