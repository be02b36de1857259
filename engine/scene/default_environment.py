"""The environment that ships: daylight without a sun, filtered beforehand.

It is read when a renderer first needs it, so a program that draws nothing never does.
"""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.assets.ktx2.light import read_packed_light
from engine.errors import AssetError
from engine.math import pack_light
from engine.render.scene import PrefilteredMap

_FILE = Path(__file__).resolve().parents[2] / "resources" / "environment" / "daylight.ktx2"
_log = logging.getLogger("cinder.assets")


@cache
def default_environment() -> PrefilteredMap:
    """Return the map; the same one for everybody, so that a renderer uploads it once."""
    return PrefilteredMap(_read, "daylight")


def _read() -> tuple[list[NDArray[np.uint32]], NDArray[np.float32]]:
    try:
        light = read_packed_light(_FILE)
        return light.levels, light.irradiance
    except AssetError as problem:
        # An installation without the file draws on, under an even grey.
        _log.warning("the default environment: %s", problem)
        irradiance = np.zeros((9, 4), np.float32)
        irradiance[0, :3] = 0.3
        return [pack_light(np.full((6, 1, 1, 3), 0.3, np.float32))], irradiance
