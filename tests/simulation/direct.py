"""The direct path of a phone (`phone_ui/direct.py`) in virtual time: an event loop and a WebSocket without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from phone_ui.direct import DirectPhone
from phone_ui.mqtt_packets import SUBSCRIBE, PacketReader, publish, read_publish
from phone_ui.mqtt_phones import PhonesOverMqtt
from tests.simulation.auditor import Broken
from tests.simulation.clock import Scheduler

PUBLISH = 0x30


class _Handle:
    """A call that can be canceled."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._is_canceled = False

    def cancel(self) -> None:
        """Do not call."""
        self._is_canceled = True

    def run(self) -> None:
        """Call, unless it was canceled."""
        if not self._is_canceled:
            self._call()


class VirtualLoop(asyncio.AbstractEventLoop):
    """As much of an event loop as the direct path uses, on the clock of the simulation."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    @contextmanager
    def running(self) -> Iterator[None]:
        """Be the running loop."""
        asyncio._set_running_loop(self)
        try:
            yield
        finally:
            asyncio._set_running_loop(None)

    def call_later(self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        """Call in so many seconds."""

        def call() -> None:
            with self.running():
                context.run(callback, *args) if context else callback(*args)

        handle = _Handle(call)
        self._scheduler.after(delay, handle.run)
        return handle

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Any = None) -> Any:  # type: ignore[override]
        """Call as soon as possible."""
        return self.call_later(0.0, callback, *args, context=context)

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def create_task(self, coro: Any, **named: Any) -> Any:
        """Run a coroutine."""
        return asyncio.Task(coro, loop=self, **named)

    def create_future(self) -> asyncio.Future[Any]:
        """Return a new future."""
        return asyncio.Future(loop=self)

    def get_debug(self) -> bool:
        """Return False."""
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Stop if a task has failed. One that still waits when the evening is over has not."""
        if "exception" in context:
            raise Broken(f"A task of the web port failed: {context}")


class DirectPath:
    """A phone's WebSocket at the hub's own port. While it `is_stalled`, the phone takes nothing."""

    def __init__(
        self,
        loop: VirtualLoop,
        phones: PhonesOverMqtt,
        sid: str,
        later: Callable[[Callable[[], object]], None],
        on_message: Callable[[str, bytes], None],
    ) -> None:
        """`later` calls once a message has arrived at the phone; messages do not overtake each other."""
        self._loop, self._later, self._on_message = loop, later, on_message
        self._reader = PacketReader()
        self._taken = loop.create_future()
        self.is_stalled = False
        with loop.running():
            self._phone: DirectPhone | None = phones.direct(sid, self)

    # --- the phone ---

    def subscribe(self, topics: Sequence[str]) -> bool:
        """Subscribe as a page does. Return False if the broker has to do it."""
        filters = b"".join(len(topic).to_bytes(2) + topic.encode() + b"\0" for topic in topics)
        body = b"\0\1" + filters
        return self._handle(bytes([SUBSCRIBE | 2]) + _length(len(body)) + body)

    def publish(self, topic: str, payload: bytes) -> bool:
        """Publish a request. Return False if the broker has to do it."""
        return self._handle(publish(topic, payload))

    def stall(self, seconds: float) -> None:
        """Take nothing for so long."""
        self.is_stalled = True
        self._loop.call_later(seconds, self._take)

    def close(self) -> None:
        """End with the connection."""
        if self._phone:
            with self._loop.running():
                self._phone.end()
        self._phone = None

    def _handle(self, packet: bytes) -> bool:
        with self._loop.running():
            return self._phone is not None and self._phone.handle(packet)

    def _take(self) -> None:
        self.is_stalled = False
        if not self._taken.done():
            self._taken.set_result(None)
        self._taken = self._loop.create_future()

    # --- the Wire of a direct phone ---

    def push(self, data: bytes) -> bool:
        """Send to the phone."""
        if self.is_stalled:
            return False
        for packet in self._reader.read(data):
            if packet[0] & 0xF0 == PUBLISH and (found := read_publish(packet)):
                self._later(lambda found=found: self._on_message(found.topic.decode(), found.payload))  # type: ignore[misc]
        return True

    async def drain(self) -> None:
        """Wait until the phone takes something."""
        await self._taken


def _length(size: int) -> bytes:
    """Return a remaining length (MQTT 3.1.1, 2.2.3)."""
    data = bytearray()
    while size > 127:
        data.append(size & 127 | 128)
        size >>= 7
    return bytes([*data, size])
