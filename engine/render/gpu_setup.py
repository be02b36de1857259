"""Builds what all scenes of a renderer share: layouts, tables, pipelines, fixed textures."""

from typing import Any

import numpy as np
import wgpu

from engine.render.device import array_layers
from engine.render.dfg import dfg_table
from engine.render.draw_list import DrawEncoder
from engine.render.materials import MaterialTable
from engine.render.meshes import MeshTable
from engine.render.pipeline_store import PipelineStore
from engine.render.pipelines import DEPTH_FORMAT, PipelineCache, bind_group_layouts
from engine.render.scene_state import GpuContext
from engine.render.shader_source import ShaderSources
from engine.render.textures import TextureTable


def make_context(
    device: Any, sources: ShaderSources | None = None
) -> tuple[GpuContext, dict[int, Any]]:
    """The shared objects, and the layouts of a bound scene depth by sample count."""
    layouts = bind_group_layouts(device)
    depth_layouts = {samples: _depth_layout(device, samples) for samples in (1, 4)}
    store = PipelineStore(device, sources)
    textures = TextureTable(device, store)
    meshes = MeshTable(device, layouts[2])
    materials = MaterialTable(device, layouts[1], layouts[3], textures)
    pipelines = PipelineCache(device, store, layouts, depth_layouts)
    context = GpuContext(
        device=device,
        frame_layout=layouts[0],
        textures=textures,
        meshes=meshes,
        materials=materials,
        pipelines=pipelines,
        encoder=DrawEncoder(meshes, materials, pipelines, _no_morph(device, layouts[2])),
        dfg_view=_dfg_texture(device).create_view(),
        linear_sampler=device.create_sampler(
            mag_filter="linear", min_filter="linear", mipmap_filter="linear"
        ),
        shadow_sampler=device.create_sampler(
            mag_filter="linear", min_filter="linear", compare="greater-equal"
        ),
        no_shadow_view=_empty_depth(device).create_view(dimension="2d-array"),
        no_reflections_view=_empty_cube(device).create_view(dimension="cube"),
    )
    return context, depth_layouts


def _depth_layout(device: Any, samples: int) -> Any:
    texture = {"sample_type": "depth", "multisampled": samples > 1}
    entry = {"binding": 0, "visibility": wgpu.ShaderStage.FRAGMENT, "texture": texture}
    return device.create_bind_group_layout(entries=[entry])


def _no_morph(device: Any, layout: Any) -> Any:
    buffer = device.create_buffer(size=256, usage=wgpu.BufferUsage.STORAGE)
    return device.create_bind_group(
        layout=layout, entries=[{"binding": 0, "resource": {"buffer": buffer}}]
    )


def _dfg_texture(device: Any) -> Any:
    table = dfg_table().astype(np.float16)
    size = (table.shape[1], table.shape[0], 1)
    use = wgpu.TextureUsage
    texture = device.create_texture(
        label="split-sum table",
        size=size,
        format="rg16float",
        usage=use.TEXTURE_BINDING | use.COPY_DST,
    )
    layout = {"bytes_per_row": size[0] * 4, "rows_per_image": size[1]}
    device.queue.write_texture({"texture": texture}, table, layout, size)
    return texture


def _empty_depth(device: Any) -> Any:
    use = wgpu.TextureUsage
    return device.create_texture(
        label="no shadow",
        size=(1, 1, array_layers(device, 1)),
        format=DEPTH_FORMAT,
        usage=use.TEXTURE_BINDING | use.RENDER_ATTACHMENT,
    )


def _empty_cube(device: Any) -> Any:
    return device.create_texture(
        label="no reflections",
        size=(1, 1, 6),
        format="rgba16float",
        usage=wgpu.TextureUsage.TEXTURE_BINDING,
    )
