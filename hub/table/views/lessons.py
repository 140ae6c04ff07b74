"""Guide players through the first round: choose the lesson of each seat, and of the room, at the open decision.

The lessons are those of the game (`hub/engine/guide.py`). Each is shown once per seat and once to the room, while its decision
is open. The room's lesson stays for at least `READ_SECONDS`, as nobody there can dismiss it. It uses no secret information.
"""

from __future__ import annotations

import msgspec

from hub.engine.decision import Decision
from hub.engine.guide import Moment, To, moment_of, next_lesson
from hub.engine.match import Match
from hub.engine.text import say, to_json
from hub.errors import NotAsked
from hub.state import LessonNow, Teaching
from hub.table.base.part import Part
from hub.table.core import Core, DecisionKey, decision_key
from hub.table.seating.seat import Seat

READ_SECONDS = 8.0
"""How long a lesson for the room stays at least: the time to read it from a distance."""
ROOM = 0


class KeptLessons(msgspec.Struct, frozen=True):
    """What survives a restart.

    - `match`, `on`: the match, and whether its lessons are on.
    - `without`: the logins that have skipped them; `played`: by login the games played here.
    """

    match: str | None = None
    on: bool = False
    without: list[str] = []
    played: dict[str, list[str]] = {}


# The table chooses, not the page: a page forgets on a reload, and a room without phones would see nothing. There is no
# tutorial match, as it would take time that the guests have paid for.
class Lessons(Part):
    """The lessons of one table. `chosen`: what people chose for the next match; None: on if the game is new to anyone."""

    def __init__(self, core: Core) -> None:
        self._play, self._seats, self._kept, self._clock = core.play, core.seats, core.kept, core.ports.clock
        self.chosen: bool | None = None
        self._saved = KeptLessons()
        self._key: DecisionKey | None = None
        self._event_count: int | None = None  # events before the open decision; None: not counted yet
        self._given: dict[
            int, tuple[tuple[str, To], ...]
        ] = {}  # by seat, and for the room: which lessons, and as whom; a handful each
        self._shown: dict[int, LessonNow] = {}
        self._room_since = 0.0
        self._postponed: Moment | None = (
            None  # the moment of the open question, while the room still reads of an earlier one
        )

    def restore(self) -> None:
        """Restore the state from before a restart. Raise LogError."""
        self._saved = self._kept.read("lessons", KeptLessons, say("who knows which game")) or KeptLessons()

    # --- who wants them ------------------------------------------------------------------------------------

    def is_known(self, game: str) -> bool:
        """Return whether all people seated here have played a game at this table, by the logins of their phones."""
        people = [seat for seat in self._seats if seat.joined and not seat.is_house]
        return bool(people) and all(game in self._saved.played.get(seat.sid, ()) for seat in people)

    def choose(self, on: bool) -> None:
        """Choose whether the next match has lessons. Raise NotAsked."""
        if self._play.seats:
            raise NotAsked(say("Choose between matches whether the first round is explained."), "LESSONS")
        self.chosen = on

    def set_on(self, seat: Seat, on: bool) -> None:
        """Turn the lessons of this match on or off for a seat; if all seats are off, the room has none either.

        Raise NotAsked or LogError.
        """
        if seat.number not in self._play.seats:
            raise NotAsked(say("Only players of a match get its rules explained."), "LESSONS")
        others = [sid for sid in self._saved.without if sid != seat.sid]
        self._save(without=others if on else [*others, seat.sid])

    def _save(self, **changes: object) -> None:
        now = msgspec.structs.replace(self._saved, **changes)
        if now != self._saved:
            self._kept.write("lessons", to_json(now))
            self._saved = now

    # --- the match -----------------------------------------------------------------------------------------

    @property
    def _match(self) -> Match | None:
        """Return the match whose lessons are on, or None."""
        match = self._play.match
        if match is None or match.over or not self._saved.on or match.game.guide is None:
            return None
        if match.state.round > max((lesson.until for lesson in match.game.guide.lesson), default=0):
            return None
        playing = self._play.seats
        listening = [one for one in self._seats if one.number in playing and one.sid and not one.is_house]
        return None if listening and all(one.sid in self._saved.without for one in listening) else match

    def update(self) -> None:
        """Choose the lessons of a new decision. Raise LogError."""
        if self._play.stopped:
            return
        self._note_match()
        match, decision = self._match, self._play.decision
        key = decision_key(self._play)
        if key == self._key:
            return
        self._key, self._postponed = key, None
        if match is None or decision is None:
            self._shown = {}
            return
        moment = self._moment(match, decision)
        if moment is None:
            return
        room = self._shown.get(ROOM)
        holds = room is not None and self._clock.now() < self._room_since + READ_SECONDS
        shown: dict[int, LessonNow] = {}
        for number in match.setup.seats:
            names = [move.name for move in decision.offers(number)]
            if lesson := self._next(match, moment, number, names):
                shown[number] = lesson
        if holds and room is not None:
            shown[ROOM], self._postponed = room, moment
        elif lesson := self._next(match, moment, ROOM, []):
            shown[ROOM] = lesson
            self._room_since = self._clock.now()
        self._shown = shown

    def run_due(self) -> bool:
        """Show the room's postponed lesson if the earlier one has had its time; return whether the room's lesson has changed."""
        moment = self._postponed
        if moment is None or self._clock.now() < self._room_since + READ_SECONDS or (match := self._match) is None:
            return False
        self._postponed = None
        self._shown.pop(ROOM, None)
        if lesson := self._next(match, moment, ROOM, []):
            self._shown[ROOM], self._room_since = lesson, self._clock.now()
        return True

    def _note_match(self) -> None:
        sids = {seat.sid for seat in self._seats if seat.sid}
        played = {sid: games for sid, games in self._saved.played.items() if sid in sids}
        match, name = self._play.match, self._play.log.match
        is_the_same = name == self._saved.match and self.chosen is None
        if match is None or match.over or not self._play.seats or is_the_same:
            self._save(played=played, without=[sid for sid in self._saved.without if sid in sids])
            return
        game = match.game.name
        on = not self.is_known(game) if self.chosen is None else self.chosen
        for number in self._play.seats:
            sid = self._seats[number].sid
            if sid and game not in played.get(sid, ()):
                played[sid] = [*played.get(sid, ()), game]
        self._save(match=name, on=on, without=[], played=played)
        self.chosen, self._event_count, self._given, self._shown = None, 0, {}, {}

    def _moment(self, match: Match, decision: Decision) -> Moment | None:
        count = len(match.events)
        since = {
            event.kind
            for event in match.events[count if self._event_count is None else min(self._event_count, count) :]
        }
        self._event_count = count
        return moment_of(decision, match.state.round, match.view(None), since)

    def _next(self, match: Match, moment: Moment, number: int, moves: list[str]) -> LessonNow | None:
        """Return the first lesson of this moment that a seat, or the room, has not had."""
        lessons = match.game.guide.lesson if match.game.guide else []
        told = self._given.get(number, ())
        found = next_lesson(lessons, moment, number or None, moves, told)
        if found is None:
            return None
        self._given[number] = (*told, (found[0].key, found[1]))
        return LessonNow(found[0].key, found[1])

    # --- what is shown -------------------------------------------------------------------------------------

    def public(self) -> Teaching | None:
        """Return the room's lesson and the seats that skip lessons; None if lessons are off."""
        if self._match is None:
            return None
        room = self._shown.get(ROOM)
        skips = [one.number for one in self._seats if one.sid in self._saved.without]
        return Teaching(room.key if room else "", skips)

    def for_seat(self, seat: Seat) -> LessonNow | None:
        """Return the lesson of a seat at the open decision, or None."""
        lesson = self._shown.get(seat.number)
        return None if lesson is None or seat.sid in self._saved.without or self._match is None else lesson
