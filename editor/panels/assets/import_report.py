"""The import report of a model in words, read in a thread."""

from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from editor.panels.assets.project_listing import size_text
from engine.assets import AssetError, GltfAsset, load_gltf
from engine.assets.gltf.container import read_container
from engine.assets.gltf.material_colors import SeenColor, seen_colors
from engine.assets.gltf.report import AssetReport
from engine.plain_file import read_plain

__all__ = ["ReportReader", "Section"]

_KEPT: Final = 64
Key = tuple[str, int, int, str]


@dataclass(frozen=True)
class Section:
    """A heading and the lines under it.

    Attributes
    ----------
    colors
        Beside each line; empty where lines have none.
    """

    heading: str
    lines: tuple[str, ...]
    colors: tuple[SeenColor, ...] = ()


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
    materials = report.asset.materials
    found = [
        Section("Size", (f"{size} m",)),
        Section("Came in", (" · ".join(report.counted()),) if report.counts else ()),
        Section("Licence", _texts(info.get("copyright"))),
        Section(
            "Materials",
            tuple(material.name or "unnamed" for material in materials),
            tuple(seen_colors(report.asset)),
        ),
        Section("Pictures", tuple(pictures)),
        Section("Animations", tuple(f"{c.name}: {c.duration:.2f} s" for c in report.clips)),
        Section("Warnings", report.warnings),
        Section("Changed", report.changed),
        Section("Not understood", report.not_understood),
        Section("Extensions", tuple(extensions)),
        Section("File", (f"{size_text(report.file_bytes)}, read in {report.seconds:.2f} s",)),
        Section("Made by", _texts(info.get("generator"))),
    ]
    return [section for section in found if section.lines]


def _texts(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) and value else ()


def extensions_of(path: Path) -> list[str]:
    """Return the extensions that a glTF file says it uses."""
    try:
        listed = read_container(read_plain(path)).root.get("extensionsUsed")
    except (AssetError, OSError, MemoryError):
        return []
    return sorted(str(name) for name in listed) if isinstance(listed, list) else []


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

    def read(
        self, path: Path, root: Path, asset: GltfAsset | None = None, digest: str = ""
    ) -> list[Section] | None:
        """Return a file's report if it is known; otherwise begin to read it.

        Parameters
        ----------
        path, root : Path
            The file, and the project's folder.
        asset : GltfAsset, optional
            The file as it was imported already.
        digest : str
            What the file holds with its side files, as far as that is known.
        """
        key = _key(path, digest)
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

    def forget(self, path: Path) -> None:
        """Read a file's report anew the next time it is asked for."""
        for key in [key for key in list(self._kept) if key[0] == str(path)]:
            self._kept.pop(key, None)

    def wait(self) -> None:
        """Return when nothing is being read."""
        if self._running is not None and not self._running.cancelled():
            self._running.result()

    def close(self) -> None:
        """Let the thread go."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _key(path: Path, digest: str) -> Key:
    try:
        stat = path.stat()
    except OSError:
        return str(path), 0, 0, digest
    return str(path), stat.st_size, stat.st_mtime_ns, digest
