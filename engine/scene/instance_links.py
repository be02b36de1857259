"""Which node of a blueprint a path means: by the path itself, else by the name at its end.

Paths that lead into an instance inside the branch are handed on to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from engine.scene.gltf_blueprint import Blueprint
from engine.scene.node_paths import split_path


@dataclass(eq=False, slots=True)
class Binding:
    """What becomes of some paths.

    Attributes
    ----------
    found : dict of int to str
        The path that each part is meant by.
    handed : dict of int to dict of str to str
        Per part that is an instance: the paths below it, and the whole path of each.
    lost : list of str
        The paths that mean nothing here.
    """

    found: dict[int, str] = field(default_factory=dict)
    handed: dict[int, dict[str, str]] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


def bind_paths(blueprint: Blueprint, paths: Iterable[str], roots: Collection[int]) -> Binding:
    """Find the parts that paths mean.

    Parameters
    ----------
    paths : iterable of str
        From the root of the blueprint; of two that mean one part, the first gets it.
    roots : collection of int
        The parts that are instances.
    """
    binding, unclear = Binding(), []
    for path in paths:
        at, rest = blueprint.find_deepest(path)
        if not rest and at not in binding.found:
            binding.found[at] = path
        elif rest and at in roots:
            binding.handed.setdefault(at, {})[rest] = path
        else:
            unclear.append(path)
    for path in unclear:
        if not _bind_by_name(blueprint, path, roots, binding):
            binding.lost.append(path)
    return binding


def _bind_by_name(
    blueprint: Blueprint, path: str, roots: Collection[int], binding: Binding
) -> bool:
    segments = split_path(path)
    at = blueprint.find_named(segments[-1])
    if at is not None and at not in binding.found:
        binding.found[at] = path
        return True
    for end in range(len(segments) - 1, 0, -1):
        at = blueprint.find_named(segments[end - 1])
        if at is not None and at in roots:
            return (
                binding.handed.setdefault(at, {}).setdefault("/".join(segments[end:]), path) == path
            )
    return False
