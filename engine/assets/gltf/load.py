"""`load_gltf`: from a path to a `GltfAsset`, or one clear `AssetError`.

The order is: framing and JSON, version and required extensions, buffers, pictures (decoding in
threads while the rest is read), materials, meshes, skins, nodes, animations.
"""

import os
import time
from pathlib import Path

import numpy as np

from engine.assets.gltf.accessors import Accessors
from engine.assets.gltf.advice import advise
from engine.assets.gltf.animations import read_animations
from engine.assets.gltf.asset import GltfAsset
from engine.assets.gltf.buffers import Buffers
from engine.assets.gltf.cameras import read_cameras
from engine.assets.gltf.container import read_container
from engine.assets.gltf.document import Document
from engine.assets.gltf.extensions import EXTENSIONS, applied
from engine.assets.gltf.images import Images
from engine.assets.gltf.limits import ImportLimits
from engine.assets.gltf.materials import Materials
from engine.assets.gltf.meshes import Meshes
from engine.assets.gltf.nodes import Nodes
from engine.assets.gltf.reader import JsonObject
from engine.assets.gltf.skins import check_skinned_nodes, read_skins
from engine.collector import paused_collector
from engine.errors import AssetError, FileError
from engine.plain_file import read_plain


def load_gltf(
    path: str | os.PathLike[str],
    *,
    scene: int | str | None = None,
    root: str | os.PathLike[str] | None = None,
    limits: ImportLimits | None = None,
) -> GltfAsset:
    """Import a .gltf or .glb file with everything that it refers to.

    Parameters
    ----------
    path : path-like
        The file; its kind is decided by content.
    scene : int or str, optional
        Index or name of the scene whose nodes become ``roots``; default: the declared scene, else
        scene 0, else every node without a parent.
    root : path-like, optional
        The folder that URIs may not leave, symbolic links resolved; default: the file's folder.
    limits : ImportLimits, optional
        Bounds on decoded sizes.

    Returns
    -------
    GltfAsset
        With ``warnings`` for everything that was repaired, ignored or not understood.

    Raises
    ------
    AssetError
        The file or a buffer is missing, malformed, too large, or needs an extension that is not
        supported. The message names the file and a JSON pointer.
    """
    file = Path(path)
    try:
        # A file may hold NaNs and infinities; they must not become warnings of numpy.
        with np.errstate(all="ignore"), paused_collector():
            started = time.perf_counter()
            folder = Path(root) if root is not None else file.parent
            asset = _load(file, scene, folder, limits)
            asset.seconds = time.perf_counter() - started
            return asset
    except AssetError as error:
        raise FileError(file.name, str(error)) from error.__cause__
    except MemoryError:
        raise FileError(file.name, "out of range: not enough memory to decode it") from None


def _load(
    file: Path, scene: int | str | None, root: Path, limits: ImportLimits | None
) -> GltfAsset:
    container = read_container(_read_file(file, limits or ImportLimits()))
    document = Document(file, root, JsonObject(container.root), limits or ImportLimits())
    document.asset.warnings.extend(container.warnings)
    document.asset.not_understood.extend(container.warnings)
    document.asset.source_files.append(file)
    _check_version(document.root)
    _check_extensions(document)
    buffers = Buffers(document, container.binary)
    buffers.load_all()
    images = Images(document, buffers)
    images.start()
    try:
        _read_parts(document, buffers, images, scene)
        document.asset.images = images.finish()
    finally:
        images.close()
    advise(document)
    for finish in document.finishers:
        finish(document.asset)
    document.asset.source_files.extend(document.uris.files)
    document.asset.missing_files.extend(document.uris.missing)
    return document.asset


def _read_file(file: Path, limits: ImportLimits) -> bytes:
    try:
        if not os.path.isfile(file):
            is_other = os.path.exists(file)
            raise AssetError("is no file" if is_other else "there is no such file")
        if file.stat().st_size > limits.total_bytes:
            raise AssetError(f"out of range: larger than {limits.total_bytes} bytes")
        return read_plain(file)
    except (OSError, ValueError) as error:
        if isinstance(error, AssetError):
            raise
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise AssetError(f"cannot be read: {reason}") from None


def _check_version(root: JsonObject) -> None:
    asset = root.object("asset")
    if asset is None:
        raise AssetError("validation failed at /asset: found nothing, expected an object")
    key = "minVersion" if asset.has("minVersion") else "version"
    version = asset.string("version")
    needed = asset.string(key)
    parts = needed.split(".")
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        asset.fail(key, "a version like 2.0")
    if (
        version.split(".")[0] != "2"
        or needed.split(".")[0] != "2"
        or (key == "minVersion" and int(parts[1]) > 0)
    ):
        raise AssetError(
            f"validation failed at /asset/{key}: glTF {needed} is not supported, expected 2.0"
        )


def _check_extensions(document: Document) -> None:
    known = {extension.name for extension in EXTENSIONS}
    required = document.root.array("extensionsRequired")
    for at, name in enumerate(required):
        if type(name) is not str or name not in known:
            raise AssetError(
                f"validation failed at /extensionsRequired/{at}: the extension {name!r} is "
                "required and not supported"
            )
    for name in sorted(document.extensions_used - known):
        document.ignore("/extensionsUsed", f"the extension {name} is not understood")


def _read_parts(
    document: Document, buffers: Buffers, images: Images, scene: int | str | None
) -> None:
    asset, root = document.asset, document.root
    asset.asset_info = root.value["asset"]
    asset.extras = root.value.get("extras")
    asset.extensions = root.value.get("extensions", {})
    for extension, body in applied(root):
        extension.start(document, body)
    accessors = Accessors(document, buffers)
    materials = Materials(document, len(images))
    asset.textures = materials.textures
    asset.materials = materials.read_all()
    asset.meshes = Meshes(document, buffers, accessors, asset.materials).read_all()
    asset.skins = read_skins(document, accessors)
    asset.cameras = read_cameras(document)
    Nodes(document, accessors).read(scene)
    check_skinned_nodes(document)
    asset.animations = read_animations(document, accessors)
