"""Decodes Draco streams that arrive on standard input; runs as a script in a process of its own.

A damaged stream can keep the native decoder busy for ten seconds, and nothing inside the same
process could stop it; a crash there would take the editor along. See `draco_process`.

Each request is a length (4 bytes, little-endian) and a stream; each answer is the length of a JSON
header, the header, and the arrays that it lists, one after the other.
"""

import json
import struct
import sys
from typing import Any, BinaryIO


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


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while len(head := requests.read(4)) == 4:
        header, arrays = answer(requests.read(struct.unpack("<I", head)[0]))
        text = json.dumps(header).encode()
        answers.write(struct.pack("<I", len(text)) + text)
        for data in arrays:
            answers.write(data)
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
