"""The state machine of a batch of dice.

`TRANSITIONS` gives, for each state, the possible steps and the state after each. A step that a state does not have is
refused if it comes from a person, and ignored if it comes from a reader. `hub.table.dice.open_batch` takes the steps;
`hub.table.dice.table_dice` counts the accepted batches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from hub.engine.text import Text, say
from hub.state import Batch, Read, RollState

BATCH = 6  # dice per batch: the standard kit, as many as one Bluetooth adapter can connect
ACCEPT_SECONDS = 1.0  # a batch that was read is accepted after this time unless somebody objects
SILENT_SECONDS = 3.0  # a reader that has not answered after this time counts as lost
HINT_SECONDS = 45.0  # after this time, people are reminded of the other ways to roll
STAFF_SECONDS = 120.0  # after this time, staff are called
TYPED_SECONDS = 60.0  # typed dice are accepted after this time unless somebody objects
ENOUGH = 3  # maximum number of votes needed to read a leaning die as it lies; a majority at small tables

READ: tuple[Read, ...] = ("read", "typed", "hub")  # from the most physical to the least

Step: TypeAlias = Literal[
    "ready", "falling", "read", "leaning", "lifted", "miscounted", "lost", "unreadable", "silent",
    "typed", "accepted", "read_again", "as_it_lies", "hub",
]  # fmt: skip
"""Steps of a batch.

Steps of the reader:
- ready: it waits for the dice
- falling: a die moves
- read: all dice lie flat and were read
- leaning: a die leans
- lifted: flat dice beside a leaning one were picked up
- miscounted: the count or a face is wrong
- lost: the reader is lost
- unreadable: it cannot read the dice again as they lie
- silent: it does not answer

Steps of people:
- typed: the faces were typed
- accepted: also by time
- read_again: somebody objects
- as_it_lies: a vote to read a leaning die as it lies was carried
- hub: they let the hub roll
"""

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

# After an accepted batch or one rolled by the hub, the next batch begins ("armed"), or the roll is complete.
TRANSITIONS: Mapping[RollState, Mapping[Step, RollState]] = {
    "armed": {**_BY_READER, "typed": "typed", "hub": "armed"},
    "rolling": {**_BY_READER, "typed": "typed", "hub": "armed"},
    "no_reader": {**_BY_READER, "typed": "typed", "hub": "armed"},
    "wrong_count": {**_BY_READER, "typed": "typed", "hub": "armed", "read_again": "armed"},
    "cocked": {**_BY_READER, "as_it_lies": "no_reader", "hub": "armed", "read_again": "armed"},
    # From here on, the reader is ignored: settled dice may be picked up.
    "settled": {"accepted": "armed", "typed": "typed", "read_again": "armed"},
    "typed": {"accepted": "armed", "typed": "typed", "read_again": "armed"},
}

REFUSALS: Mapping[Step, Text] = {
    "typed": say("A leaning die is rolled again, unless the table votes to read it as it lies."),
    "accepted": say("No roll has been read yet."),
    "read_again": say("There is no roll to read again."),
    "as_it_lies": say("No die is leaning."),
    "hub": say("The dice are still there: say whether they were read correctly."),
}
"""The refusal of a person's step that `TRANSITIONS` does not have in the present state."""

MOVING_STEPS: tuple[Step, ...] = (
    "falling",
    "read",
    "leaning",
    "lifted",
    "miscounted",
    "typed",
)  # steps that show activity at the dice


def least_physical(batches: Sequence[Batch]) -> Read:
    """Return how a roll was read: the least physical way among its batches."""
    return max((batch.read for batch in batches), key=READ.index)


def votes_needed(voters: int) -> int:
    """Return how many of `voters` are needed to read a leaning die as it lies."""
    return min(ENOUGH, voters // 2 + 1)
