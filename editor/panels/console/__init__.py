"""The console panel: everything that happened, with a way to where it happened."""

from editor.panels.console.panel import LOGGER, ConsolePanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("console", "Console", "terminal-window", "bottom", ConsolePanel)

__all__ = ["LOGGER", "SPEC", "ConsolePanel"]
