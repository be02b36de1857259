"""Preferences, keyboard shortcuts, and About; none of them blocks the window."""

from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from editor.main_window.reports import system_facts
from editor.model.settings import Settings
from editor.qt.actions import ACTIONS
from editor.qt.expression import NumberEdit
from editor.qt.fonts import TITLE, with_weight
from editor.qt.menus import MENU_BAR, MENUS, VIEW_SUBMENUS
from editor.qt.widgets.check_box import CheckBox
from editor.qt.widgets.choice_combo import ChoiceCombo
from editor.qt.widgets.glyph import Glyph
from editor.qt.widgets.labels import heading
from editor.qt.widgets.number_field import NumberField
from editor.qt.widgets.scrolling import plain_scroll_area
from editor.tools.state import ToolState

BEST_ADAPTER: Final = "Automatic"
TEXTURE_MEGABYTES: Final = (256, 512, 1024, 2048, 4096, 8192)

__all__ = ["AboutDialog", "KeysDialog", "PreferencesDialog"]

KeyGroups = list[tuple[str, list[tuple[str, str]]]]
"""Titles, each with names and keys."""


class _Dialog(QDialog):
    def __init__(self, name: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"dialog.{name}")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(False)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(22, 20, 22, 16)
        self.column.setSpacing(12)
        self.column.addWidget(heading(title, self))

    def add_close(self) -> None:
        row = QHBoxLayout()
        row.addStretch(1)
        close = QPushButton("Close", self)
        close.setDefault(True)
        close.setFocus()
        close.clicked.connect(self.close)
        row.addWidget(close)
        self.column.addLayout(row)


class PreferencesDialog(_Dialog):
    """Theme, snapping, adapter, watching; all but the developer mode take effect at once."""

    def __init__(
        self,
        settings: Settings,
        state: ToolState,
        set_theme: Callable[[str], None],
        adapters: Sequence[str],
        parent: QWidget,
    ) -> None:
        super().__init__("preferences", "Preferences", parent)
        self._state = state
        self._settings = settings
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.addRow(self._label("Theme"), self._theme_choice(set_theme))
        for title, name, unit in (
            ("Move snap", "move_step", "m"),
            ("Rotate snap", "angle_step", "°"),
            ("Scale snap", "scale_step", ""),
        ):
            form.addRow(self._label(title), self._step_field(name, unit))
        form.addRow(self._label("Graphics adapter"), self._adapter_choice(adapters))
        form.addRow(self._label("Texture memory"), self._texture_choice())
        form.addRow(self._label("Project files"), self._watch_box())
        form.addRow(self._label("Developer mode"), self._developer_box())
        self.column.addLayout(form)
        self.add_close()
        self.setMinimumWidth(360)

    def _label(self, text: str) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("role", "quiet")
        return label

    def _theme_choice(self, set_theme: Callable[[str], None]) -> ChoiceCombo:
        theme = ChoiceCombo(("dark", "light"))
        theme.setObjectName("preferences.theme")
        theme.set_value(self._settings.theme)
        theme.edited.connect(set_theme)
        return theme

    def _developer_box(self) -> CheckBox:
        box = CheckBox("Reload shaders when they are saved", self)
        box.setObjectName("preferences.developer")
        box.setToolTip("For those who work on the editor itself; from the next start on")
        box.set_state(self._settings.developer)
        box.edited.connect(lambda on: self._settings.set("developer", on))
        return box

    def _adapter_choice(self, adapters: Sequence[str]) -> ChoiceCombo:
        """Return the choice of an adapter; a chosen one that is unplugged stays listed."""
        chosen = self._settings.adapter
        combo = ChoiceCombo()
        for name in (BEST_ADAPTER, *adapters):
            combo.add_choice(name, name)
        combo.setObjectName("preferences.adapter")
        combo.setToolTip("What the pictures are drawn with")
        combo.set_value(chosen or BEST_ADAPTER)
        combo.edited.connect(
            lambda name: self._settings.set("adapter", "" if name == BEST_ADAPTER else name)
        )
        return combo

    def _watch_box(self) -> CheckBox:
        box = CheckBox("Reload when other programs save them", self)
        box.setObjectName("preferences.watch_files")
        box.setAccessibleName("Reload files when other programs save them")
        box.setToolTip(
            "Shows what other programs save as soon as the file is whole. "
            "When off, files are looked at when the window comes to the front."
        )
        box.set_state(self._settings.watch_files)
        box.edited.connect(lambda on: self._settings.set("watch_files", on))
        return box

    def _texture_choice(self) -> ChoiceCombo:
        """Return the choice of how much graphics memory textures may take."""
        chosen = self._settings.texture_megabytes
        combo = ChoiceCombo()
        for megabytes in sorted({*TEXTURE_MEGABYTES, chosen}):
            whole = megabytes % 1024 == 0
            text = f"{megabytes // 1024} GB" if whole else f"{megabytes} MB"
            combo.add_choice(str(megabytes), text)
        combo.setObjectName("preferences.texture_megabytes")
        combo.setToolTip("Beyond it, textures that are seen small get coarser first")
        combo.set_value(str(chosen))
        combo.edited.connect(lambda text: self._settings.set("texture_megabytes", int(text)))
        return combo

    def _step_field(self, name: str, unit: str) -> NumberField:
        field = NumberField(self, unit=unit)
        field.setObjectName(f"preferences.{name}")
        field.step = 0.01
        field.set_value(getattr(self._state, name))

        def edited(edit: NumberEdit) -> None:
            value = edit.apply(getattr(self._state, name), 0, 1)
            if value > 0:
                setattr(self._state, name, value)
            field.set_value(getattr(self._state, name))

        field.edited.connect(edited)
        return field


def key_groups(actions: Mapping[str, QAction]) -> KeyGroups:
    """Return what has a shortcut, by the menu it is in: names and keys.

    Actions that differ only by a digit share a line.
    """
    form = QKeySequence.SequenceFormat.NativeText
    named = {spec.action_id: spec.text.removesuffix("…") for spec in ACTIONS}
    places = {name: menu for menu in (*MENU_BAR, *VIEW_SUBMENUS) for name in MENUS[menu][1]}
    groups: dict[str, dict[str, str]] = {}
    for name, action in actions.items():
        keys = "   ".join(key.toString(form) for key in action.shortcuts())
        if not keys:
            continue
        title = MENUS[places.get(name, "edit" if name != "add_menu" else "add")][0].replace("&", "")
        text = named[name]
        if text[-1].isdigit():
            text, keys = f"{text[:-1]}1 to 9", f"{keys[:-1]}1 … 9"
        groups.setdefault(title, {}).setdefault(text, keys)
    return [(title, list(rows.items())) for title, rows in groups.items()]


class KeysDialog(_Dialog):
    """All shortcuts, by menu, in two columns."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget) -> None:
        super().__init__("keys", "Keyboard shortcuts", parent)
        self.column.addWidget(self._listing(key_groups(actions)), 1)
        mouse = QLabel(
            "Alt+left or middle button orbits, Shift+middle pans, the wheel zooms to the pointer; "
            "hold the right button and use W A S D Q E to fly. While a handle is dragged, Ctrl "
            "snaps, Shift is precise, a typed number is exact and Esc restores; a drag that begins "
            "with Alt moves a copy.",
            self,
        )
        mouse.setWordWrap(True)
        mouse.setProperty("role", "quiet")
        self.column.addWidget(mouse)
        self.add_close()
        self.resize(800, 640)

    def _listing(self, groups: KeyGroups) -> QScrollArea:
        """Return the groups in two columns of about the same height."""
        body = QWidget()
        body.setProperty("role", "plain")
        columns = QHBoxLayout(body)
        columns.setContentsMargins(0, 0, 12, 0)
        columns.setSpacing(36)
        lines = sum(len(rows) + 2 for _, rows in groups)
        grids = [self._grid(columns) for _ in range(2)]
        seen = 0
        for title, rows in groups:
            self._add_group(grids[int(2 * seen >= lines)], title, rows)
            seen += len(rows) + 2
        for grid in grids:
            grid.setRowStretch(grid.rowCount(), 1)
        return plain_scroll_area(body, self)

    def _grid(self, columns: QHBoxLayout) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(0, 1)
        columns.addLayout(grid, 1)
        return grid

    def _add_group(self, grid: QGridLayout, title: str, rows: Sequence[tuple[str, str]]) -> None:
        at = grid.rowCount()
        head = QLabel(title, self)
        head.setFont(with_weight(head.font(), TITLE))
        head.setContentsMargins(0, 10 if at > 1 else 0, 0, 2)
        grid.addWidget(head, at, 0, 1, 2)
        for i, (name, keys) in enumerate(rows, at + 1):
            label = QLabel(name, self)
            label.setProperty("role", "quiet")
            grid.addWidget(label, i, 0)
            grid.addWidget(QLabel(keys, self), i, 1, Qt.AlignmentFlag.AlignRight)


class AboutDialog(_Dialog):
    """Version, the graphics adapter, and whose work this stands on."""

    def __init__(self, adapter: str, details: str, parent: QWidget) -> None:
        super().__init__("about", "Cinder", parent)
        try:
            version = metadata.version("cinder-editor")
        except metadata.PackageNotFoundError:
            version = "development"
        row = QHBoxLayout()
        row.setSpacing(14)
        row.addWidget(Glyph("cube", self, role="accent", size=40), 0, Qt.AlignmentFlag.AlignTop)
        text = QLabel(f"A scene editor for artists.\nVersion {version}", self)
        row.addWidget(text, 1)
        self.column.addLayout(row)
        told = f"{system_facts()}\nGraphics: {adapter}"
        self.report = f"Cinder {version}\n{told}\n{details}".rstrip()
        facts = QLabel(told, self)
        facts.setProperty("role", "quiet")
        facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        facts.setWordWrap(True)
        self.column.addWidget(facts)
        copy = QPushButton("Copy report", self)
        copy.setObjectName("about.copy")
        copy.setAutoDefault(False)
        copy.setToolTip("Copies this, and all that the system says of its graphics drivers")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.report))
        self.column.addWidget(copy, 0, Qt.AlignmentFlag.AlignLeft)
        thanks = QLabel("Inter by Rasmus Andersson (OFL 1.1), Phosphor icons (MIT).", self)
        thanks.setProperty("role", "quiet")
        self.column.addWidget(thanks)
        self.add_close()
        self.setMinimumWidth(420)
