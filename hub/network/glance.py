"""One table at a glance, from its public state: for the till, Home Assistant and other hubs."""

from __future__ import annotations

from hub.state import PublicState, TillTable


def at_a_glance(state: PublicState) -> TillTable:
    """Return what everybody in the venue may see of a table. It holds no names of guests."""
    return TillTable(
        state.table,
        state.name,
        state.state,
        state.title,
        len(state.seats),
        free=sum(not seat.held or seat.is_house for seat in state.seats),
        calls=sum(notice.key.startswith("help") for notice in state.notices),
        minutes_left=state.minutes_left,
        until=state.until,
    )
