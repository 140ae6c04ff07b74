"""Tests that use the clock and the chance of the machine, which tests/test_held_still.py runs: those without a marker fail."""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from random import Random

import nacl.utils
import pytest
from nacl.public import PrivateKey

from hub.ports import MonotonicClock, machine_chance  # noqa: TID251 - what is tried here
from tests.held_still import MachineUsed

machine = machine_chance()
TIME: dict[str, Callable[[], object]] = {
    "time": time.time,
    "monotonic": time.monotonic,
    "perf_counter": time.perf_counter,
    "sleep": lambda: time.sleep(0),
    "time_ns": time.time_ns,
    "localtime": time.localtime,
    "clock_gettime": lambda: time.clock_gettime(time.CLOCK_MONOTONIC),
    "strftime": lambda: time.strftime("%H:%M"),
    "the hub's own clock": MonotonicClock().now,
}
CHANCE: dict[str, Callable[[], object]] = {
    "SystemRandom": machine.random,
    "SystemRandom, an integer": lambda: machine.randint(1, 6),
    "SystemRandom, a shuffle": lambda: machine.shuffle([1, 2, 3]),
    "Random without a seed": Random,
    "a function of random": lambda: random.randint(1, 6),  # noqa: TID251 - what is tried here
    "secrets.token_hex": secrets.token_hex,
    "secrets.choice": lambda: secrets.choice([1, 2]),
    "urandom": lambda: os.urandom(4),  # noqa: TID251 - what is tried here
    "uuid4": uuid.uuid4,  # noqa: TID251 - what is tried here
    "PyNaCl": lambda: nacl.utils.random(8),
    "a key": PrivateKey.generate,
}


def call(what: Callable[[], object]) -> None:
    what()


@pytest.mark.parametrize("what", TIME)
def test_unmarked_time(what: str) -> None:
    call(TIME[what])


@pytest.mark.parametrize("what", CHANCE)
def test_unmarked_chance(what: str) -> None:
    call(CHANCE[what])


def test_unmarked_and_caught() -> None:
    with suppress(MachineUsed):
        time.sleep(0)


@pytest.mark.filterwarnings("ignore")
def test_unmarked_on_a_thread() -> None:
    thread = threading.Thread(target=call, args=(time.monotonic,))
    thread.start()
    thread.join()


@pytest.mark.real_chance
def test_unmarked_for_time() -> None:
    time.sleep(0)


@pytest.fixture(scope="module")
def drawn() -> str:
    return secrets.token_hex()


def test_unmarked_fixture(drawn: str) -> None:
    assert drawn


@pytest.mark.real_time
@pytest.mark.parametrize("what", TIME)
def test_marked_time(what: str) -> None:
    call(TIME[what])


@pytest.mark.real_chance
@pytest.mark.parametrize("what", CHANCE)
def test_marked_chance(what: str) -> None:
    call(CHANCE[what])


@pytest.mark.broker
def test_marked_as_driving_a_program() -> None:
    call(time.time)
    call(secrets.token_hex)


def test_held_still() -> None:
    """What needs no marker: a source with a seed, a clock that is handed in, and the standard library's own use of clocks."""
    assert Random(1).random() == Random(1).random()
    assert not threading.Event().wait(0.001)
    assert time.strftime("%Y", time.gmtime(0)) == "1970"
