"""The scene editor for artists, over :mod:`engine`."""
