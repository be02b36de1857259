"""Scene documents: the neutral form of a level, in text and binary; knows `engine.reflect` only."""

from engine.errors import SceneError
from engine.scene.document.binary_read import read_binary
from engine.scene.document.binary_records import MAGIC
from engine.scene.document.binary_write import write_binary
from engine.scene.document.columns import Columns, ComponentTable, FieldColumn
from engine.scene.document.floats import bitcast_u32_to_f32, format_float, parse_float
from engine.scene.document.scene_doc import SCENE_VERSION, EntityRecord, SceneDoc
from engine.scene.document.text_read import read_text
from engine.scene.document.text_write import write_text

__all__ = [
    "MAGIC",
    "SCENE_VERSION",
    "Columns",
    "ComponentTable",
    "EntityRecord",
    "FieldColumn",
    "SceneDoc",
    "SceneError",
    "bitcast_u32_to_f32",
    "format_float",
    "parse_float",
    "read_binary",
    "read_text",
    "write_binary",
    "write_text",
]
