"""Find what the pages' JavaScript says to people: the texts of htm templates, and literals that read as texts.

No JavaScript parser is there for Python that knows nested template literals, so this walks strings, templates, comments
and brackets itself; it needs nothing else of the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from hub.docs.sentences import Message, Placeholders, is_text, pieces

TEXT_ATTRIBUTES = frozenset(
    {"aria-label", "title", "placeholder", "alt", "label", "question", "named", "legend", "text", "content", "action"}
)
"""Attributes and properties of components that people read or hear."""
NAMES = frozenset({"class", "style", "key", "id", "name", "href", "src", "d", "role", "type"})
"""Attributes that name something to the page alone."""
NOT_SAID = re.compile(
    r"(\bimport\b|\bfrom|[=!]==?|\bcase|\bError\(|console\.\w+\(|querySelector(All)?\(|EventListener\(|getElementById\(|"
    r"createElement\(|closest\(|split\(|throw|\bnew \w+\(|matchMedia\(|[gs]etItem\(|setAttribute\(|fetch\(|"
    r"textEncoder\.encode\(|encode\(|toLocaleTimeString\()\s*$"
)
"""What stands before a literal that nobody reads."""
MOST = 12
"""So many sentences at most are made of the alternatives of one text; else its parts stand alone."""

BREAK = object()
"""Where an element stands in a text, or may."""

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_REGEX_MAY_FOLLOW = re.compile(r"(^|[(,=:\[!&|?{};<>+*%~^-]|\breturn|\btypeof|\bcase|=>)\s*$")


@dataclass
class Template:
    """A template literal: its texts as they read, the expressions between them, and where it stands."""

    tag: str
    texts: list[str]
    holes: list[tuple[int, int]]
    start: int
    end: int


@dataclass
class Script:
    """One JavaScript file."""

    source: str
    path: str
    found: list[Message] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)

    def messages(self) -> list[Message]:
        """Return what the file says to people, in its order."""
        self.walk(0, len(self.source))
        return self.found

    # --- tokens ------------------------------------------------------------------------------------

    def tokens(self, start: int, end: int) -> Iterator[tuple[int, int, str | Template]]:
        """Yield strings and templates of a stretch with where they begin and end."""
        at = start
        while at < end:
            found = self.token(at, start)
            if found is None:
                at += 1
                continue
            stop, what = found
            if what is not None:
                yield at, stop, what
            at = stop

    def token(self, at: int, start: int) -> tuple[int, str | Template | None] | None:
        """Return the end of what begins here and, of a literal, what it is; None for any other sign."""
        source = self.source
        if source.startswith("//", at):
            stop = source.find("\n", at)
            return (len(source) if stop < 0 else stop), None
        if source.startswith("/*", at):
            return source.index("*/", at) + 2, None
        sign = source[at]
        if sign in "\"'":
            stop = at + 1
            while source[stop] != sign:
                stop += 2 if source[stop] == "\\" else 1
            return stop + 1, _cooked(source[at + 1 : stop])
        if sign == "`":
            template = self._template(at)
            return template.end, template
        if sign == "/" and _REGEX_MAY_FOLLOW.search(source[max(start, at - 40) : at]):
            return self._regex(at), None
        return None

    def _regex(self, at: int) -> int:
        stop, in_class = at + 1, False
        while self.source[stop] != "/" or in_class:
            if self.source[stop] == "\\":
                stop += 1
            elif self.source[stop] in "[]":
                in_class = self.source[stop] == "["
            stop += 1
        return stop + 1

    def _template(self, at: int) -> Template:
        before = re.search(r"[\w$]*$", self.source[max(0, at - 20) : at])
        made = Template(before[0] if before else "", [], [], at, at)
        text, here = "", at + 1
        while self.source[here] != "`":
            if self.source[here] == "\\":
                text += _cooked(self.source[here : here + 2])
                here += 2
            elif self.source.startswith("${", here):
                close = self.closing(here + 2)
                made.texts.append(text)
                made.holes.append((here + 2, close))
                text, here = "", close + 1
            else:
                text += self.source[here]
                here += 1
        made.texts.append(text)
        made.end = here + 1
        return made

    def closing(self, at: int) -> int:
        """Return where the brace closes that stands open at `at`."""
        depth, begun = 0, at
        while depth or self.source[at] != "}":
            found = self.token(at, begun)
            if found is not None:
                at = found[0]
                continue
            depth += {"{": 1, "}": -1}.get(self.source[at], 0)
            at += 1
        return at

    # --- expressions -------------------------------------------------------------------------------

    def parts(self, start: int, end: int, signs: tuple[str, ...]) -> list[tuple[int, int, str]]:
        """Cut an expression at the signs outside of its brackets: start and end of each part, and the sign before it."""
        cut, depth, at, begun, sign = [], 0, start, start, ""
        while at < end:
            found = self.token(at, start)
            if found is not None:
                at = found[0]
                continue
            char = self.source[at]
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
            hit = next((one for one in signs if not depth and self.source.startswith(one, at)), None)
            if hit == "?" and self.source[at + 1] in ".?":
                hit, at = None, at + 1
            if hit:
                cut.append((begun, at, sign))
                begun, sign = at + len(hit), hit
                at = begun
            else:
                at += 1
        return [*cut, (begun, end, sign)]

    def alternatives(self, start: int, end: int) -> list[list[object]]:
        """Return what an expression may be as text: lists of texts, breaks, and names of what fills a place."""
        while start < end and self.source[start].isspace():
            start += 1
        while end > start and self.source[end - 1].isspace():
            end -= 1
        if self.source[start:end].startswith("/**"):
            return self.alternatives(self.source.index("*/", start) + 2, end)
        if self.source.startswith("(", start) and self.parts(start, end, (")",))[0][1] == end:
            return self.alternatives(start + 1, end - 1)
        choice = self.parts(start, end, ("?", ":"))
        if len(choice) > 2:
            condition_end = choice[0][1]
            rest = choice[1:]
            # a ? b : c ? d : e
            arms = [one for one in rest if not (one[2] == ":" and self._is_condition(rest, one))]
            return [alternative for one in arms for alternative in self.alternatives(one[0], one[1])] or [
                self._place(start, condition_end)
            ]
        either = self.parts(start, end, ("||", "??"))
        if len(either) > 1:
            return [one for part in either for one in self.alternatives(part[0], part[1])]
        both = self.parts(start, end, ("&&",))
        if len(both) > 1:
            return [*self.alternatives(both[-1][0], both[-1][1]), [BREAK]]
        found = self.token(start, start)
        if found and found[0] == end and isinstance(found[1], str):
            self.taken.add(start)
            return [[found[1]]]
        if found and found[0] == end and isinstance(found[1], Template) and not found[1].tag:
            self.taken.add(start)
            return self.spoken(found[1])
        return [self._place(start, end)]

    def _is_condition(self, rest: list[tuple[int, int, str]], one: tuple[int, int, str]) -> bool:
        follower = rest[rest.index(one) + 1 :]
        return bool(follower) and follower[0][2] == "?"

    def _place(self, start: int, end: int) -> list[object]:
        text = self.source[start:end]
        if "html`" in text or text in ("null", "undefined", "false", "children"):
            return [BREAK]
        names = [name for name in _IDENTIFIER.findall(re.sub(r"\(.*", "", text, flags=re.DOTALL)) if name != "at"]
        return [("place", names[-1] if names else "value")]

    def spoken(self, template: Template) -> list[list[object]]:
        """Return what a template may read."""
        choices = [self.alternatives(*hole) for hole in template.holes]
        size = 1
        for one in choices:
            size *= len(one)
        if size > MOST:
            choices = [
                one if len(one) == 1 else [self._place(*hole)]
                for one, hole in zip(choices, template.holes, strict=True)
            ]
            for hole in template.holes:
                self.walk(*hole, again=True)
        made: list[list[object]] = []
        for chosen in product(*choices):
            read: list[object] = [template.texts[0]]
            for piece, text in zip(chosen, template.texts[1:], strict=True):
                read += [*piece, text]
            made.append(read)
        return made

    # --- what is said ------------------------------------------------------------------------------

    def walk(self, start: int, end: int, *, again: bool = False) -> None:
        """Take all texts of a stretch of code."""
        for at, stop, what in self.tokens(start, end):
            if isinstance(what, Template) and what.tag == "html":
                self.page(what)
                continue
            if at not in self.taken or again:
                self._literal(at, stop, what)
            if isinstance(what, Template):
                for hole in what.holes:
                    self.walk(*hole)

    def _literal(self, at: int, stop: int, what: str | Template) -> None:
        before, after = self.source[max(0, at - 200) : at], self.source[stop : stop + 6]
        is_key = re.match(r"\s*(:(?!:)|===?|!==?|\])", after) and not re.search(r"\?[^:;]*$", before)
        if is_key or (NOT_SAID.search(before[-40:]) and not re.search(r"\?[^:;]*$", before)):
            return
        if isinstance(what, str):
            if is_text(what):
                self.say([what], at)
            return
        if what.tag:
            return
        for read in self.spoken(what):
            self.say(read, at)

    def say(self, read: list[object], at: int, *, words: bool = False) -> None:
        """Note a text: cut at its breaks, with a name for each place."""
        runs: list[list[object]] = [[]]
        for part in read:
            if part is BREAK:
                runs.append([])
            else:
                runs[-1].append(part)
        for run in runs:
            places, text = Placeholders(), ""
            for part in run:
                if isinstance(part, tuple):
                    money = text.endswith("$")
                    text = text[:-1] if money else text
                    text += places.name(part[1])
                else:
                    text += re.sub(r"\s+", " ", str(part)).replace("{", "").replace("}", "")
            line = self.source.count("\n", 0, at) + 1
            for piece in pieces(text):
                if is_text(piece) or (words and re.search("[A-Za-z]{2}", re.sub(r"\{\w+\}", "", piece))):
                    self.found.append(Message(piece, f"{self.path}:{line}"))

    def page(self, template: Template) -> None:
        """Take the texts and the spoken attributes of an htm template."""
        run: list[list[list[object]]] = []
        reader = Markup()

        def end_run() -> None:
            if run:
                self._take_run([*run], template.start)
            run.clear()

        for i, text in enumerate(template.texts):
            for kind, value in reader.feed(text):
                if kind == "text":
                    run.append([[value]])
                elif kind == "attribute" and reader.attribute in TEXT_ATTRIBUTES:
                    self.say([value], template.start, words=True)
                elif kind == "tag":
                    end_run()
            if i == len(template.holes):
                break
            hole = template.holes[i]
            if reader.place == "text":
                run.append(self.alternatives(*hole))
            elif reader.place == "value" and reader.attribute in TEXT_ATTRIBUTES and reader.whole:
                for read in self.alternatives(*hole):
                    self.say(read, template.start, words=True)
            elif reader.place == "value" and reader.attribute in NAMES:
                self._pass_over(*hole)
            reader.hole()
        end_run()
        for hole in template.holes:
            self.walk(*hole)

    def _pass_over(self, start: int, end: int) -> None:
        """Take no text of a stretch: it names styles or parts."""
        for at, _, what in self.tokens(start, end):
            self.taken.add(at)
            for hole in what.holes if isinstance(what, Template) else ():
                self._pass_over(*hole)

    def _take_run(self, run: list[list[list[object]]], at: int) -> None:
        size = 1
        for choices in run:
            size *= len(choices)
        if size > MOST:
            run = [one if len(one) == 1 else [[("place", "part")]] for one in run]
        for chosen in product(*run):
            read = [part for one in chosen for part in one]
            texts = [part for part in read if isinstance(part, str) and part.strip()]
            if texts:
                self.say(read, at, words=True)


class Markup:
    """Where in the markup of an htm template its next sign stands."""

    def __init__(self) -> None:
        self.place = "text"
        self.attribute = ""
        self.whole = False
        self._quote = ""

    def hole(self) -> None:
        """Go on behind an expression."""
        if self.place == "value" and not self._quote:
            self.place, self.whole = "tag", False
        elif self.place == "value":
            self.whole = False

    def feed(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the texts, tags and attribute values of the next stretch; whitespace with line ends is no text."""
        if self.place == "text":
            first, _, rest = text.partition("<")
            yield from self._text(first)
            if "<" not in text:
                return
            yield "tag", ""
            self.place, text = "tag", rest
        while text:
            if self.place == "value":
                if self._quote:
                    value, closed, text = text.partition(self._quote)
                    self.whole = not value and not closed
                    if closed:
                        if value:
                            yield "attribute", value
                        self.place, self._quote = "tag", ""
                    continue
                if text[0] in "\"'":
                    self._quote, text = text[0], text[1:]
                    continue
                self.place = "tag"
            found = re.search(r"([\w:-]+)=|>", text)
            if found is None:
                return
            text = text[found.end() :]
            if found[0] == ">":
                self.place = "text"
                first, cut, rest = text.partition("<")
                yield from self._text(first)
                if not cut:
                    return
                yield "tag", ""
                self.place, text = "tag", rest
            else:
                self.place, self.attribute, self.whole = "value", found[1], True

    @staticmethod
    def _text(text: str) -> Iterator[tuple[str, str]]:
        text = re.sub(r"^\s*\n\s*|\s*\n\s*$", "", text)
        if text:
            yield "text", text


def _cooked(text: str) -> str:
    """Return a literal as it reads."""
    signs = {"n": "\n", "t": "\t", "r": "\r"}
    text = re.sub(r"\\u\{?([0-9a-fA-F]{4})\}?", lambda found: chr(int(found[1], 16)), text)
    return re.sub(r"\\(.)", lambda found: signs.get(found[1], found[1]), text)
