"""A small scene engine: entities, level files, glTF assets and a renderer. It never imports Qt."""
