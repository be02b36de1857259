"""KHR_lights_punctual: directional, point and spot lights on nodes."""

import math
from typing import TYPE_CHECKING

from engine.assets.gltf.asset import GltfLight, GltfNode
from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.accessors import Accessors
    from engine.assets.gltf.document import Document

_KINDS = ("directional", "point", "spot")


def _light(source: JsonObject) -> GltfLight:
    kind = source.string("type")
    if kind not in _KINDS:
        source.fail("type", "directional, point or spot")
    color = source.floats("color", 3, (1, 1, 1))
    inner, outer = 0.0, math.pi / 4
    spot = source.object("spot")
    if spot is not None:
        inner = spot.number("innerConeAngle", 0.0)
        outer = spot.number("outerConeAngle", outer)
    extras = source.value.get("extras")
    return GltfLight(
        kind=kind,  # type: ignore[arg-type]
        color=(color[0], color[1], color[2]),
        intensity=source.number("intensity", 1.0),
        range=source.number("range", 0.0),
        inner_angle=inner,
        outer_angle=outer,
        name=source.string("name", ""),
        cast_shadows=type(extras) is dict and extras.get("cast_shadows") is True,
    )


class _LightsPunctual(Extension):
    name = "KHR_lights_punctual"

    def start(self, document: "Document", body: JsonObject) -> None:
        document.asset.lights = [_light(source) for source in body.objects("lights")]

    def node(
        self, document: "Document", accessors: "Accessors", node: GltfNode, body: JsonObject
    ) -> None:
        node.light = body.required_index("light", len(document.asset.lights), "lights")


LIGHTS_PUNCTUAL = _LightsPunctual()
