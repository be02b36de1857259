"""The error tree: everything that a file or a user can cause.

::

    EngineError (ValueError)
    |-- SceneError        scene documents, levels, hierarchy, registry
    |-- AssetError        glTF, images, cooked files, the asset server
    |-- EntityError       a handle that is stale or in use
    |-- ComponentError    a component that is absent, doubled or malformed
    `-- DeviceLostError   the graphics device is gone

A message says what failed, where (file, line or byte, entity and field), what was found and
what was expected. ``assert`` is for invariants of our own code, never for input.
"""


class EngineError(ValueError):
    """Base of every error that a file or a user can cause."""


class SceneError(EngineError):
    """A scene document, level or hierarchy operation that cannot be carried out."""


class AssetError(EngineError):
    """An asset file that is missing, malformed, hostile or not supported."""


class EntityError(EngineError):
    """An entity handle that is stale, null or already in use."""


class ComponentError(EngineError):
    """A component that is absent, given twice or declared wrongly."""


class DeviceLostError(EngineError):
    """The graphics device is gone (driver reset, adapter unplugged): make another renderer."""
