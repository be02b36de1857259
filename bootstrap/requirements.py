"""Which packages `pyproject.toml` asks for, and whether an interpreter has them.

Only the forms that this project writes are understood: a name, comma-separated version bounds and
an optional marker of `sys_platform` and `platform_machine`, without parentheses. pip itself does
the resolving; this only decides whether pip has to run at all.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9._-]+)\s*([^;]*)(?:;\s*(.*))?$")
_BOUND = re.compile(r"^\s*(>=|<=|==|!=|<|>)\s*([0-9][0-9A-Za-z.]*)\s*$")
_MARKER = re.compile(r"^\s*(sys_platform|platform_machine)\s*(==|!=)\s*['\"](\w+)['\"]\s*$")


@dataclass(frozen=True)
class Requirement:
    """One line of a dependency list."""

    text: str
    name: str
    bounds: tuple[tuple[str, tuple[int, ...]], ...]

    def is_met_by(self, version: str) -> bool:
        """Whether an installed version lies within every bound."""
        found = release(version)
        return all(_holds(found, operator, bound) for operator, bound in self.bounds)


def wanted(pyproject: Path, extras: Sequence[str] = ()) -> list[Requirement]:
    """Return the dependencies of the project and of the extras that apply on this system."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    lines = list(project["dependencies"])
    for extra in extras:
        lines += project["optional-dependencies"][extra]
    parsed = (parse(line) for line in lines)
    return [requirement for requirement in parsed if requirement is not None]


def parse(line: str) -> Requirement | None:
    """Parse one requirement; None when its marker excludes this system."""
    match = _REQUIREMENT.match(line)
    if match is None:
        raise ValueError(f"requirement {line!r} is not understood")
    name, bounds, marker = match.groups()
    if marker and not _applies(marker):
        return None
    parsed = []
    for bound in filter(None, (part.strip() for part in bounds.split(","))):
        found = _BOUND.match(bound)
        if found is None:
            raise ValueError(f"version bound {bound!r} of {line!r} is not understood")
        parsed.append((found.group(1), release(found.group(2))))
    return Requirement(f"{name}{bounds.strip()}", name, tuple(parsed))


def missing(requirements: Sequence[Requirement]) -> list[Requirement]:
    """Return those that the running interpreter lacks or has in another version."""
    listed = _listed()
    return [wish for wish in requirements if not _is_installed(wish, listed)]


def release(version: str) -> tuple[int, ...]:
    """Return the numbers of a version: "6.11.3rc1" is (6, 11, 3)."""
    numbers = []
    for part in version.split("."):
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        numbers.append(int(digits.group()))
    return tuple(numbers)


def _is_installed(requirement: Requirement, listed: dict[str, str]) -> bool:
    version = listed.get(_plain(requirement.name))
    if version is not None and requirement.is_met_by(version):
        return True
    from importlib import metadata

    try:
        return requirement.is_met_by(metadata.version(requirement.name))
    except metadata.PackageNotFoundError:
        return False


def _listed() -> dict[str, str]:
    """Versions by what the folders of installed packages are called.

    Opening and parsing the description of each package would take a good part of every start.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.endswith(".dist-info"):
                package, _, version = name.removesuffix(".dist-info").rpartition("-")
                found.setdefault(_plain(package), version)
    return found


def _plain(name: str) -> str:
    """A package's name as two spellings of it have it in common."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _applies(marker: str) -> bool:
    """Evaluate a marker; `and` binds tighter than `or` (PEP 508)."""
    return any(
        all(_comparison_holds(part) for part in either.split(" and "))
        for either in marker.split(" or ")
    )


def _comparison_holds(comparison: str) -> bool:
    match = _MARKER.match(comparison)
    if match is None:
        raise ValueError(f"marker {comparison!r} is not understood")
    name, operator, value = match.groups()
    found = sys.platform if name == "sys_platform" else platform.machine()
    return (found == value) == (operator == "==")


def _holds(found: tuple[int, ...], operator: str, bound: tuple[int, ...]) -> bool:
    width = max(len(found), len(bound))
    left = found + (0,) * (width - len(found))
    right = bound + (0,) * (width - len(bound))
    return {
        ">=": left >= right,
        "<=": left <= right,
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        ">": left > right,
    }[operator]
