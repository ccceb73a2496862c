"""The mooe command: parse, call, print; a file per command.

Results go to standard output, everything else to standard error. Exit codes: 0 fine, 1 failed or
interrupted, 2 wrong usage. What a command needs is imported when it runs, so that help comes at
once.
"""

import sys
from importlib import import_module

__all__ = ["COMMANDS", "app", "main"]

# As help lists them.
COMMANDS = (
    *("demo", "run", "keyed", "predict", "forecast", "compare", "reproduce", "inspect", "data"),
    *("consume", "serve", "snapshot", "store"),
)

try:
    from mooe.cli.app import app, main

    for name in COMMANDS:
        import_module(f"mooe.cli.{name}")  # adds its command to the app
except KeyboardInterrupt:  # nobody else has begun to listen for it
    sys.exit("mooe: interrupted")  # with exit code 1
