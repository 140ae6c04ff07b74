"""The states of a roll at the table, and what leads from one to another.

`TRANSITIONS` is the whole of it, in the manner of a printed table: from each state the steps that may be taken, and the
state that each leads to. What a state has no step for is refused (a person) or ignored (a reader). The steps themselves
are taken in `hub.table.dice.open_batch`, and a batch that was accepted is counted in `hub.table.dice.table_dice`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from hub.engine.text import Text, say
from hub.state import Batch, Read, RollState

BATCH = 6  # the standard kit: one Bluetooth adapter holds that many dice
ACCEPT_SECONDS = 1.0  # a batch that was read is accepted after so long where nobody objects
SILENT_SECONDS = 3.0  # a reader that does not answer its arm for so long is no reader
HINT_SECONDS = 45.0  # then the other ways to roll are pointed out
STAFF_SECONDS = 120.0  # then staff are called
TYPED_SECONDS = 60.0  # then typed dice count, if nobody has said no
ENOUGH = 3  # votes that have a leaning die read as it lies; at a table of three or two a majority

READ: tuple[Read, ...] = ("read", "typed", "hub")  # from the most physical to the least

Step: TypeAlias = Literal[
    "ready", "falling", "read", "leaning", "lifted", "miscounted", "lost", "unreadable", "silent",
    "typed", "accepted", "read_again", "as_it_lies", "hub",
]  # fmt: skip
"""What may happen to a batch. By the reader: it waits (ready), a die moves (falling), all lie flat and were read, one is
leaning, flat ones beside a leaning one were lifted, the count or a face is wrong (miscounted), it is lost, cannot read
again what lies there (unreadable), or does not answer (silent). By people: typed, accepted, an objection (read_again), a
vote to read a leaning die as it lies, and one to let the hub roll. Time accepts, too."""

_BY_READER: Mapping[Step, RollState] = {
    "ready": "armed",
    "falling": "rolling",
    "read": "settled",
    "leaning": "cocked",
    "lifted": "armed",
    "miscounted": "wrong_count",
    "lost": "no_reader",
    "unreadable": "no_reader",
    "silent": "no_reader",
}

# What was accepted or rolled by the hub leads to the next batch, which is armed anew, or to the end of the roll.
TRANSITIONS: Mapping[RollState, Mapping[Step, RollState]] = {
    "armed": {**_BY_READER, "typed": "typed", "hub": "armed"},
    "rolling": {**_BY_READER, "typed": "typed", "hub": "armed"},
    "no_reader": {**_BY_READER, "typed": "typed", "hub": "armed"},
    "wrong_count": {**_BY_READER, "typed": "typed", "hub": "armed", "read_again": "armed"},
    "cocked": {**_BY_READER, "as_it_lies": "no_reader", "hub": "armed", "read_again": "armed"},
    # What has settled has settled: from here on the reader is not asked any more.
    "settled": {"accepted": "armed", "typed": "typed", "read_again": "armed"},
    "typed": {"accepted": "armed", "typed": "typed", "read_again": "armed"},
}

REFUSALS: Mapping[Step, Text] = {
    "typed": say("A leaning die is rolled again, unless the table would read it as it lies."),
    "accepted": say("No roll has been read yet."),
    "read_again": say("There is no roll to read again."),
    "as_it_lies": say("No die is leaning."),
    "hub": say("The dice lie there: say whether they were read right."),
}
"""Why what a person wants cannot be where `TRANSITIONS` has no such step."""

MOVING_STEPS: tuple[Step, ...] = (
    "falling",
    "read",
    "leaning",
    "lifted",
    "miscounted",
    "typed",
)  # somebody is at the dice


def least_physical(batches: Sequence[Batch]) -> Read:
    """Return how a roll came in: as its least physical batch did."""
    return max((batch.read for batch in batches), key=READ.index)


def votes_needed(voters: int) -> int:
    """Return how many of so many have a leaning die read as it lies."""
    return min(ENOUGH, voters // 2 + 1)
