"""Merge two versions of a level that go back to a common base.

Changes to different fields merge. What both sides changed differently is a conflict: it is printed
as entity, component, field and the three values, and OUT holds what OURS has there, so OUT always
loads. Entities that both sides added get an index each. Unchanged entities keep the lines of OURS.

Status 0: merged. 1: merged with conflicts. 2: an input can't be read; OUT is untouched.

As a git merge driver: `git config merge.cinder.driver "cinder-scene merge %O %A %B %A"`, and in
.gitattributes `*.scene merge=cinder`.
"""

from __future__ import annotations

import argparse

from engine.cli.documents import Source, read_source, rewrite
from engine.cli.words import name_of, spell
from engine.scene.document.merge import merge
from engine.scene.document.merge_records import Conflict
from engine.scene.levels import level_registry
from engine.scene.levels.scene_file import naming
from engine.scene.registry import SceneRegistry

HELP = "merge OURS and THEIRS, which both go back to BASE, into OUT"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for name in ("BASE", "OURS", "THEIRS", "OUT"):
        parser.add_argument(name.lower(), metavar=name)


def run(arguments: argparse.Namespace) -> int:
    """Merge three files into one."""
    base = read_source(arguments.base, may_be_empty=True)
    ours, theirs = read_source(arguments.ours), read_source(arguments.theirs)
    stored = ours.doc.copy()
    _bring_to_one_version(base, ours, theirs)
    result = merge(base.doc, ours.doc, theirs.doc)
    rewrite(arguments.out, ours, stored, result.doc)
    for conflict in result.conflicts:
        _print_conflict(conflict)
    if result.conflicts:
        n = len(result.conflicts)
        what = "1 conflict" if n == 1 else f"{n} conflicts"
        print(f"{arguments.out}: {what}, kept as in {arguments.ours}")
    return 1 if result.conflicts else 0


def _bring_to_one_version(*sources: Source) -> None:
    """Migrate all three where they differ; nothing is done to documents of one version."""
    if not sources[0].data:
        sources[0].doc.version = sources[1].doc.version
    if len({source.doc.version for source in sources}) == 1:
        return
    registry: SceneRegistry = level_registry()
    for source in sources:
        with naming(source.path):
            registry.migrate(source.doc)


def _print_conflict(conflict: Conflict) -> None:
    what = ".".join(part for part in (conflict.component, conflict.field) if part)
    print(f"conflict: {name_of(conflict.entity, conflict.label)}: {what or 'the whole entity'}")
    for side in ("base", "ours", "theirs"):
        print(f"  {side + ':':<7} {spell(getattr(conflict, side))}")
