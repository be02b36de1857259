"""The sample level through its own camera."""

from engine.app import App
from engine.project import first_level
from resources.make_props import DEFAULT_OUT

MODE = "compare"


def build(app: App) -> None:
    app.load(first_level(DEFAULT_OUT.parent))
