"""What a look for issues costs after one edit, in a small and in a large level."""

import time

import pytest

from editor.document import LevelDocument
from engine.scene import LocalTransform

pytestmark = pytest.mark.bench
ROW = 200


def opened(folder, count):
    lines = ["cinder-scene 2\n"]
    for i in range(count):
        place = f"[{3 * (i % ROW)}, 0, {3 * (i // ROW)}]"
        lines.append(f'entity {i}\n  Name text="e{i}"\n  LocalTransform translation={place}\n')
        lines.append('  Shape kind="box"\n')
    path = folder / f"{count}.scene"
    path.write_text("".join(lines))
    document = LevelDocument()
    document.open(path)
    document.issues()
    return document


def look(document, x):
    document.set_fields(document.children()[7:8], LocalTransform, translation=(x, 1, 0))
    started = time.perf_counter()
    document.issues()
    return time.perf_counter() - started


def test_a_look_after_an_edit_hardly_depends_on_the_level(tmp_path):
    """Measured: 3 to 4 times for 100 times the level, what is left are columns of sizes."""
    small, large = opened(tmp_path, 1000), opened(tmp_path, 100_000)
    ratio = min(look(large, x) for x in range(9)) / min(look(small, x) for x in range(9))
    small.close()
    large.close()
    assert ratio < 20
