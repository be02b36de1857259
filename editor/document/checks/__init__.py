"""What an artist would want to know of the open level, found beside the work."""

from editor.document.checks.base import LevelCheck
from editor.document.checks.live import LiveChecks

__all__ = ["LevelCheck", "LiveChecks"]
