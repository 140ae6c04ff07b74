"""A phone's WebSocket of the direct path, without a network."""

from __future__ import annotations

import asyncio


class SlowWire:
    """A `phone_ui.direct.Wire` that takes nothing until it is `free`; `sent` is what it took."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.free = asyncio.Event()

    def push(self, data: bytes) -> bool:
        if self.free.is_set():
            self.sent.append(data)
        return self.free.is_set()

    async def drain(self) -> None:
        await self.free.wait()
