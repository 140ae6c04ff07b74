"""What a seat box does: its conversation with the hub and the choice that is sealed in it. No pin, port or clock.

The value of a sealed round and the nonce of its commitment are in here and nowhere else until the hub asks for them. It
asks when every seat has locked, and shows the box the marks of all commitments of the round. The box answers only if its
own is among them; it then displays their number and a check of them, so that people can see that all boxes were shown the
same ones. Until then nothing that goes on the cable depends on the value, and no frame
tells that a key, the push or the dial was touched; only once the value is locked, and the hub then asks something else on
the display, K1 to K6 answer that.
"""

from os import urandom

import frames
from link import TRIES, Link
from pins import CONTROLS
from version import VERSION

KEYS = 6  # K1 to K6 choose where there are no more answers than keys
MOST_DETENTS = 127  # in one frame
MOST_WAITING = 32  # frames; a person who presses on while nobody listens is not kept for ever


def random_hex(size):
    """Return so many random bytes as hex digits."""
    return "".join("%02x" % byte for byte in urandom(size))


class Box:
    """A box: what was asked of it, what a person did to it, and what it has to say."""

    def __init__(self, id):
        self.id = id
        self.boot = random_hex(4)
        self.ring = None  # pattern, number, colour as rrggbb: as the hub sent it last
        self.text = ""
        self.sound = None  # to be made once
        self.wants_firmware = False
        self._link = Link()
        self._waiting = []  # frames to be asked, one after the other
        self._sealed = None  # the open frame of the round
        self._value = 0
        self._names = {}  # of places of the round, for the display under the hood
        self._bid = None  # what will be told: that it is there is the lock
        self._mark = ""  # of its commitment
        self._opened = None  # number and check of the commitments that were opened together last
        self._locked_text = ""  # the hub's line when it was locked
        self._unlocking = False
        self._revealed = None  # the bid frame of the last revealed round

    # --- the person ---

    def happened(self, control, what):
        """Take in that a control went `down`, was held (`hold`), or the `dial` was turned by so many detents."""
        if control == "dial":
            self._turn(what)
        elif self._sealed is None or what == "hold":
            # In a round only staff may be called, and the seat be given to another phone.
            if self._sealed is None or control in ("bar", "push"):
                self._queue({"t": "key", "k": control, "e": what})
        elif control == "push":
            self._lock()
        elif control == "bar":
            self._take_back()
        elif self._bid is None and self._sealed["hi"] - self._sealed["lo"] < KEYS:
            self._value = min(self._sealed["lo"] + int(control[1]) - 1, self._sealed["hi"])
        elif self._asks_else() and not self._unlocking:
            self._queue({"t": "key", "k": control, "e": what})

    def hood(self):
        """Return what the display under the hood shows of a sealed round: place, number of places, locked. None without one."""
        if self._sealed is None:
            return None
        lo = self._sealed["lo"]
        return self._value - lo + 1, self._sealed["hi"] - lo + 1, self._bid is not None

    def opened(self):
        """Return how many locks were opened together last, and their check, as text; empty while a round is open."""
        return "" if self._opened is None or self._sealed is not None else "%d %s" % self._opened

    def display_text(self):
        """Return what the display says: the name of the dial's place in a sealed round, where it has one, else the hub's line.

        What the hub says once the value is locked stands over the name.
        """
        if self._sealed is None or self._asks_else():
            return self.text
        return self._names.get(self._value, self.text)

    def _asks_else(self):
        """Return whether the hub has said another line since the value was locked."""
        return self._bid is not None and self.text != self._locked_text

    def _turn(self, detents):
        if self._sealed is not None:
            if self._bid is None:
                self._value = max(self._sealed["lo"], min(self._sealed["hi"], self._value + detents))
            return
        last = self._waiting[-1] if self._waiting else None
        if last is not None and last["t"] == "turn" and abs(last["d"] + detents) <= MOST_DETENTS:
            last["d"] += detents
        else:
            self._queue({"t": "turn", "d": detents})

    def _lock(self):
        if self._bid is not None:
            return
        round = self._sealed["r"]
        nonce = random_hex(8)
        self._bid = {"t": "bid", "r": round, "b": self._value, "n": nonce}
        self._locked_text = self.text
        said = frames.commitment(self.id, round, self._value, nonce)
        self._mark = frames.mark(said)
        self._waiting.append({"t": "locked", "r": round, "c": said})

    def _take_back(self):
        if self._bid is None:
            self._queue({"t": "key", "k": "bar", "e": "down"})
        elif not self._unlocking:
            # The lock holds until the hub has heard this: else a box could change its bid after the others' reveal.
            self._unlocking = True
            self._waiting.append({"t": "unlocked", "r": self._sealed["r"]})

    def _queue(self, frame):
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(frame)

    # --- the cable ---

    def heard(self, data):
        """Take in bytes from the hub."""
        for frame in self._link.heard(data):
            self._understand(frame)

    def due(self, now):
        """Send the heartbeat, and repeat what the hub has not acknowledged."""
        self._link.beat(now, "idle" if self._sealed is None else "open")
        self._link.due(now)

    def patience(self, now):
        """Return how many ms may pass until `due` is to be called again. For a box that is not asked all the time."""
        return self._link.patience(now)

    def outgoing(self, now):
        """Return what goes on the cable now."""
        if self._link.asked is None and self._waiting:
            frame = self._waiting.pop(0)
            # A key that nobody heard for a second is stale; what belongs to a lock is repeated for ever.
            self._link.ask(frame, now, TRIES if frame["t"] in ("key", "turn") else None)
        return self._link.outgoing()

    def _understand(self, frame):
        kind = frame["t"]
        if kind == "who":
            self._greet(frame)
        elif kind == "ack":
            asked = self._link.confirm(frame["re"])
            if asked is not None and asked["t"] == "unlocked":
                self._bid, self._unlocking = None, False
        elif kind == "ring":
            self.ring = (frame["p"], frame["n"], frame["c"])
        elif kind == "say":
            self.text = frame["x"]
        elif kind == "buzz":
            self.sound = frame["k"]
        elif self._link.knows(frame):
            self._link.send({"t": "ok", "re": frame["s"]})
        elif self._obey(kind, frame):
            self._link.remember(frame)
            self._link.send({"t": "ok", "re": frame["s"]})

    def _greet(self, who):
        if not self._link.knows(who):
            self._link.remember(who)
            self._drop("key", "turn")  # a new conversation: what was pressed before it is stale
        self._link.greet(self.id, self.boot, VERSION, "buttons", len(CONTROLS))

    def _obey(self, kind, frame):
        """Do what was asked. False: not to be confirmed, met with silence."""
        round = frame.get("r")
        if kind == "open":
            if self._sealed is None or self._sealed["r"] != round:
                self._close()
                self._drop("bid")
                self._revealed = self._opened = None
                self._sealed = frame
                self._value = max(frame["lo"], min(frame["hi"], frame["at"]))
        elif kind == "name":
            if self._sealed is not None and self._sealed["r"] == round:
                for place, name in enumerate(frame["x"]):
                    self._names[frame["i"] + place] = name
        elif kind == "reveal":
            return self._reveal(round, frame["c"])
        elif kind == "cancel":
            if self._sealed is not None and round in (0, self._sealed["r"]):
                self._close()
            if self._revealed is not None and round in (0, self._revealed["r"]):
                self._drop("bid")
        elif kind == "boot":
            self.wants_firmware = True
        else:
            return False  # meant for a dice tray
        return True

    def _reveal(self, round, marks):
        """Tell the locked value of this very round, if its lock is among those shown; anything else is met with silence."""
        if self._bid is not None and self._bid["r"] == round and self._mark in marks:
            self._revealed = self._bid
            self._opened = (len(marks), frames.check(marks))
            self._close()
        elif self._revealed is None or self._revealed["r"] != round:
            return False
        if self._link.asked is not self._revealed and self._revealed not in self._waiting:
            self._waiting.insert(0, self._revealed)
        return True

    def _close(self):
        self._sealed = self._bid = None
        self._unlocking = False
        self._names = {}
        self._drop("locked", "unlocked")

    def _drop(self, *kinds):
        self._waiting = [frame for frame in self._waiting if frame["t"] not in kinds]
        if self._link.asked is not None and self._link.asked["t"] in kinds:
            self._link.drop_question()
