r"""The text of a level as its author left it, cut into one chunk per entity.

A chunk is the comment block directly above `entity n`, that line, and all lines to the next
chunk. What was not changed is written from here, so that comments, the spelling of numbers, the
order of fields and line ends stay. An entity that was changed is written line by line
(`edit_chunk`): unchanged components from their own lines, the others afresh.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import SceneError
from engine.scene.document.text_lines import BLANK, first_word, is_entity, is_skipped

BYTE_ORDER_MARK = "\ufeff"
_VERSION = re.compile(r"(?<=cinder-scene)([ \t]+)([0-9]+)")

# Makes the new line of a component; it is given the old line, if there is one.
Respell = Callable[[str | None], str]


@dataclass(frozen=True)
class LevelText:
    """The text of a level and where its chunks start.

    Attributes
    ----------
    text : str
        Everything, line ends as they are, without the byte order mark.
    starts : (n + 1,) int64
        The offset of each entity's chunk, then the end of the text.
    has_mark : bool
        Whether the file begins with a byte order mark.
    """

    text: str
    starts: NDArray[np.int64]
    has_mark: bool = False

    @classmethod
    def of(cls, text: str, entity_count: int) -> LevelText:
        """Cut a valid document of `entity_count` entities into chunks."""
        body = text.removeprefix(BYTE_ORDER_MARK)
        starts = _entity_lines(body, entity_count)
        starts = [_with_comments(body, start) for start in starts]
        return cls(body, np.array([*starts, len(body)], np.int64), body is not text)

    @property
    def entity_count(self) -> int:
        """How many entities the text has."""
        return len(self.starts) - 1

    @property
    def line_end(self) -> str:
        r"""What new lines end in: the end of the first line."""
        first = self.text.find("\n")
        return "\r\n" if first > 0 and self.text[first - 1] == "\r" else "\n"

    def chunk(self, entity: int) -> str:
        """Return the lines of an entity, by file index."""
        return self.text[int(self.starts[entity]) : int(self.starts[entity + 1])]

    def rewritten(self, version: int, entity_count: int, chunks: Mapping[int, str]) -> LevelText:
        """Return the text with other chunks for some entities; later ones may be new or gone.

        Parameters
        ----------
        version : int
            What the header shall declare.
        entity_count : int
        chunks : mapping of entity index to str
            Every index from the present `entity_count` on has to be in it.
        """
        head = self.text[: int(self.starts[0])]
        pieces = [_VERSION.sub(lambda found: _declared(found, version), head, count=1)]
        sizes = np.zeros(entity_count, np.int64)
        kept = min(entity_count, self.entity_count)
        sizes[:kept] = np.diff(self.starts)[:kept]
        at = 0
        for index in sorted(chunks):
            if index >= entity_count:
                break
            pieces.append(self.text[self._start(at, kept) : self._start(index, kept)])
            pieces.append(self._on_new_line(pieces, chunks[index]))
            sizes[index] = len(pieces[-1])
            at = index + 1
        pieces.append(self.text[self._start(at, kept) : self._start(entity_count, kept)])
        text = "".join(pieces)
        starts = len(pieces[0]) + np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        return LevelText(text, starts, self.has_mark)

    def _start(self, entity: int, kept: int) -> int:
        return int(self.starts[min(entity, kept)])

    def _on_new_line(self, before: Sequence[str], chunk: str) -> str:
        last = next((piece for piece in reversed(before) if piece), "")
        return chunk if last.endswith("\n") else self.line_end + chunk

    def encoded(self) -> bytes:
        """Return the bytes of the file.

        Raises
        ------
        SceneError
            A string holds a lone surrogate.
        """
        text = BYTE_ORDER_MARK + self.text if self.has_mark else self.text
        try:
            return text.encode()
        except UnicodeEncodeError as error:
            line = text.count("\n", 0, error.start) + 1
            raise SceneError(f"line {line}: not valid UTF-8 (a lone surrogate)") from error


def _declared(found: re.Match[str], version: int) -> str:
    return found[0] if int(found[2]) == version else f"{found[1]}{version}"


def _entity_lines(text: str, entity_count: int) -> list[int]:
    starts = []
    at = text.find("\nentity ")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\nentity ", at + 8)
    if len(starts) == entity_count:
        return starts
    starts, at = [], 0
    for line in text.split("\n"):
        if is_entity(line):
            starts.append(at)
        at += len(line) + 1
    return starts


def _with_comments(text: str, start: int) -> int:
    """Return where the comment block directly above the line at `start` begins."""
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        if not above or not text[above:start].lstrip(" \t").startswith("#"):
            return start
        start = above
    return start


def edit_chunk(
    chunk: str,
    order: Sequence[str],
    changed: Mapping[str, Respell],
    line_end: str,
) -> str:
    """Return the chunk of an entity whose components changed.

    Parameters
    ----------
    chunk : str
        The source of the entity.
    order : sequence of str
        The names of all components that it has now.
    changed : mapping of name to function
        The components that differ from their line, or have none: what writes their new line,
        without indentation.
    line_end : str
        What new lines end in.
    """
    lines = _split(chunk)
    opening = next(i for i, line in enumerate(lines) if is_entity(line))
    if not order:
        return _emptied(lines, opening, line_end)
    names = set(order)
    out: list[tuple[str, str]] = [("", line) for line in lines[: opening + 1]]
    for line in lines[opening + 1 :]:
        if is_skipped(line.rstrip("\r\n")):
            out.append(("", line))
            continue
        name = first_word(line)
        if name in changed:
            old = line.removesuffix("\n").removesuffix("\r")
            indent = old[: len(old) - len(old.lstrip(BLANK))]
            out.append((name, indent + changed[name](old) + _end_of(line)))
        elif name in names:
            out.append((name, line))
    _add_new(out, opening, order, changed, line_end)
    return "".join(line for _, line in out)


def _add_new(
    out: list[tuple[str, str]],
    opening: int,
    order: Sequence[str],
    changed: Mapping[str, Respell],
    line_end: str,
) -> None:
    """Put the components without a line behind those that precede them in `order`."""
    present = {name for name, _ in out}
    if present.issuperset(order):
        return
    after = opening
    for name in order:
        if name in present:
            after = next(i for i, (own, _) in enumerate(out) if own == name)
            continue
        if not _end_of(out[after][1]):
            out[after] = (out[after][0], out[after][1] + line_end)
        line = f"  {changed[name](None)}{line_end}"
        after += 1
        out.insert(after, (name, line))


def _emptied(lines: list[str], opening: int, line_end: str) -> str:
    """Return the lines of an entity that was deleted: its own, and the blank ones behind it."""
    last = max(
        (i for i, line in enumerate(lines) if i > opening and not is_skipped(line.rstrip("\r\n"))),
        default=opening,
    )
    own = lines[opening]
    kept = own if _end_of(own) else own + line_end
    return kept + "".join(lines[last + 1 :])


def new_chunk(entity: int, lines: Sequence[str], line_end: str) -> str:
    """Return the chunk of an entity that has no source."""
    return "".join(f"{line}{line_end}" for line in (f"entity {entity}", *lines))


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    kept = [line + "\n" for line in lines[:-1]]
    return [*kept, lines[-1]] if lines[-1] else kept


def _end_of(line: str) -> str:
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""
