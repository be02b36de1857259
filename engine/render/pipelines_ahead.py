"""Which pipelines a picture draws its meshes with, so that they can be made before it.

An adapter takes some milliseconds for each. A picture that meets many at once, as when a prop
arrives, would hold a frame up; made one by one beforehand they hold up nothing.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.render.ambient_occlusion import DISTANCES
from engine.render.batches import Batch
from engine.render.behind import far_sides, linear_style
from engine.render.pipelines import WEIGHTED, PassStyle
from engine.render.scene_state import GpuContext, SceneState
from engine.render.shadow_painter import DEPTHS
from engine.render.surface_painter import is_weighted


class PictureStyles(NamedTuple):
    """How a picture draws what there is.

    `surfaces` is the style of surfaces; the others are whether there are shadow maps and ambient
    occlusion, and how what is selected is marked, None where nothing is.
    """

    surfaces: PassStyle
    has_shadows: bool
    is_occluded: bool
    marks: PassStyle | None


_Draw = tuple[PassStyle, Batch, str | None]


def make_pipelines(gpu: GpuContext, state: SceneState, styles: PictureStyles) -> Iterator[None]:
    """Make the pipelines of a picture's meshes; yield after each draw that was looked at.

    Raises
    ------
    EngineError
        A shader is broken.
    """
    for style, batch, cull in _draws(gpu, state, styles):
        gpu.encoder.make_pipeline(style, batch, cull)
        yield


def draws_stamp(state: SceneState, styles: PictureStyles) -> tuple[object, ...]:
    """Differs when other pipelines may be needed."""
    parts = tuple((id(part.draws), part.draws.version) for part in state.blended.parts)
    lists = state.opaque, state.transmitting, state.selected
    return id(state), styles, state.buffers.batching, parts, *(draws.version for draws in lists)


def _draws(gpu: GpuContext, state: SceneState, styles: PictureStyles) -> Iterator[_Draw]:
    surfaces = styles.surfaces
    if styles.has_shadows:
        # All maps see the same casters.
        yield from ((DEPTHS, batch, None) for batch in state.shadow_draws(0)[1].batches)
    if styles.is_occluded:
        yield from ((DISTANCES, batch, None) for batch in state.opaque.batches)
    yield from ((surfaces, batch, None) for batch in state.opaque.batches)
    for part in state.blended.parts:
        if is_weighted(part, surfaces):
            summing = surfaces._replace(switches=surfaces.switches | {WEIGHTED})
            yield from ((summing, batch, None) for batch in part.draws.batches)
        else:
            yield from _by_side(surfaces, part.draws.batches, state.two_sided(part.draws))
    yield from _transmitting_draws(gpu, state, surfaces)
    if styles.marks is not None:
        yield from ((styles.marks, batch, None) for batch in state.selected.batches)


def _transmitting_draws(gpu: GpuContext, state: SceneState, surfaces: PassStyle) -> Iterator[_Draw]:
    draws = state.transmitting
    if draws.batches and surfaces.kind == "surface":
        behind = linear_style(surfaces)
        yield from ((behind, batch, None) for batch in state.opaque.batches)
        yield from ((behind, batch, "front") for batch in far_sides(gpu, state))
    yield from _by_side(surfaces, draws.batches, state.two_sided(draws))


def _by_side(style: PassStyle, batches: Sequence[Batch], two_sided: list[bool]) -> Iterator[_Draw]:
    for batch, is_two_sided in zip(batches, two_sided, strict=True):
        for cull in ("front", "back") if is_two_sided else (None,):
            yield style, batch, cull
