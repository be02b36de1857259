"""Decodes OpenEXR pictures. The library prints of its own about damaged ones."""

from typing import Any


def answer(path: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Read the colours of a file; return the header and the arrays' bytes.

    Parameters
    ----------
    path : bytes
        As the system has it.
    """
    import os

    import numpy as np
    import OpenEXR

    try:
        name = os.fsdecode(path)
        with OpenEXR.File(name, separate_channels=True) as opened:
            channels = {key: channel.pixels for key, channel in opened.channels().items()}
            chosen = color_channels({key: list(p.shape) for key, p in channels.items()})
            arrays = [np.ascontiguousarray(channels[key]) for key in chosen]
    except Exception as error:  # noqa: BLE001  the library raises whatever it likes
        return {"error": str(error)}, []
    if not arrays:
        found = ", ".join(sorted(channels)) or "no channels"
        return {"error": f"found {found}, expected R, G and B"}, []
    listed = [[place, a.dtype.str, list(a.shape)] for place, a in enumerate(arrays)]
    return {"arrays": listed}, [array.tobytes() for array in arrays]


def color_channels(shapes: dict[str, list[int]]) -> list[str]:
    """Return R, G and B; of several layers the first that has them, else luminance alone."""
    layers = sorted({key.rpartition(".")[0] for key in shapes})
    for layer in layers:
        prefix = f"{layer}." if layer else ""
        colors = [prefix + part for part in "RGB"]
        if all(key in shapes for key in colors) and len({str(shapes[k]) for k in colors}) == 1:
            return colors
        if prefix + "Y" in shapes and not all(key in shapes for key in colors):
            return [prefix + "Y"]
    return []
