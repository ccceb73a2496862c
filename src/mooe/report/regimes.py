"""What the regimes are like: when they were here, their labels, what sets their inputs apart."""

import re
from typing import Any

from mooe.evaluate.dates import StreamAxis
from mooe.evaluate.results import Results
from mooe.explanation import InputWeight, gone_text, latest, outcome_text
from mooe.report.returns import called

MOST_REGIMES = 12

Card = tuple[str, dict[str, str]]  # what it is about, and facts by name


def regime_cards(results: Results) -> list[Card]:
    """Return what is told of each regime that was known at the end; those with most rows first."""
    along = StreamAxis.of(results)
    most = sorted(results.concepts, key=lambda regime: -_rows(regime))[:MOST_REGIMES]
    cards = []
    for regime in (regime for regime in results.concepts if regime in most):
        n, share = _rows(regime), _rows(regime) / max(results.rows, 1)
        facts = {
            "here": _when(regime, along),
            "rows": f"{n:,}, {100 * share:.0f} % of the stream",
            "labels": _true_minus(outcome_text(regime.get("shares", ()), regime.get("mean"))),
            "set apart by": _true_minus(
                "; ".join(str(InputWeight(**w)) for w in regime.get("inputs", ()))
            ),
        }
        cards.append((called(regime), {name: fact for name, fact in facts.items() if fact}))
    return cards


def regime_note(results: Results) -> str:
    """Return what the facts of a regime mean."""
    unit = "the score of a class, from −1 to 1" if results.task == "classification" else "the value"
    more = len(results.concepts) - MOST_REGIMES
    others = f" {more:,} regimes of fewer rows are not shown." if more > 0 else ""
    gone = gone_text([regime["name"] for regime in results.concepts])
    others += f" {gone}" if gone else ""
    return (
        "Labels: those of the rows that a regime was recognised by. Set apart by: the inputs whose "
        "weights differ most from those in the other regimes; a weight is what one standard "
        f"deviation of the input adds to {unit}.{others}"
    )


def map_caption(when: str, others: str) -> str:
    """Return what a recall map shows: the weights of `when`, and `others` in its last line."""
    return (
        "A line is a regime, coloured in the rows in which it was in charge by the weight that the "
        f"memory had {when}; where a line goes on after a gap, that past has come back. "
        f"Others: {others}."
    )


def _true_minus(text: str) -> str:
    """Return a text for a page, where a minus is a true one."""
    return re.sub(r"(?<= )-(?=[\d.])", "−", text)


def _rows(regime: dict[str, Any]) -> int:
    """Return how many rows of the stream were in the charge of a regime."""
    return sum(last - max(first, 0) + 1 for first, last in regime["visits"] if last >= 0)


def _when(regime: dict[str, Any], along: StreamAxis) -> str:
    """Return the latest visits of a regime."""
    visits = [(first, last) for first, last in regime["visits"] if last >= 0]
    if not visits:
        return along.point(-1)
    texts = [along.within(max(first, 0), last) for first, last in visits]
    if regime["in_charge"]:
        texts[-1] = f"now, since {along.point(visits[-1][0])}"
    return latest(texts)
