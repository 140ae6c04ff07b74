"""Hands on switches and dial, with all their bouncing: the tables of the real firmware."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.dial import ANTICLOCKWISE, CLOCKWISE, Contacts
from tests.firmware.pico import GPIO, LEFT, RIGHT, Probe, needs_micropython

pytestmark = needs_micropython

ALL_OPEN = 0x3FFFFFFF
CIRCLE = [3, *RIGHT]  # a detent to the right: the dial's contacts, quarter by quarter


def steps(probe: Probe, sights: list[int]) -> list[int]:
    found: list[int] = probe(f"steps({sights})")
    return found


def test_a_detent_is_one_step_and_its_direction_is_the_hands(probe: Probe) -> None:
    assert steps(probe, list(RIGHT)) == [0, 0, 0, 1]
    assert steps(probe, list(LEFT)) == [0, 0, 0, -1]
    assert sum(steps(probe, [*RIGHT * 20, *LEFT * 7])) == 13


def turned(contacts: Contacts) -> int:
    """The level of every GPIO while the dial stands so."""
    return level(*(name for name, closed in zip(("dial_a", "dial_b"), contacts, strict=True) if closed))


def test_contact_a_first_is_clockwise_on_the_pins_that_the_wiring_names(probe: Probe) -> None:
    for order, step in ((CLOCKWISE, 1), (ANTICLOCKWISE, -1)):
        samples = [(turned(contacts), 100 + number) for number, contacts in enumerate(order)]
        assert deeds(probe, *samples) == [["dial", step]]


def test_a_dial_that_trembles_between_two_places_turns_nowhere(probe: Probe) -> None:
    for near in (1, 2):
        assert not any(steps(probe, [near, 3] * 50))
    assert sum(steps(probe, [1, 3, 1, 0, 1, 0, 2, 0, 2, 3])) == 1, "the whole detent counts however it shook"


def test_a_dial_turned_half_way_and_back_has_not_turned(probe: Probe) -> None:
    assert not any(steps(probe, [1, 0, 1, 3]))
    assert not any(steps(probe, [1, 0, 2, 0, 1, 3]))


@pytest.mark.parametrize("at", range(4))
@pytest.mark.parametrize("then", range(4))
def test_the_table_knows_every_pair_of_sights(probe: Probe, at: int, then: int) -> None:
    ring = [3, 1, 0, 2]
    apart = (ring.index(then) - ring.index(at)) % 4
    assert probe(f"controls._QUARTERS[{at}][{then}]") == {0: 0, 1: 1, 2: 9, 3: -1}[apart]


def sights_of(turns: list[int], shakes: list[int]) -> list[int]:
    """What the contacts go through when a hand turns so, shaking at every quarter as often as said."""
    sights = [3]
    shaking = iter(shakes)
    for turn in turns:
        for at in RIGHT if turn > 0 else LEFT:
            sights += [at, sights[-1]] * next(shaking, 0) + [at]
    return sights


@settings(max_examples=200, deadline=None)
@given(turns=st.lists(st.sampled_from([1, -1]), max_size=12), shakes=st.lists(st.integers(0, 3), max_size=48))
def test_bouncing_alone_loses_and_adds_nothing(probe: Probe, turns: list[int], shakes: list[int]) -> None:
    assert [step for step in steps(probe, sights_of(turns, shakes)) if step] == turns


@settings(max_examples=300, deadline=None)
@given(
    detents=st.integers(1, 12),
    right=st.booleans(),
    shakes=st.lists(st.integers(0, 2), max_size=48),
    lost=st.sets(st.integers(0, 200)),
)
@example(detents=3, right=True, shakes=[], lost={2, 4, 6, 8, 10, 12})
def test_a_lost_sight_may_drop_a_step_and_never_reverses_one(
    probe: Probe, detents: int, right: bool, shakes: list[int], lost: set[int]
) -> None:
    """Sights are lost here and there, never two running: interrupts come a thousand times as fast as fingers."""
    way = 1 if right else -1
    sights = sights_of([way] * detents, shakes)
    kept = [at for place, at in enumerate(sights) if place not in lost or place - 1 in lost]
    found = [step for step in steps(probe, kept) if step]
    assert set(found) <= {way}
    assert len(found) <= detents


# --- switches ------------------------------------------------------------------------------------------


def level(*closed: str) -> int:
    word = ALL_OPEN
    for name in closed:
        word &= ~(1 << GPIO[name])
    return word


def deeds(probe: Probe, *samples: tuple[int, int]) -> list[list[Any]]:
    found: list[list[Any]] = probe(f"deeds({[(ALL_OPEN, 0), *samples]})")
    return found


def test_a_push_counts_at_its_first_edge(probe: Probe) -> None:
    assert deeds(probe, (level("push"), 100)) == [["push", "down"]]


def test_what_bounces_for_twenty_milliseconds_is_one_press(probe: Probe) -> None:
    bouncing = [(level("push") if ms % 2 == 0 else level(), 100 + ms) for ms in range(19)]
    assert deeds(probe, *bouncing, (level("push"), 125), (level(), 300), (level(), 330)) == [["push", "down"]]


def test_a_press_shorter_than_its_bouncing_is_one_press(probe: Probe) -> None:
    assert deeds(probe, (level("push"), 100), (level(), 105), (level(), 130), (level("push"), 400)) == [
        ["push", "down"],
        ["push", "down"],
    ]


def test_a_short_press_of_a_key_is_told_when_it_ends_and_a_long_one_when_it_has_lasted(probe: Probe) -> None:
    assert deeds(probe, (level("k3"), 100), (level("k3"), 160)) == []
    assert deeds(probe, (level("k3"), 100), (level(), 160)) == [["k3", "down"]]
    assert deeds(probe, (level("k3"), 100), (level("k3"), 2099)) == []
    assert deeds(probe, (level("k3"), 100), (level("k3"), 2100), (level("k3"), 9000), (level(), 9100)) == [
        ["k3", "hold"]
    ]
    assert deeds(probe, (level("bar"), 100), (level("bar"), 3099), (level(), 3100)) == [["bar", "hold"]]
    assert deeds(probe, (level("bar"), 100), (level(), 3099)) == [["bar", "down"]]


def test_a_long_push_is_a_push(probe: Probe) -> None:
    assert deeds(probe, (level("push"), 100), (level("push"), 9000), (level(), 9100)) == [["push", "down"]]


def test_bar_and_push_held_together_for_a_second_are_a_held_push(probe: Probe) -> None:
    bar, both = level("bar"), level("bar", "push")
    assert deeds(probe, (bar, 100), (both, 150), (both, 1149)) == []
    held = [["push", "hold"]]
    assert deeds(probe, (bar, 100), (both, 150), (both, 1150), (both, 9000), (bar, 9050), (level(), 9100)) == held
    assert deeds(probe, (bar, 100), (both, 2900), (both, 3500), (both, 3900)) == held, "nobody is called"


@pytest.mark.parametrize("first", ["bar", "push"])
def test_bar_and_push_let_go_within_a_second_are_two_presses_in_their_order(probe: Probe, first: str) -> None:
    presses = [["bar", "down"], ["push", "down"]]
    left = level("push" if first == "bar" else "bar")
    assert deeds(probe, (level("bar"), 100), (level("bar", "push"), 150), (left, 1100), (level(), 1200)) == presses


def test_a_push_before_the_bar_is_a_push(probe: Probe) -> None:
    """It is told at once, so it can be no part of anything that takes a second."""
    both = level("bar", "push")
    assert deeds(probe, (level("push"), 100), (both, 150), (both, 1500), (level(), 1600)) == [
        ["push", "down"],
        ["bar", "down"],
    ]


def test_a_press_that_is_still_on_is_told_before_what_is_done_next(probe: Probe) -> None:
    """Quick fingers push before they have let go of the key: the push must find the key's choice."""
    assert deeds(probe, (level("k3"), 100), (level("k3", "push"), 150), (level("push"), 180), (level(), 220)) == [
        ["k3", "down"],
        ["push", "down"],
    ]
    turning = [(level("k3") & turned(contacts), 150 + n) for n, contacts in enumerate(CLOCKWISE)]
    assert deeds(probe, (level("k3"), 100), *turning, (level(), 220)) == [["k3", "down"], ["dial", 1]]


def test_what_is_pressed_at_power_up_tells_nothing_until_it_is_let_go(probe: Probe) -> None:
    found = probe(
        f"deeds({[(level('bar'), 0), (level('bar'), 5000), (level(), 5100), (level('bar'), 5200), (level(), 5300)]})"
    )
    assert found == [["bar", "down"]]


@pytest.mark.parametrize("seed", range(30))
def test_however_fingers_shake_every_press_is_told_once_and_in_order(probe: Probe, seed: int) -> None:
    chance = random.Random(seed)
    names = ["push", "bar", "k1", "k2", "k3", "k4", "k5", "k6"]
    samples, pressed, now = [], [], 1000
    for _ in range(20):
        name = chance.choice(names)
        pressed.append([name, "down"])
        for closed in (True, False):
            still = level(name) if closed else level()
            for _ in range(chance.randrange(8)):
                samples += [(still, now), (level() if closed else level(name), now + 1)]
                now += 2
            samples.append((still, now))
            now += chance.randrange(25, 200)
            samples.append((still, now))
    assert deeds(probe, *samples) == pressed


def test_a_switch_that_rested_for_two_weeks_still_works(probe: Probe) -> None:
    """The clock of the Pico comes round after twelve days; nothing is compared with a time so long ago."""
    hour, round_the_clock = 3_600_000, 2**30
    samples = [(level("k1"), 100), (level(), 200), *((level(), hour * n % round_the_clock) for n in range(1, 24 * 14))]
    later = (hour * 24 * 14) % round_the_clock
    found = deeds(
        probe,
        *samples,
        (level("push"), later),
        (level(), later + 100),
        (level("k1"), later + 200),
        (level(), later + 300),
    )
    assert found == [["k1", "down"], ["push", "down"], ["k1", "down"]]
    assert deeds(probe, (level("bar"), 2**30 - 1000), (level("bar"), 1999), (level("bar"), 2000)) == [["bar", "hold"]]
