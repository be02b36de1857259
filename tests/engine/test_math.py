"""The transform conventions."""

import numpy as np
import pytest

from engine.math import (
    compose,
    decompose,
    euler_deg_from_quat,
    has_shear,
    inverse,
    look_at,
    matrix_from_quat,
    orthographic,
    perspective,
    quat_between,
    quat_from_axis_angle,
    quat_from_euler_deg,
    quat_from_matrix,
    quat_multiply,
    quat_normalize,
)

RNG = np.random.default_rng(7)


def _random_trs():
    scale = RNG.uniform(0.1, 3, 3) * RNG.choice([-1, 1], 3)
    return RNG.normal(size=3), quat_normalize(RNG.normal(size=4)), scale


def test_decompose_rebuilds_any_matrix_without_shear():
    for _ in range(200):
        m = compose(*_random_trs())
        assert not has_shear(m)
        assert np.allclose(compose(*decompose(m)), m, atol=1e-5)


def test_a_negative_determinant_stays_negative():
    m = compose((5, 0, 0), (0, 0, 0, 1), (1, -2, 1))
    assert np.prod(decompose(m)[2]) < 0


def test_shear_is_seen():
    turn = compose((0, 0, 0), quat_from_axis_angle((0, 0, 1), 0.5), (1, 1, 1))
    stretch = compose((0, 0, 0), (0, 0, 0, 1), (2, 1, 1))
    assert has_shear(stretch @ turn)
    assert not has_shear(turn @ stretch)


@pytest.mark.parametrize("scale", [(0, 1, 1), (0, 0, 2), (0, 0, 0)])
def test_zero_scale_still_rebuilds(scale):
    m = compose((1, 2, 3), quat_from_euler_deg((10, 20, 30)), scale)
    assert np.allclose(compose(*decompose(m)), m, atol=1e-5)


def test_euler_degrees_come_back():
    for angles in RNG.uniform(-89, 89, (100, 3)):
        q = quat_from_euler_deg(angles)
        assert np.allclose(euler_deg_from_quat(q), angles, atol=1e-3)
    pole = quat_from_euler_deg((30, 90, 0))
    assert np.allclose(
        matrix_from_quat(quat_from_euler_deg(euler_deg_from_quat(pole))),
        matrix_from_quat(pole),
        atol=1e-3,
    )


def test_quaternions_act_as_their_matrices():
    a, b = quat_normalize(RNG.normal(size=(2, 4)))
    product = matrix_from_quat(quat_multiply(a, b))
    assert np.allclose(product, matrix_from_quat(a) @ matrix_from_quat(b), atol=1e-5)


@pytest.mark.parametrize("target", [(0, 0, 1), (0, 0, -1), (1, 2, 3), (-1, 0, 0)])
def test_quat_between_turns_one_direction_onto_the_other(target):
    turned = matrix_from_quat(quat_between((0, 0, -1), target)) @ (0, 0, -1)
    assert np.allclose(turned, np.array(target) / np.linalg.norm(target), atol=1e-5)


def test_depth_is_reversed():
    for clip_from_view, far in (
        (perspective(0.9, 1.5, 0.1, 100), 0.0),
        (orthographic(4, 3, 0.1, 100), 0.0),
    ):
        for z, depth in ((-0.1, 1.0), (-100, far)):
            clip = clip_from_view @ (0, 0, z, 1)
            assert clip[2] / clip[3] == pytest.approx(depth, abs=1e-5)
    clip = perspective(0.9, 1, 0.1) @ (0, 0, -1e6, 1)
    assert 0 < clip[2] / clip[3] < 1e-6


def test_look_at_sees_its_target_in_the_middle():
    for eye in ((1, 2, 3), (0, 5, 0), (0, -5, 0)):
        seen = look_at(eye, (0, 0, 0)) @ (0, 0, 0, 1)
        assert np.allclose(seen[:2], 0, atol=1e-5)
        assert seen[2] < 0


def test_numbers_that_are_not_finite_end_in_an_answer():
    rng = np.random.default_rng(4)
    odd = np.array([0.0, 1.0, -2.0, 1e38, 1e300, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        for _ in range(200):
            m = np.diag(rng.choice(odd, 4))
            m[rng.integers(4), rng.integers(4)] = rng.choice(odd)
            assert inverse(m).shape == (4, 4)
            assert [part.shape for part in decompose(m)] == [(3,), (4,), (3,)]
            assert np.isfinite(quat_from_matrix(m)).all()


def test_a_singular_matrix_beside_one_that_is_not_finite_is_inverted_all_the_same():
    flat, endless = np.diag([2.0, 0.0, 1.0, 1.0]), np.diag([np.inf, 0.0, 1.0, 1.0])
    found = inverse([flat, endless, np.eye(4)])
    assert np.allclose(found[0], np.diag([0.5, 0.0, 1.0, 1.0]))
    assert np.isnan(found[1]).all()
    assert np.allclose(found[2], np.eye(4))
