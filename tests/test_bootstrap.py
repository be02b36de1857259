"""`main.py` sets up a machine: what it decides, what it builds, and what it says when it cannot."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from bootstrap import environment, interpreter, requirements, system
from bootstrap.errors import SetupError
from bootstrap.requirements import Requirement
from engine.user_cache import cache_dir

ROOT = Path(__file__).resolve().parent.parent
MAIN = ROOT / "main.py"


def run_main(*arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run main.py with this interpreter; an empty value takes a variable away."""
    env = {**os.environ, **changes}
    env = {key: value for key, value in env.items() if value}
    return subprocess.run(
        [sys.executable, str(MAIN), *arguments],
        capture_output=True,
        text=True,
        env=env,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )


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
            ("linux", "XDG_CACHE_HOME", "base/cinder-editor"),
            ("win32", "LOCALAPPDATA", "base/cinder-editor/cache"),
        ],
    )
    def test_the_cache_follows_the_system(
        self, platform: str, variable: str, expected: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(system.sys, "platform", platform)
        monkeypatch.setenv(variable, "base")
        assert cache_dir().as_posix() == expected

    def test_the_cache_of_a_mac(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(system.sys, "platform", "darwin")
        assert cache_dir() == Path.home() / "Library" / "Caches" / "cinder-editor"

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


class TestCommands:
    def test_help_needs_nothing(self) -> None:
        done = subprocess.run(
            [sys.executable, "-S", "-E", str(MAIN), "--help"], capture_output=True, text=True
        )
        assert done.returncode == 0
        assert "--screenshot OUT.png LEVEL" in done.stdout

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is a display")
    def test_without_a_display_it_says_so(self) -> None:
        done = run_main(DISPLAY="", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
        assert done.returncode == 1
        assert "There is no display" in done.stderr
        assert "--screenshot" in done.stderr
        assert "Traceback" not in done.stderr

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is a display")
    def test_a_display_that_does_not_answer_is_none(self) -> None:
        done = run_main(DISPLAY=":987", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
        assert done.returncode == 1
        assert "DISPLAY is :987, where nothing answers" in done.stderr
        assert "--screenshot" in done.stderr

    def test_an_unknown_option_is_named(self) -> None:
        done = run_main("--nonsense")
        assert done.returncode == 2
        assert "--nonsense" in done.stderr
        assert "--screenshot OUT.png LEVEL" in done.stderr


class TestLeaving:
    def test_it_ends_with_the_status_after_everybody_else_is_done(self) -> None:
        code = (
            "import atexit, threading, time\n"
            "from bootstrap.leaving import QuickEnd\n"
            "end = QuickEnd()\n"
            "class Late:\n"
            "    def __del__(self): print('taken apart')\n"
            "kept = Late()\n"
            "atexit.register(print, 'put away')\n"
            "threading.Thread(target=lambda: (time.sleep(0.05), print('thread done'))).start()\n"
            "end.status = {status}\n"
        )
        for status, expected in ((3, 3), (None, 0)):
            done = subprocess.run(
                [sys.executable, "-c", code.format(status=status)],
                cwd=ROOT, capture_output=True, text=True,
            )  # fmt: skip
            assert done.returncode == expected, done.stderr
            assert done.stdout.split("\n")[:2] == ["thread done", "put away"]
            assert ("taken apart" in done.stdout) == (status is None)


class TestBytecode:
    @pytest.fixture
    def program(self, tmp_path: Path) -> Path:
        package = tmp_path / "program" / "piece"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")
        (package / "part.py").write_text("VALUE = 1\n")
        return package.parent

    def run(self, program: Path, cache: Path, switch: str) -> str:
        code = (
            "import sys\n"
            f"sys.path[:0] = [{str(program)!r}, {str(ROOT)!r}]\n"
            "import bootstrap.bytecode as kept\n"
            "from pathlib import Path\n"
            f"kept.cache_dir = lambda: Path({str(cache)!r})\n"
            f"kept.keep_bytecode(Path({str(program)!r}))\n"
            "from piece import part\n"
            "import colorsys\n"
            "print(part.VALUE, sys.pycache_prefix, sys.dont_write_bytecode, part.__file__)\n"
        )
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": switch}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def test_it_goes_to_the_cache_where_none_is_to_be_written(
        self, program: Path, tmp_path: Path
    ) -> None:
        cache = tmp_path / "cache"
        expected = f"None True {program / 'piece' / 'part.py'}"
        assert self.run(program, cache, "1") == f"1 {expected}"
        assert sorted(path.name.split(".")[0] for path in cache.rglob("*.pyc")) == [
            "__init__",
            "part",
        ]
        assert not list(program.rglob("*.pyc"))
        (program / "piece" / "part.py").write_text("VALUE = 22\n")
        assert self.run(program, cache, "1") == f"22 {expected}"

    def test_it_is_used_the_next_time(self, program: Path, tmp_path: Path) -> None:
        cache = tmp_path / "cache"
        self.run(program, cache, "1")
        source = program / "piece" / "part.py"
        before = source.stat()
        source.write_text("VALUE = 3\n")
        os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert self.run(program, cache, "1").startswith("1 ")

    def test_python_keeps_it_where_it_can(self, program: Path, tmp_path: Path) -> None:
        self.run(program, tmp_path / "cache", "")
        assert not (tmp_path / "cache").exists()
        assert list(program.rglob("part*.pyc"))


def test_what_is_imported_before_qt_knows_no_qt() -> None:
    code = (
        "import gc, sys, main\n"
        "main._import_what_knows_no_qt()\n"
        "print('PySide6' in sys.modules, 'editor.document' in sys.modules, gc.isenabled())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True", "False"], done.stderr
