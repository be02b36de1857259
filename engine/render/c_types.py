"""Every C type of wgpu-native made known to cffi at once.

wgpu-py asks cffi for each type by its name, and cffi reads the names of the whole header again to
understand a new one: some 13 ms for each of the 70 that a picture takes, a second in all, much of
it in the middle of the first frames. Asked for in one declaration, all 430 take 35 ms.
"""

import logging
from functools import cache

# What wgpu-py asks for beside its own types, by the very words.
_PLAIN = ("uint8_t", "uint32_t", "char")
_NUMBERS = ("intptr_t", "uintptr_t")
_log = logging.getLogger(__name__)


@cache
def prepare_c_types() -> None:
    """Let cffi know the types; where it is another cffi than expected nothing is done."""
    try:
        from wgpu.backends.wgpu_native._ffi import ffi

        ours = [name for name in ffi.list_types()[0] if name.startswith("WGPU")]
        names = [*ours, *_PLAIN]
        asked = [*(f"{name} *" for name in names), *_NUMBERS]
        found = ffi.typeof(f"void(*)({', '.join(asked)})").args
        # A pair of the type and of whether it is that of a function, as cffi keeps them.
        known = {name: (type_, False) for name, type_ in zip(asked, found, strict=True)}
        for name, pointer in zip(names, found, strict=False):
            array = ffi._backend.new_array_type(pointer, None)
            known[f"{name} []" if name in _PLAIN else f"{name}[]"] = (array, False)
        for name, pair in known.items():
            ffi._parsed_types.setdefault(name, pair)
    except Exception as problem:  # noqa: BLE001  it only saves time
        _log.debug("the types of wgpu-native are not prepared: %s", problem)
