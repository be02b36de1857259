"""Skinning matrices and morph weights of one drawn entity."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from engine.math import FloatArray
from engine.reflect import SceneComponent, component


@component(id=9)
class JointPalette(SceneComponent):
    """Written at spawn (rest pose) and by the animation system; derived, never stored in a level.

    Parameters
    ----------
    joints : (n, 4, 4) float32
        ``inverse(node.world) * joint.world * inverse_bind`` of each joint.
    morph_weights : (m,) float32
    """

    def __init__(self, joints: ArrayLike = (), morph_weights: ArrayLike = ()) -> None:
        self.joints: FloatArray = np.array(joints, np.float32).reshape(-1, 4, 4)
        self.morph_weights: FloatArray = np.array(morph_weights, np.float32).reshape(-1)

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, JointPalette):
            return NotImplemented
        return np.array_equal(self.joints, other.joints) and np.array_equal(
            self.morph_weights, other.morph_weights
        )

    __hash__ = None
