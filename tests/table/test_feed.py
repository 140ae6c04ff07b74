"""The log of a match as phones page through it, and the changes of money and points behind it."""

from __future__ import annotations

from typing import Any

import pytest

from hub import games
from hub.engine.event import Event
from hub.engine.match import Match
from hub.state import Preset
from hub.table.match import feed
from hub.table.match.feed import LEAST_EVENTS, PAGE_EVENTS, SCREEN_EVENTS, SHOWN_CHANGES, EventFeed


def shown(length: int, **more: Any) -> EventFeed:
    """A feed that has published so many events."""
    happened = EventFeed()
    happened.update("m-1", 1, [Event(f"{n}.") for n in range(length)], **more)
    return happened


def numbers(page: Any) -> list[int]:
    return [event.n for event in page.events]


def test_before_the_first_match_there_is_nothing_to_read() -> None:
    happened = EventFeed()
    for page in (happened.newest(), happened.for_screens(), happened.page_before(10)):
        assert (page.match, page.epoch, page.events, page.stood_in) == (None, 0, [], {})
    assert (happened.changes().match, happened.changes().epoch, happened.changes().changes) == (None, 0, [])


def test_the_first_state_of_a_match_has_as_many_events_as_the_tables_own_screens() -> None:
    happened = shown(100)
    assert numbers(happened.newest()) == numbers(happened.for_screens()) == list(range(100 - SCREEN_EVENTS, 100))
    assert numbers(shown(3).newest()) == [0, 1, 2]


@pytest.mark.parametrize(
    ("before", "first", "end"),
    [(0, 0, 0), (-5, 0, 0), (1, 0, 1), (PAGE_EVENTS, 0, PAGE_EVENTS), (PAGE_EVENTS + 1, 1, PAGE_EVENTS + 1),
     (149, 49, 149), (150, 50, 150), (151, 50, 150), (10**9, 50, 150)],
)  # fmt: skip
def test_a_page_has_the_newest_events_below_its_number(before: int, first: int, end: int) -> None:
    assert numbers(shown(150).page_before(before)) == list(range(first, end))


def test_another_match_and_an_undo_start_the_newest_events_again_and_a_shorter_log_of_the_same_does_not() -> None:
    happened, events = shown(100), [Event(f"{n}.") for n in range(102)]
    happened.update("m-1", 1, events[:101])
    happened.update("m-1", 1, events)
    assert numbers(happened.newest()) == list(range(102 - LEAST_EVENTS, 102))
    happened.update("m-2", 1, events)
    assert numbers(happened.newest()) == list(range(102 - SCREEN_EVENTS, 102)), "another match"
    assert happened.newest().match == "m-2"
    happened.update("m-2", 2, events)
    assert happened.newest().epoch == 2
    assert numbers(happened.newest()) == list(range(102 - SCREEN_EVENTS, 102)), "an undo"


def test_a_page_names_the_seats_that_the_house_stood_in_for_at_its_own_events() -> None:
    stood_in = {"49": [1], "50": [2, 3], "149": [4], "150": [5]}
    happened = shown(150, stood_in=stood_in)
    assert happened.page_before(150).stood_in == {"50": [2, 3], "149": [4]}
    assert happened.page_before(60).stood_in == {"49": [1], "50": [2, 3]}
    assert happened.for_screens().stood_in == happened.newest().stood_in == {"149": [4]}


# --- changes of money and points ---------------------------------------------------------------------------


def change(text: str, round_: int, **data: Any) -> Event:
    return Event(text, "X-1", "cash", {"seat": 2, "what": "cash", "sum": "3 + 4", **data}, round_)


def texts(events: list[Event], round_: int) -> list[str]:
    happened = EventFeed()
    happened.update("m-1", 7, events, round_number=round_)
    page = happened.changes()
    assert (page.match, page.epoch) == ("m-1", 7)
    return [one.text for one in page.changes]


def test_changes_are_told_newest_first_with_their_rule_and_their_sum() -> None:
    happened = EventFeed()
    happened.update("m-1", 7, [Event("Go."), change("Paid.", 1, **{"from": 7, "to": 3}), change("Hidden.", 1)], {}, 1)
    hidden, paid = happened.changes().changes
    assert (paid.n, paid.round, paid.seat, paid.what) == (1, 1, 2, "cash")
    assert (paid.text, paid.rule, paid.sum, paid.was, paid.to) == ("Paid.", "X-1", "3 + 4", 7, 3)
    assert (hidden.n, hidden.was, hidden.to) == (2, None, None)


def test_changes_reach_back_to_the_previous_round() -> None:
    events = [change("One.", 1), change("Two.", 2), change("Three.", 3)]
    assert texts(events, 2) == ["Three.", "Two.", "One."]
    assert texts(events, 3) == ["Three.", "Two."]
    assert texts(events, 4) == ["Three."]
    assert texts(events, 5) == []


def test_an_event_without_a_sum_is_no_change_and_hides_none_before_it() -> None:
    bare = Event("A bid.", "X-2", "bid", {"seat": 1, "what": "bid"}, 1)
    also = Event("A total.", "X-3", "total", {"seat": 1, "sum": "1 + 1"}, 1)
    assert texts([change("Paid.", 1), bare, also], 1) == ["Paid."]


def test_only_the_latest_sixty_changes_are_told() -> None:
    events = [change(f"{n}.", 1) for n in range(SHOWN_CHANGES + 5)]
    assert texts(events, 1) == [f"{n}." for n in range(SHOWN_CHANGES + 4, 4, -1)]


def test_what_was_not_published_yet_has_no_changes() -> None:
    happened, events = EventFeed(), [change("One.", 1)]
    happened.update("m-1", 1, events, round_number=1)
    events.append(change("Two.", 1))
    assert [one.text for one in happened.changes().changes] == ["One."]


# --- the lobby -----------------------------------------------------------------------------------------------


def test_the_lobby_offers_a_game_with_what_people_need_to_choose_it() -> None:
    game = games.find("bid-and-bait")
    bare = feed.offer(game)
    assert (bare.name, bare.title, bare.seats) == (game.name, game.title, game.seats)
    assert (bare.minutes, bare.blurb) == (game.labels.minutes, game.labels.blurb)
    assert (bare.lacks, bare.presets) == ([], [])
    quick = Preset("quick", "Over sooner.", {"rounds": 1})
    full = feed.offer(game, ["No dice."], [quick])
    assert (full.lacks, full.presets) == (["No dice."], [quick])


def test_a_public_event_has_no_rule_if_its_event_has_none() -> None:
    happened = EventFeed()
    happened.update("m-1", 1, [Event("Go.", kind="start", data={"seat": 1}), Event("Paid.", "X-1")])
    first, second = happened.for_screens().events
    assert (first.text, first.rule, first.kind, first.data) == ("Go.", None, "start", {"seat": 1})
    assert second.rule == "X-1"


@pytest.mark.parametrize(("count", "first"), [(3, 0), (SCREEN_EVENTS, 0), (SCREEN_EVENTS + 1, 1), (100, 70)])
def test_a_match_that_only_screens_show_has_its_newest_thirty_events(count: int, first: int) -> None:
    match = Match(games.find("bid-and-bait"), [1, 2, 3], {})
    match.events[:] = [Event(f"{n}.") for n in range(count)]
    assert [(event.n, event.text) for event in feed.events(match)] == [(n, f"{n}.") for n in range(first, count)]
