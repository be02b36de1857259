"""KTX2 textures: cooked from pictures, loaded as BC7 blocks or RGBA8 pixels."""

from engine.assets.ktx2.cook import can_compress, cook_texture_ktx2
from engine.assets.ktx2.load import LevelStore, LoadedTexture, load_ktx2, upload_loaded

__all__ = [
    "LevelStore",
    "LoadedTexture",
    "can_compress",
    "cook_texture_ktx2",
    "load_ktx2",
    "upload_loaded",
]
