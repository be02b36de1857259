"""A window that was closed is gone, with its renderer and all that this held on the GPU."""

import weakref

import pytest
import wgpu
from PySide6.QtCore import QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from editor.app import create
from tests.garbage import collect_garbage
from tests.patience import PATIENCE_MS

pytestmark = pytest.mark.gpu


def live_one(level) -> list[weakref.ref]:
    """Open a window, draw in it, and close it; returns what should be gone then."""
    window = create([str(level)])
    window.resize(500, 400)
    window.show()
    assert QTest.qWaitForWindowExposed(window, PATIENCE_MS)
    QApplication.processEvents()
    window.document.add_shape("box")
    window.viewport.repaint()
    assert window.viewport.picture.report.triangles == 12, window.viewport.failure
    renderer = window.viewport.picture.renderer
    ghosts = [weakref.ref(o) for o in (window, window.document, window.viewport, renderer)]
    window.document.history.mark_saved()
    QApplication.processEvents()
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return ghosts


def counted() -> dict[str, int]:
    collect_garbage()
    counts = wgpu.diagnostics.object_counts.get_dict()
    return {kind: found["count"] for kind, found in counts.items()}


@pytest.mark.parametrize("turns", [3, pytest.param(100, marks=pytest.mark.full)])
def test_windows_that_were_opened_and_closed_leave_nothing_behind(qapp, level, turns):
    live_one(level)
    before = counted()
    for _ in range(turns):
        ghosts = live_one(level)
        after = counted()
        assert [ghost() for ghost in ghosts] == [None] * len(ghosts)
        # What earlier tests left may go in the meantime, so fewer is no fault.
        assert {kind: n for kind, n in after.items() if n > before.get(kind, 0)} == {}
