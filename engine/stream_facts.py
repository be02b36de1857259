"""What takes time to find out of the bytes of a mesh, as it is kept with it and in files."""

from typing import NamedTuple


class StreamFacts(NamedTuple):
    """What a renderer found out of the bytes that it makes of a mesh; of no use for others.

    Files keep it, so it is believed only of the code that there is.

    Attributes
    ----------
    maker : int
        Which code found them out.
    size : int
        How many bytes there are.
    digest : int
        Tells them from others.
    uv_density : float
        Units of UV per metre.
    """

    maker: int
    size: int
    digest: int
    uv_density: float
