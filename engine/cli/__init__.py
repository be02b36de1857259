"""Commands that need no window, one file each, above `engine.app`."""
