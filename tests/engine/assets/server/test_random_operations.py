"""Thousands of random operations on the server against a model of what it promises."""

import errno
import random

import pytest

from engine.assets.jobs import JobSystem
from engine.assets.server import AssetServer
from engine.plain_file import read_plain
from tests.engine.assets.server.server_stage import (
    FAILED,
    LOADING,
    READY,
    FakeRenderer,
    clip_bytes,
    material_bytes,
    mesh_bytes,
    texture_bytes,
)


@pytest.mark.parametrize("seed", range(4))
def test_random_operations_agree_with_a_model(folder, seed):
    run_model(folder, seed, 250)


FAULTS = (
    OSError(errno.EIO, "Input/output error"),
    OSError(errno.ESTALE, "Stale file handle"),
    PermissionError(errno.EACCES, "Permission denied"),
    TimeoutError(errno.ETIMEDOUT, "Connection timed out"),
    MemoryError(),
)


@pytest.mark.parametrize(
    ("seed", "count"), [(5, 250), (6, 250), pytest.param(7, 10_000, marks=pytest.mark.full)]
)
def test_a_disk_that_fails_at_times_keeps_nothing_from_coming(folder, seed, count, monkeypatch):
    """Once it answers again, what is good there is in use after one look."""
    dice, is_failing = random.Random(seed), [False]

    def read(path):
        if is_failing[0] and dice.random() < 0.5:
            raise dice.choice(FAULTS)
        return read_plain(path)

    monkeypatch.setattr("engine.assets.asset_loading.read_plain", read)
    monkeypatch.setattr("engine.assets.ktx2.load.read_plain", read)
    run_model(folder, seed, count, is_failing)


@pytest.mark.full
def test_ten_thousand_random_operations_agree_with_a_model(folder):
    run_model(folder, 99, 10_000)


PATHS = {
    "a#mesh0/prim0": "mesh",
    "a#mesh1/prim0": "mesh",
    "a#anim0": "clip",
    "a#image0": "texture",
    "a#image1": "texture",
    "a#material0": "material",
    "a#material1": "material",
}


class Model:
    """What each path's file holds (None: damaged), what is loaded of it, and who holds it."""

    def __init__(self, folder, server, renderer):
        self.folder, self.server, self.renderer = folder, server, renderer
        self.on_disk, self.held, self.loaded, self.fresh = {}, {}, {}, {}
        for logical in PATHS:
            self.change(logical, 1)

    def change(self, logical, value):
        kind = PATHS[logical]
        make = {"mesh": mesh_bytes, "clip": clip_bytes, "texture": texture_bytes}.get(kind)
        data = make(value) if make else material_bytes(value, self.images(value))
        self.on_disk[logical] = value
        self.folder.write(logical, kind, data)

    def images(self, value):
        return ["a#image0", "a#image1"][: 1 + value % 2]

    def lacks_texture(self, logical):
        """Whether what a material on disk names cannot be read."""
        value = self.on_disk[logical]
        named = self.images(value) if PATHS[logical] == "material" else []
        return any(self.on_disk[image] is None for image in named)

    def damage(self, logical):
        self.on_disk[logical] = None
        self.folder.write(logical, PATHS[logical], b"damaged")

    def check(self):
        """Compare after everything has settled."""
        counts = {"mesh": 0, "material": 0}
        for logical, (index, refs) in self.held.items():
            record = self.server.records[index]
            assert record.refs >= refs, logical
            if record.kind not in ("material", "texture"):
                assert record.refs == refs, logical
            if record.state is READY:
                counts[record.kind] = counts.get(record.kind, 0) + 1
        assert len(self.renderer.meshes) == counts["mesh"]
        assert len(self.renderer.materials) == counts["material"]
        live = [r for r in self.server.records if r.refs > 0]
        textures = [r for r in live if r.kind == "texture" and r.texture is not None]
        assert len(self.renderer.resources.textures) == len(textures)
        users = [r.current.textures for r in live if r.current is not None]
        for record in live:
            if record.kind == "texture":
                pulled = sum(record.logical in textures for textures in users)
                mine = self.held.get(record.logical, (0, 0))[1]
                assert record.refs == pulled + mine, record.logical
            assert record.state is not LOADING
            assert (record.state is FAILED) <= bool(record.error)
            assert record.pending is None

    def check_contents(self):
        """After a look for changes has settled, what is good on disk is what is in use."""
        for record in self.server.records:
            value = self.on_disk.get(record.logical)
            if record.refs <= 0 or record.state is not READY:
                continue
            if record.error:
                assert value is None or self.lacks_texture(record.logical)
                continue
            assert value is not None
            if record.kind == "mesh":
                assert self.renderer.meshes[record.mesh] == float(value)
            elif record.kind == "clip":
                assert record.clip.duration == float(value)
            elif record.kind == "texture":
                assert self.renderer.resources.textures[record.texture] == value
            else:
                assert self.renderer.bound(record.material)[0] == float(value)


def run_model(folder, seed, count, is_failing=None):
    dice, renderer = random.Random(seed), FakeRenderer()
    with JobSystem(2, job_capacity=3) as jobs, AssetServer(jobs, renderer, folder.path) as server:
        model = Model(folder, server, renderer)
        for _ in range(count):
            if is_failing is not None:
                is_failing[0] = dice.random() < 0.5
            step(model, server, dice, is_failing)
        server.wait_all()
        model.check()
        for index, refs in list(model.held.values()):
            for _ in range(refs):
                server.release(index)
        assert server.live_count() == 0
        assert model.renderer.is_empty()
        assert not server._slots


def step(model, server, dice, is_failing):
    logical = dice.choice(list(PATHS))
    actions = ("load", "load", "release", "change", "break", "look", "update", "wait", "attach")
    action = dice.choices(actions, (3,) * (len(actions) - 1) + (1,))[0]
    if action == "load":
        index = getattr(server, f"load_{PATHS[logical]}")(logical)
        before = model.held.get(logical)
        assert before is None or before[0] == index
        model.held[logical] = (index, (before[1] if before else 0) + 1)
    elif action == "release" and logical in model.held:
        index, refs = model.held.pop(logical)
        server.release(index)
        if refs > 1:
            model.held[logical] = (index, refs - 1)
        elif PATHS[logical] != "texture":
            assert server.error(index) == "released"
    elif action == "change":
        model.change(logical, dice.randint(1, 200))
    elif action == "break":
        model.damage(logical)
    elif action == "look":
        server.check_for_changes()
    elif action == "attach":
        old, model.renderer = model.renderer, FakeRenderer()
        server.use_renderer(model.renderer)
        assert old.is_empty()
    elif action == "update":
        server.update()
    elif action == "wait":
        server.wait_all()
        if is_failing is not None:
            is_failing[0] = False
        server.check_for_changes()
        server.wait_all()
        model.check()
        model.check_contents()
