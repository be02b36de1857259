"""Cameras of a file."""

from engine.assets.gltf.asset import GltfCamera
from engine.assets.gltf.document import Document
from engine.assets.gltf.reader import JsonObject


def read_cameras(document: Document) -> list[GltfCamera]:
    """Return the cameras of a document, in its order."""
    return [_camera(item) for item in document.root.objects("cameras")]


def _camera(source: JsonObject) -> GltfCamera:
    kind, name = source.string("type"), source.string("name", "")
    if kind == "perspective":
        return _perspective(source.required_object("perspective"), name)
    if kind != "orthographic":
        source.fail("type", "perspective or orthographic")
    lens = source.required_object("orthographic")
    return GltfCamera(
        "orthographic",
        name,
        near=lens.number("znear"),
        far=lens.number("zfar"),
        x_mag=lens.number("xmag"),
        y_mag=lens.number("ymag"),
    )


def _perspective(lens: JsonObject, name: str) -> GltfCamera:
    fov_y, near = lens.number("yfov"), lens.number("znear")
    if not fov_y > 0:
        lens.fail("yfov", "an angle above 0")
    if not near > 0:
        lens.fail("znear", "a distance above 0")
    far = lens.number("zfar") if lens.has("zfar") else None
    aspect = lens.number("aspectRatio") if lens.has("aspectRatio") else None
    return GltfCamera("perspective", name, fov_y, near, far, aspect)
