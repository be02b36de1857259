"""The menus as data: action ids, "-" for a separator, "submenu:<id>" for one of these menus."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from editor.qt.names import MODE_TITLES, PIVOT_TITLES

__all__ = ["MENUS", "MENU_BAR", "VIEW_SUBMENUS", "fill_menu"]

MENU_BAR: Final = ("file", "edit", "add", "select", "view", "window", "help")
VIEW_SUBMENUS: Final = ("bookmarks", "modes", "pivots")

MENUS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "file": (
        "&File",
        (
            "new", "open", "submenu:recent", "-", "save", "save_as", "revert", "recover",
            "-", "import_asset", "place_file", "reload_assets", "-", "export", "export_selection",
            "screenshot", "-", "quit",
        ),
    ),
    "edit": (
        "&Edit",
        (
            "undo", "redo", "-", "cut", "copy", "paste", "duplicate", "delete", "-", "rename",
            "group", "unparent", "drop_to_floor", "-", "make_instance", "unpack",
            "apply_overrides", "revert_instance", "-", "hide", "show_all", "lock", "-",
            "preferences",
        ),
    ),
    "add": (
        "&Add",
        (
            "add_empty", "-", "add_box", "add_sphere", "add_cylinder", "add_cone", "add_plane",
            "add_torus", "-", "add_directional", "add_point", "add_spot", "-", "add_camera",
            "add_environment", "-", "place_file",
        ),
    ),
    "select": (
        "&Select",
        (
            "select_all", "select_none", "select_invert", "-", "select_parent",
            "select_children", "-", "select_same_asset", "select_same_type", "-", "find",
        ),
    ),
    "view": (
        "&View",
        (
            "frame", "frame_all", "-", "view_perspective", "view_orthographic", "view_camera",
            "pilot_camera", "-", "view_top", "view_bottom", "view_front", "view_back",
            "view_right", "view_left", "submenu:bookmarks", "-", "submenu:modes", "submenu:pivots",
            "-", "tool_select", "tool_move",
            "tool_rotate", "tool_scale", "tool_place", "-", "space", "snap", "-", "grid", "gizmos",
            "stats", "-", "full_screen",
        ),
    ),
    "bookmarks": (
        "Camera bookmarks",
        (
            *(f"bookmark_{number}" for number in range(1, 10)), "-",
            *(f"bookmark_store_{number}" for number in range(1, 10)),
        ),
    ),
    "modes": ("View mode", tuple(f"mode_{name}" for name in MODE_TITLES)),
    "pivots": ("Pivot", tuple(f"pivot_{name}" for name in PIVOT_TITLES)),
    "window": ("&Window", ("submenu:panels", "-", "theme_light", "reset_layout")),
    "help": ("He&lp", ("welcome", "palette", "keys", "-", "open_log", "about")),
    "nothing": (
        "Level",
        (
            "submenu:add", "-", "paste", "place_file", "-", "submenu:select", "show_all", "-",
            "frame_all",
        ),
    ),
    "entity": (
        "Entity",
        (
            "submenu:add", "-", "cut", "copy", "paste", "duplicate", "delete", "-", "rename",
            "group", "unparent", "drop_to_floor", "-", "make_instance", "unpack",
            "apply_overrides", "revert_instance", "-", "hide", "lock", "-", "frame",
            "submenu:select",
        ),
    ),
}  # fmt: skip


def fill_menu(
    menu: QMenu, menu_id: str, actions: Mapping[str, QAction], submenus: Mapping[str, QMenu]
) -> None:
    """Fill a menu from `MENUS`; entries without an action are left out."""
    pending_separator = False
    for entry in MENUS[menu_id][1]:
        if entry == "-":
            pending_separator = bool(menu.actions())
            continue
        submenu = submenus.get(entry.removeprefix("submenu:")) if ":" in entry else None
        action = submenu.menuAction() if submenu is not None else actions.get(entry)
        if action is None:
            continue
        if pending_separator:
            menu.addSeparator()
            pending_separator = False
        menu.addAction(action)
