"""The window: where panels, viewport, actions and files come together.

`window` builds it; each other module owns one concern (files, edits, selection, docks, dialogs) and
contributes handlers for the actions of that concern.
"""

from editor.main_window.window import MainWindow

__all__ = ["MainWindow"]
