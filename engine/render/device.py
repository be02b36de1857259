"""The wgpu device that draws: the best adapter there is, software included.

Kept apart so that no other module asks for adapters. An adapter that is missing is an everyday
fact on a build machine, so it is an `EngineError` with advice and not a crash.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import wgpu

from engine.errors import DeviceLostError, EngineError
from engine.render.c_types import prepare_c_types

# What the shaders and stores can use beyond the guaranteed minimum, where the adapter has it.
_WANTED_LIMITS = (
    "max-texture-dimension-2d",
    "max-buffer-size",
    "max-storage-buffer-binding-size",
)
_WANTED_FEATURES = (
    "polygon-mode-line",
    "float32-filterable",
    "indirect-first-instance",
    "timestamp-query",
    "timestamp-query-inside-encoders",
    "texture-compression-bc",
)


class NoAdapterError(EngineError):
    """There is nothing to draw with.

    Attributes
    ----------
    details : str
        What the system says of it, for a report.
    """

    def __init__(self, details: str) -> None:
        advice = _ADVICE.get(sys.platform, _ADVICE["linux"])
        super().__init__(
            f"no GPU adapter: found no graphics driver that pictures can be drawn with; {advice}"
        )
        self.details = details


_ADVICE = {
    "win32": "install the current driver of the graphics card from its maker, or Windows updates",
    "darwin": "it takes a Mac with Metal and a current macOS",
    "linux": "install the Vulkan driver of the graphics card, or the software one "
    "(Debian and Ubuntu: mesa-vulkan-drivers, Fedora: mesa-vulkan-drivers, Arch: vulkan-swrast)",
}


@contextmanager
def gpu_errors(what: str) -> Iterator[None]:
    """Turn what the GPU refuses into an `EngineError` that tells what was being done.

    Raises
    ------
    DeviceLostError
        The device is gone.
    EngineError
        An allocation failed, or the driver refused something else.
    """
    try:
        yield
    except wgpu.GPUError as problem:
        if is_lost(problem):
            raise DeviceLostError(f"{what}: the graphics device was lost") from problem
        raise EngineError(f"{what}: {problem}") from problem


def is_lost(problem: wgpu.GPUError) -> bool:
    """Whether an error says that the device is gone."""
    return "lost" in str(problem).lower()


def adapter_names() -> list[str]:
    """What can be asked of `request_device`, each adapter once, in the system's order."""
    prepare_c_types()
    return list(dict.fromkeys(_label(adapter) for adapter in wgpu.gpu.enumerate_adapters_sync()))


def request_device(name: str = "") -> Any:
    """A device of an adapter.

    Parameters
    ----------
    name
        One of `adapter_names`; the best adapter when it is empty or that one isn't there.

    Raises
    ------
    NoAdapterError
        There is no adapter, or its driver refuses a device.
    """
    prepare_c_types()
    try:
        adapter = _named_adapter(name) if name else None
        if adapter is None:
            adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        features = [name for name in _WANTED_FEATURES if name in adapter.features]
        limits = {name: adapter.limits[name] for name in _WANTED_LIMITS if name in adapter.limits}
        return adapter.request_device_sync(required_features=features, required_limits=limits)
    except (RuntimeError, ValueError, OSError, wgpu.GPUError) as problem:
        raise NoAdapterError(str(problem)) from problem


def _named_adapter(name: str) -> Any:
    found = (a for a in wgpu.gpu.enumerate_adapters_sync() if _label(a) == name)
    return next(found, None)


def _label(adapter: Any) -> str:
    info = adapter.info
    return f"{info.get('device', '?')} ({info.get('backend_type', '?')})"


def adapter_name(device: Any) -> str:
    """What the adapter calls itself, for reports."""
    info = device.adapter.info
    names = [str(info.get(key, "?")) for key in ("device", "backend_type", "description")]
    return f"{names[0]} ({names[1]}, {names[2]})"


def is_software(device: Any) -> bool:
    """Whether the adapter draws on the CPU."""
    return str(device.adapter.info.get("adapter_type", "")).upper() == "CPU"


def is_opengl(device: Any) -> bool:
    """Whether wgpu draws through OpenGL, its last resort."""
    return "GL" in str(device.adapter.info.get("backend_type", "")).upper()


def array_layers(device: Any, wanted: int) -> int:
    """How many layers to give a texture that is read as an array of at least as many.

    OpenGL fixes what a texture is when it is made, and wgpu guesses it by the layers: one is no
    array to it, six or a multiple of six are cubes.
    """
    if not is_opengl(device):
        return wanted
    layers = max(wanted, 2)
    return layers + 1 if layers % 6 == 0 else layers
