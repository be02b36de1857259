"""`GltfUpload`: an asset handed to a renderer piece by piece, so that no frame waits for it."""

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from engine.assets.gltf.asset import GltfAsset
from engine.assets.material import Material, Sampler, TextureRef
from engine.assets.mesh import MeshData
from engine.assets.stores import (
    MeshStore,
    ReplacingStore,
    SteppedTextureStore,
    TextureKey,
    TextureStore,
    UploadedGltf,
)

_SLOTS = (
    ("base_color_texture", True),
    ("metallic_roughness_texture", False),
    ("normal_texture", False),
    ("occlusion_texture", False),
    ("emissive_texture", True),
)
_SRGB_PARAMETERS = {"sheenColorTexture", "specularColorTexture", "diffuseTransmissionColorTexture"}


class TextureUploads:
    """Uploads an asset's images and samplers on demand, each once.

    Parameters
    ----------
    store : TextureStore
    asset : GltfAsset
    at_hand : mapping of TextureKey to int, optional
        Textures that are uploaded already.

    Attributes
    ----------
    used : dict of TextureKey to int
        What was asked for, taken from what was at hand or added.
    added : list of int
    """

    def __init__(
        self, store: TextureStore, asset: GltfAsset, at_hand: Mapping[TextureKey, int] | None = None
    ) -> None:
        self.used: dict[TextureKey, int] = {}
        self.added: list[int] = []
        self._store = store
        # Python looks at each method of a protocol to tell, which takes longer.
        self._is_stepped = hasattr(store, "texture_steps")
        self._asset = asset
        self._at_hand = at_hand or {}
        self._samplers: dict[Sampler, int] = {}

    def take_added(self) -> list[int]:
        """Return the ids that were added and forget them: whoever asks gives them back."""
        taken, self.added = self.added, []
        self.used.clear()
        return taken

    def texture(self, image: int, srgb: bool) -> int:
        """Upload an image of the asset, if it is not yet; return the id of the texture."""
        for _ in self.steps(image, srgb):
            pass
        return self.used[image, srgb]

    def steps(self, image: int, srgb: bool) -> Iterator[None]:
        """Upload an image that is not there yet; yield after each piece that the store takes."""
        key = (image, srgb)
        if key in self.used:
            return
        found = self._at_hand.get(key)
        if found is None:
            picture = self._asset.images[image]
            given = picture.pixels, srgb, picture.name
            if self._is_stepped:
                found = yield from cast("SteppedTextureStore", self._store).texture_steps(*given)
            else:
                found = self._store.add_texture(*given)
            self.added.append(found)
        self.used[key] = found

    def _sampler(self, sampler: Sampler) -> int:
        if sampler not in self._samplers:
            self._samplers[sampler] = self._store.add_sampler(sampler)
        return self._samplers[sampler]

    def wanted(self) -> Iterator[tuple[int, bool]]:
        """Yield every image that a material shows, and whether as sRGB, as often as it does."""
        for material in (source.material for source in self._asset.materials):
            for reference, srgb in _references(material):
                image = self._asset.textures[reference.texture].image
                if image >= 0:
                    yield image, srgb

    def has(self, image: int, srgb: bool) -> bool:
        """Whether an image is uploaded, as sRGB or linear."""
        return (image, srgb) in self.used

    def reference(self, ref: TextureRef | None, srgb: bool) -> TextureRef | None:
        """Return a reference of the file as one to what was uploaded; None without a picture."""
        if ref is None:
            return None
        texture = self._asset.textures[ref.texture]
        if texture.image < 0:
            return None
        return replace(
            ref,
            texture=self.texture(texture.image, srgb),
            sampler=self._sampler(texture.sampler),
        )

    def material(self, material: Material) -> Material:
        """Return a material whose slots name uploaded textures and samplers."""
        if not material.extensions and not any(material.textures()):
            return replace(material)
        slots = {slot: self.reference(getattr(material, slot), srgb) for slot, srgb in _SLOTS}
        extensions = {name: self._parameters(body) for name, body in material.extensions.items()}
        return replace(material, extensions=extensions, **slots)  # type: ignore[arg-type]

    def _parameters(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return an extension's parameters with uploaded textures; absent ones are left out."""
        prepared = {
            key: self.reference(value, key in _SRGB_PARAMETERS)
            if isinstance(value, TextureRef)
            else value
            for key, value in body.items()
        }
        return {key: value for key, value in prepared.items() if value is not None}


def _references(material: Material) -> Iterator[tuple[TextureRef, bool]]:
    """Yield every reference of a material to a texture, and whether it shows that as sRGB."""
    for (_, srgb), reference in zip(_SLOTS, material.textures(), strict=True):
        if reference is not None:
            yield reference, srgb
    for body in material.extensions.values():
        for key, value in body.items():
            if isinstance(value, TextureRef):
                yield value, key in _SRGB_PARAMETERS


class GltfUpload:
    """An upload under way.

    Parameters
    ----------
    renderer : MeshStore
    resources : TextureStore or None
        Where textures go; None means ``renderer.resources``.
    asset : GltfAsset
    lods : bool
        Build levels of detail for meshes of more than 64 triangles, where the renderer draws them.
    prepared : PreparedMeshes, optional
        What a worker made of its meshes.

    Attributes
    ----------
    uploaded : UploadedGltf
        What there is so far; whole once `steps` is at its end.
    unused : UploadedGltf or None
        What of an older version is not needed any more; None, as this replaces nothing.
    is_spoilt : bool
        Whether an older version is not whole any more.
    """

    unused: UploadedGltf | None = None
    is_spoilt = False

    def __init__(
        self,
        renderer: MeshStore,
        resources: TextureStore | None,
        asset: GltfAsset,
        lods: bool = True,
        prepared: "PreparedMeshes | None" = None,
    ) -> None:
        self.uploaded = UploadedGltf([], [], -1)
        self._renderer = renderer
        self._asset = asset
        self._textures = TextureUploads(
            renderer.resources if resources is None else resources, asset
        )
        self._meshes = MeshPuts(renderer, lods, prepared)

    def steps(self) -> Iterator[None]:
        """Yield after every texture, or piece of a large one, material and mesh.

        Raises
        ------
        EngineError
            The renderer refuses something; what it had taken is given back.
        """
        try:
            yield from self._steps()
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        """Give back what was uploaded so far; called again it does nothing."""
        self.uploaded.texture_ids = self._textures.take_added()
        self.uploaded.release(self._renderer)

    def _steps(self) -> Iterator[None]:
        uploaded, textures = self.uploaded, self._textures
        for image, srgb in textures.wanted() if self._asset.textures else ():
            if not textures.has(image, srgb):
                yield from textures.steps(image, srgb)
                yield
        for material in self._asset.materials:
            prepared = textures.material(material.material)
            uploaded.material_ids.append(self._renderer.add_material(prepared))
            yield
        uploaded.default_material = self._renderer.add_material(Material())
        for mesh in self._asset.meshes:
            uploaded.mesh_ids.append([])
            for primitive in mesh.primitives:
                uploaded.mesh_ids[-1].append(self._meshes.add(primitive.mesh))
                yield
        uploaded.texture_ids, uploaded.textures = textures.added, textures.used


@cache
def _draws_lods(renderer: type[MeshStore]) -> bool:
    """Whether a kind of renderer takes levels of detail."""
    return "lods" in inspect.signature(renderer.add_mesh).parameters


class MeshPuts:
    """Puts an asset's meshes into a renderer, with what was made of them beforehand.

    Parameters
    ----------
    renderer : MeshStore
    lods : bool
        Build levels of detail for meshes of more than 64 triangles, where the renderer draws them.
    prepared : PreparedMeshes, optional
        What a worker made of them; of no use where it was for another renderer.
    """

    def __init__(
        self, renderer: MeshStore, lods: bool = True, prepared: "PreparedMeshes | None" = None
    ) -> None:
        self._renderer = renderer
        self._has_lods = lods and _draws_lods(type(renderer))
        is_usable = prepared is not None and prepared.renderer is renderer and lods
        self._prepared = prepared.meshes if prepared is not None and is_usable else {}

    def add(self, mesh: MeshData) -> int:
        """Add a mesh and return its id."""
        return self._renderer.add_mesh(mesh, **self._options(mesh))

    def replace(self, number: int, mesh: MeshData) -> None:
        """Put a mesh under an id that there is."""
        assert isinstance(self._renderer, ReplacingStore)
        self._renderer.replace_mesh(number, mesh, **self._options(mesh))

    def _options(self, mesh: MeshData) -> dict[str, Any]:
        if id(mesh) in self._prepared:
            return {"prepared": self._prepared[id(mesh)]}
        return {"lods": mesh.build_lods()} if self._has_lods else {}


@dataclass(frozen=True, eq=False)
class PreparedMeshes:
    """What a renderer needs of an asset's meshes, made on the thread that read them.

    Attributes
    ----------
    renderer : MeshStore
        The one that it is for.
    meshes : dict of int to Any
        By the id of the `MeshData`; empty for a renderer that prepares none.
    """

    renderer: MeshStore
    meshes: dict[int, Any]


class MeshPreparation:
    """What is done on any thread before a renderer can take meshes.

    It is made on the renderer's own thread; the renderer is not asked for anything later.
    """

    def __init__(self, renderer: MeshStore) -> None:
        self._renderer = renderer
        # Python looks at each method of a protocol to tell, which takes longer.
        self._prepare = getattr(renderer, "prepare_mesh", None)

    def __call__(self, asset: GltfAsset) -> PreparedMeshes:
        """Build the levels of detail of an asset's meshes, and what the renderer prepares."""
        made: dict[int, Any] = {}
        drawn = {id(part.mesh): part.mesh for mesh in asset.meshes for part in mesh.primitives}
        for key, mesh in drawn.items():
            lods = mesh.build_lods()
            if self._prepare is not None:
                made[key] = self._prepare(mesh, lods)
        return PreparedMeshes(self._renderer, made)
