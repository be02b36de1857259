"""Which properties glTF 2.0 defines where, to tell of misspelled and misplaced ones.

The tree follows the JSON schema of the specification: a name maps to the properties of the object
there, or of each object of the array there. `extensions` and `extras` are allowed everywhere.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from engine.assets.gltf.reader import JsonObject

Tree = dict[str, Any]
Json = dict[str, Any]


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


class _Known:
    """The properties of one kind of object, and those of them that hold objects."""

    def __init__(self, tree: Tree) -> None:
        self.names = frozenset(tree) | _EVERYWHERE
        self.below = {key: _Known(sub) for key, sub in tree.items() if sub is not None}


def _is_clean(values: list[Json], known: _Known) -> bool:
    """Tell whether objects of one kind, and what is inside them, hold known properties only.

    Thousands of objects have a handful of different layouts, so those are compared.
    """
    keys = set(chain.from_iterable(set(map(tuple, values))))
    if not keys <= known.names:
        return False
    for key in keys & known.below.keys():
        inner = [value[key] for value in values if key in value]
        objects = [value for value in inner if type(value) is dict]
        lists = (value for value in inner if type(value) is list)
        objects += [item for item in chain.from_iterable(lists) if type(item) is dict]
        if not _is_clean(objects, known.below[key]):
            return False
    return True


def _find(value: Json, known: _Known, place: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    for key in value.keys() - known.names:
        yield (*place, key)
    for key, below in known.below.items():
        inner = value.get(key)
        if type(inner) is dict:
            yield from _find(inner, below, (*place, key))
        elif type(inner) is list:
            for at, item in enumerate(inner):
                if type(item) is dict:
                    yield from _find(item, below, (*place, key, at))


_KNOWN_ROOT = _Known(_ROOT)


def unknown_properties(root: JsonObject) -> Iterator[str]:
    """Yield the pointer of each property that glTF does not define where it stands."""
    if _is_clean([root.value], _KNOWN_ROOT):
        return
    for place in _find(root.value, _KNOWN_ROOT, ()):
        yield root.pointer(*place)
