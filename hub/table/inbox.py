"""The inbox of one table: bounded for signals from the network, and fair between their senders.

Any thread puts signals in; the table's thread takes them out. The order is start-time fair queueing (Goyal, Vin and Cheng,
1996): each phone is one flow, and people without a seat share one, so a busy phone delays only itself. Signals of devices
and of the hub itself belong to no flow and are not delayed.
"""

from __future__ import annotations

import heapq
import itertools
import queue
from collections import Counter
from collections.abc import Container
from threading import Condition

from hub.ports import ClaimRequest, DeviceSubject, HelpRequest, PhoneGarbled, PhoneLink, PhoneRequest, Tick, subject_of

MOST_PER_PHONE = 24
"""Once this many signals of one phone wait, its malformed messages are dropped. The gateway limits its valid requests."""
MOST_CLAIMS = 32
_CLAIMS = ""


class Inbox:
    """Signals for the table's thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: list[tuple[int, int, list[object]]] = []  # start tag, order of arrival, the signal
        self._numbers = itertools.count()
        self._tag = 0  # start tag of the last signal taken
        self._next_tags: dict[str, int] = {}  # flow -> start tag of its next signal
        self._counts: Counter[str] = Counter()
        self._links: dict[str, list[object]] = {}  # by phone: the entry with its last link change

    def put(self, signal: object) -> bool:
        """Put a signal in; return False if there is no room for it."""
        flow = _flow(signal)
        with self._changed:
            if isinstance(signal, PhoneLink) and signal.sid in self._links:
                self._links[signal.sid][0] = signal  # only the last one matters
                return True
            if isinstance(signal, ClaimRequest | HelpRequest) and self._counts[_CLAIMS] >= MOST_CLAIMS:
                return False
            if isinstance(signal, PhoneGarbled) and self._counts[signal.sid] >= MOST_PER_PHONE:
                return False
            kept, tag = [signal], self._tag
            if flow is not None:
                tag = max(tag, self._next_tags.get(flow, 0))
                self._next_tags[flow] = tag + 1
                self._counts[flow] += 1
            if isinstance(signal, PhoneLink):
                self._links[signal.sid] = kept
            heapq.heappush(self._waiting, (tag, next(self._numbers), kept))
            self._changed.notify()
        return True

    def get(self, timeout: float) -> object:
        """Take the next signal, waiting at most `timeout` seconds. Raise queue.Empty if none arrives."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._waiting, timeout):
                raise queue.Empty
            self._tag, _, (signal,) = heapq.heappop(self._waiting)
            flow = _flow(signal)
            if flow is not None:
                self._counts[flow] -= 1
            if isinstance(signal, PhoneLink):
                del self._links[signal.sid]
            if not self._waiting:
                self._tag = 0
                self._next_tags.clear()
                self._counts.clear()
        return signal

    def forget(self, gone: Container[DeviceSubject | None]) -> None:
        """Drop what waits about devices that are gone."""
        with self._changed:
            for _, _, kept in self._waiting:
                if subject_of(kept[0]) in gone:
                    kept[0] = Tick()

    def __len__(self) -> int:
        return len(self._waiting)


def _flow(signal: object) -> str | None:
    if isinstance(signal, PhoneRequest | PhoneLink | PhoneGarbled):
        return signal.sid
    return _CLAIMS if isinstance(signal, ClaimRequest | HelpRequest) else None
