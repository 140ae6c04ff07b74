"""The ring drawn in the box: the hub's own patterns, to the lamp, moving without traffic."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from hub.display.rings import frame
from hub.ports import LampPicture, Pattern
from tests.firmware.pico import PINS, Pico, Probe, needs_micropython

pytestmark = needs_micropython

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
TIMES = [*range(0, 320, 20), *range(333, 14_000, 217)]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_the_same_in_the_box_as_at_the_hub(probe: Probe, pattern: Pattern) -> None:
    for n in (0, 1, 5, 16) if pattern == "number" else (0,):
        drawn = probe(f"[rings.lamps(({pattern!r}, {n}, '2f7de1'), ms) for ms in {TIMES}]")
        for ms, lamps in zip(TIMES, drawn, strict=True):
            right = frame(LampPicture(pattern, n, "2f7de1"), ms / 1000)
            assert len(lamps) == len(right)
            for mine, theirs in zip(lamps, right, strict=True):
                assert all(abs(a - b) <= 1 for a, b in zip(mine, theirs, strict=True)), (ms, lamps, right)


def test_the_box_knows_every_pattern_and_which_of_them_stand_still(probe: Probe) -> None:
    assert set(probe("list(rings.PATTERNS)")) == set(PATTERNS)
    for pattern in PATTERNS:
        seen = probe(f"len(set(str(rings.lamps(({pattern!r}, 3, '2f7de1'), ms)) for ms in range(0, 13000, 130)))")
        assert (seen == 1) == probe(f"{pattern!r} in rings.STILL"), pattern


def test_every_pattern_is_after_twelve_seconds_where_it_was(probe: Probe) -> None:
    for pattern in PATTERNS:
        assert probe(
            f"all(rings.lamps(({pattern!r}, 3, '2f7de1'), ms) == rings.lamps(({pattern!r}, 3, '2f7de1'), ms + rings.BEAT)"
            " for ms in range(4000, 16000, 250))"
        ), pattern


@pytest.mark.parametrize("colour", ["ffffff", "f4f4f4", "2f7de1", "000001"])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_ring_never_takes_more_than_the_supply_allows(probe: Probe, pattern: str, colour: str) -> None:
    most = PINS["MILLIAMPERES"]
    lit = probe(f"[rings.within(rings.lamps(({pattern!r}, 16, {colour!r}), ms), {most}) for ms in range(0, 6000, 250)]")
    for lamps in lit:
        assert sum(sum(lamp) for lamp in lamps) * 60 / 765 <= most + 1


# --- on the board --------------------------------------------------------------------------------------


def frame_bytes(probe: Probe, fields: dict[str, object]) -> bytes:
    line: str = probe(f"frames.encode({fields!r}).decode()")
    return line.encode()


def lit(pico: Pico) -> list[str]:
    lamps = pico.shown["lamps"]
    return [lamps[place : place + 6] for place in range(0, 96, 6)]


def test_a_ring_moves_by_itself_and_the_cable_is_quiet(probe: Probe, pico: Callable[..., Pico]) -> None:
    box = pico()
    box.hear(frame_bytes(probe, {"t": "ring", "s": 1, "p": "roll", "n": 0, "c": "2f7de1"}))
    box.go()
    box.take_said()
    seen = set()
    for _ in range(25):
        box.go(40)
        seen.add(box.shown["lamps"])
    assert len(seen) >= 15
    assert box.take_said().count(b"\n") <= 2, "nothing but the heartbeat"


def test_a_new_picture_is_lit_at_once_and_a_still_one_stays(probe: Probe, pico: Callable[..., Pico]) -> None:
    box = pico()
    box.go(100)
    box.hear(frame_bytes(probe, {"t": "ring", "s": 1, "p": "number", "n": 3, "c": "ff0000"}))
    box.go()
    assert lit(box)[:4] == ["ff0000", "ff0000", "ff0000", "000000"]
    box.hear(frame_bytes(probe, {"t": "ring", "s": 2, "p": "waiting", "n": 0, "c": "000010"}))
    box.go(1)
    assert set(lit(box)) == {"000004"}
    box.go(5000)
    assert set(lit(box)) == {"000004"}


def test_a_box_left_alone_for_weeks_still_shows_what_it_was_told(probe: Probe, pico: Callable[..., Pico]) -> None:
    for pattern in ("attract", "reveal"):
        box = pico()
        box.hear(frame_bytes(probe, {"t": "ring", "s": 1, "p": pattern, "n": 0, "c": "000020"}))
        box.go()
        seen = set()
        for _ in range(24 * 14):
            box.go(3_600_000 + 40)
            seen.add(box.shown["lamps"])
        right = {frame_hex(pattern, ms) for ms in range(400, 12400, 40)}
        assert seen <= right
        assert "0" * 96 not in seen


def frame_hex(pattern: Pattern | str, ms: int) -> str:
    assert pattern in PATTERNS
    lamps = frame(LampPicture(pattern, 0, "000020"), ms / 1000)
    return "".join(f"{red:02x}{green:02x}{blue:02x}" for red, green, blue in lamps)
