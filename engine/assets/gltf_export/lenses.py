"""Cameras and lights on their way into a file."""

import math

from engine.assets.gltf.asset import GltfCamera, GltfLight
from engine.assets.gltf_export.draft import Draft, Json, named

_WIDEST = math.pi - 1e-3


def write_camera(draft: Draft, camera: GltfCamera) -> int:
    """Write a camera; return its index."""
    near = max(camera.near, 0.0)
    if camera.kind == "perspective":
        near = max(near, 1e-4)
        lens: Json = {"yfov": min(max(camera.fov_y, 1e-3), _WIDEST), "znear": near}
        if camera.far is not None and camera.far > near:
            lens["zfar"] = camera.far
        if camera.aspect is not None and camera.aspect > 0:
            lens["aspectRatio"] = camera.aspect
    else:
        far = camera.far if camera.far is not None else 0.0
        lens = {
            "xmag": max(camera.x_mag, 1e-6),
            "ymag": max(camera.y_mag, 1e-6),
            "znear": near,
            "zfar": far if far > near else near + 1000.0,
        }
    item = {"type": camera.kind, camera.kind: lens}
    return draft.add("cameras", named(camera.name, item))


def light_item(light: GltfLight) -> Json:
    """Return a light of KHR_lights_punctual."""
    item: Json = {
        "type": light.kind,
        "color": [min(max(value, 0.0), 1.0) for value in light.color],
        "intensity": max(light.intensity, 0.0),
    }
    if light.range > 0 and light.kind != "directional":
        item["range"] = light.range
    if light.kind == "spot":
        outer = min(max(light.outer_angle, 1e-4), math.pi / 2)
        inner = min(max(light.inner_angle, 0.0), outer * (1 - 1e-6))
        item["spot"] = {"innerConeAngle": inner, "outerConeAngle": outer}
    return named(light.name, item)
