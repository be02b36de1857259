"""The editor's plain state: history, selection, clipboard, settings, messages. No Qt, no GPU."""
