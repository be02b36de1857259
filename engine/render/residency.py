"""Which mip levels of which textures are on the GPU, so that they stay within a budget.

While everything fits nothing is left out and nothing is worked out. Else each texture begins with
the level that its nearest use needs: as deep as one texel per pixel allows, by the density of the
meshes' UV sets, what is out of view counting a quarter. If that is too much, all give way by the
same number of levels; what is left over goes to those that are seen largest.

In a picture that waits, the outcome depends on that picture alone. A view that streams keeps for a
while what it needed before, and takes few megabytes per frame.
"""

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.render.materials import MaterialTable
from engine.render.meshes import MeshTable
from engine.render.scene import RenderScene
from engine.render.scene_buffers import SceneBuffers
from engine.render.settings import RenderSettings
from engine.render.textures import Resident, TextureTable
from engine.render.visible_draws import View

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]

STREAMED_BYTES = 8 << 20
"""Texels that a streaming view uploads per frame, or one texture."""
_PATIENCE = 60
_EVERY = 6
_OUT_OF_VIEW = 0.25
_MOST_LEVELS = 16
_log = logging.getLogger("cinder.render")


class Residency:
    """Keeps the textures of a renderer within `RenderSettings.texture_budget`.

    Attributes
    ----------
    pending : bool
        Whether a streaming view has to be drawn again to get all its levels.
    """

    def __init__(self, textures: TextureTable, materials: MaterialTable, meshes: MeshTable) -> None:
        self._textures = textures
        self._materials = materials
        self._meshes = meshes
        self.pending = False
        self._stamp: tuple[Any, ...] | None = None
        self._uses_stamp: tuple[int, int] | None = None
        self._residents: list[Resident] = []
        self._chain: I64 = np.zeros((0, _MOST_LEVELS), np.int64)
        self._last: I64 = np.zeros(0, np.int64)
        self._sides: F32 = np.zeros(0, np.float32)
        self._digests: I64 = self._last
        self._uses: tuple[I64, I64, F32] = (self._last, self._last, self._sides)
        # Of a streaming view: how large each texture was seen of late, and when.
        self._seen: dict[Resident, tuple[float, int]] = {}
        self._frame = 0
        self._refused: tuple[int, int] = (-1, 0)

    def follow(
        self,
        scene: RenderScene,
        buffers: SceneBuffers,
        view: View,
        settings: RenderSettings,
    ) -> None:
        """Bring levels in and out for a picture that is about to be drawn."""
        textures, self._frame = self._textures, self._frame + 1
        budget = textures.budget = self._allowed(settings.texture_budget)
        if textures.whole_bytes <= budget and textures.used_bytes == textures.whole_bytes:
            self.pending = False
            return
        shown = (id(buffers), buffers.content, buffers.batching)
        seen = (view.clip_from_world.tobytes(), view.pixels)
        known = (textures.serial, self._materials.stamps.version)
        stamp = (budget, settings.streaming, known, shown, seen)
        if stamp == self._stamp and not self.pending:
            return
        if settings.streaming and stamp != self._stamp and self._frame % _EVERY:
            self.pending = True
            return
        self._stamp = stamp
        self._list()
        pixels = self._pixels(scene, buffers, view)
        if settings.streaming:
            pixels = self._of_late(pixels)
        base = choose_bases(self._chain, self._last, self._sides, pixels, self._digests, budget)
        self._bring(base, pixels, STREAMED_BYTES if settings.streaming else 1 << 62)
        self._materials.follow_textures()

    def _allowed(self, budget: int) -> int:
        """The budget, or what the device has shown to have where that is less."""
        asked, found = self._refused
        return found if asked == budget else budget

    def _list(self) -> None:
        """Note what textures there are and where they are used, if that changed."""
        stamp = (self._textures.serial, self._materials.stamps.version)
        if stamp == self._uses_stamp:
            return
        self._uses_stamp = stamp
        self._residents = self._textures.residents()
        sources = [resident.source for resident in self._residents]
        self._last = np.array([s.last for s in sources], np.int64)
        self._sides = np.array([max(s.size) for s in sources], np.float32)
        self._digests = np.array([s.digest for s in sources], np.int64)
        self._chain = np.array(
            [[s.bytes_from(min(k, s.last)) for k in range(_MOST_LEVELS)] for s in sources],
            np.int64,
        )
        number = {resident: k for k, resident in enumerate(self._residents)}
        uses = [
            (material, number[resident], scale)
            for material, texture, scale in self._materials.texture_uses()
            if (resident := self._textures.resident(texture)) is not None
        ]
        rows = np.array(uses, np.float64).reshape(-1, 3)
        self._uses = (
            rows[:, 0].astype(np.int64),
            rows[:, 1].astype(np.int64),
            rows[:, 2].astype(np.float32),
        )
        known = set(self._residents)
        self._seen = {r: found for r, found in self._seen.items() if r in known}

    def _pixels(self, scene: RenderScene, buffers: SceneBuffers, view: View) -> F32:
        """(t,) pixels that one unit of a texture's UV takes where it is seen largest."""
        arrays, bounds = scene.instances.columns(), buffers.bounds
        found = np.zeros(len(self._residents), np.float32)
        density = self._meshes.uv_density
        known = (arrays.material >= 0) & (arrays.mesh >= 0) & (arrays.mesh < len(density))
        rows = np.flatnonzero(known & (arrays.material < len(self._materials)))
        if not len(rows):
            return found
        per_unit = view.pixels * bounds.stretches[rows] / density[arrays.mesh[rows]]
        if view.eye is not None:
            offset = bounds.centers[rows] - view.eye
            distance = np.sqrt(np.einsum("ni,ni->n", offset, offset)) - bounds.radii[rows]
            per_unit /= np.maximum(distance, 0.05)
        per_unit[~bounds.inside(view.clip_from_world)[rows]] *= _OUT_OF_VIEW
        of_material = np.zeros(len(self._materials), np.float32)
        np.maximum.at(of_material, arrays.material[rows], np.nan_to_num(per_unit, posinf=1e9))
        materials, textures, scales = self._uses
        np.maximum.at(found, textures, of_material[materials] / scales)
        return found

    def _of_late(self, pixels: F32) -> F32:
        """The largest of the last frames, so that a glance aside costs nothing."""
        kept = np.empty_like(pixels)
        for k, resident in enumerate(self._residents):
            before, frame = self._seen.get(resident, (0.0, -_PATIENCE))
            now = float(pixels[k])
            if now >= before or self._frame - frame > _PATIENCE:
                before, frame = now, self._frame
            self._seen[resident] = (before, frame)
            kept[k] = before
        return kept

    def _bring(self, base: I64, pixels: F32, most: int) -> None:
        """First let go, then fetch what is seen largest, up to some bytes."""
        now = np.array([resident.base for resident in self._residents], np.int64)
        self.pending = False
        for k in np.flatnonzero(base > now).tolist():
            self._textures.begin_at(self._residents[k], int(base[k]))
        rising = np.flatnonzero(base < now)
        fetched = 0
        for k in rising[np.lexsort((self._digests[rising], -pixels[rising]))].tolist():
            resident = self._residents[k]
            needed = resident.source.bytes_from(int(base[k]))
            if fetched and fetched + needed > most:
                self.pending = True
                return
            fetched += needed
            try:
                self._textures.begin_at(resident, int(base[k]))
            except EngineError as problem:
                self._refused = (self._textures.budget, self._textures.used_bytes)
                _log.warning("textures stay smaller: %s", problem)
                return


def choose_bases(chain: I64, last: I64, sides: F32, pixels: F32, digests: I64, budget: int) -> I64:
    """The level that each texture begins with, so that all are within a budget if they can be.

    Parameters
    ----------
    chain
        (t, k) bytes of a texture that begins with a level.
    last
        (t,) the deepest level that it may begin with.
    sides
        (t,) texels of its longer side.
    pixels
        (t,) pixels that one unit of its UV takes; 0 where it is not used.
    digests
        (t,) of the contents: what is equally large is told apart by them.
    budget
        Bytes.
    """
    every = np.arange(len(last))
    if int(chain[:, 0].sum()) <= budget:
        return np.zeros(len(last), np.int64)
    # One level more than a texel per pixel asks for, as densities are a mean.
    with np.errstate(divide="ignore"):
        needed = np.floor(np.log2(sides / np.maximum(pixels, 1e-9))) - 1
    needed = np.clip(needed, -_MOST_LEVELS, 2 * _MOST_LEVELS).astype(np.int64)
    base = last
    for less in range(-3 * _MOST_LEVELS, 2 * _MOST_LEVELS):
        tried = np.clip(needed + less, 0, last)
        if int(chain[every, tried].sum()) <= budget:
            base = tried
            break
    base = base.copy()
    left = budget - int(chain[every, base].sum())
    for k in np.lexsort((digests, -pixels)).tolist():
        more = int(chain[k, base[k] - 1] - chain[k, base[k]]) if base[k] else 0
        if 0 < more <= left:
            base[k] -= 1
            left -= more
    return base
