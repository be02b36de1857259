"""What there is to cook in an asset: one task per cooked file, each able to run on its own.

A task carries what it needs and nothing else, so that it can go to another process.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.assets.asset_ids import asset_file_name
from engine.assets.atomic_file import write_atomically
from engine.assets.cooked.clip import clip_from_gltf, write_clip
from engine.assets.cooked.material import (
    SLOTS,
    CookedMaterial,
    CookedSlot,
    write_material,
)
from engine.assets.cooked.mesh import cook_mesh, write_mesh
from engine.assets.cooked.order import in_drawing_order
from engine.assets.cooked.skeleton import skeleton_from_gltf, write_skeleton
from engine.assets.gltf import GltfAsset
from engine.assets.image import Image
from engine.assets.ktx2 import cook_texture_ktx2
from engine.assets.mesh import MeshData
from engine.errors import AssetError

_SRGB_SLOTS = ("base_color_texture", "emissive_texture")
_NORMAL_SLOT = "normal_texture"


@dataclass(frozen=True, slots=True)
class MeshJob:
    """One primitive and the logical path of its material."""

    mesh: MeshData
    material: str

    def write(self, path: Path) -> None:
        """Write the mesh with its levels of detail, in the order that draws best.

        Raises
        ------
        AssetError
            The file can't be written.
        """
        wanted = self.mesh.needs_tangents or self.mesh.tangents is not None
        lods = self.mesh.build_lods(wanted)
        cooked = cook_mesh(self.mesh, lods, self.material, tangents=wanted)
        write_atomically(path, write_mesh(in_drawing_order(cooked)))


@dataclass(frozen=True, slots=True)
class ImageJob:
    """One picture and how materials use it."""

    image: Image
    srgb: bool
    normal: bool

    def write(self, path: Path) -> None:
        """Write the picture as KTX2, compressed where an encoder is there.

        Raises
        ------
        AssetError
            The file can't be written.
        """
        is_normal_map = self.normal and not self.srgb
        cook_texture_ktx2(self.image, path, self.srgb, is_normal_map, uastc=self.normal)


@dataclass(frozen=True, slots=True)
class BytesJob:
    """A file whose bytes are known already."""

    data: bytes

    def write(self, path: Path) -> None:
        """Write the bytes as they are.

        Raises
        ------
        AssetError
            The file can't be written.
        """
        write_atomically(path, self.data)


@dataclass(frozen=True, slots=True)
class CookTask:
    """One output: its logical path, its file's name, and what makes it."""

    logical: str
    file: str
    job: MeshJob | ImageJob | BytesJob


def run_task(task: CookTask, path: Path) -> None:
    """Write the output of `task` to `path`; AssetError, with its name, when it cannot be made."""
    try:
        task.job.write(path)
    except AssetError as error:
        raise AssetError(f"{error}, in {task.logical}") from error.__cause__


def plan_tasks(asset: GltfAsset, prefix: str, root_text: bytes) -> list[CookTask]:
    """Return the tasks of an asset: meshes, materials, images, skeletons, clips, the root."""
    tasks: list[CookTask] = []

    def add(name: str, ext: str, job: MeshJob | ImageJob | BytesJob) -> None:
        logical = f"{prefix}#{name}"
        tasks.append(CookTask(logical, asset_file_name(logical, ext), job))

    for at, mesh in enumerate(asset.meshes):
        for part, primitive in enumerate(mesh.primitives):
            if primitive.mesh.topology == "triangles":
                number = primitive.material
                material = f"{prefix}#material{number}" if number >= 0 else ""
                add(f"mesh{at}/prim{part}", "cmesh", MeshJob(primitive.mesh, material))
    for at in range(len(asset.materials)):
        cooked = cooked_material(asset, at, prefix)
        add(f"material{at}", "cmat", BytesJob(write_material(cooked)))
    for at, uses in sorted(image_uses(asset).items()):
        srgb = not uses.isdisjoint(_SRGB_SLOTS)
        add(f"image{at}", "ktx2", ImageJob(asset.images[at], srgb, _NORMAL_SLOT in uses))
    for at in range(len(asset.skins)):
        skeleton = skeleton_from_gltf(asset, at)
        add(f"skeleton{at}", "cskel", BytesJob(write_skeleton(skeleton)))
    for at, animation in enumerate(asset.animations):
        add(f"anim{at}", "cclip", BytesJob(write_clip(clip_from_gltf(animation))))
    add("", "root", BytesJob(root_text))
    return tasks


def _image_of(asset: GltfAsset, reference: Any) -> int:
    """Return the image that a texture reference shows, -1 for none."""
    return -1 if reference is None else asset.textures[reference.texture].image


def image_uses(asset: GltfAsset) -> dict[int, set[str]]:
    """Return which material slots show each image, for the images that any shows."""
    uses: dict[int, set[str]] = {}
    for material in asset.materials:
        for slot, reference in zip(SLOTS, material.material.textures(), strict=True):
            image = _image_of(asset, reference)
            if image >= 0:
                uses.setdefault(image, set()).add(slot)
    return uses


def cooked_material(asset: GltfAsset, number: int, prefix: str) -> CookedMaterial:
    """Return a material with logical image paths.

    The sampler and the UV transform are those of the base colour texture, else of the first
    texture in slot order.
    """
    source = asset.materials[number]
    material = source.material
    cooked = CookedMaterial(
        name=source.name,
        base_color=material.base_color,
        metallic=material.metallic,
        roughness=material.roughness,
        emissive=material.emissive,
        emissive_strength=material.emissive_strength,
        normal_scale=material.normal_scale,
        occlusion_strength=material.occlusion_strength,
        alpha_mode=material.alpha_mode,
        alpha_cutoff=material.alpha_cutoff,
        double_sided=material.double_sided,
    )
    shown = [ref for ref in material.textures() if _image_of(asset, ref) >= 0]
    cooked.slots = tuple(
        CookedSlot(int(ref.texcoord == 1), f"{prefix}#image{_image_of(asset, ref)}")
        if ref is not None and _image_of(asset, ref) >= 0
        else CookedSlot()
        for ref in material.textures()
    )
    first = next((ref for ref in shown if ref is not None), None)
    if first is not None:
        cooked.uv_scale, cooked.uv_offset = first.scale, first.offset
        cooked.uv_rotation = first.rotation
        sampler = asset.textures[first.texture].sampler
        cooked.linear_filter, cooked.address_mode = sampler.mag == "linear", sampler.wrap_u
    return cooked
