"""Following asset files: which ones a level uses, and what refers to one that moved."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping

from editor.commands import Edit, EditContext
from editor.commands.changes import FieldsChange, Presence, ValueChange
from editor.commands.files import FilesChange
from editor.document.asset_uses import AssetUses
from editor.model.change_set import ComponentType
from editor.model.file_moves import FileMoves
from editor.model.history import Command, CommandGroup, CommandHistory
from engine.assets.library import AssetEntry, AssetLibrary
from engine.ecs import World
from engine.errors import AssetError
from engine.reflect import Field, Kind, SceneComponent, component_fields
from engine.scene import KeptRecords
from engine.scene.level_library import LevelLibrary, placed_levels
from engine.scene.levels.asset_references import AssetFields

Paths = Mapping[str, str]
Renamed = Callable[[str], str]


def asset_fields(type_: ComponentType) -> list[str]:
    """Return the fields of a component that name a file of the project."""
    return [spec.name for spec in component_fields(type_) if spec.asset]


def used_files(assets: Iterable[str], library: AssetLibrary) -> dict[str, list[pathlib.Path]]:
    """Return the files behind every asset path in the level: the asset first, then its sides.

    Paths that lead to no file are left out: they are as missing elsewhere.
    """
    known = {entry.path: entry for entry in library.entries()}
    found = {asset: _files_of(asset, known.get(asset), library) for asset in assets}
    return {asset: files for asset, files in found.items() if files}


def used_by_levels(world: World, levels: LevelLibrary) -> set[str]:
    """Return every file that the levels placed in a level name, through levels in levels."""
    todo, seen, used = placed_levels(world), set[str](), set[str]()
    while todo:
        level = todo.pop()
        if level in seen:
            continue
        seen.add(level)
        blueprint = levels.get(level).blueprint
        if blueprint is not None:
            used.update(blueprint.files)
            todo.extend(blueprint.levels)
    return used


def _files_of(asset: str, known: AssetEntry | None, library: AssetLibrary) -> list[pathlib.Path]:
    try:
        main = library.resolve(asset)
    except AssetError:
        return []
    if not os.path.isfile(main):
        return []
    sides = known.asset.source_files if known is not None and known.asset is not None else []
    paths = [pathlib.Path(side).resolve() for side in sides]
    inside = [
        p for p in paths if p != main and os.path.isfile(p) and p.is_relative_to(library.root)
    ]
    return [main, *dict.fromkeys(inside)]


def relocate_world(world: World, uses: AssetUses, moved: Paths) -> None:
    """Let the components and kept records of the level refer to where their assets are now."""
    for asset in [asset for asset in uses.assets() if asset in moved]:
        for entity in uses.users(asset):
            for type_ in world.types(entity):
                value = world.get(entity, type_)
                if _relocate_value(value, _following(moved), uses.fields):
                    world.set(entity, value)
    uses.start_over()


def relocate_history(
    history: CommandHistory[EditContext], fields: AssetFields, moved: Paths
) -> None:
    """Let every step remember assets by where they are now."""
    if moved:
        _relocate_steps(history, fields, _following(moved))


def settle_moves(history: CommandHistory[EditContext], fields: AssetFields, root: str) -> None:
    """Let no step rename files of a project that the level does not belong to any more.

    What such steps renamed stays renamed for good, also when they are taken back; what those that
    are undone would rename stays what it is.

    Parameters
    ----------
    history, fields
    root : str
        The project that the level belongs to now.
    """
    done: list[FileMoves] = []
    undone: list[FileMoves] = []
    for number, step in enumerate(history.steps):
        found = [moves for moves in moves_in(step) if moves.root != root]
        (done if number < history.index else undone).extend(found)
    in_order = [*done, *(moves.reversed() for moves in undone[::-1])]
    if in_order:
        _relocate_steps(history, fields, lambda name: _renamed_by(in_order, name))


def moves_in(command: Command[EditContext]) -> Iterator[FileMoves]:
    """Yield what a step does to the files of a project."""
    if isinstance(command, CommandGroup):
        for part in command.commands:
            yield from moves_in(part)
    elif isinstance(command, Edit):
        yield from (c.moves for c in command.changes if isinstance(c, FilesChange))


def _renamed_by(in_order: Iterable[FileMoves], name: str) -> str:
    for moves in in_order:
        name = moves.new_name(name)
    return name


def _following(moved: Paths) -> Renamed:
    return lambda name: moved.get(name, name)


def _relocate_steps(
    history: CommandHistory[EditContext], fields: AssetFields, renamed: Renamed
) -> None:
    for step in history.steps:
        _relocate_command(step, fields, renamed)


def _relocate_command(command: Command[EditContext], fields: AssetFields, renamed: Renamed) -> None:
    if isinstance(command, CommandGroup):
        for part in command.commands:
            _relocate_command(part, fields, renamed)
    elif isinstance(command, Edit):
        for change in command.changes:
            if isinstance(change, FieldsChange):
                _relocate_fields(change.type_, (*change.before, *change.after), renamed)
            elif isinstance(change, ValueChange):
                _relocate_values([change.before, change.after], renamed, fields)
            elif isinstance(change, Presence):
                for _, values in change.stored:
                    _relocate_values(values, renamed, fields)


def _relocate_fields(type_: ComponentType, fields: Iterable[Field], renamed: Renamed) -> None:
    names = asset_fields(type_)
    for field in fields:
        if field.name in names:
            field.text = renamed(field.text)


def _relocate_values(
    values: Iterable[SceneComponent | None], renamed: Renamed, fields: AssetFields
) -> None:
    for value in values:
        if value is not None:
            _relocate_value(value, renamed, fields)


def _relocate_value(value: SceneComponent, renamed: Renamed, fields: AssetFields) -> bool:
    """Let one component name moved files by their new paths; whether it named any."""
    found = False
    if isinstance(value, KeptRecords):
        for record in (record for _, record in value.records):
            for field in record.fields:
                text = field.text if field.kind is Kind.STRING else ""
                is_file = fields.names_file(record.name, field.name, text)
                if is_file and renamed(text) != text:
                    field.text, found = renamed(text), True
        return found
    for name in asset_fields(type(value)):
        text = getattr(value, name)
        if renamed(text) != text:
            setattr(value, name, renamed(text))
            found = True
    return found
