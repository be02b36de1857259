"""`LevelDocument`: the open level and every edit an artist can make. No Qt, no GPU."""

from editor.document.level_document import LevelDocument
from editor.document.materials import MaterialUse
from editor.document.views import ComponentView

__all__ = ["ComponentView", "LevelDocument", "MaterialUse"]
