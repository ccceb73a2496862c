"""What a model tells of itself: its experts, their votes, the regimes that it knows."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, NamedTuple, overload

import numpy as np

from mooe.words import some_of, times

MOST_INPUTS = 3  # that are named of a regime, and in the sentence on an answer
MOST_CLASSES = 3  # whose shares are told
MOST_VISITS = 3  # of a regime that are told
MOST_GONE = 8  # numbers of regimes that are not known any more
TELLING = 0.25  # of the largest difference: what is smaller tells little
SMALL = 0.005  # of the probability: what moves it less did not matter
BY_LABELS = ("no_change", "autoregression")  # experts that see no input, only the labels before
MOST = 0.5  # of the weight


@dataclass(frozen=True)
class Expert:
    """One expert of the mixture.

    Attributes
    ----------
    name : str or None
        Of the default model: "adagrad", "memory_rich", ..., or as the user called an added one.
    kind : str
        Default model: "online" learns from every label, "memory" is a live copy of the concept in
        charge, "added" was fitted elsewhere. Paper: "offline" or "online".
    interval : int or None
        Paper: the interval it was fitted on, from 0; of the online expert the open one.
    samples : (int, int) or None
        Paper: first and last labelled sample of that interval, from 0; of the online expert those
        learnt so far, and last < first where there are none.
    weight : float
        Its share of the mixture now.
    """

    name: str | None
    kind: str
    interval: int | None
    samples: tuple[int, int] | None
    weight: float

    @property
    def called(self) -> str:
        """Its name; the paper's experts are called by their intervals, "offline 3"."""
        return self.name or f"{self.kind} {self.interval}"

    def facts(self) -> dict[str, Any]:
        """Return what is known of it, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def weight_of_labels(experts: Iterable[Expert]) -> float:
    """Return the share of the weight of experts that see the labels before, and nothing else."""
    return sum(expert.weight for expert in experts if expert.name in BY_LABELS)


class Traits(NamedTuple):
    """What tells a regime from others, as an engine knows it."""

    name: int
    weights: np.ndarray  # (n_outputs, n_features) of standardised columns
    outcomes: np.ndarray  # (1 + n_outputs,), see `mooe.auto.experts.memory.Memory`


@dataclass(frozen=True)
class InputWeight:
    """How much an input speaks for a class in a regime, and in the others.

    Attributes
    ----------
    column : name or number of the column
    label : label or None
        The class that it speaks for, against the others; None in regression.
    weight, elsewhere : float
        What one standard deviation of the input adds to the score, which lies between -1 and 1, or
        to the value; in the regime, and on average in the other regimes that are known.
    """

    column: Any
    label: Any
    weight: float
    elsewhere: float

    def __str__(self) -> str:
        towards = "" if self.label is None else f" for {_said(self.label, 'class')}"
        elsewhere = f"elsewhere {signed(self.elsewhere)}"
        return f"{_said(self.column, 'column')} {signed(self.weight)}{towards} ({elsewhere})"


@dataclass(frozen=True)
class Concept:
    """A regime that the memory knows.

    Attributes
    ----------
    name : int
        Its number: given when it can first be shown, from 1 on; never changed or given again. Of
        two that turn out to be one regime the older number stays, and the other is not used again.
    samples : int
        Labelled samples that it has learnt from.
    recognised : int
        Intervals in which it was recognised.
    first, last : int
        First and last labelled sample in its charge, counted from 0.
    visits : tuple of (int, int)
        The latest stretches in its charge, first and last sample, oldest first.
    in_charge : bool
    title : str
        The name that the user gave it (`name_regime`), "" for none.
    dates : tuple of (str, str)
        Of a model that learnt rows with dates (`mooe run --time`): those of the visits, "" where
        one is not known; empty where none is.
    shares : tuple of (label, float)
        The classes of its rows, the most frequent first; empty where they were not counted, in
        regression, and in files of format 4 and before.
    mean : float or None
        In regression the mean of its labels.
    inputs : tuple of InputWeight
        The inputs whose weights differ most from those in other regimes.
    """

    name: int
    samples: int
    recognised: int
    first: int
    last: int
    visits: tuple[tuple[int, int], ...]
    in_charge: bool
    title: str = ""
    dates: tuple[tuple[str, str], ...] = ()
    shares: tuple[tuple[Any, float], ...] = ()
    mean: float | None = None
    inputs: tuple[InputWeight, ...] = ()

    def when(self) -> str:
        """Return when it was here, the latest visits."""
        return latest(self.visit_texts())

    def visit_texts(self) -> list[str]:
        """Return when each of the visits was, oldest first."""
        texts = []
        dates = self.dates or (("", ""),) * len(self.visits)
        for (first, last), (begin, end) in zip(self.visits, dates, strict=True):
            is_now = self.in_charge and (first, last) == self.visits[-1]
            if is_now:
                texts.append(f"now, since {begin or f'row {first:,}'}")
            elif begin and end:
                day = f"{begin.partition(' ')[0]} "
                texts.append(begin if begin == end else f"{begin} to {end.removeprefix(day)}")
            else:
                texts.append(f"rows {first:,}-{last:,}")
        return texts

    def description(self) -> list[str]:
        """Return what it is like: its classes, and what sets its inputs apart."""
        return [
            text for text in (outcome_text(self.shares, self.mean), *map(str, self.inputs)) if text
        ]


def regime_text(number: int, title: str = "") -> str:
    """Return what a regime is called.

    >>> regime_text(3, "summer"), regime_text(4)
    ('regime 3 (summer)', 'regime 4')
    """
    return f"regime {number} ({title})" if title else f"regime {number}"


def gone_text(numbers: Collection[int]) -> str:
    """Say what became of the numbers between those of the regimes that are known, '' if of none.

    >>> gone_text([2, 3, 5])
    'Regimes 1, 4 are gone: they turned out to be one with others, or were forgotten.'
    >>> gone_text([2]), gone_text([1, 2])
    ('Regime 1 is gone: it turned out to be one with another, or was forgotten.', '')
    """
    gone = sorted(set(range(1, max(numbers, default=0))) - set(numbers))
    if not gone:
        return ""
    if len(gone) == 1:
        return f"Regime {gone[0]} is gone: it turned out to be one with another, or was forgotten."
    fate = "they turned out to be one with others, or were forgotten"
    return f"Regimes {some_of(gone, MOST_GONE)} are gone: {fate}."


def _said(name: Any, what: str) -> str:
    """Return the name of a column or class; one that is a number says what it is."""
    return name if isinstance(name, str) else f"{what} {name}"


def latest(texts: Sequence[str]) -> str:
    """Return the latest of some visits, the last one first, and how many there were before.

    >>> latest(["a", "b", "c", "d"])
    'd; c; b; and once before'
    """
    more = len(texts) - MOST_VISITS
    shown = [*texts[: -MOST_VISITS - 1 : -1], *([f"and {times(more)} before"] if more > 0 else [])]
    return "; ".join(shown)


def outcome_text(shares: Sequence[Sequence[Any]], mean: float | None) -> str:
    """Return the shares of classes, or the mean of the labels.

    >>> outcome_text([("no", 0.875), ("yes", 0.125)], None), outcome_text([], 12.3456)
    ('no: 88 %, yes: 12 %', 'mean 12.35')
    """
    if mean is not None:
        return f"mean {mean:.4g}"
    return ", ".join(f"{label}: {100 * share:.0f} %" for label, share in shares[:MOST_CLASSES])


def signed(value: float) -> str:
    """Return a number of two or three digits with its sign.

    >>> signed(0.4249), signed(-12.0), signed(0.0)
    ('+0.42', '-12', '0')
    """
    text = f"{value:+.2f}" if abs(value) < 10 else f"{value:+.3g}"
    return text if text.strip("+-0.") else "0"


def telling_inputs(traits: Sequence[Traits], which: int) -> list[tuple[int, int, float, float]]:
    """Return the inputs by which a regime differs most from the others.

    Of each the column, the output, its weight, and the mean of its weights elsewhere.
    """
    own = traits[which].weights
    others = [trait.weights for at, trait in enumerate(traits) if at != which]
    if not others or not own.size:
        return []
    elsewhere = np.mean(others, axis=0)
    gap = np.abs(own - elsewhere)
    output, most = gap.argmax(axis=0), gap.max(axis=0)
    columns = np.argsort(-most, kind="stable")[:MOST_INPUTS].tolist()
    return [
        (at, int(output[at]), float(own[output[at], at]), float(elsewhere[output[at], at]))
        for at in columns
        if most[at] > TELLING * most.max()
    ]


@dataclass(frozen=True)
class Vote:
    """What one expert says of a sample.

    Attributes
    ----------
    expert : Expert
        Who it is; its weight is `expert.weight`.
    vote : label
        The class or value that it would answer alone.
    scores : tuple of float
        Its score, or one per class in the order of `classes_`.
    """

    expert: Expert
    vote: Any
    scores: tuple[float, ...]


@dataclass(frozen=True)
class InputEffect:
    """How much an input mattered for an answer.

    Attributes
    ----------
    column : name or number of the column; of the indicators of a text column that column
    value : float or str
        What it was in the sample.
    effect : float
        What the probability of the answered class, or the value, is more than with the mean so far
        in place of the input.
    """

    column: Any
    value: Any
    effect: float

    def __str__(self) -> str:
        value = f"{self.value:.4g}" if isinstance(self.value, float) else str(self.value)
        return f"{_said(self.column, 'column')} = {value}"


@dataclass(frozen=True)
class Explanation(Sequence[Vote]):
    """Why a sample was answered so; a sequence of the experts' votes, heard by their weights.

    Attributes
    ----------
    answer : label or float; None before any label
    probabilities : dict of label to float
        Of all classes; empty in regression.
    inputs : tuple of InputEffect
        The inputs that mattered, the largest effect first.
    regime : int or None
        The regime that the stream is in, and its `title`.
    title : str
    votes : tuple of Vote
    """

    answer: Any
    probabilities: dict[Any, float]
    inputs: tuple[InputEffect, ...]
    regime: int | None
    title: str
    votes: tuple[Vote, ...]

    @overload
    def __getitem__(self, at: int) -> Vote: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Vote, ...]: ...

    def __getitem__(self, at: int | slice) -> Vote | tuple[Vote, ...]:
        return self.votes[at]

    def __len__(self) -> int:
        return len(self.votes)

    def __iter__(self) -> Iterator[Vote]:
        return iter(self.votes)

    @property
    def sentence(self) -> str:
        """The answer in words: how likely, what spoke for it, what against, in which regime."""
        if self.answer is None:
            return "No answer: no label has been learnt yet."
        likely = self.probabilities.get(self.answer)
        classify = likely is not None
        opening = f"{self.answer}, with a probability of {100 * (likely or 0.0):.0f} %"
        if not classify:
            opening = f"{self.answer:.4g}"
        parts = []
        for words, side in (
            (
                "for it speak" if classify else "higher for",
                [i for i in self.inputs if i.effect > 0],
            ),
            ("against it" if classify else "lower for", [i for i in self.inputs if i.effect < 0]),
        ):
            if side:
                parts.append(f"{words} {', '.join(self._weighed(i) for i in side[:MOST_INPUTS])}")
        by_labels = weight_of_labels(vote.expert for vote in self.votes) > MOST
        alone = "the labels before tell it, no single input mattered"
        matters = "; ".join(parts) or (alone if by_labels else "no single input mattered")
        where = f"; in {regime_text(self.regime, self.title)}" if self.regime is not None else ""
        return f"{opening}: {matters}{where}."

    def _weighed(self, effect: InputEffect) -> str:
        """Return an input and what it moved."""
        moved = (
            f"{100 * effect.effect:+.0f} points" if self.probabilities else signed(effect.effect)
        )
        return f"{effect} ({moved})"

    def __str__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        """Return the sentence and a table of the votes, for notebooks."""
        rows = "".join(
            f"<tr><td style='text-align:left'>{escape(str(vote.expert.name or vote.expert.kind))}"
            f"</td><td>{100 * vote.expert.weight:.1f} %</td><td>{escape(str(vote.vote))}</td></tr>"
            for vote in sorted(self.votes, key=lambda vote: -vote.expert.weight)
        )
        head = "<tr><th style='text-align:left'>expert</th><th>weight</th><th>vote</th></tr>"
        return f"<p>{escape(self.sentence)}</p><table><thead>{head}</thead>{rows}</table>"


NOTHING_LEARNT = Explanation(None, {}, (), None, "", ())  # of a model before its first label
