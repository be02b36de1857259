"""The issues panel: what is amiss in the level now."""

from editor.panels.issues.panel import IssuesPanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("issues", "Issues", "warning", "bottom", IssuesPanel)

__all__ = ["SPEC", "IssuesPanel"]
