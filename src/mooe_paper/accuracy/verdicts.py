"""Words on a printed number beside ours, each from a rule on numbers."""

import math

__all__ = ["NOT_RUN", "RULE", "mean", "reach", "spread", "standard_error", "verdict"]

NOT_RUN = "not run"
TOLERANCE = 2.0  # points
RULE = (
    f"Verdict: holds where ours is within {TOLERANCE:g} points of the paper, or within two "
    "standard errors where that is more; otherwise ours is higher or lower. The standard error is "
    "that of the mean over seeds where there are several, otherwise that of a share of the rows it "
    "is taken of."
)


def verdict(paper: float | None, values: list[float], n_rows: int) -> str:
    """Return 'holds', 'ours higher' or 'ours lower' by `RULE`; '' where one of both is not known.

    Parameters
    ----------
    paper : float or None
        In percent.
    values : list of float
        Ours, one for each seed, in percent.
    n_rows : int
        Rows that a value is a share of.

    Examples
    --------
    >>> verdict(80.0, [81.9], 10_000), verdict(80.0, [77.0], 10_000)
    ('holds', 'ours lower')
    """
    ours, around = mean(values), spread(values)
    if paper is None or ours is None:
        return ""
    error = standard_error(ours, n_rows) if around is None else around / math.sqrt(len(values))
    if abs(ours - paper) <= max(TOLERANCE, 2.0 * error):
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
