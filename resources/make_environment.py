"""Write the default environment, prefiltered:   python -m resources.make_environment [OUT.ktx2]

Needs an adapter: the filter is the renderer's own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.assets.ktx2.light import PackedLight, packed_light_bytes
from engine.math import pack_light
from engine.render.device import request_device
from engine.render.environment import EnvironmentTable
from engine.render.pipeline_store import PipelineStore
from engine.render.scene import EnvironmentMap
from resources.modelling.sky import sky_panorama

DEFAULT_OUT = Path(__file__).parent / "environment" / "daylight.ktx2"
_HEIGHT = 1024


def main(arguments: list[str]) -> None:
    """Write the file that is named, or the one that ships."""
    out = Path(arguments[0]) if arguments else DEFAULT_OUT
    image = EnvironmentMap(sky_panorama(_HEIGHT), "daylight")
    device = request_device()
    made = EnvironmentTable(device, PipelineStore(device)).get(image)
    assert made is not None
    levels = [_level(device, made.cube, k) for k in range(made.cube.mip_level_count)]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(packed_light_bytes(PackedLight(levels, image.irradiance)))


def _level(device: object, cube: object, number: int) -> NDArray[np.uint32]:
    """Read a level of a cube of half floats back, packed."""
    size = cube.width >> number  # type: ignore[attr-defined]
    data = device.queue.read_texture(  # type: ignore[attr-defined]
        {"texture": cube, "mip_level": number},
        {"bytes_per_row": 8 * size, "rows_per_image": size},
        (size, size, 6),
    )
    light = np.frombuffer(data, np.float16).reshape(6, size, size, 4)[..., :3]
    return pack_light(light.astype(np.float32))


if __name__ == "__main__":
    main(sys.argv[1:])
