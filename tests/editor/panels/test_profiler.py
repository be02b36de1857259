"""The profiler: what a frame took, and nothing imported before it is seen."""

import subprocess
import sys

import numpy as np
import pytest

from editor.panels.profiler import ProfilerPanel
from editor.panels.profiler.samples import KEPT, PHASES, FrameSamples
from editor.qt.theme import apply_theme


def test_samples_keep_the_last_frames_in_order():
    samples = FrameSamples()
    for k in range(KEPT + 5):
        samples.add({"Assets": k, "Wait": 1.0, "Unknown": 9.0}, 0.5)
    stacked = samples.stacked()
    assert stacked.shape == (KEPT, len(PHASES))
    assert stacked[:, 0].tolist() == list(range(5, KEPT + 5))
    assert np.array_equal(stacked[:, -1], stacked[:, 0] + 1)
    assert samples.gpu().tolist() == [0.5] * KEPT
    assert samples.medians()["Frame"] == pytest.approx(samples.medians()["Assets"] + 1)
    samples.clear()
    assert samples.medians() == {}


def test_frames_show_while_the_panel_is_seen(qtbot, context, document):
    panel = ProfilerPanel(context)
    qtbot.addWidget(panel)
    panel.add_frame({"Record": 3.0}, 0.0)
    assert not panel.is_plotting
    panel.show()
    qtbot.waitExposed(panel)
    assert panel.is_plotting
    assert "3.00 ms" in panel._words.text()
    assert "GPU" not in panel._words.text()
    for _ in range(3):
        panel.add_frame({"Record": 5.0}, 2.0)
    assert "5.00 ms" in panel._words.text()
    assert "GPU" in panel._words.text()
    document.new()
    assert len(panel.samples) == 0
    assert "ms" not in panel._words.text()
    assert panel._curves[-1].getData()[0] is None or not len(panel._curves[-1].getData()[0])
    panel.dispose()


def test_the_plot_follows_the_theme(qtbot, qapp, context):
    panel = ProfilerPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    panel.add_frame({"Record": 3.0, "Wait": 4.0}, 5.0)
    former = qapp.property("cinder.theme")
    grounds = {}
    try:
        for name in ("light", "dark"):
            apply_theme(qapp, name)
            picture = panel._plot.grab().toImage()
            grounds[name] = picture.pixelColor(picture.width() - 2, 2).lightness()
            assert panel._curves[-1].getData()[1].tolist() == [7.0]
    finally:
        apply_theme(qapp, former if isinstance(former, str) else "dark")
    assert grounds["light"] > 200 > 80 > grounds["dark"]
    panel.dispose()


def test_nothing_plots_before_the_panel_is_opened():
    code = "import editor.panels, sys; print('pyqtgraph' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
