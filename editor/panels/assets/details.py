"""What an asset brought, beside the tiles: its import report in words."""

from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from editor.qt.fonts import TITLE
from editor.qt.widgets.labels import ElidedLabel
from engine.assets import AssetError, GltfAsset, load_gltf
from engine.assets.gltf.report import AssetReport

__all__ = ["AssetDetails", "ReportReader", "Section"]

_KEPT: Final = 64
_MOST_LINES: Final = 12
Key = tuple[str, int, int]


@dataclass(frozen=True)
class Section:
    """A heading and the lines under it."""

    heading: str
    lines: tuple[str, ...]


def sections_of(report: AssetReport) -> list[Section]:
    """Return a report as sections, those without lines left out."""
    size = " × ".join(f"{side:.3g}" for side in report.size)
    pictures = (
        f"{p.name}: {'missing' if p.is_missing else f'{p.width} × {p.height} px'}"
        for p in report.pictures
    )
    found = [
        Section("Size", (f"{size} m",)),
        Section("Came in", (" · ".join(report.counted()),) if report.counts else ()),
        Section("Pictures", tuple(pictures)),
        Section("Animations", tuple(f"{c.name}: {c.duration:.2f} s" for c in report.clips)),
        Section("Warnings", report.warnings),
        Section("Changed", report.changed),
        Section("Not understood", report.not_understood),
        Section("File", (f"{report.file_bytes / 1e6:.2f} MB, read in {report.seconds:.2f} s",)),
    ]
    return [_cut(section) for section in found if section.lines]


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
        if key in self._kept:
            return self._kept[key]
        if self._running is not None:
            self._running.cancel()
        self._running = self._pool.submit(self._work, key, path, root, asset)
        return None

    def _work(self, key: Key, path: Path, root: Path, asset: GltfAsset | None) -> None:
        try:
            found = asset if asset is not None else load_gltf(path, root=root)
            sections = sections_of(found.report())
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
    """The report of the chosen model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("assets.details")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.reader = ReportReader(self)
        self.reader.ready.connect(self._on_ready)
        self._path: Path | None = None
        body = QWidget(self)
        self._rows = QVBoxLayout(body)
        self._rows.setContentsMargins(12, 8, 12, 8)
        self._rows.setSpacing(2)
        self._title = ElidedLabel("", body, weight=TITLE)
        self._rows.addWidget(self._title)
        self._text = QWidget(body)
        self._rows.addWidget(self._text)
        self._rows.addStretch(1)
        self.setWidget(body)

    def show_model(self, path: Path | None, root: Path, asset: GltfAsset | None = None) -> None:
        """Show the report of a file, or nothing."""
        self._path = path
        self._title.set_text("" if path is None else path.name)
        sections = [] if path is None else self.reader.read(path, root, asset)
        self._show([Section("Reading …", ())] if sections is None else sections)

    def text(self) -> str:
        """Return what is shown, a line each."""
        return "\n".join(label.text() for label in self._text.findChildren(QLabel))

    def _on_ready(self, path: object, sections: list[Section]) -> None:
        if path == self._path:
            self._show(sections)

    def _show(self, sections: list[Section]) -> None:
        old, self._text = self._text, QWidget(self.widget())
        self._rows.replaceWidget(old, self._text)
        old.hide()
        old.deleteLater()
        column = QVBoxLayout(self._text)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        for section in sections:
            column.addSpacing(5)
            column.addWidget(_label(section.heading, "quiet", self._text))
            for line in section.lines:
                column.addWidget(_label(line, "", self._text))
        self._text.show()

    def close_reader(self) -> None:
        """Let the reading thread go."""
        self.reader.close()


def _label(text: str, role: str, parent: QWidget) -> QLabel:
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    if role:
        label.setProperty("role", role)
    else:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
