"""What the loop of a table does with each signal: who is answered, and when a new picture is shown."""

from __future__ import annotations

from typing import Any

import pytest

from hub.ports import BoxBid, BoxLocked, BoxUnlocked, Key, PhoneGarbled, PhoneLink, PhoneRequest, Tick, Turn
from hub.table.base.slow_disk import SLOW_DISK
from hub.table.loop import Table
from hub.table.parts import TableSettings
from hub.table.restarts import LINKS, LINKS_SECONDS, RENAMES, RENAMES_SECONDS
from hub.table.views.hints import SECONDS as HINT_SECONDS
from tests.table.fakes import TableRig
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_dispute import _found as _found  # noqa: PLC0414 - a fixture
from tests.table.test_dispute import at, read
from tests.table.test_notices import SlowStore, texts


def pictures(rig: TableRig, *signals: object) -> int:
    """Return how many new pictures phones get when a table handles these signals."""
    before = len(rig.phones.public)
    rig.take(*signals)
    return len(rig.phones.public) - before


def request(rig: TableRig, seat: int, verb: str, **args: Any) -> PhoneRequest:
    return PhoneRequest(rig.sids[seat], rig.fresh_id(), 1, rig.state["epoch"], None, verb, args)


def asking() -> TableRig:
    """Seat 2 of three is asked, on phones and boxes."""
    rig = at()
    read(rig, 3)
    rig.clock.time += 30
    rig.take(Tick(), Tick())
    return rig


# --- what a table is made with -----------------------------------------------------------------------------


def test_a_table_without_settings_has_the_defaults() -> None:
    rig = TableRig(2, offered=[FISHING["turns"]], start=False)
    rig.table = Table("7", "Window", 2, [FISHING["turns"]], rig.ports)
    rig.table.start()
    screen = rig.page.newest
    assert screen
    assert (screen.table, screen.name, screen.url, screen.fingerprint, screen.volume) == ("7", "Window", "", "", 60)
    rig.clock.time += 10_000
    rig.take(Tick(), Tick())
    assert rig.page.newest
    assert rig.page.newest.demonstration is None, "none without the owner's time for it"


def test_a_table_has_the_volume_and_the_fingerprint_of_its_owner() -> None:
    rig = TableRig(2, offered=[FISHING["turns"]], start=False)
    rig.table = Table(
        "7", "Window", 2, [FISHING["turns"]], rig.ports, fingerprint="AB:CD", settings=TableSettings(sound=35)
    )
    rig.table.start()
    assert rig.page.newest
    assert (rig.page.newest.fingerprint, rig.page.newest.volume) == ("AB:CD", 35)


def test_each_table_draws_a_code_of_its_own_and_keeps_it() -> None:
    offered = [FISHING["turns"]]
    rigs = [TableRig(2, seed=seed, offered=offered) for seed in range(5)]
    assert len({rig.table.code for rig in rigs}) == 5
    again = TableRig(2, seed=9, offered=offered, store=rigs[0].store)
    assert again.table.code == rigs[0].table.code


def test_a_table_without_a_time_for_reveals_shows_none_on_its_rings() -> None:
    rig = TableRig(3, offered=[FISHING["hooks"]], start=False, boxes=False)
    rig.table = Table("1", "Table 1", 3, [FISHING["hooks"]], rig.ports)
    rig.table.start()
    rig.sit()
    rig.start("hooks")
    read(rig, 3)
    for seat in (1, 2, 3):
        assert rig.act(seat, "hook")["ok"]
    assert rig.state["revealed"] == 1
    assert "reveal" not in {picture.pattern for picture in rig.lamps.shown[-1].values()}


# --- requests of phones ------------------------------------------------------------------------------------


def test_a_request_that_is_done_is_shown_once_and_one_that_is_refused_not_at_all() -> None:
    rig = asking()
    assert pictures(rig, request(rig, 3, "act", move="go")) == 0
    assert rig.phones.answers[rig.sids[3]][-1]["ok"] is False
    assert pictures(rig, request(rig, 2, "act", move="go")) == 1
    assert rig.phones.answers[rig.sids[2]][-1]["ok"] is True


def test_a_refused_request_of_a_phone_that_was_away_shows_that_it_is_back() -> None:
    rig = asking()
    rig.take(PhoneLink(rig.sids[3], on=False))
    assert rig.state["seats"][2]["phone"] == "away"
    assert pictures(rig, request(rig, 3, "act", move="go")) == 1
    assert rig.phones.answers[rig.sids[3]][-1]["ok"] is False
    assert rig.state["seats"][2]["phone"] == "on"


def test_a_request_of_a_phone_without_a_seat_has_no_answer() -> None:
    rig = asking()
    stranger = PhoneRequest("nobody", "r", 1, rig.state["epoch"], None, "name", {"name": "Zoe"})
    assert pictures(rig, stranger) == 0
    assert "nobody" not in rig.phones.answers


def test_a_message_that_nobody_understands_shows_nothing() -> None:
    rig = asking()
    assert pictures(rig, PhoneGarbled(rig.sids[1], "It is no JSON.")) == 0


def test_renames_that_waited_are_answered_each_and_shown_when_they_are_due() -> None:
    rig = asking()
    wanted = [request(rig, 1, "name", name=f"Ann {number}") for number in range(RENAMES + 2)]
    rig.take(*wanted)
    answered = [one["re"] for one in rig.phones.answers[rig.sids[1]]]
    assert answered[-RENAMES:] == [one.id for one in wanted[:RENAMES]]
    rig.clock.time += RENAMES_SECONDS
    assert pictures(rig, Tick()) >= 1
    assert [one["re"] for one in rig.phones.answers[rig.sids[1]]][-2:] == [one.id for one in wanted[RENAMES:]]
    assert rig.state["seats"][0]["name"] == f"Ann {RENAMES + 1}"


# --- links of phones ---------------------------------------------------------------------------------------


def test_a_phone_that_comes_or_goes_is_shown_and_one_that_stays_is_not() -> None:
    rig = asking()
    assert pictures(rig, PhoneLink(rig.sids[1], on=True)) == 0, "it is there already"
    assert pictures(rig, PhoneLink(rig.sids[1], on=False)) == 1
    assert pictures(rig, PhoneLink(rig.sids[1], on=False)) == 0
    assert pictures(rig, PhoneLink("nobody", on=True)) == 0


def test_a_link_that_waited_is_shown_once_it_is_due() -> None:
    rig = asking()
    rig.clock.time += LINKS_SECONDS
    for number in range(LINKS):
        rig.take(PhoneLink(rig.sids[1], on=number % 2 == 1))
    assert rig.state["seats"][0]["phone"] == "on"
    assert pictures(rig, PhoneLink(rig.sids[1], on=False)) == 0, "too often"
    rig.clock.time += LINKS_SECONDS
    assert pictures(rig, Tick()) == 1
    assert rig.state["seats"][0]["phone"] == "away"


# --- boxes -------------------------------------------------------------------------------------------------


def locked_away() -> TableRig:
    """All choose in secret; the phone of seat 3 has gone, and its box is silent."""
    rig = at("hooks")
    read(rig, 3)
    rig.take(PhoneLink(rig.sids[3], on=False))
    assert rig.state["seats"][2]["presence"] == "asleep"
    return rig


def test_a_person_who_takes_a_lock_back_is_there_and_a_box_that_reveals_by_itself_is_no_sign_of_one() -> None:
    rig = locked_away()
    number = rig.boxes.rounds["box-3"].round
    rig.take(BoxBid("box-3", number, 0))
    assert rig.state["seats"][2]["presence"] == "asleep"
    rig.take(BoxUnlocked("box-3", number))
    assert rig.state["seats"][2]["presence"] == "here"


@pytest.mark.parametrize("used", ["turn", "lock"])
def test_a_person_who_uses_the_box_of_a_seat_is_there(used: str) -> None:
    rig = locked_away()
    rig.take(Turn("box-3", 1) if used == "turn" else BoxLocked("box-3", rig.boxes.rounds["box-3"].round))
    assert rig.state["seats"][2]["presence"] == "here"


def test_an_old_lock_that_is_taken_back_shows_nothing_of_a_person_who_is_there() -> None:
    rig = at("hooks")
    read(rig, 3)
    assert pictures(rig, BoxUnlocked("box-3", 99)) == 0


def test_a_dial_that_turns_in_the_menu_of_its_box_shows_nothing_to_others() -> None:
    rig = asking()
    rig.take(Key("box-3", "k1", "down"))
    assert pictures(rig, Turn("box-3", 1), Turn("box-3", 1)) == 0
    assert rig.boxes.texts["box-3"] == "Suspend the match? Push asks all"


# --- hints and time ----------------------------------------------------------------------------------------


def test_a_hint_goes_to_hands_alone() -> None:
    rig = TableRig(3, boxes=False, offered=[FISHING["turns"]])
    rig.sit()
    assert rig.say(1, "hints", {"allow": True})["ok"]
    rig.start("turns")
    rig.see("settled", 3)
    rig.clock.time += 30
    rig.take(Tick(), Tick())
    assert rig.state["view"]["waiting"]["seats"] == ["2"]
    while rig.thoughts:
        rig.thoughts.pop(0)()
    hands = len(rig.phones.hands[rig.sids[1]])
    rig.clock.time += HINT_SECONDS
    assert pictures(rig, Tick()) == 0
    assert len(rig.phones.hands[rig.sids[1]]) == hands + 1


def test_a_second_in_which_nothing_happens_shows_nothing() -> None:
    rig = asking()
    hands = len(rig.phones.hands[rig.sids[1]])
    assert pictures(rig, Tick(), Tick()) == 0
    assert len(rig.phones.hands[rig.sids[1]]) == hands


# --- the disk ----------------------------------------------------------------------------------------------


def test_a_slow_disk_that_fails_is_called_failed_and_no_longer_slow() -> None:
    store = SlowStore()
    rig = TableRig(store=store, offered=[FISHING["turns"]])
    store.clock = rig.clock
    rig.sit()
    store.takes = 1.1
    assert rig.say(1, "name", {"name": "Ana"})["ok"]
    assert texts(rig) == [SLOW_DISK]
    store.broken, store.takes = "The disk is full.", 0.0
    assert not rig.say(1, "name", {"name": "Bea"})["ok"]
    assert texts(rig) == ["The disk is full."]
    store.broken = ""
    assert pictures(rig, Tick()) == 1
    assert texts(rig) == []


def test_a_disk_that_fails_under_a_press_of_a_box_is_shown_at_once() -> None:
    rig = TableRig(2, offered=[FISHING["turns"]])
    rig.boxes_up()
    rig.store.broken = "The disk is full."
    assert pictures(rig, Key("box-1", "push", "down")) == 1
    assert (rig.state["state"], texts(rig)) == ("stopped", ["The disk is full."])


def test_a_touch_ends_a_demonstration_and_a_moment_without_one_does_not() -> None:
    rig = TableRig(2, offered=[FISHING["turns"]], attract_seconds=5)
    rig.boxes_up()
    rig.clock.time += 5
    rig.take(Tick(), Tick())
    assert rig.page.newest
    assert rig.page.newest.demonstration
    rig.take(Key("box-1", "k1", "down"))
    assert rig.page.newest.demonstration is None


def test_only_known_signals_are_handled() -> None:
    with pytest.raises(TypeError, match="no signal: 'hello'"):
        asking().take("hello")
