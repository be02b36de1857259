"""wgpu-native's C types, worked out once and kept, not read from its header at every start.

wgpu-py hands the whole header to cffi, which reads it with a parser written in Python: 0.17 s of
each start, and 30 ms more, in the midst of the first frames, for every type that is asked for by
its name. cffi has a second form of the same ("out of line") that is made of a header once, is
there at once when it is loaded and finds types by name in C. Here wgpu-py is given that form; it
is kept in the user's cache under the versions and the header that it was made from.
"""

import ast
import contextlib
import hashlib
import logging
import os
import re
import secrets
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from engine.leftovers import remove_leftovers
from engine.user_cache import cache_dir

_BACKEND = "wgpu.backends.wgpu_native"
_KEPT = re.compile(r"\.?wgpu-types-[0-9a-f]{24}\.txt(\.[0-9a-f]{8}\.part)?").fullmatch
_LOCK = threading.Lock()
_log = logging.getLogger(__name__)


def prepare_c_types() -> None:
    """Load wgpu-py's backend; it works as well, only slower, where the types cannot be kept."""
    with _LOCK:
        if _BACKEND in sys.modules:
            return
        try:
            ready = _ready_types()
        except Exception as problem:  # noqa: BLE001  it only saves time
            _log.debug("the types of wgpu-native are not prepared: %s", problem)
        else:
            _load_backend(ready)


def _load_backend(ready: Any) -> None:
    """Import the backend with the types in place of those that it would work out."""
    import cffi

    worked_out_anew = cffi.FFI
    cffi.FFI = lambda: ready
    try:
        import wgpu.backends.wgpu_native
    finally:
        cffi.FFI = worked_out_anew
    _log.debug("loaded %s", wgpu.backends.wgpu_native.__name__)


def _ready_types() -> Any:
    """Return what stands for `cffi.FFI()` in wgpu-py: it knows the header that it is told of."""
    import _cffi_backend
    import cffi
    import wgpu
    from wgpu._coreutils import get_header_filename

    class ReadyTypes(_cffi_backend.FFI):  # type: ignore[misc]
        def cdef(self, header: str) -> None:
            """The types are known."""

        def set_source(self, name: str, source: None) -> None:
            """Nothing is compiled."""

    header = Path(get_header_filename("combined_header.h")).read_text()
    versions = f"{cffi.__version__} {wgpu.__version__} {sys.platform} {sys.maxsize}"
    key = _digest(f"{versions}\n{header}")
    kept = cache_dir() / f"wgpu-types-{key}.txt"
    try:
        return ReadyTypes("wgpu", **_parsed(kept.read_text()))
    except (OSError, ValueError, SyntaxError, TypeError, ImportError):
        tables = _tables_of(cffi.FFI(), header)
        text = repr(tables)
        _keep(kept, f"{_digest(text)}\n{text}")
        return ReadyTypes("wgpu", **tables)


def _parsed(text: str) -> dict[str, Any]:
    """Read tables; they are literals, so that nothing in a cache is ever run.

    Damaged ones would end the program, or let it write where it must not.
    """
    digest, _, content = text.partition("\n")
    if digest != _digest(content):
        raise ValueError("damaged tables of types")
    tables = ast.literal_eval(content)
    if not isinstance(tables, dict) or "_types" not in tables:
        raise ValueError("no tables of types")
    return tables


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _tables_of(ffi: Any, header: str) -> dict[str, Any]:
    """Have cffi work out its tables: the arguments of the one call in the module that it makes."""
    from cffi.recompiler import make_py_source

    ffi.cdef(header)
    ffi.set_source("wgpu_types", None)
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "wgpu_types.py"
        make_py_source(ffi, "wgpu_types", str(module))
        call = ast.parse(module.read_text()).body[-1]
    assert isinstance(call, ast.Assign)
    assert isinstance(call.value, ast.Call)
    return {str(item.arg): ast.literal_eval(item.value) for item in call.value.keywords}


def _keep(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text)
        os.replace(part, path)
        # Of other versions, or of a program that was ended while it wrote.
        remove_leftovers(path.parent, lambda name: name != path.name and bool(_KEPT(name)))
    except OSError as problem:
        _log.debug("cannot keep the types of wgpu-native: %s", problem)
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
