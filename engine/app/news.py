"""What an app tells of files that are other ones now."""

from __future__ import annotations

from dataclasses import dataclass

from engine.assets.reimports import Reimport


@dataclass(frozen=True)
class AssetNews:
    """Files whose newer version was taken in, or could not be.

    Attributes
    ----------
    reloaded : tuple of str
        Asset paths that show other contents now.
    changed : tuple of str
        Asset paths of which anything is otherwise, a problem perhaps.
    is_seen : bool
        Whether the picture may be another one for it.
    reimports : tuple of Reimport
        What came of files that somebody asked to have imported again.
    """

    reloaded: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    is_seen: bool = False
    reimports: tuple[Reimport, ...] = ()
