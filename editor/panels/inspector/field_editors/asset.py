"""STRING that names an asset: thumbnail, drop, browse, show in the assets panel, who shares it."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QVBoxLayout

from editor.panels.inspector.field_editors.base import (
    EditorContext,
    FieldEdit,
    FieldEditor,
    FieldInfo,
    shared_value,
)
from editor.qt.widgets.asset_field import AssetField
from editor.qt.widgets.asset_uses_line import AssetUsesLine
from engine.reflect import Kind

__all__ = ["AssetEditor"]


class AssetEditor(FieldEditor):
    """A project-relative path."""

    def __init__(self, info: FieldInfo, context: EditorContext) -> None:
        super().__init__(info, context)
        self._pattern = info.spec.asset if info.spec is not None else "*"
        empty = info.spec.empty if info.spec is not None else ""
        self._path = ""
        self._field = AssetField(self._pattern, empty=empty)
        self._field.edited.connect(self._on_dropped)
        self._field.browse_requested.connect(self._on_browse_requested)
        self._field.reveal_requested.connect(self._on_followed)
        self._field.followed.connect(self._on_followed)
        self.adopt(self._field)
        self._uses = AssetUsesLine(self)
        self._uses.select_requested.connect(lambda: context.select_asset_users(self._path))
        self._uses.unique_requested.connect(lambda: context.make_asset_unique(self._path))
        column = QVBoxLayout()
        column.setSpacing(0)
        self.row.removeWidget(self._field)
        column.addWidget(self._field)
        column.addWidget(self._uses)
        self.row.addLayout(column, 1)

    @classmethod
    def handles(cls, info: FieldInfo) -> bool:
        return info.kind is Kind.STRING and info.spec is not None and bool(info.spec.asset)

    def set_values(self, values: Sequence[Any]) -> None:
        value = shared_value(values)
        self._path = str(value or "")
        problem = self.context.asset_problem(self._path) if self._path else ""
        picture = self.context.asset_picture(self._path) if self._path and not problem else None
        self._field.set_picture(picture)
        self._field.set_path(None if value is None else self._path, failed=problem)
        count = self.context.asset_user_count(self._path) if self._path else 0
        can_be_own = not problem and not self.info.read_only and count > len(values)
        self._uses.show_count(count, can_be_own=can_be_own)

    def _on_dropped(self, path: str) -> None:
        stored = self.context.asset_path(path)
        if stored:
            self.edited.emit(FieldEdit.to(stored))

    def _on_browse_requested(self) -> None:
        self.context.choose_asset(self._pattern, lambda path: self.edited.emit(FieldEdit.to(path)))

    def _on_followed(self) -> None:
        if self._path:
            self.context.reveal_asset(self._path)
