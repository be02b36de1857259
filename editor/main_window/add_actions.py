"""The Add menu: empties, lights, cameras, shapes and files, where the viewport looks at."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from editor.document import LevelDocument
from editor.main_window.copy_consent import CopyConsent
from editor.main_window.prompts import FileQuestion, Prompts
from editor.qt.report import guarded
from editor.viewport.widget import ViewportWidget
from engine.reflect import Entity
from engine.scene import Environment, Name

__all__ = ["ASSET_FILTER", "AddActions"]

ASSET_FILTER = "glTF (*.glb *.gltf)"
_PLACED_FILTER = "glTF and levels (*.glb *.gltf *.scene *.cscn)"
_SHAPES = ("box", "sphere", "cylinder", "cone", "plane", "torus")
_HEIGHTS = {"box": 0.5, "sphere": 0.5, "cylinder": 0.5, "cone": 0.5, "torus": 0.125}


class AddActions:
    """Makes entities at the surface in the middle of the view, or under the pointer."""

    def __init__(
        self, document: LevelDocument, view: ViewportWidget, prompts: Callable[[], Prompts]
    ) -> None:
        self._document = document
        self._view = view
        self._prompts = prompts
        self._consent = CopyConsent(prompts)
        self.at: tuple[float, float] | None = None
        self.dropped_at = (0.0, 0.0)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the actions of this concern."""
        result: dict[str, Callable[[], object]] = {
            "add_empty": self.add_empty,
            "add_camera": self.add_camera,
            "add_environment": self.add_environment,
            "place_file": self.place_file,
        }
        for kind in _SHAPES:
            result[f"add_{kind}"] = lambda kind=kind: self.add_shape(kind)  # type: ignore[misc]
        for kind in ("directional", "point", "spot"):
            result[f"add_{kind}"] = lambda kind=kind: self.add_light(kind)  # type: ignore[misc]
        return result

    def _pixel(self) -> tuple[float, float]:
        at, self.at = self.at, None
        return at or (self._view.width() / 2, self._view.height() / 2)

    def _matrix(self, lift: float = 0.0) -> NDArray[np.float32]:
        """Return a world matrix at the surface, lifted along its normal."""
        surface = self._view.surface_point(*self._pixel())
        matrix = np.eye(4, dtype=np.float32)
        matrix[:3, 3] = np.asarray(surface.point) + np.asarray(surface.normal) * lift
        return matrix

    @guarded
    def add_empty(self) -> None:
        """Add an empty entity."""
        self._document.add_empty(self._matrix())

    @guarded
    def add_shape(self, kind: str) -> None:
        """Add a plain shape that rests on the surface."""
        self._document.add_shape(kind, self._matrix(_HEIGHTS.get(kind, 0.0)))

    @guarded
    def add_light(self, kind: str) -> None:
        """Add a light above the surface; sun and spot look down."""
        matrix = self._matrix(2.0 if kind != "directional" else 4.0)
        if kind != "point":
            matrix[:3, :3] = _looking_down(25.0 if kind == "directional" else 0.0)
        self._document.add_light(kind, matrix)

    @guarded
    def add_camera(self) -> None:
        """Add a camera above the surface."""
        self._document.add_camera(self._matrix(1.6))

    @guarded
    def add_environment(self) -> None:
        """Select the level's look, adding one when there is none."""
        world = self._document.world
        found = [e for e in world.entities() if world.has(e, Environment)]
        if found:
            self._document.select([found[0]])
        else:
            self._document.spawn(Name("Environment"), Environment(), select=True)

    def place_file(self) -> None:
        """Ask for glTF files and place them."""
        folder = Path(self._document.root)
        question = FileQuestion("Place a file", "open_many", folder, _PLACED_FILTER)
        self._prompts().ask_file(question, lambda files: self.place_all([str(f) for f in files]))

    def place_all(self, assets: list[str], parent: Entity | None = None) -> None:
        """Place assets in the middle of the view or under a parent, asking before a copy."""
        outside = [asset for asset in assets if not self._is_inside(asset)]
        inside = [asset for asset in assets if asset not in outside]
        at = self._pixel()
        if outside and self._consent.ask(outside, lambda: self._place(outside, parent, at)):
            inside = assets
        self._place(inside, parent, at)

    def confirm_drop(self, paths: Sequence[str]) -> bool:
        """Ask before files dropped on the viewport are copied; they come when it is answered."""
        outside, at = list(paths), self.dropped_at
        return self._consent.ask(outside, lambda: self._place(outside, None, at))

    @guarded
    def _place(self, assets: list[str], parent: Entity | None, at: tuple[float, float]) -> None:
        if parent is None:
            self._view.place_assets_at(assets, *at)
        elif assets:
            self._view.place_assets_under(assets, parent)

    def _is_inside(self, asset: str) -> bool:
        root = Path(self._document.root)
        path = root / asset
        return os.path.isfile(path) and path.resolve().is_relative_to(root.resolve())


def _looking_down(tilt_deg: float) -> NDArray[np.float32]:
    """Return a rotation whose -Z looks down, tilted forward."""
    angle = np.radians(90.0 - tilt_deg)
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, cos, sin], [0, -sin, cos]], np.float32)
