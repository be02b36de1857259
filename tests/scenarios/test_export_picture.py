"""A level that was exported, and placed again as one prop, gives the same picture."""

import numpy as np
import pytest

from engine.app import App
from engine.ecs import QuerySpec
from engine.scene import CameraComponent, Environment, GltfInstance, LocalTransform, Name
from engine.scene.export import write_glb
from engine.scene.hierarchy import world_matrix
from tests.scenarios.test_scenarios import NAMES, SIZE, load, renderer

__all__ = ["renderer"]


def picture_of(app):
    app.settle()
    app.frame(0.0)
    return app.snapshot(*SIZE).astype(int)


def first(world, component):
    return next(iter(QuerySpec(component).each(world)))


@pytest.mark.gpu
@pytest.mark.parametrize("name", [n for n in NAMES if getattr(load(n), "EXPORTS", True)])
def test_the_export_gives_the_same_picture(name, renderer, tmp_path):
    scenario = load(name)
    source = App(renderer=renderer)
    scenario.build(source)
    before = picture_of(source)
    assert write_glb(tmp_path / "out.glb", source.world, source.assets) == []
    _, look = first(source.world, Environment)
    eye, lens = first(source.world, CameraComponent)
    place = LocalTransform.from_matrix(world_matrix(source.world, eye))
    source.close()

    copy = App(tmp_path, renderer=renderer)
    copy.world.spawn(Name("look"), look)
    copy.world.spawn(Name("eye"), place, lens)
    copy.world.spawn(Name("all"), LocalTransform(), GltfInstance("out.glb"))
    after = picture_of(copy)
    copy.close()
    off = np.abs(before - after).max(axis=-1)
    assert (off > 8).mean() < 0.002
