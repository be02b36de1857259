"""Transforms, vectorised, and the conventions they share.

Right-handed, +Y up, metres, radians. Matrices are (4, 4) and multiply column vectors, so the
translation is ``m[:3, 3]``; a matrix that takes local points to the world is called
``world_from_local``. Quaternions are (x, y, z, w). Cameras and lights look down their local -Z.
Clip space is that of WebGPU with reversed depth: 1 at the near plane, 0 at the far plane or at
infinity. Leading axes of every argument broadcast; results are float32 unless noted, intermediate
sums are carried in float64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float32]
Float64Array = NDArray[np.float64]

# How far from orthogonal two axes may be, relative to the longest, before it counts as shear.
SHEAR_TOLERANCE = 1e-5
_TINY = 1e-30

BRIGHTEST = 65408.0
"""The largest radiance that `pack_light` holds."""
_LIGHT_BIAS, _LIGHT_BITS = 15, 9


def _f64(value: ArrayLike) -> Float64Array:
    return np.asarray(value, dtype=np.float64)


def normalize(v: ArrayLike) -> Float64Array:
    """Return vectors of length one, float64; zero vectors stay zero."""
    v = _f64(v)
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    result: Float64Array = v / np.where(length > _TINY, length, 1.0)
    return result


def quat_normalize(q: ArrayLike) -> FloatArray:
    """Return unit quaternions; a zero quaternion becomes the identity."""
    q = _f64(q)
    length = np.linalg.norm(q, axis=-1, keepdims=True)
    unit = q / np.where(length > _TINY, length, 1.0)
    return np.where(length > _TINY, unit, (0.0, 0.0, 0.0, 1.0)).astype(np.float32)


def quat_multiply(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the Hamilton product: the rotation `b` followed by `a`."""
    ax, ay, az, aw = np.moveaxis(_f64(a), -1, 0)
    bx, by, bz, bw = np.moveaxis(_f64(b), -1, 0)
    product = (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
    return np.stack(product, axis=-1).astype(np.float32)


def quat_from_axis_angle(axis: ArrayLike, angle: ArrayLike) -> FloatArray:
    """Return the rotation by `angle` radians about `axis` (any length)."""
    half = 0.5 * _f64(angle)[..., None]
    return np.concatenate([normalize(axis) * np.sin(half), np.cos(half)], axis=-1).astype(
        np.float32
    )


def quat_between(a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Return the shortest rotation that turns direction `a` (3,) onto direction `b` (3,)."""
    a, b = normalize(a), normalize(b)
    cosine = float(np.dot(a, b))
    if cosine < -1.0 + 1e-9:
        helper = np.array([1.0, 0.0, 0.0]) if abs(a[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        return quat_from_axis_angle(np.cross(a, helper), np.pi)
    return quat_normalize(np.append(np.cross(a, b), 1.0 + cosine))


def matrix_from_quat(q: ArrayLike) -> Float64Array:
    """Return rotation matrices (..., 3, 3), float64. The quaternions need not be of unit length."""
    q = _f64(q)
    squared = np.sum(q * q, axis=-1)
    s = 2.0 / np.where(squared > _TINY, squared, 1.0)
    s = np.where(squared > _TINY, s, 0.0)
    x, y, z, w = np.moveaxis(q, -1, 0)
    m = np.empty((*q.shape[:-1], 3, 3))
    m[..., 0, 0] = 1.0 - s * (y * y + z * z)
    m[..., 0, 1] = s * (x * y - z * w)
    m[..., 0, 2] = s * (x * z + y * w)
    m[..., 1, 0] = s * (x * y + z * w)
    m[..., 1, 1] = 1.0 - s * (x * x + z * z)
    m[..., 1, 2] = s * (y * z - x * w)
    m[..., 2, 0] = s * (x * z - y * w)
    m[..., 2, 1] = s * (y * z + x * w)
    m[..., 2, 2] = 1.0 - s * (x * x + y * y)
    return m


def quat_from_matrix(m: ArrayLike) -> FloatArray:
    """Return the quaternion of a rotation matrix (3, 3) or of the upper left of a (4, 4).

    References
    ----------
    Bar-Itzhack, "New method for extracting the quaternion from a rotation matrix", 2000: the
    eigenvector of the largest eigenvalue, which is also the nearest rotation to a matrix that is
    not quite one. No rotation where a number is not finite.
    """
    m = _f64(m)[:3, :3]
    if not np.isfinite(m).all():
        return np.array((0.0, 0.0, 0.0, 1.0), np.float32)
    k = np.array(
        [
            [m[0, 0] - m[1, 1] - m[2, 2], 0, 0, 0],
            [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], 0, 0],
            [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], 0],
            [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]],
        ]
    )
    q = np.linalg.eigh(k, UPLO="L")[1][:, -1]
    return (q if q[3] >= 0.0 else -q).astype(np.float32)


def quat_from_euler_deg(xyz: ArrayLike) -> FloatArray:
    """Return the rotation of Euler degrees (..., 3): ``Rx @ Ry @ Rz`` (intrinsic x, y, z)."""
    half = np.radians(_f64(xyz)) * 0.5
    zero = np.zeros_like(half[..., 0])
    s, c = np.sin(half), np.cos(half)
    x = np.stack([s[..., 0], zero, zero, c[..., 0]], axis=-1)
    y = np.stack([zero, s[..., 1], zero, c[..., 1]], axis=-1)
    z = np.stack([zero, zero, s[..., 2], c[..., 2]], axis=-1)
    return quat_multiply(quat_multiply(x, y), z)


def euler_deg_from_quat(q: ArrayLike) -> Float64Array:
    """Return Euler degrees (..., 3), float64, the inverse of `quat_from_euler_deg`.

    At the poles (y = +-90 degrees) z is 0.
    """
    m = matrix_from_quat(q)
    sine = np.clip(m[..., 0, 2], -1.0, 1.0)
    is_pole = np.abs(sine) > 0.9999999
    x = np.where(
        is_pole,
        np.arctan2(m[..., 2, 1], m[..., 1, 1]),
        np.arctan2(-m[..., 1, 2], m[..., 2, 2]),
    )
    z = np.where(is_pole, 0.0, np.arctan2(-m[..., 0, 1], m[..., 0, 0]))
    degrees: Float64Array = np.degrees(np.stack([x, np.arcsin(sine), z], axis=-1))
    return degrees


def compose(translation: ArrayLike, rotation: ArrayLike, scale: ArrayLike) -> FloatArray:
    """Return translation * rotation * scale as (..., 4, 4) matrices."""
    t, r, s = _f64(translation), matrix_from_quat(rotation), _f64(scale)
    shape = np.broadcast_shapes(t.shape[:-1], r.shape[:-2], s.shape[:-1])
    m = np.zeros((*shape, 4, 4), np.float32)
    m[..., :3, :3] = r * s[..., None, :]
    m[..., :3, 3] = t
    m[..., 3, 3] = 1.0
    return m


def decompose(m: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Split one (4, 4) matrix without shear into translation, rotation and scale.

    A negative determinant flips the x scale. An axis of length zero keeps a rotation that the
    others allow.
    """
    m = _f64(m)
    axes = m[:3, :3].copy()
    scale = np.linalg.norm(axes, axis=0)
    if np.linalg.det(axes) < 0.0:
        scale[0] = -scale[0]
    rotation = _rotation_of(axes, scale)
    return (
        m[:3, 3].astype(np.float32),
        quat_from_matrix(rotation),
        scale.astype(np.float32),
    )


def _rotation_of(axes: Float64Array, scale: Float64Array) -> Float64Array:
    is_flat = np.abs(scale) < _TINY
    rotation = axes / np.where(is_flat, 1.0, scale)
    if is_flat.all():
        return np.eye(3)
    if is_flat.sum() == 2:
        kept = int(np.argmin(is_flat))
        spun = matrix_from_quat(quat_between(np.eye(3)[kept], rotation[:, kept]))
        return spun
    if is_flat.any():
        i = int(np.argmax(is_flat))
        rotation[:, i] = np.cross(rotation[:, (i + 1) % 3], rotation[:, (i + 2) % 3])
    return rotation


def has_shear(m: ArrayLike, tolerance: float = SHEAR_TOLERANCE) -> bool:
    """Whether translation, rotation and scale cannot express a (4, 4) matrix.

    True where they would rebuild it with an error above `tolerance` of its largest column, or
    where its last row is not (0, 0, 0, 1).
    """
    m = _f64(m)
    if not np.isfinite(m).all():
        return True
    rebuilt = compose(*decompose(m)).astype(np.float64)
    largest = max(float(np.linalg.norm(m[:3, :3], axis=0).max()), _TINY)
    is_affine = bool(np.array_equal(m[3], (0.0, 0.0, 0.0, 1.0)))
    return not is_affine or bool(np.abs(rebuilt - m)[:3, :3].max() > tolerance * largest)


def inverse(m: ArrayLike) -> Float64Array:
    """Return the inverse of (..., 4, 4), float64; the pseudo-inverse where there is none.

    NaN for a singular one that holds what is not finite.
    """
    m = _f64(m)
    try:
        return np.asarray(np.linalg.inv(m), np.float64)
    except np.linalg.LinAlgError:
        # LAPACK looks for the singular values of what is infinite for ever.
        is_finite = np.isfinite(m).all(axis=(-2, -1), keepdims=True)
        found = np.linalg.pinv(np.where(is_finite, m, 0.0))
        return np.asarray(np.where(is_finite, found, np.nan), np.float64)


def transform_points(m: ArrayLike, points: ArrayLike) -> FloatArray:
    """Apply an affine (4, 4) matrix to points (n, 3)."""
    m = _f64(m)
    moved: Float64Array = _f64(points) @ m[:3, :3].T + m[:3, 3]
    return moved.astype(np.float32)


def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike = (0.0, 1.0, 0.0)) -> FloatArray:
    """Return ``view_from_world`` for a viewer at `eye` that looks at `target`."""
    eye = _f64(eye)
    back = normalize(eye - _f64(target))
    if not back.any():
        back = np.array([0.0, 0.0, 1.0])
    right = np.cross(_f64(up), back)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross((0.0, 0.0, -1.0) if abs(back[1]) > 0.5 else (0.0, 1.0, 0.0), back)
    right = normalize(right)
    m = np.eye(4)
    m[:3, :3] = np.stack([right, np.cross(back, right), back])
    m[:3, 3] = -m[:3, :3] @ eye
    return m.astype(np.float32)


def perspective(fov_y: float, aspect: float, near: float, far: float | None = None) -> FloatArray:
    """Return ``clip_from_view`` with reversed depth; no far plane when `far` is None."""
    f = 1.0 / np.tan(0.5 * fov_y)
    m = np.zeros((4, 4), np.float32)
    m[0, 0], m[1, 1], m[3, 2] = f / aspect, f, -1.0
    if far is None:
        m[2, 3] = near
    else:
        m[2, 2] = near / (far - near)
        m[2, 3] = near * far / (far - near)
    return m


def orthographic(width: float, height: float, near: float, far: float) -> FloatArray:
    """Return ``clip_from_view`` of a box `width` by `height` metres, with reversed depth."""
    m = np.eye(4, dtype=np.float32)
    m[0, 0], m[1, 1] = 2.0 / width, 2.0 / height
    m[2, 2] = 1.0 / (far - near)
    m[2, 3] = far / (far - near)
    return m


def pack_light(light: FloatArray) -> NDArray[np.uint32]:
    """Pack radiance into nine bits per channel and an exponent that they share.

    Parameters
    ----------
    light
        (..., 3) float32 from 0 to `BRIGHTEST`.

    Returns
    -------
    (...) uint32
        Texels of `rgb9e5ufloat`, Vulkan's E5B9G9R9.

    References
    ----------
    EXT_texture_shared_exponent.
    """
    most = light.max(axis=-1)
    exponent = np.maximum(np.frexp(most)[1] - 1, -_LIGHT_BIAS - 1) + 1 + _LIGHT_BIAS
    scale = np.ldexp(np.float32(1.0), _LIGHT_BIAS + _LIGHT_BITS - exponent)
    exponent += most * scale + 0.5 >= 1 << _LIGHT_BITS
    scale = np.ldexp(np.float32(1.0), _LIGHT_BIAS + _LIGHT_BITS - exponent)
    parts = (light * scale[..., None] + 0.5).astype(np.uint32)
    packed: NDArray[np.uint32] = parts[..., 0] | parts[..., 1] << 9 | parts[..., 2] << 18
    packed |= exponent.astype(np.uint32) << 27
    return packed


def unpack_light(packed: NDArray[np.uint32]) -> FloatArray:
    """(..., 3) float32 radiance of (...) texels of `pack_light`."""
    mask = np.uint32((1 << _LIGHT_BITS) - 1)
    parts = np.stack([packed & mask, packed >> 9 & mask, packed >> 18 & mask], axis=-1)
    exponent = (packed >> 27).astype(np.int32) - _LIGHT_BIAS - _LIGHT_BITS
    light: FloatArray = np.ldexp(parts.astype(np.float32), exponent[..., None])
    return light
