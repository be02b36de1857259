"""A seeded session of edits that goes the same way wherever it runs, and what a level then holds.

    python -m tests.gui.scripted_edits LEVEL SEED COUNT

plays it in the real editor and says "done N" after each edit, for as long as it is let live.
"""

import random
import sys

from engine.errors import EngineError
from engine.reflect import Kind, to_record
from engine.scene import Enabled, LightSource, LocalTransform, Name
from engine.scene.components import LEVEL_COMPONENTS

EDITS = 300
SAVE_EVERY = 70


def by_name(document):
    """The entities of the level in an order that doesn't depend on handles."""
    world = document.world
    found = [e for e in world.entities() if world.has(e, Name)]
    return sorted(found, key=lambda e: world.get(e, Name).text)


def edit(document, rng, number):
    """One edit; what it is follows from `rng` and the names in the level alone."""
    entities = by_name(document)
    some = rng.sample(entities, min(len(entities), rng.randint(1, 3)))
    one = rng.choice([None, *entities])
    place = tuple(rng.uniform(-9, 9) for _ in range(3))
    kind = rng.choice(sorted(_EDITS))
    try:
        _EDITS[kind](document, some, one, place, number)
    except EngineError:
        document.select(some)
    if number % SAVE_EVERY == SAVE_EVERY - 1:
        document.save()


def _drag(document, some, one, place, number):
    with document.gesture("Drag"):
        for step in range(5):
            document.set_fields(some, LocalTransform, translation=[p * step for p in place])


def _copies(document, some):
    """Copies get names of their own, so that names go on telling entities apart."""
    document.select(some)
    return document.duplicate()


_EDITS = {
    "move": lambda d, s, o, p, n: d.set_fields(s, LocalTransform, translation=p),
    "drag": _drag,
    "spawn": lambda d, s, o, p, n: d.spawn(Name(f"new {n}"), LocalTransform(p), parent=o),
    "light": lambda d, s, o, p, n: d.spawn(Name(f"lamp {n}"), LightSource(), select=True),
    "rename": lambda d, s, o, p, n: d.rename(s[0], f"named {n}"),
    "delete": lambda d, s, o, p, n: d.delete(s[:1]) if len(d.world) > 12 else d.select(s),
    "reparent": lambda d, s, o, p, n: d.reparent(s, o, keep_world=n % 2 == 0),
    "order": lambda d, s, o, p, n: d.order(s, None, o),
    "enable": lambda d, s, o, p, n: d.add_component(s, Enabled(False)),
    "remove": lambda d, s, o, p, n: d.remove_component(s, Enabled),
    "hide": lambda d, s, o, p, n: d.set_hidden(s, n % 2 == 0),
    "select": lambda d, s, o, p, n: d.select(s),
    "undo": lambda d, s, o, p, n: d.undo(),
    "redo": lambda d, s, o, p, n: d.redo(),
}


def seen(document):
    """Everything in a level, entities called by name, whatever their handles and indices."""
    world, lines = document.world, []
    for entity in by_name(document):
        parts = []
        for type_ in LEVEL_COMPONENTS:
            if world.has(entity, type_):
                fields = to_record(world.get(entity, type_)).fields
                parts.append((type_.__name__, [_value(document, f) for f in fields]))
        lines.append((document.label(entity), document.hidden(entity), parts))
    return lines, sorted(document.label(e) for e in document.selection)


def _value(document, field):
    if field.kind is Kind.ENTITY:
        return document.label(field.value) if document.world.alive(field.value) else ""
    return field.floats.tobytes() if field.kind in (Kind.FLOAT, Kind.FLOATS) else field.value


def main(level, seed, count):
    from PySide6.QtWidgets import QApplication

    from editor.app import create

    window = create([level])
    window.resize(640, 400)
    window.show()
    rng = random.Random(int(seed))
    print("ready", flush=True)
    for number in range(int(count)):
        edit(window.document, rng, number)
        print(f"done {number}", flush=True)
        if number % 10 == 0:
            QApplication.processEvents()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
