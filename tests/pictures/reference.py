"""Assets drawn as a folder of reference pictures shows them.

Such a folder holds `index.json`: per picture its `asset`, its `camera` and its `t`, which is None
at rest, and a PNG beside it. The conventions: drawn twice as large
with four samples, lit by one sun of 3 lux and an ambient irradiance of a half on grey, without
tone mapping, halved in linear light.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.assets import load_gltf
from engine.ecs import QuerySpec, World
from engine.render import Camera, Renderer, RenderScene, RenderSettings
from engine.scene import (
    LightSource,
    LocalTransform,
    RenderBridge,
    propagate_transforms,
    spawn_gltf,
)

SIZE = 512
BACKGROUND = (118, 118, 124)
_SUN = np.array([-0.5, -1.0, -0.6])


def read_index(folder: Path) -> dict[str, dict[str, Any]]:
    """What the pictures of a folder show at rest, by their names."""
    found: dict[str, dict[str, Any]] = json.loads((folder / "index.json").read_text("utf-8"))
    return {name: entry for name, entry in found.items() if entry.get("t") is None}


def draw(renderer: Renderer, assets: Path, entry: dict[str, Any]) -> NDArray[np.uint8]:
    """Draw what an entry of the index says; (512, 512, 3) sRGB."""
    world = World()
    asset = load_gltf(str(assets / entry["asset"]))
    spawn_gltf(renderer, renderer.resources, asset, world, lods=False, cast_shadows=False)
    for entity in [entity for entity, _ in QuerySpec(LightSource).each(world)]:
        world.remove(entity, LightSource)
    sun = LocalTransform(rotation=_turn_onto(_SUN))
    world.spawn(sun, LightSource(kind="directional", intensity=3.0))
    propagate_transforms(world)
    at = entry["camera"]
    camera = Camera.look_at(
        at["eye"], at["target"], fov_y=at["fov_y"], near=at["near"], far=at["far"]
    )
    scene = RenderScene(camera)
    RenderBridge().build(world, scene)
    scene.camera, scene.environment = camera, None
    scene.ambient, scene.background = (0.5, 0.5, 0.5), (0.18, 0.18, 0.20)
    renderer.settings = RenderSettings(tonemap="none", msaa=4, shadows=False, ibl=False)
    return halved(renderer.snapshot(scene, 2 * SIZE, 2 * SIZE)[..., :3])


def halved(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Average squares of two by two in linear light."""
    big = picture / 255.0
    light = np.where(big <= 0.04045, big / 12.92, ((big + 0.055) / 1.055) ** 2.4)
    height, width = picture.shape[:2]
    light = light.reshape(height // 2, 2, width // 2, 2, 3).mean(axis=(1, 3))
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.clip(encoded * 255 + 0.5, 0, 255).astype(np.uint8)


def foreground_error(reference: NDArray[np.uint8], picture: NDArray[np.uint8]) -> float:
    """Mean difference, in steps of 8 bits, where either shows more than the background."""
    pictures = [p.astype(np.int16) for p in (reference, picture)]
    shows = np.any([np.abs(p - np.array(BACKGROUND)).max(axis=2) > 2 for p in pictures], axis=0)
    return float(np.abs(pictures[0] - pictures[1])[shows].mean()) if shows.any() else 0.0


def _turn_onto(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quaternion (x, y, z, w) that turns -Z onto a direction."""
    forward, unit = np.array([0.0, 0.0, -1.0]), direction / np.linalg.norm(direction)
    turn = np.append(np.cross(forward, unit), 1 + forward @ unit)
    return turn / np.linalg.norm(turn)
