"""Notices about the devices, broker and network of a table, and about seats that moved to another phone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hub.engine.text import Text, say
from hub.ports import AddressChanged, BrokerDown, BrokerUp, DeviceDown, DeviceSimulated, DeviceUp
from hub.table.base.notices import Notices
from hub.table.seating.seats import Seats

SIMULATED = say("Boxes and dice here are simulated: anybody who opens the bench page sees every secret choice.")
UNNAMED = say("A device of this table does not work. The staff page says which one.")
NO_NETWORK = say("There is no network yet: phones can join as soon as the hub has an address.")
NO_BROKER = say("Phones cannot be reached now. Boxes play on. The hub tries again by itself.")

Condition = DeviceDown | DeviceUp | DeviceSimulated | BrokerDown | BrokerUp | AddressChanged


def update_notices(signal: Condition, notices: Notices, seats: Seats) -> None:
    """Post or end the notice about a condition. If the broker is down, mark all phones of `seats` as disconnected."""
    match signal:
        case DeviceDown(device, why):
            # texts with paths, and plain strings of a driver, are for staff
            is_for_guests = isinstance(why, Text) and "path" not in why.values
            notices.post("device", why if is_for_guests else UNNAMED, device)
        case DeviceUp(device):
            notices.end("device", device)
        case DeviceSimulated():
            notices.post("simulated", SIMULATED)
        case BrokerDown():
            notices.post("broker", NO_BROKER)  # the reason is for staff only
            for seat in seats:
                seat.phone_on = False
        case BrokerUp():
            was_down = notices.end("broker")
            for seat in seats if was_down else ():  # phones were unreachable: absence counts from now
                seat.away_since = None
        case AddressChanged(url):  # every public state contains the address itself
            if url:
                notices.end("network")
            else:
                notices.post("network", NO_NETWORK)


def post_moved_seats(
    before: Mapping[int, tuple[str, bool]], seats: Seats, playing: Collection[int], notices: Notices
) -> bool:
    """Post a notice for each occupied seat that moved to another phone. Return whether there was one.

    `before` holds, by seat, the previous login and whether somebody sat there. `playing` are the seats of the match.
    """
    posted = False
    known = {sid for sid, _ in before.values()}
    for seat in seats:
        sid, joined = before[seat.number]
        # unchanged, or a phone that only moved within the table
        if not seat.sid or seat.sid == sid or seat.sid in known:
            continue
        posted = True
        notices.end_all("answered")
        if sid:
            notices.post("taken", say("Seat {seat} has moved to another phone.", seat=seat.number), str(seat.number))
        elif joined and seat.number in playing:
            notices.post("on_phone", say("Seat {seat} plays on a phone now.", seat=seat.number), str(seat.number))
    return posted
