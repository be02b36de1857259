"""`AssetReport`: what an import brought, in numbers and sentences for a person.

Sizes are measured when they are asked for: the box of a posed figure takes longer than its import.
"""

import os
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from engine.assets.gltf.asset import GltfAsset


@dataclass(frozen=True, slots=True)
class PictureLine:
    """One picture: what it is called and how many pixels it has; none where it is missing."""

    name: str
    width: int
    height: int
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class ClipLine:
    """One animation, in seconds."""

    name: str
    duration: float


@dataclass(frozen=True)
class AssetReport:
    """What came in, what was changed and what was not understood.

    Attributes
    ----------
    counts : dict of str to int
        How many there are of each kind that the file has, most telling first; vertices and
        triangles are counted once per node that draws them.
    pictures, clips
        Each picture and animation.
    changed, not_understood, warnings : tuple of str
        Sentences with JSON pointers; `warnings` are those in neither of the other two.
    seconds : float
        How long the import took.
    """

    asset: GltfAsset
    counts: dict[str, int]
    pictures: tuple[PictureLine, ...]
    clips: tuple[ClipLine, ...]
    changed: tuple[str, ...]
    not_understood: tuple[str, ...]
    warnings: tuple[str, ...]
    seconds: float

    @cached_property
    def size(self) -> tuple[float, float, float]:
        """Width, height and depth at rest, metres."""
        bounds = self.asset.world_bounds(posed=True)
        x, y, z = (bounds.max - bounds.min).tolist()
        return x, y, z

    @cached_property
    def file_bytes(self) -> int:
        """How large the file and its side files are on disk."""
        return sum(path.stat().st_size for path in self.asset.source_files if os.path.isfile(path))

    def counted(self) -> list[str]:
        """Return the counts as words: "1 mesh", "1,200 triangles"."""
        return [
            f"{count:,} {_singular(kind) if count == 1 else kind}"
            for kind, count in self.counts.items()
        ]

    def lines(self) -> list[str]:
        """Return the report as text, a fact a line."""
        size = " × ".join(f"{side:.3g}" for side in self.size)
        found = [f"{size} m", f"{self.file_bytes / 1e6:.2f} MB read in {self.seconds:.2f} s"]
        found += self.counted()
        for picture in self.pictures:
            pixels = "missing" if picture.is_missing else f"{picture.width} × {picture.height} px"
            found.append(f"{picture.name}: {pixels}")
        found += [f"{clip.name}: {clip.duration:.2f} s" for clip in self.clips]
        return found


def _singular(kind: str) -> str:
    return {"vertices": "vertex", "meshes": "mesh"}.get(kind, kind.removesuffix("s"))


def _counts(asset: GltfAsset) -> dict[str, int]:
    drawn: Counter[str] = Counter()
    for index in asset.reachable_nodes():
        mesh = asset.nodes[index].mesh
        for primitive in () if mesh is None else asset.meshes[mesh].primitives:
            data = primitive.mesh
            drawn["vertices"] += data.vertex_count
            per_element = {"triangles": 3, "lines": 2, "points": 1}[data.topology]
            drawn[data.topology] += len(data.indices) // per_element
    counts = {
        "triangles": drawn["triangles"],
        "lines": drawn["lines"],
        "points": drawn["points"],
        "vertices": drawn["vertices"],
        "nodes": len(asset.nodes),
        "meshes": len(asset.meshes),
        "materials": len(asset.materials),
        "textures": len(asset.textures),
        "pictures": len(asset.images),
        "skins": len(asset.skins),
        "joints": sum(len(skin.joints) for skin in asset.skins),
        "animations": len(asset.animations),
        "morph targets": sum(len(mesh.weights) for mesh in asset.meshes),
        "cameras": len(asset.cameras),
        "lights": len(asset.lights),
        "variants": len(asset.variants),
    }
    return {kind: count for kind, count in counts.items() if count}


def _derived_changes(asset: GltfAsset) -> list[str]:
    """Tell what is computed for drawing because the file does not have it."""
    parts = [part.mesh for mesh in asset.meshes for part in mesh.primitives]
    flat = sum(part.topology == "triangles" and part.normals is None for part in parts)
    what = "1 part" if flat == 1 else f"{flat} parts"
    return [f"flat shading for {what} without normals"] if flat else []


def asset_report(asset: GltfAsset) -> AssetReport:
    """Sum up an import."""
    told = {*asset.changed, *asset.not_understood}
    return AssetReport(
        asset=asset,
        counts=_counts(asset),
        pictures=tuple(
            PictureLine(image.name, image.width, image.height, image.missing)
            for image in asset.images
        ),
        clips=tuple(ClipLine(clip.name, clip.duration) for clip in asset.animations),
        changed=(*asset.changed, *_derived_changes(asset)),
        not_understood=tuple(asset.not_understood),
        warnings=tuple(text for text in asset.warnings if text not in told),
        seconds=asset.seconds,
    )
