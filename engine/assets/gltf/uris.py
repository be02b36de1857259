"""Where a URI of a glTF file leads, and the refusal of everything outside the asset's root.

Only two kinds are read: ``data:`` URIs and percent-encoded relative paths. A path is resolved
through symbolic links before it is compared with the root; there is no network.
"""

import binascii
import os
import re
import stat
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from engine.assets.gltf.limits import Budget
from engine.errors import AssetError
from engine.plain_file import read_plain

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")


def shown_uri(uri: str) -> str:
    """Return `uri`, cut to a length that fits a message."""
    return uri if len(uri) <= 120 else uri[:80] + f"... ({len(uri)} characters)"


class MissingFileError(AssetError):
    """A URI inside the root that names no file; `reason` tells it without the place."""

    def __init__(self, pointer: str, uri: str, reason: str) -> None:
        super().__init__(f"missing file at {pointer}: '{shown_uri(uri)}' {reason}")
        self.reason = reason


class UriReader:
    """Reads what URIs of a file in `folder` name, within `root`, each file once.

    `files` lists what was read, `missing` what was not there.
    """

    def __init__(self, folder: Path, root: Path, budget: Budget) -> None:
        self._folder = folder
        self._given_root = root
        self._budget = budget
        self._read: dict[tuple[int, int], bytes] = {}
        self._data_uris: dict[str, bytes] = {}
        self.files: list[Path] = []
        self.missing: list[Path] = []

    @cached_property
    def _root(self) -> Path:
        return Path(os.path.realpath(self._given_root))

    def read(self, uri: str, pointer: str) -> bytes:
        """Return the bytes that `uri` names; the same object for the same file or data.

        Raises
        ------
        MissingFileError
            There is no such file.
        AssetError
            The URI leaves the root, is no file, is malformed, cannot be read or is too large.
        """
        if uri[:5].lower() == "data:":
            if uri not in self._data_uris:
                self._budget.take(len(uri), pointer)
                self._data_uris[uri] = _data_uri(uri, pointer)
            return self._data_uris[uri]
        path = self.find(uri, pointer)
        try:
            return self._file(path, pointer)
        except OSError as error:
            raise AssetError(
                f"parse failed at {pointer}: cannot read '{shown_uri(uri)}': {error.strerror}"
            ) from None

    def _file(self, path: Path, pointer: str) -> bytes:
        status = path.stat()
        # By identity, so that names that differ in case only are one file on case-blind disks.
        identity = (status.st_dev, status.st_ino)
        if identity not in self._read:
            self._budget.take(status.st_size, pointer)
            self.files.append(path)
            self._read[identity] = read_plain(path)
        return self._read[identity]

    def find(self, uri: str, pointer: str) -> Path:
        """Return the file that a URI other than ``data:`` names, unread; raises as `read` does."""
        if _SCHEME.match(uri) or uri.startswith(("//", ":")):
            raise AssetError(
                f"validation failed at {pointer}: '{shown_uri(uri)}' is refused: expected a "
                "relative path or a data URI"
            )
        relative = uri.split("?")[0].split("#")[0] if "?" in uri or "#" in uri else uri
        candidates = [unquote(relative), uri, unquote(uri)]
        candidates += [name.replace("\\", "/") for name in candidates if "\\" in name]
        for name in dict.fromkeys(candidates):
            path = self._inside_root(name, uri, pointer)
            if path is not None:
                return path
        missing = self._folder / candidates[0]
        self.missing.append(missing)
        raise MissingFileError(pointer, uri, "does not exist" + _other_case(missing))

    def _inside_root(self, name: str, uri: str, pointer: str) -> Path | None:
        """Return the resolved path, or None when there is nothing; refuse what is not allowed."""
        if "\x00" in name:
            raise AssetError(f"validation failed at {pointer}: '{shown_uri(uri)}' is refused")
        try:
            path = Path(os.path.realpath(self._folder / name))
            inside = path.is_relative_to(self._root)
            mode = path.stat().st_mode if inside else 0
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise AssetError(
                f"validation failed at {pointer}: '{shown_uri(uri)}' is refused: {error}"
            ) from None
        if not inside:
            raise AssetError(
                f"validation failed at {pointer}: '{shown_uri(uri)}' is refused: it leaves the "
                "asset's root folder"
            )
        if not stat.S_ISREG(mode):
            raise AssetError(
                f"validation failed at {pointer}: '{shown_uri(uri)}' is refused: it is not a file"
            )
        return path


def _other_case(path: Path) -> str:
    """Tell of an existing path that differs from the missing one in case only."""
    found, spelled = Path(path.anchor), []
    for part in path.parts[len(found.parts) :]:
        exact = found / part
        if not os.path.exists(exact):
            match = _folded_name(found, part)
            if match is None:
                return ""
            spelled.append(match)
            exact = found / match
        found = exact
    shown = "' and '".join(spelled)
    return f", but '{shown}' does: the case of the letters differs" if spelled else ""


def _folded_name(folder: Path, name: str) -> str | None:
    try:
        names = sorted(os.listdir(folder))
    except (OSError, ValueError):
        return None
    return next((found for found in names if found.casefold() == name.casefold()), None)


def _data_uri(uri: str, pointer: str) -> bytes:
    comma = uri.find(",")
    if comma < 0:
        raise AssetError(f"parse failed at {pointer}: data URI without a comma")
    if not uri[5:comma].lower().endswith(";base64"):
        return unquote_to_bytes(uri[comma + 1 :])
    text = uri[comma + 1 :]
    if "%" in text:
        text = unquote(text)
    text = text.rstrip("=")
    try:
        return binascii.a2b_base64(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError) as error:
        raise AssetError(f"parse failed at {pointer}: broken base64: {error}") from None
