"""The level that the scene benchmarks save and load, in our world and in OpenUSD's layer."""

import numpy as np

from engine.ecs import World
from engine.reflect import SceneComponent, component
from engine.scene import Enabled, LightSource, LocalTransform, Name, Parent, SceneRegistry


@component(id=900)
class Prop(SceneComponent):
    asset: str = ""
    cast_shadows: bool = True


def columns(count):
    rng = np.random.default_rng(1)
    places = rng.random((count, 3), np.float32) * 100, rng.random((count, 4), np.float32)
    parents = rng.integers(-1, np.maximum(np.arange(count), 1))
    return (*places, rng.random((count, 3), np.float32), parents)


def make_world(count):
    """Return a registry, a world of props, lights, groups and disabled props, and its entities."""
    registry = SceneRegistry()
    for type_ in (Name, Parent, LocalTransform, Enabled, LightSource, Prop):
        registry.register(type_)
    translation, rotation, scale, parents = columns(count)
    world, entities = World(), []
    for i in range(count):
        values = [Name(f"entity {i}"), LocalTransform(translation[i], rotation[i], scale[i])]
        if i % 4 in (0, 3):
            values.append(Prop(f"props/crate{i % 50}.glb", True))
        if i % 4 == 1:
            values.append(LightSource(kind="point", intensity=float(i % 100)))
        if i % 4 == 3:
            values.append(Enabled(False))
        if 0 <= parents[i] < i:
            values.append(Parent(entities[parents[i]]))
        entities.append(world.spawn(*values))
    return registry, world, entities


def make_usd_layer(count, Gf, Sdf):
    """Return the same level as an OpenUSD layer."""
    translation, rotation, scale, parents = columns(count)
    layer, types = Sdf.Layer.CreateAnonymous(".usda"), Sdf.ValueTypeNames
    paths = []
    with Sdf.ChangeBlock():
        for i in range(count):
            above = paths[parents[i]] if 0 <= parents[i] < i else "/W"
            paths.append(f"{above}/e{i}")
            prim = Sdf.CreatePrimInLayer(layer, paths[i])
            prim.specifier, prim.typeName = Sdf.SpecifierDef, "Xform"
            values = [
                ("displayName", types.String, f"entity {i}"),
                ("xformOp:translate", types.Float3, Gf.Vec3f(*map(float, translation[i]))),
                ("xformOp:orient", types.Quatf, Gf.Quatf(*map(float, rotation[i]))),
                ("xformOp:scale", types.Float3, Gf.Vec3f(*map(float, scale[i]))),
            ]
            if i % 4 in (0, 3):
                values.append(("asset", types.String, f"props/crate{i % 50}.glb"))
                values.append(("castShadows", types.Bool, True))
            if i % 4 == 1:
                values.append(("kind", types.String, "point"))
                values.append(("color", types.Float3, Gf.Vec3f(1, 1, 1)))
                for name, value in (("intensity", float(i % 100)), ("range", 0.0)):
                    values.append((name, types.Float, value))
            if i % 4 == 3:
                values.append(("enabled", types.Bool, False))
            for name, kind, value in values:
                Sdf.AttributeSpec(prim, name, kind).default = value
    return layer
