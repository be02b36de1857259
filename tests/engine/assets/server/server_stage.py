"""A folder of cooked files, and a renderer that keeps strict accounts, for the asset server."""

import os
import threading

import numpy as np

from engine.assets import MeshData
from engine.assets.asset_ids import asset_file_name
from engine.assets.asset_records import AssetState
from engine.assets.cook_manifest import CookManifest
from engine.assets.cooked import (
    Clip,
    ClipChannel,
    CookedMaterial,
    CookedSlot,
    cook_mesh,
    write_clip,
    write_material,
    write_mesh,
)
from engine.assets.ktx2.container import write_rgba8
from engine.errors import EngineError

SUFFIX = {"mesh": "cmesh", "clip": "cclip", "material": "cmat", "texture": "ktx2"}


class Store:
    """Ids with contents; what is not there cannot be removed, replaced or bound."""

    bc_supported = False

    def __init__(self):
        self._owner = threading.get_ident()
        self._textures, self.samplers, self.next = {}, [], 0

    @property
    def textures(self):
        assert threading.get_ident() == self._owner, "a job must not touch the renderer"
        return self._textures

    def add_texture(self, pixels, srgb, label):
        return self.add_levels([pixels], pixels.shape[:2], False, srgb, label)

    def add_levels(self, levels, size, bc7, srgb, label):
        self.next += 1
        self.textures[self.next] = int(levels[0][0, 0, 0])
        return self.next

    def view(self, texture):
        return ("view", texture)

    def remove_texture(self, texture):
        del self.textures[texture]

    def add_sampler(self, sampler):
        if sampler not in self.samplers:
            self.samplers.append(sampler)
        return self.samplers.index(sampler)


class FakeRenderer:
    def __init__(self):
        self._owner = threading.get_ident()
        self.resources = Store()
        self._meshes, self._materials, self.next, self.refuses = {}, {}, 0, False

    @property
    def meshes(self):
        assert threading.get_ident() == self._owner, "a job must not touch the renderer"
        return self._meshes

    @property
    def materials(self):
        assert threading.get_ident() == self._owner, "a job must not touch the renderer"
        return self._materials

    def _checked(self, material):
        for ref in material.textures():
            assert ref is None or ref.texture in self.resources.textures
        return material

    def add_cooked_mesh(self, mesh):
        if self.refuses:
            raise EngineError("out of memory")
        self.next += 1
        self.meshes[self.next] = float(mesh.bounds_max[0])
        return self.next

    def replace_cooked_mesh(self, mesh, data):
        assert mesh in self.meshes
        self.meshes[mesh] = float(data.bounds_max[0])

    def remove_mesh(self, mesh):
        del self.meshes[mesh]

    def add_material(self, material):
        self.next += 1
        self.materials[self.next] = self._checked(material)
        return self.next

    def replace_material(self, material, source):
        assert material in self.materials
        self.materials[material] = self._checked(source)

    def remove_material(self, material):
        # Bound textures go after the material that binds them.
        self._checked(self.materials.pop(material))

    def is_empty(self):
        return not (self.meshes or self.materials or self.resources.textures)

    def bound(self, material):
        """Contents of the material's textures and its roughness."""
        source = self.materials[material]
        refs = [ref for ref in source.textures() if ref is not None]
        return source.roughness, [self.resources.textures[ref.texture] for ref in refs]


def mesh_bytes(value):
    corners = np.float32([[0, 0, 0], [value, 0, 0], [0, 1, 0]])
    return write_mesh(cook_mesh(MeshData(corners)))


def texture_bytes(value):
    return write_rgba8([(bytes([value, 0, 0, 255]), 1, 1)], True)


def clip_bytes(value):
    key = ClipChannel(0, 0, 0, 3, np.float32([0]), np.float32([value, 0, 0]))
    return write_clip(Clip("clip", float(value), [key]))


def material_bytes(value, images=()):
    slots = tuple(CookedSlot(0, name) for name in images)
    slots += (CookedSlot(),) * (5 - len(slots))
    return write_material(CookedMaterial(roughness=float(value), slots=slots))


class Folder:
    """A folder of cooked files with its manifest; every write has a newer time stamp."""

    def __init__(self, path):
        self.path, self.manifest, self.clock = path, CookManifest(), 1_000_000_000
        path.mkdir()

    def file(self, logical, kind):
        return self.path / asset_file_name(logical, SUFFIX[kind])

    def write(self, logical, kind, data):
        path = self.file(logical, kind)
        path.write_bytes(data)
        self.clock += 1
        os.utime(path, (self.clock, self.clock))
        if self.manifest.find(logical) is None:
            self.manifest.record(logical, "0" * 16, path.name)
            self.manifest.save(self.path / "manifest.txt")


READY, FAILED, LOADING = AssetState.READY, AssetState.FAILED, AssetState.LOADING
