"""What an asset brought, beside the tiles: its import report in words."""

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from editor.document.side_files import GLTF_SUFFIXES
from editor.qt.fonts import TITLE
from editor.qt.icons import icon
from editor.qt.widgets.labels import ElidedLabel
from engine.assets import AssetError, GltfAsset, load_gltf
from engine.assets.gltf.container import read_container
from engine.assets.gltf.report import AssetReport
from engine.plain_file import read_plain
from engine.reflect import Entity

__all__ = ["AssetDetails", "AssetUsers", "ReportReader", "Section"]

_KEPT: Final = 64
_MOST_LINES: Final = 12
_MOST_USERS: Final = 5
Key = tuple[str, int, int]


@dataclass(frozen=True)
class Section:
    """A heading and the lines under it."""

    heading: str
    lines: tuple[str, ...]


def sections_of(report: AssetReport, extensions: Sequence[str] = ()) -> list[Section]:
    """Return a report as sections, those without lines left out.

    Parameters
    ----------
    report : AssetReport
    extensions : sequence of str
        What the file says it uses.
    """
    size = " × ".join(f"{side:.3g}" for side in report.size)
    pictures = (
        f"{p.name}: {'missing' if p.is_missing else f'{p.width} × {p.height} px'}"
        for p in report.pictures
    )
    info = report.asset.asset_info
    materials = [material.name or "unnamed" for material in report.asset.materials]
    found = [
        Section("Size", (f"{size} m",)),
        Section("Came in", (" · ".join(report.counted()),) if report.counts else ()),
        Section("Licence", _texts(info.get("copyright"))),
        Section("Materials", tuple(materials)),
        Section("Pictures", tuple(pictures)),
        Section("Animations", tuple(f"{c.name}: {c.duration:.2f} s" for c in report.clips)),
        Section("Warnings", report.warnings),
        Section("Changed", report.changed),
        Section("Not understood", report.not_understood),
        Section("Extensions", tuple(extensions)),
        Section("File", (f"{report.file_bytes / 1e6:.2f} MB, read in {report.seconds:.2f} s",)),
        Section("Made by", _texts(info.get("generator"))),
    ]
    return [_cut(section) for section in found if section.lines]


def _texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) and value else ()


def extensions_of(path: Path) -> list[str]:
    """Return the extensions that a glTF file says it uses."""
    try:
        listed = read_container(read_plain(path)).root.get("extensionsUsed")
    except (AssetError, OSError, MemoryError):
        return []
    return sorted(str(name) for name in listed) if isinstance(listed, list) else []


def _cut(section: Section) -> Section:
    more = len(section.lines) - _MOST_LINES
    if more <= 0:
        return section
    return Section(section.heading, (*section.lines[:_MOST_LINES], f"and {more:,} more"))


class ReportReader(QObject):
    """Reads reports in a thread and keeps the last ones.

    Signals
    -------
    ready(Path, list of Section)
    """

    ready = Signal(object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="report")
        self._kept: OrderedDict[Key, list[Section]] = OrderedDict()
        self._running: Future[None] | None = None

    def read(self, path: Path, root: Path, asset: GltfAsset | None = None) -> list[Section] | None:
        """Return a file's report if it is known; otherwise begin to read it.

        Parameters
        ----------
        path, root : Path
            The file, and the project's folder.
        asset : GltfAsset, optional
            The file as it was imported already.
        """
        key = _key(path)
        # The thread may drop it between two looks.
        found = self._kept.get(key)
        if found is not None:
            return found
        if self._running is not None:
            self._running.cancel()
        self._running = self._pool.submit(self._work, key, path, root, asset)
        return None

    def _work(self, key: Key, path: Path, root: Path, asset: GltfAsset | None) -> None:
        try:
            found = asset if asset is not None else load_gltf(path, root=root)
            sections = sections_of(found.report(), extensions_of(path))
        except AssetError as error:
            sections = [Section("Cannot be read", (str(error),))]
        self._kept[key] = sections
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self.ready.emit(path, sections)

    def wait(self) -> None:
        """Return when nothing is being read."""
        if self._running is not None and not self._running.cancelled():
            self._running.result()

    def close(self) -> None:
        """Let the thread go."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _key(path: Path) -> Key:
    try:
        stat = path.stat()
    except OSError:
        return str(path), 0, 0
    return str(path), stat.st_size, stat.st_mtime_ns


class AssetDetails(QScrollArea):
    """What the chosen file brought, and who uses it.

    Signals
    -------
    entities_chosen(list of Entity)
    level_chosen(str)
        Its path relative to the project.
    """

    entities_chosen = Signal(object)
    level_chosen = Signal(str)

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
        self._uses: AssetUsers | None = None
        body = QWidget(self)
        self._rows = QVBoxLayout(body)
        self._rows.setContentsMargins(12, 8, 12, 8)
        self._rows.setSpacing(2)
        self._title = ElidedLabel("", body, weight=TITLE)
        self._rows.addWidget(self._title)
        self._heading = _label("", "quiet", body)
        self._rows.addWidget(self._heading)
        self._users = QWidget(body)
        self._text = QWidget(body)
        self._rows.addWidget(self._text)
        self._rows.addWidget(self._users)
        self._rows.addStretch(1)
        self.setWidget(body)

    def show_file(
        self,
        path: Path | None,
        root: Path,
        users: "AssetUsers | None" = None,
        asset: GltfAsset | None = None,
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
        """
        self._path = path
        self._title.set_text("" if path is None else path.name)
        self._show_users(users)
        is_model = path is not None and path.suffix.lower() in GLTF_SUFFIXES
        sections = self.reader.read(path, root, asset) if path is not None and is_model else []
        self._show([Section("Reading …", ())] if sections is None else sections)

    def text(self) -> str:
        """Return what is shown of a model, a line each."""
        return "\n".join(label.text() for label in self._text.findChildren(QLabel))

    def users(self) -> list[QPushButton]:
        """Return the lines of those who use the file."""
        return self._users.findChildren(QPushButton)

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

    def _show_users(self, users: "AssetUsers | None") -> None:
        if users == self._uses:
            return
        self._uses = users
        self._heading.setText(users.heading if users is not None else "")
        self._users, column = self._fresh(self._users)
        if users is not None and users != AssetUsers():
            column.addSpacing(5)
            column.addWidget(_label("Used by", "quiet", self._users))
            if len(users.entities) > 1:
                text = f"Select all {len(users.entities):,}"
                chosen = [entity for entity, _ in users.entities]
                column.addWidget(self._line(text, "selection-all", chosen))
            for entity, name in users.entities[:_MOST_USERS]:
                column.addWidget(self._line(name, "cube", [entity]))
            more = len(users.entities) - _MOST_USERS
            if more > 0:
                column.addWidget(_label(f"and {more:,} more", "quiet", self._users))
            for level, count in list(users.levels.items())[:_MOST_LINES]:
                column.addWidget(self._level_line(level, count))
            for model in users.models[:_MOST_LINES]:
                column.addWidget(_label(model, "", self._users))
        self._users.show()

    def _line(self, text: str, glyph: str, entities: list[Entity]) -> QPushButton:
        button = self._button(text, glyph)
        button.clicked.connect(lambda: self.entities_chosen.emit(entities))
        return button

    def _level_line(self, level: str, count: int) -> QPushButton:
        button = self._button(f"{level} ({count:,})", "stack")
        button.setToolTip(f"Open {level}")
        button.clicked.connect(lambda: self.level_chosen.emit(level))
        return button

    def _button(self, text: str, glyph: str) -> QPushButton:
        button = QPushButton(icon(glyph, "quiet"), text, self._users)
        button.setProperty("role", "line")
        button.setIconSize(QSize(13, 13))
        return button

    def _show(self, sections: list[Section]) -> None:
        self._text, column = self._fresh(self._text)
        for section in sections:
            column.addSpacing(5)
            column.addWidget(_label(section.heading, "quiet", self._text))
            for line in section.lines:
                column.addWidget(_label(line, "", self._text))
        self._text.show()

    def close_reader(self) -> None:
        """Let the reading thread go."""
        self.reader.close()


@dataclass(frozen=True)
class AssetUsers:
    """Who names a file.

    Attributes
    ----------
    entities
        Those of the open level, with their names.
    levels
        Other levels of the project, each with how many of its entities do.
    models
        The models that have it as a side file.
    """

    entities: tuple[tuple[Entity, str], ...] = ()
    levels: dict[str, int] = field(default_factory=dict)
    models: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """How many there are, in words."""
        parts = []
        if self.entities:
            count = len(self.entities)
            parts.append("1 entity" if count == 1 else f"{count:,} entities")
        if self.levels:
            count = len(self.levels)
            parts.append("1 other level" if count == 1 else f"{count:,} other levels")
        if self.models:
            count = len(self.models)
            parts.append("1 model" if count == 1 else f"{count:,} models")
        return f"Used by {', '.join(parts)}" if parts else "Nothing uses it"


def _label(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    else:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
