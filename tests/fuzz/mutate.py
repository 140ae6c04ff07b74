"""Inputs that are nearly right, made of right ones by chance: what a fuzzer without coverage does best."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

MOST_BYTES = 20_000
ODD = (
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"-1", b"0", b"1e309", b"9" * 400, b"18446744073709551616",
    b"null", b"true", b"[]", b"{}", b'""', b"[" * 1200, b'{"a":' * 300, b"\n", b"\r\n", b"\\u0000", b"\\ud800", b"%00", b"..",
    b"=", b"#", b"'''", b"nan", b"inf", b"~", b"*0000",
)  # fmt: skip


def mutated(seeds: Sequence[bytes], random: Random) -> bytes:
    """Return one of the seeds after some changes: bytes flipped, parts cut, doubled, exchanged, odd ones put in."""
    data = (
        bytearray(random.choice(seeds))
        if random.random() < 0.95
        else bytearray(random.randbytes(random.randint(0, 300)))
    )
    for _ in range(random.choice((1, 1, 2, 3, 8, 20))):
        at = random.randint(0, len(data))
        size = min(random.choice((1, 1, 2, 4, 16, 64, 512)), len(data) - at)
        match random.randrange(7):
            case 0 if at < len(data):
                data[at] ^= 1 << random.randrange(8)
            case 1 if at < len(data):
                data[at] = random.randrange(256)
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = data[at : at + size] * random.choice((1, 2, 20))
            case 4:
                data[at : at + random.choice((0, size))] = random.choice(ODD)
            case 5:
                other = random.choice(seeds)
                begin = random.randint(0, len(other))
                data[at : at + size] = other[begin : begin + size]
            case _:
                lines = bytes(data).split(b"\n")
                random.shuffle(lines)
                data = bytearray(b"\n".join(lines))
        del data[MOST_BYTES:]
    return bytes(data)
