"""What the project requires, and what an interpreter has of it."""

from __future__ import annotations

import sys

import pytest

from bootstrap import requirements
from bootstrap.requirements import Requirement
from tests.bootstrap.started import ROOT


class TestRequirements:
    @pytest.mark.parametrize(
        ("line", "version", "met"),
        [
            ("numpy>=1.26,<3", "2.4.6", True),
            ("numpy>=1.26,<3", "3.0", False),
            ("numpy>=1.26,<3", "1.9", False),
            ("PySide6-Essentials>=6.8,<6.12", "6.11.3", True),
            ("PySide6-Essentials>=6.8,<6.12", "6.12.0", False),
            ("tool==1.2", "1.2.0", True),
            ("tool!=1.2", "1.2", False),
            ("tool", "0.0.1", True),
            ("tool>=2", "2rc1", True),
        ],
    )
    def test_bounds(self, line: str, version: str, met: bool) -> None:
        parsed = requirements.parse(line)
        assert parsed is not None
        assert parsed.is_met_by(version) is met

    def test_a_marker_for_another_system_drops_the_requirement(self) -> None:
        other = "win32" if sys.platform != "win32" else "linux"
        assert requirements.parse(f'tool>=1; sys_platform == "{other}"') is None
        assert requirements.parse(f'tool>=1; sys_platform != "{other}"') is not None

    def test_markers_of_system_and_machine_are_combined(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        line = (
            "tool>=1; platform_machine == 'AMD64' or "
            "sys_platform == 'linux' and platform_machine == 'x86_64'"
        )
        for on, machine, applies in (
            ("win32", "AMD64", True), ("win32", "ARM64", False), ("linux", "x86_64", True),
            ("linux", "aarch64", False), ("darwin", "x86_64", False),
        ):  # fmt: skip
            monkeypatch.setattr(sys, "platform", on)
            monkeypatch.setattr("platform.machine", lambda m=machine: m)
            assert (requirements.parse(line) is not None) == applies

    @pytest.mark.parametrize("line", ["tool ~~ 1", "tool>=1; os_name == 'nt'", "tool @ file:x"])
    def test_a_form_that_is_not_understood_is_refused(self, line: str) -> None:
        with pytest.raises(ValueError, match="not understood"):
            requirements.parse(line)

    def test_every_line_of_the_project_is_understood(self) -> None:
        wanted = requirements.wanted(ROOT / "pyproject.toml", ("test", "bench"))
        names = {item.name for item in wanted}
        assert {"numpy", "wgpu", "PySide6-Essentials", "pytest", "pytest-benchmark"} <= names

    def test_what_the_interpreter_has_is_not_missing(self) -> None:
        assert requirements.missing([Requirement("pytest>=8", "pytest", ((">=", (8,)),))]) == []

    def test_what_it_lacks_is(self) -> None:
        absent = Requirement("no-such-thing>=1", "no-such-thing", ((">=", (1,)),))
        assert requirements.missing([absent]) == [absent]
