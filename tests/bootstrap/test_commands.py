"""`main.py` as it is started: what it says, how it ends, and what it keeps for the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from tests.bootstrap.started import MAIN, ROOT, run_main


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
            "import atexit, threading\n"
            "from bootstrap.leaving import QuickEnd\n"
            "end = QuickEnd()\n"
            "class Late:\n"
            "    def __del__(self): print('taken apart')\n"
            "kept = Late()\n"
            "atexit.register(print, 'put away')\n"
            "def late():\n"
            "    threading.main_thread().join()\n"
            "    print('thread done')\n"
            "threading.Thread(target=late).start()\n"
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


def test_compiled_modules_below_the_folder_are_found_where_no_bytecode_is_written(tmp_path) -> None:
    """As those of an environment that was made beside main.py."""
    site = tmp_path / "root" / ".venv" / "site"
    site.mkdir(parents=True)
    compiled = site / f"fast{EXTENSION_SUFFIXES[0]}"
    compiled.write_bytes(b"no library")
    (site / "plain.py").write_text("found = True\n", "utf-8")
    code = (
        "import importlib.util, sys\n"
        "from pathlib import Path\n"
        "from bootstrap.bytecode import keep_bytecode\n"
        "keep_bytecode(Path(sys.argv[1]))\n"
        "sys.path.insert(0, sys.argv[2])\n"
        "import plain\n"
        "assert plain.found\n"
        "print(importlib.util.find_spec('fast').origin)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, str(tmp_path / "root"), str(site)],
        cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"CINDER_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(compiled)
