"""The rules that keep the rooms apart, and proof that breaking one is noticed."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.patience import PROCESS_S

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("engine", "editor", "bootstrap", "resources", "tests")
LONGEST = 600
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "manager", "common"}


def python_files() -> list[Path]:
    found = [ROOT / "main.py"]
    for folder in SOURCES:
        found += sorted((ROOT / folder).rglob("*.py"))
    return found


def test_no_module_is_longer_than_the_limit() -> None:
    sizes = {path: len(path.read_text("utf-8").splitlines()) for path in python_files()}
    assert {str(path): size for path, size in sizes.items() if size > LONGEST} == {}


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    assert [path for path in python_files() if path.stem in FORBIDDEN_NAMES] == []


def test_rooms_with_a_registry_list_it_sorted() -> None:
    found = 0
    for package in ("engine", "editor"):
        for path in sorted((ROOT / package).rglob("__init__.py")):
            name = ".".join(path.parent.relative_to(ROOT).parts)
            if "BUILTIN_" not in path.read_text("utf-8"):
                continue
            module = importlib.import_module(name)
            for constant in [key for key in vars(module) if key.startswith("BUILTIN_")]:
                entries = getattr(module, constant)
                assert isinstance(entries, tuple), f"{name}.{constant} is no tuple"
                names = [_sort_name(entry) for entry in entries]
                assert names == sorted(names), f"{name}.{constant}"
                found += 1
    assert found


def _sort_name(entry: object) -> str:
    for attribute in ("scene_name", "id", "name", "__name__"):
        value = getattr(entry, attribute, None)
        if callable(value):
            value = value()
        if isinstance(value, str):
            return value
    return str(entry)


LIGHT = (
    "engine.scene",
    "engine.scene.components",
    "engine.assets",
    "engine.reflect",
    "engine.ecs",
    "engine.render.scene",
    "editor.commands",
    "editor.model",
    "editor.document",
)
WINDOWLESS = ("engine.app", "engine.cli.screenshot", "editor.tools", "engine.render.renderer")


def loaded_by(module: str) -> set[str]:
    """Import a module and all its lazy names in a fresh interpreter; return what it loaded."""
    code = (
        "import importlib, sys\n"
        f"module = importlib.import_module({module!r})\n"
        "for name in getattr(module, '__all__', ()): getattr(module, name)\n"
        "print(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PROCESS_S
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("module", LIGHT)
def test_data_rooms_load_neither_qt_nor_wgpu(module: str) -> None:
    assert loaded_by(module) & {"PySide6", "pyqtgraph", "wgpu", "rendercanvas"} == set()


@pytest.mark.parametrize("module", WINDOWLESS)
def test_rooms_without_a_window_load_no_qt(module: str) -> None:
    assert loaded_by(module) & {"PySide6", "pyqtgraph"} == set()


def test_every_module_can_be_imported() -> None:
    names = [
        info.name
        for package in ("engine", "editor", "bootstrap")
        for info in pkgutil.walk_packages([str(ROOT / package)], f"{package}.")
    ]
    code = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-c", code, *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
    )
    assert done.returncode == 0, done.stderr


# Each line breaks one contract: the module it goes into, and the import.
PLANTED = (
    ("engine/math.py", "import editor"),
    ("engine/reflect/record.py", "import engine.ecs"),
    ("engine/ecs/world.py", "import engine.scene"),
    ("engine/assets/mesh.py", "import engine.render.scene"),
    ("engine/render/scene.py", "import engine.ecs"),
    ("engine/render/scene.py", "import wgpu"),
    ("engine/render/renderer.py", "import engine.scene"),
    ("engine/scene/document/scene_doc.py", "import engine.ecs"),
    ("engine/scene/registry/__init__.py", "import engine.scene.hierarchy"),
    ("engine/scene/hierarchy.py", "import wgpu"),
    ("engine/app/app.py", "import PySide6"),
    ("engine/app/app.py", "import engine.cli"),
    ("editor/model/__init__.py", "import editor.commands"),
    ("editor/commands/__init__.py", "import PySide6"),
    ("editor/tools/__init__.py", "import editor.qt"),
    ("editor/qt/__init__.py", "import editor.panels"),
    ("editor/panels/__init__.py", "import editor.viewport"),
    ("editor/panels/__init__.py", "import wgpu"),
)


@pytest.fixture(scope="module")
def copy_of_the_rooms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rooms")
    for package in ("engine", "editor"):
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def broken_contracts(folder: Path) -> list[str]:
    """Return the contracts that a copy of the rooms breaks."""
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(program) if program.exists() else "lint-imports", "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PROCESS_S,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "300"},
    )
    assert "Contracts:" in done.stdout, done.stdout + done.stderr
    return re.findall(r"^(.*\S)\s+BROKEN", done.stdout, re.MULTILINE)


def test_the_rooms_keep_their_contracts(copy_of_the_rooms: Path) -> None:
    assert broken_contracts(copy_of_the_rooms) == []


@pytest.mark.parametrize(("place", "line"), PLANTED)
def test_a_planted_import_breaks_a_contract(copy_of_the_rooms: Path, place: str, line: str) -> None:
    path = copy_of_the_rooms / place
    clean = path.read_text("utf-8")
    path.write_text(clean + f"\n\ndef planted() -> None:\n    {line}\n", "utf-8")
    try:
        assert broken_contracts(copy_of_the_rooms) != []
    finally:
        path.write_text(clean, "utf-8")


def test_an_unlisted_room_breaks_a_contract(copy_of_the_rooms: Path) -> None:
    for package in ("engine", "editor"):
        room = copy_of_the_rooms / package / "attic"
        room.mkdir()
        (room / "__init__.py").touch()
        try:
            assert broken_contracts(copy_of_the_rooms) != []
        finally:
            shutil.rmtree(room)


def test_panels_that_know_each_other_break_a_contract(copy_of_the_rooms: Path) -> None:
    panels = copy_of_the_rooms / "editor" / "panels"
    names = sorted({path.stem for path in panels.iterdir() if path.stem[0] not in "_."})
    first, second = names[0], names[1]
    target = panels / first / "__init__.py" if (panels / first).is_dir() else panels / f"{first}.py"
    clean = target.read_text("utf-8")
    target.write_text(f"{clean}\n\nimport editor.panels.{second}\n", "utf-8")
    try:
        assert broken_contracts(copy_of_the_rooms) != []
    finally:
        target.write_text(clean, "utf-8")


def test_the_contracts_name_every_room() -> None:
    """A contract that forgets a package guards nothing there."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    exhaustive = [c for c in settings["contracts"] if c.get("exhaustive")]
    assert sorted(c["containers"][0] for c in exhaustive) == ["editor", "engine"]
