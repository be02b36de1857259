"""Where a URI of a glTF file leads, and the refusal of everything outside the asset's root.

Only two kinds are read: ``data:`` URIs and percent-encoded relative paths. A path is resolved
through symbolic links before it is compared with the root; there is no network.
"""

import binascii
import os
import re
import stat
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes

from engine.errors import AssetError

_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")


def shown_uri(uri: str) -> str:
    """Return `uri`, cut to a length that fits a message."""
    return uri if len(uri) <= 120 else uri[:80] + f"... ({len(uri)} characters)"


class MissingFileError(AssetError):
    """A URI inside the root that names no file."""


class UriReader:
    """Reads what URIs of a file in `folder` name, within `root`."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._root = Path(os.path.realpath(root))
        self.files: list[Path] = []
        self.missing: list[Path] = []

    def read(self, uri: str, pointer: str) -> bytes:
        """Return the bytes that `uri` names.

        Raises
        ------
        MissingFileError
            There is no such file.
        AssetError
            The URI leaves the root, is no file, is malformed, or cannot be read.
        """
        if uri[:5].lower() == "data:":
            return _data_uri(uri, pointer)
        path = self._path(uri, pointer)
        self.files.append(path)
        try:
            return path.read_bytes()
        except OSError as error:
            raise AssetError(
                f"parse failed at {pointer}: cannot read '{shown_uri(uri)}': {error.strerror}"
            ) from None

    def _path(self, uri: str, pointer: str) -> Path:
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
        self.missing.append(self._folder / candidates[0])
        raise MissingFileError(f"missing file at {pointer}: '{shown_uri(uri)}' does not exist")

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
