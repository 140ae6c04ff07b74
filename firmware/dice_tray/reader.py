"""The simplest honest reader: somebody types each die on six keys. Put your own reader in the place of this file.

A reader is `Reader(board)` with these five: `most`, the dice it reads at once; `arm(count, sides, lying)` and
`disarm()`; `happened(control, what)` for a control of the board that is not its own; and `look(now)`, how the throw
stands: a state of the frame `dice` and a tuple of faces. `now` is `time.ticks_ms()`. It decides when dice are at rest.
"""

from time import ticks_diff

KEYS = ("k1", "k2", "k3", "k4", "k5", "k6")
REST = 700  # ms after the last key until the throw has settled: time for the bar


class Reader:
    """Six keys are the faces 1 to 6; the bar takes the last one back."""

    most = 6

    def __init__(self, board):
        self._board = board
        self.disarm()

    def arm(self, count, sides, lying):
        """Begin a new throw; what lies there is typed, too."""
        self._count, self._sides = count, sides
        self._typed = []
        self._fresh = True

    def disarm(self):
        """Ignore the keys."""
        self._count = self._sides = 0
        self._typed = []
        self._fresh = False
        self._typed_at = 0

    def happened(self, control, what):
        """Take in that a key was pressed; held or not is the same here."""
        if control == "bar":
            self._typed = self._typed[:-1]
        elif control in KEYS and len(self._typed) < self._count:
            face = KEYS.index(control) + 1
            if face <= self._sides:
                self._typed.append(face)
        self._fresh = True

    def look(self, now):
        """Return how the throw stands."""
        if self._sides > len(KEYS):
            return "no_reader", ()
        if self._fresh:
            self._typed_at, self._fresh = now, False
        if not self._typed:
            return "armed", ()
        if len(self._typed) < self._count or ticks_diff(now, self._typed_at) < REST:
            return "rolling", ()
        return "settled", tuple(self._typed)
