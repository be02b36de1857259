"""`cinder-scene`: level files from the command line, without a window.

Exit status: 0 done, and nothing to report; 1 something to report (a difference, a conflict, a
problem); 2 an input that can't be read, an output that can't be written, or a wrong command line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from types import ModuleType

from engine.cli import (
    check,
    compact,
    completion,
    convert,
    diff,
    export,
    merge,
    migrate,
    render,
    stats,
)
from engine.cli.console import run_printing
from engine.errors import EngineError

# Sorted by name. Each has HELP, add_arguments(parser) and run(arguments) -> exit status.
COMMANDS: dict[str, ModuleType] = {
    "check": check,
    "compact": compact,
    "completion": completion,
    "convert": convert,
    "diff": diff,
    "export": export,
    "merge": merge,
    "migrate": migrate,
    "render": render,
    "stats": stats,
}
UNREADABLE = 2
_STATUSES = "Exit status: 0 nothing to report, 1 something to report, 2 unreadable or misused."


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    result = argparse.ArgumentParser(
        prog="cinder-scene",
        description="Convert, check, merge and draw level files (*.scene text, *.cscn binary).",
        epilog=_STATUSES,
    )
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            epilog=_STATUSES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(sub)
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    arguments = parser().parse_args(argv)

    def run() -> int:
        try:
            return int(COMMANDS[arguments.command].run(arguments))
        except EngineError as error:
            print(f"cinder-scene: {error}", file=sys.stderr)
            return UNREADABLE

    return run_printing("cinder-scene", run, UNREADABLE)


if __name__ == "__main__":
    sys.exit(main())
