"""A simulated e-ink panel: its pictures as PNG."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Callable, Mapping

from PIL import Image

from hub.state import PublicState

log = logging.getLogger(__name__)

Draw = Callable[[PublicState], Image.Image]


PAPER_SECONDS = 0.5
"""The minimum time between pictures: the duration of the fastest partial refresh of e-ink."""


class SimPanel:
    """Simulated panels: the newest picture of each size as PNG. Slow drawing skips states; there is no queue."""

    def __init__(self, draws: Mapping[str, Draw], changed: Callable[[], None] = lambda: None) -> None:
        self._draws = dict(draws)
        self._changed = changed
        self._turn = threading.Condition()
        self._newest: PublicState | None = None
        self._pngs: dict[str, bytes] = {}
        self._versions: dict[str, int] = dict.fromkeys(draws, 0)
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="sim-panel", daemon=True)

    def start(self) -> None:
        """Start to draw."""
        self._thread.start()

    def close(self) -> None:
        """Stop drawing."""
        with self._turn:
            self._closing = True
            self._turn.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def show(self, public: PublicState, settled: bool) -> None:  # noqa: ARG002 - a window never needs the full refresh
        """Draw the newest public state, at the pace of e-ink."""
        with self._turn:
            self._newest = public
            self._turn.notify_all()

    def png(self, size: str) -> bytes | None:
        """Return the newest picture of that size, or None before the first."""
        with self._turn:
            return self._pngs.get(size)

    def state(self) -> dict[str, int]:
        """Return a version for each size, which rises when its picture changes."""
        with self._turn:
            return dict(self._versions)

    def _run(self) -> None:
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._closing or self._newest is not None)
                # Rings and phones go first, and several states in quick succession are drawn once.
                self._turn.wait_for(lambda: self._closing, timeout=PAPER_SECONDS)
                public, self._newest = self._newest, None
                if self._closing or public is None:
                    return
            for size, draw in self._draws.items():
                self._draw(size, draw, public)

    def _draw(self, size: str, draw: Draw, public: PublicState) -> None:
        try:
            image = draw(public)
        except Exception:  # a fault in a drawing does not end the thread; the last good picture stays
            log.exception("The panel of size %s cannot be drawn.", size)
            return
        data = io.BytesIO()
        image.save(data, "PNG")
        with self._turn:
            if self._pngs.get(size) == data.getvalue():
                return
            self._pngs[size] = data.getvalue()
            self._versions[size] += 1
        self._changed()
