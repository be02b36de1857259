"""The script in the other process: answers requests from standard input until there are no more.

Its argument is the file of a module with a function ``answer``, from the bytes of a request to a
header (JSON) and the bytes of arrays. A header has "arrays", or "error" with what to say and maybe
"detail" for the log. Each request is a length (4 bytes, little-endian) and that many bytes; each
answer is the length of the header, the header, and the arrays one after the other.
"""

import importlib.util
import json
import os
import struct
import sys
from collections.abc import Callable
from typing import Any, BinaryIO

Answer = Callable[[bytes], tuple[dict[str, Any], list[bytes]]]


def serve(answer: Answer, requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while len(head := requests.read(4)) == 4:
        header, arrays = answer(requests.read(struct.unpack("<I", head)[0]))
        text = json.dumps(header).encode()
        answers.write(struct.pack("<I", len(text)) + text)
        for data in arrays:
            answers.write(data)
        answers.flush()


def load(path: str) -> Answer:
    """Return the function of a module's file."""
    spec = importlib.util.spec_from_file_location("decoder", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answer: Answer = module.answer
    return answer


def keep_output() -> BinaryIO:
    """Return standard output for answers alone; what libraries print there goes nowhere."""
    kept = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return kept


if __name__ == "__main__":
    serve(load(sys.argv[1]), sys.stdin.buffer, keep_output())
