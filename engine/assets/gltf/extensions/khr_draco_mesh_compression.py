"""KHR_draco_mesh_compression: a primitive's attributes and indices in one Draco buffer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.component_types import COMPONENT_DTYPES
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.extensions.draco_header import declared_counts
from engine.assets.gltf.extensions.draco_process import FACES, decode_draco
from engine.assets.gltf.extensions.optional import decoder_package
from engine.assets.gltf.reader import JsonObject
from engine.errors import AssetError

if TYPE_CHECKING:
    from engine.assets.gltf.buffers import Buffers
    from engine.assets.gltf.document import Document

Array = NDArray[np.generic]

# What decoding takes: a corner table (three words of four bytes a corner) and four floats a value.
_FACE_BYTES = 3 * 3 * 4
_VALUE_BYTES = 4 * 4
# Far more than any encoder reaches; a mutilated count is millions.
_PER_BYTE = 1000


class _Draco(Extension):
    name = "KHR_draco_mesh_compression"

    def geometry(
        self, document: "Document", buffers: "Buffers", primitive: JsonObject, body: JsonObject
    ) -> tuple[dict[str, Array], NDArray[np.uint32] | None] | None:
        if decoder_package(document, self.name, "DracoPy", body) is None:
            return None
        view = body.required_index("bufferView", len(buffers.views), "buffer views")
        accessors = document.root.objects("accessors")
        names = primitive.required_object("attributes")
        stream = bytes(buffers.view(view))
        try:
            counts = declared_counts(stream)
        except AssetError as error:
            raise AssetError(f"parse failed at {body.pointer()}: Draco: {error}") from None
        if max(counts.points, counts.faces) > _PER_BYTE * len(stream):
            body.fail_range(
                "bufferView",
                detail=f"{counts.faces} faces and {counts.points} points in {len(stream)} bytes",
            )
        # Seams split vertices while decoding: about as many as there are faces come out.
        points = max(counts.points, counts.faces)
        size = counts.faces * _FACE_BYTES + points * _VALUE_BYTES * len(names.value)
        document.budget.take(size, body.pointer())
        try:
            decoded = decode_draco(stream)
        except AssetError as error:
            raise AssetError(f"parse failed at {body.pointer()}: Draco: {error}") from None
        faces = decoded.pop(FACES, None)
        indices = None if faces is None else np.asarray(faces, np.uint32)
        return self._attributes(body, names, accessors, decoded), indices

    def _attributes(
        self,
        body: JsonObject,
        names: JsonObject,
        accessors: Sequence[JsonObject],
        decoded: dict[int, Array],
    ) -> dict[str, Array]:
        ids = body.required_object("attributes")
        found: dict[str, Array] = {}
        for name in ids.value:
            values = decoded.get(ids.integer(name))
            if values is None:
                ids.fail_range(name, detail=f"the Draco data has no attribute {ids.integer(name)}")
            at = names.index(name, len(accessors), "accessors")
            if at is None:
                continue
            component = accessors[at].integer("componentType")
            if component not in COMPONENT_DTYPES:
                accessors[at].fail("componentType", "a known component type")
            rows = values.reshape(len(values), -1)
            found[name] = rows.astype(COMPONENT_DTYPES[component], copy=False)
        return found


DRACO = _Draco()
