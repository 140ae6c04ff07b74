"""The golden table of the dial, for every driver and firmware that reads one: contact A first is clockwise.

Both contacts are open at rest. gpiozero's RotaryEncoder counts A first as clockwise (gpiozero/input_devices.py), so
the firmware does. Makers' drawings differ: an encoder that turns the wrong way has its A and B exchanged.
"""

from __future__ import annotations

from typing import NamedTuple


class Contacts(NamedTuple):
    """Which of the two contacts are closed."""

    a: bool
    b: bool


REST = Contacts(a=False, b=False)
# One detent from rest to rest, quarter by quarter.
CLOCKWISE: tuple[Contacts, ...] = (Contacts(a=True, b=False), Contacts(a=True, b=True), Contacts(a=False, b=True), REST)
ANTICLOCKWISE: tuple[Contacts, ...] = tuple(Contacts(a=b, b=a) for a, b in CLOCKWISE)
