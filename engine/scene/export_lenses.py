"""Lights and cameras of an exported level."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from engine.assets import GltfAsset, GltfCamera, GltfLight, GltfNode
from engine.ecs import World
from engine.reflect import Entity
from engine.scene.components import CameraComponent, LightSource
from engine.scene.export_instances import InstancePart
from engine.scene.gltf_blueprint import camera_component, light_component

Lens = TypeVar("Lens", GltfLight, GltfCamera)


class Lenses:
    """Adds lights and cameras to nodes; those of an asset that nobody changed stay as they are."""

    def __init__(self, world: World, asset: GltfAsset) -> None:
        self._world = world
        self._asset = asset
        self._shared: dict[tuple[int, str, int], int] = {}

    def add(self, node: GltfNode, entity: Entity, part: InstancePart | None) -> None:
        """Give `node` the light and the camera of `entity`."""
        if part is not None and not part.plan.is_node:
            part = None
        if self._world.has(entity, LightSource):
            light = self._world.get(entity, LightSource)
            node.light = self._light(light, node.name, part)
        if self._world.has(entity, CameraComponent):
            camera = self._world.get(entity, CameraComponent)
            node.camera = self._camera(camera, node.name, part)

    def _light(self, light: LightSource, name: str, part: InstancePart | None) -> int:
        lights = self._asset.lights
        if part is not None and part.source.light is not None:
            source = part.asset.lights[part.source.light]
            if light_component(source) == light:
                return self._take(source, lights, (id(part.asset), "light", part.source.light))
        red, green, blue = np.nan_to_num(light.color).tolist()
        made = GltfLight(
            light.kind,  # type: ignore[arg-type]
            (red, green, blue),
            float(light.intensity),
            float(light.range),
            float(light.inner_angle),
            float(light.outer_angle),
            name,
            bool(light.cast_shadows),
        )
        lights.append(made)
        return len(lights) - 1

    def _camera(self, camera: CameraComponent, name: str, part: InstancePart | None) -> int:
        cameras = self._asset.cameras
        if part is not None and part.source.camera is not None:
            source = part.asset.cameras[part.source.camera]
            derived = camera_component(source)
            if (derived.fov_y, derived.near) == (camera.fov_y, camera.near):
                return self._take(source, cameras, (id(part.asset), "camera", part.source.camera))
        cameras.append(GltfCamera("perspective", name, float(camera.fov_y), float(camera.near)))
        return len(cameras) - 1

    def _take(self, lens: Lens, among: list[Lens], key: tuple[int, str, int]) -> int:
        """Return the index of an asset's own light or camera, added on first use."""
        if key not in self._shared:
            self._shared[key] = len(among)
            among.append(lens)
        return self._shared[key]
