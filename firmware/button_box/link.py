"""The box's end of the line: numbers what it says, repeats it until it is answered, answers a repeat only once.

Times are `time.ticks_ms`, compared while something is open and never after: they come round every twelve days.
"""

from time import ticks_add, ticks_diff

import frames

REPEAT = 200  # ms
TRIES = 5
REMEMBERED = 8


class Link:
    """One question at a time, so that a lock and its taking back cannot overtake each other."""

    def __init__(self):
        self.asked = None  # the frame that waits for its ack
        self._number = 1
        self._remembered = []
        self._deadline = 0
        self._hurried = False
        self._tries_left = None
        self._out = []

    def tell(self, frame):
        """Number and send, and never mind."""
        frame["s"] = self._number
        self._number = self._number % frames.HIGHEST + 1
        self._out.append(frames.encode(frame))

    def ask(self, frame, now, tries=TRIES):
        """Send and repeat until it is acknowledged; with `tries` None for ever."""
        self.tell(frame)
        self.asked = frame
        self._tries_left = None if tries is None else tries - 1
        self._deadline = ticks_add(now, REPEAT)
        self._hurried = False

    def confirm(self, re):
        """The hub has frame `re`: the question that this closes, or None for an old answer."""
        asked = self.asked
        if asked is None or asked["s"] != re:
            return None
        self.asked = None
        return asked

    def settle(self):
        """The open question needs no answer any more."""
        self.asked = None

    def hurry(self):
        """Repeat the open question now: the hub has only begun to listen."""
        self._hurried = True

    def due(self, now):
        """Repeat what is due; what nobody acknowledged in all its tries is given up."""
        if self.asked is None or not (self._hurried or ticks_diff(now, self._deadline) >= 0):
            return
        if self._tries_left == 0:
            self.asked = None
            return
        if self._tries_left is not None:
            self._tries_left -= 1
        self._out.append(frames.encode(self.asked))
        self._deadline = ticks_add(now, REPEAT)
        self._hurried = False

    def knows(self, frame):
        """Whether this frame of the hub was acted on before: a repeat is answered again, and nothing is done."""
        return frame["s"] in self._remembered

    def remember(self, frame):
        """The frame was acted on."""
        self._remembered.append(frame["s"])
        if len(self._remembered) > REMEMBERED:
            del self._remembered[0]

    def outgoing(self):
        """What is to be written now."""
        data = b"".join(self._out)
        self._out = []
        return data
