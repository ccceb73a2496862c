"""What changed on purpose since the record was written, each with its words in CHANGELOG.md.

`record.differences` leaves these out. A record that is renewed knows them: then the list is to be
emptied, and a test says so.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

NUMBER = re.compile(r"(?<![\d\".,+−-])([+−-]?)([\d,]*)\.(\d+)( %)?")


@dataclass(frozen=True)
class Change:
    """A change on purpose.

    Attributes
    ----------
    changelog : str
        What CHANGELOG.md says of it, word by word but for the ends of lines.
    paths : str
        A pattern of the texts that it concerns, such as shop/01/files/report/table.md.
    before : str
        A pattern of what the record says and later code does not.
    now : str or callable
        What stands for `before` in later texts; or a function that takes both texts, the record's
        and the later one, and returns both without the change.
    """

    changelog: str
    paths: str
    before: str
    now: str | Callable[[str, str], tuple[str, str]]

    def left_out(self, path: str, before: str, now: str) -> tuple[str, str]:
        """Return the texts of a path without this change: what still differs is not on purpose."""
        if not re.fullmatch(self.paths, path):
            return before, now
        if isinstance(self.now, str):
            return re.sub(self.before, self.now, before), now
        return self.now(before, now)


def more_digits(before: str, now: str) -> tuple[str, str]:
    """Leave out that lines have the same numbers with more digits, or in percent, and their spaces.

    >>> more_digits("mooe  87.1 %  0.866", "mooe  87.08 %  86.64 %")[0]
    'mooe  87.08 %  86.64 %'
    >>> more_digits("mooe  87.1 %", "mooe  87.21 %")[0]
    'mooe  87.1 %'
    """
    lines, later = before.split("\n"), now.split("\n")
    if len(lines) != len(later) or before.startswith(("{", "[")):  # JSON has all digits
        return before, now
    pairs = zip(lines, later, strict=True)
    return "\n".join(new if _says_the_same(old, new) else old for old, new in pairs), now


def _says_the_same(before: str, now: str) -> bool:
    shapes = [re.sub(r"[\s─]+", " ", NUMBER.sub("#", line)) for line in (before, now)]
    numbers = zip(NUMBER.finditer(before), NUMBER.finditer(now), strict=False)
    return shapes[0] == shapes[1] and all(_rounds_to(old, new) for old, new in numbers)


def _rounds_to(before: re.Match[str], now: re.Match[str]) -> bool:
    """Return whether a number, rounded to the decimals of the record, is the record's."""
    scale = 100.0 if now[4] and not before[4] else 1.0
    decimals = len(before[3]) - (2 if scale > 1.0 else 0)
    distance = abs(scale * _value(before) - _value(now))
    return len(now[3]) >= decimals and distance <= 0.5000001 * 10.0**-decimals


def _value(number: re.Match[str]) -> float:
    sign, whole, decimals, _ = number.groups()
    return float(f"{sign.replace('−', '-')}{whole.replace(',', '')}.{decimals}")


def without(pattern: str) -> Callable[[str, str], tuple[str, str]]:
    """Return a function that leaves out of both texts what fits a pattern."""
    return lambda before, now: (re.sub(pattern, "", before), re.sub(pattern, "", now))


# The record is of commit 66be4dd, the last before the rooms, merged with the mended defects of
# be41664, 2d78610, 0a59699 and 3a57bb2.
THEORY = "`mooe.theory` is `mooe_paper.theory`"
KAPPA = "kappa-temporal and kappa-t are kappa-T"
CHANGES = [
    Change(
        KAPPA, r".*(/table\.(md|tex)|/index\.html|/stdout\.txt)", r"kappa-(temporal|t)\b", "kappa-T"
    ),
    Change("R² is R2", r"regression/.*", r"R²|R\\textsuperscript\{2\}", "R2"),
    Change("mean error is MAE", r".*/stderr\.txt", r"\bmean error\b", "MAE"),
    Change(
        "precision, recall and F1 are written in percent everywhere "
        "(the terminal had .736 where the report had 73.6 %), percents with two decimals",
        r".*/std(out|err)\.txt",
        r"(?<![\d.])\d+\.\d %",
        more_digits,
    ),
    Change(
        "errors of a regression with four digits",
        r"(regression|compare)/.*(std(out|err)\.txt|table\.(md|tex)|index\.html)",
        r"\b0\.8(32|19)\b",
        more_digits,
    ),
    Change(
        "errors of a regression with four digits",  # in the title of the figure
        r"regression/01/files/report/(memory\..*|index\.html)",
        r"figure 7dca24e8",
        without(r"(?m)^figure \w+|Memory against no memory[^>]* src=\"data:figure \w+"),
    ),
    Change(THEORY, r"reproduce/.*(\.html|stdout\.txt)", r"\bmooe\.theory", "mooe_paper.theory"),
    Change(THEORY, r"reproduce/.*\.md", r"\bmooe\.theory", r"mooe\\_paper.theory"),
    Change(THEORY, r"reproduce/.*\.tex", r"\bmooe\.theory", r"mooe\\_\\allowbreak{}paper.theory"),
    Change(
        "`kind` is the estimator that suits the model",
        r"(paper mode/0[34]|regression/06|models/03)/stdout\.txt",
        r"\b(?<!Paper)MOOE(Classifier|Regressor)",
        r"PaperMOOE\1",
    ),
    Change(
        "The file that `mooe run --save` writes has format 3",
        r".*/files/\w+\.txt",
        r"\"format\": [12],",
        without(r"(?m)^(?!\S+ [A-Z]+\d* \[[\d, ]*\] \w{64}$).*\n?"),  # all but arrays
    ),
    Change(
        "its state and its file have other sizes",
        r".*/stdout\.txt",
        r"198,584",
        without(r"\b(state|file)[ _]bytes\"?:? +[\d,]+"),
    ),
    Change(
        "The mean that `majority` answers in a regression is the same to the last bit however "
        "the rows are cut into chunks",
        r"compare/03/(stdout\.txt|files/regression/runs/shop\.csv/majority-0/.*)",
        r"-0\.01619155585437304",
        without(r"(?<=\.\d{12})\d+"),
    ),
    Change(
        "The regrets of an interval in which a new column appears are those of the columns that "
        "the experts knew",
        r"paper mode/01/files/report/(results\.json|index\.html)",
        r"1\.98646528891768|[Rr]egret[^>]* src=\"data:figure",
        without(
            r"\"(experts|meta|mixture|online)\": [\d.e-]+,|[Rr]egret[^>]* src=\"data:figure \w+"
        ),
    ),
    Change(
        "The bound has its name in the figure of regrets also where it is near",
        r"paper mode/01/files/report/regret\..*",
        r"figure \w+",
        without(r"(?m)^figure \w+"),
    ),
]
