"""Viewport tools and their maths: pointer events in, document edits out.

Free of Qt and of the GPU: a tool sees the level through :class:`~editor.tools.base.ToolContext`
and the picture through a :class:`~editor.tools.projection.ViewFrame`, and what it wants drawn
is a list of screen-space shapes. The viewport feeds the one and paints the other.
"""
