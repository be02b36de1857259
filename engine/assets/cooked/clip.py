"""``.cclip``: the keys of one animation.

Layout (version 1, after the magic ``CCLP`` and the version): string name, f32 duration, u32
channel count, then per channel u32 node, path, interpolation, components, key count, value count,
f32 times, f32 values. Version 1 holds translation, rotation, scale and weights, no pointers.
"""

from dataclasses import dataclass, field

import numpy as np

from engine.assets.cooked.finite import first_odd
from engine.assets.cooked.stream import F32, CookedReader, CookedWriter
from engine.assets.gltf.asset import CHANNEL_PATHS, INTERPOLATIONS, GltfAnimation
from engine.errors import AssetError

CLIP_MAGIC = b"CCLP"
CLIP_VERSION = 1
_CUBIC = INTERPOLATIONS.index("CUBICSPLINE")
_COMPONENTS = (3, 4, 3)
_PATHS = CHANNEL_PATHS.index("pointer")
_CHANNEL_BYTES = 24


@dataclass(slots=True, eq=False)
class ClipChannel:
    """One animated property; numbers and arrays mean what they mean in `GltfChannel`."""

    node: int
    path: int
    interpolation: int
    components: int
    times: F32
    values: F32


@dataclass(slots=True, eq=False)
class Clip:
    """Channels that play together for ``duration`` seconds."""

    name: str = ""
    duration: float = 0.0
    channels: list[ClipChannel] = field(default_factory=list)


def clip_from_gltf(animation: GltfAnimation) -> Clip:
    """Return an animation's channels as a clip; those that version 1 cannot hold are left out."""
    channels = [
        ClipChannel(c.node, c.path, c.interpolation, c.components, c.times, c.values)
        for c in animation.channels
        if c.path < _PATHS
    ]
    return Clip(animation.name, animation.duration, channels)


def write_clip(clip: Clip) -> bytes:
    """Return the bytes of a ``.cclip`` file.

    Raises
    ------
    AssetError
        ``cooked clip``: something that `read_clip` would refuse.
    """
    if not 0.0 <= clip.duration < float("inf"):
        raise AssetError(f"cooked clip: duration {clip.duration} out of range")
    out = CookedWriter(CLIP_MAGIC, CLIP_VERSION, "clip")
    out.string(clip.name)
    out.floats([clip.duration])
    out.u32(len(clip.channels))
    for at, channel in enumerate(clip.channels):
        times = np.asarray(channel.times, np.float32).reshape(-1)
        values = np.asarray(channel.values, np.float32).reshape(-1)
        head = (channel.path, channel.interpolation, channel.components)
        problem = _head_problem(*head, len(times), len(values)) or _key_problem(times, values)
        if problem:
            raise AssetError(f"cooked clip: channel {at}: {problem}")
        out.u32(channel.node, *head, len(times), len(values))
        out.floats(times)
        out.floats(values)
    return out.finish()


def read_clip(data: bytes) -> Clip:
    """Read a ``.cclip`` file.

    Raises
    ------
    AssetError
        ``cooked clip``: bad magic, another version, truncation, trailing bytes, numbers out of
        range or not finite, counts that contradict each other, or times that are not sorted.
    """
    source = CookedReader(data, CLIP_MAGIC, CLIP_VERSION, "clip")
    clip = Clip(source.string(), source.f32())
    if not 0.0 <= clip.duration < float("inf"):
        source.fail(f"duration {clip.duration} out of range")
    for at in range(source.count("channels", _CHANNEL_BYTES)):
        clip.channels.append(_read_channel(source, at))
    source.end()
    return clip


def _read_channel(source: CookedReader, at: int) -> ClipChannel:
    node, path, interpolation, components, keys, values = (source.u32() for _ in range(6))
    problem = _head_problem(path, interpolation, components, keys, values)
    if problem:
        source.fail(f"channel {at}: {problem}")
    times, keyed = source.floats(keys), source.floats(values)
    problem = _key_problem(times, keyed)
    if problem:
        source.fail(f"channel {at}: {problem}")
    return ClipChannel(node, path, interpolation, components, times, keyed)


def _head_problem(path: int, interpolation: int, components: int, keys: int, values: int) -> str:
    if path >= _PATHS:
        return f"path {path} out of range, expected below {_PATHS}"
    if interpolation >= len(INTERPOLATIONS):
        return f"interpolation {interpolation} out of range, expected below {len(INTERPOLATIONS)}"
    if path < len(_COMPONENTS) and components != _COMPONENTS[path]:
        return f"{components} components, expected {_COMPONENTS[path]}"
    expected = keys * components * (3 if interpolation == _CUBIC else 1)
    if values != expected:
        return f"{values} values, expected {expected} for {keys} keys"
    return ""


def _key_problem(times: F32, values: F32) -> str:
    for name, numbers in (("time", times), ("value", values)):
        odd = first_odd(numbers)
        if odd >= 0:
            return f"{name} {odd} is not finite"
    if bool((times[1:] < times[:-1]).any()):
        return "times are not sorted"
    return ""
