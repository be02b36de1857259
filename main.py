"""Start the editor; on a fresh machine set up what it needs first.

python3 main.py [PROJECT_OR_LEVEL]                       the editor
python3 main.py --screenshot OUT.png LEVEL [--size WxH]  one picture, no display needed
python3 main.py --test [PYTEST ARGUMENTS]                the tests
python3 main.py --print-python                           the interpreter that the tests use
"""

# Until the packages are known to be there, only the standard library is imported, and this file
# keeps to syntax that old interpreters can still read, so that they can say what is wrong.

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
COMMANDS = ("--print-python", "--screenshot", "--test")


def main(argv: list[str]) -> int:
    """Run one of the commands above and return its exit status."""
    if argv[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if sys.version_info < OLDEST:
        from bootstrap.interpreter import run_with_newer_python

        return run_with_newer_python(ROOT / "main.py", argv, OLDEST)

    from bootstrap.errors import SetupError

    try:
        return _run(argv)
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next start goes on where this one was.", file=sys.stderr)
        return 130


def _run(argv: list[str]) -> int:
    from bootstrap.leaving import QuickEnd

    end = QuickEnd()
    from bootstrap import environment, system
    from bootstrap.bytecode import keep_bytecode

    command = argv[0] if argv else ""
    if command.startswith("-") and command not in COMMANDS:
        print(f"There is no option {command}.\n\n{__doc__}", file=sys.stderr)
        return 2
    testing = command in ("--test", "--print-python")
    status = environment.enter(ROOT, ROOT / "main.py", argv, ("test",) if testing else ())
    if status is not None:
        return status
    system.set_runtime_dir()
    if command == "--print-python":
        print(sys.executable)
        return 0
    if command == "--test":
        from bootstrap.testing import run_tests

        return run_tests(ROOT, argv[1:])
    keep_bytecode(ROOT)
    if command == "--screenshot":
        system.require_libraries(system.GPU)
        from engine.cli.screenshot import main as screenshot

        return screenshot(argv[1:])
    system.require_display()
    system.require_libraries(system.GPU + system.WINDOW)
    _import_what_knows_no_qt()
    from editor.app import must_hand_over
    from editor.app import run as edit

    status = edit(argv)
    end.status = None if must_hand_over() else status
    return status


def _import_what_knows_no_qt() -> None:
    """Import it before Qt: PySide reads the source of every module that comes after its own.

    The collector rests until the window is there; it would go through all that is imported again
    and again and find nothing.
    """
    import gc
    from importlib import import_module

    gc.disable()
    for name in ("editor.document", "editor.tools.state", "engine.render.renderer"):
        import_module(name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
