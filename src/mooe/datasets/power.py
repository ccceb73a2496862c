"""Electricity: its price in New South Wales, and its supply in Italy."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from mooe.datasets.conversion import arff_lines
from mooe.datasets.home import Published
from mooe.datasets.published import published_stream
from mooe.streams.stream import Chunk, Stream

NOON = 12


def electricity(**options: Any) -> Stream:
    """Return Electricity: 45,312 half hours, 8 inputs; does the price go UP or DOWN?

    Source: OpenML 151. The address could not be tried when this was written.
    """
    return published_stream(ELECTRICITY, **options)


def powersupply(**options: Any) -> Stream:
    """Return Powersupply: 29,928 hours, 2 inputs; label 1 before noon (hour < 12), otherwise 0.

    The paper's figures only make sense for a task with two classes. `powersupply24` has the hour
    as its label. Source: X. Zhu; the address could not be tried when this was written.
    """
    stream = powersupply24(**options)

    def read(rows: int) -> Iterator[Chunk]:
        for chunk in stream.chunks(rows):
            yield replace(chunk, y=(chunk.y < NOON).astype(np.int64))

    note = "Label 1 where hour < 12; sha256 is that of the 24 hours."
    return replace(stream, name="Powersupply", read=read, note=note)


def powersupply24(**options: Any) -> Stream:
    """Return Powersupply24: 29,928 hours, 2 inputs; which hour of the day is it, 0 to 23?

    Source: X. Zhu; the address could not be tried when this was written.
    """
    return replace(published_stream(POWERSUPPLY, **options), name="Powersupply24")


ELECTRICITY = Published(
    "Electricity",
    n_rows=45_312,
    n_features=8,
    n_classes=2,
    sha256="1990d7ea200d6a7830e15b009311f0f79ea8f07b1986826d140af9867a98879a",
    files=(("electricity.arff", "https://www.openml.org/data/download/2419/electricity.arff"),),
    convert=arff_lines,
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
    n_rows=29_928,
    n_features=2,
    n_classes=24,
    sha256="6f4889a04c211a7d6fff20eda93c9e33190bf0027186bcfa672081e1255b7da1",
    files=(("powersupply.arff", "https://www.cse.fau.edu/~xqzhu/Stream/powersupply.arff"),),
    convert=arff_lines,
    page="https://www.cse.fau.edu/~xqzhu/stream.html",
    citation="X. Zhu: Stream data mining repository, 2010",
    licence="none stated; made available for research",
    note="The label is the hour of the day, 0 to 23.",
)
