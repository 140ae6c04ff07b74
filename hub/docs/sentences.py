"""What a message of the catalogues is: a sentence or a label with named places, as people read it in English."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Message:
    """A text for people, and where it comes from.

    `plural` is the same text of several, where `text` is of one. `context` is the game that says it, "" for all.
    """

    text: str
    where: str
    context: str = ""
    plural: str = ""


@dataclass
class Placeholders:
    """The names of the places of one text, each once."""

    used: dict[str, int] = field(default_factory=dict)

    def name(self, wanted: str) -> str:
        """Return a place in braces with that name, numbered from the second on."""
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", wanted).lower().strip("_$") or "value"
        self.used[name] = count = self.used.get(name, 0) + 1
        return f"{{{name}}}" if count == 1 else f"{{{name}{count}}}"


_ID = re.compile(r"[A-Z]{2,3}-[A-Z]?\w*|[A-Z0-9_]+|\W*")
_WORD = re.compile(r"[A-Za-zÀ-ÿ]{2}")


def is_text(text: str) -> bool:
    """Return whether a literal reads as a text for people: several words, or one with a capital."""
    plain = re.sub(r"\{\w*\}", "", text).strip()
    if not _WORD.search(plain) or _ID.fullmatch(plain):
        return False
    if re.search(r"[/#<>=_\\]|::|\.\w+\.|--|^\.|\w\.\w|\w\(\)", plain.replace("$", "")) and not re.search(
        r"[a-z] [a-z]", plain
    ):
        return False
    if re.search(r"\s", text.strip()):
        return True
    return bool(re.match(r"\W*[A-Z][a-z]", plain)) and not re.search(r"[a-z][A-Z]|-[A-Z]", plain)


def pieces(text: str) -> list[str]:
    """Return the parts of a text that screens put together with dots between them, trimmed; none that is a place only."""
    found = [one.strip() for one in text.split(" · ")]
    return [one for one in found if re.search(r"[^\W\d_]", re.sub(r"\{\w*\}", "", one))]
