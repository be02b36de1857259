"""KHR_texture_basisu: textures from KTX2 files with a Basis Universal payload."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.extensions.base import TextureSource
from engine.errors import AssetError

if TYPE_CHECKING:
    from types import ModuleType

BASISU = TextureSource("KHR_texture_basisu")


class BasisuUnavailableError(AssetError):
    """The package that transcodes Basis Universal cannot be loaded."""


def _package() -> "ModuleType":
    try:
        import opengl_basisu
    except ImportError as error:
        raise BasisuUnavailableError(
            "a KTX2 picture needs the Python package opengl_basisu, which cannot be loaded "
            f"({error})"
        ) from None
    return opengl_basisu


def decode_ktx2(data: bytes | memoryview, limit: int) -> NDArray[np.uint8]:
    """Transcode the largest level of a KTX2 picture to (h, w, 4) uint8.

    Raises
    ------
    AssetError
        Broken data, a payload that is not Basis Universal, more than `limit` bytes, or no
        transcoder.
    """
    package = _package()
    try:
        texture = package.open(bytes(data))
        width, height = texture.width, texture.height
        if width * height * 4 > limit:
            raise AssetError(f"{width} x {height} pixels need more than {limit} bytes")
        return np.asarray(texture.transcode("rgba8").data, np.uint8).reshape(height, width, 4)
    except AssetError:
        raise
    except Exception as error:  # noqa: BLE001  the transcoder raises whatever it likes
        raise AssetError(f"cannot be decoded ({error})") from None
