"""What two imports differ in: every field of every part, and what is derived from the meshes."""

import dataclasses

import numpy as np


def differences(one, other, *, but=("seconds",)):
    """Return the paths at which two assets are not the same."""
    found = []
    _compare(one, other, "", found, but)
    return found


def _compare(one, other, where, found, but):
    if type(one) is not type(other):
        if not _is_same_number(one, other):
            found.append(f"{where}: {type(one).__name__}, {type(other).__name__}")
    elif isinstance(one, np.ndarray):
        if not _are_equal_arrays(one, other):
            found.append(f"{where}: {one.dtype}{one.shape}, {other.dtype}{other.shape}")
    elif dataclasses.is_dataclass(one):
        _compare_fields(one, other, where, found, but)
    elif isinstance(one, list | tuple):
        keyed = dict(enumerate(one)), dict(enumerate(other))
        _compare(*keyed, where, found, but)
    elif isinstance(one, dict):
        if list(one) != list(other):
            found.append(f"{where}: {list(one)}, {list(other)}")
        for key in one.keys() & other.keys():
            _compare(one[key], other[key], f"{where}.{key}", found, but)
    elif one != other and not _are_nan(one, other):
        found.append(f"{where}: {one!r}, {other!r}")


def _is_same_number(one, other):
    return isinstance(one, int | float) and isinstance(other, int | float) and one == other


def _are_equal_arrays(one, other):
    same = one.dtype == other.dtype and one.shape == other.shape
    return same and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def _are_nan(one, other):
    return one != one and other != other


def _compare_fields(one, other, where, found, but):
    for field in dataclasses.fields(one):
        if field.init and field.name not in but:
            pair = getattr(one, field.name), getattr(other, field.name)
            _compare(*pair, f"{where}.{field.name}", found, but)
    if hasattr(one, "render_mesh"):
        wanted = one.tangents is not None
        drawn = one.render_mesh(wanted), other.render_mesh(wanted)
        _compare(*drawn, f"{where}.render_mesh", found, but)
        _compare(one.build_lods(), other.build_lods(), f"{where}.build_lods", found, but)
