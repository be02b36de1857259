"""`SceneRegistry`: the component types of a document and the migrations between versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.collector import paused_collector
from engine.ecs import World
from engine.errors import SceneError
from engine.reflect import Entity, SceneComponent
from engine.scene.document import SCENE_VERSION, SceneDoc
from engine.scene.document.checks import check_version
from engine.scene.document.names import check_component_name
from engine.scene.registry.file_index import IntArray
from engine.scene.registry.instantiate import instantiate_columns
from engine.scene.registry.snapshot import snapshot

Migration = Callable[[SceneDoc], object]
MAX_MIGRATION_STEPS = 1000


class SceneRegistry:
    """Which types are saved, in which order, and how old documents become new ones.

    Parameters
    ----------
    keep_unknown : bool
        Whether records of unregistered components stay on their entity and are written back;
        otherwise they are refused. Unknown fields of known components are kept in both modes.
    """

    def __init__(self, keep_unknown: bool = False) -> None:
        self.keep_unknown = keep_unknown
        self._types: dict[str, type[SceneComponent]] = {}
        self._migrations: dict[int, Migration] = {}

    @property
    def types(self) -> tuple[type[SceneComponent], ...]:
        """The registered types, in the order in which an entity's records are written."""
        return tuple(self._types.values())

    def type_named(self, name: str) -> type[SceneComponent] | None:
        """Return the type registered under a scene name, or None."""
        return self._types.get(name)

    def register(self, type_: type[SceneComponent]) -> None:
        """Make `type_` saveable under its scene name.

        Raises
        ------
        SceneError
            The name or the id is taken, or is none; or this is no component class.
        """
        if not (isinstance(type_, type) and issubclass(type_, SceneComponent)):
            raise SceneError(f"{type_!r} is not a component class")
        name, number = type_.scene_name(), type_.component_id()
        check_component_name(name)
        if number < 1:
            raise SceneError(f"{name}: declare it with @component(id=...)")
        for known in self._types.values():
            if known.scene_name() == name:
                raise SceneError(f"component name {name} is registered twice")
            if known.component_id() == number:
                raise SceneError(f"component id {number} of {name} is that of {known.scene_name()}")
        self._types[name] = type_

    def add_migration(self, from_version: int, fn: Migration) -> None:
        """Let `fn` edit a document of `from_version` in place into one of the next version.

        Raises
        ------
        SceneError
            There is a migration from that version already.
        """
        if from_version in self._migrations:
            raise SceneError(f"there is a migration from version {from_version} already")
        self._migrations[from_version] = fn

    def migrate(self, doc: SceneDoc) -> None:
        """Bring a document to the current version; on any error it stays as it was.

        Raises
        ------
        SceneError
            The document is newer than this engine or has no version, a step is missing, or a
            migration failed.
        """
        check_version(doc.version)
        if doc.version > SCENE_VERSION:
            raise SceneError(
                f"version {doc.version} is newer than this engine (it reads up to {SCENE_VERSION})"
            )
        if doc.version == SCENE_VERSION:
            return
        before = doc.copy()
        try:
            self._migrate_steps(doc)
        except BaseException:
            doc.assign(before)
            raise

    def _migrate_steps(self, doc: SceneDoc) -> None:
        version, first = doc.version, doc.version
        while version < SCENE_VERSION:
            if version - first >= MAX_MIGRATION_STEPS:
                raise SceneError(
                    f"version {first} is more than {MAX_MIGRATION_STEPS} migrations old"
                )
            migration = self._migrations.get(version)
            if migration is None:
                raise SceneError(f"no migration to {version + 1} (from version {version})")
            try:
                migration(doc)
                doc.version = version = version + 1
                doc.to_columns()
            except SceneError:
                raise
            except Exception as error:
                raise SceneError(
                    f"the migration from version {version} failed: {type(error).__name__}: {error}"
                ) from error

    def to_doc(self, world: World, entities: Sequence[int] | IntArray | None = None) -> SceneDoc:
        """Return the records of `entities` in that order, as a document.

        Parameters
        ----------
        world : World
        entities : sequence of Entity, optional
            None means every live entity in archetype order. A null handle writes an empty record.

        Raises
        ------
        EntityError
            A handle that is not alive.
        """
        return SceneDoc.from_columns(SCENE_VERSION, snapshot(world, self.types, entities))

    def instantiate(self, world: World, doc: SceneDoc) -> list[Entity]:
        """Spawn every record of a migrated document; return the entities in file order.

        Raises
        ------
        SceneError
            Another version, an unknown component, a field of the wrong kind. The world is then
            as it was.
        """
        if doc.version > SCENE_VERSION:
            raise SceneError(f"version {doc.version} is newer than this engine ({SCENE_VERSION})")
        if doc.version < SCENE_VERSION:
            raise SceneError(
                f"version {doc.version}: migrate the document to {SCENE_VERSION} first"
            )
        with paused_collector():
            handles = instantiate_columns(
                world, doc.to_columns(), self._types, keep_unknown=self.keep_unknown
            )
        return [Entity(handle) for handle in handles.tolist()]
