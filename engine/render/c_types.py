"""Every C type of wgpu-native made known to cffi at once.

wgpu-py asks cffi for each type by its name, and cffi reads the names of the whole header again to
understand a new one: some 13 ms for each of the 70 that a picture takes, a second in all, much of
it in the middle of the first frames. Asked for in one declaration, all 430 take 35 ms.
"""

import logging
from functools import cache

_log = logging.getLogger(__name__)


@cache
def prepare_c_types() -> None:
    """Let cffi know the types; where it is another cffi than expected nothing is done."""
    try:
        from wgpu.backends.wgpu_native._ffi import ffi

        names = [name for name in ffi.list_types()[0] if name.startswith("WGPU")]
        pointers = ffi.typeof(f"void(*)({', '.join(f'{name} *' for name in names)})").args
        for name, pointer in zip(names, pointers, strict=True):
            array = ffi._backend.new_array_type(pointer, None)
            # A pair of the type and of whether it is that of a function, as cffi keeps them.
            ffi._parsed_types.setdefault(f"{name} *", (pointer, False))
            ffi._parsed_types.setdefault(f"{name}[]", (array, False))
    except Exception as problem:  # noqa: BLE001  it only saves time
        _log.debug("the types of wgpu-native are not prepared: %s", problem)
