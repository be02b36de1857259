"""The history panel: every step by name; a click jumps there."""

from editor.panels.history.panel import HistoryPanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("history", "History", "clock-counter-clockwise", "bottom", HistoryPanel)

__all__ = ["SPEC", "HistoryPanel"]
