"""What colour a material is at a glance."""

import numpy as np
import pytest

from engine.assets import MeshData
from engine.assets.gltf import GltfAsset, GltfMesh, GltfPrimitive
from engine.assets.gltf.asset import GltfMaterial
from engine.assets.gltf.material_colors import seen_colors
from engine.assets.material import Material


def part(material: int, colors=None) -> GltfPrimitive:
    count = 3 if colors is None else len(colors)
    mesh = MeshData(positions=np.zeros((count, 3), np.float32), colors=colors)
    return GltfPrimitive(mesh, material)


def asset(materials, *parts) -> GltfAsset:
    mesh = GltfMesh("m", list(parts), np.zeros(0, np.float32))
    return GltfAsset("a", materials=list(materials), meshes=[mesh])


def painted(*color) -> GltfMaterial:
    return GltfMaterial(Material(base_color=(*color, 1.0)), "paint")


def test_a_material_has_its_base_colour() -> None:
    [color] = seen_colors(asset([painted(0.5, 0.25, 1)], part(0)))
    assert color.linear_rgb == (0.5, 0.25, 1)
    assert not color.has_picture


def test_vertex_colours_count_as_much_as_there_are_of_them() -> None:
    white, red = np.ones((1, 4), np.float32), np.tile([1, 0, 0, 1], (3, 1)).astype(np.float32)
    [color, other] = seen_colors(
        asset([painted(1, 1, 0.5), painted(0, 0, 1)], part(0, white), part(0, red), part(1))
    )
    assert color.linear_rgb == pytest.approx((1, 0.25, 0.125))
    assert other.linear_rgb == (0, 0, 1)


def test_parts_without_a_material_and_odd_colours_do_no_harm() -> None:
    odd = np.array([[np.nan, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1]], np.float32)
    [color] = seen_colors(asset([painted(1, 1, 1)], part(-1), part(0, odd)))
    assert np.isfinite(color.linear_rgb).all()


def test_a_picture_is_told_of() -> None:
    textured = GltfMaterial(Material(), "wood", textures=(0, -1, -1, -1, -1))
    [color] = seen_colors(asset([textured]))
    assert color.has_picture
