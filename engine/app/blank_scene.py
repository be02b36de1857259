"""The look of a level that has no `Environment`."""

from __future__ import annotations

from engine.render.scene import Camera, RenderScene, SkyGradient
from engine.scene.default_environment import default_environment

DEFAULT_AMBIENT = (0.5, 0.5, 0.5)
"""Light from everywhere, so that nothing is black."""


def blank_scene(camera: Camera) -> RenderScene:
    """Return an empty picture with that look.

    Each level gets its own, so that none inherits the look of the one before.
    """
    return RenderScene(
        camera,
        ambient=DEFAULT_AMBIENT,
        sky="gradient",
        environment=default_environment(),
        backdrop=SkyGradient(),
    )
