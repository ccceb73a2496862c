"""Texts whose reader changes interests: Usenet1, Email and Spam of the MLKD group, Thessaloniki."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mooe.datasets.conversion import arff_lines, csv_line
from mooe.datasets.home import Published
from mooe.datasets.published import published_stream
from mooe.streams.arff import read_header
from mooe.streams.columns import Options
from mooe.streams.files import pieces_of
from mooe.streams.libsvm import libsvm_stream
from mooe.streams.stream import Stream

PAGE = "http://mlkd.csd.auth.gr/concept_drift.html"
TERMS = "none stated; made available for research by the MLKD group"
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
N_WORDS = 39_916  # of Spam_full
N_CHOSEN = 499


def usenet1(**options: Any) -> Stream:
    """Return Usenet1: 1,500 messages, 99 words, interesting or not.

    Source: MLKD group, http://mlkd.csd.auth.gr/concept_drift.html; put its usenet1.arff into
    MOOE_DATA_HOME. The page could not be tried when this was written.
    """
    return published_stream(USENET1, **options)


def email(**options: Any) -> Stream:
    """Return Email (elist): 1,500 messages, 913 words, interesting or not.

    Source: MLKD group, http://mlkd.csd.auth.gr/concept_drift.html; put its elist file into
    MOOE_DATA_HOME as email_data.arff. The page could not be tried when this was written.
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

    Source: MLKD group, http://mlkd.csd.auth.gr/concept_drift.html; put its ARFF file into
    MOOE_DATA_HOME as spam_data.arff. The page could not be tried when this was written.
    """
    return published_stream(SPAM_FULL, **options)


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
    yield csv_line([*(f"w{word + 1}" for word in chosen), "class"])
    cells = bag.X[:, chosen].toarray().astype(np.int64).astype(str).tolist()
    for row, label in zip(cells, bag.y.tolist(), strict=True):
        yield csv_line([*row, str(label)])


USENET1 = Published(
    "Usenet1",
    n_rows=1_500,
    n_features=99,
    n_classes=2,
    sha256="a3d3b6db4578417e16726ce840b6d31f9b9dd53f8297f74679c0c3f11662cf6b",
    files=(("usenet1.arff", None),),
    convert=arff_lines,
    page=PAGE,
    citation=RECURRING,
    licence=TERMS,
    note=BLOCKS,
)
EMAIL = Published(
    "Email",
    n_rows=1_500,
    n_features=913,
    n_classes=2,
    sha256="28a0ba65babe80a295b014b043630166bf8f6d900189c8f488ed18d3bc7b959d",
    files=(("email_data.arff", None),),
    convert=arff_lines,
    page=PAGE,
    citation=TRACKING,
    licence=TERMS,
    note=BLOCKS,
)
SPAM_FULL = Published(
    "Spam_full",
    n_rows=9_324,
    n_features=N_WORDS,
    n_classes=2,
    sha256="f7aeb270ae5eda43e132ac870070d7cc1a6c105219c8843fb405cef5e0700060",
    files=(("spam_data.arff", None),),
    convert=bag_lines,
    page=PAGE,
    citation=TRACKING,
    licence=TERMS,
    note="The whole bag of words; chunks are sparse.",
    ending=".svm",
)
SPAM = Published(
    "Spam",
    n_rows=9_324,
    n_features=N_CHOSEN,
    n_classes=2,
    sha256="27b9bebe87eb6dcbf072973f2ecec9cba360bbc07013b87385ee2a4a6d9f2e2f",
    files=(("Spam_full.svm.xz", None),),
    convert=chosen_lines,
    page=PAGE,
    citation=TRACKING,
    licence=TERMS,
    note="499 words chosen by chi-square over all labels, which looks ahead; see Spam_full.",
)
