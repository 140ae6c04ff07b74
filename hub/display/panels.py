"""Panels: the public state as a sheet in black and white, for 2.13, 2.9, 4.2 and 7.5 inch e-ink.

Every sheet is complete in itself (round, whose turn, all public numbers as far as they fit), so that
the table can finish by hand with the power off. Zones are those of the product's page: a header, the
main zone, the seats, and on the larger two a foot. A seat that is waited for stands white on black.
"""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import segno

from hub.display.facts import asked_seats, named, phase, scope, spoken_seat, valued
from hub.display.ink import BLACK, WHITE, Box, Sheet, fitting, shortened, width_of, wrapped
from hub.display.labels import Face, Words, counted, deck_in, face_of, fill, found, letter, part, plain, scored
from hub.ports import SEAT_MARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PIL import Image

PanelSize = Literal["2.13", "2.9", "4.2", "7.5"]


class Format(NamedTuple):
    """The zones of a panel and its smallest text, in pixels."""

    width: int
    height: int
    least: int
    zones: Mapping[str, Box]


SIZES: Mapping[PanelSize, Format] = {
    "2.13": Format(250, 122, 13, {
        "head": Box(0, 0, 250, 20), "main": Box(0, 20, 250, 94), "seats": Box(0, 94, 250, 122),
    }),
    "2.9": Format(296, 128, 16, {
        "head": Box(0, 0, 296, 20), "main": Box(0, 20, 296, 98), "seats": Box(0, 98, 296, 128),
    }),
    "4.2": Format(400, 300, 18, {
        "head": Box(0, 0, 400, 32), "main": Box(0, 32, 400, 172), "seats": Box(0, 172, 400, 272),
        "foot": Box(0, 272, 400, 300),
    }),
    "7.5": Format(800, 480, 22, {
        "head": Box(0, 0, 800, 48), "main": Box(0, 48, 520, 392), "seats": Box(520, 48, 800, 392),
        "foot": Box(0, 392, 800, 480),
    }),
}  # fmt: skip


def panel(state: Mapping[str, Any], words: Words | None, size: PanelSize, join: str = "") -> Image.Image:
    """The public state on a panel, black on white in one bit.

    `join` is the address that the QR code opens; without it the QR opens the hub's own address.
    """
    return sheet(state, words, size, join).image


def png(image: Image.Image) -> bytes:
    """An image as the bytes of a PNG file."""
    out = BytesIO()
    image.save(out, "png", optimize=True)
    return out.getvalue()


def sheet(state: Mapping[str, Any], words: Words | None, size: PanelSize, join: str = "") -> Sheet:
    """The panel with the places of its texts."""
    paper = Sheet(SIZES[size].width, SIZES[size].height)
    _DRAWN[size](paper, _Told(state, words, join))
    return paper


# --- what is told, the same on every size --------------------------------------------------------------


class _Seat(NamedTuple):
    """A seat as the panels tell it."""

    number: int
    name: str
    cells: Sequence[str]  # in a few characters, for the smallest panel: the first that fits
    facts: Sequence[str]  # all that is public of it, for the others
    token: str = ""
    asked: bool = False
    marked: bool = False  # its symbol is underlined


class _Record(NamedTuple):
    """One of a row of things on the table: `lit` are the cards that count."""

    title: str
    cards: Sequence[str | None]
    text: str
    lit: Sequence[str | None] = ()


class _Laid(NamedTuple):
    """A card of a row, and whether it is the one that counts now."""

    face: Face
    here: bool


class _Told:
    """The public state in the words of the game."""

    def __init__(self, state: Mapping[str, Any], words: Words | None, join: str) -> None:
        self.state, self.words = state, words
        self.view: Mapping[str, Any] = state.get("view") or {}
        self.stage = str(state.get("state") or "lobby")
        self.address = str(state.get("url") or "").partition("://")[2] or str(state.get("url") or "")
        self.join = join or str(state.get("url") or "")
        self.code = str(state.get("code") or "")
        self.title = self._said(state.get("title")) or self._said(state.get("name"))
        self.table = self._said(state.get("name"))
        self.round = f"round {self.view['round']}" if self.view.get("round") else ""
        self.dice = self._dice()
        self.phase = {"lobby": "Join", "over": "Game over", "stopped": "Stopped"}.get(
            self.stage, phase(self.view, words)
        )
        self.deck = deck_in(words, self.view.get("table"), self.view.get("seats"))
        self.main, self.caption = self._main()
        self.row = self._row()
        self.listing = self._listing()
        self.seats = self._seats()
        self.records = () if self.listing else self._records()
        if self.stage == "playing" and self.main == self.phase and not self.row:
            # The phase stands in the header already: what lies on the table is more.
            self.listing, self.records = self.listing or self.records, ()
        self.facts = self._facts()

    def _said(self, text: Any) -> str:
        return named(str(text or ""), self.state)

    @property
    def is_lobby(self) -> bool:
        """Whether guests are still finding their seats."""
        return self.stage == "lobby"

    @property
    def next(self) -> str:
        """Who has to do something, in a few words."""
        if self.stage == "over":
            return "press to play again"
        if self.is_lobby:
            seats = self.state.get("seats") or ()
            return f"{sum(bool(one.get('held')) for one in seats)} of {len(seats)} seated"
        roll = (self.view.get("waiting") or {}).get("roll")
        if roll:
            dice = "1 die" if roll.get("count") == 1 else f"{roll.get('count')} dice"
            return self._said(f"Seat {roll['seat']} rolls {dice}")
        locked = self.state.get("locked") or ()
        asked = [seat for seat in asked_seats(self.state) if seat not in locked]
        if not asked:
            return ""
        if len(asked) == 1:
            return self._said(f"waiting for Seat {asked[0]}")
        return f"waiting for {' '.join(SEAT_MARKS[seat].symbol for seat in asked)}"

    @property
    def last(self) -> str:
        """A service message, else what happened last."""
        if self.state.get("notice") and self.stage != "stopped":
            return self._said(self.state["notice"])
        if self.is_lobby:
            return "Tap a free seat on your phone, then type its number or press its box."
        return self.happened[-1] if self.happened else ""

    @property
    def happened(self) -> list[str]:
        """What happened, oldest first; how the match ended stands in the main zone."""
        why = (self.state.get("over") or {}).get("why")
        return [self._said(event.get("text")) for event in self.state.get("events") or () if event.get("text") != why]

    def _dice(self) -> Sequence[tuple[int, int]]:
        dice = self.state.get("dice") or {}
        if dice.get("state") not in ("settled", "typed", "cocked"):
            return ()
        return [(int(face), int(dice.get("sides") or 6)) for face in dice.get("faces") or ()]

    def _main(self) -> tuple[str, str]:
        if self.is_lobby:
            return self.code, self.address
        if self.stage == "stopped":
            return "Stopped", self._said(self.state.get("notice") or self.state.get("want"))
        over = self.state.get("over")
        if self.stage == "over" and over:
            winners = over.get("winners") or ()
            names = " ".join(f"Seat {seat}" for seat in winners)
            return self._said(f"{names} {'wins' if len(winners) == 1 else 'win'}"), self._said(over.get("why"))
        drawn = part(self.words, "screen", "phase", str(self.view.get("phase")))
        seat, around = spoken_seat(self.state), scope(self.state)
        mains = (self._said(fill(str(one or ""), around, seat, self.words)) for one in _several(drawn.get("main")))
        main = next(filter(None, mains), "")
        caption = self._said(fill(str(drawn.get("caption") or ""), around, seat, self.words))
        caption = self._said(self._dice_told()) or caption
        return main or self.phase, caption or self._said(self.state.get("want"))

    def _dice_told(self) -> str:
        """What the open roll needs a person for, how far it has come, or what it must show."""
        if (self.state.get("dispute") or {}).get("stage") == "vote":
            return "Are the dice read again? Push: yes. Bar: no."
        dice = self.state.get("dice") or {}
        if dice.get("again") and dice.get("say"):
            return str(dice["say"])
        seen = sum(len(batch["faces"]) for batch in dice.get("done") or ()) + len(dice.get("faces") or ())
        total = f"Total {dice['total']}, {seen} of {dice['count']} dice" if seen and dice["count"] > 1 else ""
        if dice.get("state") in ("cocked", "wrong_count", "no_reader", "typed"):
            return f"{dice.get('say') or ''} {total if dice.get('done') else ''}".strip()
        return total or str((dice.get("wants") or {}).get("say") or "")

    def _row(self) -> Sequence[_Laid]:
        """The row of cards that stands for the large text in this phase."""
        drawn = part(self.words, "screen", "phase", str(self.view.get("phase")))
        row = found(self.view, str(drawn.get("row"))) if self.stage == "playing" and drawn.get("row") else None
        here = self._here(str(drawn.get("row") or ""))
        faces = [(face_of(self.words, one, self.deck), one) for one in row] if isinstance(row, list) else []
        key = str(part(self.words, "face").get("key"))
        return [_Laid(face, one.get(key) == here if isinstance(one, dict) else False) for face, one in faces if face]

    def _listing(self) -> Sequence[_Record]:
        """The records that stand for the large text in this phase, such as what each seat earned."""
        path = str(part(self.words, "screen", "phase", str(self.view.get("phase"))).get("row") or "")
        for name, fact in self._listed("table") if self.stage == "playing" else ():
            if path == f"table.{name}" and not fact.get("card"):
                return [self._record(one, fact) for one in found(self.view, path) or ()]
        return ()

    def _here(self, path: str) -> Any:
        """The card of a row that the words mark as the one that counts now."""
        mark = next(
            (fact["here"] for name, fact in self._listed("table") if path == f"table.{name}" and "here" in fact), ""
        )
        return found(self.view, str(mark)) if mark else None

    def _seats(self) -> list[_Seat]:
        players = {int(one["seat"]): one for one in self.state.get("seats") or ()}
        if self.is_lobby or not self.view.get("seats"):
            return [self._guest(seat, one) for seat, one in sorted(players.items())]
        asked = set(asked_seats(self.state)) - set(self.state.get("locked") or ())
        scores = (self.state.get("over") or {}).get("scores") or {}
        told = []
        for key, facts in sorted(self.view["seats"].items(), key=lambda item: int(item[0])):
            seat = int(key)
            name = str(players.get(seat, {}).get("name") or f"Seat {seat}")
            if self.stage == "over" and key in scores:
                number, score = (
                    counted(scores[key], {"money": part(self.words, "screen").get("score")}),
                    scored(scores[key], self.words),
                )
                others = [fact for fact in self._seat_facts(facts) if fact != score]
                told.append(_Seat(seat, name, [number], [score, *others], "", self._won(seat)))
            else:
                cells = [
                    fill(str(one), facts, words=self.words) for one in _several(part(self.words, "screen").get("cell"))
                ]
                token, now = self._token(seat), self._cell_now(seat)
                marked = facts.get(str(part(self.words, "screen").get("mark"))) is True
                all_facts = [*filter(None, [now]), *self._seat_facts(facts)] or cells[:1]
                small = [now] if now else [cell + token for cell in cells]
                told.append(_Seat(seat, name, small, all_facts, token, seat in asked, marked))
        return told

    def _cell_now(self, seat: int) -> str:
        """What counts of a seat in this phase, where the words name numbers by seat: its number, or whether it is in."""
        path = part(self.words, "screen", "phase", str(self.view.get("phase"))).get("cells")
        if not path:
            return ""
        number = (found(self.view, str(path)) or {}).get(str(seat))
        money = next((fact for name, fact in self._listed("table") if path == f"table.{name}"), {})
        inside = found(self.view, str(part(self.words, "screen").get("inside") or ""))
        if isinstance(inside, list) and seat not in inside:
            return "--"
        return counted(number, money) if type(number) is int else "in" if isinstance(inside, list) else ""

    def _guest(self, seat: int, one: Mapping[str, Any]) -> _Seat:
        if one.get("held"):
            name = str(one.get("name") or f"Seat {seat}")
            done = "✓" if one.get("ready") else ""
            return _Seat(seat, name, [done], [done])
        code = str(one.get("claim_code") or "")
        return _Seat(seat, "free", [code], [code])

    def _won(self, seat: int) -> bool:
        return seat in ((self.state.get("over") or {}).get("winners") or ())

    def _token(self, seat: int) -> str:
        fact = part(self.words, "screen").get("token")
        if not fact or (self.view.get("table") or {}).get(fact) != seat:
            return ""
        return str(part(self.words, "screen").get("token_letter") or str(fact)[0].upper())

    def _listed(self, where: str) -> list[tuple[str, Mapping[str, Any]]]:
        """The facts of a place. Two places may have a fact of one name: then `name` says it, and the key differs."""
        now, facts = self.view.get("phase"), part(self.words, "facts").items()
        here = [
            (key, fact) for key, fact in facts
            if fact.get("where") == where and now in fact.get("in", [now]) and "panel" in fact.get("on", ["panel"])
        ]  # fmt: skip
        return [(str(fact.get("name", key)), fact) for key, fact in here]

    def _seat_facts(self, facts: Mapping[str, Any]) -> list[str]:
        told = [self._fact(name, fact, facts) for name, fact in self._listed("seat")]
        return [one for one in told if one]

    def _facts(self) -> list[str]:
        table = self.view.get("table") or {}
        # Cards of a row are told here only where they do not lie in the main zone.
        told = [
            self._fact(name, fact, table)
            for name, fact in self._listed("table")
            if not fact.get("row") or (fact.get("card") and not self.row)
        ]
        return [one for one in told if one]

    def _fact(self, name: str, fact: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
        value = found(facts, name)
        label = str(fact.get("short", fact.get("label", name)))
        if value is None or value is False or value in ([], fact.get("unless", 0 if fact.get("heap") else None)):
            hidden = facts.get(f"{name}_count") if fact.get("card") else None
            return f"{label} {'? ' * hidden}".strip() if type(hidden) is int and hidden else ""
        if value is True:
            return label
        base = name.removesuffix("_count")
        if base != name and part(self.words, "facts", base).get("card"):
            return ""  # told as ? beside the cards
        if fact.get("card") and isinstance(value, list):
            count = facts.get(f"{name}_count")
            hidden = count - len(value) if type(count) is int else 0
            between = ", " if fact["card"] == "name" else " "
            cards = [self._card(face, by_name=fact["card"] == "name") for face in value]
            text = between.join([*(dict.fromkeys(cards) if fact["card"] == "name" else cards), *"?" * hidden])
        elif fact.get("card") and isinstance(value, dict):
            text = " ".join(f"{letter(self.words, face)}{counted(one, fact)}" for face, one in value.items())
        elif fact.get("sides") and isinstance(value, list):
            text = self._by_turns(value, fact)
        else:
            text = self._said(valued(value, fact, self.words))
        mark = "!" if value == fact.get("warn") else "*" if self._leads(fact, facts) else ""
        return f"{label}{'' if len(label) < 2 else ' '}{text}{mark}" if text else ""

    def _leads(self, fact: Mapping[str, Any], facts: Mapping[str, Any]) -> bool:
        """Whether these are the facts of the seat that leads in this one, as the words say where to look."""
        leader = found(self.view, str(fact["leader"])) if fact.get("leader") else None
        return leader is not None and facts is self.view["seats"].get(str(leader))

    def _by_turns(self, values: Sequence[Any], fact: Mapping[str, Any]) -> str:
        """The newest of what two sides named by turns."""
        sides = [found(self.view, str(path)) for path in fact["sides"]]
        told = [f"{counted(one, fact)} {SEAT_MARKS[sides[place % 2]].symbol}" for place, one in enumerate(values)]
        return " ".join(told[-2:])

    def _card(self, card: Any, *, by_name: bool) -> str:
        """A card in a fact: its letter, the title of its face, or its name where the words want that."""
        face = face_of(self.words, card, self.deck)
        if face is None:
            return str(card) if part(self.words, "face") else letter(self.words, card)
        return face.name if by_name else face.title if face.title != face.name else letter(self.words, card)

    def _records(self) -> list[_Record]:
        told: list[_Record] = []
        for name, fact in self._listed("table") if self.stage != "over" else ():
            rows = (self.view.get("table") or {}).get(name) if fact.get("row") and not fact.get("card") else None
            here = found(self.view, str(fact["here"])) if fact.get("here") else None
            only = {key: found(self.view, path) for key, path in (fact.get("only") or {}).items()}
            wanted = [one for one in rows or () if all(one.get(key) == value for key, value in only.items())]
            told += [self._record(one, fact) for one in sorted(wanted, key=lambda one: one.get("id") != here)]
        return told

    def _record(self, record: Mapping[str, Any], fact: Mapping[str, Any]) -> _Record:
        names = part(self.words, "names")
        said = {key: part(names, key).get(str(value), value) for key, value in record.items()}
        flag = fact.get("flag")
        text = str(flag) if flag and record.get(flag) else fill(str(fact.get("text") or ""), said, words=self.words)
        title = fill(str(fact.get("title") or ""), said, words=self.words)
        by = record.get(str(fact.get("by")))
        if type(by) is int and by in SEAT_MARKS:
            title = f"{SEAT_MARKS[by].symbol} {title}"
        if counts := plain(record.get(str(fact.get("seats")))):
            text = f"{counts} · {text}".strip(" ·")
        faces = record.get(str(fact.get("cards")))
        cards = [None if face is None else letter(self.words, face) for face in faces or ()]
        lit = [letter(self.words, face) for face in record.get(str(fact.get("lit"))) or ()]
        return _Record(self._said(title), cards, self._said(text), lit)


def _several(templates: Any) -> Sequence[Any]:
    """A template, or several in the order in which they are tried."""
    return templates if isinstance(templates, list) and templates else [templates or ""]


# --- the sizes -------------------------------------------------------------------------------------


def _small(panel_size: PanelSize, paper: Sheet, told: _Told) -> None:
    """2.13 and 2.9 inch: one number, one line, the seats."""
    zones = SIZES[panel_size].zones
    _head(paper, zones["head"], [told.title, told.round.replace("round ", "r")], told.phase, 16, 6)
    main = zones["main"].inset(6)
    caption = told.next if told.listing else told.caption
    wide = width_of(caption, 16) > main.width
    lines = wrapped(caption, main.width, 2, 16) if wide else [caption]
    size = 16 if wide else fitting(caption, main.width, (20, 18, 16))
    height = 18 if wide else 23
    number = Box(main.left, main.top + 2, main.right, main.bottom - 1 - len(lines) * height)
    _main(paper, number, told, (56, 48, 40, 32, 26, 22, 18, 16))
    for place, line in enumerate(lines):
        paper.line(number._replace(top=number.bottom, bottom=main.bottom).row(place, height), line, size)
    zone = zones["seats"]
    paper.fill(Box(zone.left, zone.top, zone.right, zone.top + 1))
    # As wide as the seats at the table allow; six of them get the 49 pixels of the product's page.
    for place, seat in enumerate(told.seats):
        box = Box(*zone.column(place, max(len(told.seats), 1)))._replace(top=zone.top + 1)
        ink = _cell(paper, box, seat, left=told.seats[place - 1] if place else None)
        symbol = SEAT_MARKS[seat.number].symbol
        inner = box.inset(2, 2)
        texts = [f"{symbol}{cell}" for cell in seat.cells]
        if told.is_lobby and seat.cells[0] in ("", "✓"):
            texts = [f"{symbol}{seat.name} {seat.cells[0]}".strip(), *texts[: len(seat.cells[0])]]
        sizes = [size for size in (20, 18, 16, 14, 13) if size >= SIZES[panel_size].least]
        texts += [text.removesuffix(seat.token) for text in texts]  # sooner the marker than a number
        text = next((one for one in texts if width_of(one, sizes[-1]) <= inner.width), texts[-1])
        size = fitting(text, inner.width, sizes)
        paper.line(inner, text, size, align="centre", ink=ink)
        if seat.marked:
            _underline(paper, inner, text, size, ink, align="centre")


def _medium(paper: Sheet, told: _Told) -> None:
    """4.2 inch: one number and up to three lines, the seats with their facts, who is next."""
    zones = SIZES["4.2"].zones
    _head(paper, zones["head"], [told.title, told.round], told.phase, 22, 8)
    main = zones["main"].inset(8)
    if told.is_lobby:
        _invitation(paper, main, told, 84, (22, 20, 18))
    else:
        lines: list[str | _Record] = [*wrapped(told.caption, main.width, 2, 18)]
        if len(lines) < 2:
            lines = [told.caption]
        said = len(lines)
        lines += told.records[:1]
        if told.facts:
            lines.append(_whole(told.facts, main.width, 18))
        if told.listing:
            lines = []
        height = 26
        number = Box(main.left, main.top + 2, main.right, main.bottom - len(lines) * height - 4)
        _main(paper, number, told, (84, 72, 60, 50, 42, 34, 28, 24, 20, 18))
        for place, line in enumerate(lines):
            box = Box(main.left, number.bottom, main.right, main.bottom).row(place, height)
            if isinstance(line, _Record):
                _record(paper, box, line, _title_width([line], box.width, 20, 18), 20, 18)
            else:
                paper.line(box, line, fitting(line, box.width, (22, 20, 18) if said == 1 and place == 0 else (18,)))
    zone = zones["seats"]
    paper.fill(Box(zone.left, zone.top, zone.right, zone.top + 2))
    columns, rows = _GRID[min(len(told.seats), 6)]
    for place, seat in enumerate(told.seats):
        down, across = divmod(place, columns)
        top = zone.top + 2
        strip = Box(zone.left, top, zone.right, zone.bottom).row(down, (zone.bottom - top) // rows)
        box = strip.column(across, columns)
        left = told.seats[place - 1] if across else None
        ink = _cell(paper, box, seat, left, told.seats[place - columns] if down else None)
        _seat(paper, box.inset(6, 1), seat, ink, (20, 25), (18, 21))
    foot = zones["foot"]
    paper.fill(Box(foot.left, foot.top, foot.right, foot.top + 2))
    inner = foot.inset(8)._replace(top=foot.top + 2)
    where = f"{told.code}  {told.address}".strip()
    taken = 0 if told.is_lobby else min(width_of(where, 18), inner.width * 3 // 5)
    if taken:
        paper.line(inner._replace(left=inner.right - taken), where, 18, align="right")
    paper.line(inner._replace(right=inner.right - taken - 8), told.next or told.last, 18, bold=True)


def _large(paper: Sheet, told: _Told) -> None:
    """7.5 inch: number, lines, what lies on the table; a column of seats; QR, last event, who is next."""
    zones = SIZES["7.5"].zones
    title = f"{told.table} · {told.title}" if told.title != told.table else told.title
    _head(paper, zones["head"], [title, told.round], told.phase, 28, 14)
    main = zones["main"].inset(14, 6)
    if told.is_lobby:
        _invitation(paper, main, told, 120, (32, 28, 24, 22))
    else:
        _centrepiece(paper, main, told)
    zone = zones["seats"]
    paper.fill(Box(zone.left, zone.top, zone.left + 2, zone.bottom))
    column = zone._replace(left=zone.left + 2)
    height = min(column.height // max(len(told.seats), 1), 114)
    for place, seat in enumerate(told.seats):
        box = column.row(place, height)
        ink = _cell(paper, box, seat, above=told.seats[place - 1] if place else None)
        _seat(paper, box.inset(10, 2), seat, ink, (26, 29), (22, 24))
    foot = zones["foot"]
    paper.fill(Box(foot.left, foot.top, foot.right, foot.top + 2))
    inner = foot._replace(top=foot.top + 2).inset(14)
    if not told.is_lobby and told.join:
        paper.code(Box(inner.left, inner.top + 1, inner.left + 84, inner.top + 85), _modules(told.join))
        inner = inner._replace(left=inner.left + 98)
    where = Box(inner.left, inner.top + 2, inner.left + 190, inner.bottom - 2)
    if told.is_lobby:
        where = where._replace(right=inner.left)
    else:
        paper.line(where.row(0, 50), told.code, fitting(told.code, where.width, (44, 36, 28, 22)), bold=True)
        paper.line(where._replace(top=where.top + 50), told.address, 22)
    said = Box(where.right + (14 if where.width else 0), inner.top + 6, inner.right, inner.bottom - 6)
    paper.line(said.row(0, 36), told.next, fitting(told.next, said.width, (28, 24, 22)), bold=True)
    last = told.last
    paper.line(said.row(1, 36), last, fitting(last, said.width, (24, 22)))


_DRAWN: Mapping[PanelSize, Callable[[Sheet, _Told], None]] = {
    "2.13": partial(_small, "2.13"),
    "2.9": partial(_small, "2.9"),
    "4.2": _medium,
    "7.5": _large,
}

_GRID = {0: (1, 1), 1: (1, 1), 2: (2, 1), 3: (3, 1), 4: (2, 2), 5: (3, 2), 6: (3, 2)}


# --- pieces ----------------------------------------------------------------------------------------------


def _head(paper: Sheet, box: Box, left: Sequence[str], right: str, size: int, margin: int) -> None:
    """White on black: what is played on the left, the phase on the right."""
    paper.fill(box)
    inner = box.inset(margin)
    phase_told = shortened(right.upper(), inner.width * 2 // 5, size, bold=True)
    taken = width_of(phase_told, size, bold=True)
    paper.line(inner._replace(left=inner.right - taken), phase_told, size, bold=True, align="right", ink=WHITE)
    room = inner._replace(right=inner.right - taken - size)
    title, small = left
    tail = width_of(small, size) + size // 2 if small else 0
    end = paper.line(room._replace(right=room.right - tail), title.upper(), size, bold=True, ink=WHITE)
    if small:
        paper.line(room._replace(left=end + size // 2), small, size, ink=WHITE)


def _number(paper: Sheet, box: Box, text: str, sizes: Sequence[int], dice: Sequence[tuple[int, int]]) -> None:
    """The one large text of a panel, with settled dice to its right."""
    tall = 1.1 if any(letter in "gjpqyQ,;" for letter in text) else 0.8
    sizes = [size for size in sizes if size * tall <= box.height] or sizes[-1:]
    if dice:
        gap = 8
        side = min(box.height - 4, 96, (box.width // 2) // len(dice) - gap)
        top = box.top + (box.height - side) // 2
        left = box.right - len(dice) * (side + gap) + gap
        for place, (face, sides) in enumerate(dice):
            at = left + place * (side + gap)
            paper.die(Box(at, top, at + side, top + side), face, sides)
        box = box._replace(right=left - gap)
    paper.line(box, text, fitting(text, box.width, sizes, bold=True), bold=True)


def _main(paper: Sheet, box: Box, told: _Told, sizes: Sequence[int]) -> None:
    """What is largest on a panel: a row of cards where the phase has one, else the one large text."""
    if told.row:
        _cards(paper, box, told.row, [size for size in sizes if size <= 60])
    elif not (told.listing and _listing(paper, box, told.listing)):
        _number(paper, box, told.main, sizes, told.dice)


def _cards(paper: Sheet, box: Box, row: Sequence[_Laid], sizes: Sequence[int]) -> None:
    """A row of cards, number over tag, the one that counts white on black. Too many: the first ones give way."""
    least = sizes[-1]
    high = [size for size in sizes if size * 3 // 2 + 6 <= box.height and size > least] or [least]
    size = next((one for one in high if _row_width(row, one, least) <= box.width), high[-1])
    small = max(least, size // 2)
    widths = [_card_width(laid.face, size, small) for laid in row]
    ellipsis = width_of("…", size) + 6
    first = 0
    while first < len(row) - 1 and sum(widths[first:]) + (ellipsis if first else 0) > box.width:
        first += 1
    tall = min(box.height, round(size * 0.95) + small + 8)
    at, top = box.left, box.top + (box.height - tall) // 2
    if first:
        paper.line(Box(at, top, at + ellipsis, top + round(size * 0.95)), "…", size)
        at += ellipsis
    for laid, width in zip(row[first:], widths[first:], strict=True):
        tile = Box(at, top, min(at + width - 4, box.right), top + tall)
        ink = WHITE if laid.here else BLACK
        if laid.here:
            paper.fill(tile)
        elif tall > 60:
            paper.frame(tile, radius=4)
        inner = tile.inset(2, 1)
        paper.line(
            inner._replace(bottom=inner.bottom - small - 2), laid.face.title, size, bold=True, align="centre", ink=ink
        )
        paper.line(inner._replace(top=inner.bottom - small - 4), laid.face.tag, small, align="centre", ink=ink)
        at += width


def _listing(paper: Sheet, box: Box, records: Sequence[_Record]) -> bool:
    """Records for the large text: a line for each with its text where there is room, else their titles side by side.

    False where there is no room for either, and then nothing is drawn.
    """
    least = 22 if box.width > 450 else 18
    height = box.height // len(records)
    if height >= least + 2:
        height = min(height, least * 2)
        widest = _title_width(records, box.width, least + 2, least)
        for place, record in enumerate(records):
            _record(paper, box.row(place, height), record, widest, least + 2, least)
        return True
    if box.height >= 3 * least:
        _in_halves(paper, box, records, min(box.height // -(-len(records) // 2), least * 2), least)
        return True
    across = -(-len(records) // 2)
    size = min(
        fitting(record.title, box.width // across - 6, (34, 30, 26, 22, 20, 18, 16), bold=True) for record in records
    )
    if any(width_of(record.title, size, bold=True) > box.width // across - 6 for record in records):
        return False
    for place, record in enumerate(records):
        down, along = divmod(place, across)
        paper.line(box.row(down, box.height // 2).column(along, across).inset(3), record.title, size, bold=True)
    return True


def _row_width(row: Sequence[_Laid], size: int, least: int) -> int:
    return sum(_card_width(laid.face, size, max(least, size // 2)) for laid in row)


def _card_width(face: Face, size: int, small: int) -> int:
    return max(width_of(face.title, size, bold=True), width_of(face.tag, small)) + max(12, size // 3)


def _cell(paper: Sheet, box: Box, seat: _Seat, left: _Seat | None = None, above: _Seat | None = None) -> int:
    """The ground of a seat's cell: black for a seat that is waited for. Returns the ink to write with.

    A hairline parts it from its neighbours, white between two black cells.
    """
    if seat.asked:
        paper.fill(box)
    if left:
        ink = WHITE if seat.asked and left.asked else BLACK
        paper.fill(Box(box.left, box.top, box.left + 1, box.bottom), ink)
    if above:
        ink = WHITE if seat.asked and above.asked else BLACK
        paper.fill(Box(box.left, box.top, box.right, box.top + 1), ink)
    return WHITE if seat.asked else BLACK


def _seat(paper: Sheet, box: Box, seat: _Seat, ink: int, first: tuple[int, int], others: tuple[int, int]) -> None:
    """A seat: name and token, its first fact at the right, below as many others as fit.

    `first` and `others` are text size and height of the first line and of those below.
    """
    symbol = SEAT_MARKS[seat.number].symbol
    facts = [fact for fact in seat.facts if fact]
    name = f"{symbol} {seat.name} {f'· {seat.token}' if seat.token else ''}"
    if seat.token and facts and width_of(f"{name} {facts[0]}", first[0], bold=True) + 10 > box.width:
        name, facts = (
            f"{symbol} {seat.name}",
            [*facts[:1], seat.token, *facts[1:]],
        )  # sooner the marker below than a name cut
    if seat.name == f"Seat {seat.number}" and facts and width_of(f"{name} {facts[0]}", first[0], bold=True) > box.width:
        name = f"{symbol} {seat.number}"
    room = box.width - width_of(name, first[0], bold=True) - 10
    beside = facts[0] if facts and width_of(facts[0], first[0], bold=True) <= max(room, box.width * 2 // 5) else ""
    lines = _lines(facts[1:] if beside else facts, box.width, (box.height - first[1]) // others[1], others[0])
    # In the middle of its cell, so that few facts do not hang from the upper edge.
    top = box.top + (box.height - first[1] - len(lines) * others[1]) // 2
    line = Box(box.left, top, box.right, top + first[1])
    taken = width_of(beside, first[0], bold=True) if beside else 0
    if beside:
        paper.line(line._replace(left=line.right - taken), beside, first[0], bold=True, align="right", ink=ink)
    paper.line(line._replace(right=line.right - taken - (10 if taken else 0)), name, first[0], bold=True, ink=ink)
    if seat.marked:
        _underline(paper, line, symbol, first[0], ink)
    for place, text in enumerate(lines):
        paper.line(Box(box.left, line.bottom, box.right, box.bottom).row(place, others[1]), text, others[0], ink=ink)


def _underline(paper: Sheet, box: Box, text: str, size: int, ink: int, align: str = "left") -> None:
    """A stroke under a seat that the game marks."""
    wide = width_of(text, size, bold=align == "left")
    left = box.left + ((box.width - wide) // 2 if align == "centre" else 0)
    paper.fill(Box(left, box.bottom - 2, left + wide, box.bottom), ink)


def _whole(facts: Sequence[str], width: int, size: int) -> str:
    """As many facts as stand on one line; none is cut while another fits."""
    line = ""
    for fact in facts:
        longer = f"{line} · {fact}" if line else fact
        if not line or width_of(longer, size) <= width:
            line = longer
    return line


def _lines(facts: Sequence[str], width: int, count: int, size: int) -> list[str]:
    """Facts with dots between them, or closer together where only that lets them fit; else the first ones, none cut."""
    for many in range(len(facts), 1, -1):
        for between in (" · ", " "):
            lines = _packed(facts[:many], width, size, between)
            if len(lines) <= count:
                return lines
    return wrapped(facts[0], width, count, size) if facts else []


def _packed(facts: Sequence[str], width: int, size: int, between: str) -> list[str]:
    """Facts on as many lines as they need: only one that is wider than a line is broken, and no line begins with a dot."""
    lines: list[str] = []
    for fact in facts:
        if lines and width_of(lines[-1] + between + fact, size) <= width:
            lines[-1] += between + fact
        else:
            lines += wrapped(fact, width, len(fact), size)
    return lines


def _record(paper: Sheet, box: Box, record: _Record, title_width: int, large: int, least: int) -> None:
    """A row: title, cards as tiles, text."""
    side = box.height - 4
    paper.line(box._replace(right=box.left + title_width), record.title, large, bold=True)
    at = box.left + title_width + 12
    for face in record.cards:
        if at + side > box.right:
            return
        wide = side if face is None else max(side, width_of(face, least, bold=True) + 8)
        paper.tile(Box(at, box.top + 2, at + wide, box.top + 2 + side), face, least, lit=face in record.lit)
        at += wide + 5
    if box.right - at - 8 > 0:
        room = box._replace(left=at + 8)
        paper.line(room, _whole(record.text.split(" · "), room.width, least), least)


def _title_width(records: Sequence[_Record], width: int, large: int, least: int) -> int:
    """How wide the titles of rows are: half at most; beside texts alone all that the first part of these leaves, or a third."""
    widest = max((width_of(record.title, large, bold=True) for record in records), default=0)
    if any(record.cards for record in records):
        return min(widest, width // 2)
    texts = max((width_of(record.text.partition(" · ")[0], least) for record in records), default=0)
    return max(min(widest, width // 3), min(widest, width - texts - 20))


def _table_of(paper: Sheet, box: Box, records: Sequence[_Record]) -> int:
    """Rows one below the other, or where these are too many titles in two columns, each with the first part of its text. The end."""
    room = box.height // 36
    if len(records) <= room:
        title = _title_width(records, box.width, 24, 22)
        for place, record in enumerate(records):
            _record(paper, box.row(place, 36), record, title, 24, 22)
        return box.top + 36 * len(records)
    return _in_halves(paper, box, records, 30, 22)


def _in_halves(paper: Sheet, box: Box, records: Sequence[_Record], height: int, size: int) -> int:
    """Titles in two columns, each with the first part of its text. The end."""
    room = box.height // height
    for place, record in enumerate(records[: room * 2]):
        column, line = divmod(place, room)
        half = box.column(column, 2).row(line, height)
        half = half._replace(right=half.right - (16 if column == 0 else 0))
        text = record.text.partition(" · ")[0]
        paper.line(half._replace(left=half.right - width_of(text, size)), text, size)
        paper.line(half._replace(right=half.right - width_of(text, size) - 10), record.title, size, bold=True)
    return box.top + height * min(len(records), room)


def _centrepiece(paper: Sheet, box: Box, told: _Told) -> None:
    """The main zone of the 7.5 inch panel while a match is on or over."""
    rows = min(len(told.records), 5)
    tall = min(36 * len(told.listing), box.height - 80) or (90 if rows else 150)
    _main(paper, box._replace(bottom=box.top + tall), told, (140, 120, 104, 88, 72, 60, 48, 40, 32, 26, 22))
    top = box.top + tall
    for line in wrapped(told.caption, box.width, 2, 28):
        paper.line(Box(box.left, top, box.right, top + 36), line, 28)
        top += 36
    top += 6
    top = _table_of(paper, box._replace(top=top), told.records)
    for line in _lines(told.facts, box.width, max(0, (box.bottom - top) // 30), 22):
        paper.line(Box(box.left, top, box.right, top + 30), line, 22)
        top += 30
    room = (box.bottom - top - 12) // 30
    before = told.happened[:-1][-room:] if room > 0 else []
    if before:
        paper.fill(Box(box.left, top + 6, box.right, top + 7))
    for place, line in enumerate(before):
        paper.line(Box(box.left, top + 12, box.right, box.bottom).row(place, 30), line, 22)


def _invitation(paper: Sheet, box: Box, told: _Told, code_size: int, sizes: Sequence[int]) -> None:
    """How to join: QR, code and address."""
    under = sizes[0] + 10
    side = min(box.height - (under if box.height > 200 else 0), box.width // 2 + 40)
    if told.join:
        paper.code(Box(box.left, box.top, box.left + side, box.top + side), _modules(told.join))
    right = box._replace(left=box.left + (side + 14 if told.join else 0))
    lines = ["scan, or type", told.code, told.address]
    middle = box.top + (side if box.height > 200 else box.height) // 2
    tall = round(code_size * 0.9)
    code = Box(right.left, middle - tall // 2, right.right, middle + tall - tall // 2)
    paper.line(
        Box(right.left, code.top - under, right.right, code.top), lines[0], fitting(lines[0], right.width, sizes)
    )
    paper.line(code, lines[1], fitting(lines[1], code.width, (code_size, 72, 60, 48, 40, 32, 26, 22, 18)), bold=True)
    if box.height > 200:
        where = Box(box.left, box.bottom - under, box.right, box.bottom)
    else:
        where = Box(right.left, code.bottom, right.right, code.bottom + under)
    paper.line(where, lines[2], fitting(lines[2], where.width, sizes))


def _modules(url: str) -> Sequence[Sequence[int]]:
    return [list(row) for row in segno.make(url, error="l", boost_error=False, micro=False).matrix]
