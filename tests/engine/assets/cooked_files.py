"""Cooked files packed by hand as the documentation lays them out, right or wrong on purpose."""

import struct

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
IDENTITY = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def text(data):
    return struct.pack("<I", len(data)) + data


def head(magic, version):
    return magic + struct.pack("<I", version)


def vertex(position):
    normal, tangent, uv0, uv1 = (0, 0, 1), (1, 0, 0, 1), (0.25, 0.5), (0.75, 1)
    return struct.pack("<14f", *position, *normal, *tangent, *uv0, *uv1)


def mesh_file(
    *,
    magic=b"CMSH",
    version=1,
    corners=CORNERS,
    skins=0,
    indices=(0, 1, 2),
    levels=((0, 3, 0.0),),
    targets=0,
    morphs=None,
    material=b"a#material0",
    counts=None,
    tail=b"",
):
    """Return a ``.cmesh``; `counts` are the first five of the head, by default what is there."""
    vertices = b"".join(map(vertex, corners))
    skin = struct.pack("<4H4f", 0, 1, 2, 3, 0.5, 0.25, 0.25, 0) * skins
    stream = struct.pack(f"<{len(indices)}I", *indices)
    count = targets * len(corners) if morphs is None else morphs
    morph = struct.pack("<8f", 0, 0, 0.5, 0, 0, 1, 0, 0) * count
    own = (len(corners), len(vertices), len(skin), len(stream), len(levels))
    data = head(magic, version) + struct.pack("<5I", *(counts or own))
    data += struct.pack("<6f", 0, 0, 0, 1, 1, 0) + struct.pack("<2I", targets, len(morph))
    data += text(material) + b"".join(struct.pack("<IIf", *level) for level in levels)
    return data + vertices + skin + stream + morph + tail


def channel(
    node=2, path=0, interpolation=0, components=3, times=(0, 1), values=(0,) * 6, counts=None
):
    own = (len(times), len(values))
    data = struct.pack("<6I", node, path, interpolation, components, *(counts or own))
    return data + struct.pack(f"<{len(times)}f", *times) + struct.pack(f"<{len(values)}f", *values)


def clip_file(
    *channels, magic=b"CCLP", version=1, name=b"walk", duration=1.0, count=None, tail=b""
):
    channels = channels or (channel(),)
    data = head(magic, version) + text(name) + struct.pack("<f", duration)
    data += struct.pack("<I", len(channels) if count is None else count)
    return data + b"".join(channels) + tail


def material_file(
    *,
    magic=b"CMAT",
    version=1,
    name=b"paint",
    alpha=1,
    double_sided=1,
    slots=((0, b"a#image0"), (1, b"a#image1"), (0, b""), (0, b""), (1, b"a#image0")),
    linear=0,
    address=2,
    tail=b"",
):
    numbers = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1, 2, 3, 4, 0.875, 0.9375)
    data = head(magic, version) + text(name) + struct.pack("<12f", *numbers)
    data += struct.pack("<IfI", alpha, 0.3125, double_sided) + struct.pack("<5f", 2, 3, 4, 5, 0.5)
    data += b"".join(struct.pack("<B", texcoord) + text(image) for texcoord, image in slots)
    return data + struct.pack("<II", linear, address) + tail


def joint(name=b"hip", node=4, parent=-1):
    rest = (1, 2, 3, 0, 0, 0, 1, 1, 1, 2)
    return text(name) + struct.pack("<Ii", node, parent) + struct.pack("<26f", *IDENTITY, *rest)


def skeleton_file(*joints, magic=b"CSKL", version=1, count=None, tail=b""):
    joints = joints or (joint(), joint(b"knee", 7, 0))
    number = struct.pack("<I", len(joints) if count is None else count)
    return head(magic, version) + number + b"".join(joints) + tail
