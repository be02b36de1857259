"""What an artist does to files of the project: rename, move, delete, mark, import."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QFile, QUrl
from PySide6.QtGui import QDesktopServices

from editor.document import LevelDocument
from editor.panels.assets.folder_drop import FolderDrop
from editor.panels.assets.project_listing import AssetItem
from editor.qt.panel import PanelServices
from editor.qt.report import guarded

__all__ = ["AssetFileActions"]


class AssetFileActions:
    """Carries out what is done to files, and tells the artist what followed.

    Parameters
    ----------
    document, services
    show
        Shows the files of the project anew, and one of them where a path is given.
    """

    def __init__(
        self, document: LevelDocument, services: PanelServices, show: Callable[[str], None]
    ) -> None:
        self._document = document
        self._services = services
        self._show = show

    @guarded
    def rename(self, item: AssetItem, name: str) -> None:
        """Give a file another name; its suffix stays."""
        full = name + item.ending
        levels = self._document.rename_asset(item.asset, full, wait=False)
        parent = item.asset.rpartition("/")[0]
        self._show(f"{parent}/{full}" if parent else full)
        self._tell(f"{item.title} is {name} now", levels)

    @guarded
    def drop(self, drop: FolderDrop) -> None:
        """Move files of the project into a folder, or copy those from outside there."""
        folder = drop.folder.relative_to(self._document.root).as_posix()
        folder = "" if folder == "." else folder
        if drop.outside:
            self._services.import_files(drop.outside, folder)
        if drop.inside:
            levels = self._document.move_assets(drop.inside, folder, wait=False)
            self._show("")
            count = len(drop.inside)
            what = Path(drop.inside[0]).name if count == 1 else f"{count} files"
            self._tell(f"Moved {what} to {folder or 'the project'}", levels)

    def _tell(self, text: str, levels: Sequence[str]) -> None:
        if levels:
            count = "1 other level follows" if len(levels) == 1 else f"{len(levels)} others follow"
            text = f"{text}; {count}"
        self._services.notify("good", text)

    @guarded
    def make_folder(self, folder: Path) -> None:
        """Make a new folder in one and show it."""
        parent = folder.relative_to(self._document.root).as_posix()
        parent = "" if parent == "." else parent
        taken = {path.name for path in folder.iterdir()} if os.path.isdir(folder) else set()
        names = ["New folder", *(f"New folder {number}" for number in range(2, 1000))]
        name = next(name for name in names if name not in taken)
        made = self._document.make_folder(parent, name)
        self._show(made)

    @guarded
    def delete(self, items: Sequence[AssetItem]) -> None:
        """Put files in the trash with their side files, after asking where they are used."""
        self._document.contents.read()
        used = [text for item in items if (text := self._used_by(item))]
        what = items[0].path.name if len(items) == 1 else f"{len(items)} files"
        if not used:
            self._throw_away(items)
            return
        more = f" and {len(used) - 1} more are used" if len(used) > 1 else ""
        text = (
            f"{used[0]}{more}. A box will stand where it was; the issues offer another file "
            "for it. It can be taken back from the trash."
        )
        self._services.confirm(
            f"Move {what} to the trash?", text, "Move to trash", lambda: self._throw_away(items)
        )

    def _used_by(self, item: AssetItem) -> str:
        """Return who uses a file, or the files of a folder; empty for nobody."""
        document = self._document
        if item.kind == "folder":
            inside = [p for p in document.contents.files if p.startswith(f"{item.asset}/")]
            count = sum(document.is_used(path) for path in inside)
            return f"{count} of the files in {item.title} are used" if count else ""
        here = document.asset_user_count(item.asset)
        levels = document.other_levels_using(item.asset)
        models = [a for a in document.contents.assets_naming(item.asset) if a != item.asset]
        parts = [f"{here:,} entities here"] if here else []
        if levels:
            parts.append(f"{len(levels)} other levels" if len(levels) > 1 else next(iter(levels)))
        parts += [models[0] if len(models) == 1 else f"{len(models)} models"] if models else []
        return f"{item.path.name} is used by {', '.join(parts)}" if parts else ""

    @guarded
    def _throw_away(self, items: Sequence[AssetItem]) -> None:
        kept: list[Path] = []
        for item in items:
            files = [item.path] if item.kind == "folder" else self._document.files_of(item.asset)
            kept += [f for f in files if os.path.exists(f) and not QFile.moveToTrash(str(f))]
        if kept:
            self._offer_deletion(kept)
        else:
            what = items[0].path.name if len(items) == 1 else f"{len(items)} files"
            self._services.notify("good", f"{what} is in the trash")
        self._show("")
        self._document.reload_assets(wait=False)

    def _offer_deletion(self, files: Sequence[Path]) -> None:
        """Ask before files go for good, where there is no trash."""
        names = ", ".join(file.name for file in files[:3])
        self._services.confirm(
            "Delete for good?",
            f"There is no trash for {names}. What is deleted can't be brought back.",
            "Delete",
            lambda: self._delete_for_good(files),
        )

    @guarded
    def _delete_for_good(self, files: Sequence[Path]) -> None:
        for file in files:
            # Of a link to a folder the link alone goes.
            if os.path.isdir(file) and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink(missing_ok=True)
        self._show("")
        self._document.reload_assets(wait=False)

    def mark(self, items: Sequence[AssetItem]) -> None:
        """Mark files as favourites; where all of them are, they are marked no more."""
        marked = self._document.favourites
        on = not all(item.asset in marked for item in items)
        for item in items:
            self._document.set_favourite(item.asset, on)
        self._show("")

    def importable(self, items: Sequence[AssetItem]) -> list[AssetItem]:
        """Return those that can be imported again: models, and pictures that something uses."""
        document = self._document
        return [
            item
            for item in items
            if item.kind == "model" or (item.kind == "image" and document.is_used(item.asset))
        ]

    @guarded
    def reimport(self, items: Sequence[AssetItem]) -> None:
        """Import files again, past what was kept of them; the window tells what came of it."""
        started = self._document.reimport([item.asset for item in items], wait=False)
        if not started and items:
            name = items[0].path.name if len(items) == 1 else f"{len(items)} pictures"
            self._services.notify("info", f"Nothing in this level shows {name}")
        elif len(started) > 1:
            self._services.notify("info", f"Reimporting {len(started)} files")

    @guarded
    def read_all_again(self) -> None:
        """Read every asset anew, also those that look unchanged."""
        count = self._document.reload_assets(force=True, wait=False)
        self._show("")
        self._services.notify("info", f"Reading {count} files anew")

    def show_in_file_manager(self, folder: Path) -> None:
        """Open a folder in the system's file manager."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    @guarded
    def place(self, items: Sequence[AssetItem]) -> None:
        """Place models and levels in the middle of the view, as one step."""
        self._services.place_at_centre([item.asset for item in items])

    @guarded
    def select_users(self, asset: str) -> None:
        """Select everything in the level that names a file."""
        users = self._document.asset_users(asset)
        if users:
            self._document.select(users)
        else:
            self._services.notify("info", "Nothing in the level uses this asset")
