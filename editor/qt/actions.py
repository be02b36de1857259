"""Actions as data: what can be done from menus, toolbar and keys.

Each `ActionSpec` is one row of `ACTIONS`; the window binds handlers to their ids. The tooltip ends
with the shortcut, so that people learn the keys from the buttons.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from editor.qt.icons import icon
from editor.qt.names import MODE_TITLES, PIVOT_TITLES

__all__ = ["ACTIONS", "ActionSpec", "make_actions", "set_refusal", "set_tip"]


@dataclass(frozen=True)
class ActionSpec:
    """One action.

    Attributes
    ----------
    action_id
        The object name of the QAction is ``action.<action_id>``.
    keys
        Shortcuts of the Standard preset, the first is shown.
    """

    action_id: str
    text: str
    glyph: str = ""
    keys: tuple[str, ...] = ()
    tip: str = ""
    checkable: bool = False


def _bookmarks() -> tuple[ActionSpec, ...]:
    """Nine views to keep; digits alone are views along the axes in this preset."""
    stored = [
        ActionSpec(f"bookmark_store_{n}", f"Store view {n}", "", (f"Ctrl+{n}",), "Keep this view")
        for n in range(1, 10)
    ]
    recalled = [
        ActionSpec(f"bookmark_{n}", f"Go to view {n}", "", (f"Alt+{n}",), "Look from there again")
        for n in range(1, 10)
    ]
    return (*recalled, *stored)


def _choices(group: str, titles: Mapping[str, str], tip: str) -> tuple[ActionSpec, ...]:
    """One of a few things that exclude each other, as `ToolState` calls them."""
    return tuple(
        ActionSpec(f"{group}_{key}", title, "", (), tip.format(title), checkable=True)
        for key, title in titles.items()
    )


def _add(kind: str, text: str, glyph: str) -> ActionSpec:
    return ActionSpec(f"add_{kind}", text, glyph, (), f"Add a {text.lower()} at the view's centre")


_OWN_TIP: Final = "own_tip"
ACTIONS: Final[tuple[ActionSpec, ...]] = (
    ActionSpec("new", "New level", "file-plus", ("Ctrl+N",), "Begin a new level"),
    ActionSpec("open", "Open…", "folder-open", ("Ctrl+O",), "Open a level"),
    ActionSpec("save", "Save", "floppy-disk", ("Ctrl+S",), "Save the level"),
    ActionSpec("save_as", "Save as…", "", ("Ctrl+Shift+S",), "Save under another name"),
    ActionSpec("revert", "Revert to saved", "clock-counter-clockwise", (), "Drop unsaved changes"),
    ActionSpec("recover", "Recover unsaved work…", "", (), "List what an unexpected end left"),
    ActionSpec("import_asset", "Import assets…", "download-simple", ("Ctrl+I",), "Copy glTF files"),
    ActionSpec("place_file", "Place a file…", "package", ("Ctrl+P",), "Place a glTF file"),
    ActionSpec("reload_assets", "Reload assets", "arrows-clockwise", ("F5",), "Read assets anew"),
    ActionSpec("export", "Export…", "export", (), "Write the level as a .glb file"),
    ActionSpec("export_selection", "Export selection…", "", (), "Write the selection as .glb"),
    ActionSpec("screenshot", "Save screenshot…", "camera", (), "Save the view as a picture"),
    ActionSpec("quit", "Quit", "", ("Ctrl+Q",), "Close the window"),
    ActionSpec("undo", "Undo", "arrow-u-up-left", ("Ctrl+Z",), "Undo"),
    ActionSpec("redo", "Redo", "arrow-u-up-right", ("Ctrl+Shift+Z", "Ctrl+Y"), "Redo"),
    ActionSpec("cut", "Cut", "scissors", ("Ctrl+X",), "Cut the selection"),
    ActionSpec("copy", "Copy", "copy", ("Ctrl+C",), "Copy the selection as scene text"),
    ActionSpec("paste", "Paste", "clipboard", ("Ctrl+V",), "Paste scene text"),
    ActionSpec("duplicate", "Duplicate", "copy-simple", ("Ctrl+D",), "Duplicate the selection"),
    ActionSpec("delete", "Delete", "trash", ("Del",), "Delete the selection"),
    ActionSpec("rename", "Rename", "pencil-simple", ("F2",), "Rename the active entity"),
    ActionSpec("group", "Group", "folder-simple", ("Ctrl+G",), "Put the selection in a group"),
    ActionSpec("unparent", "Move to the top level", "", ("Shift+P",), "Leave the parent, in place"),
    ActionSpec(
        "make_instance", "Make instance…", "stack", (), "Move the selection into a level of its own"
    ),
    ActionSpec("unpack", "Unpack instance", "package", (), "Make its nodes the level's own"),
    ActionSpec(
        "apply_overrides",
        "Apply changes to its level",
        "upload-simple",
        (),
        "Write what was changed and added into the level that is placed",
    ),
    ActionSpec(
        "revert_instance",
        "Revert all changes",
        "arrow-counter-clockwise",
        (),
        "Let the instance be as its asset says",
    ),
    ActionSpec("hide", "Hide or show", "eye-slash", ("H",), "Hide or show the selection"),
    ActionSpec("show_all", "Show all", "eye", ("Alt+H",), "Show everything that was hidden"),
    ActionSpec("lock", "Lock or unlock", "lock-simple", (), "Keep from being picked"),
    ActionSpec(
        "drop_to_floor", "Drop to floor", "arrow-line-down", ("End",), "Rest on what's below"
    ),
    ActionSpec("preferences", "Preferences…", "gear-six", ("Ctrl+,",), "Preferences"),
    ActionSpec("add_menu", "Add…", "plus", ("Shift+A",), "Add an entity"),
    ActionSpec("add_empty", "Empty", "circle-dashed", (), "Add an empty entity"),
    _add("directional", "Sun light", "sun"),
    _add("point", "Point light", "lightbulb"),
    _add("spot", "Spot light", "flashlight"),
    _add("camera", "Camera", "video-camera"),
    _add("box", "Box", "cube"),
    _add("sphere", "Sphere", "circle"),
    _add("cylinder", "Cylinder", "database"),
    _add("cone", "Cone", "triangle"),
    _add("plane", "Plane", "square"),
    _add("torus", "Torus", "record"),
    ActionSpec("add_environment", "Environment", "sun-horizon", (), "Sky, ambient light, exposure"),
    ActionSpec("select_all", "All", "selection-all", ("Ctrl+A",), "Select everything"),
    ActionSpec("select_none", "None", "", ("Ctrl+Shift+A",), "Select nothing"),
    ActionSpec("select_invert", "Invert", "", ("Ctrl+Alt+I",), "Select what is not selected"),
    ActionSpec("select_parent", "Parent", "", ("Shift+Up",), "Select the parents"),
    ActionSpec("select_children", "Children", "", ("Shift+Down",), "Select the children"),
    ActionSpec("select_same_asset", "Same asset", "", ("Shift+G",), "Select all of the same asset"),
    ActionSpec("select_same_type", "Same type", "", (), "Select all with the same components"),
    ActionSpec("tool_select", "Select", "cursor", ("Q",), "Select", checkable=True),
    ActionSpec("tool_move", "Move", "arrows-out-cardinal", ("W",), "Move", checkable=True),
    ActionSpec("tool_rotate", "Rotate", "arrows-clockwise", ("E",), "Rotate", checkable=True),
    ActionSpec("tool_scale", "Scale", "corners-out", ("R",), "Scale", checkable=True),
    ActionSpec(
        "tool_place", "Place", "paint-brush", ("T",), "Place props by clicks", checkable=True
    ),
    ActionSpec("space", "Local space", "globe", ("X",), "Gizmo in local space", checkable=True),
    ActionSpec("snap", "Snapping", "magnet", ("Shift+Tab",), "Snap without Ctrl", checkable=True),
    ActionSpec("frame", "Frame selection", "frame-corners", ("F",), "Frame the selection"),
    ActionSpec("frame_all", "Frame all", "corners-out", ("Shift+F", "Home"), "Frame everything"),
    ActionSpec("view_perspective", "Perspective", "", ("5",), "Perspective view"),
    ActionSpec("view_top", "Top", "", ("7",), "View from the top"),
    ActionSpec("view_front", "Front", "", ("1",), "View from the front"),
    ActionSpec("view_right", "Right", "", ("3",), "View from the right"),
    ActionSpec("view_bottom", "Bottom", "", (), "View from below"),
    ActionSpec("view_back", "Back", "", (), "View from the back"),
    ActionSpec("view_left", "Left", "", (), "View from the left"),
    ActionSpec("view_orthographic", "Orthographic", "", (), "This view without perspective"),
    ActionSpec(
        "view_camera", "Through the camera", "video-camera", ("0",), "Look through the camera"
    ),
    ActionSpec(
        "pilot_camera", "Pilot the camera", "", ("Shift+0",), "Move the camera by moving the view"
    ),
    *_bookmarks(),
    *_choices("mode", MODE_TITLES, "Show surfaces as: {}"),
    *_choices("pivot", PIVOT_TITLES, "Turn and scale about: {}"),
    ActionSpec("grid", "Grid", "grid-four", ("G",), "Show the grid", checkable=True),
    ActionSpec("gizmos", "Gizmos and icons", "", ("Shift+H",), "Show gizmos", checkable=True),
    ActionSpec("stats", "Statistics", "chart-bar", (), "Show statistics", checkable=True),
    ActionSpec("find", "Find in the hierarchy", "magnifying-glass", ("Ctrl+F",), "Find an entity"),
    ActionSpec(
        "palette", "Find an action…", "command", ("Ctrl+Shift+P",), "Find an action by its name"
    ),
    ActionSpec("full_screen", "Full screen", "", ("F11",), "Full screen", checkable=True),
    ActionSpec(
        "theme_light", "Light theme", "circle-half", (), "Use the light theme", checkable=True
    ),
    ActionSpec("reset_layout", "Restore default layout", "layout", (), "Put all panels back"),
    ActionSpec("welcome", "Welcome", "hand-waving", (), "Recent levels, the sample, first steps"),
    ActionSpec("keys", "Keyboard shortcuts", "keyboard", ("F1",), "Show all shortcuts"),
    ActionSpec("open_log", "Show log files", "", (), "Open the folder of the log files"),
    ActionSpec("about", "About", "info", (), "About this program"),
)


def set_tip(action: QAction, tip: str) -> None:
    """Set the tooltip of an action, with its first shortcut behind it."""
    keys = action.shortcuts()
    shown = keys[0].toString(QKeySequence.SequenceFormat.NativeText) if keys else ""
    action.setToolTip(f"{tip}  ({shown})" if shown else tip)
    action.setStatusTip("")


def set_refusal(action: QAction, why: str) -> None:
    """Turn an action off and let its tooltip say why; with no reason it is on, with its own tip."""
    own = action.property(_OWN_TIP)
    if own is None:
        own = action.toolTip()
        action.setProperty(_OWN_TIP, own)
    action.setEnabled(not why)
    action.setToolTip(why or str(own))


def make_actions(
    owner: QWidget, handlers: Mapping[str, Callable[[], object]], specs: Iterable[ActionSpec]
) -> dict[str, QAction]:
    """Make the actions that have a handler and add them to a widget.

    Parameters
    ----------
    handlers
        What each action does, by id; a spec without one makes no action.
    """
    actions: dict[str, QAction] = {}
    for spec in specs:
        handler = handlers.get(spec.action_id)
        if handler is None:
            continue
        action = QAction(spec.text, owner)
        action.setObjectName(f"action.{spec.action_id}")
        action.setCheckable(spec.checkable)
        if spec.glyph:
            action.setIcon(icon(spec.glyph, "text", "on_accent"))
            action.setIconVisibleInMenu(not spec.checkable)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        set_tip(action, spec.tip or spec.text)
        action.triggered.connect(lambda checked=False, handler=handler: handler())
        owner.addAction(action)
        actions[spec.action_id] = action
    return actions
