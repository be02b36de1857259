"""The half of the asset server that faces the renderer: records become GPU objects, and back."""

from typing import Any, Protocol

from engine.assets.asset_records import AssetRecord, MaterialVersion
from engine.assets.cooked.mesh import CookedMesh
from engine.assets.ktx2 import LoadedTexture, upload_loaded
from engine.assets.material import Material


class CookedStore(Protocol):
    """A renderer that takes cooked meshes, materials and, as `resources`, textures."""

    @property
    def resources(self) -> Any:
        """Where textures and samplers go."""

    def add_cooked_mesh(self, mesh: CookedMesh) -> int:
        """Upload a mesh; return its id."""

    def replace_cooked_mesh(self, mesh: int, data: CookedMesh) -> None:
        """Draw other contents under an id from now on."""

    def remove_mesh(self, mesh: int) -> None:
        """Free a mesh."""

    def add_material(self, material: Material) -> int:
        """Upload a material whose slots name uploaded textures; return its id."""

    def replace_material(self, material: int, source: Material) -> None:
        """Draw with another material under an id from now on."""

    def remove_material(self, material: int) -> None:
        """Free a material."""


class RecordUploads:
    """Uploads what records have loaded, in place where they had something before.

    Parameters
    ----------
    records : list of AssetRecord
        Those of the server; the list grows.
    renderer : CookedStore or None
        None uploads nothing; every id is -1.
    """

    def __init__(self, records: list[AssetRecord], renderer: CookedStore | None) -> None:
        self._records = records
        self.renderer = renderer

    @property
    def prefers_bc7(self) -> bool:
        """Whether textures had better come as BC7."""
        return self.renderer is not None and bool(
            getattr(self.renderer.resources, "bc_supported", False)
        )

    def put_mesh(self, record: AssetRecord, mesh: CookedMesh) -> None:
        """Upload the record's mesh, in place of an older one; -1 without a renderer."""
        if self.renderer is None:
            record.mesh = -1
        elif record.mesh is None:
            record.mesh = self.renderer.add_cooked_mesh(mesh)
        else:
            self.renderer.replace_cooked_mesh(record.mesh, mesh)

    def put_texture(self, record: AssetRecord, loaded: LoadedTexture) -> None:
        """Upload a texture; materials that bind the old one are rebuilt before it goes."""
        if self.renderer is None:
            record.texture = -1
            return
        resources, old = self.renderer.resources, record.texture
        record.texture, record.view = upload_loaded(resources, record.logical, loaded)
        if old is not None:
            try:
                self._rebind(record)
            finally:
                resources.remove_texture(old)

    def put_material(self, record: AssetRecord, version: MaterialVersion) -> None:
        """Upload the record's material, in place of an older one; -1 without a renderer."""
        if self.renderer is None:
            record.material = -1
        elif record.material is None:
            record.material = self.renderer.add_material(self._material(self.renderer, version))
        else:
            self.renderer.replace_material(record.material, self._material(self.renderer, version))

    def remove(self, record: AssetRecord) -> None:
        """Free what a record has in the renderer."""
        renderer = self.renderer
        if renderer is not None:
            if record.mesh is not None:
                renderer.remove_mesh(record.mesh)
            if record.material is not None:
                renderer.remove_material(record.material)
            if record.texture is not None:
                renderer.resources.remove_texture(record.texture)
        record.mesh = record.material = record.texture = record.view = None

    def _rebind(self, texture: AssetRecord) -> None:
        """Rebuild in place every ready material that binds what `texture` was."""
        assert self.renderer is not None
        for record in self._records:
            version = record.current
            is_bound = version is not None and texture.logical in version.textures
            if version is not None and is_bound and record.material is not None:
                self.renderer.replace_material(
                    record.material, self._material(self.renderer, version)
                )

    def _material(self, renderer: CookedStore, version: MaterialVersion) -> Material:
        ids = {image: self._records[index].texture for image, index in version.textures.items()}
        sampler = renderer.resources.add_sampler(version.cooked.sampler())
        return version.cooked.material(
            {image: -1 if found is None else found for image, found in ids.items()}, sampler
        )
