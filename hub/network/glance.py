"""One table at a glance, from its public state: for the till, and for what stands outside of the game."""

from __future__ import annotations

from hub.state import PublicState, TillTable


def at_a_glance(state: PublicState) -> TillTable:
    """Return what anybody in the house may see of a table: no name of a guest."""
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
