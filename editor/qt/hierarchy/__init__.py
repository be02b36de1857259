"""The tree of entities as a Qt item model: lazy, patched from change sets, searchable."""
