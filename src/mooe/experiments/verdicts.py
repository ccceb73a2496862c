"""Words on a printed number beside ours, each from a rule on numbers."""

import math

__all__ = ["RULE", "mean", "reach", "spread", "standard_error", "verdict"]

TOLERANCE = 2.0  # points
RULE = (
    "Verdict: holds where ours is within 2 points of the paper, or within two standard errors "
    "where that is more (of a share of so many rows, and of the spread over seeds); otherwise ours "
    "is higher or lower."
)


def verdict(paper: float | None, ours: float | None, spread: float | None, n_rows: int) -> str:
    """Return 'holds', 'ours higher' or 'ours lower'; '' where one of both is not known.

    Parameters
    ----------
    paper, ours : float or None
        In percent.
    spread : float or None
        Standard deviation over seeds, in points; None where nothing is random.
    n_rows : int
        Rows that were counted.

    Examples
    --------
    >>> verdict(80.0, 81.9, None, 10_000), verdict(80.0, 77.0, None, 10_000)
    ('holds', 'ours lower')
    """
    if paper is None or ours is None:
        return ""
    tolerance = max(TOLERANCE, 2.0 * math.hypot(standard_error(ours, n_rows), spread or 0.0))
    if abs(ours - paper) <= tolerance:
        return "holds"
    return "ours higher" if ours > paper else "ours lower"


def reach(paper: float, best: float, n_rows: int) -> str:
    """Return whether a printed accuracy lies above the best of the batch learners.

    'above batch': by more than two standard errors of a share of so many rows; 'barely above': by
    less; otherwise 'within reach'.

    Examples
    --------
    >>> reach(97.1, 94.7, 1_500), reach(95.0, 94.7, 1_500), reach(94.0, 94.7, 1_500)
    ('above batch', 'barely above', 'within reach')
    """
    if paper <= best:
        return "within reach"
    return "above batch" if paper - best > 2.0 * standard_error(best, n_rows) else "barely above"


def standard_error(percent: float, n: int) -> float:
    """Return the standard error of a share of n rows, in points.

    >>> round(standard_error(50.0, 10_000), 3)
    0.5
    """
    share = min(max(percent / 100.0, 0.0), 1.0)
    return 100.0 * math.sqrt(share * (1.0 - share) / n)


def mean(values: list[float]) -> float | None:
    """Return the mean; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def spread(values: list[float]) -> float | None:
    """Return the standard deviation over seeds; None where there is one seed."""
    if len(values) < 2:
        return None
    middle = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))
