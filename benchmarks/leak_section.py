"""The leak of published protocols, as a table of docs/forecasting.md."""

import digest
from markdown_table import table

SERIES = ("ETTh1", "ETTh2", "ETTm1", "WTH")


def digest_of(name):
    """Return the digest, as of now, of a series' figures."""
    return digest.of("leak", name)


def digests(results):
    """Yield every series, with its digest and what that is now."""
    for name in results["runs"]:
        yield name, results["digests"].get(name), digest_of(name)


def rendered(results):
    """Return the table: mean squared errors by series, 20/5/75, at 1, 24 and 48 steps."""
    lines = []
    for name, found in results["runs"].items():
        lines += [
            [name, who, *(f"{by_horizon[h]:.4f}" for h in ("1", "24", "48"))]
            for who, by_horizon in found.items()
        ]
    head = ["series", "mean squared error at", "H = 1", "H = 24", "H = 48"]
    return digest.remark(digests(results)) + table(head, lines)
