"""WGSL files put together: includes, switches, and errors that name the file and the line.

`#include "name.wgsl"` takes a file in (once), `#if NAME`, `#else`, `#endif` keep or drop lines by
the names that are switched on; `#if !NAME` is the opposite. A switch `NAME=VALUE` also puts VALUE
where a line says `$NAME`. Switches make one compiled variant per combination, so that a plain
surface pays for nothing it lacks.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any

import wgpu

from engine.errors import EngineError

_FOLDER = "shaders"
_INCLUDE = re.compile(r'#include\s+"([\w./]+)"\s*$')
_VALUE = re.compile(r"\$(\w+)")
_SWITCH = re.compile(r"#(if|else|endif)\b\s*(!?)\s*(\w*)\s*$")

Origin = tuple[str, int]


@cache
def _file_text(name: str) -> str:
    return files("engine.render").joinpath(_FOLDER, name).read_text("utf-8")


def assemble(name: str, switches: frozenset[str] = frozenset()) -> tuple[str, list[Origin]]:
    """The text of a shader and, per line of it, the file and line it came from.

    Raises
    ------
    EngineError
        An unknown directive, or `#if` and `#endif` that do not match.
    """
    lines: list[str] = []
    origins: list[Origin] = []
    values = {name: value for name, _, value in (switch.partition("=") for switch in switches)}
    _take_in(name, values, set(), lines, origins)
    return "\n".join(lines) + "\n", origins


def _take_in(
    name: str,
    switches: dict[str, str],
    seen: set[str],
    lines: list[str],
    origins: list[Origin],
) -> None:
    if name in seen:
        return
    seen.add(name)
    kept = [True]
    for number, line in enumerate(_file_text(name).split("\n"), 1):
        stripped = line.strip()
        if not stripped.startswith("#"):
            if all(kept):
                lines.append(_VALUE.sub(lambda found: switches[found[1]], line))
                origins.append((name, number))
        elif include := _INCLUDE.match(stripped):
            if all(kept):
                _take_in(include[1], switches, seen, lines, origins)
        else:
            _switch(stripped, switches, kept, f"{name}:{number}")
    if len(kept) != 1:
        raise EngineError(f"shader {name}: found {len(kept) - 1} #if without #endif")


def _switch(directive: str, switches: dict[str, str], kept: list[bool], where: str) -> None:
    found = _SWITCH.match(directive)
    if found is None or (found[1] != "if" and len(kept) == 1):
        expected = "expected #include, #if, #else, #endif"
        raise EngineError(f"shader {where}: found {directive!r}, {expected}")
    if found[1] == "if":
        kept.append((found[3] in switches) != bool(found[2]))
    elif found[1] == "else":
        kept[-1] = not kept[-1]
    else:
        kept.pop()


def compile_shader(device: Any, name: str, switches: frozenset[str] = frozenset()) -> Any:
    """A shader module of the assembled file.

    Raises
    ------
    EngineError
        The compiler refused it; the message names the file and line.
    """
    code, origins = assemble(name, switches)
    try:
        return device.create_shader_module(code=code, label=name)
    except wgpu.GPUError as problem:
        raise EngineError(explain(str(problem), name, origins)) from problem


def explain(message: str, name: str, origins: list[Origin]) -> str:
    """The compiler's message with its line turned into a file and line."""
    place = re.search(r"wgsl:(\d+):(\d+)", message)
    where = name
    if place is not None and 1 <= int(place[1]) <= len(origins):
        file, line = origins[int(place[1]) - 1]
        where = f"{file}:{line}:{place[2]}"
    return f"shader {where}: {message.strip()}"
