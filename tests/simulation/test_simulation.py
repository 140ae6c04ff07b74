"""Evenings of fixed seeds: no promise is broken, and the same seed gives the same trace."""

from __future__ import annotations

import pytest

from hub.store import Store
from hub.table.people.vacancy import Vacancy
from tests.simulation.people import Intent
from tests.simulation.shrink import failure, shortest

pytestmark = [
    pytest.mark.real_chance,  # nonces of the encryption, which no trace has
    pytest.mark.real_time,  # the store measures how long it waits for its disk
]

MINUTES = 5.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_an_evening_breaks_no_promise(seed: int) -> None:
    broken, script, _ = failure(seed, MINUTES)
    assert broken == ""
    assert script


@pytest.mark.slow
def test_the_same_seed_gives_the_same_evening() -> None:
    assert failure(5, MINUTES)[2] == failure(5, MINUTES)[2]


@pytest.mark.slow
def test_a_script_repeats_an_evening_without_ideas_of_its_own() -> None:
    _, script, lines = failure(5, MINUTES)
    end = next(number for number, line in enumerate(lines) if line.endswith("from now on"))
    _, again, repeated = failure(5, MINUTES, script)
    assert again == script
    assert repeated[:end] == lines[:end]


@pytest.mark.slow
def test_events_that_were_shown_but_not_written_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that shows what is not on disk: after the next power cut it is gone."""
    written = Store.append
    monkeypatch.setattr(
        Store, "append", lambda self, match, entries, seal=None: written(self, match, entries[:0], seal)
    )
    assert "has lost events" in failure(1, MINUTES)[0]


@pytest.mark.slow
def test_a_table_that_nobody_may_have_any_more_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst fault of all: guests who pocket their phones and go have the table for good."""
    monkeypatch.setattr(Vacancy, "run_due", lambda _: False)
    assert "cannot sit down" in failure(5, MINUTES)[0]


def test_the_shortest_script_has_what_a_failure_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    intents = [Intent(1000.0 + at, 0, "drop", {"n": at}) for at in range(40)]

    def needs_two(_seed: int, _minutes: float, script: list[Intent]) -> tuple[str, list[Intent], list[str]]:
        ats = {one.args["n"] for one in script}
        return ("broken" if {7, 31} <= ats else ""), script, []

    monkeypatch.setattr("tests.simulation.shrink.failure", needs_two)
    assert [one.args["n"] for one in shortest(1, 1.0, intents)] == [7, 31]
