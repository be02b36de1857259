"""Export: a `GltfAsset` as the bytes of a valid .glb."""

from engine.assets.gltf_export.write import ExportedGlb, export_glb

__all__ = ["ExportedGlb", "export_glb"]
