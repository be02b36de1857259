"""Packages that the program can do without."""

import importlib
from types import ModuleType


def optional_module(name: str) -> ModuleType | None:
    """Import a module; None where it is not installed or cannot be loaded."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
