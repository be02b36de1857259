"""Fixtures for every test: where the shared test data lies, and a user's folders kept apart."""

import atexit
import os
import pathlib
import shutil
import tempfile

import hypothesis
import pytest

# No test is about time: a machine that is busy fails none. Nor is one about luck: every run tries
# the same examples.
hypothesis.settings.register_profile("patient", deadline=None, derandomize=True)
hypothesis.settings.load_profile("patient")

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if "XDG_RUNTIME_DIR" not in os.environ and os.name == "posix":
    _runtime = tempfile.mkdtemp(prefix="cinder-run-")
    os.environ["XDG_RUNTIME_DIR"] = _runtime
    atexit.register(shutil.rmtree, _runtime, ignore_errors=True)


def _shared_folder() -> pathlib.Path | None:
    named = os.environ.get("CINDER_SHARED")
    for folder in (pathlib.Path(named) if named else None, ROOT.parent / "shared"):
        if folder is not None and (folder / "vectors" / "formats.json").is_file():
            return folder.resolve()
    return None


@pytest.fixture(scope="session")
def shared() -> pathlib.Path:
    """The folder of shared test data; without it the tests that read it cannot run."""
    folder = _shared_folder()
    if folder is None:
        pytest.skip("the shared test data is not beside this checkout (set CINDER_SHARED)")
    return folder


@pytest.fixture(autouse=True)
def _own_user_folders(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path_factory.mktemp("user")
    monkeypatch.setenv("CINDER_CONFIG_DIR", str(base / "config"))
    monkeypatch.setenv("CINDER_DATA_DIR", str(base / "data"))
    monkeypatch.setenv("CINDER_CACHE_DIR", str(base / "cache"))
