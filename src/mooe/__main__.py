"""python -m mooe: the command."""

from mooe.cli import main

main()
