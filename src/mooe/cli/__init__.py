"""The mooe command: parse, call, print; a file per command.

Results go to standard output, everything else to standard error. Exit codes: 0 fine, 1 failed or
interrupted, 2 wrong usage. What a command needs is imported when it runs, so that help comes at
once.
"""

from importlib import import_module

from mooe.cli.app import app, main

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = (
    "demo",
    "run",
    "predict",
    "compare",
    "reproduce",
    "inspect",
    "data",
)  # as help lists them

for name in COMMANDS:
    import_module(f"mooe.cli.{name}")  # adds its command to the app
