"""The profiler: where the time of the last frames went, phase by phase."""

from editor.panels.profiler.panel import ProfilerPanel
from editor.qt.panel import PanelSpec

SPEC = PanelSpec("profiler", "Profiler", "activity", "bottom", ProfilerPanel)

__all__ = ["SPEC", "ProfilerPanel"]
