"""One mosquitto above many hubs, measured: `python -m tests.bench.chain [hubs] [seconds]`.

Each hub is a connection that speaks as a hub does, of messages as long as `tests.bench.upstream` found them: venues of four
hubs with five tables each, every table busy (`EACH_SECOND`). One owner reads everything. Then all connections break
at once and come back, as after a restart of the broker, and the last number is how many get in with a limit of 1,024 files.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.transport import cpu, memory
from tests.free_port import free_port

HUBS_OF_A_VENUE, TABLES, KEPT = 4, 5, 64
SUMMARY, FINISHED, INFO = 150, 340, 140  # bytes of payload
EACH_SECOND = 0.05  # summaries of a table


def text(word: str) -> bytes:
    return len(word).to_bytes(2, "big") + word.encode()


def packet(kind: int, body: bytes) -> bytes:
    size, length = len(body), b""
    while True:
        size, digit = divmod(size, 128)
        length += bytes([digit | (0x80 if size else 0)])
        if not size:
            return bytes([kind]) + length + body


def publish(topic: str, size: int) -> bytes:
    return packet(0x31, text(topic) + b"x" * size)  # QoS 0, retained


class Hub:
    """A connection that speaks as a hub does; it counts what it hears."""

    def __init__(self, number: int) -> None:
        self.venue, self.name = f"v{number // HUBS_OF_A_VENUE}", f"h{number}"
        self.root = f"table-hubs/1/{self.venue}/{self.name}"
        self.heard = 0
        self.writer: asyncio.StreamWriter | None = None
        self.reading: asyncio.Task[None] | None = None

    async def join(self, port: int, patterns: list[str]) -> None:
        """Log in and subscribe. Raise OSError."""
        reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        will = text(f"{self.root}/presence") + text('{"state":"offline"}')
        self.writer.write(packet(0x10, text("MQTT") + b"\x04\x26\x00\x3c" + text(self.name) + will))
        if (await reader.readexactly(4))[3]:
            raise ConnectionRefusedError
        self.writer.write(packet(0x82, b"\x00\x01" + b"".join(text(one) + b"\x00" for one in patterns)))
        self.reading = asyncio.create_task(self._read(reader))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                kind = (await reader.readexactly(1))[0] >> 4
                size, shift, digit = 0, 0, 0x80
                while digit & 0x80:
                    digit = (await reader.readexactly(1))[0]
                    size |= (digit & 0x7F) << shift
                    shift += 7
                await reader.readexactly(size)
                self.heard += kind == 3
        except (asyncio.IncompleteReadError, ConnectionError):
            return

    def say(self, what: bytes) -> None:
        assert self.writer
        self.writer.write(what)

    def come_back(self) -> None:
        """Say all that a hub says after a connection."""
        self.say(publish(f"{self.root}/presence", 45) + publish(f"{self.root}/info", INFO))
        self.say(b"".join(publish(f"{self.root}/table/{table}", SUMMARY) for table in range(TABLES)))

    def leave(self) -> None:
        if self.writer and self.reading:
            self.reading.cancel()
            self.writer.transport.abort()


async def joined(hubs: list[Hub], port: int) -> int:
    """Let all come in, fifty at a time; return how many are in."""
    gate = asyncio.Semaphore(50)

    async def one(hub: Hub) -> bool:
        async with gate:
            below = f"table-hubs/1/{hub.venue}/+"
            try:
                await asyncio.wait_for(hub.join(port, [f"{below}/presence", f"{below}/info", f"{below}/table/+"]), 20)
            except (OSError, asyncio.IncompleteReadError, TimeoutError):
                return False
            hub.come_back()
            return True

    return sum(await asyncio.gather(*map(one, hubs)))


async def settled(listeners: list[Hub]) -> None:
    """Wait until nothing more comes for a second."""
    heard = -1
    while heard != (heard := sum(one.heard for one in listeners)):
        await asyncio.sleep(1)


def broker(folder: Path, port: int, files: int) -> subprocess.Popen[bytes]:
    (folder / "c.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_dest none\nuser root\n")
    command = ["prlimit", f"--nofile={files}", "/usr/sbin/mosquitto", "-c", str(folder / "c.conf")]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


async def measure(count: int, seconds: float, folder: Path) -> None:
    port = free_port()
    child = broker(folder, port, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    pid = str(child.pid)
    await asyncio.sleep(1)
    hubs, owner, empty = [Hub(number) for number in range(count)], Hub(-1), memory(pid)
    await owner.join(port, ["table-hubs/#"])
    began, spent = time.monotonic(), cpu(pid)
    came = await joined(hubs, port)
    await settled([*hubs, owner])
    print(f"{came} hubs, {count // HUBS_OF_A_VENUE} venues, {count * TABLES} tables: in after {time.monotonic() - began - 1:.1f} s, "
          f"{cpu(pid) - spent:.1f} CPU s, {memory(pid) - empty:.0f} MB")  # fmt: skip
    for hub in hubs:
        hub.say(b"".join(publish(f"{hub.root}/finished/{place}", FINISHED) for place in range(KEPT)))
        await asyncio.sleep(0)
    await settled([owner])
    print(f"with {KEPT} finished matches of each: {memory(pid) - empty:.0f} MB")
    heard, spent, sent, began = sum(one.heard for one in [*hubs, owner]), cpu(pid), 0, time.monotonic()
    total = int(count * TABLES * EACH_SECOND * seconds)
    while sent < total:
        hub = hubs[sent * 7919 % count]
        hub.say(publish(f"{hub.root}/table/{sent % TABLES}", SUMMARY))
        sent += 1
        await asyncio.sleep(max(0.0, began + sent * seconds / total - time.monotonic()) if sent % 20 == 0 else 0)
    lasted, spent = time.monotonic() - began, cpu(pid) - spent
    await settled([*hubs, owner])
    heard = sum(one.heard for one in [*hubs, owner]) - heard
    print(
        f"played: {sent / lasted:.0f} messages a second in, {heard / lasted:.0f} out; broker {100 * spent / lasted:.0f} % of a core"
    )
    for hub in hubs:
        hub.leave()
    await asyncio.sleep(1)
    began, spent = time.monotonic(), cpu(pid)
    came = await joined(hubs, port)
    await settled(hubs)
    print(f"all come back at once: {came} in after {time.monotonic() - began - 1:.1f} s, {cpu(pid) - spent:.1f} CPU s")
    for hub in [*hubs, owner]:
        hub.leave()
    child.kill()
    child.wait()
    child = broker(folder, port, 1024)
    await asyncio.sleep(1)
    print(f"with a limit of 1,024 files: {await joined(hubs, port)} of {count} hubs get in")
    for hub in hubs:
        hub.leave()
    child.kill()
    child.wait()


def main(hubs: int = 400, seconds: int = 10) -> None:
    """Measure and print."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(hubs, seconds, Path(folder)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
