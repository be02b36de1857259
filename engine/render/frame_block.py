"""The uniform block that every pass reads: camera, ambient and sky, as one numpy record.

The layout is `Frame` in `shaders/frame.wgsl`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.render.camera import Camera
from engine.render.scene import RenderScene, SkyGradient

FRAME_LAYOUT = np.dtype(
    [
        ("clip_from_world", "<f4", (4, 4)),
        ("world_from_clip", "<f4", (4, 4)),
        ("view_from_world", "<f4", (4, 4)),
        ("camera_position", "<f4", 3),
        ("exposure", "<f4"),
        ("towards_viewer", "<f4", 3),
        ("light_count", "<u4"),
        ("ambient", "<f4", 3),
        ("grid_step", "<f4"),
        ("zenith", "<f4", 3),
        ("cascades", "<u4"),
        ("horizon", "<f4", 3),
        ("layers_near", "<f4"),
        ("ground", "<f4", 3),
        ("grid_extent", "<f4"),
        ("backdrop", "<f4", 3),
        ("layers_depth", "<f4"),
        ("viewport", "<f4", 2),
        ("view_extent", "<f4", 2),
        ("irradiance", "<f4", (9, 4)),
        ("reflection_tint", "<f4", 3),
        ("line_scale", "<f4"),
    ]
)

Block = NDArray[Any]


def frame_block(scene: RenderScene, width: int, height: int) -> Block:
    """The block for a picture of a scene, without a shadow."""
    block = np.zeros((), FRAME_LAYOUT)
    set_camera(block, scene.camera, width, height)
    block["exposure"] = scene.exposure
    block["line_scale"] = 1.0
    block["light_count"] = len(scene.lights)
    block["ambient"] = np.asarray(scene.ambient, np.float32)[:3]
    image = scene.environment
    sky = image if isinstance(image, SkyGradient) else scene.backdrop or SkyGradient()
    block["zenith"], block["horizon"], block["ground"] = sky.zenith, sky.horizon, sky.ground
    block["backdrop"] = sky.backdrop
    return block


def set_camera(block: Block, camera: Camera, width: int, height: int) -> None:
    """Write a camera's matrices for a target of a size in pixels."""
    aspect = width / height
    clip = camera.clip_from_view(aspect).astype(np.float64)
    view = np.linalg.inv(np.asarray(camera.world_from_view, np.float64))
    block["clip_from_world"] = clip @ view
    block["view_extent"] = 1.0 / clip[0, 0], 1.0 / clip[1, 1]
    block["world_from_clip"] = np.linalg.inv(clip @ view)
    block["view_from_world"] = view
    block["camera_position"] = camera.position
    if camera.ortho_height is not None:
        block["towards_viewer"] = -camera.forward
    block["viewport"] = width, height


def pixel_window(x0: float, y0: float, x1: float, y1: float, width: int, height: int) -> Block:
    """(4, 4) matrix that maps the part of clip space in a rectangle of pixels to all of it."""
    scale_x, scale_y = width / (x1 - x0), height / (y1 - y0)
    window = np.eye(4)
    window[0, 0], window[1, 1] = scale_x, scale_y
    window[0, 3] = scale_x * (1.0 - (x0 + x1) / width)
    window[1, 3] = scale_y * ((y0 + y1) / height - 1.0)
    return window
