"""What waits for the table: bounded, fair between phones, and of what changes often only the last value."""

from __future__ import annotations

import queue
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.ports import ClaimDecided, ClaimRequest, HelpRequest, PhoneGarbled, PhoneLink, PhoneRequest, Tick
from hub.table.inbox import MOST_CLAIMS, MOST_PER_PHONE, Inbox
from hub.table.rate_limit import RateLimit
from tests.table.fakes import TableRig


def said(sid: str, n: int, verb: str = "ready", **args: Any) -> PhoneRequest:
    return PhoneRequest(sid, f"{sid}-{n}", n, 1, None, verb, args)


def taken(inbox: Inbox) -> list[Any]:
    found = []
    while len(inbox):
        found.append(inbox.get(0))
    return found


def claim(number: int, answers: list[ClaimDecided]) -> ClaimRequest:
    return ClaimRequest(str(number), 1, b"k" * 32, None, "", answers.append)


def test_a_request_waits_behind_its_own_phone_only() -> None:
    inbox = Inbox()
    for n in range(8):
        inbox.put(said("flood", n))
    assert inbox.get(0) == said("flood", 0)
    inbox.put(said("honest", 1))
    inbox.put(said("other", 1))
    assert inbox.get(0) in (said("flood", 1), said("honest", 1))
    assert said("other", 1) in (inbox.get(0), inbox.get(0))
    assert [one.n for one in taken(inbox)] == [2, 3, 4, 5, 6, 7]


def test_devices_and_the_hub_wait_behind_no_flood() -> None:
    inbox, answers = Inbox(), list[ClaimDecided]()
    for n in range(30):
        inbox.put(said("flood", n))
        inbox.put(claim(n, answers))
    assert [inbox.get(0) for _ in range(2)]
    inbox.put(Tick())
    assert Tick() in (inbox.get(0), inbox.get(0))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
def test_what_one_phone_says_stays_in_order_and_nobody_waits_for_more_than_one_of_each(
    steps: list[tuple[str, bool]],
) -> None:
    inbox, count, heard = Inbox(), 0, dict[str, list[int]](a=[], b=[], c=[])
    waiting: dict[str, int] = {}  # of whom nothing waited before: how many of the others were taken since
    for sid, take in steps:
        count += 1
        if not any(one == sid for one in _flows(inbox)):
            waiting[sid] = 0
        inbox.put(said(sid, count))
        if take:
            one: Any = inbox.get(0)
            heard[one.sid].append(one.n)
            waiting.pop(one.sid, None)
            for other in waiting:
                waiting[other] += 1
            assert all(passed <= 2 * 2 for passed in waiting.values())
    for one in taken(inbox):
        heard[one.sid].append(one.n)
    assert all(numbers == sorted(numbers) for numbers in heard.values())
    assert sum(map(len, heard.values())) == count


def _flows(inbox: Inbox) -> list[str]:
    return [signal[0].sid for _, _, signal in inbox._waiting]  # type: ignore[attr-defined]


def test_of_a_phones_coming_and_going_only_the_last_waits() -> None:
    inbox = Inbox()
    for number in range(1000):
        inbox.put(PhoneLink("a", on=number % 2 == 0))
        inbox.put(PhoneLink("b", on=True))
    assert taken(inbox) == [PhoneLink("a", on=False), PhoneLink("b", on=True)]


def test_what_was_not_understood_and_claims_do_not_fill_the_inbox() -> None:
    inbox, answers = Inbox(), list[ClaimDecided]()
    assert [inbox.put(PhoneGarbled("a", "?")) for _ in range(100)].count(True) == MOST_PER_PHONE
    assert [inbox.put(claim(n, answers)) for n in range(100)].count(True) == MOST_CLAIMS
    assert len(inbox) == MOST_PER_PHONE + MOST_CLAIMS


def test_an_empty_inbox_is_waited_for_only_so_long() -> None:
    with pytest.raises(queue.Empty):
        Inbox().get(0.01)


def test_a_phone_has_room_again_once_what_it_said_was_taken() -> None:
    inbox, answers = Inbox(), list[ClaimDecided]()
    assert all(inbox.put(PhoneGarbled("a", "?")) for _ in range(MOST_PER_PHONE))
    assert all(inbox.put(claim(n, answers)) for n in range(MOST_CLAIMS))
    assert not inbox.put(PhoneGarbled("a", "?"))
    assert not inbox.put(HelpRequest()), "a call for help from nobody's seat waits with the claims"
    assert inbox.put(PhoneGarbled("b", "?")), "another phone has room of its own"
    inbox.get(0)
    inbox.get(0)
    assert inbox.put(PhoneGarbled("a", "?"))
    assert inbox.put(HelpRequest())
    assert not inbox.put(PhoneGarbled("a", "?"))
    assert not inbox.put(claim(99, answers))


def test_calls_for_help_fill_the_room_of_claims_and_requests_that_of_garbled_ones() -> None:
    inbox, answers = Inbox(), list[ClaimDecided]()
    for _ in range(MOST_CLAIMS):
        assert inbox.put(HelpRequest())
    assert not inbox.put(claim(1, answers))
    for n in range(MOST_PER_PHONE + 1):
        assert inbox.put(said("a", n)), "the gateway counts its requests"
    assert not inbox.put(PhoneGarbled("a", "?"))
    assert len(inbox) == MOST_CLAIMS + MOST_PER_PHONE + 1


def test_a_phones_next_coming_or_going_waits_anew_once_the_last_was_taken() -> None:
    inbox = Inbox()
    assert inbox.put(PhoneLink("a", on=True))
    assert inbox.put(PhoneLink("a", on=False))
    assert inbox.get(0) == PhoneLink("a", on=False)
    assert inbox.put(PhoneLink("a", on=True))
    assert inbox.put(said("a", 1))
    assert inbox.put(PhoneLink("a", on=False))
    assert taken(inbox) == [PhoneLink("a", on=False), said("a", 1)], "in the place of the first one"


def test_phones_take_turns_with_each_other_and_with_all_who_want_a_seat() -> None:
    inbox, answers = Inbox(), list[ClaimDecided]()
    for n in range(3):
        inbox.put(said("a", n))
    for n in range(3):
        inbox.put(claim(n, answers))
    for n in range(3):
        inbox.put(said("b", n))
    flows = [one.claim if isinstance(one, ClaimRequest) else f"{one.sid}{one.n}" for one in taken(inbox)]
    assert flows == ["a0", "0", "b0", "a1", "1", "b1", "a2", "2", "b2"]


def test_a_phone_that_said_nothing_for_a_while_has_saved_up_no_turns_and_lost_none() -> None:
    inbox = Inbox()
    for n in range(4):
        inbox.put(said("a", n))
    assert [inbox.get(0) for _ in range(3)] == [said("a", n) for n in range(3)]
    for n in range(2):
        inbox.put(said("b", n))
    inbox.put(Tick())
    inbox.put(said("a", 4))
    assert taken(inbox) == [said("b", 0), Tick(), said("a", 3), said("b", 1), said("a", 4)]


def test_once_nothing_waits_all_phones_are_alike_again() -> None:
    inbox = Inbox()
    for n in range(5):
        inbox.put(said("a", n))
    taken(inbox)
    inbox.put(said("a", 5))
    inbox.put(said("b", 1))
    inbox.put(said("b", 2))
    inbox.put(said("a", 6))
    assert taken(inbox) == [said("a", 5), said("b", 1), said("b", 2), said("a", 6)]


# --- of what changes often only the last value -------------------------------------------------------------


def test_two_changes_are_done_at_once_and_the_third_waits_until_the_first_is_three_seconds_old() -> None:
    limit: RateLimit[str] = RateLimit(2, 3.0)
    assert [limit.due_at] == [None]
    assert (limit.defer("a", "1", 10.0), limit.defer("a", "2", 11.0)) == (False, False)
    assert [limit.due_at] == [None], "nothing waits"
    assert limit.defer("a", "3", 12.9)
    assert limit.due_at == 13.0
    assert limit.pop_due(12.9) == []
    assert limit.pop_due(13.0) == [["3"]]
    assert [limit.due_at, *limit.pop_due(13.0)] == [None]
    assert limit.defer("a", "4", 13.9), "the second one is not three seconds old"
    assert limit.due_at == 14.0
    assert limit.pop_due(14.0) == [["4"]]


def test_a_change_is_done_at_once_again_from_the_third_second_on() -> None:
    for at, waits in ((12.9, True), (13.0, False)):
        limit: RateLimit[str] = RateLimit(2, 3.0)
        limit.defer("a", "1", 10.0)
        limit.defer("a", "2", 10.0)
        assert limit.defer("a", "3", at) is waits


def test_changes_that_wait_for_one_key_stay_in_order_and_count_as_one() -> None:
    limit: RateLimit[str] = RateLimit(2, 3.0)
    for value in "12345":
        limit.defer("a", value, 10.0)
    assert limit.defer("a", "6", 20.0), "it is due, and still waits behind the others"
    assert limit.pop_due(20.0) == [["3", "4", "5", "6"]]
    assert not limit.defer("a", "7", 20.0)
    assert limit.defer("a", "8", 20.0)


def test_each_key_waits_for_itself_alone_and_the_earliest_is_due_first() -> None:
    limit: RateLimit[str] = RateLimit(1, 3.0)
    assert not limit.defer("late", "1", 12.0)
    assert not limit.defer("early", "1", 10.0)
    assert limit.defer("late", "2", 12.0)
    assert limit.defer("early", "2", 12.0)
    assert limit.due_at == 13.0
    assert limit.pop_due(13.0) == [["2"]]
    assert limit.due_at == 15.0
    assert limit.pop_due(15.0) == [["2"]]


def test_sixty_four_keys_are_known_and_the_one_that_changed_longest_ago_is_forgotten() -> None:
    limit: RateLimit[str] = RateLimit(1, 3.0)
    for number in range(64):
        assert not limit.defer(f"{number}", "x", 10.0)
    assert limit.defer("0", "y", 12.0)
    limit.pop_due(13.0)
    assert not limit.defer("64", "x", 12.0)
    assert not limit.defer("1", "y", 12.0), "it was forgotten"
    assert limit.defer("0", "z", 13.0)
    assert limit.defer("3", "z", 12.0)


# --- at the table ------------------------------------------------------------------------------------------


@pytest.fixture
def rig() -> TableRig:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    return rig


def test_a_claim_for_which_there_is_no_room_is_refused_at_once(rig: TableRig) -> None:
    answers: list[ClaimDecided] = []
    for number in range(MOST_CLAIMS + 5):
        rig.table.put(claim(number, answers))
    refused = (False, "Too many people are asking for a seat at once: try again in a moment.")
    assert [(answer.held, answer.say) for answer in answers] == [refused] * 5


def test_a_flood_of_names_is_a_write_a_second_and_the_last_one_counts(rig: TableRig) -> None:
    start, asked = len(rig.order), 0
    for _ in range(10 * 10):
        rig.clock.time += 0.1
        asked += 1
        rig.take(
            PhoneRequest(rig.sids[1], f"name-{asked}", asked, rig.state["epoch"], None, "name", {"name": f"N{asked}"})
        )
    rig.clock.time += 3
    rig.take(Tick())
    assert rig.order[start:].count("keep places") <= 3 + 10
    assert rig.state["seats"][0]["name"] == f"N{asked}"
    answers = [answer for answer in rig.phones.answers[rig.sids[1]] if answer["re"].startswith("name-")]
    assert [answer["re"] for answer in answers] == [f"name-{n}" for n in range(1, asked + 1)]
    assert all(answer["ok"] for answer in answers)
    assert rig.say(2, "name", {"name": "Ben"})["ok"], "another seat does not wait for it"


def test_the_name_that_a_seat_has_is_not_written_again(rig: TableRig) -> None:
    rig.say(1, "name", {"name": "Ana"})
    start = len(rig.order)
    assert rig.say(1, "name", {"name": " Ana "})["ok"]
    assert "keep places" not in rig.order[start:]


def test_a_phone_that_comes_and_goes_is_shown_at_a_persons_pace_and_rightly_in_the_end(rig: TableRig) -> None:
    start = len(rig.phones.public)
    for number in range(10 * 50):
        rig.clock.time += 0.02
        rig.take(PhoneLink(rig.sids[1], on=number % 2 == 0))
    rig.clock.time += 6
    rig.take(Tick())
    assert len(rig.phones.public) - start <= 6 + 10 + 2
    assert rig.state["seats"][0]["phone"] != "on"


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("act", {"move": "bid", "number": 99}), ("act", {"move": "nonsense"}), ("act", {}), ("roll", {"faces": [7]}),
        ("dice", {"say": "accept"}), ("dice", {"say": "reread"}), ("undo", {}), ("start", {"game": "bid-and-bait"}),
        ("start", {"game": "none"}), ("again", {}), ("name", {"name": 7}), ("code", {"seat": 9}), ("claim", {"claim": 3}),
        ("acknowledge", {"key": "none"}), ("win", {}),
    ],
)  # fmt: skip
def test_a_refusal_touches_no_disk(rig: TableRig, verb: str, args: dict[str, Any]) -> None:
    rig.start()
    start = len(rig.order)
    rig.store.broken = "The disk is full."
    answer = rig.say(2, verb, args)
    assert not answer["ok"]
    assert "disk" not in answer["error"]
    assert not [
        what for what in rig.order[start:] if what in ("append", "cut", "begin", "end") or what.startswith("keep")
    ]
