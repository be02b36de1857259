import subprocess
import sys
import threading

import numpy as np
import pytest

from engine.assets import Material, instantiate, load_gltf, upload_gltf
from engine.assets.library import AssetLibrary
from engine.assets.upload_steps import GltfUpload


class Resources:
    def __init__(self):
        self.textures, self.samplers, self.removed = [], [], []

    def add_texture(self, pixels, srgb, label):
        self.textures.append((pixels.shape, srgb, label))
        return len(self.textures) + 99

    def remove_texture(self, texture):
        self.removed.append(texture)

    def add_sampler(self, sampler):
        self.samplers.append(sampler)
        return len(self.samplers) + 9


class Renderer:
    def __init__(self, fail_on_mesh=False):
        self.resources = Resources()
        self.materials, self.meshes, self.removed = [], [], []
        self.fail_on_mesh = fail_on_mesh

    def add_mesh(self, mesh):
        if self.fail_on_mesh:
            raise RuntimeError("device lost")
        self.meshes.append(mesh)
        return len(self.meshes) - 1

    def add_material(self, material):
        self.materials.append(material)
        return len(self.materials) - 1

    def remove_mesh(self, mesh):
        self.removed.append(("mesh", mesh))

    def remove_material(self, material):
        self.removed.append(("material", material))


class Scene:
    def __init__(self):
        self.instances, self.joints = [], []


def textured(gltf, make_png):
    gltf.add("images", bufferView=gltf.view(make_png()), name="wood")
    gltf.add("textures", source=0)
    gltf.add("textures", source=0)
    base = {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    gltf.add("materials", **base, emissiveTexture={"index": 1}, normalTexture={"index": 1})
    gltf.mesh(indices=[0, 1, 2], material=0)
    gltf.mesh(indices=[0, 1, 2])
    gltf.node(mesh=0)
    gltf.node(mesh=1, translation=[2, 0, 0])
    gltf.node(mesh=0)
    return gltf.load()


def test_each_image_is_uploaded_once_per_colour_space(gltf, make_png):
    renderer = Renderer()
    uploaded = upload_gltf(renderer, None, textured(gltf, make_png))
    assert renderer.resources.textures == [((2, 4, 4), True, "wood"), ((2, 4, 4), False, "wood")]
    assert len(renderer.resources.samplers) == 1
    material = renderer.materials[uploaded.material_ids[0]]
    assert material.base_color_texture.texture == material.emissive_texture.texture == 100
    assert (material.normal_texture.texture, material.normal_texture.sampler) == (101, 10)
    assert renderer.materials[uploaded.default_material] == Material()
    assert uploaded.mesh_ids == [[0], [1]]


def test_textures_of_material_extensions_are_uploaded_in_their_colour_space(gltf, make_png):
    gltf.add("textures", source=gltf.add("images", bufferView=gltf.view(make_png()), name="wood"))
    gltf.add("textures")
    sheen = {"sheenColorTexture": {"index": 0}, "sheenRoughnessTexture": {"index": 0}}
    coat = {"clearcoatFactor": 1, "clearcoatTexture": {"index": 1}}
    bodies = {"KHR_materials_sheen": sheen, "KHR_materials_clearcoat": coat}
    gltf.add("materials", extensions=bodies)
    renderer, asset = Renderer(), gltf.load()
    uploaded = upload_gltf(renderer, None, asset)
    found = renderer.materials[uploaded.material_ids[0]].extensions
    assert [srgb for _, srgb, _ in renderer.resources.textures] == [True, False]
    assert found["KHR_materials_sheen"]["sheenColorTexture"].texture == 100
    assert found["KHR_materials_sheen"]["sheenRoughnessTexture"].texture == 101
    assert found["KHR_materials_clearcoat"] == {"clearcoatFactor": 1}
    assert asset.materials[0].material.extensions["KHR_materials_sheen"][
        "sheenColorTexture"
    ].texture == 0  # fmt: skip


def test_normal_map_marks_its_meshes_for_tangents(gltf, make_png):
    asset = textured(gltf, make_png)
    marks = [mesh.primitives[0].mesh.needs_tangents for mesh in asset.meshes]
    assert marks == [True, False]


def test_no_renderer_gives_minus_one_everywhere(gltf, make_png):
    uploaded = upload_gltf(None, None, textured(gltf, make_png))
    assert (uploaded.mesh_ids, uploaded.material_ids, uploaded.default_material) == (
        [[-1], [-1]],
        [-1],
        -1,
    )
    uploaded.release(None)


class DetailRenderer(Renderer):
    def add_mesh(self, mesh, lods=None):
        self.meshes.append(lods)
        return len(self.meshes) - 1


def test_levels_of_detail_go_to_a_renderer_that_takes_them(gltf, make_png):
    asset = textured(gltf, make_png)
    for wanted in (True, False):
        renderer = DetailRenderer()
        upload_gltf(renderer, None, asset, lods=wanted)
        assert [lods is not None for lods in renderer.meshes] == [wanted, wanted]
    indices, lods = asset.meshes[0].primitives[0].mesh.build_lods()
    assert (len(indices), len(lods)) == (3, 1)


class SteppedResources(Resources):
    def texture_steps(self, pixels, srgb, label):
        for _ in range(3):
            yield
        return self.add_texture(pixels, srgb, label)


def test_large_pictures_are_uploaded_in_the_steps_of_their_store(gltf, make_png):
    renderer = Renderer()
    asset = textured(gltf, make_png)
    plain = len(list(GltfUpload(renderer, None, asset).steps()))
    renderer.resources = SteppedResources()
    assert len(list(GltfUpload(renderer, None, asset).steps())) == plain + 2 * 3
    assert len(renderer.resources.textures) == 2


class PreparingRenderer(Renderer):
    def __init__(self):
        super().__init__()
        self.threads = []

    @property
    def resources(self):
        assert threading.current_thread() is threading.main_thread(), "a job must not touch it"
        return self._resources

    @resources.setter
    def resources(self, resources):
        self._resources = resources

    def prepare_mesh(self, mesh, lods=None):
        self.threads.append(threading.current_thread())
        return "prepared", id(mesh)

    def add_mesh(self, mesh, lods=None, prepared=None):
        assert prepared is None or prepared[1] == id(mesh)
        self.meshes.append((lods is not None, prepared is not None))
        return len(self.meshes) - 1


def test_meshes_are_prepared_by_the_worker_that_read_them(gltf, make_png):
    """For the renderer that was there then: another one gets them as they are."""
    textured(gltf, make_png)
    library = AssetLibrary(gltf.folder)
    for number in range(2):
        renderer = PreparingRenderer()
        library.attach(renderer)
        assert library.get(gltf.write().name).error == ""
        library.take_all()
        library.poll()
        assert renderer.meshes == [(number == 1, number == 0)] * 2
        assert threading.current_thread() not in renderer.threads
    library.close()


def test_release_removes_all_that_was_added(gltf, make_png):
    renderer = Renderer()
    uploaded = upload_gltf(renderer, None, textured(gltf, make_png))
    uploaded.release(renderer)
    assert sorted(renderer.removed) == [("material", 0), ("material", 1), ("mesh", 0), ("mesh", 1)]
    assert renderer.resources.removed == [100, 101]
    assert uploaded.mesh_ids == [[-1], [-1]]


def test_failed_upload_leaves_nothing_behind(gltf, make_png):
    renderer = Renderer(fail_on_mesh=True)
    with pytest.raises(RuntimeError):
        upload_gltf(renderer, None, textured(gltf, make_png))
    assert sorted(renderer.removed) == [("material", 0), ("material", 1)]
    assert renderer.resources.removed == [100, 101]


def test_an_upload_that_is_given_up_midway_gives_each_thing_back_once(gltf, make_png):
    """Its steps end by the same door when nobody asks for more of them."""
    renderer = Renderer()
    upload = GltfUpload(renderer, None, textured(gltf, make_png))
    steps = upload.steps()
    for _ in range(2):
        next(steps)
    upload.cancel()
    del steps
    upload.cancel()
    assert renderer.resources.textures
    assert renderer.resources.removed == [100 + k for k in range(len(renderer.resources.textures))]


def test_instantiate_adds_an_instance_per_node_and_primitive(gltf, make_png):
    renderer, scene = Renderer(), Scene()
    assert instantiate(renderer, None, textured(gltf, make_png), scene) == 3
    assert [(i.mesh, i.material) for i in scene.instances] == [(0, 0), (1, 1), (0, 0)]
    assert scene.instances[1].world_from_local[:3, 3].tolist() == [2, 0, 0]


def test_instantiate_appends_joints_at_rest(gltf):
    gltf.mesh(attributes={
        "JOINTS_0": gltf.accessor([[0, 0, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": gltf.accessor([[1, 0, 0, 0]] * 3),
    })  # fmt: skip
    gltf.node(mesh=0, skin=0)
    gltf.node(translation=[0, 5, 0])
    gltf.add("skins", joints=[1])
    scene = Scene()
    instantiate(Renderer(), None, load_gltf(gltf.write()), scene)
    assert scene.instances[0].joint_offset == 0
    assert np.asarray(scene.joints[0])[:3, 3].tolist() == [0, 5, 0]


def test_instantiate_repeats_gpu_instances(gltf):
    attributes = {"TRANSLATION": gltf.accessor([[1, 0, 0], [2, 0, 0]])}
    gltf.node(
        mesh=gltf.mesh(),
        translation=[0, 5, 0],
        extensions={"EXT_mesh_gpu_instancing": {"attributes": attributes}},
    )
    scene = Scene()
    assert instantiate(Renderer(), None, load_gltf(gltf.write()), scene) == 2
    places = [instance.world_from_local[:3, 3].tolist() for instance in scene.instances]
    assert places == [[1, 5, 0], [2, 5, 0]]


def test_instantiate_fills_the_renderers_own_scene(gltf):
    from engine.render.scene import Camera, RenderScene

    gltf.mesh(indices=[0, 1, 2], targets=[{"POSITION": gltf.accessor([[0, 0, 1]] * 3)}])
    gltf.node(mesh=0, weights=[0.5], translation=[0, 5, 0])
    scene = RenderScene(Camera.look_at((0, 1, 4), (0, 1, 0)))
    assert instantiate(Renderer(), None, load_gltf(gltf.write()), scene) == 1
    assert scene.instances[0].world_from_local[:3, 3].tolist() == [0, 5, 0]
    assert scene.instances[0].morph_count == 1


def test_importing_assets_loads_no_window_and_no_gpu():
    code = (
        "import sys, engine.assets; "
        "sys.exit(any(m.split('.')[0] in ('PySide6', 'wgpu', 'pygltflib') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
