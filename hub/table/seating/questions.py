"""Questions to the people at a table: what no single seat decides, such as putting the match aside.

One question is open at a time. Each seat that may vote has one vote, which it may change; what follows is done at once
when the votes suffice, or when the time is over. Silence never carries anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal, NamedTuple

from hub.engine.text import Text, listed, say
from hub.errors import NotAsked, NotOffered
from hub.ports import Clock
from hub.state import Question, QuestionKind
from hub.table.base.part import Part

VOTE_SECONDS = 20.0
REST_SECONDS = 60.0
"""How long a seat asks the table nothing, once the others have not agreed."""

Decide = Callable[[Mapping[int, str], Sequence[int], bool], str | None]
"""Return the option that the votes (by seat) of these voters carry; None: none yet. With True the time is over."""


def majority_yes(votes: Mapping[int, str], voters: Sequence[int], late: bool) -> str | None:
    """Carry `yes` with more than half of the voters; of one voter alone only when nobody has come by the end."""
    yes = [seat for seat, option in votes.items() if option == "yes"]
    if len(yes) * 2 > len(voters) and (late or len(yes) > 1):
        return "yes"
    return "no" if late or (len(votes) - len(yes)) * 2 >= max(1, len(voters)) else None


def unanimous_yes(votes: Mapping[int, str], voters: Sequence[int], late: bool) -> str | None:
    """Carry `yes` with every voter's, two at least."""
    if "no" in votes.values():
        return "no"
    if len(votes) > 1 and all(seat in votes for seat in voters):
        return "yes"
    return "no" if late else None


def first_answer(otherwise: str) -> Decide:
    """Return what carries the first answer of whoever is asked alone, and `otherwise` without one."""

    def decide(votes: Mapping[int, str], _: Sequence[int], late: bool) -> str | None:
        return next(iter(votes.values()), otherwise if late else None)

    return decide


def majority_option(votes: Mapping[int, str], voters: Sequence[int], late: bool) -> str | None:
    """Carry the option that more than half of the voters want, of two what both want; else `wait`."""
    wanted = list(votes.values())
    for option in dict.fromkeys(wanted):
        if wanted.count(option) * 2 > len(voters):
            return option
    return "wait" if late or len(wanted) == len(voters) else None


class Rule(NamedTuple):
    """How the people at a table answer questions of one kind."""

    rank: int
    """What comes first: a question takes the place of one with a higher rank."""
    decide: Decide
    """Which votes carry an answer."""
    caption: Callable[[int], Text]
    """The text for the display of a seat box, with the controls that answer it, by the seat that it is about."""
    caption_of_three: Callable[[int], Text] | None = None
    """The same if there are three answers, for K1 to K3."""
    controls: Sequence[str] = ("push", "bar")
    """The controls of a box for the first two answers, in their order. If there are none, only phones answer."""
    during: Literal["match", "lobby", "always"] = "match"
    """When the question makes sense: it is closed at the end of this time."""
    replaces: QuestionKind | None = None
    """The kind that it replaces, whatever their ranks, if both are about the same seat: it is the better answer."""

    @property
    def needs_all(self) -> bool:
        """Return whether nobody's silence is a yes.

        Everybody who is there when it is asked then keeps a vote: nobody is outvoted by a phone that loses its network.
        Other questions cost nobody anything, so that seats without a sign of life do not count at their end.
        """
        return self.decide is unanimous_yes


KINDS: Mapping[QuestionKind, Rule] = {
    "absent": Rule(
        0,
        majority_option,
        lambda seat: say("Seat {seat} away? Push wait, bar safe", seat=seat),
        lambda seat: say("Seat {seat} away: 1 wait 2 safe 3 house", seat=seat),
    ),
    "put_aside": Rule(1, majority_yes, lambda _: say("Put match aside? Push yes, bar no")),
    "end": Rule(1, unanimous_yes, lambda _: say("End the match? Push yes, bar no")),
    # It opens a hand: only phones that have proved their keys answer.
    "same_person": Rule(
        1,
        unanimous_yes,
        lambda seat: say("Seat {seat} as before? Answer on your phone", seat=seat),
        controls=(),
        during="lobby",
    ),
    "agree": Rule(2, unanimous_yes, lambda _: say("All agree? Push yes, bar no")),
    "new_phone": Rule(
        2,
        unanimous_yes,
        lambda seat: say("Seat {seat}: new phone? Push yes, bar no", seat=seat),
        during="always",
        replaces="absent",
    ),
    # The bar means nothing to who pitches: held, it calls for help, and would first have ended the pitches of everybody.
    "pitch": Rule(3, first_answer("done"), lambda _: say("Read it aloud. Push: done"), controls=("push",)),
}
"""All kinds of questions. What an answer does is up to the part that asks (`Asked.do`)."""


def caption(kind: QuestionKind, seat: int, options: Collection[str]) -> Text:
    """Return the text of a question for the displays of boxes. `seat` is the seat that it is about."""
    rule = KINDS[kind]
    of_three = rule.caption_of_three if len(options) > 2 else None
    return (of_three or rule.caption)(seat)


@dataclass
class OpenQuestion:
    """An open question. `options` are by key what a person reads; `do` is called with the key that was carried.

    `seat` is whom it is about, 0 for nobody; `by` the seat that asked, 0 for the table itself. Once somebody else sits at
    one of the seats `stands_on`, it is asked no longer. `stay` are seats that were there when it was asked.
    """

    kind: QuestionKind
    text: str
    options: Mapping[str, str]
    voters: Callable[[], Sequence[int]]
    on_decision: Callable[[str], object]
    seat: int = 0
    by: int = 0
    depends_on: frozenset[int] = frozenset()
    until: float = 0.0
    lasting_voters: set[int] = field(default_factory=set)
    votes: dict[int, str] = field(default_factory=dict)
    decide: Decide | None = None
    """Which votes carry an answer, if that differs from the rule of its kind."""

    def current_voters(self) -> list[int]:
        """Return the seats that decide now, by rising number."""
        return sorted({*self.voters(), *self.lasting_voters})

    @property
    def controls(self) -> Mapping[str, str]:
        """Return the option that each control of a box answers; empty if only phones answer."""
        controls = KINDS[self.kind].controls if len(self.options) < 3 else ("k1", "k2", "k3")
        return dict(zip(controls, self.options, strict=False))

    @property
    def caption(self) -> Text:
        """Return the text for the displays of boxes."""
        return caption(self.kind, self.seat, self.options)


class Questions(Part):
    """The question that is open at a table, if one is."""

    def __init__(self, clock: Clock, is_active: Callable[[int], bool], is_playing: Callable[[], bool]) -> None:
        """`is_heard` says whether somebody was heard of at a seat of late, `is_playing` whether a match is under way."""
        self._clock, self._is_active, self._is_playing = clock, is_active, is_playing
        self.open: OpenQuestion | None = None
        self._blocked_until: dict[int, float] = {}  # by seat: until when it asks nothing, as the others said no

    def ask(self, asked: OpenQuestion, seconds: float = VOTE_SECONDS) -> None:
        """Ask the table. Raise NotAsked while another question is open that comes first, or to whom the others said no.

        What an absent seat holds up comes before what a person wants, and that before a phone that wants to come in; but
        a phone that wants to come in at the absent seat itself is the better answer.
        """
        rule, before = KINDS[asked.kind], self.open
        is_answer = before and (before.kind, before.seat) == (rule.replaces, asked.seat)
        if before and not is_answer and KINDS[before.kind].rank <= rule.rank:
            raise NotAsked(say("The table is asked something else just now: answer that first."), "QUESTION")
        wait = ceil(self._blocked_until.get(asked.by, 0.0) - self._clock.now()) if asked.by else 0
        if wait > 0:
            raise NotAsked(
                say("Not enough players said yes: you may ask again in {seconds} s.", seconds=wait), "QUESTION"
            )
        asked.until = self._clock.now() + seconds
        if rule.needs_all:
            asked.lasting_voters = {*asked.voters()}
        self.open = asked

    def vote(self, seat: int, option: str) -> None:
        """Take a seat's vote. Raise IllegalAction."""
        asked = self.open
        if asked is None:
            raise NotAsked(say("The table is asked nothing now."), "QUESTION")
        if seat not in asked.current_voters():
            raise NotAsked(say("This question is for others."), "QUESTION")
        if option not in asked.options:
            raise NotOffered(say("Answer {options}.", options=listed(asked.options, ",")), "QUESTION")
        asked.votes[seat] = option
        self._decide(late=False)

    def on_seat_changed(self, seat: int) -> None:
        """Take note that somebody else, or nobody, sits at a seat now: its vote was another person's."""
        self._blocked_until.pop(seat, None)
        if self.open is None:
            return
        if seat in self.open.depends_on:
            self.open = None
        else:
            self.open.votes.pop(seat, None)
            self.open.lasting_voters.discard(seat)

    def close(self, kind: QuestionKind) -> None:
        """Ask no longer, if the open question is of this kind."""
        if self.open and self.open.kind == kind:
            self.open = None

    def update(self) -> None:
        """Close a question when the match that it is about has ended, or when a match has begun after it."""
        if self.open and KINDS[self.open.kind].during == ("lobby" if self._is_playing() else "match"):
            self.open = None

    def _decide(self, *, late: bool) -> bool:
        asked = self.open
        if asked is None:
            return False
        voters = asked.current_voters()
        if late and not KINDS[asked.kind].needs_all:
            voters = [seat for seat in voters if seat in asked.votes or self._is_active(seat)]
        votes = {seat: option for seat, option in asked.votes.items() if seat in voters}
        carried = (asked.decide or KINDS[asked.kind].decide)(votes, voters, late)
        if carried is None:
            return False
        self.open = None  # before anything is done: that may ask the next one
        if asked.by and carried == "no":
            self._blocked_until[asked.by] = self._clock.now() + REST_SECONDS
        asked.on_decision(carried)
        return True

    @property
    def due_at(self) -> float | None:
        """Return when the open question ends by itself, in the clock's seconds."""
        return self.open.until if self.open else None

    def run_due(self) -> bool:
        """Decide what is decided by now; return whether something was."""
        return self._decide(late=self.open is not None and self._clock.now() >= self.open.until)

    def public(self) -> Question | None:
        """Return the open question as everybody sees it."""
        asked = self.open
        if asked is None:
            return None
        return Question(
            kind=asked.kind,
            text=asked.text,
            options=dict(asked.options),
            voters=asked.current_voters(),
            votes={f"{seat}": option for seat, option in asked.votes.items()},
            seat=asked.seat,
            seconds=max(0, ceil(asked.until - self._clock.now())),
        )
