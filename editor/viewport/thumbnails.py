"""Pictures of assets for the assets panel: read by a thread, drawn one per idle moment.

Each asset stands alone in a scene of its own, lit the same way and framed from the same corner,
drawn by the viewport's renderer. What is drawn for it is freed again at once. A picture is
kept for as long as the file stays as it was.
"""

import math
import pathlib
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from editor.qt.color_space import linear_from_srgb, srgb_from_linear
from editor.tools.view_camera import CameraPose, frame_points
from editor.viewport.picture import Picture, Pixels, render_camera
from engine.assets.gltf import GltfAsset, load_gltf
from engine.assets.upload import upload_gltf
from engine.errors import EngineError
from engine.render.framing import box_corners
from engine.render.scene import RenderInstance, RenderLight, RenderScene

KEPT: Final = 400
IDLE_MS: Final = 15
LONGEST_REST_MS: Final = 500
_Key = tuple[str, int, int]


class Thumbnails(QObject):
    """Draws assets one at a time.

    Attributes
    ----------
    ready : Signal(str)
        The path of an asset whose picture can be asked for now.
    """

    ready = Signal(str)

    def __init__(self, picture: Picture, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._picture = picture
        self._kept: OrderedDict[_Key, QImage | None] = OrderedDict()
        self._wanted: OrderedDict[_Key, pathlib.Path] = OrderedDict()
        self._job: tuple[_Key, Future[GltfAsset | None]] | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="thumbnail")
        self._timer = QTimer(self)
        self._timer.setInterval(IDLE_MS)
        self._timer.timeout.connect(self._step)

    def thumbnail(self, path: pathlib.Path, size: int) -> QImage | None:
        """Return the picture of an asset, None while or where there is none.

        The first request has it made; `ready` tells when it can be asked for again.

        Parameters
        ----------
        path : pathlib.Path
            A glTF file.
        size : int
            Physical pixels of its edge.
        """
        key = _key(path, size)
        if key is None or self._picture.error:
            return None
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if key not in self._wanted:
            self._wanted[key] = path
            self._timer.start()
        return None

    def dispose(self) -> None:
        """Stop working; what is being read is dropped."""
        self._timer.stop()
        self._wanted.clear()
        self._job = None
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _step(self) -> None:
        """Start reading the next asset, or draw the one that was read, then rest a while."""
        if self._picture.error or not (self._wanted or self._job):
            self._wanted.clear()
            self._timer.stop()
        elif self._job is None:
            key, path = next(iter(self._wanted.items()))
            self._job = (key, self._pool.submit(_read, path))
        elif self._job[1].done() and self._picture.is_open:
            started = time.perf_counter()
            self._finish(*self._job)
            spent_ms = int((time.perf_counter() - started) * 1000)
            self._timer.setInterval(min(max(IDLE_MS, 2 * spent_ms), LONGEST_REST_MS))

    def _finish(self, key: _Key, future: Future[GltfAsset | None]) -> None:
        self._job = None
        self._wanted.pop(key)
        asset = future.result()
        self._kept[key] = self._draw(asset, key[2]) if asset is not None else None
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        if self._kept.get(key) is not None:
            self.ready.emit(key[0])

    def _draw(self, asset: GltfAsset, size: int) -> QImage | None:
        try:
            pixels = draw_asset(self._picture, asset, size, size)
        except EngineError:
            return None
        if pixels is None:
            return None
        image = QImage(pixels.data, size, size, 4 * size, QImage.Format.Format_RGBA8888)
        return image.copy()


def draw_asset(picture: Picture, asset: GltfAsset, width: int, height: int) -> Pixels | None:
    """Draw an asset alone, from three-quarters above, filling the picture.

    It is drawn over black and over white; what differs is how much of the ground shows through.

    Returns
    -------
    (height, width, 4) uint8 or None
        sRGB with straight alpha; None without an adapter.

    Raises
    ------
    EngineError
        The renderer refuses the asset.
    """
    renderer = picture.renderer
    if renderer is None:
        return None
    pose = asset_pose(asset, width / height)
    scene = RenderScene(render_camera(pose.frame(width, height)), ambient=(0.55, 0.57, 0.62))
    scene.tonemap = "neutral"
    _light(scene, pose)
    uploaded = upload_gltf(renderer, None, asset)
    try:
        for index in asset.reachable_nodes():
            node = asset.nodes[index]
            if node.mesh is None:
                continue
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
        scene.background = (0.0, 0.0, 0.0)
        over_black = picture.draw_other(scene, width, height)
        scene.background = (1.0, 1.0, 1.0)
        over_white = picture.draw_other(scene, width, height)
        if over_black is None or over_white is None:
            return None
        return cut_out(over_black, over_white)
    finally:
        uploaded.release(renderer)


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
        return load_gltf(str(path))
    except (EngineError, OSError, MemoryError, RecursionError):
        return None


def _key(path: pathlib.Path, size: int) -> _Key | None:
    try:
        return str(path), path.stat().st_mtime_ns, size
    except OSError:
        return None
