"""`Signal`: one thing tells others that something happened, without knowing them.

Panels, tools and the viewport observe the document this way, so that the document needs no Qt.
Subscribers are called in the order in which they connected, on the thread that emits. There is
no queue and no filtering.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Subscription:
    """One connection; `close` ends it and may be called again."""

    __slots__ = ("_close",)

    def __init__(self, close: Callable[[], None]) -> None:
        self._close: Callable[[], None] | None = close

    def close(self) -> None:
        if self._close is not None:
            self._close()
            self._close = None


class Signal(Generic[T]):
    """Something that can be observed; `T` is what each emission carries."""

    __slots__ = ("_subscribers",)

    def __init__(self) -> None:
        self._subscribers: dict[object, Callable[[T], object]] = {}

    def connect(self, subscriber: Callable[[T], object]) -> Subscription:
        """Call `subscriber` with the value of every later emission."""
        key = object()
        self._subscribers[key] = subscriber
        return Subscription(lambda: self._subscribers.pop(key, None) and None)

    def emit(self, value: T) -> None:
        """Call every subscriber, also after one of them raised; the first error then goes on.

        One that is closed by an earlier subscriber of the same emission is not called any more.
        """
        failure: Exception | None = None
        for key, subscriber in list(self._subscribers.items()):
            if key not in self._subscribers:
                continue
            try:
                subscriber(value)
            except Exception as error:  # noqa: BLE001 - the others must hear of it all the same
                failure = failure or error
        if failure is not None:
            raise failure
