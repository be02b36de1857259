"""Draco streams decoded in a process of their own, with a limit on time."""

from engine.assets.decoders import draco
from engine.assets.decoders.process import Decoded, DecoderPool

FACES = -1
"""The key of the indices among the decoded arrays; the others are the attributes' ids."""

_SECONDS_PER_BYTE = 2e-6

decoders = DecoderPool(draco, seconds=3.0)


def decode_draco(stream: bytes) -> Decoded:
    """Decode a stream.

    Returns
    -------
    dict of int to array
        The values of each attribute, (n, width), by its id; the indices under `FACES`, if any.

    Raises
    ------
    AssetError
        The stream is damaged, or takes too long.
    """
    return decoders.decode(stream, len(stream) * _SECONDS_PER_BYTE)
