"""One sphere per kind of surface, with ambient occlusion and bloom, under the light that ships."""

import numpy as np

from engine.app import App
from engine.assets import Material
from engine.assets.material import Sampler, TextureRef
from engine.assets.shapes import shape_mesh
from engine.math import quat_from_euler_deg
from engine.scene import (
    CameraComponent,
    Environment,
    LightSource,
    LocalTransform,
    MeshRenderer,
    Name,
    Shape,
)

MODE = "compare"
# Meshes and materials are handed to the renderer, so there is no file to export them from.
EXPORTS = False
COLUMNS = 6


def layered(name: str, **parameters: object) -> dict[str, dict[str, object]]:
    return {f"KHR_materials_{name}": parameters}


def waves() -> np.ndarray:
    """A normal map of bumps."""
    at = np.arange(64) / 64 * 2 * np.pi * 4
    x, y = np.meshgrid(np.sin(at), np.sin(at))
    normal = np.stack([0.6 * x, 0.6 * y, np.ones_like(x)], axis=2)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    rgb = np.round(normal * 127.5 + 127.5).astype(np.uint8)
    return np.dstack([rgb, np.full((64, 64), 255, np.uint8)])


def checker() -> np.ndarray:
    """Colours in squares, every second of which is a hole."""
    cells = np.indices((8, 8)).sum(axis=0) % 2
    pixels = np.zeros((8, 8, 4), np.uint8)
    pixels[cells == 0] = 240, 190, 40, 255
    pixels[cells == 1] = 40, 60, 200, 90
    return pixels.repeat(8, axis=0).repeat(8, axis=1)


def surfaces(app: App) -> list[Material]:
    assert app.renderer is not None
    store = app.renderer.resources
    sampler = store.add_sampler(Sampler())
    bumps = TextureRef(store.add_texture(waves(), False, "bumps"), sampler, scale=(2.0, 1.0))
    squares = TextureRef(store.add_texture(checker(), True, "squares"), sampler, scale=(2.0, 1.0))
    red = {"base_color": (0.7, 0.05, 0.04, 1.0), "metallic": 0.0, "roughness": 0.5}
    grey = {"base_color": (0.8, 0.8, 0.8, 1.0)}
    glass = layered("transmission", transmissionFactor=1.0)
    amber = layered(
        "volume", thicknessFactor=0.7, attenuationDistance=0.4, attenuationColor=[0.9, 0.5, 0.1]
    )
    velvet = layered("sheen", sheenColorFactor=[0.9, 0.8, 1.0], sheenRoughnessFactor=0.4)
    film = layered(
        "iridescence", iridescenceFactor=1.0, iridescenceIor=1.6, iridescenceThicknessMaximum=420
    )
    brushed = layered("anisotropy", anisotropyStrength=0.9, anisotropyRotation=0.5)
    return [
        Material(**red),
        Material(**grey, metallic=1.0, roughness=0.15),
        Material(**grey, metallic=1.0, roughness=0.5, normal_texture=bumps),
        Material(**red, extensions=layered("clearcoat", clearcoatFactor=1.0)),
        Material(base_color=(0.2, 0.02, 0.3, 1), metallic=0.0, extensions=velvet),
        Material(**grey, metallic=1.0, roughness=0.2, extensions=film),
        Material(**grey, metallic=1.0, roughness=0.4, extensions=brushed),
        Material(**grey, metallic=0.0, roughness=0.0, extensions=glass),
        Material(**grey, metallic=0.0, roughness=0.25, extensions=glass | amber),
        Material(metallic=0.0, alpha_mode="mask", double_sided=True, base_color_texture=squares),
        Material(metallic=0.0, alpha_mode="blend", double_sided=True, base_color_texture=squares),
        Material(base_color=(0, 0, 0, 1), emissive=(1.0, 0.4, 0.1), emissive_strength=5.0),
    ]


def build(app: App) -> None:
    assert app.renderer is not None
    spawn = app.world.spawn
    look = Environment(
        ambient=(0, 0, 0), tonemap="neutral", occlusion=1.0, occlusion_radius=0.6, bloom=0.5
    )
    spawn(Name("Environment"), look)
    spawn(Name("Floor"), LocalTransform(scale=(14, 1, 14)), Shape(kind="plane", color=(0.45,) * 3))
    ball = app.renderer.add_mesh(shape_mesh("sphere"))
    for number, material in enumerate(surfaces(app)):
        row, column = divmod(number, COLUMNS)
        at = (1.15 * (column - 2.5), 0.5, 1.7 * row - 0.9)
        drawn = MeshRenderer(ball, app.renderer.add_material(material))
        spawn(Name(f"Ball {number}"), LocalTransform(translation=at), drawn)
    # Two panes through each other and through nothing else.
    pane = app.renderer.add_mesh(shape_mesh("box"))
    for turn, color in ((35, (0.9, 0.1, 0.1, 0.5)), (-35, (0.1, 0.3, 0.9, 0.5))):
        place = LocalTransform(
            translation=(0, 0.6, -2.6),
            rotation=quat_from_euler_deg((0, turn, 0)),
            scale=(2.4, 1.2, 0.02),
        )
        tinted = Material(base_color=color, metallic=0.0, alpha_mode="blend")
        drawn = MeshRenderer(pane, app.renderer.add_material(tinted), cast_shadows=False)
        spawn(Name("Pane"), place, drawn)
    sun = LocalTransform(rotation=quat_from_euler_deg((-45, 35, 0)))
    spawn(Name("Sun"), sun, LightSource(intensity=2.0, cast_shadows=True))
    eye = LocalTransform(translation=(0, 4.2, 5.6), rotation=quat_from_euler_deg((-36, 0, 0)))
    spawn(Name("Camera"), eye, CameraComponent(fov_y=float(np.radians(40))))
