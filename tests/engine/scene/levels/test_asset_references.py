"""Names of files in a level: found in every record, and changed without touching anything else."""

import pytest

from engine.errors import SceneError
from engine.scene import level_registry, read_text, write_binary
from engine.scene.levels.asset_references import AssetFields, Place, named_files, renamed_level

FIELDS = AssetFields(level_registry().types)
TEXT = (
    "\ufeffcinder-scene 1\r\n# top\r\n"
    'entity 0\r\n\tName  text="a.glb"\r\n  GltfInstance lods=false   asset="a.glb"\r\n'
    'entity 1\r\n  Loot note=" model=\\"a.glb\\" model=" model="a.glb" weight=1.500\r\n'
    '  Environment image="sky.hdr" tint=[1,0 , 2]\r\n\r\n# end'
)


def rename(place: Place, text: str) -> str:
    return {"a.glb": 'b "1".glb'}.get(text, text)


def test_only_what_names_a_file_is_found() -> None:
    # A name is no file, whatever it ends with; an unknown component's string may be one.
    assert named_files(read_text(TEXT), FIELDS) == {"a.glb": 2, "sky.hdr": 1}


def test_a_text_keeps_every_other_byte() -> None:
    data, places = renamed_level(TEXT.encode(), FIELDS, rename, is_binary=False)
    assert places == [Place(0, "GltfInstance", "asset"), Place(1, "Loot", "model")]
    expected = TEXT.replace('asset="a.glb"', 'asset="b \\"1\\".glb"')
    expected = expected.replace(' model="a.glb" weight', ' model="b \\"1\\".glb" weight')
    assert data.decode() == expected
    back, _ = renamed_level(
        data, FIELDS, lambda place, text: "a.glb" if "1" in text else text, is_binary=False
    )
    assert back == TEXT.encode()


def test_a_binary_level_holds_the_same_records() -> None:
    doc = read_text(TEXT)
    data, places = renamed_level(write_binary(doc), FIELDS, rename, is_binary=True)
    text, _ = renamed_level(TEXT.encode(), FIELDS, rename, is_binary=False)
    assert data == write_binary(read_text(text))
    assert len(places) == 2


def test_nothing_to_rename_gives_the_same_bytes() -> None:
    data = TEXT.encode()
    assert renamed_level(data, FIELDS, lambda p, t: t, is_binary=False) == (data, [])


def test_what_is_no_level_is_refused() -> None:
    with pytest.raises(SceneError, match="missing header"):
        renamed_level(b"hello", FIELDS, rename, is_binary=False)
