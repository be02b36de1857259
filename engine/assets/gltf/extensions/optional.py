"""Decoders that live in packages of their own and are loaded when a file needs them."""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from engine.errors import AssetError

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document
    from engine.assets.gltf.reader import JsonObject


def decoder_package(
    document: "Document", extension: str, package: str, body: "JsonObject"
) -> ModuleType | None:
    """Import the module `package` that decodes `extension`.

    Returns
    -------
    module or None
        None when the package is absent and the file merely uses the extension, so that its
        uncompressed data can be read; a warning says so.

    Raises
    ------
    AssetError
        The package is absent and the file requires the extension.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        text = f"{extension} needs the Python package {package}, which cannot be loaded ({error})"
        if extension in document.root.array("extensionsRequired"):
            raise AssetError(f"validation failed at {body.pointer()}: {text}") from None
        document.ignore(body.pointer(), text)
        return None
