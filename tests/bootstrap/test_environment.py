"""The environment that `main.py` builds, and the interpreter that it goes on with."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bootstrap import environment, interpreter, requirements
from bootstrap.errors import SetupError
from bootstrap.requirements import Requirement
from tests.bootstrap.started import MAIN, ROOT, run_main


def local_wheel(folder: Path) -> Requirement:
    """Return a requirement that pip can install without a network."""
    path = folder / "tiny_thing-1.0-py3-none-any.whl"
    info = "tiny_thing-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_thing.py", "value = 1\n")
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return Requirement(str(path), "tiny-thing", ())


def imports(folder: Path, module: str) -> bool:
    python = environment.python_of(folder)
    return subprocess.run([str(python), "-c", f"import {module}"]).returncode == 0


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Requirement]:
    base = tmp_path_factory.mktemp("Zoë's checkout")
    wheel = local_wheel(base)
    environment.build(base / ".venv", [wheel])
    return base / ".venv", wheel


class TestEnvironment:
    def test_it_is_built_where_names_have_spaces_and_accents(
        self, built: tuple[Path, Requirement]
    ) -> None:
        folder, wheel = built
        assert imports(folder, "tiny_thing")
        note = json.loads((folder / environment.NOTE).read_text("utf-8"))
        assert note == {"state": "complete", "requirements": [wheel.text]}

    def test_another_requirement_makes_it_incomplete(self, built: tuple[Path, Requirement]) -> None:
        folder, wheel = built
        more = Requirement("more>=1", "more", ())
        assert environment._is_complete(folder, [wheel])
        assert not environment._is_complete(folder, [wheel, more])

    def test_half_a_set_up_is_built_anew(self, tmp_path: Path) -> None:
        folder = tmp_path / ".venv"
        folder.mkdir()
        environment._write_note(folder, "building", ())
        (folder / "leftover").touch()
        environment.build(folder, [local_wheel(tmp_path)])
        assert imports(folder, "tiny_thing")
        assert not (folder / "leftover").exists()

    def test_a_folder_that_is_no_environment_is_left_alone(self, tmp_path: Path) -> None:
        folder = tmp_path / ".venv"
        folder.mkdir()
        (folder / "precious.txt").write_text("mine")
        with pytest.raises(SetupError, match="Move it away"):
            environment.build(folder, [local_wheel(tmp_path)])
        assert (folder / "precious.txt").read_text() == "mine"

    def test_an_environment_of_somebody_else_is_added_to_and_never_deleted(
        self, tmp_path: Path
    ) -> None:
        folder = tmp_path / ".venv"
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        (folder / "precious.txt").write_text("mine")
        environment.build(folder, [local_wheel(tmp_path)])
        assert imports(folder, "tiny_thing")
        assert environment._state(folder) == "foreign"
        environment.python_of(folder).unlink()
        with pytest.raises(SetupError, match="Move it away"):
            environment.build(folder, [local_wheel(tmp_path)])
        assert (folder / "precious.txt").read_text() == "mine"

    def test_a_pip_that_fails_says_why_and_leaves_it_incomplete(
        self, built: tuple[Path, Requirement], tmp_path: Path
    ) -> None:
        folder = tmp_path / ".venv"
        absent = Requirement(str(tmp_path / "no-such.whl"), "no-such", ())
        with pytest.raises(SetupError, match="no-such"):
            environment.build(folder, [absent])
        assert not environment._is_complete(folder, [absent])

    def test_no_connection_is_told_apart(self) -> None:
        tail = ["WARNING: Retrying", "... Temporary failure in name resolution ...", "ERROR: numpy"]
        assert "no connection" in environment._pip_message(tail)
        assert "no connection" not in environment._pip_message(["ERROR: disk full"])

    def test_a_read_only_checkout_uses_the_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "access", lambda *_: False)
        monkeypatch.setattr(environment, "cache_dir", lambda: tmp_path / "cache")
        chosen = environment.environment_folder(tmp_path / "checkout")
        assert chosen.parent == tmp_path / "cache"
        assert chosen != environment.environment_folder(tmp_path / "other")

    def test_a_complete_interpreter_is_used_as_it_is(self) -> None:
        done = run_main("--print-python")
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()) == Path(sys.executable)

    def test_it_does_not_start_itself_over_and_over(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(requirements, "missing", list)
        monkeypatch.setattr(environment, "_is_running_in", lambda _: False)
        monkeypatch.setenv("CINDER_BOOTSTRAP_DEPTH", "2")
        with pytest.raises(SetupError, match="still lacks"):
            environment.enter(ROOT, MAIN, [], ())

    @pytest.mark.parametrize(
        ("name", "tail"), [("posix", "bin/python"), ("nt", "Scripts/python.exe")]
    )
    def test_where_the_interpreter_lies(
        self, name: str, tail: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = Path("env")
        monkeypatch.setattr(environment.os, "name", name)
        assert environment.python_of(folder).as_posix() == f"env/{tail}"


class TestInterpreter:
    def test_an_old_python_goes_on_with_a_newer_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started = []
        monkeypatch.delenv("CINDER_BOOTSTRAP_DEPTH", raising=False)
        monkeypatch.setattr(interpreter, "find_python", lambda _: "python3.12")
        monkeypatch.setattr(interpreter, "switch_to", lambda *what: started.append(what) or 7)
        assert interpreter.run_with_newer_python(MAIN, ["x"], (3, 11)) == 7
        assert started == [("python3.12", MAIN, ["x"])]

    def test_without_a_newer_one_it_says_what_is_needed(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(interpreter, "find_python", lambda _: None)
        assert interpreter.run_with_newer_python(MAIN, [], (3, 11)) == 1
        assert "This needs Python 3.11 or newer" in capsys.readouterr().err

    def test_windows_waits_for_the_other_interpreter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        commands = []
        monkeypatch.setattr(interpreter.os, "name", "nt")
        monkeypatch.setattr(
            interpreter.subprocess, "call", lambda command, env: commands.append(command) or 5
        )
        assert interpreter.switch_to("py.exe", MAIN, ["a b"]) == 5
        assert commands == [["py.exe", str(MAIN), "a b"]]

    def test_old_interpreters_can_read_the_first_modules(self) -> None:
        for path in (MAIN, ROOT / "bootstrap" / "__init__.py", ROOT / "bootstrap/interpreter.py"):
            ast.parse(path.read_text("utf-8"), feature_version=(3, 7))
