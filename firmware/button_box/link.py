"""The end of the line in a seat box or a dice tray: hello and heartbeat, numbers, repeats until the hub has answered.

Times are `time.ticks_ms`, compared while something is open and never after: they come round every twelve days.
"""

from time import ticks_add, ticks_diff

import frames

REPEAT = 200  # ms
TRIES = 5
REMEMBERED = 8
BEAT = 1000  # ms


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
        self._reader = frames.FrameReader()
        self._seen_at = None
        self._up = 0  # ms
        self._beat_at = 0

    def heard(self, data):
        """Yield the frames in these bytes of the hub; answer a garbled one with a nak."""
        for frame in self._reader.feed(data):
            if frame is None:
                self.send({"t": "nak"})
            else:
                yield frame

    def send(self, frame):
        """Number and send, and never mind."""
        frame["s"] = self._number
        self._number = self._number % frames.HIGHEST + 1
        self._out.append(frames.encode(frame))

    def ask(self, frame, now, tries=TRIES):
        """Send and repeat until it is acknowledged; with `tries` None for ever."""
        self.send(frame)
        self.asked = frame
        self._tries_left = None if tries is None else tries - 1
        self._deadline = ticks_add(now, REPEAT)
        self._hurried = False

    def confirm(self, re):
        """Close the question of number `re`, which the hub has, and return it; None for an old answer."""
        asked = self.asked
        if asked is None or asked["s"] != re:
            return None
        self.asked = None
        return asked

    def drop_question(self):
        """Close the open question: it needs no answer any more."""
        self.asked = None

    def greet(self, id, boot, version, kind, most):
        """Say who is there. The hub has only begun to listen: the open question is repeated now."""
        self.send({"t": "hello", "id": id, "boot": boot, "p": frames.PROTOCOL, "v": version, "k": kind, "n": most})
        self._hurried = True

    def beat(self, now, state):
        """Send the heartbeat, once a second, with a word for the state."""
        if self._seen_at is None:
            self._seen_at = self._beat_at = now
        self._up += ticks_diff(now, self._seen_at)
        self._seen_at = now
        if ticks_diff(now, self._beat_at) >= 0:
            self._beat_at = ticks_add(now, BEAT)
            self.send({"t": "beat", "up": self._up // 1000 % frames.HIGHEST, "st": state})

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

    def patience(self, now):
        """Return how many ms may pass until `beat` and `due` are to be called again; 0 or less means now."""
        if self._seen_at is None or (self._hurried and self.asked is not None):
            return 0
        ms = ticks_diff(self._beat_at, now)
        return ms if self.asked is None else min(ms, ticks_diff(self._deadline, now))

    def knows(self, frame):
        """Return whether this frame of the hub was acted on before: a repeat is answered again, and nothing is done."""
        return frame["s"] in self._remembered

    def remember(self, frame):
        """Remember that the frame was acted on."""
        self._remembered.append(frame["s"])
        if len(self._remembered) > REMEMBERED:
            del self._remembered[0]

    def outgoing(self):
        """Return what is to be written now."""
        data = b"".join(self._out)
        self._out = []
        return data
