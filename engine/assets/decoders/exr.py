"""Decodes OpenEXR pictures. The library prints of its own about damaged ones."""

from typing import Any

_DAMAGED = "found a damaged file, expected a whole OpenEXR picture; export it again"
# One colour takes next to nothing in a file: what nobody needs and few bytes can hold is refused.
_LARGE = 1 << 27
_MOST_PER_BYTE = 64
_MOST = 1 << 30


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
        with OpenEXR.File(name, header_only=True) as opened:
            problem = too_large([part.header for part in opened.parts], os.stat(name).st_size)
        if problem:
            return {"error": problem}, []
        with OpenEXR.File(name, separate_channels=True) as opened:
            channels = {key: channel.pixels for key, channel in opened.channels().items()}
            chosen = color_channels({key: list(p.shape) for key, p in channels.items()})
            arrays = [np.ascontiguousarray(channels[key]) for key in chosen]
    except Exception as error:  # noqa: BLE001  the library raises whatever it likes
        # What it says names parts of itself, not of the file.
        return {"error": _DAMAGED, "detail": str(error)}, []
    if not arrays:
        found = ", ".join(sorted(channels)) or "no channels"
        return {"error": f"found {found}, expected R, G and B"}, []
    listed = [[place, a.dtype.str, list(a.shape)] for place, a in enumerate(arrays)]
    return {"arrays": listed}, [array.tobytes() for array in arrays]


def too_large(headers: list[dict[str, Any]], size: int) -> str:
    """Return why pictures are not decoded, empty where they are.

    Parameters
    ----------
    headers : list of dict
        One for each picture in the file.
    size : int
        Bytes of the file.
    """
    count = 0
    for header in headers:
        first, last = ([int(side) for side in corner] for corner in header["dataWindow"])
        width, height = last[0] - first[0] + 1, last[1] - first[1] + 1
        count += width * height * len(header["channels"])
    most = min(max(_LARGE, _MOST_PER_BYTE * size), _MOST)
    return f"found {count:,} values in {size:,} bytes, expected at most {most:,}" * (count > most)


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
