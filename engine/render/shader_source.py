"""WGSL files put together: includes, switches, and errors that name the file and the line.

`#include "name.wgsl"` takes a file in (once), `#if NAME`, `#else`, `#endif` keep or drop lines by
the names that are switched on; `#if !NAME` is the opposite. A switch `NAME=VALUE` also puts VALUE
where a line says `$NAME`. Switches make one compiled variant per combination, so that a plain
surface pays for nothing it lacks.
"""

import pathlib
import re
from importlib.resources import files
from typing import Any, NamedTuple

import wgpu

from engine.errors import EngineError
from engine.render.device import is_lost

_FOLDER = "shaders"
_INCLUDE = re.compile(r'#include\s+"([\w./]+)"\s*$')
_VALUE = re.compile(r"\$(\w+)")
_SWITCH = re.compile(r"#(if|else|endif)\b\s*(!?)\s*(\w*)\s*$")

_PLACE = re.compile(r"wgsl:(\d+):\d+")
# What wgpu says of a pipeline that does not fit its shader, and the line that is about it.
_BINDING = re.compile(r"ResourceBinding \{ group: (\d+), binding: (\d+) \}")
_LOCATION = re.compile(r"Location\[(\d+)\]")
_STAGE = re.compile(r"ShaderStages\((\w+)\)")

Origin = tuple[str, int]


class _Line(NamedTuple):
    """A line of a file; `directive` is empty where it is code."""

    number: int
    text: str
    directive: str
    has_value: bool

    @classmethod
    def of(cls, number: int, text: str) -> "_Line":
        stripped = text.strip()
        return cls(number, text, stripped if stripped.startswith("#") else "", "$" in text)


class ShaderText(NamedTuple):
    """An assembled shader: its name, its text, and per line the file and line it came from."""

    name: str
    code: str
    origins: list[Origin]

    def explain(self, message: str) -> str:
        """What a compiler or a driver says of it, with the file and line it is about in front."""
        place = _PLACE.search(message)
        line = int(place[1]) if place is not None else self._line_about(message)
        return f"{_at(*self._origin(line))}: {_summary(message)}"

    def _origin(self, line: int) -> Origin:
        known = 1 <= line <= len(self.origins)
        return self.origins[line - 1] if known else (self.name, 1)

    def _line_about(self, message: str) -> int:
        """The line of a binding, an input or an entry point that a message is about; 0 for none."""
        wanted = []
        if binding := _BINDING.search(message):
            wanted.append(rf"@group\({binding[1]}\)\s*@binding\({binding[2]}\)")
        if location := _LOCATION.search(message):
            wanted.append(rf"@location\({location[1]}\)")
        if stage := _STAGE.search(message):
            wanted.append(rf"@{stage[1].lower()}\b")
        lines = self.code.split("\n")
        for pattern in wanted:
            found = [k for k, text in enumerate(lines, 1) if re.search(pattern, text)]
            if found:
                return found[0]
        return 0


class ShaderSources:
    """The files of a folder, each read once.

    Parameters
    ----------
    folder
        Where they are; None for those of this package.
    """

    def __init__(self, folder: pathlib.Path | None = None) -> None:
        self._folder = files("engine.render").joinpath(_FOLDER) if folder is None else folder
        self._lines: dict[str, list[_Line]] = {}

    @property
    def folder(self) -> pathlib.Path | None:
        """The folder on the disk; None where the package has none of its own."""
        return self._folder if isinstance(self._folder, pathlib.Path) else None

    def anew(self) -> "ShaderSources":
        """The same files as they are now."""
        fresh = ShaderSources()
        fresh._folder = self._folder
        return fresh

    def assemble(self, name: str, switches: frozenset[str] = frozenset()) -> ShaderText:
        """A shader with its includes, and the lines that its switches keep.

        Raises
        ------
        EngineError
            A file that isn't there, an unknown directive, a switch without its value, or `#if` and
            `#endif` that do not match.
        """
        found = ShaderText(name, "", [])
        lines: list[str] = []
        values = {name: value for name, _, value in (switch.partition("=") for switch in switches)}
        self._take_in(name, name, values, set(), lines, found.origins)
        return found._replace(code="\n".join(lines) + "\n")

    def _read(self, name: str, asked_by: str) -> "list[_Line]":
        if name not in self._lines:
            try:
                text = self._folder.joinpath(name).read_text("utf-8")
            except (OSError, UnicodeDecodeError) as problem:
                raise EngineError(f"{asked_by}: cannot read {name!r}: {problem}") from problem
            self._lines[name] = [_Line.of(*line) for line in enumerate(text.split("\n"), 1)]
        return self._lines[name]

    def _take_in(
        self,
        name: str,
        asked_by: str,
        switches: dict[str, str],
        seen: set[str],
        lines: list[str],
        origins: list[Origin],
    ) -> None:
        if name in seen:
            return
        seen.add(name)
        kept, opened = [True], 0
        for number, text, directive, has_value in self._read(name, asked_by):
            if not directive:
                if all(kept):
                    filled = _filled(text, switches, _at(name, number)) if has_value else text
                    lines.append(filled)
                    origins.append((name, number))
            elif include := _INCLUDE.match(directive):
                if all(kept):
                    self._take_in(include[1], _at(name, number), switches, seen, lines, origins)
            else:
                opened = number if len(kept) == 1 else opened
                _switch(directive, switches, kept, _at(name, number))
        if len(kept) != 1:
            raise EngineError(f"{_at(name, opened)}: found #if without #endif")


def compile_text(device: Any, text: ShaderText) -> Any:
    """A shader module.

    Raises
    ------
    EngineError
        The compiler refused it; the message names the file and line.
    """
    try:
        return device.create_shader_module(code=text.code, label=text.name)
    except wgpu.GPUError as problem:
        if is_lost(problem):
            raise
        raise EngineError(text.explain(str(problem))) from problem


def _filled(line: str, switches: dict[str, str], where: str) -> str:
    def value(found: re.Match[str]) -> str:
        if found[1] not in switches:
            raise EngineError(f"{where}: found ${found[1]}, expected a switch with a value")
        return switches[found[1]]

    return _VALUE.sub(value, line)


def _switch(directive: str, switches: dict[str, str], kept: list[bool], where: str) -> None:
    found = _SWITCH.match(directive)
    if found is None or (found[1] != "if" and len(kept) == 1):
        expected = "expected #include, #if, #else, #endif"
        raise EngineError(f"{where}: found {directive!r}, {expected}")
    if found[1] == "if":
        kept.append((found[3] in switches) != bool(found[2]))
    elif found[1] == "else":
        kept[-1] = not kept[-1]
    else:
        kept.pop()


def _at(name: str, line: int) -> str:
    return f"{_FOLDER}/{name}:{line}"


def _summary(message: str) -> str:
    """The words of a driver's message, without its drawing of the place and its own call."""
    headline = re.search(r"error: (.+)", message)
    if headline is not None:
        causes = re.findall(r"^  = (.+)$", message, re.MULTILINE)
        return ": ".join(dict.fromkeys([headline[1].strip(), *(c.strip() for c in causes)]))
    lines = [line.strip() for line in message.split("\n")]
    noise = ("", "Validation Error", "Caused by:")
    return ": ".join(line for line in lines if line not in noise and not line.startswith("In wgpu"))
