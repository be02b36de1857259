"""What is asked of the system, and where its folders are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bootstrap import system
from bootstrap.errors import SetupError
from editor.model.folders import config_folder, data_folder
from engine.user_cache import cache_dir


class TestSystem:
    @pytest.fixture
    def installed(self, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
        commands: list[Sequence[str]] = []

        def record(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
            commands.append(command)
            return subprocess.CompletedProcess(command, 0, "", "")

        monkeypatch.setattr(system.subprocess, "run", record)
        monkeypatch.setattr(system.sys, "platform", "linux")
        return commands

    def test_root_on_debian_installs(
        self, installed: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.shutil, "which", lambda _: "/usr/bin/apt-get")
        monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
        system.require_libraries([("libnothere.so.9", "libnothere9")])
        assert installed[-1][:3] == ["apt-get", "install", "-y"]
        assert installed[-1][-1] == "libnothere9"

    def test_others_on_debian_get_the_exact_command(
        self, installed: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.shutil, "which", lambda _: "/usr/bin/apt-get")
        monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
        with pytest.raises(SetupError) as caught:
            system.require_libraries([("libnothere.so.9", "libnothere9")])
        wanted = "sudo apt-get install -y --no-install-recommends libnothere9"
        assert wanted in str(caught.value)
        assert installed == []

    def test_elsewhere_the_packages_are_named(
        self, installed: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.shutil, "which", lambda _: None)
        with pytest.raises(SetupError, match="libnothere9"):
            system.require_libraries([("libnothere.so.9", "libnothere9")])
        assert installed == []

    def test_a_driver_that_is_only_not_found_stops_nobody(
        self, installed: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.shutil, "which", lambda _: None)
        monkeypatch.setattr(system, "_has_vulkan_driver", lambda: False)
        system.require_libraries([(system.DRIVER, "mesa-vulkan-drivers")])
        assert installed == []

    @pytest.mark.parametrize("platform", ["win32", "darwin"])
    def test_other_systems_are_asked_for_nothing(
        self, platform: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(system.sys, "platform", platform)
        system.require_libraries([("libnothere.so.9", "libnothere9")])
        system.require_display()
        system.set_runtime_dir()
        assert "XDG_RUNTIME_DIR" not in os.environ

    @pytest.mark.parametrize(
        ("platform", "variable", "expected"),
        [
            ("linux", "XDG_CACHE_HOME", "cinder-editor"),
            ("win32", "LOCALAPPDATA", "cinder-editor/cache"),
        ],
    )
    def test_the_cache_follows_the_system(
        self,
        platform: str,
        variable: str,
        expected: str,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        monkeypatch.delenv("CINDER_CACHE_DIR")
        monkeypatch.setattr(system.sys, "platform", platform)
        monkeypatch.setenv(variable, str(tmp_path))
        assert cache_dir() == tmp_path / expected

    def test_folders_that_depend_on_where_one_started_are_ignored(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.sys, "platform", "linux")
        for name in ("CACHE", "DATA", "CONFIG"):
            monkeypatch.delenv(f"CINDER_{name}_DIR")
            monkeypatch.setenv(f"XDG_{name}_HOME", "base")
        found = cache_dir(), data_folder(), config_folder()
        home = Path.home()
        assert all(folder.is_relative_to(home) for folder in found)

    def test_the_cache_of_a_mac(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("CINDER_CACHE_DIR")
        monkeypatch.setattr(system.sys, "platform", "darwin")
        assert cache_dir() == Path.home() / "Library" / "Caches" / "cinder-editor"

    def test_a_variable_names_the_cache_outright(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CINDER_CACHE_DIR", "mine")
        assert cache_dir() == Path("mine")

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a rule of Linux desktops")
    def test_a_missing_runtime_dir_is_made_private(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "gone"))
        monkeypatch.setattr(system.tempfile, "gettempdir", lambda: str(tmp_path))
        system.set_runtime_dir()
        folder = Path(os.environ["XDG_RUNTIME_DIR"])
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
