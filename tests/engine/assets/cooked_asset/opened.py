"""Cooked files as bytes, and taken apart into head and arrays."""

import io
import zlib

import numpy as np

from engine.assets.cooked.asset_layout import (
    AssetOrigin,
)
from engine.assets.cooked.asset_read import read_asset
from engine.assets.cooked.asset_write import ASSET_VERSION, FIXED_HEAD, write_asset
from engine.assets.cooked.page_sums import checksum_of, padded_to_pages


def origin_of(asset, root):
    sources = [(path.relative_to(root).as_posix(), "1") for path in asset.source_files]
    sources += [(path.relative_to(root).as_posix(), "") for path in asset.missing_files]
    return AssetOrigin("a.gltf", "tests", sources)


def cooked_bytes(asset, root):
    out = io.BytesIO()
    write_asset(asset, origin_of(asset, root), out)
    return out.getvalue()


def reopened(asset, root, tmp_path):
    path = tmp_path / "made.casset"
    path.write_bytes(cooked_bytes(asset, root))
    return read_asset(path, root)


def shared_paths(shared):
    found = (shared / "assets").rglob("*.gl*")
    return sorted(path for path in found if path.suffix in (".gltf", ".glb"))


def sealed(head, arrays):
    """Return a file with right sizes and checksums around whatever is in it."""
    pages = padded_to_pages(len(arrays))
    pages[: len(arrays)] = np.frombuffer(arrays, np.uint8)
    fixed = (
        b"CAST",
        ASSET_VERSION,
        len(head),
        len(arrays),
        zlib.adler32(head),
        checksum_of(pages),
    )
    filling = bytes(-(FIXED_HEAD.size + len(head)) % 64)
    return FIXED_HEAD.pack(*fixed) + head + filling + arrays


def opened(data):
    """Return head and arrays of a file."""
    _, _, head, arrays, _, _ = FIXED_HEAD.unpack_from(data)
    return data[FIXED_HEAD.size : FIXED_HEAD.size + head], data[len(data) - arrays :]
