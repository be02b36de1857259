"""Which properties glTF 2.0 defines where, to tell of misspelled and misplaced ones.

The tree follows the JSON schema of the specification: a name maps to the properties of the object
there, or of each object of the array there. `extensions` and `extras` are allowed everywhere.
"""

from collections.abc import Iterator
from typing import Any

from engine.assets.gltf.reader import JsonObject

Tree = dict[str, Any]


def _named(names: str, **below: Tree) -> Tree:
    return {**dict.fromkeys(names.split()), **below}


_TEXTURE = _named("index texCoord")
_SPARSE = _named(
    "count",
    indices=_named("bufferView byteOffset componentType"),
    values=_named("bufferView byteOffset"),
)
_ROOT = _named(
    "extensionsUsed extensionsRequired scene",
    accessors=_named(
        "bufferView byteOffset componentType normalized count type max min name", sparse=_SPARSE
    ),
    animations=_named(
        "name",
        channels=_named("sampler", target=_named("node path")),
        samplers=_named("input interpolation output"),
    ),
    asset=_named("copyright generator version minVersion"),
    buffers=_named("uri byteLength name"),
    bufferViews=_named("buffer byteOffset byteLength byteStride target name"),
    cameras=_named(
        "type name",
        orthographic=_named("xmag ymag zfar znear"),
        perspective=_named("aspectRatio yfov zfar znear"),
    ),
    images=_named("uri mimeType bufferView name"),
    materials=_named(
        "name emissiveFactor alphaMode alphaCutoff doubleSided",
        pbrMetallicRoughness=_named(
            "baseColorFactor metallicFactor roughnessFactor",
            baseColorTexture=_TEXTURE,
            metallicRoughnessTexture=_TEXTURE,
        ),
        normalTexture=_named("index texCoord scale"),
        occlusionTexture=_named("index texCoord strength"),
        emissiveTexture=_TEXTURE,
    ),
    meshes=_named("weights name", primitives=_named("attributes indices material mode targets")),
    nodes=_named("camera children skin matrix mesh rotation scale translation weights name"),
    samplers=_named("magFilter minFilter wrapS wrapT name"),
    scenes=_named("nodes name"),
    skins=_named("inverseBindMatrices skeleton joints name"),
    textures=_named("sampler source name"),
)
_EVERYWHERE = {"extensions", "extras"}


def _find(source: JsonObject, tree: Tree) -> Iterator[str]:
    known = tree.keys() | _EVERYWHERE
    for key in source.value.keys() - known:
        yield source.pointer(key)
    for key, below in tree.items():
        if below is None or key not in source.value:
            continue
        if type(source.value[key]) is list:
            allowed = below.keys() | _EVERYWHERE
            has_objects = any(sub is not None for sub in below.values())
            for item in source.objects(key):
                if has_objects or item.value.keys() - allowed:
                    yield from _find(item, below)
        elif type(source.value[key]) is dict:
            yield from _find(source.required_object(key), below)


def unknown_properties(root: JsonObject) -> Iterator[str]:
    """Yield the pointer of each property that glTF does not define where it stands."""
    return _find(root, _ROOT)
