"""Sentences in another language: a finished English sentence is recognised, and said anew from the catalogue.

The hub says everything in English; so do its log, its messages and its recorded matches. What is shown is translated
where it is drawn: by `Language.say` for panels, by `phone_ui/static/lib/language.js` for pages. Both work the same way
and are tried with the same examples (`tests/display/language.json`):

1. The whole text is a message of the catalogue, or an amount of money.
2. The text fits a message with places ("Seat {seat} bids {amount}."): what stands in its places is translated in turn.
   The message with the most letters of its own is tried first, and one whose places hold known things is preferred.
3. The text is put together of several ("..., and ...", "a · b"): each part is said for itself.
4. Names of people stay as they are: between isolates (`hub.state.isolated`) they are a place without words, whatever they
   say. So does all that no message fits, and a test looks for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count, pairwise
from typing import NamedTuple

import msgspec
from babel import Locale
from babel.lists import format_list

from hub.engine.text import Clause, Listing, Money, PersonName, Text, Value

LONGEST_NAME = 40
"""A place of a message that holds more characters than that, and nothing known, does not fit."""
KEPT = 4000
"""So many sentences are remembered."""
DEPTH = 5
"""So often may places hold sentences with places."""
LONGEST_PAIR = 90
"""A text of more characters is not looked at for two parts with a space between them."""
ENDS = ".,:;…!?"

_PLACE = re.compile(r"\{(\w+)\}")
_LETTERS = re.compile(r"[^\W\d_]{2}")  # one alone is a sign
_LETTER = re.compile(r"[^\W\d_]")
_TWO_NUMBERS = re.compile(r"\d \$?\d")
_MONEY = re.compile(r"\$(\d+)(?:\.(\d\d))?")
_DECIMAL = re.compile(r"[-+]?\d+\.\d+")
_NAMED = re.compile("\u2068([^\u2069]*)\u2069")
_DOT = " · "
_JOINTS = ("; ", ": ", ", and ", ", then ", ", ", " and ", " or ", " with ")


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of one language as pages get them, for all and for one game.

    `plurals` has the number of the form for 0 to 199 of something, as digits: from 200 on as for 100 to 199.
    `money` is how an amount is written, `point` its decimal sign. A message has one form, or as many as the language.
    """

    language: str
    direction: str = "ltr"
    plurals: str = ""
    money: str = "${amount}"
    point: str = "."
    messages: dict[str, str | list[str]] = {}


class _Template(NamedTuple):
    """A message with places: where they stand, how many signs of its own it has, and what it reads in the language.

    `patterns` cut a text in two ways, where there are two: each place as short as it may be, and as long.
    """

    patterns: tuple[re.Pattern[str], ...]
    names: tuple[str, ...]
    weight: int
    longest: str
    said: str | Sequence[str]
    of_one: bool


class Said(NamedTuple):
    """A text in the language, and the parts of it that no message fits (names of people, if the catalogue is whole)."""

    text: str
    unknown: tuple[str, ...] = ()


class Language:
    """One language, for the sentences of one game and of all. Threads may share one: what one forgets, another finds again."""

    def __init__(self, *catalogues: Catalogue) -> None:
        """Take catalogues, the most special one first."""
        self.name = catalogues[0].language if catalogues else "en"
        self.direction = catalogues[0].direction if catalogues else "ltr"
        self._catalogues = catalogues
        self._kept: dict[str, Said] = {}
        self._inner: dict[tuple[int, str], Said] = {}  # of the sentence that is looked at now

    def say(self, text: str) -> str:
        """Return a text in the language; as it is where nothing of it is known."""
        return self.said(text).text if self._catalogues else str(text)

    @cached_property
    def seat(self) -> re.Pattern[str]:
        """Return the pattern of "Seat 2" as sentences of the language have it."""
        return re.compile(re.escape(self.say("Seat 0")).replace("0", "([1-9])"))

    def said(self, text: str) -> Said:
        """Return a text in the language, with what of it is not known."""
        if isinstance(text, Text):
            return self._made(text)
        names = _NAMED.findall(text)
        if not names:
            return self._remembered(text)
        numbers = count()
        made = self._remembered(_NAMED.sub(lambda _: f"\u2068{next(numbers)}\u2069", text))
        return Said(_NAMED.sub(lambda place: f"\u2068{names[int(place[1])]}\u2069", made.text), made.unknown)

    def _remembered(self, text: str) -> Said:
        known = self._kept.get(text)
        if known is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            known = self._kept[text] = self._said(text, 0)
            self._inner.clear()
        return known

    # --- texts with their values ---------------------------------------------------------------------

    def _made(self, text: Text) -> Said:
        """Return a text made from its template in the language and its values; in English if the catalog has no template."""
        match text:
            case Money():
                return Said(self._number(str(text)))
            case Clause():
                inner = self._value(text.values["text"])
                return Said(inner.text.removesuffix("."), inner.unknown)
            case PersonName():
                return Said(str(text))
            case Listing():
                parts = [self._value(item) for item in text.items]
                return Said(self._in_a_row([one.text for one in parts], text.template), _lost(parts))
        said = self._template(text.template)
        if said is None:
            return Said(str(text), (text.template,))
        if not isinstance(said, str):
            said = said[self._form(int(text.values["count"]))]
        values = {name: self._value(value) for name, value in text.values.items()}
        filled = {name: one.text for name, one in values.items()}
        return Said(_filled(said, filled), _lost(values.values()))

    def _value(self, value: Value) -> Said:
        return self.said(value) if isinstance(value, str) else Said(self._number(str(value)))

    def _template(self, template: str) -> str | Sequence[str] | None:
        """Return a template in the language; one without words of its own is the same in all."""
        own = None if _LETTER.search(_PLACE.sub("", template)) else template
        return next((one.messages[template] for one in self._catalogues if template in one.messages), own)

    def _in_a_row(self, parts: Sequence[str], by: str) -> str:
        if by not in ("and", "or"):
            return (f", {self.say('then')} " if by == "then" else ", ").join(parts)
        return format_list(parts, "standard" if by == "and" else "or", Locale.parse(self.name))

    # --- recognising -------------------------------------------------------------------------------

    def _said(self, text: str, depth: int) -> Said:
        known = self._inner.get((depth, text))
        if known is None:
            known = self._inner[depth, text] = self._find(text, depth)
        return known

    def _find(self, text: str, depth: int) -> Said:
        core = " ".join(text.split())
        if not core:
            return Said(text)
        made = self._exact(core)
        if made is None and _DOT in core:  # no message has one: screens put parts together with it
            parts = [self._said(one, depth) for one in core.split(_DOT)]
            made = Said(_DOT.join(one.text for one in parts), tuple(lost for one in parts for lost in one.unknown))
        if made is None and _is_sign(core, depth):
            made = Said(self._number(core))
        made = made or self._nearly(core)
        made = made or self._fitted(core, depth)
        if (made is None or made.unknown) and core[-1:].isalpha():
            whole = self._fitted(f"{core}.", depth)
            made = Said(whole.text.removesuffix(".")) if whole and not whole.unknown else made
        if made is None or made.unknown:
            joined = self._joined(core, depth)
            if joined and (made is None or len("".join(joined.unknown)) < len("".join(made.unknown))):
                made = joined
        if core[-1] in ENDS and (made is None or made.unknown) and depth <= DEPTH:
            open_end = self._said(core[:-1], depth + 1)
            if not open_end.unknown:
                made = Said(f"{open_end.text}{core[-1]}")
        if made is None:
            return Said(text, (core,))
        start = len(text) - len(text.lstrip())
        return Said(text[:start] + made.text + text[len(text.rstrip()) :], made.unknown)

    def _exact(self, text: str) -> Said | None:
        for catalogue in self._catalogues:
            said = catalogue.messages.get(text)
            if said is not None:
                return Said(said if isinstance(said, str) else said[0])
        return None

    def _nearly(self, text: str) -> Said | None:
        """Return a message that differs in its first letter or its last sign.

        Inside of a sentence the name of a card begins with a small letter, a button's short name in capitals is written
        as other words where there is room, and a sentence in a list ends without its point.
        """
        turned = text[:1].swapcase() + text[1:]
        if known := self._exact(turned):
            return known
        if text[:1].isupper() and (known := self._exact(text.upper())):
            return Said(known.text.capitalize())
        if text[-1:].isalpha() and (known := self._exact(f"{text}.") or self._exact(f"{turned}.")):
            return Said(known.text.removesuffix("."))
        return None

    def _fitted(self, text: str, depth: int) -> Said | None:
        if depth > DEPTH:
            return None
        best: Said | None = None
        least = len(text)
        for template in self._candidates(text):
            for pattern in template.patterns:
                fits = pattern.fullmatch(text)
                if fits is None:
                    break
                places = [self._said(one, depth + 1) for one in fits.groups()]
                lost = tuple(lost for one in places for lost in one.unknown)
                size = len("".join(lost))
                if any(len(one) > LONGEST_NAME or one.count(" ") > 4 for one in lost) or (
                    best is not None and size >= least
                ):
                    continue
                filled = dict(zip(template.names, (one.text for one in places), strict=True))
                best, least = Said(self._fill(template, fits.groups(), filled), lost), size
                if not size:
                    return best
        return best

    def _fill(self, template: _Template, found: Sequence[str], filled: Mapping[str, str]) -> str:
        said = template.said
        if not isinstance(said, str):
            number = 1 if template.of_one else next((int(one) for one in found if one.isdecimal()), 2)
            said = said[self._form(number)]
        return _filled(said, filled)

    def _form(self, number: int) -> int:
        plurals, number = self._catalogues[0].plurals, abs(number)
        return int(plurals[number if number < 200 else 100 + number % 100]) if plurals else 0

    def _joined(self, text: str, depth: int) -> Said | None:
        """Return a text that was put together, part by part; None unless a part of it is known."""
        if depth > DEPTH:
            return None
        sentences = [re.split(rf"(?<=[{ends}])( )(?=\S)", text) for ends in (".!?”", ".!?:”")]
        best: Said | None = None
        for parts in (*sentences, *(re.split(f"({re.escape(joint)})", text) for joint in _JOINTS)):
            if len(parts) < 3 or not all(parts[::2]):
                continue
            made = [self._said(one, depth + 1) for one in parts[::2]]
            lost = tuple(lost for one in made for lost in one.unknown)
            size = len("".join(lost))
            if size > 0.6 * len(text) or (best is not None and size >= len("".join(best.unknown))):
                continue
            joints = [self._joint(joint) for joint in parts[1::2]]
            whole = "".join(a + b for a, b in zip((one.text for one in made), [*joints, ""], strict=True))
            best = Said(whole, lost)
            if not lost:
                return best
        return self._beside(text, depth) or best

    def _beside(self, text: str, depth: int) -> Said | None:
        """Return a text of two known parts with a space between them: "Seat 2 the King".

        There is none where the first ends with a hyphen: "Riesen-" and "Hut" are one word. The end of a sentence is part of
        neither: "130 points." is the message "130 points".
        """
        if len(text) > LONGEST_PAIR:
            return None
        if text[-1] in ENDS:
            whole = self._said(text[:-1], depth + 1)
            if not whole.unknown:
                return Said(f"{whole.text}{text[-1]}")
        for space in re.finditer(" ", text):
            if not _LETTER.search(text[: space.start()]) and _TWO_NUMBERS.match(text, space.start() - 1):
                continue
            first = self._said(text[: space.start()], depth + 1)
            second = first if first.unknown else self._said(text[space.end() :], depth + 1)
            if not first.unknown and not second.unknown:
                return Said(f"{first.text}{'' if first.text.endswith('-') else ' '}{second.text}")
        return None

    def _joint(self, joint: str) -> str:
        known = self._exact(joint.strip()) if _LETTERS.search(joint) else None
        return joint.replace(joint.strip(), known.text) if known else joint

    # --- numbers -----------------------------------------------------------------------------------

    def _number(self, text: str) -> str:
        """Return amounts of money, or a number with a point, as the language writes them."""
        first = self._catalogues[0]

        def written(found: re.Match[str]) -> str:
            whole, part = found.groups()
            return first.money.replace("{amount}", whole + (first.point + part if part else ""))

        text = _MONEY.sub(written, text)
        return text.replace(".", first.point) if _DECIMAL.fullmatch(text) else text

    # --- the index ---------------------------------------------------------------------------------

    def _candidates(self, text: str) -> Iterator[_Template]:
        by_word, loose = self._index
        word = text.split(" ", 1)[0]
        for template in sorted((*by_word.get(word, ()), *loose), key=lambda one: -one.weight):
            if template.longest in text:
                yield template

    @cached_property
    def _index(self) -> tuple[dict[str, list[_Template]], list[_Template]]:
        by_word: dict[str, list[_Template]] = {}
        loose: list[_Template] = []
        for catalogue in self._catalogues:
            for key, said in catalogue.messages.items():
                for text, template in _templates(key, said):
                    first = text.split(" ", 1)[0]
                    if "{" in first or " " not in text:
                        loose.append(template)
                    else:
                        by_word.setdefault(first, []).append(template)
        return by_word, loose


def _filled(said: str, values: Mapping[str, str]) -> str:
    """Return a message with its places filled. A translator's mistake costs a place: there is nothing in one of another name."""
    return _PLACE.sub(lambda place: values.get(place[1], ""), said)


def _lost(parts: Iterable[Said]) -> tuple[str, ...]:
    return tuple(unknown for part in parts for unknown in part.unknown)


def _is_sign(text: str, depth: int) -> bool:
    """Return whether a text needs no words: a number, seats' marks with numbers, a letter on a card.

    Two numbers side by side are no sign inside of a sentence: they belong to two places of it.
    """
    if _LETTERS.search(text) or (depth and _TWO_NUMBERS.search(text)):
        return False
    return not any(one.islower() and one != "x" for one in _LETTER.findall(text))


def _pattern(own: Sequence[str], way: str) -> str:
    """Return the pattern of a message by its own texts between its places; `way` is "?" where those are to be short.

    Where only a sign stands between "Seat {seat}" and the next place, the first one is a number and ends before a comma:
    there begins what is said of the next seat.
    """
    places = [
        rf"(\d(?!\d* (?:and|or)\b)[^,]*{way})"
        if one.endswith(("Seat ", "seat ")) and after and not _LETTER.search(after)
        else f"(.*{way})"
        for one, after in pairwise(own)
    ]
    return "".join(one for pair in zip(map(re.escape, own), [*places, ""], strict=True) for one in pair)


def _templates(key: str, said: str | Sequence[str]) -> Iterable[tuple[str, _Template]]:
    """Yield the patterns of a message; one with two English forms stands under both, with a line end between them."""
    one, _, many = key.partition("\n")
    for text, of_one in ((one, bool(many)), (many, False)):
        parts = _PLACE.split(text)
        if len(parts) < 3 and not (many and text):
            continue
        own = parts[::2]
        ways = ("?", "") if len(own) > 2 else ("?",)
        patterns = tuple(re.compile(_pattern(own, way), re.DOTALL) for way in ways)
        longest = max(own, key=len)
        if not any(_LETTER.search(part) for part in own):
            continue
        yield (
            text,
            _Template(patterns, tuple(parts[1::2]), len("".join(own)), longest, said, of_one),
        )
