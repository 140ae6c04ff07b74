"""What is said of the world around a table: its devices, its broker, its network, and seats that another phone has now."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hub.engine.text import Text, say
from hub.ports import AddressChanged, BrokerDown, BrokerUp, DeviceDown, DeviceSimulated, DeviceUp
from hub.table.base.notices import Notices
from hub.table.seating.seats import Seats

SIMULATED = say("Boxes and dice here are simulated: anybody at the bench page sees every secret choice.")
UNNAMED = say("A device of this table does not work. The staff's page says which one.")
NO_NETWORK = say("There is no network yet: phones can join as soon as the hub has an address.")
NO_BROKER = say("Phones cannot be reached now. Boxes play on. The hub tries again by itself.")

Condition = DeviceDown | DeviceUp | DeviceSimulated | BrokerDown | BrokerUp | AddressChanged


def update_notices(signal: Condition, notices: Notices, seats: Seats) -> None:
    """Post the notice of what is wrong around the table, or end it. Without a broker no phone of `seats` is there."""
    match signal:
        case DeviceDown(device, why):
            is_for_guests = isinstance(why, Text) and "path" not in why.values  # staff get all words of a driver
            notices.post("device", why if is_for_guests else UNNAMED, device)
        case DeviceUp(device):
            notices.end("device", device)
        case DeviceSimulated():
            notices.post("simulated", SIMULATED)
        case BrokerDown():
            notices.post("broker", NO_BROKER)  # staff get the reason
            for seat in seats:
                seat.phone_on = False
        case BrokerUp():
            was_down = notices.end("broker")
            for seat in seats if was_down else ():  # phones could not be heard: they have been gone from now on
                seat.away_since = None
        case AddressChanged(url):  # the address itself stands in every public state
            if url:
                notices.end("network")
            else:
                notices.post("network", NO_NETWORK)


def post_moved_seats(
    before: Mapping[int, tuple[str, bool]], seats: Seats, playing: Collection[int], notices: Notices
) -> bool:
    """Tell everybody of a seat that was somebody's and is on another phone now; return whether there is one.

    `before` is the login and whether somebody sat there, by seat; `playing` the seats of the match.
    """
    posted = False
    known = {sid for sid, _ in before.values()}
    for seat in seats:
        sid, joined = before[seat.number]
        if not seat.sid or seat.sid == sid or seat.sid in known:  # who was here has only changed places
            continue
        posted = True
        notices.end_all("answered")
        if sid:
            notices.post("taken", say("Seat {seat} has moved to another phone.", seat=seat.number), str(seat.number))
        elif joined and seat.number in playing:
            notices.post("on_phone", say("Seat {seat} plays on a phone now.", seat=seat.number), str(seat.number))
    return posted
