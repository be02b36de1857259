"""The grammar of the text format, line by line: exact, and the source of every message.

The fast reader takes whole classes of lines at once; what it does not recognise, and every file
that has an error in it, comes here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.errors import SceneError
from engine.reflect import ComponentRecord, Field, Kind
from engine.scene.document.checks import LARGEST_VERSION
from engine.scene.document.floats import parse_float, shown
from engine.scene.document.names import check_component_name, check_field_name

BLANK = " \t"
_HEADER = re.compile(r"cinder-scene[ \t]+([0-9]+)[ \t]*")
_ENTITY = re.compile(r"[ \t]*entity[ \t]+([0-9]+)[ \t]*")
_NAME = re.compile(r"[^ \t]+")
_PLAIN = re.compile(r'[^ \t"\[]+')
# Possessive: a long string takes no stack, and no time to find that its end is missing.
_QUOTED = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_BRACKETED = re.compile(r"\[[^\]]*\]")
_INTEGER = re.compile(r"-?[0-9]+")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n"}
_MOST_DIGITS = 19


def parse_header(line: str) -> int:
    """Return the version that the first line of a document declares."""
    match = _HEADER.fullmatch(line)
    if not match:
        raise SceneError(
            f"line 1: missing header: expected 'cinder-scene <version>', found {shown(line)}"
        )
    digits = match[1].lstrip("0")
    if not digits or len(digits) > 10 or int(digits) > LARGEST_VERSION:
        raise SceneError(f"line 1: missing header: {shown(match[1])} is not a version")
    return int(digits)


def is_skipped(line: str) -> bool:
    """Whether `line` is blank or a comment."""
    return line.lstrip(BLANK)[:1] in ("", "#")


def first_word(line: str) -> str:
    """Return the name that a component line starts with; empty where there is none."""
    match = _NAME.search(line.rstrip("\r\n"))
    return match[0] if match else ""


def is_entity(line: str) -> bool:
    """Whether `line` opens an entity."""
    return "entity" in line and first_word(line) == "entity"


def parse_entity(line: str, expected: int) -> None:
    """Check that `line` opens the entity `expected`."""
    match = _ENTITY.fullmatch(line)
    if match is None or (match[1].lstrip("0") or "0") != str(expected):
        found = shown(line.strip(BLANK))
        raise SceneError(f"entity out of order: expected 'entity {expected}', found {found}")


def parse_component(line: str) -> ComponentRecord:
    """Read a component line.

    Raises
    ------
    SceneError
        Without the line's number, which the caller knows.
    """
    start = _NAME.search(line)
    if start is None:
        raise SceneError("expected a component")
    check_component_name(start[0])
    record = ComponentRecord(start[0])
    names = set()
    for token in _tokens(line, start.end()):
        field = _parse_field(token, record.name)
        if field.name in names:
            raise SceneError(f"{record.name}: field {field.name} twice")
        names.add(field.name)
        record.fields.append(field)
    return record


def _tokens(line: str, at: int) -> Iterator[str]:
    end = len(line)
    while True:
        while at < end and line[at] in BLANK:
            at += 1
        if at == end:
            return
        start = at
        while at < end and line[at] not in BLANK:
            at = _piece_end(line, at)
        yield line[start:at]


def with_quoted(line: str, name: str, quoted: str) -> str:
    """Return a valid component line with another string for the field `name`.

    `quoted` is as it shall stand between the quotes.

    Everything else stays as it is spelled; a line without that field stays as it is.
    """
    start = _NAME.search(line)
    at, end = start.end() if start else len(line), len(line)
    while at < end:
        while at < end and line[at] in BLANK:
            at += 1
        begin = at
        while at < end and line[at] not in BLANK:
            at = _piece_end(line, at)
        if line.startswith(f'{name}="', begin):
            return f'{line[:begin]}{name}="{quoted}"{line[at:]}'
    return line


def _piece_end(line: str, at: int) -> int:
    """Return where the quoted, bracketed or plain piece that starts at `at` ends."""
    if line[at] == '"':
        piece, fault = _QUOTED.match(line, at), "unterminated quote"
    elif line[at] == "[":
        piece, fault = _BRACKETED.match(line, at), "unterminated bracket"
    else:
        piece, fault = _PLAIN.match(line, at), "unexpected text"
    if piece is None:
        raise SceneError(f"{fault}: {shown(line[at:])}")
    return piece.end()


def _parse_field(token: str, component: str) -> Field:
    name, equals, value = token.partition("=")
    if not equals:
        raise SceneError(f"{component}: expected NAME=VALUE, found {shown(token)}")
    check_field_name(name, component)
    try:
        return _parse_value(name, value)
    except SceneError as error:
        raise SceneError(f"{component}: field {name}: {error}") from error


def _parse_value(name: str, text: str) -> Field:
    first = text[:1]
    if first == '"':
        return Field.of(name, Kind.STRING, _parse_string(text))
    if first == "#":
        return Field.of(name, Kind.ENTITY, _parse_reference(text))
    if first == "[":
        return Field.of(name, Kind.FLOATS, _parse_list(text))
    if text in ("true", "false"):
        return Field.of(name, Kind.BOOL, text == "true")
    if _INTEGER.fullmatch(text):
        return Field.of(name, Kind.INT, parse_integer(text))
    return Field.of(name, Kind.FLOAT, parse_float(text))


def _parse_string(text: str) -> str:
    match = _QUOTED.match(text)
    if match is None or match.end() != len(text):
        raise SceneError(f"text after the closing quote: {shown(text)}")
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    return _ESCAPE.sub(_unescape, inner)


def _unescape(match: re.Match[str]) -> str:
    character = _ESCAPES.get(match[1])
    if character is None:
        raise SceneError(f"unknown escape {match[0]!r}")
    return character


def _parse_reference(text: str) -> int:
    if not _INTEGER.fullmatch(text, 1):
        raise SceneError(f"expected a reference such as #0, found {shown(text)}")
    index = parse_integer(text[1:])
    if index < -1:
        raise SceneError(f"a reference below #-1: {shown(text)}")
    return index


def _parse_list(text: str) -> list[object]:
    if not _BRACKETED.fullmatch(text):
        raise SceneError(f"text after the closing bracket: {shown(text)}")
    inner = text[1:-1].strip(BLANK)
    return [parse_float(item.strip(BLANK)) for item in inner.split(",")] if inner else []


def parse_integer(text: str) -> int:
    """Read decimal digits with an optional "-", or raise where 64 bits cannot hold them."""
    digits = text.lstrip("-0")
    if len(digits) <= _MOST_DIGITS:
        number = int(digits or "0") * (-1 if text.startswith("-") else 1)
        if -(1 << 63) <= number < 1 << 63:
            return number
    raise SceneError(f"{shown(text)} does not fit a signed 64-bit integer")
