"""A published data set as a stream: found, or fetched, checked, and read."""

from dataclasses import replace
from functools import partial
from typing import Any

from mooe.datasets.download import fetch_published
from mooe.datasets.home import Published, require
from mooe.streams.columns import Options
from mooe.streams.delimited import Pieces, table_stream
from mooe.streams.files import pieces_of
from mooe.streams.libsvm import libsvm_stream
from mooe.streams.stream import Stream

LABEL = "class"


def published_stream(published: Published, **options: Any) -> Stream:
    """Return the stream of a published data set; options are those of `open_stream`.

    It is looked for in MOOE_DATA_HOME and in the cache, and fetched where it is in neither.
    """
    path = require(published) or fetch_published(published)
    stream = stream_of_text(published, partial(pieces_of, path), **options)
    most = options.get("max_rows")
    n_rows = published.n_rows if most is None else min(most, published.n_rows)
    return replace(stream, sha256=published.sha256, n_rows=n_rows)


def stream_of_text(published: Published, text: Pieces, **options: Any) -> Stream:
    """Return the stream of a text that has the form of a published data set."""
    if published.ending == ".svm":
        stream = libsvm_stream(published.name, text, Options(**options), published.n_features)
    else:
        options["label"] = options.get("label") or LABEL
        stream = table_stream(published.name, text, Options(**options))
    return replace(
        stream,
        name=published.name,
        source=published.page,
        citation=published.citation,
        licence=published.licence,
        note=published.note,
    )
