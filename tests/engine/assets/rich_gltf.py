"""One file with most of what the importer reads."""

import numpy as np


def rich_file(gltf, make_png):
    """Fill a writer: pictures, a skinned and morphed strip, a light, a camera, an animation."""
    gltf.add("images", bufferView=gltf.view(make_png()))
    gltf.add("samplers", wrapS=33071)
    gltf.add("textures", source=0, sampler=0)
    transform = {"extensions": {"KHR_texture_transform": {"offset": [0.5, 0]}}}
    gltf.add(
        "materials",
        pbrMetallicRoughness={"baseColorTexture": {"index": 0, **transform}},
        normalTexture={"index": 0, "texCoord": 1},
        extensions={"KHR_materials_clearcoat": {"clearcoatFactor": 0.5}},
    )
    attributes = {
        "NORMAL": gltf.accessor([[0, 0, 1]] * 4),
        "TEXCOORD_0": gltf.accessor([[0, 255]] * 4, "u1", normalized=True),
        "COLOR_0": gltf.accessor([[0, 255, 0, 255]] * 4, "u1", normalized=True),
        "JOINTS_0": gltf.accessor([[0, 1, 0, 0]] * 4, "u1"),
        "WEIGHTS_0": gltf.accessor([[0.5, 0.5, 0, 0]] * 4),
    }
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    targets = [{"POSITION": gltf.accessor(corners)}]
    gltf.mesh(corners, [0, 1, 2, 3], attributes=attributes, mode=5, material=0, targets=targets)
    gltf.json["meshes"][0]["weights"] = [0.5]
    sparse = {
        "count": 1,
        "indices": {"bufferView": gltf.view(b"\2\0"), "componentType": 5123},
        "values": {"bufferView": gltf.view(np.float32([1, 2, 3]).tobytes())},
    }
    gltf.json["accessors"][targets[0]["POSITION"]]["sparse"] = sparse
    gltf.json["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "spot", "spot": {}}]}}
    gltf.add("cameras", type="perspective", perspective={"yfov": 1, "znear": 0.1})
    gltf.node(mesh=0, skin=0, weights=[0.25], children=[2])
    gltf.node(matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], camera=0)
    gltf.add("nodes", scale=[1, 2, 3], extensions={"KHR_lights_punctual": {"light": 0}})
    matrices = gltf.accessor(np.tile(np.eye(4).reshape(-1), (2, 1)), kind="MAT4")
    gltf.add("skins", joints=[1, 2], inverseBindMatrices=matrices)
    sampler = {"input": gltf.accessor([0, 1]), "output": gltf.accessor([[0, 0, 0]] * 2)}
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    gltf.add("animations", samplers=[sampler], channels=[channel])
    return gltf


def richer_file(gltf, make_png):
    """Add what the first version of the cooked formats cannot hold."""
    rich_file(gltf, make_png)
    gltf.json["extensions"]["KHR_materials_variants"] = {"variants": [{"name": "worn"}]}
    gltf.json["extensionsUsed"] = ["KHR_materials_variants", "EXT_of_nobody"]
    gltf.add(
        "materials",
        name="coat",
        emissiveTexture={"index": 0},
        extensions={
            "KHR_materials_clearcoat": {"clearcoatTexture": {"index": 0}, "clearcoatFactor": 1},
            "KHR_materials_sheen": {"sheenColorFactor": [0.5, 0.25, 0.125]},
        },
        extras={"price": [1, 2.5, None], "note": "ü"},
    )
    variants = {"mappings": [{"material": 1, "variants": [0]}]}
    gltf.mesh(mode=1, indices=[0, 1, 1, 2], extensions={"KHR_materials_variants": variants})
    gltf.mesh(mode=0, extras=["points"])
    flat = gltf.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [0, 1, 2, 2, 1, 3])
    spread = {"TRANSLATION": gltf.accessor([[0, 0, 0], [2, 0, 0]])}
    gltf.node(mesh=1, name="lines", extras={"kept": True})
    gltf.node(mesh=2, children=[6], rotation=[0, 0.6, 0, 0.8])
    gltf.node(
        mesh=flat,
        name="many",
        extensions={"EXT_mesh_gpu_instancing": {"attributes": spread}},
    )
    gltf.add("nodes", name="below", mesh=flat)
    gltf.json["nodes"][4]["children"] = [6]
    gltf.add("images", uri="lost.png")
    gltf.add("textures", source=1)
    gltf.json["extras"] = {"tool": "tests"}
    pointer = "/materials/0/pbrMetallicRoughness/metallicFactor"
    sampler = {"input": gltf.accessor([0, 1]), "output": gltf.accessor([0.0, 1.0])}
    target = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}
    gltf.add("animations", samplers=[sampler], channels=[{"sampler": 0, "target": target}])
    gltf.json["extensionsUsed"].append("KHR_animation_pointer")
    return gltf
