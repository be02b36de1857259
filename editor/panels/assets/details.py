"""What an asset brought, beside the tiles, who uses it, and importing it again."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from editor.panels.assets.asset_users import AssetUsers, UserList
from editor.panels.assets.import_report import ReportReader, Section
from editor.qt.fonts import TITLE
from editor.qt.icons import icon
from editor.qt.widgets.color_chip import ColorChip
from editor.qt.widgets.labels import ElidedLabel, plain_label
from editor.qt.widgets.more_rows import MoreRows
from engine.assets import GltfAsset
from engine.assets.gltf.container import GLTF_SUFFIXES

__all__ = ["AssetDetails"]

_MOST_LINES: Final = 12


class AssetDetails(QScrollArea):
    """What the chosen file brought, and who uses it.

    Signals
    -------
    entities_chosen(list of Entity)
    level_chosen(str)
        Its path relative to the project.
    reimport_requested()
    """

    entities_chosen = Signal(object)
    level_chosen = Signal(str)
    reimport_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("assets.details")
        self.setAccessibleName("Details")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.reader = ReportReader(self)
        self.reader.ready.connect(self._on_ready)
        self._path: Path | None = None
        self._problem = ""
        self._uses: AssetUsers | None = None
        self._shown: dict[str, int] = {}
        body = QWidget(self)
        self._rows = QVBoxLayout(body)
        self._rows.setContentsMargins(12, 8, 12, 8)
        self._rows.setSpacing(2)
        self._title = ElidedLabel("", body, weight=TITLE)
        self._rows.addWidget(self._title)
        self._heading = plain_label("", "quiet", body)
        self._rows.addWidget(self._heading)
        self.again = self._make_again(body)
        self._rows.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        self._users = UserList(AssetUsers(), self._shown, body)
        self._text = QWidget(body)
        self._rows.addWidget(self._text)
        self._rows.addWidget(self._users)
        self._rows.addStretch(1)
        self.setWidget(body)

    def show_file(
        self,
        path: Path | None,
        root: Path,
        users: AssetUsers | None = None,
        asset: GltfAsset | None = None,
        problem: str = "",
        digest: str = "",
    ) -> None:
        """Show who uses a file, and the report of a model; or nothing.

        Parameters
        ----------
        path, root
            The file, and the project's folder.
        users
            Who names it; None where nobody can.
        asset
            The file as it was imported already.
        problem
            Why that is not what the file holds now.
        digest
            What it holds with its side files, as far as that is known.
        """
        if path != self._path:
            self._shown.clear()
        self._path = path
        self._problem = problem
        self._title.set_text("" if path is None else path.name)
        self._title.setVisible(path is not None)
        self._show_users(users)
        is_model = path is not None and path.suffix.lower() in GLTF_SUFFIXES
        sections: list[Section] | None = []
        if path is not None and is_model:
            sections = self.reader.read(path, root, asset, digest)
        self._show([Section("Reading …", ())] if sections is None else sections)

    def _make_again(self, parent: QWidget) -> QPushButton:
        button = QPushButton(icon("arrow-clockwise", "quiet"), "", parent)
        button.setObjectName("assets.reimport")
        button.setProperty("role", "line")
        button.setIconSize(QSize(13, 13))
        button.setToolTip("Import the chosen files again, past what was kept of them")
        button.clicked.connect(lambda: self.reimport_requested.emit())
        button.hide()
        return button

    def offer_reimport(self, count: int, *, is_running: bool) -> None:
        """Offer to import so many files again; nothing for none, and not while that is done."""
        files = "1 file" if count == 1 else f"{count:,} files"
        what = "Reimport" if count == 1 else f"Reimport {files}"
        self.again.setText(f"Reimporting {files} …" if is_running else what)
        self.again.setAccessibleName(self.again.text())
        self.again.setEnabled(not is_running)
        self.again.setVisible(count > 0)

    def forget(self, path: Path) -> None:
        """Have a file's report read anew."""
        self.reader.forget(path)

    def text(self) -> str:
        """Return what is shown of a model, a line each."""
        return "\n".join(label.text() for label in self._text.findChildren(QLabel))

    def users(self) -> list[QPushButton]:
        """Return the lines of those who use the file."""
        buttons = self._users.findChildren(QPushButton)
        return [button for button in buttons if button.property("role") == "line"]

    def _on_ready(self, path: object, sections: list[Section]) -> None:
        if path == self._path:
            self._show(sections)

    def _fresh(self, old: QWidget) -> tuple[QWidget, QVBoxLayout]:
        """Put an empty widget in the place of one."""
        new = QWidget(self.widget())
        self._rows.replaceWidget(old, new)
        old.hide()
        old.deleteLater()
        column = QVBoxLayout(new)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        return new, column

    def _show_users(self, users: AssetUsers | None) -> None:
        if users == self._uses and self._heading.text():
            return
        self._uses = users
        nothing = "Choose a file to see what is in it and who uses it."
        self._heading.setText(users.heading if users is not None else nothing)
        made = UserList(users or AssetUsers(), self._shown, self.widget())
        made.entities_chosen.connect(self.entities_chosen)
        made.level_chosen.connect(self.level_chosen)
        self._rows.replaceWidget(self._users, made)
        self._users.hide()
        self._users.deleteLater()
        self._users = made
        made.show()

    def _show(self, sections: list[Section]) -> None:
        self._text, column = self._fresh(self._text)
        if self._problem:
            sections = [Section("The newest file can't be shown", (self._problem,)), *sections]
        for section in sections:
            column.addSpacing(5)
            column.addWidget(plain_label(section.heading, "quiet", self._text))
            column.addWidget(self._lines(section))
        self._text.show()

    def _lines(self, section: Section) -> MoreRows:
        heading = section.heading
        rows = MoreRows(
            len(section.lines),
            lambda index: self._line(section, index),
            _MOST_LINES,
            self._text,
            shown=self._shown.get(heading, 0),
        )
        rows.shown_changed.connect(lambda count: self._shown.update({heading: count}))
        return rows

    def _line(self, section: Section, index: int) -> QWidget:
        """Return a line, with its colour before it where it has one."""
        label = plain_label(section.lines[index], "", self._text)
        if not section.colors:
            return label
        line = QWidget(self._text)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 1, 0, 1)
        row.setSpacing(7)
        row.addWidget(ColorChip(section.colors[index], line))
        row.addWidget(label, 1)
        return line

    def close_reader(self) -> None:
        """Let the reading thread go."""
        self.reader.close()
