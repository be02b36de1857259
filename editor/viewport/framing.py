"""Which pose shows what: the selection, the whole level, or what a level's camera sees."""

from collections.abc import Iterable, Sequence

import numpy as np

from editor.tools.projection import Ray, Vector
from editor.tools.view_camera import (
    CameraPose,
    frame_points,
    pose_from_camera,
)
from editor.viewport.context import ViewContext
from engine.ecs import QuerySpec
from engine.reflect import Entity
from engine.render.framing import EMPTY_BOX, box_corners
from engine.scene.components import CameraComponent
from engine.scene.hierarchy import is_enabled, world_matrix
from engine.scene.render_values import field_of_view

POINT_REACH = 0.6
"""Metres around something that has a place but no surface."""
_CAMERAS = QuerySpec(CameraComponent)


def frame_entities(context: ViewContext, entities: Sequence[Entity]) -> CameraPose:
    """Return the pose that brings entities into view, looking the same way as now."""
    corners = corners_of(context, entities)
    return frame_points(context.navigator.pose, corners, _aspect(context))


def frame_level(context: ViewContext, start: CameraPose | None = None) -> CameraPose:
    """Return the pose that shows every surface of the level, or its origin when it has none.

    It looks the same way as `start`, or as now.
    """
    corners = context.raycaster().box_corners()
    if not len(corners):
        corners = box_corners(*EMPTY_BOX)
    return frame_points(start or context.navigator.pose, corners, _aspect(context))


def corners_of(context: ViewContext, entities: Iterable[Entity]) -> Vector:
    """Return corners of the bounds of entities and of everything below them, (n, 3)."""
    scene, world = context.raycaster(), context.document.world
    found = [np.zeros((0, 3))]
    for entity in entities:
        corners = scene.box_corners(context.subtree([entity]))
        if not len(corners) and world.alive(entity):
            place = world_matrix(world, entity)[:3, 3]
            corners = box_corners(place - POINT_REACH, place + POINT_REACH)
        found.append(corners)
    return np.concatenate(found)


def level_camera_pose(context: ViewContext) -> CameraPose | None:
    """Return the pose of the level's first active camera, None when it has none."""
    return camera_pose(context, active_cameras(context))


def active_cameras(context: ViewContext) -> list[Entity]:
    """Return the level's cameras that are on."""
    world = context.document.world
    return [
        entity
        for entity, camera in _CAMERAS.each(world)
        if camera.active and is_enabled(world, entity)
    ]


def camera_pose(context: ViewContext, entities: Iterable[Entity]) -> CameraPose | None:
    """Return the pose of the first camera among entities, None when there is none.

    Its pivot is put on what it looks at, so that orbiting begins sensibly.
    """
    world = context.document.world
    for entity in entities:
        if not (world.alive(entity) and world.has(entity, CameraComponent)):
            continue
        matrix = world_matrix(world, entity)
        eye, ahead = matrix[:3, 3], -matrix[:3, 2]
        length = float(np.linalg.norm(ahead))
        if not np.isfinite(eye).all() or not 1e-9 <= length < np.inf:
            continue
        hit = context.raycaster().cast(Ray(eye, ahead / length))
        pose = pose_from_camera(eye, ahead, hit.distance if hit is not None else 8.0)
        fov_y = field_of_view(
            float(world.get(entity, CameraComponent).fov_y), CameraComponent().fov_y
        )
        return CameraPose(pose.pivot, pose.yaw, pose.pitch, pose.distance, fov_y)
    return None


def _aspect(context: ViewContext) -> float:
    width, height = context.size
    return width / max(height, 1.0)
