"""A step that ends within its work on the disk, as a kill ends it.

    python -m tests.gui.killed_move LEVEL STEP AT

Before the AT-th change of a name on the disk the system kills it; with status 0 there were fewer.
"""

import os
import pathlib
import signal
import sys

from editor.document import LevelDocument
from tests.editor.document.levels import named
from tests.gui.asset_steps import STEPS

# Windows has one way only to end a process at once.
END = getattr(signal, "SIGKILL", signal.SIGTERM)
KILLED = int(END) if os.name == "nt" else -int(END)


def main(level, step, at):
    document = LevelDocument()
    document.open(level)
    document.rename(named(document, "Ground"), "Earth")
    document.settle()
    document._journal._join_copying()
    project, count = str(pathlib.Path(level).parent), [0]

    def ending(real):
        def act(*arguments, **options):
            if any(str(argument).startswith(project) for argument in arguments):
                count[0] += 1
                if count[0] == int(at):
                    os.kill(os.getpid(), END)
            return real(*arguments, **options)

        return act

    for name in ("rename", "replace", "mkdir"):
        setattr(os, name, ending(getattr(os, name)))
    STEPS[step](document)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
