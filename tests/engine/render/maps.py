"""Textures made of a few texels, and what a square that carries them looks like."""

import numpy as np

from engine.assets import Material
from engine.assets.material import Sampler, TextureRef
from engine.render import Renderer, RenderScene
from tests.engine.render.conftest import linear, put, quad, sun

SLOTS = ("base_color", "metallic_roughness", "normal", "occlusion", "emissive")


NEAREST = Sampler(mag="nearest", min="nearest", mipmap="none")


TANGENTS = [[1.0, 0.0, 0.0, 1.0]] * 4


def texture(
    renderer: Renderer, pixels: object, srgb: bool = False, **sampler: object
) -> TextureRef:
    rgba = np.asarray(pixels, np.uint8)
    store = renderer.resources
    chosen = Sampler(**sampler) if sampler else NEAREST
    return TextureRef(store.add_texture(rgba, srgb, "test"), store.add_sampler(chosen))


def flat(renderer: Renderer, *rgba: int, srgb: bool = False) -> TextureRef:
    return texture(renderer, [[rgba]], srgb)


def shown(renderer: Renderer, scene: RenderScene, size: int = 32) -> np.ndarray:
    return linear(renderer.snapshot(scene, size, size)[..., :3])


def middle(renderer: Renderer, scene: RenderScene) -> np.ndarray:
    return shown(renderer, scene, 16)[8, 8]


def drawn(renderer: Renderer, scene: RenderScene, material: Material, **mesh: object) -> np.ndarray:
    """A square that fills the picture, lit from a side and from everywhere."""
    scene.clear()
    put(scene, renderer.add_mesh(quad(2.0, **mesh)), renderer.add_material(material))
    sun(scene, (-0.4, -0.6, -1.0))
    scene.ambient = (0.7, 0.7, 0.7)
    return shown(renderer, scene)


def behind_it(renderer, scene, unlit):
    put(scene, renderer.add_mesh(quad(4.0)), unlit(0.7, 0.8, 0.9), 0, 0, -1)
