"""The profiler panel. Plotting is imported when it is first seen: a closed profiler costs nothing.

Frames are noted all the time, since they are few numbers each, and drawn only while somebody looks.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from editor.panels.profiler.samples import GPU, PHASES, FrameSamples
from editor.qt.panel import Panel, PanelContext
from editor.qt.theme import color

__all__ = ["ProfilerPanel"]

_EMPTY = "Move the camera to see where the time goes."
_ROLES = ("axis_z", "good", "folder", "outline", "axis_x", "faint")


class ProfilerPanel(Panel):
    """Stacked phases of the last frames, the GPU's time as a line, and medians in words."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__("profiler", context)
        self.samples = FrameSamples()
        self._plot: Any = None
        self._curves: list[Any] = []
        self._words = QLabel(_EMPTY, self)
        self._words.setObjectName("profiler.medians")
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setContentsMargins(12, 10, 16, 8)
        self._words.setTextFormat(Qt.TextFormat.RichText)
        body = QWidget(self)
        self._row = QHBoxLayout(body)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.addWidget(self._words)
        self.column.addWidget(body, 1)
        self.observe(self.document.replaced.connect(lambda nothing: self._forget()))

    @property
    def is_plotting(self) -> bool:
        """Whether the plot was made, which is when the panel was first seen."""
        return self._plot is not None

    def add_frame(self, phases: Mapping[str, float], gpu_ms: float) -> None:
        """Note a frame, milliseconds by phase."""
        self.samples.add(phases, gpu_ms)
        if self.isVisible():
            self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._plot is None:
            self._make_plot()
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Curves and axes keep the colours they were made with.
        if event.type() == QEvent.Type.PaletteChange and self._plot is not None:
            self._row.removeWidget(self._plot)
            self._plot.deleteLater()
            self._make_plot()
            self._refresh()

    def _forget(self) -> None:
        self.samples.clear()
        self._refresh()

    def _make_plot(self) -> None:
        import pyqtgraph

        plot = pyqtgraph.PlotWidget(self, background=color("sunken"))
        plot.setMenuEnabled(False)
        plot.setMouseEnabled(False, False)
        plot.hideButtons()
        plot.hideAxis("bottom")
        axis = plot.getAxis("left")
        axis.setPen(color("line"))
        axis.setTextPen(color("quiet"))
        axis.setLabel("ms", color=color("quiet").name())
        base = pyqtgraph.PlotDataItem([], [])
        self._curves = [base]
        for role in _ROLES:
            curve = pyqtgraph.PlotDataItem([], [], pen=pyqtgraph.mkPen(color(role), width=1))
            fill = color(role)
            fill.setAlpha(110)
            plot.addItem(curve)
            plot.addItem(pyqtgraph.FillBetweenItem(self._curves[-1], curve, brush=fill))
            self._curves.append(curve)
        pen = pyqtgraph.mkPen(color("text"), width=1.5, style=Qt.PenStyle.DashLine)
        self._gpu = pyqtgraph.PlotDataItem([], [], pen=pen)
        plot.addItem(self._gpu)
        self._plot = plot
        self._row.addWidget(plot, 1)

    def _refresh(self) -> None:
        medians = self.samples.medians()
        if self._plot is None:
            return
        if not medians:
            self._words.setText(_EMPTY)
            for curve in (*self._curves, self._gpu):
                curve.setData([], [])
            return
        stacked = self.samples.stacked()
        frames = range(len(stacked))
        self._curves[0].setData(frames, stacked[:, 0] * 0)
        for curve, times in zip(self._curves[1:], stacked.T, strict=True):
            curve.setData(frames, times)
        gpu = self.samples.gpu()
        self._gpu.setData(frames, gpu) if gpu.any() else self._gpu.setData([], [])
        self._plot.setYRange(0, max(float(stacked[:, -1].max()), float(gpu.max()), 1.0) * 1.05)
        self._words.setText(_table(medians))


def _table(medians: Mapping[str, float]) -> str:
    """Return the medians as rows with the colour of each phase."""
    roles = {"Frame": "text", GPU: "text", **dict(zip(PHASES, _ROLES, strict=True))}
    rows = [
        f'<tr><td style="color:{color(roles[name]).name()}">■</td><td>&nbsp;{name}&nbsp;</td>'
        f'<td align="right">&nbsp;{value:.2f} ms</td></tr>'
        for name, value in medians.items()
        if name != GPU or value > 0
    ]
    return f"<table>{''.join(rows)}</table>"
