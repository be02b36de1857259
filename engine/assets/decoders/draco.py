"""Decodes Draco streams. A damaged one can keep the library busy for ten seconds, or crash it."""

from typing import Any


def answer(stream: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Decode a stream; return the header and the arrays' bytes."""
    import DracoPy
    import numpy as np

    try:
        mesh = DracoPy.decode(stream)
        found = [(item["unique_id"], np.asarray(item["data"])) for item in mesh.attributes]
        faces = getattr(mesh, "faces", None)
        if faces is not None:
            found.append((-1, np.asarray(faces, np.uint32).reshape(-1)))
    except Exception as error:  # noqa: BLE001  the decoder raises whatever it likes
        return {"error": str(error)}, []
    arrays = [np.ascontiguousarray(values) for _, values in found]
    listed = [
        [key, values.dtype.str, list(values.shape)]
        for (key, _), values in zip(found, arrays, strict=True)
    ]
    return {"arrays": listed}, [values.tobytes() for values in arrays]
