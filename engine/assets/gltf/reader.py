"""Typed reads from decoded JSON that know where they are.

`JsonObject` wraps one JSON object and remembers how it was reached, so that a wrong type, a bad
enum or an index out of range raises `AssetError` with a JSON pointer and the value found. The
pointer is put together only when an error needs it.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, overload

from engine.errors import AssetError

_MISSING: Any = object()
LARGEST = 3.4028234663852886e38


def _shown(value: Any) -> str:
    # A container may be nested too deep for repr.
    if type(value) is list:
        return f"an array of {len(value)}"
    if type(value) is dict:
        return "an object"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class JsonObject:
    """A JSON object at a known place of the file."""

    __slots__ = ("_key", "_parent", "value")

    def __init__(
        self, value: dict[str, Any], parent: "JsonObject | None" = None, key: str | int = ""
    ) -> None:
        self.value = value
        self._parent = parent
        self._key = key

    def pointer(self, *keys: object) -> str:
        """Return the RFC 6901 pointer of this object, or of a key path below it."""
        parts: list[str] = [str(key) for key in reversed(keys)]
        here: JsonObject | None = self
        while here is not None and here._parent is not None:
            parts.append(str(here._key))
            here = here._parent
        parts.reverse()
        return "/" + "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)

    def fail(self, key: object, expected: str, found: Any = _MISSING) -> NoReturn:
        """Raise that the value at `key` is not what was expected."""
        value = self.value.get(str(key), _MISSING) if found is _MISSING else found
        what = "nothing" if value is _MISSING else _shown(value)
        raise AssetError(
            f"validation failed at {self.pointer(key)}: found {what}, expected {expected}"
        )

    def fail_range(self, *keys: object, detail: str) -> NoReturn:
        """Raise that the value at a key path is out of range."""
        raise AssetError(f"out of range at {self.pointer(*keys)}: {detail}")

    def has(self, key: str) -> bool:
        """Whether there is a property, whatever it holds."""
        return key in self.value

    def child(self, value: dict[str, Any], key: str) -> "JsonObject":
        """Return an object that `key` leads to, so that errors say where it is."""
        return JsonObject(value, self, key)

    # Scalars ---------------------------------------------------------------------------------

    def integer(self, key: str, default: Any = _MISSING, minimum: int = 0) -> int:
        """Return a whole number, which may be written as a float.

        Raises
        ------
        AssetError
            It is something else, below `minimum`, or absent without a default.
        """
        value = self.value.get(key, default)
        if type(value) is int:
            number = value
        elif type(value) is float and value.is_integer():
            number = int(value)
        elif value is default and default is not _MISSING:
            return default  # type: ignore[no-any-return]
        else:
            self.fail(key, "an integer")
        if number < minimum:
            self.fail(key, f"an integer of at least {minimum}")
        return number

    def index(self, key: str, count: int, what: str) -> int | None:
        """Read an optional index into a list of `count` things called `what`."""
        value = self.value.get(key, _MISSING)
        if value is _MISSING:
            return None
        return self._checked_index((key,), value, count, what)

    def required_index(self, key: str, count: int, what: str) -> int:
        """Return an index of `what`, of which there are `count`.

        Raises
        ------
        AssetError
            It is absent, no index or out of range.
        """
        value = self.value.get(key, _MISSING)
        if value is _MISSING:
            self.fail(key, f"an index of {what}")
        return self._checked_index((key,), value, count, what)

    def _checked_index(self, keys: tuple[object, ...], value: Any, count: int, what: str) -> int:
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise AssetError(
                f"validation failed at {self.pointer(*keys)}: found {_shown(value)}, "
                f"expected an index of {what}"
            )
        if not 0 <= value < count:
            self.fail_range(*keys, detail=f"index {value}, but there are {count} {what}")
        return value

    def number(self, key: str, default: float = _MISSING) -> float:
        """Return a number.

        Raises
        ------
        AssetError
            It is something else, larger than float32 can hold, or absent without a default.
        """
        value = self.value.get(key, default)
        if type(value) is not float and type(value) is not int:
            self.fail(key, "a number")
        if not -LARGEST <= value <= LARGEST:
            self.fail(key, "a number that float32 can hold")
        return float(value)

    def string(self, key: str, default: str = _MISSING) -> str:
        """Return a text.

        Raises
        ------
        AssetError
            It is something else, or absent without a default.
        """
        value = self.value.get(key, default)
        if type(value) is not str:
            self.fail(key, "a string")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        """Return true or false; AssetError where it is something else."""
        value = self.value.get(key, default)
        if type(value) is not bool:
            self.fail(key, "true or false")
        return value

    # Lists -----------------------------------------------------------------------------------

    def array(self, key: str) -> list[Any]:
        """Read an optional array; absent is empty."""
        value = self.value.get(key, _MISSING)
        if value is _MISSING:
            return []
        if type(value) is not list:
            self.fail(key, "an array")
        return value

    def floats(
        self, key: str, count: int | None, default: Sequence[float] = _MISSING
    ) -> tuple[float, ...]:
        """Read an array of numbers; `count` None takes any length."""
        value = self.value.get(key, _MISSING)
        if value is _MISSING:
            if default is _MISSING:
                self.fail(key, "an array of numbers")
            return tuple(default)
        if type(value) is not list or (count is not None and len(value) != count):
            self.fail(key, "an array of numbers" if count is None else f"{count} numbers")
        for item in value:
            if type(item) is not float and type(item) is not int:
                self.fail(key, "numbers only")
            if not -LARGEST <= item <= LARGEST:
                self.fail(key, "numbers that float32 can hold")
        return tuple(map(float, value))

    def indices(self, key: str, count: int, what: str) -> list[int]:
        """Read an optional array of indices; absent is empty."""
        values = self.array(key)
        for at, value in enumerate(values):
            if type(value) is not int or not 0 <= value < count:
                values[at] = self._checked_index((key, at), value, count, what)
        return values

    def objects(self, key: str) -> "JsonArray":
        """Read an optional array of objects; absent is empty."""
        values = self.array(key)
        holder = JsonObject(self.value, self, key)
        if values and set(map(type, values)) != {dict}:
            at = next(at for at, value in enumerate(values) if type(value) is not dict)
            raise AssetError(
                f"validation failed at {self.pointer(key, at)}: found {_shown(values[at])}, "
                "expected an object"
            )
        return JsonArray(values, holder)

    def object(self, key: str) -> "JsonObject | None":
        """Read an optional object."""
        value = self.value.get(key, _MISSING)
        if value is _MISSING:
            return None
        if type(value) is not dict:
            self.fail(key, "an object")
        return JsonObject(value, self, key)

    def required_object(self, key: str) -> "JsonObject":
        """Return an object; AssetError where it is something else or absent."""
        found = self.object(key)
        if found is None:
            self.fail(key, "an object")
        return found

    def members(self) -> Iterator[tuple[str, "JsonObject"]]:
        """Yield each (key, object) of this object's members that are objects."""
        for key, value in self.value.items():
            if type(value) is dict:
                yield key, JsonObject(value, self, key)

    def extended(self) -> "JsonObject":
        """Return the object that carries this extension object."""
        holder = self._parent
        assert holder is not None
        assert holder._parent is not None
        return holder._parent

    def extension(self, name: str) -> "JsonObject | None":
        """Return ``extensions[name]`` when it is there."""
        holder = self.object("extensions")
        return None if holder is None else holder.object(name)


class JsonArray(Sequence[JsonObject]):
    """A JSON array of objects, each wrapped when it is asked for."""

    __slots__ = ("_holder", "values")

    def __init__(self, values: list[dict[str, Any]], holder: JsonObject) -> None:
        self.values = values
        self._holder = holder

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> JsonObject: ...

    @overload
    def __getitem__(self, index: slice) -> "JsonArray": ...

    def __getitem__(self, index: int | slice) -> "JsonObject | JsonArray":
        value = self.values[index]
        if type(value) is list:
            raise TypeError("a slice would lose its place in the file")
        return JsonObject(value, self._holder, index)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[JsonObject]:
        for index, value in enumerate(self.values):
            yield JsonObject(value, self._holder, index)
