"""KHR_animation_pointer: channels that animate any property, kept by its JSON pointer."""

from typing import TYPE_CHECKING

from engine.assets.gltf.extensions.base import Extension
from engine.assets.gltf.reader import JsonObject

if TYPE_CHECKING:
    from engine.assets.gltf.document import Document


class _AnimationPointer(Extension):
    name = "KHR_animation_pointer"

    def animation_target(self, document: "Document", body: JsonObject) -> str | None:
        return body.string("pointer")


ANIMATION_POINTER = _AnimationPointer()
