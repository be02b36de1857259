"""Damage to files: bytes flipped, cut, repeated, spliced, numbers made huge."""

import random

SPLICES = (
    b"entity ",
    b'"',
    b"[",
    b"]",
    b"#-1",
    b"1e999",
    b"0x",
    b"\xff\xff\xff\x7f",
    b"=",
    b"\x00",
    b"\r",
    b"-",
    b"\n",
    b"9" * 40,
    b"\xe2\x80\xa8",
    b"\\",
    b"Name",
)


def mutant(rng: random.Random, data: bytes, most: int = 6) -> bytes:
    """Return `data` with one to `most` injuries."""
    damaged = bytearray(data)
    for _ in range(rng.randint(1, most)):
        if not damaged:
            break
        at, to = sorted((rng.randrange(len(damaged)), rng.randrange(len(damaged))))
        kind = rng.randrange(7)
        if kind == 0:
            damaged[at] = rng.randrange(256)
        elif kind == 1:
            del damaged[at : at + rng.randint(1, 8)]
        elif kind == 2:
            damaged[at:at] = rng.randbytes(rng.randint(1, 8))
        elif kind == 3:
            damaged[at:at] = rng.choice(SPLICES)
        elif kind == 4:
            damaged[at:at] = damaged[at:to]
        elif kind == 5:
            damaged[at:to] = b""
        else:
            del damaged[at:]
    return bytes(damaged)
