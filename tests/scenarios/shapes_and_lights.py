"""One of each plain shape under a sun, a point light and a spot light."""

import numpy as np

from engine.app import App
from engine.math import quat_from_euler_deg
from engine.scene import (
    CameraComponent,
    Environment,
    LightSource,
    LocalTransform,
    Name,
    Shape,
)

MODE = "compare"
KINDS = ("box", "sphere", "cylinder", "cone", "torus")


def build(app: App) -> None:
    spawn = app.world.spawn
    spawn(Name("Environment"), Environment(ambient=(0.1, 0.12, 0.18), tonemap="neutral"))
    spawn(Name("Floor"), LocalTransform(scale=(12, 1, 12)), Shape(kind="plane", color=(0.5,) * 3))
    for i, kind in enumerate(KINDS):
        hue = i / len(KINDS)
        color = (0.25 + 0.5 * hue, 0.35, 0.75 - 0.5 * hue)
        place = LocalTransform(translation=(1.6 * (i - 2), 0.5, 0.4 * (i % 2)))
        spawn(Name(kind), place, Shape(kind=kind, color=color))
    sun = LocalTransform(rotation=quat_from_euler_deg((-50, 35, 0)))
    spawn(Name("Sun"), sun, LightSource(intensity=2.5, cast_shadows=True))
    lamp = LightSource(kind="point", color=(1, 0.5, 0.2), intensity=6, range=5)
    spawn(Name("Lamp"), LocalTransform(translation=(-2.4, 1.4, 1.6)), lamp)
    down = LocalTransform(translation=(2.6, 3, 1), rotation=quat_from_euler_deg((-90, 0, 0)))
    cone = LightSource(
        kind="spot", color=(0.3, 0.6, 1), intensity=30, inner_angle=0.3, outer_angle=0.5
    )
    spawn(Name("Spot"), down, cone)
    eye = LocalTransform(translation=(0, 3.2, 7), rotation=quat_from_euler_deg((-22, 0, 0)))
    spawn(Name("Camera"), eye, CameraComponent(fov_y=float(np.radians(42))))
