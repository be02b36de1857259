"""EXT_texture_webp: textures from WebP pictures."""

from engine.assets.gltf.extensions.base import TextureSource

WEBP = TextureSource("EXT_texture_webp")
