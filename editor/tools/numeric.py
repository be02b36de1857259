"""Typing an exact amount during a drag: digits, a sign, a point, Backspace."""


class NumericEntry:
    """What has been typed so far."""

    def __init__(self) -> None:
        self.text = ""

    @property
    def value(self) -> float | None:
        """The number typed, None while there is none."""
        try:
            return float(self.text)
        except ValueError:
            return None

    def clear(self) -> None:
        self.text = ""

    def key(self, key: str) -> bool:
        """Take a key; True when it belongs to a number."""
        if key == "backspace":
            self.text = self.text[:-1]
        elif key == "-":
            self.text = self.text[1:] if self.text.startswith("-") else "-" + self.text
        elif key in (".", ","):
            self.text += "" if "." in self.text else "."
        elif len(key) == 1 and key in "0123456789" and len(self.text) < 12:
            self.text += key
        else:
            return False
        return True
