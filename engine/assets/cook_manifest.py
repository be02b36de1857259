"""The manifest of a folder of cooked files: which file holds which logical path, and of what.

One line per entry, ``<logical> <source hash> <file>``; lines with another number of fields are not
ours and are ignored. The text is the whole state: the cooker writes it, the asset server reads it.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.assets.atomic_file import write_atomically
from engine.errors import AssetError
from engine.file_lock import wait_for_lock
from engine.plain_file import read_plain

MANIFEST_NAME = "manifest.txt"
_PATIENCE_S = 30.0


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One cooked file: its logical path, its source's hash (hex), its name in the folder."""

    logical: str
    source_hash: str
    file: str


class CookManifest:
    """The entries of one folder, in the order of their first recording."""

    def __init__(self) -> None:
        self._entries: dict[str, ManifestEntry] = {}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "CookManifest":
        """Read a manifest; a file that is not there is an empty one.

        Raises
        ------
        AssetError
            ``cooked manifest``: it cannot be read, or is not UTF-8.
        """
        manifest = cls()
        try:
            text = read_plain(path).decode()
        except FileNotFoundError:
            return manifest
        except OSError as error:
            raise AssetError(f"cooked manifest {path}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError:
            raise AssetError(f"cooked manifest {path}: not valid UTF-8") from None
        for line in text.split("\n"):
            fields = line.removesuffix("\r").split(" ")
            # A name with a folder in it could lead out of the folder.
            if len(fields) == 3 and all(fields) and _is_bare_name(fields[2]):
                manifest._entries[fields[0]] = ManifestEntry(*fields)
        return manifest

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the manifest, whole or not at all.

        Raises
        ------
        AssetError
            ``cooked file``: the disk refuses.
        """
        lines = (f"{e.logical} {e.source_hash} {e.file}\n" for e in self._entries.values())
        write_atomically(path, "".join(lines).encode("utf-8", "surrogatepass"))

    def save_under(self, path: str | os.PathLike[str], roots: Collection[str]) -> None:
        """Write what is recorded under `roots`; of all else the file says what it says by now.

        So programs that cook into one folder do not forget what the others did.

        Raises
        ------
        AssetError
            ``cooked file``: the disk refuses. ``cooked manifest``: the file cannot be read.
        """
        with _alone_at(Path(path)):
            newest = CookManifest.load(path)
            for root in roots:
                mine = self.under(root)
                newest.prune(root, [entry.logical for entry in mine])
                newest._entries.update((entry.logical, entry) for entry in mine)
            newest.save(path)

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self) -> list[ManifestEntry]:
        """Return every entry."""
        return list(self._entries.values())

    def under(self, root: str) -> list[ManifestEntry]:
        """Return the entries whose logical path begins with `root`."""
        return [e for e in self._entries.values() if e.logical.startswith(root)]

    def find(self, logical: str) -> ManifestEntry | None:
        """Return the entry of a logical path, None when there is none."""
        return self._entries.get(logical)

    def record(self, logical: str, source_hash: str, file: str) -> None:
        """Add an entry, or replace the one of the same logical path in its place.

        Raises
        ------
        AssetError
            ``cooked manifest``: a field is empty or holds white space, or `file` is no bare name.
        """
        for text in (logical, source_hash, file):
            if not text or any(letter.isspace() for letter in text):
                raise AssetError(f"cooked manifest: {text!r} is empty or holds white space")
        if not _is_bare_name(file):
            raise AssetError(f"cooked manifest: {file!r}, expected a file name without a folder")
        self._entries[logical] = ManifestEntry(logical, source_hash, file)

    def prune(self, root: str, produced: Collection[str]) -> list[ManifestEntry]:
        """Drop the entries under `root` that are not in `produced`, and return them."""
        kept = set(produced)
        dropped = [entry for entry in self.under(root) if entry.logical not in kept]
        for entry in dropped:
            del self._entries[entry.logical]
        return dropped

    def up_to_date(self, logical: str, source_hash: str, out_dir: str | os.PathLike[str]) -> bool:
        """Tell whether an entry is there, of that hash, and its file exists in `out_dir`."""
        entry = self.find(logical)
        if entry is None or entry.source_hash != source_hash:
            return False
        return os.path.isfile(Path(out_dir) / entry.file)


@contextmanager
def _alone_at(path: Path) -> Iterator[None]:
    """Wait until no other program writes a manifest, and keep them waiting meanwhile."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = _opened_for_locking(path.parent)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise AssetError(f"cooked file {path}: cannot be written ({reason})") from None
    try:
        wait_for_lock(handle, _PATIENCE_S)
        yield
    finally:
        os.close(handle)


def _opened_for_locking(folder: Path) -> int:
    if os.name == "nt":
        # A folder cannot be opened there.
        return os.open(folder / ".manifest.lock", os.O_RDWR | os.O_CREAT)
    return os.open(folder, os.O_RDONLY)


def _is_bare_name(name: str) -> bool:
    return name not in ("", ".", "..") and not any(letter in name for letter in "/\\:\0")
