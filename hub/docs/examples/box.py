"""A seat box of your own: python3 box.py PORT. A line typed is what somebody does to it: push, bar, k1 to k6, turn N."""

import binascii
import hashlib
import json
import os
import secrets
import select
import sys
import time
import tty
from typing import Any


class Box:
    """The box's end of the cable `port`, a file descriptor. What it locks in secret stays here until the hub asks."""

    def __init__(self, port: int) -> None:
        self.port, self.id, self.boot = port, secrets.token_hex(8), secrets.token_hex(4)
        self.number, self.up, self.beat_at = 0, 0, 0.0
        self.waiting: list[dict[str, Any]] = []  # the first of them is asked until the hub has acknowledged it
        self.asked_at: float | None = None
        self.round: dict[str, Any] | None = None  # the hub's frame that opened a sealed round
        self.place, self.bid, self.mark = 0, dict[str, Any](), ""

    def write(self, frame: dict[str, Any]) -> None:
        """Send a frame; a repeat keeps the number that it has."""
        if "s" not in frame:
            self.number += 1
            frame["s"] = self.number
        text = json.dumps(frame, separators=(",", ":")).encode()
        os.write(self.port, b"~%s*%04X\n" % (text, binascii.crc_hqx(text, 0xFFFF)))

    def due(self) -> None:
        """Send the heartbeat once a second, and what the hub has not acknowledged after 200 ms once more."""
        now = time.monotonic()
        if now >= self.beat_at:
            self.beat_at, self.up = now + 1, self.up + 1
            self.write({"t": "beat", "up": self.up, "st": "open" if self.round else "idle"})
        if self.waiting and (self.asked_at is None or now >= self.asked_at + 0.2):
            self.asked_at = now
            self.write(self.waiting[0])

    def heard(self, frame: dict[str, Any]) -> None:
        """Do what the hub asks; done twice it changes nothing, so that a repeat needs no memory."""
        match frame:
            case {"t": "who"}:
                self.write(
                    {"t": "hello", "id": self.id, "boot": self.boot, "p": 3, "v": "own-1", "k": "buttons", "n": 8}
                )
            case {"t": "ack", "re": number} if self.waiting and self.waiting[0].get("s") == number:
                if self.waiting.pop(0)["t"] == "unlocked":
                    self.bid = {}  # only now: until the hub knew, the lock held
                self.asked_at = None
            case {"t": "open", "r": number, "at": at}:
                if not self.round or self.round["r"] != number:
                    self.round, self.place, self.bid = frame, at, {}
            case {"t": "cancel", "r": number} if self.round and number in (0, self.round["r"]):
                self.round, self.bid = None, {}
            case {"t": "reveal", "r": number, "c": marks} if self.bid.get("r") == number and self.mark in marks:
                self.waiting.append(dict(self.bid))
            case {"t": "say", "x": text}:
                print(text, flush=True)
        if frame["t"] in ("open", "name", "cancel", "boot"):
            self.write({"t": "ok", "re": frame["s"]})

    def done(self, what: str, detents: int = 0) -> None:
        """Take in what somebody does. In a sealed round nothing of it goes on the cable but that the choice is locked."""
        if not self.round:
            self.waiting.append({"t": "turn", "d": detents} if detents else {"t": "key", "k": what, "e": "down"})
        elif detents and not self.bid:
            self.place = min(max(self.place + detents, self.round["lo"]), self.round["hi"])
        elif what == "push" and not self.bid:
            number, nonce = self.round["r"], secrets.token_hex(8)
            self.bid = {"t": "bid", "r": number, "b": self.place, "n": nonce}
            commitment = hashlib.sha256(f"{self.id}|{number}|{self.place}|{nonce}".encode()).hexdigest()[:32]
            self.mark = commitment[:16]  # a reveal must show it among the locks that are opened together
            self.waiting.append({"t": "locked", "r": number, "c": commitment})
        elif what == "bar" and self.bid:
            self.waiting.append({"t": "unlocked", "r": self.round["r"]})


def serve(port: int, hands: int) -> None:
    """Be a box: `port` is the cable, `hands` what somebody types, both file descriptors. Return when `hands` ends."""
    box, cable = Box(port), b""
    while True:
        ready, _, _ = select.select([port, hands], [], [], 0.05)
        if hands in ready:
            typed = os.read(hands, 1024).decode()
            if not typed:
                return
            for what, _, count in (line.partition(" ") for line in typed.splitlines()):
                box.done(what, int(count or 0))
        if port in ready:
            *lines, cable = (cable + os.read(port, 4096)).split(b"\n")
            for line in lines:
                text, _, checksum = line[1:].rpartition(b"*")
                if line.startswith(b"~") and checksum == b"%04X" % binascii.crc_hqx(text, 0xFFFF):
                    box.heard(json.loads(text))
        box.due()


if __name__ == "__main__":
    opened = os.open(sys.argv[1], os.O_RDWR | os.O_NOCTTY)
    tty.setraw(opened)
    serve(opened, sys.stdin.fileno())
