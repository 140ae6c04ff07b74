"""What hubs tell a broker above them, and what they read there of each other: nothing that only a seat or a guest may see.

All topics of a hub begin with `table-hubs/1/<venue>/<hub>/`, so one rule at the broker is enough for a hub: it writes there, and
reads below its venue.
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
"""So many finished matches of a hub stand retained at the broker, each in the place of the one so many before it."""

Short = Annotated[str, msgspec.Meta(max_length=80)]
Id = Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9-]{1,32}$")]


class HubPresence(Plain, frozen=True, forbid_unknown_fields=False):
    """Whether a hub is connected; `offline` is also its will. `session` is another one after each start of the hub."""

    state: Literal["online", "offline"]
    session: Short
    v: Literal[1] = 1


class HubInfo(Plain, frozen=True, forbid_unknown_fields=False):
    """What a hub is, each minute anew: `at` is its clock, in seconds since 1970.

    `finished` is the number of the newest finished match that the broker has acknowledged, in the numbering `series`.
    """

    session: Short
    at: Count
    version: Short
    tables: Annotated[list[Id], msgspec.Meta(max_length=256)]
    series: Short
    finished: Count
    v: Literal[1] = 1


class TableSummary(Plain, frozen=True, forbid_unknown_fields=False):
    """A table as anybody in the house may see it. `n` counts the summaries of this table in the hub's `session`.

    `people` counts seats that somebody has, without the house's; `calls` are calls for help; `minutes_left` is the upper end of the
    range, `until` when the table's time is over, in seconds since 1970.
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

    `number` counts them at this hub without a gap, in the numbering `series`: who has a number has the match, and one that
    is missing was lost. `match` is its id there; where its end was taken back and it ended again, `replaces` is the number that
    it had before. `seats` is how many played, `actions` how long its log is, `minutes` how long it took, where that is
    known, `ended` when, in seconds since 1970.
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
    """The topics of one hub; `+` matches all hubs of the venue."""

    venue: str
    hub: str

    @property
    def root(self) -> str:
        """Return the prefix of them all."""
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
        """Return the topic of a table's TableSummary (retained; empty once the hub has no such table)."""
        return f"{self.root}/table/{table}"

    def state(self, table: str) -> str:
        """Return the topic of a table's whole public state (retained), where the owner has asked for it."""
        return f"{self.root}/state/{table}"

    def finished(self, place: int | str) -> str:
        """Return the topic of finished matches whose number leaves `place` when divided by KEPT_MATCHES (retained)."""
        return f"{self.root}/finished/{place}"


def summary(state: PublicState, session: str, n: int) -> TableSummary:
    """Return what other hubs and the owner read of a table."""
    seen = at_a_glance(state)
    return TableSummary(
        session,
        n,
        seen.name[:80],
        seen.state,
        seen.title[:80],
        state.view.round if state.view else None,
        seen.seats,
        seen.seats - seen.free,
        seen.calls,
        seen.minutes_left[1] if seen.minutes_left else None,
        seen.until,
    )
