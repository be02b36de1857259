"""Following asset files: which ones a level uses, and what refers to one that moved."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Mapping

from editor.commands import Edit, EditContext
from editor.commands.changes import FieldsChange, Presence, ValueChange
from editor.model.change_set import ComponentType
from editor.model.history import Command, CommandGroup, CommandHistory
from engine.assets.library import AssetLibrary
from engine.ecs import World
from engine.errors import AssetError
from engine.reflect import Field, SceneComponent, component_fields

Paths = Mapping[str, str]


def asset_fields(type_: ComponentType) -> list[str]:
    """Return the fields of a component that name a file of the project."""
    return [spec.name for spec in component_fields(type_) if spec.asset]


def used_files(world: World, library: AssetLibrary) -> dict[str, list[pathlib.Path]]:
    """Return the files behind every asset path in the level: the asset first, then its sides.

    Paths that lead to no file are left out: they are as missing elsewhere.
    """
    found: dict[str, list[pathlib.Path]] = {}
    for table in world.tables:
        for type_ in table.types if len(table) else ():
            for name in asset_fields(type_):
                for asset in table.view(type_, name):
                    if asset and asset not in found:
                        found[asset] = _files_of(asset, library)
    return {asset: files for asset, files in found.items() if files}


def _files_of(asset: str, library: AssetLibrary) -> list[pathlib.Path]:
    try:
        main = library.resolve(asset)
    except AssetError:
        return []
    if not main.is_file():
        return []
    known = next((entry for entry in library.entries() if entry.path == asset), None)
    sides = known.asset.source_files if known is not None and known.asset is not None else []
    paths = [pathlib.Path(side).resolve() for side in sides]
    inside = [p for p in paths if p != main and p.is_file() and p.is_relative_to(library.root)]
    return [main, *dict.fromkeys(inside)]


def relocate_world(world: World, moved: Paths) -> None:
    """Let the components of the level refer to where their assets are now."""
    if not moved:
        return
    for table in list(world.tables):
        for type_ in table.types:
            for name in asset_fields(type_):
                rows = [i for i, asset in enumerate(table.view(type_, name)) if asset in moved]
                if rows:
                    texts = table.view(type_, name)
                    table.write(type_, name, rows, [moved[texts[row]] for row in rows])


def relocate_history(history: CommandHistory[EditContext], moved: Paths) -> None:
    """Let every step remember assets by where they are now."""
    if moved:
        for step in history.steps:
            _relocate_command(step, moved)


def _relocate_command(command: Command[EditContext], moved: Paths) -> None:
    if isinstance(command, CommandGroup):
        for part in command.commands:
            _relocate_command(part, moved)
    elif isinstance(command, Edit):
        for change in command.changes:
            if isinstance(change, FieldsChange):
                _relocate_fields(change.type_, (*change.before, *change.after), moved)
            elif isinstance(change, ValueChange):
                _relocate_values([change.before, change.after], moved)
            elif isinstance(change, Presence):
                for _, values in change.stored:
                    _relocate_values(values, moved)


def _relocate_fields(type_: ComponentType, fields: Iterable[Field], moved: Paths) -> None:
    names = asset_fields(type_)
    for field in fields:
        if field.name in names:
            field.text = moved.get(field.text, field.text)


def _relocate_values(values: Iterable[SceneComponent | None], moved: Paths) -> None:
    for value in values:
        for name in asset_fields(type(value)) if value is not None else ():
            setattr(value, name, moved.get(getattr(value, name), getattr(value, name)))
