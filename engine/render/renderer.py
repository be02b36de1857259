"""The wgpu renderer: a `RenderScene` in, pixels out, on whatever adapter there is.

It owns meshes, materials and textures by id (so it is a `MeshStore` for the importers), follows
scenes by their version numbers, and answers which entity is where in the last picture. The passes
are in `picture`, the questions in `picking`. One thread uses a renderer.
"""

import pathlib
from time import perf_counter
from typing import Any
from weakref import WeakKeyDictionary, finalize

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.render.camera import Camera
from engine.render.cooked_meshes import CookedMeshSource, unpack
from engine.render.device import adapter_name, gpu_errors, is_software, request_device
from engine.render.frame_block import Block
from engine.render.gpu_setup import make_context
from engine.render.gpu_timer import GpuTimer
from engine.render.material_source import MaterialSource
from engine.render.mesh_streams import Levels, MeshSource, MeshStreams, prepare_mesh
from engine.render.picking import Picker
from engine.render.picture import PicturePainter
from engine.render.scene import RenderScene
from engine.render.scene_state import SceneState
from engine.render.settings import RenderSettings
from engine.render.shader_source import ShaderSources
from engine.render.stats import RenderStats
from engine.render.targets import Readback, TargetPool
from engine.render.textures import TextureTable

SNAPSHOT_FORMAT = "rgba8unorm-srgb"


class Renderer:
    """Draws scenes.

    Parameters
    ----------
    device
        A wgpu device; None takes the best adapter, software included.
    shaders
        A folder of WGSL files; None takes those of this package.

    Raises
    ------
    EngineError
        There is no adapter.
    """

    def __init__(self, device: Any = None, shaders: pathlib.Path | None = None) -> None:
        self.device = request_device() if device is None else device
        with gpu_errors("renderer"):
            self._gpu, depth_layouts = make_context(self.device, ShaderSources(shaders))
            self._targets = TargetPool(self.device)
            self._painter = PicturePainter(self._gpu, self._targets, depth_layouts)
            self._picker = Picker(self._gpu)
        self._readback = Readback(self.device)
        self._timer = GpuTimer(self.device)
        self._states: WeakKeyDictionary[RenderScene, SceneState] = WeakKeyDictionary()
        self._last: tuple[RenderScene, Block] | None = None
        self.settings = RenderSettings()

    @property
    def adapter(self) -> str:
        """Name of the adapter that draws."""
        return adapter_name(self.device)

    @property
    def software(self) -> bool:
        """Whether the adapter draws on the CPU, where samples and lights cost time."""
        return is_software(self.device)

    @property
    def resources(self) -> TextureTable:
        """The store of textures and samplers."""
        return self._gpu.textures

    def reload_shaders(self) -> bool:
        """Take the WGSL files as they are now; returns whether that makes a difference.

        Raises
        ------
        EngineError
            One of them is broken, which the message tells by file and line; everything is drawn
            as before.
        """
        with gpu_errors("shaders"):
            return self._gpu.pipelines.store.reload()

    @property
    def stats(self) -> RenderStats:
        """Figures of the last picture."""
        return self._painter.stats

    @property
    def is_unfinished(self) -> bool:
        """Whether another picture would show more; see `RenderSettings.streaming`."""
        return self._painter.is_unfinished

    @staticmethod
    def prepare_mesh(mesh: MeshSource, lods: Levels | None = None) -> MeshStreams:
        """Do what `add_mesh` has to do before the GPU gets a mesh; on any thread.

        Raises
        ------
        EngineError
            The levels are not within the mesh.
        """
        return prepare_mesh(mesh, lods)

    def add_mesh(
        self, mesh: MeshSource, lods: Levels | None = None, prepared: MeshStreams | None = None
    ) -> int:
        """Upload an `engine.assets.MeshData` and give its id.

        Parameters
        ----------
        mesh
            The mesh.
        lods
            Indices of all its levels of detail and their ranges, as `build_lods` gives them.
        prepared
            What `prepare_mesh` gave for both.

        Raises
        ------
        EngineError
            The levels are not within the mesh, or there is no memory for it.
        """
        with gpu_errors("mesh"):
            return self._gpu.meshes.add(mesh, lods, prepared)

    def replace_mesh(
        self,
        mesh: int,
        data: MeshSource,
        lods: Levels | None = None,
        prepared: MeshStreams | None = None,
    ) -> None:
        """Put another mesh under the same id; EngineError when the id holds none."""
        with gpu_errors("mesh"):
            self._gpu.meshes.replace(mesh, data, lods, prepared)

    def add_cooked_mesh(self, mesh: CookedMeshSource) -> int:
        """Upload an `engine.assets.CookedMesh` with its levels of detail and give its id."""
        with gpu_errors("mesh"):
            return self._gpu.meshes.add(unpack(mesh), (mesh.indices(), mesh.lods))

    def replace_cooked_mesh(self, mesh: int, data: CookedMeshSource) -> None:
        """Put a cooked mesh under the same id; EngineError when the id holds none."""
        with gpu_errors("mesh"):
            self._gpu.meshes.replace(mesh, unpack(data), (data.indices(), data.lods))

    def remove_mesh(self, mesh: int) -> None:
        """Free a mesh; EngineError when the id holds none."""
        self._gpu.meshes.remove(mesh)

    def instance_boxes(self, scene: RenderScene) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Smallest and largest corner of each instance in its own space, in its present pose.

        Returns
        -------
        lo, hi
            (n, 3) float32 each: never too small; NaN where an instance draws no mesh, infinite
            where nothing is known of its pose.
        """
        return self._gpu.meshes.instance_boxes(scene)

    def add_material(self, material: MaterialSource) -> int:
        """Upload an `engine.assets.Material` and give its id."""
        with gpu_errors("material"):
            return self._gpu.materials.add(material)

    def replace_material(self, material: int, source: MaterialSource) -> None:
        """Put another material under the same id; EngineError when the id holds none."""
        with gpu_errors("material"):
            self._gpu.materials.replace(material, source)

    def material(self, material: int) -> MaterialSource:
        """Return what an id was given last; EngineError when it holds none."""
        return self._gpu.materials.source(material)

    def remove_material(self, material: int) -> None:
        """Free a material; EngineError when the id holds none."""
        self._gpu.materials.remove(material)

    def render(self, scene: RenderScene, target: Any, width: int, height: int) -> None:
        """Draw a scene.

        Parameters
        ----------
        scene
            What to draw.
        target
            A wgpu texture or texture view of that size with one sample; a format that doesn't
            encode sRGB gets encoded values.
        width, height
            Pixels; a target without any is left alone.
        """
        if width <= 0 or height <= 0:
            return
        with gpu_errors(f"picture of {width} x {height}"):
            self._render(scene, target, width, height)

    def _render(self, scene: RenderScene, target: Any, width: int, height: int) -> None:
        texture = getattr(target, "texture", target)
        view = target if texture is not target else target.create_view()
        encoder = self.device.create_command_encoder()
        if texture.format.endswith("-srgb"):
            self._paint(encoder, scene, view, texture.format, (width, height))
        else:
            picture = self._targets.get("picture", width, height, SNAPSHOT_FORMAT)[1]
            self._paint(encoder, scene, picture, SNAPSHOT_FORMAT, (width, height))
            self._painter.present(encoder, picture, view, texture.format)
        self.device.queue.submit([encoder.finish()])

    def snapshot(self, scene: RenderScene, width: int, height: int) -> NDArray[np.uint8]:
        """Draw a scene and read the picture back.

        Returns
        -------
        array
            (height, width, 4) uint8, sRGB.

        Raises
        ------
        EngineError
            The adapter has no texture of that size, or refuses to draw.
        """
        width, height = max(int(width), 0), max(int(height), 0)
        largest = int(self.device.limits["max-texture-dimension-2d"])
        if max(width, height) > largest:
            raise EngineError(f"snapshot: found {width} x {height}, expected at most {largest}")
        if not width or not height:
            return np.zeros((height, width, 4), np.uint8)
        with gpu_errors(f"snapshot of {width} x {height}"):
            return self._snapshot(scene, width, height)

    def prepare_snapshot(self, scene: RenderScene, width: int, height: int) -> bool:
        """Make one of the pipelines that `snapshot` would have to make; returns whether it did.

        Each takes an adapter some milliseconds. Who calls this between two frames until it returns
        False keeps the next picture from taking all of them at once.

        Raises
        ------
        EngineError
            A shader is broken.
        """
        with gpu_errors(f"preparing a snapshot of {width} x {height}"):
            size, state = (max(width, 1), max(height, 1)), self._state(scene)
            return self._painter.make_pipeline(scene, state, self.settings, SNAPSHOT_FORMAT, size)

    def _snapshot(self, scene: RenderScene, width: int, height: int) -> NDArray[np.uint8]:
        texture, view = self._targets.get("picture", width, height, SNAPSHOT_FORMAT)
        encoder = self.device.create_command_encoder()
        timer = self._timer if self.settings.timing else None
        if timer is not None:
            timer.begin(encoder)
        self._paint(encoder, scene, view, SNAPSHOT_FORMAT, (width, height))
        if timer is not None:
            timer.end(encoder)
        self._readback.encode(encoder, texture, width, height, 4)
        self.device.queue.submit([encoder.finish()])
        submitted = perf_counter()
        pixels = self._readback.read(width, height, 4)
        self.stats.wait_ms = (perf_counter() - submitted) * 1e3
        self.stats.gpu_ms = timer.milliseconds() if timer is not None else 0.0
        return np.frombuffer(pixels, np.uint8).reshape(height, width, 4)

    def glimpse(
        self, scene: RenderScene, camera: Camera, width: int, height: int
    ) -> NDArray[np.uint8]:
        """The level of a scene from another camera; picking stays with the last picture.

        Without grid, overlay and outline; the scene is as it was afterwards.

        Returns
        -------
        (height, width, 4) uint8
            sRGB, as of `snapshot`.
        """
        kept = scene.camera, scene.grid, scene.overlay, scene.selected, self._last
        scene.camera, scene.grid, scene.overlay, scene.selected = camera, False, None, ()
        try:
            return self.snapshot(scene, width, height)
        finally:
            scene.camera, scene.grid, scene.overlay, scene.selected, self._last = kept

    def pick(self, x: float, y: float) -> int:
        """The entity that is seen at a pixel of the last picture, 0 for none."""
        found = self.pick_all(x, y)
        return found[0] if found else 0

    def pick_all(self, x: float, y: float) -> list[int]:
        """Every entity at a pixel of the last picture, nearest first."""
        if self._last is None:
            return []
        scene, block = self._last
        width, height = block["viewport"].tolist()
        if not (0 <= x < width and 0 <= y < height):
            return []
        state = self._state(scene)
        with np.errstate(all="ignore"), gpu_errors("pick"):
            state.update(scene)
            rows = self._picker.rows_at(scene, state, block, np.floor(x), np.floor(y))
        entities = scene.instances.columns().entity[rows]
        return list(dict.fromkeys(entities.tolist()))

    def pick_rect(self, x0: float, y0: float, x1: float, y1: float) -> set[int]:
        """The entities that are seen in a rectangle of the last picture; corners in any order."""
        if self._last is None:
            return set()
        scene, block = self._last
        width, height = block["viewport"].tolist()
        left, right = (int(np.clip(v, 0, width)) for v in (min(x0, x1), np.ceil(max(x0, x1))))
        top, bottom = (int(np.clip(v, 0, height)) for v in (min(y0, y1), np.ceil(max(y0, y1))))
        if right <= left or bottom <= top:
            return set()
        state = self._state(scene)
        with np.errstate(all="ignore"), gpu_errors("pick"):
            state.update(scene)
            rows = self._picker.rows_in(scene, state, block, (left, top, right, bottom))
        return set(scene.instances.columns().entity[rows].tolist())

    def _paint(
        self,
        encoder: Any,
        scene: RenderScene,
        view: Any,
        color_format: str,
        size: tuple[int, int],
    ) -> None:
        state = self._state(scene)
        self._gpu.textures.set_anisotropy(self.settings.texture_anisotropy)
        block = self._painter.paint(encoder, scene, state, self.settings, view, color_format, size)
        self._last = (scene, block)

    def _state(self, scene: RenderScene) -> SceneState:
        state = self._states.get(scene)
        if state is None:
            state = self._states[scene] = SceneState(self._gpu)
            finalize(scene, state.destroy).atexit = False
        return state
