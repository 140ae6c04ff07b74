"""What a dice tray does: its conversation with the hub about one throw at a time. No pin, port or clock.

How the throw stands is the reader's business (`reader.py`); the tray tells it until the hub has it, and tells of a
settled throw nothing more. It has the seat box's frames and link.
"""

from os import urandom

from link import Link
from version import VERSION


class Tray:
    """A dice tray: what was asked of it, and what it has to say of its reader."""

    def __init__(self, id, reader):
        self.id = id
        self.boot = "".join("%02x" % byte for byte in urandom(4))
        self.standing = None  # state and faces of the throw, as sent last; None: nobody asks
        self.wants_firmware = False
        self._reader = reader
        self._link = Link()
        self._throw = None  # the arm frame
        self._sent = False  # the standing is on its way

    # --- the cable ---

    def heard(self, data):
        """Take in bytes from the hub."""
        for frame in self._link.heard(data):
            self._understand(frame)

    def due(self, now):
        """Send the heartbeat, repeat, and look how the throw stands now."""
        self._link.beat(now, "idle" if self._throw is None else "armed")
        if self._throw is not None and (self.standing is None or self.standing[0] != "settled"):
            standing = self._reader.look(now)
            if standing != self.standing:
                self.standing, self._sent = standing, False
        self._link.due(now)

    def outgoing(self, now):
        """Return what goes on the cable now."""
        if self._throw is not None and self.standing is not None and not self._sent:
            self._sent = True
            self._link.drop_question()  # the newest takes the place of an older one
            state, faces = self.standing
            self._link.ask({"t": "dice", "a": self._throw["a"], "st": state, "f": list(faces)}, now, None)
        return self._link.outgoing()

    def _understand(self, frame):
        kind = frame["t"]
        if kind == "who":
            self._link.greet(self.id, self.boot, VERSION, "tray", self._reader.most)
        elif kind == "ack":
            self._link.confirm(frame["re"])
        elif kind in ("arm", "disarm", "boot"):
            if not self._link.knows(frame):
                self._link.remember(frame)
                self._obey(kind, frame)
            self._link.send({"t": "ok", "re": frame["s"]})

    def _obey(self, kind, frame):
        if kind == "boot":
            self.wants_firmware = True
            return
        same = kind == "arm" and self._throw is not None and self._throw["a"] == frame["a"]
        self._sent = False
        if same:
            return
        self._link.drop_question()
        self.standing = None
        self._throw = frame if kind == "arm" else None
        if kind == "arm":
            self._reader.arm(frame["n"], frame["f"], frame["l"] == 1)
        else:
            self._reader.disarm()
