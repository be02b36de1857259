"""From Qt's events to the tools' own."""

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from editor.tools.pointer import Button, KeyEvent, Modifiers, PointerEvent, PointerKind

_BUTTONS: Final = {
    Qt.MouseButton.LeftButton: Button.LEFT,
    Qt.MouseButton.MiddleButton: Button.MIDDLE,
    Qt.MouseButton.RightButton: Button.RIGHT,
}
_KEYS: Final = {
    Qt.Key.Key_Escape: "escape",
    Qt.Key.Key_Return: "return",
    Qt.Key.Key_Enter: "return",
    Qt.Key.Key_Backspace: "backspace",
    Qt.Key.Key_Shift: "shift",
}
_NOTCH: Final = 120.0


def modifiers_of(held: Qt.KeyboardModifier) -> Modifiers:
    """Return the modifiers that tools know."""
    found = Modifiers.NONE
    for qt_modifier, modifier in (
        (Qt.KeyboardModifier.ShiftModifier, Modifiers.SHIFT),
        (Qt.KeyboardModifier.ControlModifier, Modifiers.CTRL),
        (Qt.KeyboardModifier.AltModifier, Modifiers.ALT),
    ):
        if held & qt_modifier:
            found |= modifier
    return found


def pointer_event(event: QMouseEvent, kind: PointerKind) -> PointerEvent:
    """Return a mouse event in logical pixels, with fractions where Qt has them."""
    at = event.position()
    button = _BUTTONS.get(event.button(), Button.NONE)
    if kind is PointerKind.MOVE:
        held = [b for qt_button, b in _BUTTONS.items() if event.buttons() & qt_button]
        button = held[0] if held else Button.NONE
    return PointerEvent(at.x(), at.y(), button, modifiers_of(event.modifiers()), kind)


def wheel_event(event: QWheelEvent) -> PointerEvent:
    """Return a wheel event; Qt turns the wheel sideways while Alt is held."""
    at, turned = event.position(), event.angleDelta()
    notches = (turned.y() or turned.x()) / _NOTCH
    modifiers = modifiers_of(event.modifiers())
    return PointerEvent(at.x(), at.y(), Button.NONE, modifiers, PointerKind.WHEEL, notches)


def key_event(event: QKeyEvent) -> KeyEvent:
    """Return a key by its name, or by the character it types."""
    name = _KEYS.get(Qt.Key(event.key()))
    if name is None:
        is_letter = Qt.Key.Key_A <= event.key() <= Qt.Key.Key_Z
        name = chr(event.key()).lower() if is_letter else event.text()
    return KeyEvent(name, modifiers_of(event.modifiers()))
