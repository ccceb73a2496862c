"""The words and the text that the 95 % interval of a mean over seeds allows."""

from mooe_paper.estimate import Estimate
from mooe_paper.experiment import cell_text

RULE = (
    "Behind ± is half of the 95 % interval of the mean over seeds (Student's t). Lower or higher: "
    "the whole interval lies on that side of 0; otherwise no difference is shown."
)


def word(difference: Estimate) -> str:
    """Say on which side of 0 a difference lies.

    >>> word([-1.0, -1.5, -0.5]), word([0.2, -0.1, 0.5])
    ('lower', 'no difference')
    """
    _, low, high = difference
    if high < 0.0:
        return "lower"
    return "higher" if low > 0.0 else "no difference"


def both(loss: Estimate, error: Estimate) -> str:
    """Say on which side of 0 a difference of losses and one of errors lie.

    >>> both([-1.0, -1.5, -0.5], [-1.0, -1.5, -0.5]), both([-1.0, -1.5, -0.5], [0.2, -0.1, 0.5])
    ('both lower', 'loss lower, error no difference')
    """
    if word(loss) == word(error):
        return "no difference" if word(loss) == "no difference" else f"both {word(loss)}"
    return f"loss {word(loss)}, error {word(error)}"


def estimate_text(value: Estimate, digits: int, scale: float = 1.0) -> str:
    """Return a mean and half of its interval as text.

    >>> estimate_text([-0.5, -0.75, -0.25], 2)
    '−0.50 ± 0.25'
    >>> estimate_text([-0.0001, -0.5, 0.4998], 1, scale=100.0)
    '0.0 ± 50.0'
    """
    mean, low, _ = (scale * end for end in value)
    return f"{cell_text(mean, digits)} ± {cell_text(mean - low, digits)}"


def claim_of_gain(difference: Estimate) -> str:
    """Say whether a claim holds that a difference is below 0.

    >>> [claim_of_gain(d) for d in ([-0.2, -0.3, -0.1], [0.2, 0.1, 0.3], [0.2, -0.1, 0.5])]
    ['holds', 'does not hold', 'not shown']
    """
    return {"lower": "holds", "higher": "does not hold"}.get(word(difference), "not shown")
