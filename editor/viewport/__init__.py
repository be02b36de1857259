"""The picture of the level and everything an artist does on it; the editor's only GPU room.

:class:`~editor.viewport.widget.ViewportWidget` ties the parts together: `picture` draws the level
into an image, `geometry` answers rays from the meshes that were uploaded, `painting` puts the
tools' shapes over it, `chips` are the small controls in its corners.
"""
