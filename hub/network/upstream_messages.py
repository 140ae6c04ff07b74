"""Messages that hubs exchange through a broker above them. They hold nothing that only a seat or a guest may see.

All topics of a hub begin with `table-hubs/1/<venue>/<hub>/`. One rule per hub is therefore enough at the broker: the hub may write
there, and read all topics of its venue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from hub.network.glance import at_a_glance
from hub.network.messages import reader
from hub.state import Count, Plain, PublicState

ROOT = "table-hubs/1"
KEPT_MATCHES = 64
"""Number of finished matches of a hub that the broker retains. A newer match replaces the one this many numbers before it."""

Short = Annotated[str, msgspec.Meta(max_length=80)]
Id = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9-]{1,32}$")]


class HubPresence(Plain, frozen=True, forbid_unknown_fields=False):
    """Whether a hub is connected; `offline` is also its will. Each start of the hub has a new `session`."""

    state: Literal["online", "offline"]
    session: Short
    v: Literal[1] = 1


class HubInfo(Plain, frozen=True, forbid_unknown_fields=False):
    """A description of a hub, sent every minute.

    - `at`: the hub's clock (Unix time).
    - `finished`: the number of the newest finished match that the broker has acknowledged, in the numbering `series`.
    """

    session: Short
    at: Count
    version: Short
    tables: Annotated[list[Id], msgspec.Meta(max_length=256)]
    series: Short
    finished: Count
    v: Literal[1] = 1


class TableSummary(Plain, frozen=True, forbid_unknown_fields=False):
    """A table as everybody in the venue may see it.

    - `n`: counts the summaries of this table in the hub's `session`.
    - `people`: the number of taken seats, without seats that the house plays.
    - `calls`: the number of open calls for help.
    - `minutes_left`: the upper end of the estimated range.
    - `until`: when the table's time ends (Unix time).
    """

    session: Short
    n: Count
    name: Short
    state: Literal["lobby", "playing", "over", "stopped"]
    game: Short
    round: Count | None
    seats: Count
    people: Count
    calls: Count
    minutes_left: Count | None
    until: Count | None
    v: Literal[1] = 1


class FinishedMatch(Plain, frozen=True):
    """A match that was played to its end, for statistics.

    - `number`: counts the matches of this hub without gaps, in the numbering `series`. A missing number is a lost match.
    - `match`: the id of the match at this hub.
    - `replaces`: the number that the match had before, if its end was undone and it ended again.
    - `seats`: the number of players.
    - `actions`: the length of its log.
    - `minutes`: its duration; None if unknown.
    - `ended`: when it ended (Unix time).
    """

    series: str
    number: Count
    match: str
    table: str
    game: str
    options: dict[str, Any]
    seats: Count
    actions: Count
    minutes: float | None
    ended: Count
    replaces: Count | None = None
    v: Literal[1] = 1


read_presence = reader(HubPresence, "The presence of a hub")
read_info = reader(HubInfo, "What a hub is", 16_384)  # 256 tables
read_summary = reader(TableSummary, "The summary of a table")


@dataclass(frozen=True, slots=True)
class HubTopics:
    """The topics of one hub. The hub `+` matches all hubs of the venue."""

    venue: str
    hub: str

    @property
    def root(self) -> str:
        """Return the common prefix of these topics."""
        return f"{ROOT}/{self.venue}/{self.hub}"

    @property
    def presence(self) -> str:
        """Return the topic of HubPresence (retained)."""
        return f"{self.root}/presence"

    @property
    def info(self) -> str:
        """Return the topic of HubInfo (retained)."""
        return f"{self.root}/info"

    def table(self, table: str) -> str:
        """Return the topic of the TableSummary of a table (retained; empty after the table was removed)."""
        return f"{self.root}/table/{table}"

    def state(self, table: str) -> str:
        """Return the topic of the whole public state of a table (retained). The hub only uses it if the owner wants that."""
        return f"{self.root}/state/{table}"

    def finished(self, place: int | str) -> str:
        """Return the topic of finished matches with `number % KEPT_MATCHES == place` (retained)."""
        return f"{self.root}/finished/{place}"


def summary(state: PublicState, session: str, n: int) -> TableSummary:
    """Return the summary of a table for other hubs and the owner."""
    glance = at_a_glance(state)
    return TableSummary(
        session,
        n,
        glance.name[:80],
        glance.state,
        glance.title[:80],
        state.view.round if state.view else None,
        glance.seats,
        glance.seats - glance.free,
        glance.calls,
        glance.minutes_left[1] if glance.minutes_left else None,
        glance.until,
    )
