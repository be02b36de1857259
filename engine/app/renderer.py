"""What an app needs of a renderer, so that it has to import none."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.assets.upload import MeshStore
from engine.render.scene import RenderScene
from engine.scene.material_overrides import MaterialStore


class AppRenderer(MeshStore, MaterialStore, Protocol):
    """A store for meshes and materials that draws pictures."""

    def render(self, scene: RenderScene, target: Any, width: int, height: int) -> None:
        """Draw `scene` into `target`."""

    def snapshot(self, scene: RenderScene, width: int, height: int) -> NDArray[np.uint8]:
        """Return the picture, (height, width, 4), sRGB."""
