"""What an entry of the import cache was made of, and whether that is what is there now.

The file, its side files, those that were missing, and the importer: each is known by what it holds.
"""

import hashlib
import os
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import PIL

import engine.assets
import engine.math
from engine.assets.asset_entry import Signature
from engine.assets.contents import NO_STAMP, Digests, digest_of, has_stamp, lasting_stamp
from engine.assets.cooked.asset_layout import AssetOrigin
from engine.assets.cooked.asset_write import ASSET_VERSION
from engine.assets.gltf.asset import GltfAsset
from engine.plain_file import is_below, real_path


class FilesAsRead(NamedTuple):
    """The files of an asset as they were when it was read."""

    signature: Signature
    digests: Digests

    def are_other(self, found: dict[str, str]) -> bool:
        """Whether they are other ones now; `found` has what some of them hold."""
        if any(_stamp(path) != (modified, size) for path, modified, size in self.signature):
            return True
        held = zip(self.signature, self.digests, strict=False)
        return any(found.get(path, digest) != digest for (path, _, _), digest in held)


def origin_of(name: str, asset: GltfAsset, files: FilesAsRead, root: Path) -> AssetOrigin | None:
    """Return what an asset was made of; None when its files are not what was read.

    Parameters
    ----------
    name : str
        What the entry is known by.
    asset : GltfAsset
    files : FilesAsRead
    root : pathlib.Path
        What the paths of files are relative to.
    """
    if files.are_other({}):
        return None
    stamps = [lasting_stamp(file) for file in asset.source_files]
    found = [(file, _digest(file)) for file in asset.source_files]
    if files.are_other({str(file): digest for file, digest in found}):
        return None
    if any(not digest for _, digest in found):
        return None
    stamps = [
        stamp if has_stamp(file, stamp) else NO_STAMP
        for file, stamp in zip(asset.source_files, stamps, strict=True)
    ]
    found += [(file, "") for file in asset.missing_files]
    sources = [(_relative(file, root), digest) for file, digest in found]
    return AssetOrigin(name, cooker(), sources, stamps)


def is_current(origin: AssetOrigin, name: str, root: Path, known: str = "") -> bool:
    """Whether what an entry was made of is what is there now, for that name.

    `known` is a file of which `real_path` told that it is below `root`, to spare asking again.
    """
    if origin.prefix != name or origin.cooker != cooker() or not origin.sources:
        return False
    stamps = [*origin.stamps, *repeat(NO_STAMP, len(origin.sources) - len(origin.stamps))]
    for (path, digest), stamp in zip(origin.sources, stamps, strict=False):
        # Not by `Path`, which takes longer than the look at the disk.
        file = os.path.join(root, path)
        if not digest:
            if os.path.lexists(file):
                return False
        elif (file != known and not _is_inside(file, root)) or (
            not has_stamp(file, stamp) and _digest(file) != digest
        ):
            return False
    return True


@cache
def cooker() -> str:
    """Return what names the importer: its format, its code and the decoder of pictures.

    The code is part of it because every change may give another asset of the same file.
    """
    code = hashlib.sha256()
    folder = Path(engine.assets.__file__).parent
    for path in (*sorted(folder.rglob("*.py")), Path(engine.math.__file__)):
        if os.path.isfile(path):
            code.update(path.read_bytes())
    return f"{ASSET_VERSION} {code.hexdigest()[:16]} {PIL.__version__}"


def _digest(path: str | Path) -> str:
    try:
        return digest_of(path)
    except (OSError, ValueError):
        return ""


def _is_inside(path: str, root: Path) -> bool:
    try:
        return is_below(real_path(path), root)
    except (OSError, ValueError):
        return False


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return -1, -1
    return status.st_mtime_ns, status.st_size


def _relative(file: Path, root: Path) -> str:
    inside = file.is_relative_to(root)
    return (
        file.relative_to(root).as_posix()
        if inside
        else Path(os.path.relpath(file, root)).as_posix()
    )
