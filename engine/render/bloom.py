"""Bright light that spreads around what it comes from, as in a lens, and the way to the display.

A picture with bloom is drawn as light first: scaled by the exposure, not tone mapped, and with its
range compressed, so that the samples of an edge and the layers of blended surfaces average as they
would on the display. What is brighter than the display's white is gathered at half the size,
halved again and again, and added up from the smallest: each octave as wide in every size of
picture. Then light and what has spread are tone mapped together.
"""

from typing import Any

import numpy as np
import wgpu

from engine.render.fullscreen import FullscreenPass
from engine.render.pipelines import DEPTH_FORMAT, PassStyle
from engine.render.scene_state import GpuContext
from engine.render.targets import TargetPool, half

LIGHT_FORMAT = "rgba16float"
_OCTAVES = 6
# How much more each octave counts than the one that is twice as wide.
_GROWTH = 1.3
_SLICE = 256
_MIX = {
    "color": {"src_factor": "src-alpha", "dst_factor": "one-minus-src-alpha", "operation": "add"},
    "alpha": {"src_factor": "one", "dst_factor": "zero", "operation": "add"},
}
_PREMULTIPLIED = {
    "color": {"src_factor": "one", "dst_factor": "one-minus-src-alpha", "operation": "add"},
    "alpha": {"src_factor": "one", "dst_factor": "one-minus-src-alpha", "operation": "add"},
}


def light_style(style: PassStyle) -> PassStyle:
    """How the surfaces of a picture are drawn as light."""
    switches = frozenset(s for s in style.switches if not s.startswith("TONEMAP_"))
    return style._replace(
        color_format=LIGHT_FORMAT, switches=switches | {"TONEMAP_NONE", "COMPRESSED"}
    )


class BloomPainter:
    """Records the passes between a picture as light and the picture."""

    def __init__(self, gpu: GpuContext, targets: TargetPool) -> None:
        self._gpu = gpu
        self._targets = targets
        device, store = gpu.device, gpu.pipelines.store
        self._gather = FullscreenPass(device, store, "bloom_down.wgsl", LIGHT_FORMAT, ("float",))
        self._add_up = FullscreenPass(
            device, store, "bloom_up.wgsl", LIGHT_FORMAT, ("float",), _MIX
        )
        self._display: dict[str, FullscreenPass] = {}
        self._uniform: Any = None
        self._stamp: tuple[Any, ...] = ()
        self._views: list[Any] = []
        self._down: list[Any] = []
        self._up: list[Any] = []
        self._last: Any = None

    def light(self, size: tuple[int, int]) -> Any:
        """View that a picture of a size is drawn into as light."""
        return self._targets.get("light", *size, LIGHT_FORMAT)[1]

    def spread(
        self, encoder: Any, size: tuple[int, int], strength: float, style: PassStyle
    ) -> None:
        """Write the passes that spread what is bright in the picture as light."""
        self._prepare(size, strength, style)
        for number, (view, group) in enumerate(zip(self._views, self._down, strict=True)):
            color = {"view": view, "load_op": "clear", "store_op": "store"}
            target = encoder.begin_render_pass(color_attachments=[color])
            self._gather.draw(target, group, _FIRST if number == 0 else _OTHERS)
            target.end()
        for view, group in zip(self._views[-2::-1], self._up, strict=True):
            self._add_up.fill(encoder, view, group, load=True)

    def show(self, target: Any, style: PassStyle) -> None:
        """Lay light and what has spread over the background, tone mapped; after `spread`."""
        switches = frozenset(s for s in style.switches if s.startswith("TONEMAP_"))
        shown = self._shown(style)
        shown.draw(target, self._last, switches, style.samples, DEPTH_FORMAT)

    def _shown(self, style: PassStyle) -> FullscreenPass:
        color_format = style.color_format
        assert color_format is not None
        if color_format not in self._display:
            self._display[color_format] = FullscreenPass(
                self._gpu.device,
                self._gpu.pipelines.store,
                "bloom_show.wgsl",
                color_format,
                ("float", "float"),
                _PREMULTIPLIED,
            )
        return self._display[color_format]

    def _prepare(self, size: tuple[int, int], strength: float, style: PassStyle) -> None:
        small = half(size)
        levels = level_count(size)
        light = self.light(size)
        texture = self._targets.get("bloom", *small, LIGHT_FORMAT, levels=levels)[0]
        stamp = (light, texture, strength, style.color_format)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        views = [texture.create_view(base_mip_level=k, mip_level_count=1) for k in range(levels)]
        self._views = views
        self._write(octave_shares(size), strength)
        uniform, sampler = self._uniform, self._gpu.linear_sampler
        self._down = [
            self._gather.group(uniform, sampler, source) for source in (light, *views[:-1])
        ]
        self._up = [
            self._add_up.group(uniform, sampler, views[k + 1], offset=_SLICE * k)
            for k in range(levels - 2, -1, -1)
        ]
        self._last = self._shown(style).group(uniform, sampler, light, views[0])

    def _write(self, shares: list[float], strength: float) -> None:
        """One slice per level: how much the wider octaves count in it, and the strength."""
        slices = np.zeros((max(len(shares), 1), _SLICE // 4), np.float32)
        slices[: len(shares), 0] = shares
        slices[:, 1] = strength
        if self._uniform is None or self._uniform.size < slices.nbytes:
            use = wgpu.BufferUsage
            self._uniform = self._gpu.device.create_buffer(
                size=max(slices.nbytes, 16 * _SLICE), usage=use.UNIFORM | use.COPY_DST
            )
        self._gpu.device.queue.write_buffer(self._uniform, 0, slices)


_FIRST = frozenset({"FIRST"})
_OTHERS: frozenset[str] = frozenset()


def level_count(size: tuple[int, int]) -> int:
    """How often a picture is halved: until the widest octave is a quarter of its height."""
    octaves = int(np.floor(_octaves(size)))
    return int(np.clip(octaves, 1, max(half(size)).bit_length()))


def octave_shares(size: tuple[int, int]) -> list[float]:
    """How much the wider octaves count against each level, from the finest; the last has none.

    Each octave counts by how wide it is in the picture, so that a size changes nothing, also while
    it grows by pixels. The finest level counts for octaves that a small picture lacks.
    """
    levels = level_count(size)
    first = max(_octaves(size) - levels, 0.0)
    finer = first + np.arange(max(levels, _OCTAVES + 1))
    weights = _GROWTH**finer * np.clip(np.minimum(finer, _OCTAVES + 1 - finer), 0.0, 1.0)
    wider = np.cumsum(weights)
    wider[levels - 1 :] = weights.sum()
    return [float(wider[j - 1] / wider[j]) for j in range(levels - 1, 0, -1)]


def _octaves(size: tuple[int, int]) -> float:
    return float(np.log2(max(size[1], 1))) - 2.0
