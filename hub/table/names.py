"""Names of players that could pass for something else: a seat, staff, the hub."""

from __future__ import annotations

import re
import unicodedata

SENTENCE = "That name could pass for a seat, for staff or for the hub: choose another."

# Letters of other alphabets that look like those of the words below (Unicode's confusables.txt, UTS 39).
_ALIKE = str.maketrans("аеорсухіѕтнкмвһυοαερτικνβ", "aeopcyxistnkmbhuoaeptiknb")
_DIGITS = "[1-6]|one|two|three|four|five|six"
_SEAT = re.compile(rf"(seat|player|box|place|table|house)({_DIGITS})")
_WHOLE = re.compile(
    rf"{_DIGITS}"
    r"|(the)?(staff|house|hub|tablehub|table|bank|dealer|host|owner|chance|seat|bot|computer|admin|system)"
    r"|nobody|noone|everybody|everyone|somebody|someone|you|yourseat"
)


def is_misleading(name: str) -> bool:
    """Return whether a name reads like what the table's sentences call a seat, staff, the house or the hub."""
    plain = unicodedata.normalize("NFKD", name).casefold().translate(_ALIKE)
    letters = "".join(letter for letter in plain if letter.isalnum())
    return bool(_SEAT.search(letters) or _WHOLE.fullmatch(letters))
