"""Pictures of assets for the assets panel: read by a thread, drawn one per idle moment.

Each asset stands alone in a scene of its own, lit the same way and framed from the same corner,
drawn by the viewport's renderer, a part of it in each moment. One that the level uses is drawn as
it is there; another is uploaded piece by piece, without levels of detail, and freed at once. A
picture is kept for as long as the file stays as it was.
"""

import itertools
import math
import pathlib
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from editor.qt.color_space import linear_from_srgb, srgb_from_linear
from editor.tools.view_camera import CameraPose, frame_points
from editor.viewport.picture import Picture, Pixels, render_camera
from engine.assets.gltf import GltfAsset, load_gltf
from engine.assets.library import AssetEntry
from engine.assets.stores import MeshStore, UploadedGltf
from engine.assets.upload_steps import GltfUpload
from engine.errors import DeviceLostError, EngineError
from engine.render.framing import box_corners
from engine.render.scene import RenderInstance, RenderLight, RenderScene

KEPT: Final = 400
IDLE_MS: Final = 15
LONGEST_REST_MS: Final = 500
UPLOAD_S: Final = 0.006
_Key = tuple[str, int, int]


@dataclass(slots=True)
class _Sitting:
    """An asset on its way to the renderer that will draw it, and then to its picture.

    `upload` is None for what the level has uploaded; it stands while `is_there` says so.
    """

    key: _Key
    renderer: MeshStore
    upload: GltfUpload | None
    steps: Iterator[None]
    is_there: Callable[[], bool] = lambda: True


class Thumbnails(QObject):
    """Draws assets one at a time.

    Attributes
    ----------
    ready : Signal(str)
        The path of an asset whose picture can be asked for now, or that turned out to have none.
    """

    ready = Signal(str)

    def __init__(self, picture: Picture, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._picture = picture
        self._kept: OrderedDict[_Key, QImage | None] = OrderedDict()
        self._wanted: OrderedDict[_Key, tuple[pathlib.Path, Callable[[], bool]]] = OrderedDict()
        self._job: tuple[_Key, Future[GltfAsset | None]] | None = None
        self._sitting: _Sitting | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="thumbnail")
        self._timer = QTimer(self)
        self._timer.setInterval(IDLE_MS)
        self._timer.timeout.connect(self._step)

    def thumbnail(
        self, path: pathlib.Path, size: int, is_wanted: Callable[[], bool] = lambda: True
    ) -> QImage | None:
        """Return the picture of an asset, None while or where there is none.

        The first request has it made; `ready` tells when it can be asked for again.

        Parameters
        ----------
        path : pathlib.Path
            A glTF file.
        size : int
            Physical pixels of its edge.
        is_wanted : callable
            Asked when its turn comes: what nobody looks at by then is drawn when it is asked for
            again.
        """
        key = _key(path, size)
        if key is None or self._picture.error:
            return None
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._wanted:
            self._wanted[key] = path, is_wanted
            self._timer.start()
        return None

    def forget(self, path: pathlib.Path) -> None:
        """Draw an asset anew when its picture is asked for, also one that is being drawn."""
        name = str(path)
        for key in [key for key in self._kept if key[0] == name]:
            del self._kept[key]
        for key in [key for key in self._wanted if key[0] == name]:
            del self._wanted[key]
        if self._job is not None and self._job[0][0] == name:
            self._job = None
        if self._sitting is not None and self._sitting.key[0] == name:
            self._leave()

    def has_failed(self, path: pathlib.Path, size: int) -> bool:
        """Whether the file, as it is now, can't be read or drawn."""
        key = _key(path, size)
        return key is not None and key in self._kept and self._kept[key] is None

    def dispose(self) -> None:
        """Stop working; what is being read is dropped."""
        self._timer.stop()
        self._wanted.clear()
        self._job = None
        self._leave()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _step(self) -> None:
        """Do the next piece of work, then rest a while."""
        started = time.perf_counter()
        if self._picture.error or not (self._wanted or self._job or self._sitting):
            self._wanted.clear()
            self._leave()
            self._timer.stop()
        elif self._sitting is not None:
            self._sit(self._sitting)
        elif self._job is None:
            self._begin()
        elif self._job[1].done() and self._picture.is_open:
            self._take(*self._job)
        else:
            return
        spent_ms = int((time.perf_counter() - started) * 1000)
        self._timer.setInterval(min(max(IDLE_MS, 2 * spent_ms), LONGEST_REST_MS))

    def _begin(self) -> None:
        """Draw the next asset as the level has it, or start reading it."""
        key, (path, is_wanted) = next(iter(self._wanted.items()))
        if not is_wanted():
            del self._wanted[key]
            return
        entry = self._picture.entry_of(path)
        if entry is None or entry.state == "failed":
            self._job = (key, self._pool.submit(_read, path))
        elif entry.asset is None or entry.uploaded is None or entry.is_being_read:
            self._wanted.move_to_end(key)
        elif self._picture.is_open:
            self._sit_in_level(key, entry, entry.asset, entry.uploaded)

    def _sit_in_level(
        self, key: _Key, entry: AssetEntry, asset: GltfAsset, uploaded: UploadedGltf
    ) -> None:
        """Begin to draw an asset as the level has it."""

        def is_there() -> bool:
            is_same = entry.asset is asset and entry.uploaded is uploaded
            return is_same and not entry.is_being_read

        renderer = self._picture.renderer
        assert renderer is not None
        steps = self._draw(key, asset, uploaded)
        self._sitting = _Sitting(key, renderer, None, steps, is_there)

    def _take(self, key: _Key, future: Future[GltfAsset | None]) -> None:
        self._job = None
        renderer = self._picture.renderer
        try:
            asset = future.result()
        except Exception:
            self._finish(key, None)
            raise
        if asset is None or renderer is None:
            self._finish(key, None)
            return
        upload = GltfUpload(renderer, None, asset, lods=False)
        steps = itertools.chain(upload.steps(), self._draw(key, asset, upload.uploaded))
        self._sitting = _Sitting(key, renderer, upload, steps)

    def _sit(self, sitting: _Sitting) -> None:
        """Upload for some milliseconds, or draw a part; without what it shows it begins anew."""
        end = time.perf_counter() + UPLOAD_S
        if sitting.renderer is not self._picture.renderer or not sitting.is_there():
            self._sitting = None
            return
        try:
            for _ in sitting.steps:
                if time.perf_counter() >= end:
                    return
        except DeviceLostError:
            # Nothing is wrong with the asset: it is drawn when it is asked for again.
            self._wanted.pop(sitting.key, None)
        except EngineError:
            self._finish(sitting.key, None)
        except Exception:
            # A bug is reported once, not at every moment of rest.
            self._finish(sitting.key, None)
            self._leave()
            raise
        self._leave()

    def _leave(self) -> None:
        """Free what was uploaded, if its renderer is still there."""
        sitting, self._sitting = self._sitting, None
        if sitting is None or sitting.upload is None:
            return
        if sitting.renderer is self._picture.renderer:
            sitting.upload.cancel()

    def _finish(self, key: _Key, image: QImage | None) -> None:
        self._wanted.pop(key, None)
        self._kept[key] = image
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        self.ready.emit(key[0])

    def _draw(self, key: _Key, asset: GltfAsset, uploaded: UploadedGltf) -> Iterator[None]:
        """Draw an asset; yield after each part."""
        size = key[2]
        pixels = yield from drawing(self._picture, asset, uploaded, size, size)
        if pixels is None:
            self._finish(key, None)
            return
        image = QImage(pixels.data, size, size, 4 * size, QImage.Format.Format_RGBA8888)
        self._finish(key, image.copy())


def drawing(
    picture: Picture, asset: GltfAsset, uploaded: UploadedGltf, width: int, height: int
) -> Generator[None, None, Pixels | None]:
    """Draw an asset alone, from three-quarters above, filling the picture; yield after each part.

    It is drawn over black and over white; what differs is how much of the ground shows through.

    Returns
    -------
    (height, width, 4) uint8 or None
        sRGB with straight alpha; None without an adapter.
    """
    pose = asset_pose(asset, width / height)
    scene = RenderScene(render_camera(pose.frame(width, height)), ambient=(0.55, 0.57, 0.62))
    scene.tonemap = "neutral"
    _light(scene, pose)
    for index in asset.reachable_nodes():
        _add_node(scene, asset, index, uploaded)
    yield
    while picture.prepare_other(scene, width, height):
        yield
    scene.background = (0.0, 0.0, 0.0)
    over_black = picture.draw_other(scene, width, height)
    yield
    scene.background = (1.0, 1.0, 1.0)
    over_white = picture.draw_other(scene, width, height)
    yield
    if over_black is None or over_white is None:
        return None
    return cut_out(over_black, over_white)


def _add_node(scene: RenderScene, asset: GltfAsset, index: int, uploaded: UploadedGltf) -> None:
    """Add what one node draws, at rest."""
    node = asset.nodes[index]
    if node.mesh is None:
        return
    palette = asset.joint_matrices(index)
    offset = len(scene.joints)
    for matrix in palette if palette is not None else ():
        scene.joints.append(matrix)
    weights = tuple(float(w) for w in asset.rest_morph_weights(index))
    primitives = asset.meshes[node.mesh].primitives
    for mesh, primitive in zip(uploaded.mesh_ids[node.mesh], primitives, strict=True):
        is_skinned = palette is not None and primitive.mesh.has_skin()
        scene.instances.append(
            RenderInstance(
                mesh,
                uploaded.material_of(primitive.material),
                node.world,
                joint_offset=offset if is_skinned else -1,
                morph_weights=weights if primitive.mesh.has_morph() else (),
            )
        )


def cut_out(over_black: Pixels, over_white: Pixels) -> Pixels:
    """Return a picture with straight alpha from what it is over black and over white.

    Notes
    -----
    A. R. Smith and J. F. Blinn, "Blue Screen Matting", SIGGRAPH 1996: two grounds are enough.
    """
    black, white = linear_from_srgb(over_black / 255), linear_from_srgb(over_white / 255)
    seen_through = (white - black)[..., :3].mean(axis=2, keepdims=True)
    alpha = np.clip(1 - seen_through, 0, 1)
    color = srgb_from_linear(black[..., :3] / np.maximum(alpha, 1e-3))
    return np.round(np.concatenate([color, alpha], axis=2) * 255).astype(np.uint8)


def asset_pose(asset: GltfAsset, aspect: float) -> CameraPose:
    """Return the three-quarter view that shows a whole asset."""
    bounds = asset.world_bounds(posed=True)
    lo, hi = np.asarray(bounds.min, np.float64), np.asarray(bounds.max, np.float64)
    if not (np.all(np.isfinite(lo)) and np.all(np.isfinite(hi))):
        lo, hi = np.full(3, -0.5), np.full(3, 0.5)
    start = CameraPose(yaw=math.radians(32), pitch=math.radians(-24), fov_y=math.radians(30))
    return frame_points(start, box_corners(lo, hi), aspect, margin=1.08)


def _light(scene: RenderScene, pose: CameraPose) -> None:
    """One key light from the upper left, one weak light from behind."""
    right, up, ahead = pose.right, pose.up, pose.forward
    for direction, intensity in (
        (ahead * 0.9 + right * 0.7 - up * 1.1, 2.6),
        (-ahead * 0.8 - right * 0.9 - up * 0.4, 0.9),
    ):
        scene.lights.append(
            RenderLight(
                "directional",
                intensity=intensity,
                direction=direction / np.linalg.norm(direction),
                cast_shadows=False,
            )
        )


def _read(path: pathlib.Path) -> GltfAsset | None:
    try:
        asset = load_gltf(str(path))
        for mesh in (part.mesh for group in asset.meshes for part in group.primitives):
            mesh.render_mesh(mesh.tangents is not None)
        return asset
    except (EngineError, OSError, MemoryError, RecursionError):
        return None


def _key(path: pathlib.Path, size: int) -> _Key | None:
    try:
        return str(path), path.stat().st_mtime_ns, size
    except OSError:
        return None
