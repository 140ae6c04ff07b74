"""The firmware's modules, asked, and boards with their power on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.firmware.pico import Pico, Probe


@pytest.fixture(scope="session")
def probe() -> Iterator[Probe]:
    probe = Probe()
    yield probe
    probe.close()


@pytest.fixture
def pico() -> Iterator[Callable[..., Pico]]:
    made: list[Pico] = []

    def power_up(**more: Any) -> Pico:
        made.append(Pico(**more))
        return made[-1]

    yield power_up
    for one in made:
        one.power_off()
