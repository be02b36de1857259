"""Animations on their way into a file."""

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.asset import (
    CHANNEL_PATHS,
    INTERPOLATIONS,
    GltfAnimation,
    GltfChannel,
)
from engine.assets.gltf_export import repairs
from engine.assets.gltf_export.draft import Draft, Json, named, with_extensions

F32 = NDArray[np.float32]
_POINTER, _ROTATION = CHANNEL_PATHS.index("pointer"), CHANNEL_PATHS.index("rotation")
_KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}
_FIXED = frozenset({"translation", "rotation", "scale"})


class Motion:
    """Writes animations; key times that channels share are written once."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._times: dict[int, F32] = {}

    def write(self, animation: GltfAnimation) -> None:
        """Write an animation; one without channels is left out."""
        samplers: list[Json] = []
        channels: list[Json] = []
        seen: set[tuple[int, int, str]] = set()
        for channel in animation.channels:
            key = (channel.node, channel.path, channel.pointer)
            if not len(channel.times) or not channel.components or key in seen:
                self._draft.warn(f"a channel of animation '{animation.name}' is left out")
                continue
            seen.add(key)
            channels.append({"sampler": len(samplers), "target": self._target(channel)})
            samplers.append(self._sampler(channel))
        if channels:
            item = {"channels": channels, "samplers": samplers}
            self._draft.add("animations", named(animation.name, item))
        else:
            self._draft.warn(f"animation '{animation.name}' has no channels and is left out")

    def _target(self, channel: GltfChannel) -> Json:
        if channel.path != _POINTER:
            return {"node": channel.node, "path": CHANNEL_PATHS[channel.path]}
        body = {self._draft.use("KHR_animation_pointer"): {"pointer": channel.pointer}}
        return with_extensions(body, {"path": "pointer"})

    def _sampler(self, channel: GltfChannel) -> Json:
        interpolation = INTERPOLATIONS[channel.interpolation]
        per_key = 3 if interpolation == "CUBICSPLINE" else 1
        keys = repairs.finite(channel.values).reshape(-1, per_key, channel.components)
        if per_key == 3 and len(keys) < 2:
            # A spline needs two keys; one key is its value for ever.
            keys, interpolation = keys[:, 1:2], "STEP"
        if channel.path == _ROTATION:
            keys = _unit_rotations(keys)
        item: Json = {
            "input": self._draft.accessor(self._time(channel.times), "SCALAR", bounds=True),
            "output": self._output(channel, keys),
        }
        if interpolation != "LINEAR":
            item["interpolation"] = interpolation
        return item

    def _output(self, channel: GltfChannel, keys: F32) -> int:
        is_vector = CHANNEL_PATHS[channel.path] in _FIXED or channel.path == _POINTER
        kind = _KINDS.get(channel.components) if is_vector else None
        if kind is None:
            return self._draft.accessor(np.ascontiguousarray(keys).reshape(-1), "SCALAR")
        return self._draft.accessor(keys.reshape(-1, channel.components), kind)

    def _time(self, times: F32) -> F32:
        if id(times) not in self._times:
            self._times[id(times)] = repairs.increasing_times(times)
        return self._times[id(times)]


def _unit_rotations(keys: F32) -> F32:
    """Return keys (n, 1 or 3, 4) whose quaternions, not their tangents, have length 1."""
    middle = keys.shape[1] // 2
    turned = repairs.unit_vectors(keys[:, middle], (0.0, 0.0, 0.0, 1.0))
    if turned is keys[:, middle] or np.array_equal(turned, keys[:, middle]):
        return keys
    out = keys.copy()
    out[:, middle] = turned
    return out
