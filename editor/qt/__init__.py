"""Qt building blocks of the editor: theme, icons, actions as data, shared widgets, item models.

Nothing here knows a panel, the viewport or the main window; panels are built from these parts.
"""
