"""A few of the shared reference pictures, one per feature, drawn under their conventions."""

import pathlib

import numpy as np
import pytest
from PIL import Image

from engine.render import Renderer
from tests.pictures.reference import BACKGROUND, draw, read_index

pytestmark = pytest.mark.gpu

PICTURES = {
    "khronos__BoxVertexColors__glTF-Binary__BoxVertexColors": "vertex colours",
    "khronos__MultiUVTest__glTF__MultiUVTest": "second UV set",
    "khronos__RiggedSimple__glTF__RiggedSimple": "skin",
    "trimesh__AlphaBlendModeTest": "mask and blend",
    "asset_generator__Positive__Animation_Skin__Animation_Skin_05": "flat shading of moved faces",
    "asset_generator__Positive__Texture_Sampler__Texture_Sampler_08": "wrap modes and filters",
    "asset_generator__Positive__Mesh_PrimitiveMode__Mesh_PrimitiveMode_03": "lines",
    "aframe__controllers__hands__rightHandLow": "vertices without weights",
    "props__kenney_racing__vehicle-truck-red": "a shared colour map",
}


@pytest.mark.parametrize("slug", PICTURES, ids=PICTURES.values())
def test_picture_agrees_with_the_reference(
    renderer: Renderer, shared: pathlib.Path, slug: str
) -> None:
    folder = shared / "reference_renders" / "dev"
    entry = read_index(folder)[slug]
    reference = np.asarray(Image.open(folder / f"{slug}.png").convert("RGB"), np.int64)
    error = np.abs(draw(renderer, shared / "assets", entry) - reference)
    drawn = (np.abs(reference - BACKGROUND) > 2).any(axis=2)
    assert drawn.any()
    assert error.mean() < 0.2
    # Edges of primitives that are one pixel thin differ between rasterisers.
    assert error[drawn].mean() < (6.0 if "PrimitiveMode" in slug else 0.8)
