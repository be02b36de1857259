"""The one error of the set-up: a sentence for a person, with what to do next."""


class SetupError(Exception):
    """Something that the person at the keyboard has to do first."""
