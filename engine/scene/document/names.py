"""Which names a document may hold, so that both formats can hold the same ones."""

from __future__ import annotations

from functools import lru_cache

from engine.errors import SceneError

_FORBIDDEN = frozenset('="#[]')


@lru_cache(maxsize=4096)
def name_fault(name: str) -> str:
    """Return what is wrong with the name of a component or field; empty when nothing is."""
    if not name:
        return "is empty"
    for character in name:
        if character.isspace():
            return "holds white space"
        if character in _FORBIDDEN:
            return f"holds {character!r}"
        if "\ud800" <= character <= "\udfff":
            return "is not valid UTF-8 (a lone surrogate)"
    return ""


def check_component_name(name: str) -> None:
    """Raise SceneError unless a component may be called `name`."""
    fault = "is the word that opens an entity" if name == "entity" else name_fault(name)
    if fault:
        raise SceneError(f"component name {name!r} {fault}")


def check_field_name(name: str, component: str) -> None:
    """Raise SceneError unless a field of `component` may be called `name`."""
    fault = name_fault(name)
    if fault:
        raise SceneError(f"{component}: field name {name!r} {fault}")
