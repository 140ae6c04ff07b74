"""The inbox of one table: bounded for what comes over the network, and fair between those it comes from.

Any thread puts signals in, the table's takes them out. A phone with much to say waits behind itself only: start-time fair
queueing (Goyal, Vin and Cheng, 1996), each phone a flow of its own, all that people without a seat ask together one. What devices and the hub
itself report is no flow: it is in its turn at once.
"""

from __future__ import annotations

import heapq
import itertools
import queue
from collections import Counter
from threading import Condition

from hub.ports import ClaimRequest, HelpRequest, PhoneGarbled, PhoneLink, PhoneRequest

MOST_OF_A_PHONE = 24
"""While so much of one phone waits, what is not understood of it is not told; its requests are bounded by their answers."""
MOST_CLAIMS = 32
_CLAIMS = ""


class Inbox:
    """Signals for the table's thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: list[tuple[int, int, list[object]]] = []  # start tag, order of arrival, the signal
        self._numbers = itertools.count()
        self._now = 0  # the start tag of what was taken last
        self._next: dict[str, int] = {}  # flow -> start tag of its next signal
        self._of: Counter[str] = Counter()
        self._links: dict[str, list[object]] = {}  # where a phone's last coming or going waits

    def put(self, signal: object) -> bool:
        """Put a signal in; return whether there was room for it."""
        flow = _flow(signal)
        with self._changed:
            if isinstance(signal, PhoneLink) and signal.sid in self._links:
                self._links[signal.sid][0] = signal  # only the last one matters
                return True
            if isinstance(signal, ClaimRequest | HelpRequest) and self._of[_CLAIMS] >= MOST_CLAIMS:
                return False
            if isinstance(signal, PhoneGarbled) and self._of[signal.sid] >= MOST_OF_A_PHONE:
                return False
            kept, tag = [signal], self._now
            if flow is not None:
                tag = max(tag, self._next.get(flow, 0))
                self._next[flow] = tag + 1
                self._of[flow] += 1
            if isinstance(signal, PhoneLink):
                self._links[signal.sid] = kept
            heapq.heappush(self._waiting, (tag, next(self._numbers), kept))
            self._changed.notify()
        return True

    def get(self, timeout: float) -> object:
        """Take the next signal, waiting `timeout` seconds at most. Raise queue.Empty where none comes."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting, timeout):
                raise queue.Empty
            self._now, _, (signal,) = heapq.heappop(self._waiting)
            flow = _flow(signal)
            if flow is not None:
                self._of[flow] -= 1
            if isinstance(signal, PhoneLink):
                del self._links[signal.sid]
            if not self._waiting:
                self._now = 0
                self._next.clear()
                self._of.clear()
        return signal

    def __len__(self) -> int:
        return len(self._waiting)


def _flow(signal: object) -> str | None:
    if isinstance(signal, PhoneRequest | PhoneLink | PhoneGarbled):
        return signal.sid
    return _CLAIMS if isinstance(signal, ClaimRequest | HelpRequest) else None
