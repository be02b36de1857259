"""Entities, components in archetype tables, queries, and deferred changes."""

from engine.ecs.deferred import DeferredOps
from engine.ecs.query import QuerySpec
from engine.ecs.table import ComponentType, Table
from engine.ecs.world import World
from engine.errors import ComponentError, EntityError
from engine.reflect import Entity

__all__ = [
    "ComponentError",
    "ComponentType",
    "DeferredOps",
    "Entity",
    "EntityError",
    "QuerySpec",
    "Table",
    "World",
]
