"""Animations: channels with their keys, copied out as flat float arrays."""

import numpy as np
from numpy.typing import NDArray

from engine.assets.gltf.accessors import Accessors
from engine.assets.gltf.asset import (
    CHANNEL_PATHS,
    INTERPOLATIONS,
    GltfAnimation,
    GltfChannel,
)
from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions import applied
from engine.assets.gltf.reader import JsonObject

F32 = NDArray[np.float32]
_COMPONENTS = {"translation": 3, "rotation": 4, "scale": 3}
_PATHS = {path: at for at, path in enumerate(CHANNEL_PATHS)}
_INTERPOLATIONS = {name: at for at, name in enumerate(INTERPOLATIONS)}
_POINTER = CHANNEL_PATHS.index("pointer")


def read_animations(document: Document, accessors: Accessors) -> list[GltfAnimation]:
    """Read every animation; needs nodes and meshes to be read before."""
    times = _Times(document, accessors)
    return [
        _Animation(document, accessors, times, item).read()
        for item in document.root.objects("animations")
    ]


class _Times:
    """Key times by accessor, each checked once: the channels of a clip often share theirs."""

    def __init__(self, document: Document, accessors: Accessors) -> None:
        self._document = document
        self._accessors = accessors
        self._read: dict[int, F32] = {}

    def of(self, sampler: JsonObject) -> F32:
        index = sampler.required_index("input", len(self._accessors), "accessors")
        if index not in self._read:
            self._read[index] = self._checked(index, sampler)
        return self._read[index]

    def _checked(self, index: int, sampler: JsonObject) -> F32:
        data = self._accessors.read(index)
        if data.type != "SCALAR":
            data.source.fail("type", "SCALAR for key times")
        times = np.ascontiguousarray(self._accessors.floats(index)).reshape(-1)
        if not bool(np.isfinite(times).all()):
            sampler.fail("input", "finite key times", "NaN or infinity")
        if len(times) > 1:
            smallest_step = float((times[1:] - times[:-1]).min())
            if smallest_step < 0:
                sampler.fail("input", "increasing key times", "times that go back")
            if smallest_step == 0:
                self._document.warn(sampler.pointer("input"), "two keys at one time")
        return times


class _Animation:
    """Reads one animation."""

    def __init__(
        self, document: Document, accessors: Accessors, times: _Times, source: JsonObject
    ) -> None:
        self._document = document
        self._accessors = accessors
        self._times = times
        self._source = source
        self._samplers = source.objects("samplers")
        self._sampler_count = len(self._samplers)
        self._accessor_count = len(accessors)
        self._node_count = len(document.asset.nodes)

    def read(self) -> GltfAnimation:
        found = (self._channel(item) for item in self._source.objects("channels"))
        channels = [channel for channel in found if channel is not None]
        return GltfAnimation(self._source.string("name", ""), channels)

    def _channel(self, source: JsonObject) -> GltfChannel | None:
        at = source.required_index("sampler", self._sampler_count, "samplers")
        sampler = self._samplers[at]
        target = source.required_object("target")
        path = target.string("path")
        if path == "pointer":
            return self._pointer_channel(target, sampler)
        if path not in _PATHS:
            self._document.ignore(target.pointer("path"), f"'{path}' is not known; channel ignored")
            return None
        node = target.index("node", self._node_count, "nodes")
        if node is None:
            self._document.ignore(target.pointer(), "no node; channel ignored")
            return None
        components = _COMPONENTS.get(path) or self._weight_count(node)
        if not components:
            self._document.ignore(target.pointer(), "weights of a mesh without targets; ignored")
            return None
        return self._keys(sampler, _PATHS[path], node, components)

    def _weight_count(self, node: int) -> int:
        return len(self._document.asset.rest_morph_weights(node))

    def _pointer_channel(self, target: JsonObject, sampler: JsonObject) -> GltfChannel | None:
        for extension, body in applied(target):
            pointer = extension.animation_target(self._document, body)
            if pointer is not None:
                channel = self._keys(sampler, _POINTER, -1, 0)
                channel.pointer = pointer
                return channel
        self._document.ignore(target.pointer(), "a pointer that is not understood; channel ignored")
        return None

    def _keys(self, sampler: JsonObject, path: int, node: int, components: int) -> GltfChannel:
        interpolation = sampler.string("interpolation", "LINEAR")
        if interpolation not in _INTERPOLATIONS:
            sampler.fail("interpolation", " or ".join(INTERPOLATIONS))
        times = self._times.of(sampler)
        output = sampler.required_index("output", self._accessor_count, "accessors")
        values = self._accessors.floats(output).reshape(-1)
        per_key = 3 if interpolation == "CUBICSPLINE" else 1
        if not components and len(times):
            components = len(values) // (len(times) * per_key)
        expected = len(times) * per_key * components
        if len(values) != expected:
            sampler.fail("output", f"{expected} numbers for {len(times)} keys", f"{len(values)}")
        return GltfChannel(node, path, _INTERPOLATIONS[interpolation], components, times, values)
