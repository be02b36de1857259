"""Cameras and lights on their way into a file."""

import math

from engine.assets.gltf.asset import GltfCamera, GltfLight
from engine.assets.gltf_export.draft import Draft, Json, named

_WIDEST = math.pi - 1e-3
_FARTHEST = 1e30


def _within(value: float, low: float, high: float) -> float:
    """Return the value within bounds; the lower one for what is no number."""
    return low if math.isnan(value) else float(min(max(value, low), high))


def write_camera(draft: Draft, camera: GltfCamera) -> int:
    """Write a camera; return its index."""
    if camera.kind == "perspective":
        near = _within(camera.near, 1e-4, _FARTHEST)
        lens: Json = {"yfov": _within(camera.fov_y, 1e-3, _WIDEST), "znear": near}
        if camera.far is not None and camera.far > near:
            lens["zfar"] = camera.far
        if camera.aspect is not None and camera.aspect > 0:
            lens["aspectRatio"] = camera.aspect
    else:
        near = _within(camera.near, 0.0, _FARTHEST)
        far = camera.far if camera.far is not None else 0.0
        lens = {
            "xmag": _within(camera.x_mag, 1e-6, _FARTHEST),
            "ymag": _within(camera.y_mag, 1e-6, _FARTHEST),
            "znear": near,
            "zfar": far if far > near else near + 1000.0,
        }
    item = {"type": camera.kind, camera.kind: lens}
    return draft.add("cameras", named(camera.name, item))


def light_item(light: GltfLight) -> Json:
    """Return a light of KHR_lights_punctual."""
    item: Json = {
        "type": light.kind,
        "color": [_within(value, 0.0, 1.0) for value in light.color],
        "intensity": _within(light.intensity, 0.0, _FARTHEST),
    }
    if light.range > 0 and light.kind != "directional":
        item["range"] = light.range
    if light.kind == "spot":
        outer = _within(light.outer_angle, 1e-4, math.pi / 2)
        inner = _within(light.inner_angle, 0.0, outer * (1 - 1e-6))
        item["spot"] = {"innerConeAngle": inner, "outerConeAngle": outer}
    if light.cast_shadows:
        item["extras"] = {"cast_shadows": True}
    return named(light.name, item)
