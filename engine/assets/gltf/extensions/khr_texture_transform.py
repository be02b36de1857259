"""KHR_texture_transform: offset, rotation, scale and UV set of one texture use."""

from dataclasses import replace

from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject
from engine.assets.material import TextureRef


class _TextureTransform(Extension):
    name = "KHR_texture_transform"

    def texture_reference(self, reference: TextureRef, body: JsonObject) -> TextureRef:
        offset, scale = body.floats("offset", 2, (0, 0)), body.floats("scale", 2, (1, 1))
        return replace(
            reference,
            texcoord=body.integer("texCoord", reference.texcoord),
            offset=(offset[0], offset[1]),
            rotation=body.number("rotation", 0.0),
            scale=(scale[0], scale[1]),
        )


TEXTURE_TRANSFORM = _TextureTransform()
