"""Environment images of any known format, as panoramas of linear radiance."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.assets.exr import read_exr
from engine.assets.hdr import read_hdr
from engine.assets.ktx2.light import read_light_ktx2
from engine.errors import FileError

F32 = NDArray[np.float32]

LIGHT_SUFFIXES = (".hdr", ".exr", ".ktx2")


def read_light(path: Path) -> F32:
    """Read an environment image.

    Returns
    -------
    (h, w, 3) float32
        Linear RGB radiance, equirectangular; a cube is laid out flat, with the middle column along
        +X and columns that turn towards +Z, as it is seen from inside.

    Raises
    ------
    AssetError
        The file cannot be read, is damaged, or of a kind that is none of `LIGHT_SUFFIXES`.
    """
    suffix = path.suffix.lower()
    if suffix == ".hdr":
        return read_hdr(path)
    if suffix == ".exr":
        return read_exr(path)
    if suffix == ".ktx2":
        light = read_light_ktx2(path)
        return unfolded(light) if light.ndim == 4 else light
    known = ", ".join(LIGHT_SUFFIXES)
    raise FileError(path.name, f"found another kind of file, expected one of {known}")


def unfolded(faces: F32) -> F32:
    """Lay a (6, n, n, 3) cube out as a (2n, 4n, 3) panorama, between texels linearly."""
    size = faces.shape[1]
    polar = (np.arange(2 * size) + 0.5) / (2 * size) * np.pi
    turn = ((np.arange(4 * size) + 0.5) / (4 * size) - 0.5) * 2.0 * np.pi
    out = np.empty((2 * size, 4 * size, 3), np.float32)
    for row, angle in zip(out, polar, strict=True):
        x, z = np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn)
        row[:] = _sampled(faces, x, np.full_like(x, np.cos(angle)), z)
    return out


def _sampled(faces: F32, x: F32, y: F32, z: F32) -> F32:
    """(n, 3) of directions, by the rules of cube maps (Vulkan, "Cube Map Face Selection")."""
    size = faces.shape[1]
    ax, ay, az = np.abs(x), np.abs(y), np.abs(z)
    along_z = (az >= ax) & (az >= ay)
    along_y = ~along_z & (ay >= ax)
    face = np.where(along_z, 4 + (z < 0), np.where(along_y, 2 + (y < 0), 0 + (x < 0)))
    s = np.where(along_z, np.where(z < 0, -x, x), np.where(along_y, x, np.where(x < 0, z, -z)))
    t = np.where(along_y, np.where(y < 0, -z, z), -y)
    most = np.maximum(np.maximum(ax, ay), az)
    u = np.clip((s / most + 1.0) * 0.5 * size - 0.5, 0.0, size - 1.0)
    v = np.clip((t / most + 1.0) * 0.5 * size - 0.5, 0.0, size - 1.0)
    left, top = u.astype(np.int64), v.astype(np.int64)
    right, bottom = np.minimum(left + 1, size - 1), np.minimum(top + 1, size - 1)
    across, down = (u - left)[:, None], (v - top)[:, None]
    upper = faces[face, top, left] * (1 - across) + faces[face, top, right] * across
    lower = faces[face, bottom, left] * (1 - across) + faces[face, bottom, right] * across
    mixed: F32 = upper * (1 - down) + lower * down
    return mixed
