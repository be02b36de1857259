import json
import os
import pathlib

import pytest

from editor.model.settings import RECENT_COUNT, Settings
from editor.model.user_state import indices_in, load_state, store_state


def test_settings_come_back_as_they_were_saved():
    settings = Settings(theme="light", recent_levels=["/a.scene"], fly_speed=2.5)
    settings.save()
    assert Settings.load() == settings


def test_a_folder_that_can_not_be_written_is_told_of_once():
    blocked = Settings.file().parent
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")
    settings, told = Settings(), []
    settings.unkept.connect(told.append)
    settings.set("theme", "light")
    settings.set("fly_speed", 2.0)
    assert settings.fly_speed == 2.0
    assert len(told) == 1
    assert "settings.json: can't be written" in told[0]
    blocked.unlink()
    settings.set("fly_speed", 3.0)
    assert Settings.load().fly_speed == 3.0
    assert len(told) == 1


def test_what_a_program_left_that_was_killed_while_saving_goes_with_the_next_save():
    folder = Settings.file().parent
    folder.mkdir(parents=True, exist_ok=True)
    left, kept = folder / "settings.jsonab12_xyz", folder / "settings.json.damaged"
    for path in (left, kept):
        path.touch()
        os.utime(path, (1, 1))
    Settings(theme="light").save()
    assert sorted(path.name for path in folder.iterdir()) == ["settings.json", kept.name]


def test_without_a_file_everything_has_its_default():
    assert Settings.load() == Settings()


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "\x00", '"text"'])
def test_a_broken_file_gives_the_defaults(text):
    Settings.file().parent.mkdir(parents=True)
    Settings.file().write_text(text)
    settings = Settings.load()
    assert settings == Settings()
    aside = Settings.file().with_name("settings.json.damaged")
    assert aside.read_text() == text
    assert str(aside) in settings.problem
    settings.set("theme", "light")
    assert aside.read_text() == text
    assert (Settings.load().theme, Settings.load().problem) == ("light", "")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("theme", "purple"),
        ("theme", 3),
        ("history_bytes", -1),
        ("history_bytes", True),
        ("recent_levels", [1]),
        ("fly_speed", "fast"),
        ("tools", []),
    ],
)
def test_a_damaged_field_takes_its_default_and_the_others_stay(name, value):
    Settings.file().parent.mkdir(parents=True)
    Settings.file().write_text(json.dumps({"last_folder": "/x", name: value, "unknown": 1}))
    settings = Settings.load()
    assert getattr(settings, name) == getattr(Settings(), name)
    assert settings.last_folder == "/x"
    assert name in settings.problem
    kept = json.loads(Settings.file().with_name("settings.json.damaged").read_text())
    assert kept[name] == value


def test_a_choice_is_saved_and_announced():
    settings, heard = Settings(), []
    settings.changed.connect(heard.append)
    settings.set("theme", "light")
    settings.set("theme", "light")
    assert heard == ["theme"]
    assert Settings.load().theme == "light"


def test_recent_levels_are_few_and_the_latest_is_first():
    settings = Settings()
    for i in range(RECENT_COUNT + 3):
        settings.add_recent(pathlib.Path(f"/level{i}.scene"))
    settings.add_recent(pathlib.Path("/level5.scene"))
    assert settings.recent_levels[0] == "/level5.scene"
    assert len(settings.recent_levels) == RECENT_COUNT
    assert len(set(settings.recent_levels)) == RECENT_COUNT


def test_the_state_of_a_level_lies_outside_it(tmp_path):
    level = tmp_path / "a.scene"
    store_state(level, {"hidden": [1, 2], "camera": {"x": 1.0}})
    assert list(tmp_path.iterdir()) == []
    assert load_state(level)[0]["camera"] == {"x": 1.0}
    assert load_state(tmp_path / "b.scene") == ({}, "")


def test_damaged_indices_are_left_out():
    assert indices_in({"hidden": [3, -1, "x", True, 2.0]}, "hidden") == [3]
    assert indices_in({"hidden": 7}, "hidden") == []


def test_a_level_whose_name_is_no_text_has_a_state_too(tmp_path):
    level = tmp_path / "a\udcffb.scene"
    store_state(level, {"hidden": [3]})
    assert load_state(level)[0]["hidden"] == [3]
