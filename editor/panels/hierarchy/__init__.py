"""The hierarchy panel: the tree of the level, searchable, with marks, drag and rename."""

from editor.panels.hierarchy.panel import HierarchyPanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("hierarchy", "Hierarchy", "tree-structure", "left", HierarchyPanel)

__all__ = ["SPEC", "HierarchyPanel"]
