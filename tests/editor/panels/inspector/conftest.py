"""The inspector over a document without a renderer."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from editor.panels.inspector import InspectorPanel
from editor.qt.panel import PanelContext
from editor.qt.widgets.number_field import NumberField


@pytest.fixture
def panel(qtbot, context: PanelContext) -> InspectorPanel:
    panel = InspectorPanel(context)
    panel.resize(320, 900)
    qtbot.addWidget(panel)
    panel.show()
    yield panel
    panel.dispose()


def numbers(panel: InspectorPanel, component: str) -> list[NumberField]:
    card = panel.card(component)
    assert card is not None
    return card.findChildren(NumberField)


def type_into(field: QLineEdit, text: str) -> None:
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
