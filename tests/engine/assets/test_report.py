"""The import report: what came in, what was changed, what was not understood."""

import pytest

from engine.assets import load_gltf


def test_counts_sizes_and_files(gltf, tmp_path, make_png):
    (tmp_path / "wood.png").write_bytes(make_png(size=(4, 2)))
    gltf.add("images", uri="wood.png")
    gltf.add("images", uri="gone.png")
    mesh = gltf.mesh([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [0, 1, 2])
    gltf.node(mesh=mesh)
    gltf.node(mesh=mesh, translation=[0, 0, 1])
    path = gltf.write()
    report = load_gltf(path).report()
    assert report.counts["triangles"] == 2
    assert report.counts["vertices"] == 6
    assert "lights" not in report.counts
    assert report.size == (2, 3, 1)
    assert [(p.name, p.width, p.height, p.is_missing) for p in report.pictures] == [
        ("wood.png", 4, 2, False),
        ("gone.png", 64, 64, True),
    ]
    assert report.seconds > 0
    assert report.file_bytes == path.stat().st_size + (tmp_path / "wood.png").stat().st_size
    lines = report.lines()
    assert lines[0] == "2 × 3 × 1 m"
    assert "gone.png: missing" in lines
    assert {"1 mesh", "2 nodes", "6 vertices"} <= set(lines)
    assert "flat shading for 1 part without normals" in report.changed


def test_what_was_changed_ignored_or_odd_is_kept_apart(gltf):
    gltf.json["extensionsUsed"] = ["ACME_magic"]
    gltf.add("materials", extensions={"KHR_materials_pbrSpecularGlossiness": {}}, alphaCutoff=1)
    gltf.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], mode=5)
    gltf.node(rotation=[0, 0, 0, 2], odd=1)
    asset = gltf.load()
    report = asset.report()
    assert [text.split(":")[0] for text in report.changed] == [
        "/materials/0/extensions/KHR_materials_pbrSpecularGlossiness",
        "/meshes/0/primitives/0/mode",
        "/nodes/0/rotation",
        "flat shading for 1 part without normals",
    ]
    assert [text.split(":")[0] for text in report.not_understood] == [
        "/extensionsUsed",
        "/nodes/0/odd",
    ]
    assert [text.split(":")[0] for text in report.warnings] == ["/materials/0/alphaCutoff"]
    assert not any("metallic-roughness" in text for text in asset.warnings)


def test_animations_are_listed_with_their_length(gltf):
    gltf.node()
    sampler = {"input": gltf.accessor([0, 1.5]), "output": gltf.accessor([[0, 0, 0]] * 2)}
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    gltf.add("animations", name="wave", samplers=[sampler], channels=[channel])
    report = gltf.load().report()
    assert (report.clips[0].name, report.clips[0].duration) == ("wave", pytest.approx(1.5))
    assert "wave: 1.50 s" in report.lines()
