"""What staff may do at a table: each is done, told and kept, or refused with a sentence, and nothing secret is shown to them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from hub import games
from hub.engine.text import Text, to_json
from hub.errors import LogError
from hub.evenings import ANSWERED, AnsweredCall, evening_of, month_of
from hub.network.staff_messages import Desk, Did, HardwareTest
from hub.network.staff_verbs import TABLE_ARGS
from hub.ports import (
    SEAT_MARKS,
    BoxDown,
    BoxUp,
    DiceSeen,
    DiceState,
    HelpRequest,
    Key,
    LampPicture,
    StaffRequest,
    Tick,
    Turn,
)
from hub.table.people.house_seats import HouseSettings
from hub.table.staff.desk import MOST_KEPT
from hub.table.staff.hardware_test import TEST_SECONDS
from hub.table.staff.session_limit import LAST_ORDERS
from tests.examples import examples
from tests.table.fakes import MemoryStore, TableRig
from tests.table.guests import bring_on, pass_time


class StaffRig(TableRig):
    """A table that staff look after."""

    def staff(self, verb: str, **args: Any) -> tuple[bool, str]:
        answers: list[tuple[bool, str]] = []
        self.take(StaffRequest(verb, args, lambda done, say: answers.append((done, say))))
        assert len(answers) == 1
        return answers[0]

    def does(self, verb: str, **args: Any) -> str:
        done, say = self.staff(verb, **args)
        assert done, say
        return say

    def refuses(self, verb: str, **args: Any) -> str:
        before = self.shown()
        done, say = self.staff(verb, **args)
        assert not done
        assert say.endswith((".", "?"))
        assert self.shown() == before
        return say

    def shown(self) -> Mapping[str, Any]:
        return {key: value for key, value in self.state.items() if key != "seq"}

    @property
    def desk(self) -> Desk:
        return self.table.desk

    def pass_time(self, seconds: float) -> None:
        self.clock.time += seconds
        self.take(Tick())

    def last_event(self) -> int:
        return int(self.state["events"][-1]["n"])

    def finish(self) -> None:
        """Play the match to its end, however."""
        import random

        from tests.table.test_claims import step

        choose = random.Random(3)
        for _ in range(3000):
            if self.state["state"] == "over":
                return
            step(self, choose)
        raise AssertionError("the match does not end")


@pytest.fixture
def rig() -> StaffRig:
    rig = StaffRig()
    rig.boxes_up()
    rig.sit()
    return rig


def bid(rig: StaffRig, seat: int) -> None:
    move = next(one for one in rig.hand(seat)["moves"] if one["move"] == "bid")
    assert rig.act(seat, "bid", number=next(iter(move["args"]["number"])) if "args" in move else 1)["ok"]


# --- calls and seats -------------------------------------------------------------------------------------------


def test_a_call_is_done_when_staff_say_so(rig: StaffRig) -> None:
    rig.take(Key("box-2", "bar", "hold"))
    assert rig.notice() == "Seat 2 calls for help."
    rig.does("done", key="help:2")
    assert rig.state["notices"] == []
    assert "is no longer shown" in rig.refuses("done", key="help:2")


def test_a_phone_calls_and_takes_its_call_back(rig: StaffRig) -> None:
    assert rig.say(2, "help")["ok"]
    assert rig.notice() == "Seat 2 calls for help."
    assert rig.state["notices"][0]["key"] == "help:2"
    assert rig.say(2, "help")["ok"]
    assert rig.notice() == ""


def answered(rig: StaffRig) -> list[int]:
    """Return for how many seconds each call was open that was answered this month."""
    name = ANSWERED.format(month=month_of(evening_of(rig.ports.wall())))
    value = rig.store.recall("1", name)
    return [call.seconds for call in msgspec.json.decode(value, type=list[AnsweredCall])] if value else []


def test_how_long_a_call_was_open_is_kept_without_its_seat(rig: StaffRig) -> None:
    rig.take(Key("box-2", "bar", "hold"))
    pass_time(rig, 40)
    rig.take(Key("box-3", "bar", "hold"))
    pass_time(rig, 5)
    assert answered(rig) == []
    rig.does("done", key="help:2")
    assert rig.say(1, "acknowledge", {"key": "help:3"})["ok"], "a guest may say so, too"
    assert answered(rig) == [45, 5]
    rig.take(HelpRequest())
    pass_time(rig, 7)
    rig.does("done", key="help:guest")
    assert answered(rig) == [45, 5, 7]


def test_a_call_that_was_taken_back_or_is_older_than_this_run_of_the_hub_has_no_time(rig: StaffRig) -> None:
    rig.take(Key("box-2", "bar", "hold"), Key("box-3", "bar", "hold"))
    rig.take(Key("box-2", "bar", "hold"))
    assert answered(rig) == []
    again = StaffRig(store=rig.store)
    again.boxes_up()
    again.does("done", key="help:3")
    assert answered(again) == []
    again.take(Key("box-3", "bar", "hold"))
    again.does("done", key="help:3")
    assert answered(again) == [0]


def test_a_disk_that_fails_keeps_no_staff_from_answering(rig: StaffRig) -> None:
    rig.take(Key("box-2", "bar", "hold"))
    rig.store.broken = "The disk is full."
    rig.does("done", key="help:2")
    rig.store.broken = ""
    assert answered(rig) == []


def test_a_seat_is_freed_between_matches_with_its_name_and_login(rig: StaffRig) -> None:
    sid = rig.sids.pop(2)
    assert rig.does("free", seat=2) == "Seat 2 was freed."
    assert rig.phones.released == [sid]
    place = rig.state["seats"][1]
    assert (place["held"], place["name"], place["phone"]) == (False, "", "none")
    assert rig.refuses("free", seat=2) == "Nobody sits there."
    assert rig.refuses("free", seat=6) == "Nobody sits there."


def test_a_seat_without_a_phone_is_freed_too() -> None:
    rig = StaffRig()
    rig.boxes_up()
    rig.press(1, "push")
    assert rig.state["seats"][0]["held"]
    rig.does("free", seat=1)
    assert not rig.state["seats"][0]["held"]


def test_a_seat_in_play_loses_its_phone_and_keeps_its_hand(rig: StaffRig) -> None:
    rig.start()
    before, code = rig.match.view(2), rig.table._seats[2].code
    sid = rig.sids.pop(2)
    rig.does("free", seat=2)
    assert rig.phones.released == [sid]
    assert rig.match.view(2) == before
    assert rig.state["seats"][1]["name"] == "Guest 2"
    assert rig.table._seats[2].code != code, "who has read the old code gets nothing by it"
    assert "no phone" in rig.refuses("free", seat=2)


# --- the match -------------------------------------------------------------------------------------------------


def locks(rig: StaffRig) -> list[int]:
    locked: list[int] = rig.state["locked"]
    return locked


def test_the_last_action_is_taken_back_told_and_kept(rig: StaffRig) -> None:
    rig.start()
    bid(rig, 2)
    assert locks(rig) == [2]
    entries = len(rig.match.log)
    rig.does("undo", after=rig.last_event())
    assert locks(rig) == []
    assert len(rig.match.log) == entries - 1
    assert rig.notice() == "Staff: The last action of Seat 2 was taken back."
    (did,) = rig.desk.did
    assert (did.text, did.match, did.entries) == ("The last action of Seat 2 was taken back.", "m-1", entries)
    assert did.at == int(rig.wall())
    restarted = StaffRig(store=rig.store)
    assert restarted.desk.did == rig.desk.did
    assert templates(restarted.desk.did) == ["The last action of Seat {seat} was taken back."]
    assert restarted.table.match is not None, "the log is replayed as ever"


def templates(did: Sequence[Did]) -> list[str]:
    return [one.text.template for one in did if isinstance(one.text, Text)]


def test_what_staff_did_under_an_earlier_hub_is_kept_as_well(rig: StaffRig) -> None:
    rig.store.kept["1", "staff"] = to_json([Did(5, "The match was ended.", "m-1", 3)])
    restarted = StaffRig(store=rig.store)
    assert restarted.desk.did == [Did(5, "The match was ended.", "m-1", 3)]
    assert templates(restarted.desk.did) == ["The match was ended."]
    restarted.does("reset")
    assert [one.text for one in StaffRig(store=rig.store).desk.did] == [
        "The match was ended.", "The table was reset for the next guests.",
    ]  # fmt: skip


def test_a_text_on_the_disk_that_lacks_a_value_is_damaged(rig: StaffRig) -> None:
    rig.does("reset")
    kept = rig.store.kept["1", "did"]
    assert kept
    rig.store.kept["1", "did"] = kept.replace(b"The table was", b"{seat} was")
    restarted = StaffRig(store=rig.store)
    assert restarted.desk.did == []
    assert "what staff did" in str(restarted.notice())


def test_a_persons_mistake_is_taken_back_with_what_the_house_did_after_it() -> None:
    rig = StaffRig(4, boxes=False, offered=[games.find("bid-it")], house=HouseSettings(seconds=5.0))
    rig.table._house._random = Random(1)  # it bids, and reveals nothing
    rig.sit(1)
    for seat in (2, 3, 4):
        assert rig.say(1, "house", {"seat": seat, "strength": "easy"})["ok"]
    rig.start("bid-it")
    while not ((asks := rig.match.open) and 1 in asks.asked and asks.kind != "sealed"):
        bring_on(rig, 1)
        pass_time(rig, 1)
    entries = len(rig.match.log)
    first = asks.offers(1)[0]
    assert rig.act(1, first.name, **first.first())["ok"]
    for _ in range(60):
        if len(rig.match.log) >= entries + 2:
            break
        pass_time(rig, 1)
    assert [entry.seat for entry in rig.match.log[entries:]][:1] == [1]
    assert 0 not in [entry.seat for entry in rig.match.log[entries:]], "no dice, no shuffle since"
    assert "with the house's actions after it" in rig.does("undo", after=rig.last_event())
    assert len(rig.match.log) == entries
    assert rig.notice().startswith("Staff: The last action of Seat 1 was taken back")


def test_an_undo_of_what_staff_have_not_seen_is_refused(rig: StaffRig) -> None:
    rig.start()
    bid(rig, 2)
    assert "moved on" in rig.refuses("undo", after=rig.last_event() - 1)
    assert locks(rig) == [2]


def test_nothing_is_taken_back_past_what_was_shown(rig: StaffRig) -> None:
    rig.start()
    for seat in (1, 2, 3):
        bid(rig, seat)
    assert rig.state["view"]["phase"] != "bid"
    assert rig.refuses("undo", after=rig.last_event())
    assert rig.desk.did == []


def test_without_a_match_there_is_nothing_to_take_back(rig: StaffRig) -> None:
    assert rig.refuses("undo", after=-1) == "No match is under way."
    for verb in ("aside", "end"):
        assert rig.refuses(verb)


def test_staff_put_a_match_aside_and_let_it_go_on_with_other_phones(rig: StaffRig) -> None:
    rig.start()
    bid(rig, 2)
    hands = {seat: rig.hand(seat)["you"] for seat in (1, 2, 3)}
    assert rig.does("aside") == "The match was suspended."
    assert rig.state["state"] == "lobby"
    (offer,) = rig.state["put_aside"]
    assert offer["match"] == "m-1"
    rig.does("reset")
    rig.sids.clear()
    assert "Nobody sits at seat" in rig.refuses("again", match="m-1")
    rig.sit()
    assert rig.refuses("again", match="m-9")
    rig.does("again", match="m-1")
    assert rig.state["state"] == "playing"
    assert {seat: rig.hand(seat)["you"] for seat in (1, 2, 3)} == hands
    assert rig.notice().startswith("Staff: A suspended match continues")
    assert rig.desk.did[0].text == "The match was suspended."


def test_staff_end_a_match_and_it_is_kept_as_ended(rig: StaffRig) -> None:
    rig.start()
    assert rig.does("end") == "The match was ended."
    assert (rig.state["state"], rig.state["put_aside"]) == ("lobby", [])
    assert rig.store.results["m-1"]
    (did,) = rig.desk.did
    assert (did.text, did.match) == ("The match was ended.", "m-1")
    rig.start()
    assert rig.state["match"] == "m-2"


# --- the reset between two groups ------------------------------------------------------------------------------


def test_a_reset_leaves_nobody_and_nothing_of_the_last_match(rig: StaffRig) -> None:
    rig.start()
    rig.finish()
    rig.take(Key("box-2", "bar", "hold"))
    codes = {seat.number: seat.code for seat in rig.table._seats}
    sids = list(rig.sids.values())
    rig.sids.clear()
    rig.does("reset")
    state = rig.state
    assert (state["state"], state["match"], state["view"], state["over"], state["events"]) == (
        "lobby",
        None,
        None,
        None,
        [],
    )
    assert all(not seat["held"] and not seat["name"] and seat["phone"] == "none" for seat in state["seats"])
    assert state["notices"] == []
    assert sorted(rig.phones.released) == sorted(sids)
    assert all(rig.page.codes[str(seat)] != code for seat, code in codes.items())
    assert rig.store.entries["m-1"] == [], "hands are wiped"
    assert rig.store.results["m-1"], "who won what stays"
    restarted = StaffRig(store=rig.store)
    assert restarted.state["state"] == "lobby"
    assert restarted.state["notices"] == []
    assert restarted.desk.did[-1].text == "The table was reset for the next guests."


def test_a_reset_in_mid_match_wants_a_word_about_the_match(rig: StaffRig) -> None:
    rig.start()
    assert rig.refuses("reset") == "A match is under way: choose whether to suspend it or end it."
    assert all(seat["held"] for seat in rig.state["seats"])
    rig.does("reset", match="end")
    assert rig.state["state"] == "lobby"
    assert not any(seat["held"] for seat in rig.state["seats"])
    assert rig.store.entries["m-1"] == []
    assert rig.desk.did[-1].text == "The match was ended. The table was reset for the next guests."


def test_a_match_that_a_reset_puts_aside_is_kept_whole(rig: StaffRig) -> None:
    rig.start()
    bid(rig, 1)
    entries = list(rig.store.entries["m-1"])
    rig.does("reset", match="aside")
    assert rig.store.entries["m-1"] == entries
    assert rig.state["put_aside"] == []
    assert [(one.match, one.seats) for one in rig.desk.put_aside] == [
        ("m-1", {"1": "Guest 1", "2": "Guest 2", "3": "Guest 3"})
    ]
    assert not any(seat["held"] for seat in rig.state["seats"])


def test_the_next_group_plays_after_a_reset(rig: StaffRig) -> None:
    rig.start()
    rig.finish()
    rig.does("reset")
    rig.sids.clear()
    rig.sit(1, 2)
    rig.start()
    assert rig.state["match"] == "m-2"


def test_a_reset_ends_the_time_of_the_group_and_takes_no_match_with_it(rig: StaffRig) -> None:
    rig.does("limit", minutes=20)
    rig.does("reset")
    assert (rig.desk.until, rig.state["until"]) == (None, None)
    (did,) = rig.desk.did
    assert did == Did(int(rig.wall()), "The table was reset for the next guests.", None, 0)


def test_a_match_that_its_disk_has_stopped_is_not_reset(rig: StaffRig) -> None:
    rig.start()
    rig.store.broken = "The disk is full."
    assert not rig.act(1, "bid", number=3)["ok"]
    assert rig.staff("reset", match="end") == (False, "The match is stopped: The disk is full.")
    rig.store.broken = ""
    rig.take(Tick())
    assert rig.state["state"] == "playing"
    assert all(seat["held"] for seat in rig.state["seats"])


# --- the time of the table -------------------------------------------------------------------------------------


def test_the_end_of_the_time_is_announced_at_fifteen_and_five_minutes_and_ends_nothing(rig: StaffRig) -> None:
    rig.start()
    until = int(rig.wall()) + 20 * 60
    at = time.strftime("%H:%M", time.localtime(until))
    rig.does("limit", minutes=20)
    assert rig.notice() == ""
    rig.pass_time(20 * 60 - LAST_ORDERS)
    assert rig.notice() == f"Last orders: the time for this table ends at {at}."
    rig.say(1, "undo")  # somebody is there
    rig.pass_time(10 * 60)
    rig.say(1, "undo")
    assert rig.notice() == f"A few minutes are left: the time for this table ends at {at}."
    rig.pass_time(5 * 60)
    assert rig.notice() == f"The time for this table ended at {at}. Your match does not stop by itself."
    assert rig.state["state"] == "playing"
    assert [one["severity"] for one in rig.state["notices"]] == ["info"]
    rig.does("limit")
    assert rig.notice() == ""


def test_staff_choose_what_the_lobby_offers_first_between_matches(rig: StaffRig) -> None:
    rig.does("offer", game="bid-and-bait", preset="")
    assert (rig.state["game"], rig.state["preset"]) == ("bid-and-bait", "")
    assert "no such preset" in rig.refuses("offer", game="bid-and-bait", preset="full")
    assert rig.refuses("offer", game="chess", preset="")
    rig.start()
    assert rig.refuses("offer", game="bid-and-bait", preset="")


def test_everybody_sees_until_when_the_table_is_theirs(rig: StaffRig) -> None:
    until = int(rig.wall()) + 40 * 60
    rig.does("limit", minutes=40)
    assert rig.state["until"] == until
    assert not rig.desk.by_hours
    rig.does("limit")
    assert rig.state["until"] is None


def test_staff_see_when_the_venue_closes_and_that_it_is_not_their_own_limit() -> None:
    rig = StaffRig(evenings=("23:00",) * 7)
    rig.take(Tick())
    until = rig.desk.until
    assert until is not None
    assert (time.strftime("%H:%M", time.localtime(until)), rig.desk.by_hours) == ("23:00", True)
    assert rig.state["until"] == until
    rig.does("limit", minutes=5)
    assert (rig.desk.until, rig.desk.by_hours) == (int(rig.wall()) + 300, False)


def test_a_limit_outlives_a_restart(rig: StaffRig) -> None:
    real = int(rig.wall())
    rig.store.kept["1", "until"] = str(real + 600).encode()
    restarted = TableRig(store=rig.store)
    assert restarted.table.desk.until == real + 600
    restarted.take(Tick())
    assert restarted.notice().startswith("Last orders")
    rig.store.kept["1", "until"] = str(real - 3 * 86400).encode()
    assert TableRig(store=rig.store).table.desk.until is None


@pytest.mark.parametrize("at", ["23:59", "7:05", "00:00"])
def test_a_limit_is_the_next_such_time(rig: StaffRig, at: str) -> None:
    rig.does("limit", at=at)
    until = rig.desk.until
    assert until is not None
    assert 0 < until - int(rig.wall()) <= 86_400
    assert time.strftime("%H:%M", time.localtime(until)) == at.rjust(5, "0")


# --- after a restart -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kept", "light"), [(b"30", 30), (b"100", 100), (b"31", 100), (b"0", 100), (b"{", 100)])
def test_a_brightness_that_staff_cannot_choose_is_not_taken_from_the_disk(kept: bytes, light: int) -> None:
    store = MemoryStore()
    store.kept["1", "light"] = kept
    rig = StaffRig(store=store)
    assert rig.desk.light == light
    assert ("how bright it is" in rig.notice()) == (kept == b"{")


@pytest.mark.parametrize(
    ("kept", "volume"), [(b"0", 0), (b"1", 1), (b"99", 99), (b"100", 100), (b"101", 100), (b"-1", 0), (b"{", 60)]
)
def test_a_volume_from_the_disk_is_one_that_staff_can_choose(kept: bytes, volume: int) -> None:
    store = MemoryStore()
    store.kept["1", "volume"] = kept
    rig = StaffRig(store=store)
    assert (rig.desk.volume, rig.state["volume"]) == (volume, volume)
    assert ("how loud it is" in rig.notice()) == (kept == b"{")


def test_of_a_damaged_disk_the_time_of_the_table_is_unknown_and_that_is_said() -> None:
    store = MemoryStore()
    store.kept["1", "until"] = b"{"
    rig = StaffRig(store=store)
    assert rig.desk.until is None
    assert "how long the table is taken" in rig.notice()


# --- light -----------------------------------------------------------------------------------------------------


def test_light_dims_every_ring_and_stays_over_a_restart(rig: StaffRig) -> None:
    full = rig.lamps.shown[-1][1].colour
    rig.does("light", percent=30)
    dim = rig.lamps.shown[-1][1].colour
    assert [int(dim[at : at + 2], 16) for at in (0, 2, 4)] == [
        round(int(full[at : at + 2], 16) * 0.3) for at in (0, 2, 4)
    ]
    assert rig.boxes.rings["box-1"].colour == dim
    restarted = StaffRig(store=rig.store)
    assert restarted.desk.light == 30
    assert restarted.lamps.shown[-1][1].colour == dim
    assert rig.refuses("light", percent=0)
    assert rig.refuses("light", percent="30")


# --- sound -----------------------------------------------------------------------------------------------------


def test_the_volume_is_the_owners_until_staff_set_another_one_and_stays_over_a_restart(rig: StaffRig) -> None:
    assert (rig.desk.volume, rig.state["volume"]) == (60, 60)
    rig.does("volume", percent=0)
    assert (rig.desk.volume, rig.state["volume"]) == (0, 0)
    assert rig.page.newest is not None
    assert rig.page.newest.volume == 0
    restarted = StaffRig(store=rig.store)
    assert (restarted.desk.volume, restarted.state["volume"]) == (0, 0)
    for odd in (-1, 101, "60", 60.0, True, None):
        assert rig.refuses("volume", percent=odd)
    assert rig.desk.volume == 0


# --- boxes and dice --------------------------------------------------------------------------------------------


def is_tested(rig: StaffRig) -> bool:
    return rig.desk.test is not None


def pattern(rig: StaffRig) -> str:
    """What the ring at seat 1 shows."""
    return rig.lamps.shown[-1][1].pattern


def test_each_control_of_a_box_is_ticked_off_and_means_nothing_else(rig: StaffRig) -> None:
    rig.take(BoxUp("box-1", "b2", "1", 4))
    rig.does("test", what="boxes")
    report = rig.desk.test
    assert report is not None
    assert report.boxes[0].left == ["push", "bar", "k1", "k2", "dial right", "dial left"]
    assert pattern(rig) == "roll"
    before = rig.state["seats"]
    rig.take(*(Key("box-1", control, "down") for control in ("push", "bar", "k1", "k2")))
    rig.take(Turn("box-1", 1), Turn("box-1", -2))
    assert rig.state["seats"] == before, "nobody got up, nothing was started"
    assert rig.desk.test is not None
    assert rig.desk.test.boxes[0].left == []
    assert pattern(rig) == "locked"
    rig.does("test", what="stop")
    assert not is_tested(rig)
    assert pattern(rig) != "locked"


def test_a_test_ends_by_itself_and_never_stands_in_the_way_of_a_match(rig: StaffRig) -> None:
    rig.does("test", what="boxes")
    rig.pass_time(TEST_SECONDS)
    assert rig.desk.test is None
    rig.does("test", what="boxes")
    rig.start()
    assert pattern(rig) != "roll"
    rig.take(Tick())
    assert rig.desk.test is None
    assert "between matches" in rig.refuses("test", what="boxes")


def shows_test_picture(rig: StaffRig) -> bool:
    """Whether panels are to show the test picture."""
    return rig.page.newest is not None and rig.page.newest.test_picture


def test_panels_show_a_test_picture_between_matches_until_the_test_ends(rig: StaffRig) -> None:
    assert rig.refuses("test", what="panels") == "This table has no panel."
    rig.ports.panels = [rig.page]
    assert not shows_test_picture(rig)
    rig.does("test", what="panels")
    assert shows_test_picture(rig)
    assert rig.desk.test == HardwareTest(int(TEST_SECONDS), [], panels=True)
    rig.does("test", what="stop")
    assert not shows_test_picture(rig)
    assert not is_tested(rig)
    rig.does("test", what="panels")
    rig.pass_time(TEST_SECONDS)
    assert not shows_test_picture(rig)
    rig.does("test", what="panels")
    rig.start()
    rig.take(Tick())
    assert not shows_test_picture(rig)


def test_a_census_reads_what_lies_in_the_tray(rig: StaffRig) -> None:
    rig.does("test", what="dice")
    assert rig.desk.test is not None
    assert rig.desk.test.dice == "Put all 6 dice into the tray."
    arm = rig.dice.numbers[-1]
    assert rig.dice.armed[-1] == (1, 6, 6)
    assert rig.dice.lying_arms == [arm]
    rig.take(DiceSeen("tray", arm, "wrong_count", (), "Five dice lie there."))
    assert rig.desk.test.dice == "These are not 6 dice. Five dice lie there."
    rig.take(DiceSeen("tray", arm, "cocked", (), ""))
    assert rig.desk.test.dice == "A die leans or is outside the tray. No die is flat."
    rig.take(DiceSeen("tray", arm, "cocked", (2, 5), ""))
    assert rig.desk.test.dice == "A die leans or is outside the tray. Flat dice: 2 5."
    rig.take(DiceSeen("tray", arm, "settled", (1, 2, 3, 4, 5, 6)))
    assert rig.desk.test.dice == "All 6 dice are there: 1 2 3 4 5 6."
    rig.take(DiceSeen("tray", arm - 1, "settled", (1,)))
    assert rig.desk.test.dice.startswith("All 6")
    rig.does("test", what="stop")
    assert not rig.dice.on
    rig.start()
    assert max(rig.dice.numbers) == rig.dice.numbers[-1]


def test_without_reader_or_box_a_test_says_so() -> None:
    rig = StaffRig(boxes=False, reader=False)
    rig.does("test", what="dice")
    assert rig.desk.test is not None
    assert rig.desk.test.dice == "This table has no dice reader: count the dice by hand."
    assert "No box" in rig.refuses("test", what="boxes")
    assert rig.refuses("test", what="cards")


SEEN: list[tuple[DiceState, tuple[int, ...], str, str]] = [
    ("settled", (6, 5, 4, 3, 2, 1), "Read.", "All 6 dice are there: 6 5 4 3 2 1."),
    ("armed", (), "Put them in.", "Put all 6 dice into the tray."),
    ("rolling", (), "", "The dice are moving."),
    ("cocked", (), "", "A die leans or is outside the tray. No die is flat."),
    ("cocked", (), "Look there.", "A die leans or is outside the tray. No die is flat. Look there."),
    ("cocked", (3,), "Look there.", "A die leans or is outside the tray. Flat dice: 3. Look there."),
    ("wrong_count", (1, 2), "", "These are not 6 dice."),
    ("no_reader", (), "The camera is unplugged.", "The camera is unplugged."),
    ("no_reader", (), "", "The reader does not answer."),
]


@pytest.mark.parametrize(("state", "faces", "more", "sentence"), SEEN)
def test_a_census_says_what_the_reader_sees(
    rig: StaffRig, state: DiceState, faces: tuple[int, ...], more: str, sentence: str
) -> None:
    rig.does("test", what="dice")
    rig.see(state, *faces, say=more)
    assert rig.desk.test == HardwareTest(int(TEST_SECONDS), [], sentence)
    assert rig.state["dice"] is None, "it is no roll"


def test_a_test_shows_how_long_it_lasts_and_ends_to_the_second(rig: StaffRig) -> None:
    assert not is_tested(rig)
    for what in ("boxes", "dice"):
        rig.does("test", what=what)
        for seconds, left in ((0, 180), (0.5, 179), (179, 0)):
            rig.pass_time(seconds)
            assert rig.desk.test is not None
            assert (rig.desk.test.seconds, bool(rig.desk.test.boxes)) == (left, what == "boxes")
        assert rig.dice.on == (what == "dice")
        pictures = len(rig.phones.public)
        rig.pass_time(0.5)
        assert rig.desk.test is None
        assert not rig.dice.on
        assert len(rig.phones.public) == pictures + 1, "that it has ended is shown"
        rig.pass_time(1)
        assert len(rig.phones.public) == pictures + 1


def test_a_test_replaces_the_one_before(rig: StaffRig) -> None:
    rig.does("test", what="boxes")
    rig.pass_time(100)
    rig.does("test", what="dice")
    assert rig.desk.test == HardwareTest(180, [], "Put all 6 dice into the tray.")
    assert pattern(rig) != "roll"
    rig.does("test", what="boxes")
    assert not rig.dice.on
    assert rig.desk.test is not None
    assert (rig.desk.test.dice, [box.seat for box in rig.desk.test.boxes]) == ("", [1, 2, 3])
    rig.does("test", what="stop")
    assert rig.desk.test is None


def test_only_a_box_that_is_tested_ticks_off_its_controls(rig: StaffRig) -> None:
    rig.take(BoxDown("box-2", "Unplugged."), BoxUp("box-3", "b3", "1", 2))
    rig.does("test", what="boxes")
    controls = ["push", "bar", "k1", "k2", "k3", "k4", "k5", "k6", "dial right", "dial left"]
    assert rig.desk.test is not None
    assert {box.seat: box.left for box in rig.desk.test.boxes} == {
        1: controls, 3: ["push", "bar", "dial right", "dial left"],
    }  # fmt: skip
    rig.take(Key("box-1", "k3", "hold"), Turn("box-3", 3), Turn("box-1", -1))
    assert rig.desk.test is not None
    assert {box.seat: box.left for box in rig.desk.test.boxes} == {
        1: [one for one in controls if one not in ("k3", "dial left")], 3: ["push", "bar", "dial left"],
    }  # fmt: skip
    assert {seat: rig.lamps.shown[-1][seat] for seat in (1, 3)} == {
        seat: LampPicture("roll", 0, SEAT_MARKS[seat].colour) for seat in (1, 3)
    }
    rig.take(BoxUp("box-2", "b2", "1", 8), Key("box-2", "bar", "hold"))
    assert rig.notice() == "Seat 2 calls for help.", "a box that came later works as ever"


def test_during_a_test_of_boxes_nobody_sits_down_by_a_push() -> None:
    rig = StaffRig()
    rig.boxes_up()
    rig.does("test", what="boxes")
    rig.press(1, "push")
    assert not rig.state["seats"][0]["held"]
    rig.does("test", what="stop")
    rig.press(1, "push")
    assert rig.state["seats"][0]["held"]


def test_during_a_census_boxes_work_as_ever(rig: StaffRig) -> None:
    rig.does("test", what="dice")
    rig.take(Key("box-2", "bar", "hold"))
    assert rig.notice() == "Seat 2 calls for help."
    assert rig.desk.test is not None


def test_as_soon_as_a_match_begins_boxes_play(rig: StaffRig) -> None:
    rig.does("test", what="boxes")
    rig.start()
    rig.take(Key("box-2", "bar", "hold"))
    assert rig.notice() == "Seat 2 calls for help."


# --- the disk, and secrets -------------------------------------------------------------------------------------


def test_a_failing_disk_is_said_to_staff_and_stops_play(rig: StaffRig) -> None:
    rig.start()
    bid(rig, 2)
    rig.store.broken = "The disk is full."
    done, say = rig.staff("undo", after=rig.last_event())
    assert not done
    assert "The disk is full." in say
    assert rig.state["state"] == "stopped"
    rig.store.broken = ""
    rig.take(Tick())
    assert rig.state["state"] == "playing"
    assert locks(rig) == [2]


def test_what_is_done_is_done_where_only_its_note_cannot_be_written(
    rig: StaffRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(name: str, _: bytes) -> None:
        raise LogError(f"{name} cannot be written.")

    monkeypatch.setattr(rig.table._staff._kept, "write", fail)
    sid = rig.sids.pop(2)
    with monkeypatch.context() as patched:
        patched.setattr(rig.table._seats, "save", lambda: None)
        assert rig.staff("free", seat=2) == (True, "Seat 2 was freed.")
    assert rig.phones.released == [sid]


def test_only_the_last_of_what_was_done_is_kept(rig: StaffRig) -> None:
    for _ in range(MOST_KEPT + 5):
        rig.sids.pop(2)
        rig.does("free", seat=2)
        rig.sit(2)
    assert len(rig.desk.did) == MOST_KEPT
    assert len(json.loads(rig.store.kept["1", "did"])) == MOST_KEPT


ASKED = [(verb, args) for verb, fits in examples(TABLE_ARGS).items() for args in fits]


@pytest.mark.parametrize(
    ("verb", "args"), [*ASKED, ("undo", {"after": 0}), ("hand", {"seat": 1}), ("code", {"seat": 1})]
)
def test_no_request_of_staff_shows_a_hand_a_code_or_a_bid(rig: StaffRig, verb: str, args: dict[str, Any]) -> None:
    rig.start()
    bid(rig, 2)
    secrets = secrets_of(rig)
    said = rig.staff(verb, **args)[1].encode() + to_json(rig.desk)
    secrets |= secrets_of(rig)
    assert not any(secret in said for secret in secrets)
    assert b"you" not in said
    assert b"moves" not in said


def secrets_of(rig: StaffRig) -> set[bytes]:
    return {value.encode() for seat in rig.table._seats for value in (seat.code, seat.sid, seat.password) if value}
