"""Figures of the last picture, for the profiler panel and for tests."""

from dataclasses import dataclass


@dataclass
class RenderStats:
    """What the last picture took.

    Parameters
    ----------
    instances, batches, triangles
        What the main pass drew; one batch is one draw call.
    shadow_batches
        Draw calls of the shadow pass, 0 when its map was kept.
    update_ms
        CPU time to follow the scene and upload what changed.
    encode_ms
        CPU time to record and submit the commands.
    wait_ms
        Time from submission until the picture was read back.
    gpu_ms
        Time the GPU worked, 0 when it was not asked for or the adapter has no timestamps.
    uploaded_bytes
        Bytes of instance data that were uploaded.
    pipelines
        Shader variants compiled so far.
    mesh_bytes
        GPU memory that meshes take.
    texture_bytes, whole_texture_bytes
        GPU memory that textures take, and would take with all their levels.
    """

    instances: int = 0
    batches: int = 0
    triangles: int = 0
    shadow_batches: int = 0
    update_ms: float = 0.0
    encode_ms: float = 0.0
    wait_ms: float = 0.0
    gpu_ms: float = 0.0
    uploaded_bytes: int = 0
    pipelines: int = 0
    mesh_bytes: int = 0
    texture_bytes: int = 0
    whole_texture_bytes: int = 0
