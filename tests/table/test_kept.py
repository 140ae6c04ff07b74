"""The private values of a table: one that is damaged is set aside, and nothing is written before all have been read."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from hub.engine.text import Text, say, say_count
from hub.errors import LogError
from hub.table.base.kept import KeptText, KeptValues
from tests.table.fakes import MemoryStore

BAD: list[object] = [b"\xff", b"[", b'"seven"', "7", 7, 7.5]
"""What a damaged row may hold: other bytes, or a value of another type."""


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def kept(store: MemoryStore) -> KeptValues:
    return KeptValues("1", store)


def test_a_value_is_read_for_its_own_table_and_by_its_own_name(store: MemoryStore, kept: KeptValues) -> None:
    store.kept.update({("1", "light"): b"30", ("1", "code"): b'"FISH"', ("2", "light"): b"80"})
    assert kept.read("light", int, "how bright it is") == 30
    assert kept.read("code", str, "the code") == "FISH"
    assert KeptValues("2", store).read("light", int, "how bright it is") == 80
    assert kept.read_as("light", bytes.decode, "how bright it is") == "30"
    assert kept.damaged == []


@pytest.mark.parametrize("there", [True, False])
def test_a_value_that_was_deleted_or_never_written_is_none(store: MemoryStore, kept: KeptValues, there: bool) -> None:
    store.kept.update({("1", "light"): b""} if there else {})
    assert kept.read("light", int, "how bright it is") is None
    assert kept.damaged == []
    kept.open()
    assert store.order == []


@pytest.mark.parametrize("bad", BAD)
def test_a_damaged_value_is_set_aside_once_all_have_been_read(
    store: MemoryStore, kept: KeptValues, bad: Any, caplog: pytest.LogCaptureFixture
) -> None:
    store.kept["1", "light"] = bad
    assert kept.read("light", int, "how bright it is") is None
    assert kept.damaged == ["how bright it is"]
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
        "table 1: the kept value 'light' cannot be read; it is set aside."
    ]
    assert store.kept == {("1", "light"): bad}, "the disk may still hold more that is to be read"
    kept.open()
    assert store.kept == {
        ("1", "light"): b"",
        ("1", "unreadable light"): bad if isinstance(bad, bytes) else str(bad).encode(),
    }
    writes = list(store.order)
    kept.open()
    assert store.order == writes, "it is set aside once"


def test_a_damaged_value_that_is_read_late_is_set_aside_at_once(store: MemoryStore, kept: KeptValues) -> None:
    kept.open()
    store.kept.update({("1", "dice"): b"{", ("1", "dispute"): b"["})
    assert kept.read("dice", int, "the dice") is None
    assert store.kept["1", "unreadable dice"] == b"{"
    assert kept.read("dispute", int, "the dice") is None
    assert (store.kept["1", "dice"], store.kept["1", "dispute"]) == (b"", b"")
    assert kept.damaged == ["the dice"], "people are told once"


def test_nothing_is_written_before_all_values_have_been_read(store: MemoryStore, kept: KeptValues) -> None:
    store.kept["1", "light"] = b"30"
    writes: list[Callable[[], None]] = [lambda: kept.write("light", b"80"), lambda: kept.forget("light")]
    for write in writes:
        with pytest.raises(LogError) as refused:
            write()
        assert refused.value.sentence == "The disk could not be read yet, so nothing is written."
    assert store.kept == {("1", "light"): b"30"}
    kept.open()
    kept.write("light", b"80")
    assert store.kept == {("1", "light"): b"80"}


def test_a_value_is_deleted_once(store: MemoryStore, kept: KeptValues) -> None:
    kept.open()
    kept.forget("until")
    assert store.order == [], "there is none"
    kept.write("until", b"5")
    kept.forget("until")
    kept.forget("until")
    assert store.kept == {("1", "until"): b""}
    assert store.order == ["keep until"] * 2


# --- texts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        say("The table was reset."),
        say("{actor} bids {amount} at {odds}.", actor=say("Seat {seat}", seat=2), amount=25, odds=0.5),
        say_count("{name} has {count} card.", "{name} has {count} cards.", 1, name="Ana"),
        say_count("{name} has {count} card.", "{name} has {count} cards.", 3, name="Ana"),
    ],
)
def test_a_text_on_the_disk_reads_as_it_was_and_can_still_be_translated(text: Text) -> None:
    again = KeptText.of(text).text
    assert again == text
    assert again.template == text.template
    assert again.values == text.values


def test_the_values_of_a_text_on_the_disk_are_plain_strings_and_numbers() -> None:
    kept = KeptText.of(say("{actor} bids {amount}.", actor=say("Seat {seat}", seat=2), amount=25))
    assert kept == KeptText("{actor} bids {amount}.", {"actor": "Seat 2", "amount": 25})
    assert type(kept.values["actor"]) is str


def test_a_text_with_all_its_values_is_whole_and_one_without_is_damaged() -> None:
    assert KeptText("{seat} bids.", {"seat": 2, "more": 3}).text == "2 bids."
    for values in ({}, {"other": 2}):
        with pytest.raises(ValueError, match="a text lacks a value"):
            KeptText("{seat} bids.", dict(values))
