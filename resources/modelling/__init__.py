"""A small modelling kit: the props of the sample project are written down as code.

A prop is a `Model`: meshes of convex polygons with one colour each, bevelled so that edges catch
light, with ambient occlusion baked into the vertex colours. `glb` writes a model as glTF.
Everything is seeded and rounded, so that the same code writes the same file.
"""
