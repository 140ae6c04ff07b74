"""The options of a game, chosen before a match."""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from hub.engine.text import Message
from hub.errors import StartRefused

OptionValue: TypeAlias = bool | int | str


class Option(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One option (`[options.X]`). Its values have the type of `default`."""

    default: bool | int | str
    """Its usual value."""
    effect: Message
    """What it changes, in one line."""
    choices: list[str] = []
    """The values of a text."""
    min: int = 0
    """The least value of a number."""
    max: int = 1_000_000
    """The largest value of a number."""
    pattern: str = ""
    """A regular expression for other values of a text."""
    seat: bool = False
    """The number is a seat's, and 0 means nobody: screens offer the seats that are taken."""
    label: Message = ""
    """What the lobby calls it. Without one: its own name."""

    def check(self, name: str, value: object) -> OptionValue:
        """Return `value` if it is legal for the option `name`. Raise StartRefused with the legal values."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise StartRefused(f"Option {name} is true or false, not {value!r}.")
        if isinstance(self.default, int):
            if type(value) is int and self.min <= value <= self.max:
                return value
            raise StartRefused(f"Option {name} is a whole number from {self.min} to {self.max}, not {value!r}.")
        if isinstance(value, str) and (value in self.choices or (self.pattern and re.fullmatch(self.pattern, value))):
            return value
        legal = ", ".join(self.choices) + (f", or text of the form {self.pattern}" if self.pattern else "")
        raise StartRefused(f"Option {name} is one of {legal}; not {value!r}.")
