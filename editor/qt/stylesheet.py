"""The stylesheet, generated from tokens.

Widgets opt in by class or by the dynamic property ``role`` ("panel", "card", "tool", ...),
so that a panel never carries colours of its own.
"""

from string import Template

from editor.qt.tokens import Tokens

__all__ = ["stylesheet"]

_FRAME = """
QMainWindow, QDialog#gapped { background: $gap; }
QMainWindow::separator { background: $gap; width: 6px; height: 6px; }
QMainWindow::separator:hover { background: $line_strong; }
QDialog, QMessageBox { background: $panel; }
QWidget[role="panel"] { background: $panel; border-radius: 6px; }
QWidget[role="panel_bottom"] { background: $panel; border-bottom-left-radius: 6px;
  border-bottom-right-radius: 6px; }
QWidget[role="card"] { background: $raised; border-radius: 5px; }
QWidget[role="plain"] { background: transparent; }
QWidget[role="bar"] { background: $panel; border-radius: 6px; }
QLabel { background: transparent; color: $text; }
QLabel[role="quiet"] { color: $quiet; }
QLabel[role="warning"] { color: $warning; }
QLabel[role="error"] { color: $error; }
QLabel:disabled { color: $faint; }
QToolTip { background: $raised; color: $text; border: 1px solid $line_strong; padding: 4px 6px; }
QSplitter::handle { background: transparent; }
QSplitter::handle:horizontal { width: 8px; }
QSplitter::handle:vertical { height: 8px; }
QScrollArea, QScrollArea > QWidget > QWidget[role="plain"] { background: transparent; border: 0; }
QToolBar { background: $gap; border: 0; padding: 6px 6px 0 6px; spacing: 0; }
QStatusBar { background: $gap; color: $quiet_on_gap; min-height: 26px; }
QStatusBar::item { border: 0; }
QStatusBar QLabel { color: $quiet_on_gap; }
QDockWidget { color: $text; }
"""

_MENUS = """
QMenuBar { background: $panel; color: $text; padding: 2px 6px; spacing: 0; }
QMenuBar::item { background: transparent; padding: 4px 10px; border-radius: 4px; }
QMenuBar::item:selected { background: $hover; }
QMenuBar::item:pressed { background: $pressed; }
QMenu { background: $raised; color: $text; border: 1px solid $line; padding: 5px; }
QMenu::item { padding: 4px 28px 4px 10px; border-radius: 4px; min-height: 16px; }
QMenu::icon { padding-left: 8px; }
QMenu::item:selected { background: $selection; color: $selection_text; }
QMenu::item:disabled { color: $faint; background: transparent; }
QMenu::separator { height: 1px; background: $line; margin: 5px 8px; }
"""

_FIELDS = """
QRadioButton { color: $text; spacing: 8px; padding: 2px 0; }
QRadioButton::indicator { width: 10px; height: 10px; border-radius: 7px; background: $sunken;
  border: 2px solid $line_strong; }
QRadioButton::indicator:hover, QRadioButton:focus::indicator { border-color: $quiet; }
QRadioButton::indicator:checked { background: $accent; border-color: $accent; }
QLineEdit, QPlainTextEdit, QTextEdit, QTextBrowser {
  background: $sunken; color: $text; border: 1px solid $field_line; border-radius: 4px;
  selection-background-color: $selection; selection-color: $selection_text;
}
QLineEdit { padding: 0 6px; min-height: 20px; max-height: 20px; }
QPlainTextEdit, QTextEdit, QTextBrowser { padding: 4px; }
QLineEdit:hover, QPlainTextEdit:hover { border-color: $line_strong; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus { border-color: $accent; }
QLineEdit:disabled { color: $faint; background: $panel; border-color: transparent; }
QLineEdit[readOnly="true"] { color: $quiet; }
QLineEdit[invalid="true"] { border-color: $error; }
QLineEdit[axis="true"] { padding-left: 6px; padding-right: 1px; }
QComboBox {
  background: $sunken; color: $text; border: 1px solid $field_line; border-radius: 4px;
  padding: 0 22px 0 7px; min-height: 20px; max-height: 20px;
}
QComboBox:hover { border-color: $line_strong; }
QComboBox:focus, QComboBox:on { border-color: $accent; }
QComboBox:disabled { color: $faint; background: $panel; }
QComboBox::drop-down { border: 0; width: 0; }
QComboBox QAbstractItemView {
  background: $raised; color: $text; border: 1px solid $line; outline: 0; padding: 4px;
  selection-background-color: $selection; selection-color: $selection_text;
}
QComboBox QAbstractItemView::item { min-height: 22px; padding: 0 6px; border-radius: 4px; }
QComboBox QAbstractItemView::item:selected { background: $selection; color: $selection_text; }
QSpinBox, QDoubleSpinBox {
  background: $sunken; color: $text; border: 1px solid $field_line; border-radius: 4px;
  min-height: 20px; padding: 0 6px;
}
"""

_BUTTONS = """
QPushButton {
  background: $button; color: $text; border: 1px solid $button_line; border-radius: 5px;
  padding: 0 12px; min-height: 24px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $pressed; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $faint; background: $panel; border-color: transparent; }
QPushButton:default {
  background: $accent; color: $on_accent; border-color: $accent;
}
QPushButton:default:hover {
  background: $accent_hover; border-color: $accent_hover;
}
QPushButton[role="wide"] { background: $raised; border-color: transparent; min-height: 26px; }
QPushButton[role="wide"]:hover { background: $hover; }
QPushButton[role="wide"]:focus { border-color: $accent; }
QPushButton[role="wide"]:disabled { background: $panel; }
QPushButton[role="link"] { background: transparent; border: 0; color: $quiet; padding: 0 4px;
  min-height: 20px; }
QPushButton[role="link"]:hover { color: $accent; }
QPushButton[role="link"]:disabled { background: transparent; color: $faint; }
QPushButton[role="offer"] { background: transparent; border: 0; color: $override; padding: 0 4px;
  min-height: 20px; }
QPushButton[role="offer"]:hover { background: $hover; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 4px;
  color: $text; padding: 1px; }
QToolButton:hover { background: $hover; }
QToolButton:pressed { background: $pressed; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; width: 0; }
QPushButton[role="line"] { background: transparent; border: 0; text-align: left; padding: 0 4px;
    min-height: 20px;
    border-radius: 4px; }
QPushButton[role="line"]:hover { background: $hover; }
QPushButton[role="line"]:focus { background: $hover; }
QToolButton[role="tool"] { background: $raised; border-radius: 5px; border-color: $tool_line; }
QToolButton[role="tool"]:hover { background: $hover; }
QToolButton[role="tool"]:pressed { background: $pressed; }
QToolButton[role="tool"]:checked { background: $accent; border-color: $accent;
  color: $on_accent; }
QToolButton[role="tool"]:checked:hover { background: $accent_hover; }
QToolButton[role="tool"]:disabled { background: $panel; border-color: transparent; }
QToolButton[role="tool"]:focus { border-color: $accent_hover; }
QToolButton[role="tab"] { background: transparent; border-radius: 5px; color: $quiet;
  padding: 0 12px; min-height: 24px; border-color: transparent; }
QToolButton[role="tab"][short="true"] { padding: 0 6px; }
QToolButton[role="tab"]:hover { background: $hover; color: $text; }
QToolButton[role="tab"]:checked { background: $hover; color: $text; }
QToolButton[role="tab"]:focus { border-color: $accent; }
QToolButton[role="crumb"] { color: $quiet; padding: 0 3px; min-height: 20px; }
QToolButton[role="crumb"]:hover { color: $text; background: $hover; }
"""

_VIEWS = """
QAbstractItemView { background: transparent; border: 0; outline: 0; color: $text;
  selection-background-color: $selection; selection-color: $selection_text; }
QTreeView, QListView, QTableView { background: transparent; border: 0; }
QListView[role="sunken"], QTreeView[role="sunken"] { background: $sunken; border-radius: 5px; }
QListView::item, QTreeView::item { border: 0; }
QTreeView::item:selected { background: transparent; }
QListWidget::item:selected { background: $selection; color: $selection_text; border-radius: 4px; }
QHeaderView { background: transparent; }
QHeaderView::section { background: transparent; color: $quiet; border: 0; padding: 4px 6px; }
QHeaderView::section:hover { color: $text; }
QScrollBar:vertical { background: transparent; width: 8px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 8px; margin: 0; }
QScrollBar::handle { background: $scroll; border-radius: 3px; margin: 1px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $line_strong; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; }
QProgressBar { background: $sunken; border: 0; border-radius: 2px; max-height: 4px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
"""


def stylesheet(theme: Tokens) -> str:
    """Return the application stylesheet of a theme."""
    values = {name: getattr(theme, name) for name in theme.__dataclass_fields__}
    values["field_line"] = theme.line if not theme.is_dark else "#24282f"
    values["button"] = theme.hover if theme.is_dark else theme.raised
    values["button_line"] = "transparent" if theme.is_dark else theme.line
    values["tool_line"] = "transparent" if theme.is_dark else theme.line
    return Template(_FRAME + _MENUS + _FIELDS + _BUTTONS + _VIEWS).substitute(values)
