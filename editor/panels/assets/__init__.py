"""The assets panel: the project's folders and pictures of what is in them."""

from editor.panels.assets.panel import AssetsPanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("assets", "Assets", "squares-four", "bottom", AssetsPanel)

__all__ = ["SPEC", "AssetsPanel"]
