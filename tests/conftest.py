"""Fixtures for every test: where the shared test data lies, and a user's folders kept apart."""

import atexit
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
from pytestqt.qtbot import QtBot

from engine.assets.import_cache import ImportCache
from engine.assets.jobs import JobSystem
from tests.patience import PATIENCE_MS

# No test is about time: a machine that is busy fails none. Nor is one about luck: every run tries
# the same examples.
hypothesis.settings.register_profile(
    "patient",
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
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
def _own_user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = tmp_path_factory.mktemp("user")
    # Not the `monkeypatch` of the test, which may be undone in its midst.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CINDER_CONFIG_DIR", str(base / "config"))
        patch.setenv("CINDER_DATA_DIR", str(base / "data"))
        patch.setenv("CINDER_CACHE_DIR", str(base / "cache"))
        yield


@pytest.fixture(autouse=True)
def _workers_end_with_their_test() -> Iterator[None]:
    """End the threads of apps and libraries that a test did not close: no test meets another's."""
    with pytest.MonkeyPatch.context() as patch:
        caches = _noted(patch, ImportCache)
        systems = _noted(patch, JobSystem)
        yield
    for cache in caches:
        cache.close()
    for jobs in systems:
        jobs.close(wait=False)


def _noted(patch: pytest.MonkeyPatch, type_: type) -> list[Any]:
    """Return a list into which every object of a type goes that is made from now on."""
    made: list[Any] = []
    begin = type_.__init__

    def noted(one: Any, *args: Any, **more: Any) -> None:
        begin(one, *args, **more)
        made.append(one)

    patch.setattr(type_, "__init__", noted)
    return made


class PatientBot(QtBot):
    """Waits for what is sure to come as long as a busy machine needs, not five seconds."""

    def waitUntil(self, callback, *, timeout=PATIENCE_MS):
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal, *, timeout=PATIENCE_MS, **how):
        return super().waitSignal(signal, timeout=timeout, **how)

    def waitExposed(self, widget, *, timeout=PATIENCE_MS):
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp, request) -> Iterator[PatientBot]:
    from PySide6.QtCore import QEvent

    yield PatientBot(request)
    # Widgets that go later go now, and not in the midst of the next test.
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
