"""The inspector: cards for the components of the selection, built from their field records."""

from editor.panels.inspector.panel import InspectorPanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("inspector", "Inspector", "sliders-horizontal", "right", InspectorPanel)

__all__ = ["SPEC", "InspectorPanel"]
