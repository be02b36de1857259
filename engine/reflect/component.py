"""`SceneComponent` and the `@component` declaration.

A component is a class whose annotated attributes are its fields; from that list follow the
constructor, the columns in the world, the record in a file and the rows of the inspector. A class
may write `write_scene` and `read_scene` by hand instead; without annotated fields its values are
kept as objects. A class with neither is a tag.
"""

from __future__ import annotations

import copy as copying
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from engine.errors import ComponentError
from engine.reflect.codec import FieldReader, FieldWriter
from engine.reflect.kinds import FIELD_KINDS, FieldKind, Vec3
from engine.reflect.metadata import (
    Angle,
    AssetPath,
    Choice,
    Color,
    Doc,
    Empty,
    Hidden,
    OnlyWith,
    Range,
    Title,
    Unit,
    UnitBy,
    Unset,
    VariantOf,
)
from engine.reflect.record import Kind

T = TypeVar("T", bound=type)

# Metadata that may stand bare as an annotation, and the type that it then means.
_BARE: dict[type, Any] = {Angle: float, AssetPath: str, Choice: str, Color: Vec3}


@dataclass(frozen=True)
class FieldSpec:
    """One declared field: its name, kind, default, and what its annotation says to people."""

    name: str
    kind: FieldKind
    default: Any
    metadata: tuple[Any, ...] = ()

    def _find(self, type_: type) -> Any:
        return next((m for m in self.metadata if isinstance(m, type_)), None)

    @property
    def record_kind(self) -> Kind:
        """The kind that records store it as."""
        return self.kind.record_kind

    @property
    def quaternion(self) -> bool:
        """Whether it is a rotation, (x, y, z, w)."""
        return self.kind.is_quaternion

    @property
    def range(self) -> Range | None:
        """The bounds of its values, None for any."""
        found: Range | None = self._find(Range)
        return found

    @property
    def unit(self) -> str:
        """The unit shown beside its value; empty for none."""
        found: Unit | None = self._find(Unit)
        return found.text if found else ""

    @property
    def unit_by(self) -> UnitBy | None:
        """The units where another field decides on them, None where it has one or none."""
        found: UnitBy | None = self._find(UnitBy)
        return found

    @property
    def doc(self) -> str:
        """What it means, in a sentence; empty for none."""
        found: Doc | None = self._find(Doc)
        return found.text if found else ""

    @property
    def angle(self) -> bool:
        """Whether it is in radians and shown in degrees."""
        return self._find(Angle) is not None

    @property
    def color(self) -> bool:
        """Whether it is linear RGB."""
        return self._find(Color) is not None

    @property
    def hidden(self) -> bool:
        """Whether people are not shown it."""
        return self._find(Hidden) is not None

    @property
    def title(self) -> str:
        """What people call the field; empty where its name says it."""
        found: Title | None = self._find(Title)
        return found.text if found else ""

    @property
    def empty(self) -> str:
        """What is shown for an empty string; empty where it is just that."""
        found: Empty | None = self._find(Empty)
        return found.text if found else ""

    @property
    def only_with(self) -> OnlyWith | None:
        """The field and the values of it without which this one means nothing."""
        found: OnlyWith | None = self._find(OnlyWith)
        return found

    @property
    def unset(self) -> Unset | None:
        """The value that stands for none, None where every value counts."""
        found: Unset | None = self._find(Unset)
        return found

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it offers; none for any text."""
        found: Choice | None = self._find(Choice)
        return found.options if found else ()

    @property
    def variant_of(self) -> str:
        """The field whose file offers the names that this one chooses from; empty for none."""
        found: VariantOf | None = self._find(VariantOf)
        return found.field if found else ""

    @property
    def asset(self) -> str:
        """The pattern of the files that this field may name; empty when it names none."""
        found: AssetPath | None = self._find(AssetPath)
        return found.pattern if found else ""


class SceneComponent:
    """Base of every component; see `component`."""

    _fields: ClassVar[tuple[FieldSpec, ...]] = ()
    _component_id: ClassVar[int] = 0
    _scene_name: ClassVar[str] = ""

    @classmethod
    def component_id(cls) -> int:
        """Return the id of the type, unique in a registry."""
        return cls._component_id

    @classmethod
    def scene_name(cls) -> str:
        """Return the component's name in scene files."""
        return cls._scene_name or cls.__name__

    def write_scene(self, w: FieldWriter) -> None:
        """Write the component's fields, in order."""
        for spec in self._fields:
            spec.kind.write(w, spec.name, getattr(self, spec.name))

    @classmethod
    def read_scene(cls, r: FieldReader) -> Self:
        """Build the component from a record, with defaults for missing fields."""
        values = {s.name: s.kind.read(r, s.name, s.default) for s in cls._fields}
        return cls(**values)

    def copy(self) -> Self:
        """Return an independent copy of the value."""
        if not self._fields:
            return copying.deepcopy(self)
        clone = object.__new__(type(self))
        for spec in self._fields:
            object.__setattr__(clone, spec.name, spec.kind.copy(getattr(self, spec.name)))
        return clone

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        if not self._fields:
            return bool(self.__dict__ == other.__dict__)
        return all(
            s.kind.equal(getattr(self, s.name), getattr(other, s.name)) for s in self._fields
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inner = ", ".join(f"{s.name}={getattr(self, s.name)!r}" for s in self._fields)
        return f"{type(self).__name__}({inner})"


def component_fields(type_: type[SceneComponent]) -> tuple[FieldSpec, ...]:
    """Return the declared fields of a component; empty for a tag and for object storage."""
    return type_._fields


def has_derived_codec(type_: type[SceneComponent]) -> bool:
    """Whether the records of `type_` follow its declared fields (nothing written by hand)."""
    return (
        type_.write_scene is SceneComponent.write_scene
        and type_.read_scene.__func__ is SceneComponent.read_scene.__func__  # type: ignore[attr-defined]
    )


def is_object_stored(type_: type[SceneComponent]) -> bool:
    """Whether the world keeps values of `type_` as objects, having no fields to make columns of."""
    if type_._fields:
        return False
    return not has_derived_codec(type_) or type_.__init__ is not object.__init__


@dataclass_transform(eq_default=False)
def component(*, id: int, name: str | None = None) -> Callable[[T], T]:
    """Declare a component class.

    Parameters
    ----------
    id : int
        Its number: 1-19 and 1000-1999 are built in, 20-999 are a project's. Whether it is unique
        is checked by each registry, not here.
    name : str, optional
        Its name in scene files; the class name when absent.

    Raises
    ------
    ComponentError
        An annotation that no field kind knows, or a default that its kind cannot hold.
    """
    caller = sys._getframe(1)

    def declare(cls: T) -> T:
        _declare(cls, id, name, dict(caller.f_locals))
        return cls

    return declare


def _declare(cls: Any, id: int, name: str | None, local_names: dict[str, Any]) -> None:
    cls._component_id = id
    cls._scene_name = name or cls.__name__
    cls._fields = _collect_fields(cls, local_names)
    if cls._fields and "__init__" not in cls.__dict__:
        cls.__init__ = _make_init(cls)
    for spec in cls._fields:
        setattr(cls, spec.name, spec.default)


def _collect_fields(cls: type, local_names: dict[str, Any]) -> tuple[FieldSpec, ...]:
    try:
        hints = get_type_hints(cls, localns=local_names, include_extras=True)
    except NameError as error:
        raise ComponentError(f"{cls.__name__}: {error}") from error
    specs = []
    for attribute, hint in hints.items():
        if attribute.startswith("_") or get_origin(hint) is ClassVar or hint is ClassVar:
            continue
        kind, metadata = _kind_of(hint, f"{cls.__name__}.{attribute}")
        where = f"{cls.__name__}.{attribute}"
        declared = getattr(cls, attribute, None)
        default = kind.zero() if declared is None else kind.coerce(declared, where)
        specs.append(FieldSpec(attribute, kind, default, metadata))
    return tuple(specs)


def _kind_of(hint: Any, where: str) -> tuple[FieldKind, tuple[Any, ...]]:
    bare = hint if isinstance(hint, type) else type(hint)
    if bare in _BARE:
        hint = Annotated[_BARE[bare], hint]
    base: Any = hint
    extras: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        base, *rest = get_args(hint)
        extras = tuple(rest)
        if isinstance(base, type) and base in _BARE:
            base = _BARE[base]
    kind = next((extra for extra in extras if isinstance(extra, FieldKind)), None)
    kind = kind or (FIELD_KINDS.get(base) if isinstance(base, type) else None)
    if kind is None:
        raise ComponentError(f"{where}: no field kind for the annotation {hint!r}")
    metadata = (m() if m in (Angle, AssetPath, Color, Hidden) else m for m in extras)
    return kind, tuple(m for m in metadata if not isinstance(m, FieldKind))


def _make_init(cls: type[SceneComponent]) -> Callable[..., None]:
    """Compile a constructor with one parameter per field, since spawning runs it per entity."""
    scope: dict[str, Any] = {}
    parameters, lines = [], []
    for i, spec in enumerate(cls._fields):
        scope[f"d{i}"] = spec.default
        scope[f"c{i}"] = spec.kind.coerce
        parameters.append(f"{spec.name}=d{i}")
        lines.append(f"    self.{spec.name} = c{i}({spec.name}, '{cls.__name__}.{spec.name}')")
    exec(f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines), scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init
