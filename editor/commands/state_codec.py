"""A whole level as one entry of a journal: what a journal that grew too long begins anew with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from editor.commands.adopt import AdoptDocument, plan_adoption
from editor.commands.edit import Transaction
from editor.commands.entity_keys import EntityKeys
from editor.commands.step_codec import join_documents
from editor.commands.step_reading import integers_in, split_documents, text_in
from engine.errors import SceneError
from engine.reflect import ComponentRecord, Entity, Field, Kind
from engine.scene import EntityRecord, LevelFile, SceneDoc, SceneRegistry

STATE = "~state"


def encode_state(level: LevelFile, keys: EntityKeys, count: int) -> bytes:
    """Return the level as it is.

    Parameters
    ----------
    level : LevelFile
    keys : EntityKeys
    count : int
        How many of its indices are those of the file that the journal continues.
    """
    doc, handles = level.draft(count)
    named = " ".join(str(keys.key_of(Entity(e)) if e else 0) for e in handles[count:].tolist())
    fields = [Field.of("keys", Kind.STRING, named)]
    head = SceneDoc()
    head.entities.append(EntityRecord([ComponentRecord(STATE, fields)]))
    return join_documents([head, doc])


class AdoptState(AdoptDocument):
    """What `encode_state` wrote, as one step on the level as the journal found it.

    Raises
    ------
    SceneError
        The payload holds no state.
    """

    def __init__(
        self, payload: bytes, level: LevelFile, keys: EntityKeys, registry: SceneRegistry
    ) -> None:
        documents = split_documents(payload)
        head = documents[0].entities[0].get(STATE) if documents and len(documents[0]) else None
        if head is None or len(documents) != 2:
            raise SceneError("state: expected the records of a level")
        wanted = documents[1]
        registry.migrate(wanted)
        self._new_keys = integers_in(text_in(head, "keys"))
        self._keys = keys
        current, handles = level.draft()
        plan = plan_adoption(current, wanted, _known(handles, level), registry)
        super().__init__("Changes of the last session", plan)
        if len(self._new_keys) > len(self.handles):
            raise SceneError("state: expected an entity for every key")

    @property
    def is_empty(self) -> bool:
        """It stays a step also where it changes nothing: later entries count on it."""
        return False

    def build(self, edit: Transaction) -> None:
        super().build(edit)
        if self._new_keys:
            new = self.handles[-len(self._new_keys) :].tolist()
            for key, handle in zip(self._new_keys, new, strict=True):
                if key and handle:
                    self._keys.bind(key, Entity(handle))


def _known(handles: NDArray[np.int64], level: LevelFile) -> NDArray[np.int64]:
    """Return the handles without those that the file does not hold."""
    return handles[: level.index_count]
