"""An app whose materials can be looked at, and props to paint."""

import pytest
from PIL import Image

from engine.app import App
from engine.scene import (
    DrawnMaterial,
    GltfInstance,
    LocalTransform,
    MeshRenderer,
    Name,
)
from tests.engine.scene.instance_stage import ARM, write_asset

RED = (1.0, 0.0, 0.0)


class Store:
    """A renderer that keeps what it is given."""

    def __init__(self):
        self.materials, self.textures, self.meshes = {}, {}, set()
        self.replaced = 0
        self._next = 0

    @property
    def resources(self):
        return self

    def _id(self):
        self._next += 1
        return self._next

    def add_mesh(self, mesh):
        self.meshes.add(added := self._id())
        return added

    def remove_mesh(self, mesh):
        self.meshes.remove(mesh)

    def material(self, material):
        return self.materials[material]

    def add_material(self, material):
        self.materials[added := self._id()] = material
        return added

    def replace_material(self, material, source):
        assert material in self.materials
        self.replaced += 1
        self.materials[material] = source

    def remove_material(self, material):
        del self.materials[material]

    def add_texture(self, pixels, srgb, label):
        self.textures[added := self._id()] = (pixels, srgb, label)
        return added

    def remove_texture(self, texture):
        del self.textures[texture]

    def add_sampler(self, sampler):
        return self._id()


@pytest.fixture
def app(tmp_path):
    write_asset(tmp_path / "arm.gltf", ARM)
    made = App(tmp_path, Store())
    yield made
    made.close()


def place(app):
    root = app.world.spawn(Name("arm"), LocalTransform(), GltfInstance("arm.gltf"))
    app.settle()
    return root


def drawn(app, entity):
    """The material that an entity is drawn with."""
    app.settle()
    has_own = app.world.has(entity, DrawnMaterial)
    return app.renderer.material(
        app.world.get(entity, DrawnMaterial if has_own else MeshRenderer).material
    )


def paint(path, color=(0, 255, 0)):
    Image.new("RGB", (4, 2), color).save(path)
