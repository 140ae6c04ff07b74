"""Switches and dial: from the levels of the pins, each with its time stamp, to what a person did.

A contact counts on its first edge; what it does in the 20 ms after that is bounce. The bar and K1 to K6 have a second
meaning when they are held, so that a short press is told when it ends and a held one as `hold` when it has lasted:
of one press, `down` or `hold` is told, never both. A push is `down` at once. Whatever is done next ends a short press
that is still on, so that things stay in the order in which they were done.

A push while the bar is down waits, too: both held for a second are the push's `hold`, and neither is told as a press; let
go earlier, or with anything else done, they are the bar's `down` and the push's `down`.
"""

from time import ticks_diff

from pins import CONTROLS, GPIO

BOUNCE = 20  # ms
HOLD = {"bar": 3000, "k1": 2000, "k2": 2000, "k3": 2000, "k4": 2000, "k5": 2000, "k6": 2000}  # ms
BOTH = 1000  # ms that bar and push are held together, the bar first

# Where the dial stands is A (the higher bit) and B, 3 at rest; to the right, clockwise, A closes first: 3, 1, 0, 2, 3.
# What two sights of it, one after the other, say: a quarter detent right or left, nothing, or that one was missed.
_MISSED = 9
_QUARTERS = (
    (0, -1, 1, _MISSED),
    (1, 0, _MISSED, -1),
    (-1, _MISSED, 0, 1),
    (_MISSED, 1, -1, 0),
)


def dial_at(word):
    """Return where the dial stands, of the level of every GPIO."""
    return (word >> GPIO["dial_a"] & 1) << 1 | word >> GPIO["dial_b"] & 1


class Dial:
    """A rotary encoder that rests with both contacts open. It may drop a step; it never turns one round.

    A step is told when all four quarters of a detent were seen one after the other, from rest to rest. Contacts that
    bounce go to and fro between two neighbours and add up to nothing; a missed quarter spoils its detent.
    """

    def __init__(self):
        self._at = 3
        self._quarters = 0

    def see(self, at):
        """Take in A and B as two bits, A the higher one, 1 for open; return 1 for a step to the right, -1 to the left, 0 for none."""
        if at == self._at:
            return 0
        quarter = _QUARTERS[self._at][at]
        self._at = at
        if quarter == _MISSED or self._quarters == _MISSED:
            self._quarters = _MISSED
        else:
            self._quarters += quarter
        if at != 3:
            return 0
        quarters, self._quarters = self._quarters, 0
        return 1 if quarters == 4 else -1 if quarters == -4 else 0


class Contact:
    """One switch to ground."""

    def __init__(self, name):
        self.name = name
        self.bit = 1 << GPIO[name]
        self.hold = HOLD.get(name)
        self.closed = False
        self.changed_at = None  # while it may bounce
        self.closed_at = 0


class Controls:
    """All of a box's controls. `happened(control, what)` is called with what a person did."""

    def __init__(self, word, happened):
        """`word` is the level of every GPIO at the start: what is pressed already tells nothing until it is let go."""
        self._happened = happened
        self._dial = Dial()
        self._contacts = [Contact(name) for name in CONTROLS]
        for contact in self._contacts:
            contact.closed = not word & contact.bit
        self._pending = None  # a contact that is down and may yet be held
        self._joined = None  # the push while it and the pending bar may yet be held together
        self._last = None
        self._busy = True

    def see(self, word, at):
        """Take in the level of every GPIO at that time. Also to be called when nothing changed: holding is found so."""
        if word == self._last and not self._busy:
            return
        self._last = word
        step = self._dial.see(dial_at(word))
        if step:
            self._settle()
            self._happened("dial", step)
        pending, joined = self._pending, self._joined
        if joined is not None:
            if ticks_diff(at, joined.closed_at) >= BOTH:
                self._pending = self._joined = None
                self._happened(joined.name, "hold")
        elif pending is not None and ticks_diff(at, pending.closed_at) >= pending.hold:
            self._pending = None
            self._happened(pending.name, "hold")
        self._busy = self._pending is not None
        for contact in self._contacts:
            self._look(contact, not word & contact.bit, at)

    def _look(self, contact, closed, at):
        if contact.changed_at is not None:
            self._busy = True
            if ticks_diff(at, contact.changed_at) < BOUNCE:
                return
            contact.changed_at = None
        if closed == contact.closed:
            return
        contact.closed = closed
        contact.changed_at = at
        self._busy = True
        if not closed:
            if contact is self._pending or contact is self._joined:
                self._settle()
            return
        if contact.name == "push" and self._pending is not None and self._pending.name == "bar":
            self._joined = contact
            contact.closed_at = at
            return
        self._settle()
        if contact.hold is None:
            self._happened(contact.name, "down")
        else:
            self._pending = contact
            contact.closed_at = at

    def _settle(self):
        """End the presses that are on: they were short ones."""
        pressed = self._pending, self._joined
        self._pending = self._joined = None
        for contact in pressed:
            if contact is not None:
                self._happened(contact.name, "down")
