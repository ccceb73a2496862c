"""Options that several commands have."""

from dataclasses import dataclass, fields
from inspect import signature

import typer
from typer.testing import CliRunner

from mooe.cli.options import (
    EvaluationOptions,
    ReadingOptions,
    StreamOptions,
    with_options,
)
from mooe.datasets import open_stream
from mooe.run.execution import Plan


def test_options_are_handed_on_by_their_names():
    """So that one more is declared, carried by the plan, and used where it acts."""
    arguments = set(signature(open_stream).parameters)
    assert set(StreamOptions().values()) | set(ReadingOptions().values()) <= arguments
    assert set(EvaluationOptions().values()) <= {field.name for field in fields(Plan)}


@dataclass(frozen=True)
class Two:
    left: int = 1
    right: str = "b"


def test_a_group_of_options_is_one_parameter_of_a_command():
    seen, small = [], typer.Typer()

    @small.command()
    @with_options
    def command(first: str, two: Two, last: bool = False) -> None:
        seen.append((first, two, last))

    assert CliRunner().invoke(small, ["x", "--left", "7", "--last"]).exit_code == 0
    assert seen == [("x", Two(7, "b"), True)]
    assert CliRunner().invoke(small, ["x", "--left", "seven"]).exit_code == 2
    assert len(seen) == 1
