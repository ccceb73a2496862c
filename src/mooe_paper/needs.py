"""Streams that a cell needs: whether they are on the machine, and which bytes they have."""

from mooe.datasets.catalogue import fetch, published
from mooe.datasets.home import locate, remembered, verified

__all__ = ["digest_of", "missing"]


def missing(stream: str) -> str:
    """Return '' where a named stream is on this machine, otherwise what to do about it.

    A stream is there if its file is, or if all of its published files are. Nothing is downloaded.
    """
    data = published(stream)
    if locate(data.file_name) or all(locate(name) for name, _ in data.files):
        return ""
    by_hand = f"put {' and '.join(name for name, _ in data.files)} into MOOE_DATA_HOME"
    if all(address for _, address in data.files):
        return f"{stream} is not on this machine: mooe data fetch {stream}, or {by_hand}"
    return f"{stream} is not on this machine: {by_hand}"


def digest_of(stream: str) -> str:
    """Return the sha256 of a named stream that is on this machine, made from its files if need be.

    A stream that is not what was published raises `StreamError`.
    """
    path, data = fetch(stream, progress=False), published(stream)
    return data.sha256 or remembered(path) or verified(data).found or ""
