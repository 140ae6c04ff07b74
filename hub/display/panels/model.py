"""The texts of panels of all sizes: the public state by the labels of its game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hub.display.facts import (
    asked_seats,
    fact_text,
    phase_name,
    template_seat,
    template_values,
    view_values,
    with_names,
)
from hub.display.labels import (
    BETWEEN,
    NO_LABELS,
    Face,
    beside,
    card_letter,
    deck_in,
    face_of,
    fill,
    number_text,
    readable,
    score_text,
    value_at,
    value_text,
)
from hub.display.language import Language
from hub.engine.labels import FactLabels, Labels, PhaseLabels
from hub.engine.text import say, say_count, seats_words
from hub.ports import SEAT_MARKS
from hub.state import ScreenState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hub.state import Notice, PublicSeat, PublicState

_STAGE_NAMES = {"lobby": say("Join"), "over": say("Game over"), "stopped": say("Stopped")}
READY = "✓"


class SeatTexts(NamedTuple):
    """The texts of a seat."""

    number: int
    name: str
    cells: Sequence[str]  # in a few characters, for the smallest panels: the first that fits is used
    facts: Sequence[str]  # all public facts, for the other panels
    token: str = ""
    asked: bool = False
    marked: bool = False  # its symbol is underlined


class TableRow(NamedTuple):
    """A thing on the table in one line: title, cards by their letters, some of them highlighted (`lit`), and a text."""

    title: str
    cards: Sequence[str | None]
    text: str
    lit: Sequence[str | None] = ()


class RowCard(NamedTuple):
    """A card of a row, and whether it is the current one."""

    face: Face
    current: bool


class PanelModel:
    """The texts of a panel.

    `cards`, else `main_rows`, stand for the large text `main` where the phase has them; `rows` and `facts` stand below.
    `dice` are settled dice as (face, sides).
    """

    def __init__(self, state: PublicState, labels: Labels | None, join: str, language: Language | None = None) -> None:
        self.state, self.labels, self._language = state, labels or NO_LABELS, language or Language()
        self.say = self._language.say
        self._values = view_values(state.view) if state.view else {}
        self._phase = state.view.phase if state.view else ""
        self._screen = self.labels.screen
        self._phase_screen = self._screen.phase.get(self._phase, PhaseLabels())
        self._table_fact_labels, self._seat_fact_labels = self._listed_facts("table"), self._listed_facts("seat")
        self._waited_for = [seat for seat in asked_seats(state) if seat not in state.locked]
        self.address = state.url.partition("://")[2] or state.url or self.say(say("no network yet"))
        self.join = join or state.url
        self.code = state.code
        self.title = self._named(state.title) or self._named(state.name)
        self.table = self._named(state.name)
        number = state.view.round if state.view else 0
        self.round = self.say(say("round {round}", round=number)) if number else ""
        self.short_round = self.say(say("r{round}", round=number)) if number else ""
        self.dice = self._settled_dice()
        self.phase = self.say(_STAGE_NAMES.get(state.state) or phase_name(self._phase, self.labels))
        self.free = self.say(say("free"))
        self.deck = deck_in(self.labels, self._values.get("table"), self._values.get("seats"))
        self.main, self.caption = self._main_and_caption()
        self.cards = self._row_of_cards()
        self.main_rows = self._rows_for_main()
        self.seats = self._seats()
        self.rows: Sequence[TableRow] = () if self.main_rows else self._table_rows()
        if state.state == "playing" and self.main == self.phase and not self.cards:
            # The header shows the phase already, so show the table instead.
            self.main_rows, self.rows = self.main_rows or self.rows, ()
        self.facts = self._table_facts()

    def _named(self, text: str) -> str:
        return with_names(text, self.state, self._language)

    def _filled(self, template: str, values: Mapping[str, object], seat: int | None = None) -> str:
        """Return a template of the labels with its values, or "" if it has no values."""
        text = fill(template, values, seat, self.labels)
        return self._named(text) if not text.values or any(str(one) for one in text.values.values()) else ""

    @property
    def is_lobby(self) -> bool:
        """Return whether players are still taking their seats."""
        return self.state.state == "lobby"

    # --- whose turn, and what happened ---------------------------------------------------------------

    @property
    def next_step(self) -> str:
        """Return who has to act, in a few words."""
        state = self.state
        if state.state == "over":
            return self.say(say("press to play again"))
        if self.is_lobby:
            held = sum(one.held for one in state.seats)
            return self.say(say("{count} of {seats} seated", count=held, seats=len(state.seats)))
        if state.view and (roll := state.view.waiting.roll):
            return self._named(
                say_count("Seat {seat} rolls 1 die", "Seat {seat} rolls {count} dice", roll.count, seat=roll.seat)
            )
        if not self._waited_for:
            return ""
        if len(self._waited_for) == 1:
            return self._named(say("waiting for Seat {seat}", seat=self._waited_for[0]))
        symbols = beside(SEAT_MARKS[seat].symbol for seat in self._waited_for)
        return self.say(say("waiting for {seats}", seats=symbols))

    @property
    def latest(self) -> str:
        """Return the most severe notice, else the last event."""
        if notices := self._notices_in_foot():
            return self._named(notices[0].text)
        if self.is_lobby and not all(one.held for one in self.state.seats):
            return self.say(say("Tap a free seat on your phone, then type its code or press its box."))
        events = self.events
        return events[-1] if events else ""

    def _notices_in_foot(self) -> Sequence[Notice]:
        """Return the notices, without the first one if the main zone of a stopped match shows it."""
        return self.state.notices[1:] if self.state.state == "stopped" else self.state.notices

    @property
    def events(self) -> list[str]:
        """Return the events, oldest first, without the end of the match, which the main zone shows."""
        ending = self.state.over.why if self.state.over else None
        return [self._named(event.text) for event in self.state.events if event.text != ending]

    # --- the main zone ---------------------------------------------------------------------------------

    def _settled_dice(self) -> Sequence[tuple[int, int]]:
        dice = self.state.dice
        if dice is None or dice.state not in ("settled", "typed", "cocked"):
            return ()
        return [(face, dice.sides) for face in dice.faces]

    def _main_and_caption(self) -> tuple[str, str]:
        state = self.state
        if self.is_lobby:
            return self.code, self.address
        if state.state == "stopped":
            return self.phase, self._named(state.notices[0].text if state.notices else state.want)
        if state.state == "over" and state.over:
            winners = state.over.winners
            win = say_count("{seats} wins", "{seats} win", len(winners), seats=seats_words(winners))
            return self._named(win), self._named(state.over.why)
        seat, values = template_seat(state), template_values(state)
        mains = (self._filled(one, values, seat) for one in _templates(self._phase_screen.main))
        main = next(filter(None, mains), "")
        caption = self._named(self._dice_caption()) or self._filled(self._phase_screen.caption, values, seat)
        return main or self.phase, caption or self._named(state.want)

    def _dice_caption(self) -> str:
        """Return the task of a person for the open roll, its progress, or the faces that it needs."""
        if self.state.dispute and self.state.dispute.stage == "vote":
            return say("Read the dice again? Push: yes. Bar: no.")
        dice = self.state.dice
        if dice is None:
            return ""
        if dice.again and dice.say:
            return dice.say
        seen = sum(len(batch.faces) for batch in dice.done) + len(dice.faces)
        total = say("Total {total}, {seen} of {count} dice", total=dice.total, seen=seen, count=dice.count)
        counts = seen > 0 and dice.count > 1
        if dice.state in ("cocked", "wrong_count", "no_reader", "typed"):
            return beside((dice.say, total if counts and dice.done else ""))
        return total if counts else dice.wants.say if dice.wants else ""

    def _row_of_cards(self) -> Sequence[RowCard]:
        """Return the row of cards that replaces the large text in this phase."""
        path = self._phase_screen.row
        row = value_at(self._values, path) if self.state.state == "playing" and path else None
        current = self._current_card(path)
        faces = [(face_of(self.labels, one, self.deck), one) for one in row] if isinstance(row, list) else []
        key = self.labels.face.key if self.labels.face else None
        return [
            RowCard(
                face._replace(title=self.say(face.title), tag=self.say(face.tag)),
                one.get(key) == current if isinstance(one, dict) else False,
            )
            for face, one in faces
            if face
        ]

    def _current_card(self, path: str) -> object:
        """Return the key of the current card in the row at `path`, as marked by the labels."""
        mark = next((fact.here for name, fact in self._table_fact_labels if path == f"table.{name}"), "")
        return value_at(self._values, mark) if mark else None

    def _rows_for_main(self) -> Sequence[TableRow]:
        """Return the records that replace the large text in this phase, such as what each seat earned."""
        path = self._phase_screen.row
        for name, fact in self._table_fact_labels if self.state.state == "playing" else ():
            if path == f"table.{name}" and not fact.card:
                return [self._table_row(one, fact) for one in value_at(self._values, path) or ()]
        return ()

    # --- the seats -------------------------------------------------------------------------------------

    def _seats(self) -> list[SeatTexts]:
        view = self.state.view
        if self.is_lobby or view is None or not view.seats:
            codes = self.state.claim_codes if isinstance(self.state, ScreenState) else {}
            return [
                self._lobby_seat(one, codes.get(str(one.seat), ""))
                for one in sorted(self.state.seats, key=lambda one: one.seat)
            ]
        names = {one.seat: one.name for one in self.state.seats}
        records = sorted(((int(key), facts) for key, facts in view.seats.items()), key=lambda item: item[0])
        return [self._seat(seat, names.get(seat) or self._nameless(seat), facts) for seat, facts in records]

    def _nameless(self, seat: int) -> str:
        return self.say(say("Seat {seat}", seat=seat))

    def _lobby_seat(self, one: PublicSeat, code: str) -> SeatTexts:
        """Return the text of a seat in the lobby: its player, or that it is free, with the code that claims it."""
        if one.held:
            ready = READY if one.ready else ""
            return SeatTexts(one.seat, one.name or self._nameless(one.seat), [ready], [ready])
        return SeatTexts(one.seat, self.free, [code], [code])

    def _seat(self, seat: int, name: str, facts: Mapping[str, object]) -> SeatTexts:
        over = self.state.over if self.state.state == "over" else None
        if over and seat in over.scores:
            number = self.say(number_text(over.scores[seat], money=self._screen.score))
            score = self.say(score_text(over.scores[seat], self.labels))
            others = [fact for fact in self._seat_facts(facts) if fact not in (score, number)]
            return SeatTexts(seat, name, [number], [score, *others], asked=seat in over.winners)
        cells = [self._filled(one, facts) for one in _templates(self._screen.cell)]
        token, now = self._token(seat), self._cell_now(seat)
        return SeatTexts(
            seat,
            name,
            cells=[now] if now else [cell + token for cell in cells],
            facts=[*filter(None, [now]), *self._seat_facts(facts)] or cells[:1],
            token=token,
            asked=seat in self._waited_for,
            marked=facts.get(self._screen.mark) is True,
        )

    def _cell_now(self, seat: int) -> str:
        """Return the number that counts for a seat, if the phase's labels have numbers by seat, or whether the seat is in."""
        path = self._phase_screen.cells
        if not path:
            return ""
        number = (value_at(self._values, path) or {}).get(str(seat))
        fact = next((fact for name, fact in self._table_fact_labels if path == f"table.{name}"), FactLabels())
        inside = value_at(self._values, self._screen.inside)
        if isinstance(inside, list) and seat not in inside:
            return "--"
        if type(number) is int:
            return self.say(self._number(number, fact))
        return self.say(say("in")) if isinstance(inside, list) else ""

    def _token(self, seat: int) -> str:
        """Return the letter of the labels' token if this seat has it."""
        fact = self._screen.token
        if not fact or not self.state.view or self.state.view.table.get(fact) != seat:
            return ""
        return self._screen.token_letter or fact[0].upper()

    # --- facts and records -----------------------------------------------------------------------------

    def _listed_facts(self, where: str) -> list[tuple[str, FactLabels]]:
        """Return the facts of the table or of a seat that panels show in this phase, by name.

        Table and seat may have facts with the same name. Their keys in the labels differ, and `name` has the shared name.
        """
        return [
            (fact.called(key), fact)
            for key, fact in self.labels.facts.items()
            if fact.where == where
            and (fact.phases is None or self._phase in fact.phases)
            and (fact.on is None or "panel" in fact.on)
        ]

    def _seat_facts(self, facts: Mapping[str, object]) -> list[str]:
        texts = (self._fact(name, fact, facts) for name, fact in self._seat_fact_labels)
        return [text for text in texts if text]

    def _table_facts(self) -> list[str]:
        table = self._values.get("table") or {}
        # Cards of a row are only shown here if the main zone does not show them.
        texts = (
            self._fact(name, fact, table)
            for name, fact in self._table_fact_labels
            if not fact.row or (fact.card and not self.cards)
        )
        return [text for text in texts if text]

    def _fact(self, name: str, fact: FactLabels, facts: Mapping[str, object]) -> str:
        """Return a fact with its label, or "" if it is empty."""
        value = value_at(facts, name)
        label = self.say(next(one for one in (fact.short, fact.label, name) if one is not None))
        unless = 0 if fact.heap and fact.unless is None else fact.unless
        if value is None or value is False or value in ([], unless):
            hidden = facts.get(f"{name}_count") if fact.card else None
            return f"{label} {'? ' * hidden}".strip() if type(hidden) is int and hidden else ""
        if value is True:
            return label
        base = name.removesuffix("_count")
        if base != name and self.labels.facts.get(base, FactLabels()).card:
            return ""  # shown as ? beside the cards
        text = self._fact_value(name, value, fact, facts)
        mark = "!" if value == fact.warn else "*" if self._leads(fact, facts) else ""
        return f"{label}{'' if len(label) < 2 else ' '}{text}{mark}" if text else ""

    def _fact_value(self, name: str, value: object, fact: FactLabels, facts: Mapping[str, object]) -> str:
        if fact.card and isinstance(value, list):
            count = facts.get(f"{name}_count")
            hidden = count - len(value) if type(count) is int else 0
            by_name = fact.card == "name"
            cards = [self._card(face, by_name=by_name) for face in value]
            return (", " if by_name else " ").join([*(dict.fromkeys(cards) if by_name else cards), *"?" * hidden])
        if fact.card and isinstance(value, dict):
            return " ".join(
                f"{card_letter(self.labels, face)}{self.say(self._number(one, fact))}" for face, one in value.items()
            )
        if fact.sides and isinstance(value, list):
            return self._by_turns(value, fact)
        return self._named(fact_text(value, fact, self.labels))

    @staticmethod
    def _number(value: object, fact: FactLabels) -> str:
        return number_text(value, money=fact.money, sign=fact.signed)

    def _leads(self, fact: FactLabels, facts: Mapping[str, object]) -> bool:
        """Return whether `facts` are those of the leading seat in this fact, which the labels name by `leader`."""
        leader = value_at(self._values, fact.leader) if fact.leader else None
        return leader is not None and facts is self._values["seats"].get(str(leader))

    def _by_turns(self, values: Sequence[object], fact: FactLabels) -> str:
        """Return the last two numbers that two sides have named in turn."""
        sides = [value_at(self._values, path) for path in fact.sides]
        texts = [
            f"{self.say(self._number(one, fact))} {SEAT_MARKS[sides[turn % 2]].symbol}"
            for turn, one in enumerate(values)
        ]
        return " ".join(texts[-2:])

    def _card(self, card: object, *, by_name: bool) -> str:
        """Return a card of a fact: its letter, the title of its face, or its name if the labels want that."""
        face = face_of(self.labels, card, self.deck)
        if face is None:
            return str(card) if self.labels.face else card_letter(self.labels, card)
        return (
            self.say(face.name)
            if by_name
            else self.say(face.title)
            if face.title != face.name
            else card_letter(self.labels, card)
        )

    def _table_rows(self) -> list[TableRow]:
        rows: list[TableRow] = []
        table = self._values.get("table") or {}
        for name, fact in self._table_fact_labels if self.state.state != "over" else ():
            records = table.get(name) if fact.row and not fact.card else None
            current = value_at(self._values, fact.here) if fact.here else None
            only = {key: value_at(self._values, path) for key, path in fact.only.items()}
            shown = [one for one in records or () if all(one.get(key) == value for key, value in only.items())]
            rows += [self._table_row(one, fact) for one in sorted(shown, key=lambda one: one.get("id") != current)]
        return rows

    def _table_row(self, record: Mapping[str, Any], fact: FactLabels) -> TableRow:
        flag = fact.flag
        by = record.get(fact.by)
        symbol = SEAT_MARKS[by].symbol if type(by) is int and by in SEAT_MARKS else ""
        title = beside((symbol, fill(fact.title, record, labels=self.labels)))
        said = readable(flag) if flag and record.get(flag) else fill(fact.text, record, labels=self.labels)
        text = beside((value_text(record.get(str(fact.seats))), said), BETWEEN)
        faces = record.get(fact.cards)
        cards = [None if face is None else card_letter(self.labels, face) for face in faces or ()]
        lit = [card_letter(self.labels, face) for face in record.get(fact.lit) or ()]
        return TableRow(self._named(title), cards, self._named(text), lit)


def _templates(template: str | list[str]) -> Sequence[str]:
    """Return one or several templates, in the order in which to try them, as a sequence."""
    return [template] if isinstance(template, str) else template
