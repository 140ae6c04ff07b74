"""The minutes that a match may still take: the range holds the true end about as often as it says."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from random import Random
from statistics import fmean, median
from typing import NamedTuple

import pytest

from hub import games
from hub.authoring.players import random_match
from hub.engine.match import Entry
from hub.errors import LogError
from hub.ports import Length, Tick
from hub.table.match import minutes_left
from hub.table.match.minutes_left import FEW, IDLE_SECONDS, SHARE, MinutesLeft
from tests.table.fakes import HeldClock, MemoryStore, TableRig
from tests.table.test_table import step

SIMULATED = ("bid-and-bait", "bid-it", "big-idea", "i-bid-you-not")
AFTER = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)  # of a match's entries


class Simulated(NamedTuple):
    """A match as these people played it: the minute of each of its entries."""

    times: list[float]

    @property
    def length(self) -> Length:
        return Length(self.times[-1], len(self.times))


def simulate(entries: int, minutes_each: float, random: Random) -> Simulated:
    """Real people: each group has its pace, most entries are quick, some are thought about."""
    pace, now, times = minutes_each * exp(random.gauss(0, 0.3)), 0.0, []
    for _ in range(entries):
        now += pace * exp(random.gauss(-0.5, 1.0))
        times.append(now)
    return Simulated(times)


@pytest.fixture(scope="module")
def entries() -> dict[str, list[int]]:
    """How many entries the logs of whole matches of each game have, played by chance."""
    return {
        name: [len(random_match(games.find(name), (1, 2, 3, 4), {}, Random(n)).log) for n in range(60)]
        for name in SIMULATED
    }


def said(entries: dict[str, list[int]], past: int, rounds: int) -> Iterator[tuple[float, bool, bool]]:
    """For many matches and moments, each with other past matches: how far it was, whether a range was said, whether it held."""
    for name in SIMULATED:
        usual, random = games.find(name).labels.minutes, Random(name)
        for _ in range(rounds):
            # The data file is right within a factor, the house's guests are slower or quicker than it says.
            each = usual / fmean(entries[name]) * exp(random.gauss(0, 0.3))
            known = [simulate(random.choice(entries[name]), each, random).length for _ in range(past)]
            match = simulate(random.choice(entries[name]), each, random)
            whole = match.length
            for part in AFTER:
                number = int(part * whole.entries)
                played = match.times[number - 1] if number else 0.0
                found = minutes_left.minutes_left(known, usual, number, played, number)
                left = whole.minutes - played
                yield part, found is not None, found is not None and found[0] <= left <= found[1]


@pytest.mark.parametrize("past", [FEW, 8, 25])
def test_the_range_holds_the_end_about_as_often_as_it_says(entries: dict[str, list[int]], past: int) -> None:
    told = [(part, held) for part, known, held in said(entries, past, 60) if known]
    share = sum(held for _, held in told) / len(told)
    assert SHARE - 0.02 <= share <= SHARE + 0.12, share  # measured: 0.90, 0.88, 0.86
    for part in AFTER:
        here = [held for of, held in told if of == part]
        assert here, part
        assert sum(here) / len(here) >= SHARE - 0.1, (part, sum(here) / len(here))


def test_what_is_said_is_worth_saying(entries: dict[str, list[int]]) -> None:
    """After a dozen matches the middle of one is known within a factor of five, mostly."""
    name, random = "bid-it", Random(1)
    narrow = 0
    for _ in range(40):
        known = [simulate(random.choice(entries[name]), 0.3, random).length for _ in range(12)]
        match = simulate(random.choice(entries[name]), 0.3, random)
        number = len(match.times) // 2
        found = minutes_left.minutes_left(known, 30, number, match.times[number - 1], number)
        narrow += found is not None and found[1] <= 5 * found[0]
    assert narrow >= 30


@pytest.mark.parametrize("past", [0, 3])
def test_with_few_matches_nothing_is_said_at_first_and_what_is_said_later_is_true(
    entries: dict[str, list[int]], past: int
) -> None:
    every = list(said(entries, past, 60))
    assert not [known for part, known, _ in every if part == 0.0 and known]
    told = [held for _, known, held in every if known]
    assert len(told) >= 100
    assert sum(told) / len(told) >= SHARE - 0.1  # measured: 0.84, 0.78


def test_the_end_comes_nearer_and_is_rounded_as_people_say_it() -> None:
    past = [Length(30, 100), Length(34, 110), Length(26, 90), Length(31, 100), Length(28, 105)]
    ranges = [minutes_left.minutes_left(past, 30, number, number * 0.3, number) for number in (0, 30, 60, 90, 130)]
    assert ranges[0] == (20, 45)
    assert all(ranges)
    lows, highs = zip(*[one for one in ranges if one], strict=True)
    assert list(highs) == sorted(highs, reverse=True)
    assert all(one < 10 or one % 5 == 0 for one in (*lows, *highs))
    assert min(lows) >= 1


def test_a_slow_group_is_told_more_than_a_quick_one() -> None:
    past = [Length(30, 100)] * 6
    slow, quick = (minutes_left.minutes_left(past, 30, 50, played, 50) for played in (30.0, 8.0))
    assert slow
    assert quick
    assert slow[0] > quick[0]
    assert slow[1] > quick[1]


def test_matches_that_were_left_lying_overnight_or_whose_log_is_wiped_do_not_mislead() -> None:
    past = [Length(30, 100)] * 6
    sane = minutes_left.minutes_left(past, 30, 50, 15, 50)
    odd = [Length(14 * 60, 100), Length(-400.0, 100), Length(0.1, 100), Length(31, 0)]
    assert minutes_left.minutes_left([*past, *odd], 30, 50, 15, 50) == sane


FOUR = [Length(30, 100), Length(45, 120), Length(20, 90), Length(33, 80)]


@pytest.mark.parametrize(
    ("past", "entries", "played", "timed", "expected"),
    [
        (FOUR, 0, 0.0, 0, (7.7763, 30.838, 114.67, 34.018)),
        (FOUR, 40, 20.0, 40, (3.2618, 24.483, 90.09, 26.631)),
        (FOUR, 40, 5.0, 10, (2.5946, 21.220, 90.15, 23.681)),
        (FOUR, 40, 0.0, 40, (1.9642, 17.796, 87.326, 20.401)),
        (FOUR, 40, 5.0, 0, (1.9642, 17.796, 87.326, 20.401)),
        (FOUR, 200, 90.0, 200, (0.023646, 4.387, 42.041, 6.3146)),
        (FOUR, 1000, 90.0, 200, (0.023646, 0.43099, 7.8124, 1.0556)),
        (FOUR[:3], 20, 6.0, 20, (6.2466, 24.003, 67.516, 26.406)),
        ([], 20, 6.0, 20, (4.1185, 24.012, 83.592, 27.658)),
        ([], 60, 60.0, 60, (0.1969, 10.959, 76.121, 16.130)),
        ([], 60, 6000.0, 60, (-5439.6, -5439.6, -5439.6, -5439.6)),
    ],
)
def test_an_estimate_changes_only_on_purpose(
    past: list[Length], entries: int, played: float, timed: int, expected: tuple[float, ...]
) -> None:
    """The least, the median, the greatest and the mean of the minutes, as they were when the simulations above held."""
    found = minutes_left.likely(past, 30, entries, played, timed)
    assert found == sorted(found)
    assert (found[0], median(found), found[-1], fmean(found)) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("minutes", "counts"), [(4.9, False), (5.0, True), (180.0, True), (180.1, False)], ids=lambda one: f"{one}"
)
def test_a_past_match_counts_up_to_six_times_quicker_or_slower_than_usual(minutes: float, counts: bool) -> None:
    assert bool(minutes_left.likely([*FOUR[:3], Length(minutes, 100)], 30, 0, 0.0, 0)) is counts


@pytest.mark.parametrize(("played", "timed", "told"), [(5.9, 20, False), (6.0, 20, True), (6.0, 19, False)])
def test_without_past_matches_a_fifth_of_the_usual_time_must_have_been_seen(
    played: float, timed: int, told: bool
) -> None:
    assert bool(minutes_left.likely([], 30, 20, played, timed)) is told


def ages(*lengths: tuple[int, int]) -> list[Length]:
    return [Length(minutes, entries) for minutes, entries in lengths]


@pytest.mark.parametrize(
    ("past", "usual", "now", "expected"),
    [
        (ages((16, 50), (16, 100), (6, 50), (22, 100)), 10, (0, 0.0, 0), (6, 30)),  # five times, and no more
        (ages((47, 100), (69, 100), (84, 100), (81, 100)), 20, (115, 31.0, 115), (1, 9)),  # vague, but soon over
        (ages((44, 50), (24, 50), (46, 50), (45, 100)), 10, (101, 34.0, 101), (1, 20)),  # as much as that
        (ages((19, 20), (37, 20), (16, 20), (15, 20)), 10, (92, 5.0, 92), (1, 2)),  # both ends are one minute
        ([], 30, (20, 6.0, 20), None),  # 10 to more than 50
    ],
)
def test_a_range_is_told_unless_it_is_useless(
    past: list[Length], usual: int, now: tuple[int, float, int], expected: tuple[int, int] | None
) -> None:
    assert minutes_left.minutes_left(past, usual, *now) == expected


# --- at a table ------------------------------------------------------------------------------------------


def log(entries: int, by: int = 1) -> list[Entry]:
    return [Entry(by, "act", {}, 1)] * entries


def test_a_match_that_is_taken_up_again_is_not_taken_for_a_quick_one() -> None:
    store, clock = MemoryStore(), HeldClock()
    store.past = [Length(30, 100)] * 6
    kept = MinutesLeft(store, clock)
    kept.update(None, "", 0, (), 0)
    before = kept.update("m-1", "g", 3, log(50), 30)
    clock.time += 3600
    kept.update(None, "", 0, (), 0)
    assert kept.update("m-2", "g", 3, log(50), 30) == before


def test_a_pause_is_no_slow_play() -> None:
    store, clock = MemoryStore(), HeldClock()
    store.past = [Length(30, 100)] * 6
    kept = MinutesLeft(store, clock)
    steady = kept.update(None, "", 0, (), 0)
    kept.update("m-1", "g", 3, log(3, by=0), 30)
    for number in range(1, 51):
        clock.time += 18
        steady = kept.update("m-1", "g", 3, log(number), 30)
    clock.time += 3600 * 12
    assert kept.update("m-1", "g", 3, log(50), 30) == steady
    after = kept.update("m-1", "g", 3, log(51), 30)
    assert after
    assert steady
    assert after[1] <= steady[1] + IDLE_SECONDS / 60 + 5


def test_after_a_restart_only_what_was_seen_counts_for_the_pace() -> None:
    store, clock = MemoryStore(), HeldClock()
    kept = MinutesLeft(store, clock)
    clock.time += 600
    assert kept.update("m-1", "g", 3, log(80), 30) is None  # it began before, and nothing else is known
    clock.time += 600
    assert kept.update("m-1", "g", 3, log(90), 30) is None
    store.past = [Length(30, 100)] * 6
    kept = MinutesLeft(store, clock)
    near = kept.update("m-1", "g", 3, log(80), 30)
    assert near
    slow = MinutesLeft(store, clock)
    for number in range(80, 91):
        slow.update("m-1", "g", 3, log(number), 30)
        clock.time += 120
    later = slow.update("m-1", "g", 3, log(91), 30)
    assert later
    assert near[1] <= later[1]  # eleven entries nearer the end


def test_minutes_are_rounded_as_people_say_them() -> None:
    """To whole ones below ten, to five below an hour, to ten above."""
    said: set[int] = set()
    for tenths in (*range(5, 300, 5), *range(300, 1500, 25)):
        past = [Length(tenths / 10, 100)] * 8
        said |= {*(minutes_left.minutes_left(past, tenths // 10 or 1, 0, 0.0, 0) or ())}
    whole = {*range(1, 10), *range(10, 60, 5), *range(60, max(said) + 1, 10)}
    assert max(said) >= 150
    assert said == whole


class CountedStore(MemoryStore):
    """A store that notes which past matches are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, int]] = []
        self.past = [Length(30, 100)] * 6

    def lengths(self, game: str, seats: int) -> list[Length]:
        self.asked.append((game, seats))
        return super().lengths(game, seats)


def test_past_matches_of_the_game_and_its_number_of_seats_are_read_once_a_match() -> None:
    store, clock = CountedStore(), HeldClock()
    kept = MinutesLeft(store, clock)
    for match, game, seats in (("m-1", "g", 3), ("m-1", "g", 3), ("m-2", "h", 4)):
        assert kept.update(match, game, seats, log(0), 30)
    kept.update(None, "", 0, (), 0)
    assert store.asked == [("g", 3), ("h", 4)]


def told(steps: list[tuple[float, int]], first: int = 0, by: int = 1) -> tuple[int, int] | None:
    """The range after some steps: seconds that pass, and the entries that the log has then."""
    clock = HeldClock()
    kept = MinutesLeft(CountedStore(), clock)
    found = kept.update("m-1", "g", 3, log(first, by), 30)
    for seconds, entries in steps:
        clock.time += seconds
        found = kept.update("m-1", "g", 3, log(entries), 30)
    return found


@pytest.mark.parametrize(
    ("steps", "first", "played", "timed"),
    [
        ([(600, 0), (60, 10)], 0, 3.0, 10),  # nobody plays for ten minutes: three of them count
        ([(100, 0), (70, 0), (5, 10)], 0, 175 / 60, 10),  # shown in between: all of it counts
        ([(100, 0), (70, 0), (50, 10)], 0, 3.0, 10),  # and no more than three minutes
        ([(100, 10), (100, 20), (100, 30)], 0, 5.0, 30),  # each entry begins three minutes
        ([(60, 60)], 50, 1.0, 10),  # only what was seen
        ([(60, 60), (60, 45), (60, 48)], 50, 3.0, 3),  # below where it was first seen, after an undo
    ],
)
def test_the_stopwatch_counts_up_to_three_minutes_for_each_entry_that_it_has_seen(
    steps: list[tuple[float, int]], first: int, played: float, timed: int
) -> None:
    past, entries = [Length(30, 100)] * 6, steps[-1][1]
    assert told(steps, first) == minutes_left.minutes_left(past, 30, entries, played, timed)


def test_a_match_that_the_hub_itself_has_begun_is_timed_from_its_first_entry() -> None:
    past = [Length(30, 100)] * 6
    assert told([(60, 50)], 40, by=0) == minutes_left.minutes_left(past, 30, 50, 1.0, 50)
    assert told([(60, 50)], 40, by=1) == minutes_left.minutes_left(past, 30, 50, 1.0, 10)
    assert told([(60, 50)], 40, by=0) != told([(60, 50)], 40, by=1)


def test_time_between_two_matches_counts_for_neither() -> None:
    clock = HeldClock()
    kept, past = MinutesLeft(CountedStore(), clock), [Length(30, 100)] * 6
    kept.update("m-1", "g", 3, log(0), 30)
    clock.time += 100
    kept.update("m-1", "g", 3, log(5), 30)
    clock.time += 100
    kept.update("m-2", "g", 3, log(0), 30)
    clock.time += 60
    assert kept.update("m-2", "g", 3, log(2), 30) == minutes_left.minutes_left(past, 30, 2, 1.0, 2)


def fails(*_: object) -> list[Length]:
    raise LogError("The disk is gone.")


def test_the_screen_shows_it_while_a_match_is_under_way_and_a_failing_disk_costs_nothing_else() -> None:
    store = MemoryStore()
    store.past = [Length(15, 120)] * 8
    rig = TableRig(boxes=False, store=store)
    rig.sit()
    assert rig.state["minutes_left"] is None
    rig.start()
    low, high = rig.state["minutes_left"] or (0, 0)  # type: ignore[redundant-expr]
    assert 1 <= low < high <= 40
    random = Random(1)
    while rig.state["state"] == "playing":
        rig.clock.time += 8
        step(rig, random)
        rig.take(Tick())
    assert rig.state["minutes_left"] is None
    store.lengths = fails  # type: ignore[method-assign, assignment]
    rig.start()
    assert rig.state["state"] == "playing"
    assert rig.state["minutes_left"] is None
