"""Set up a machine for the editor with nothing but the standard library.

`environment` finds or builds the Python environment, `system` looks after what pip cannot install
(libraries, a display, a runtime directory), `testing` runs the tests. Nothing here knows the
editor or the engine.
"""
