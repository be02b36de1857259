"""`GltfReplacement`: the newer version of an asset put under the ids of the older one.

Where both have the same meshes, primitives and materials by number, whatever draws with the ids
draws the new contents. What did not change is not uploaded again: most reloads change one mesh or
one picture. Pictures go up one by one; then everything changes at once, so that no frame shows
half of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from engine.assets.gltf.asset import GltfAsset
from engine.assets.mesh import MeshData
from engine.assets.stores import MeshStore, ReplacingStore, TextureKey, UploadedGltf
from engine.assets.upload_steps import MeshPuts, PreparedMeshes, TextureUploads
from engine.errors import EngineError

_MOST_BYTES = 16 << 20
"""Changed vertices and indices that may be uploaded within one frame."""


class GltfReplacement:
    """A replacement under way; see `GltfUpload`, which it stands for.

    Parameters
    ----------
    renderer : ReplacingStore
    uploaded : UploadedGltf
        The ids of `old`.
    old, new : GltfAsset
        Of the same structure, as `can_replace` tells.
    prepared : PreparedMeshes, optional
        What a worker made of the meshes of `new`.

    Attributes
    ----------
    uploaded : UploadedGltf
        The same ids; they stand for `new` once `steps` is at its end.
    unused : UploadedGltf or None
        What is not needed any more then, to be released once nothing draws with it.
    is_spoilt : bool
        Whether the ids hold some of each version.
    """

    def __init__(
        self,
        renderer: ReplacingStore,
        uploaded: UploadedGltf,
        old: GltfAsset,
        new: GltfAsset,
        prepared: PreparedMeshes | None = None,
    ) -> None:
        self.uploaded = uploaded
        self.unused: UploadedGltf | None = None
        self._renderer = renderer
        self._new = new
        self._changed = list(_changed_meshes(uploaded, old, new))
        at_hand = _unchanged(uploaded.textures, old, new)
        self._textures = TextureUploads(renderer.resources, new, at_hand)
        self._meshes = MeshPuts(renderer, prepared=prepared)
        self.is_spoilt = False

    def steps(self) -> Iterator[None]:
        """Yield after every texture; what follows is one step.

        Raises
        ------
        EngineError
            The renderer refuses something. Before the last step nothing has changed then; after
            that the ids hold some of each version and are to be released.
        """
        try:
            for image, srgb in self._textures.wanted():
                if not self._textures.has(image, srgb):
                    yield from self._textures.steps(image, srgb)
                    yield
            self._put()
        except EngineError:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Give back what was uploaded so far; called again it does nothing."""
        if not self.is_spoilt and self.unused is None:
            for texture in self._textures.take_added():
                self._renderer.resources.remove_texture(texture)

    def _put(self) -> None:
        uploaded, textures = self.uploaded, self._textures
        materials = [textures.material(m.material) for m in self._new.materials]
        # From here on the textures belong to the ids, also where the rest of it fails.
        self.is_spoilt = True
        before = uploaded.texture_ids
        uploaded.texture_ids = before + textures.added
        for material, source in zip(uploaded.material_ids, materials, strict=True):
            self._renderer.replace_material(material, source)
        for mesh, data in self._changed:
            self._meshes.replace(mesh, data)
        used = set(textures.used.values())
        spare = [texture for texture in before if texture not in used]
        uploaded.texture_ids, uploaded.textures = list(used), textures.used
        self.unused = UploadedGltf([], [], -1, spare)
        self.is_spoilt = False


def can_replace(
    renderer: MeshStore, uploaded: UploadedGltf, old: GltfAsset, new: GltfAsset
) -> bool:
    """Whether `new` can be put under the ids of `old` within a frame."""
    if not isinstance(renderer, ReplacingStore) or not _is_same_structure(old, new):
        return False
    changed = (data for _, data in _changed_meshes(uploaded, old, new))
    return sum(data.positions.nbytes * 5 + data.indices.nbytes for data in changed) <= _MOST_BYTES


def _is_same_structure(old: GltfAsset, new: GltfAsset) -> bool:
    shapes = [[len(mesh.primitives) for mesh in asset.meshes] for asset in (old, new)]
    return shapes[0] == shapes[1] and len(old.materials) == len(new.materials)


def _changed_meshes(
    uploaded: UploadedGltf, old: GltfAsset, new: GltfAsset
) -> Iterator[tuple[int, MeshData]]:
    for ids, before, after in zip(uploaded.mesh_ids, old.meshes, new.meshes, strict=True):
        for mesh, a, b in zip(ids, before.primitives, after.primitives, strict=True):
            if not is_same_mesh(a.mesh, b.mesh):
                yield mesh, b.mesh


def _unchanged(
    textures: dict[TextureKey, int], old: GltfAsset, new: GltfAsset
) -> dict[TextureKey, int]:
    """Return the textures whose picture is the same in both."""
    same = {
        index
        for index, (a, b) in enumerate(zip(old.images, new.images, strict=False))
        if np.array_equal(a.pixels, b.pixels)
    }
    return {key: texture for key, texture in textures.items() if key[0] in same}


def is_same_mesh(a: MeshData, b: MeshData) -> bool:
    """Whether two meshes would draw the same, judged by what their files hold."""
    names = [f.name for f in fields(MeshData) if f.init]
    return all(_is_equal(getattr(a, name), getattr(b, name)) for name in names)


def _is_equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_is_equal(a[key], b[key]) for key in a)
    if isinstance(a, Sequence) and not isinstance(a, str):
        return len(a) == len(b) and all(map(_is_equal, a, b))
    if hasattr(a, "__dataclass_fields__") and type(a) is type(b):
        return all(_is_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return bool(a == b)
