"""The panels, one package each; they never import each other.

A new panel is a package with a `SPEC` and one line in `BUILTIN_PANELS`.
"""

from typing import Final

from editor.panels import assets, console, hierarchy, history, inspector, issues, profiler
from editor.qt.panel import PanelSpec

__all__ = ["BUILTIN_PANELS"]

BUILTIN_PANELS: Final[tuple[PanelSpec, ...]] = (
    assets.SPEC,
    console.SPEC,
    hierarchy.SPEC,
    history.SPEC,
    inspector.SPEC,
    issues.SPEC,
    profiler.SPEC,
)
