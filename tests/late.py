"""A pytest plugin that makes pages late: `-p tests.late`. What a test reads too early, it then reads wrongly each time.

A page paints first and has effects afterwards: it starts to listen, moves the focus, shakes, plays a sound. States reach it after
the answer to a request, or before. Here, all of this takes `SECONDS` longer, in the order in which it happens.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Browser

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 0.4
SCRIPT = """(() => { const LATE = SECONDS * 1000;
  const later = setTimeout.bind(window);
  // Preact waits for a frame, or for 100 ms.
  window.setTimeout = (call, after = 0, ...more) => later(call, after === 100 ? after + LATE : after, ...more);
  const frame = requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) => frame(() => later(() => call(performance.now()), LATE));
  for (const { prototype } of [EventSource, WebSocket]) {
    const { addEventListener: add, removeEventListener: remove } = prototype;
    const delayed = new WeakMap();
    const delay = (call) => (event) => later(() => (call.handleEvent ? call.handleEvent(event) : call(event)), LATE);
    prototype.addEventListener = function (name, call, options) {
      if (name === "message" && !delayed.has(call)) delayed.set(call, delay(call));
      return add.call(this, name, name === "message" ? delayed.get(call) : call, options);
    };
    prototype.removeEventListener = function (name, call, options) {
      return remove.call(this, name, delayed.get(call) ?? call, options);
    };
    const own = Object.getOwnPropertyDescriptor(prototype, "onmessage");
    Object.defineProperty(prototype, "onmessage", { ...own, set(call) { own.set.call(this, call && delay(call)); } });
  }
})();""".replace("SECONDS", f"{SECONDS}", 1)
"""A script for a page, before its own."""


def pytest_configure() -> None:
    """Let each browser of the tests open late pages only."""
    for name in ("new_context", "new_page"):
        setattr(Browser, name, _late(getattr(Browser, name)))


def _late(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def opened(*arguments: Any, **options: Any) -> Any:
        made = method(*arguments, **options)
        made.add_init_script(SCRIPT)
        return made

    return opened
