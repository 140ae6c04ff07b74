"""Questions that the people at a table decide together, such as suspending the match.

One question is open at a time. Each voter has one vote and may change it. The answer takes effect as soon as the votes
suffice, or when the time is over. Silence is never a yes.
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
"""How long a seat must wait before it asks again after a no, or after the others want to wait."""
BUSY = say("The table is answering another question: answer that one first.")

Decide = Callable[[Mapping[int, str], Sequence[int], bool], str | None]
"""Return the winning option, given the votes by seat, the voters, and whether the time is over; None: undecided."""


def majority_yes(votes: Mapping[int, str], voters: Sequence[int], late: bool) -> str | None:
    """Return `yes` if more than half of the voters agree. A single yes wins only when the time is over."""
    yes = [seat for seat, option in votes.items() if option == "yes"]
    if len(yes) * 2 > len(voters) and (late or len(yes) > 1):
        return "yes"
    return "no" if late or 0 < len(voters) <= (len(votes) - len(yes)) * 2 else None


def unanimous_yes(votes: Mapping[int, str], voters: Sequence[int], late: bool) -> str | None:
    """Return `yes` if all voters agree, at least two."""
    if "no" in votes.values():
        return "no"
    if len(votes) > 1 and all(seat in votes for seat in voters):
        return "yes"
    return "no" if late else None


def first_answer(otherwise: str) -> Decide:
    """Return a rule by which the first vote wins; `otherwise` wins if nobody votes in time."""

    def decide(votes: Mapping[int, str], _: Sequence[int], late: bool) -> str | None:
        return next(iter(votes.values()), otherwise if late else None)

    return decide


def majority_option(votes: Mapping[int, str], voters: Sequence[int], late: bool) -> str | None:
    """Return the option of more than half of the voters.

    If all have voted, or the time is over, without one: if more than half do not want to wait, the option that most of
    these want, or the one that was voted for first; else `wait`.
    """
    wanted = list(votes.values())
    for option in dict.fromkeys(wanted):
        if wanted.count(option) * 2 > len(voters):
            return option
    if not late and len(wanted) < len(voters):
        return None
    others = [option for option in wanted if option != "wait"]
    return max(dict.fromkeys(others), key=others.count) if len(others) * 2 > len(voters) else "wait"


class Rule(NamedTuple):
    """How the people at a table answer questions of one kind."""

    rank: int
    """The priority: a question replaces an open one with a higher rank."""
    decide: Decide
    """Determines the winning option."""
    caption: Callable[[int], Text]
    """Returns the text for box displays, including the controls, given the seat that the question is about."""
    caption_of_three: Callable[[int], Text] | None = None
    """The same for questions with three answers, on K1 to K3."""
    controls: Sequence[str] = ("push", "bar")
    """The box controls for the first two answers, in order. If empty, only phones answer."""
    during: Literal["match", "lobby", "always"] = "match"
    """When the question makes sense; it closes as soon as this no longer holds."""
    replaces: QuestionKind | None = None
    """The kind that it replaces regardless of rank if both are about the same seat."""

    @property
    def needs_all(self) -> bool:
        """Return whether all voters must agree.

        Then everybody present at the start keeps the vote, so that losing the network never takes away a veto.
        For other kinds, inactive seats without a vote do not count when the time is over.
        """
        return self.decide is unanimous_yes


KINDS: Mapping[QuestionKind, Rule] = {
    "absent": Rule(
        0,
        majority_option,
        lambda seat: say("Seat {seat} away? Push wait, bar safe", seat=seat),
        lambda seat: say("Seat {seat} away: 1 wait 2 safe 3 house", seat=seat),
    ),
    "put_aside": Rule(1, majority_yes, lambda _: say("Suspend match? Push yes, bar no")),
    "end": Rule(1, unanimous_yes, lambda _: say("End the match? Push yes, bar no")),
    # A yes reveals a hand: only phones that have proved their keys may answer.
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
    # No bar: holding it calls for help, and its press would first end the pitches of everybody.
    "pitch": Rule(3, first_answer("done"), lambda _: say("Read it aloud. Push: done"), controls=("push",)),
}
"""All kinds of questions. The part that asks defines the effect (`OpenQuestion.on_decision`)."""


def caption(kind: QuestionKind, seat: int, options: Collection[str]) -> Text:
    """Return the text of a question about `seat` for box displays."""
    rule = KINDS[kind]
    of_three = rule.caption_of_three if len(options) > 2 else None
    return (of_three or rule.caption)(seat)


@dataclass
class OpenQuestion:
    """An open question. `options` maps keys to labels; `on_decision` is called with the key of the winning option."""

    kind: QuestionKind
    text: str
    options: Mapping[str, str]
    voters: Callable[[], Sequence[int]]
    on_decision: Callable[[str], object]
    seat: int = 0
    """The seat that the question is about; 0: none."""
    reads: str = ""
    """What that seat reads aloud."""
    by: int = 0
    """The seat that asked; 0: the table itself."""
    depends_on: frozenset[int] = frozenset()
    """The question closes when the person at one of these seats changes."""
    until: float = 0.0
    """When it ends, in the clock's seconds."""
    lasting_voters: set[int] = field(default_factory=set)
    """Seats that keep their vote even if they become inactive."""
    votes: dict[int, str] = field(default_factory=dict)
    decide: Decide | None = None
    """Determines the winning option in place of the rule of its kind."""

    def current_voters(self) -> list[int]:
        """Return the seats that may vote now, in order."""
        return sorted({*self.voters(), *self.lasting_voters})

    @property
    def controls(self) -> Mapping[str, str]:
        """Return the option of each box control; empty if only phones answer."""
        controls = KINDS[self.kind].controls if len(self.options) < 3 else ("k1", "k2", "k3")
        return dict(zip(controls, self.options, strict=False))

    @property
    def caption(self) -> Text:
        """Return the text for box displays."""
        return caption(self.kind, self.seat, self.options)


class Questions(Part):
    """The open question of a table, if any."""

    def __init__(
        self,
        clock: Clock,
        is_active: Callable[[int], bool],
        is_playing: Callable[[], bool],
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Create them without an open question.

        - `is_active`: returns whether a seat has shown activity lately.
        - `is_playing`: returns whether a match is under way.
        - `is_stopped`: returns whether the disk fails. Meanwhile nothing is decided, because no answer could take effect.
        """
        self._clock, self._is_active, self._is_playing, self._is_stopped = clock, is_active, is_playing, is_stopped
        self.open: OpenQuestion | None = None
        # By seat, and whether it asked about an absent one: when it may ask again.
        self._blocked_until: dict[tuple[int, bool], float] = {}

    def ask(self, asked: OpenQuestion, seconds: float = VOTE_SECONDS) -> None:
        """Open a question. Raise NotAsked if another one has priority (`Rule.rank`, `Rule.replaces`).

        Also raise NotAsked if the asking seat must wait: after a no, or, if it asked about an absent seat, after "wait".
        """
        rule, before = KINDS[asked.kind], self.open
        is_answer = before and (before.kind, before.seat) == (rule.replaces, asked.seat)
        if before and not is_answer and KINDS[before.kind].rank <= rule.rank:
            raise NotAsked(BUSY, "QUESTION")
        now = self._clock.now()
        wait = ceil(self._blocked_until.get((asked.by, asked.kind == "absent"), now) - now)
        if wait > 0:
            raise NotAsked(
                say("The table has just answered: you may ask again in {seconds} s.", seconds=wait), "QUESTION"
            )
        asked.until = now + seconds
        if rule.needs_all:
            asked.lasting_voters = {*asked.voters()}
        self.open = asked

    def vote(self, seat: int, option: str) -> None:
        """Record the vote of a seat. Raise IllegalAction."""
        asked = self.open
        if asked is None:
            raise NotAsked(say("There is no question to answer now."), "QUESTION")
        if seat not in asked.current_voters():
            raise NotAsked(say("This question is for others."), "QUESTION")
        if option not in asked.options:
            raise NotOffered(say("Answer {options}.", options=listed(asked.options, ",")), "QUESTION")
        asked.votes[seat] = option
        self._decide(late=False)

    def on_seat_changed(self, seat: int) -> None:
        """Forget the vote of a seat whose person has changed or left."""
        self._blocked_until = {key: until for key, until in self._blocked_until.items() if key[0] != seat}
        if self.open is None:
            return
        if seat in self.open.depends_on:
            self.open = None
        else:
            self.open.votes.pop(seat, None)
            self.open.lasting_voters.discard(seat)

    def close(self, kind: QuestionKind) -> None:
        """Close the open question if it is of this kind."""
        if self.open and self.open.kind == kind:
            self.open = None

    def update(self) -> None:
        """Close a question that makes no sense any more, as a match has ended or begun (`Rule.during`)."""
        if self.open and KINDS[self.open.kind].during == ("lobby" if self._is_playing() else "match"):
            self.open = None

    def _decide(self, *, late: bool) -> bool:
        asked = self.open
        if asked is None or self._is_stopped():
            return False
        voters = asked.current_voters()
        if late and not KINDS[asked.kind].needs_all:
            voters = [seat for seat in voters if seat in asked.votes or self._is_active(seat)]
        votes = {seat: option for seat, option in asked.votes.items() if seat in voters}
        carried = (asked.decide or KINDS[asked.kind].decide)(votes, voters, late)
        if carried is None:
            return False
        self.open = None  # first, because `on_decision` may open the next question
        if asked.by and carried in ("no", "wait"):
            self._blocked_until[asked.by, asked.kind == "absent"] = self._clock.now() + REST_SECONDS
        asked.on_decision(carried)
        return True

    @property
    def due_at(self) -> float | None:
        """Return when the time for the open question is over, in the clock's seconds."""
        return self.open.until if self.open else None

    def run_due(self) -> bool:
        """Decide the open question if the votes suffice or the time is over. Return whether it was decided."""
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
            reads=asked.reads,
            seconds=max(0, ceil(asked.until - self._clock.now())),
        )
