"""Writing a file so that readers see the old contents or the new ones, never a part."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from engine.errors import AssetError


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Replace a file's contents by way of a new file beside it; missing folders are made.

    Raises
    ------
    AssetError
        ``cooked file``: the disk refuses.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        os.replace(part, target)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            part.unlink(missing_ok=True)
        reason = error.strerror if isinstance(error, OSError) else error
        raise AssetError(f"cooked file {target}: cannot be written ({reason})") from None
