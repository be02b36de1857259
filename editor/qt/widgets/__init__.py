"""Shared widgets: fields, cards, search, empty states, toasts."""
