"""An error that nobody foresaw: one table starts again from its log, or stays stopped, and the others play on."""

from __future__ import annotations

import ast
import inspect
import json
import logging
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from hub import games
from hub.ports import (
    AddressChanged,
    BoxBid,
    BoxCheated,
    BoxDown,
    BoxLocked,
    BoxUnlocked,
    BoxUp,
    BrokerDown,
    BrokerUp,
    ClaimDecided,
    ClaimRequest,
    DeviceDown,
    DeviceSimulated,
    DeviceUp,
    DiceKit,
    DiceSeen,
    HelpRequest,
    Key,
    PhoneGarbled,
    PhoneLink,
    PhoneRequest,
    StaffRequest,
    Tick,
    Turn,
)
from hub.table.dice.rolls import Rolls
from hub.table.faults import FRAMES, NOT_DONE, RESTARTED, STOPPED, WITHIN_SECONDS, Surroundings
from hub.table.loop import Table
from hub.table.people.endings import Endings
from hub.table.people.people import People
from hub.table.rate_limit import RateLimit
from hub.table.requests import Requests
from hub.table.resumption import Resumption
from hub.table.seating.seats import Seats
from hub.table.staff.desk import StaffDesk
from hub.table.views.demonstration import Demonstration
from hub.table.views.hints import Hints
from hub.table.views.lessons import Lessons
from hub.table.views.publisher import Publisher
from hub.table.views.reveal import Reveal
from tests.table.fakes import TableRig
from tests.table.test_house_seats import alone, play_to_end

SECRET = "seven of hearts"


class Guarded(TableRig):
    """A table that takes what comes as its thread does."""

    def take(self, *signals: object) -> None:
        for signal in signals:
            self.table.receive(signal)

    def ask(self, seat: int, verb: str, **args: Any) -> dict[str, Any]:
        """A phone's request while the table may start again: its answer."""
        request = self.fresh_id()
        self.take(
            PhoneRequest(
                self.sids[seat],
                request,
                1,
                self.state["epoch"],
                None,
                verb,
                args or ({"match": SECRET} if verb == "take_up" else {}),
            )
        )
        return next(one for one in reversed(self.phones.answers[self.sids[seat]]) if one["re"] == request)

    def staff(self, verb: str, **args: Any) -> tuple[bool, str]:
        answers: list[tuple[bool, str]] = []
        self.take(StaffRequest(verb, args, lambda *answer: answers.append(answer)))
        return answers[0]

    def notice_keys(self) -> list[str]:
        return [one["key"] for one in self.state["notices"]]


def failing(*_: Any, **__: Any) -> Any:
    raise KeyError(SECRET)


def failing_times(times: int, then: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that fails so often, and then is `then`."""
    left = [times]

    def one(*given: Any, **named: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise KeyError(SECRET)
        return then(*given, **named)

    return one


def playing(**more: Any) -> Guarded:
    rig = Guarded(3, **more)
    rig.boxes_up()
    rig.sit()
    rig.start()
    return rig


def test_a_request_that_fails_is_refused_and_the_table_plays_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    view, epoch, own = rig.state["view"], rig.state["epoch"], rig.hand(1)["you"]
    with monkeypatch.context() as broken:
        broken.setattr(Endings, "take_up", failing)
        answer = rig.ask(1, "take_up")
    assert (answer["ok"], answer["error"], answer["code"]) == (False, NOT_DONE, "FAULT")
    assert rig.state["view"] == view
    shown = [(one["epoch"], one["seq"]) for one in rig.phones.public]
    assert shown == sorted(shown), "no phone takes the new picture for an old one"
    assert rig.state["epoch"] > epoch, "what was asked before the fault is never done again"
    assert rig.state["state"] == "playing"
    assert [(one["text"], one["can_acknowledge"]) for one in rig.state["notices"]] == [(RESTARTED, True)]
    assert [seat["phone"] for seat in rig.state["seats"]] == ["on"] * 3
    assert [seat["box"] for seat in rig.state["seats"]] == ["on"] * 3
    assert rig.hand(1)["you"] == own
    assert rig.ask(1, "help")["ok"]


def test_a_match_that_left_the_table_or_came_back_before_the_fault_is_acknowledged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig, do = playing(), Requests.handle

    def done_and_failed(self: Requests, *asked: Any) -> None:
        do(self, *asked)
        raise KeyError(SECRET)

    assert rig.ask(1, "ask", what="put_aside")["ok"]
    with monkeypatch.context() as broken:
        broken.setattr(Requests, "handle", done_and_failed)
        assert rig.ask(2, "vote", say="yes")["ok"]
        assert rig.state["state"] == "lobby"
        assert rig.ask(1, "take_up", match="m-1")["ok"]
    assert (rig.state["state"], rig.state["match"]) == ("playing", "m-1")


def test_what_reached_the_disk_before_the_fault_is_acknowledged_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    before = len(rig.store.entries["m-1"])
    do = Requests.handle

    def done_and_failed(self: Requests, *asked: Any) -> None:
        do(self, *asked)
        raise KeyError(SECRET)

    with monkeypatch.context() as broken:
        broken.setattr(Requests, "handle", done_and_failed)
        answer = rig.act(3, "bid", number=4)
    assert (answer["ok"], answer["error"], answer["code"]) == (True, None, None)
    assert len(rig.store.entries["m-1"]) > before
    assert rig.state["locked"] == [3]


@pytest.mark.parametrize("part", ["tick", "show"])
def test_what_fails_by_itself_stops_the_table_after_the_third_time(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    monkeypatch.setattr(*{"tick": (People, "run_due"), "show": (Publisher, "show_hands")}[part], failing)
    rig.take(PhoneRequest(rig.sids[1], "1" * 16, 1, rig.state["epoch"], None, "help", {}))
    assert rig.table.fault == "", "the first time, and the second when it starts again"
    rig.take(Tick())
    assert rig.table.fault == STOPPED
    assert rig.state["state"] == "stopped"
    assert [(one["key"], one["text"]) for one in rig.state["notices"]] == [("fault", STOPPED)]
    assert rig.page.newest
    assert (rig.page.newest.state, rig.page.newest.claim_codes) == ("stopped", {})


SIGNALS = [
    AddressChanged("http://10.0.0.1"), BoxBid("box-1", 1, 1), BoxCheated("box-1", 1), BoxDown("box-2", "gone"),
    BoxLocked("box-1", 1), BoxUnlocked("box-1", 1), BoxUp("box-3", "b3", "1", 8), BrokerDown("away"), BrokerUp(),
    DeviceDown("ring", "lost"), DeviceUp("ring"), DeviceSimulated(), DiceKit("hub", 6), DiceSeen("hub", 1, "armed"),
    HelpRequest(), Key("box-1", "push", "down"), PhoneGarbled("x", "no"), PhoneLink("x", on=True), Tick(), Turn("box-1", 1),
    object(),
]  # fmt: skip
"""One of each kind, and one that is none; claims, staff and phones are below, as they are answered."""


@pytest.mark.parametrize("signal", SIGNALS, ids=lambda one: type(one).__name__)
def test_a_fault_in_whatever_a_signal_leads_to_costs_the_table_nothing(
    signal: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = playing()
    view, own = rig.state["view"], rig.hand(1)["you"]
    with monkeypatch.context() as broken:
        broken.setattr(Table, "_handle", failing_times(1, Table._handle))
        rig.take(signal)
    assert (rig.state["state"], rig.state["view"], rig.hand(1)["you"]) == ("playing", view, own)
    assert "restarted" in rig.notice_keys()
    assert rig.table.fault == ""
    assert SECRET not in caplog.text
    assert rig.ask(1, "help")["ok"]


@pytest.mark.parametrize("part", [Seats, Rolls, StaffDesk, People, Lessons, Hints, Demonstration, Reveal])
def test_a_fault_in_what_time_alone_brings_about_costs_the_table_nothing(
    part: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = playing()
    view, own = rig.state["view"], rig.hand(1)["you"]
    with monkeypatch.context() as broken:
        name = "refresh" if hasattr(part, "refresh") else "run_due"
        broken.setattr(part, name, failing_times(1, getattr(part, name)))
        rig.take(Tick())
    assert (rig.state["state"], rig.state["view"], rig.hand(1)["you"]) == ("playing", view, own)
    assert rig.notice_keys() == ["restarted"]
    assert rig.ask(1, "help")["ok"]


def test_every_kind_of_signal_is_among_those_that_fail_here() -> None:
    code = ast.parse(textwrap.dedent(inspect.getsource(Table._handle)))
    handled = {
        one.cls.id for one in ast.walk(code) if isinstance(one, ast.MatchClass) and isinstance(one.cls, ast.Name)
    }
    tried = {type(one).__name__ for one in SIGNALS} - {"object"}
    assert handled == tried | {"ClaimRequest", "GameChanged", "StaffRequest"}


@pytest.mark.parametrize("due", [Rolls, People, Demonstration, RateLimit])
def test_a_fault_in_what_says_when_something_is_due_ends_no_thread(due: type, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    view, ticks = rig.state["view"], list[int]()
    rig.table.put(Tick())

    def ticked() -> None:
        ticks.append(1)
        if len(ticks) == 2:
            rig.table.stop()
        else:
            rig.table.put(Tick())

    with monkeypatch.context() as broken:
        broken.setattr(due, "due_at", property(failing_times(1, lambda _: None)))
        rig.table.run(ticked)
    assert (rig.state["state"], rig.state["view"]) == ("playing", view)
    assert rig.notice_keys() == ["restarted"]


def test_what_never_says_when_it_is_due_stops_the_table_and_not_its_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    ticks: list[int] = []

    def ticked() -> None:
        ticks.append(1)
        rig.table.put(Tick()) if len(ticks) < 6 else rig.table.stop()

    rig.table.put(Tick())
    with monkeypatch.context() as broken:
        broken.setattr(People, "due_at", property(failing))
        rig.table.run(ticked)
    assert rig.table.fault == STOPPED
    assert rig.staff("done", key="fault")[0]
    assert rig.state["state"] == "playing"


@pytest.mark.parametrize(
    ("third", "stops"), [(WITHIN_SECONDS - 1, True), (WITHIN_SECONDS, True), (WITHIN_SECONDS + 60, False)]
)
def test_three_faults_count_within_ten_minutes(third: float, stops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    began = rig.clock.time
    for at in (0.0, 300.0, third):
        rig.clock.time = began + at
        with monkeypatch.context() as broken:
            broken.setattr(Endings, "take_up", failing)
            rig.ask(1, "take_up")
    assert bool(rig.table.fault) is stops
    assert rig.state["state"] == ("stopped" if stops else "playing")


def test_a_table_that_stays_stopped_refuses_all_until_staff_start_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    view = rig.state["view"]
    with monkeypatch.context() as broken:
        broken.setattr(People, "run_due", failing)
        rig.take(Tick(), Tick())
        assert rig.ask(1, "help")["error"] == STOPPED
        decided = rig.claim(2, "BCDFGH")
        assert decided
        assert (decided.held, decided.say) == (False, STOPPED)
        assert rig.staff("undo", after=1) == (False, STOPPED)
        assert rig.staff("done", key="fault") == (False, STOPPED), "it fails once more"
        rig.take(Tick(), Tick())
        assert rig.table.fault == STOPPED
    assert rig.staff("done", key="fault") == (True, "The table was restarted.")
    assert (rig.state["state"], rig.state["view"]) == ("playing", view)
    assert rig.notice_keys() == ["restarted"]
    rig.take(Tick())
    assert rig.table.fault == ""


@pytest.mark.parametrize("who", ["phone", "claim", "staff"])
def test_whoever_asks_a_table_that_does_not_start_again_is_answered_once(
    who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = playing()
    answers: list[object] = []
    monkeypatch.setattr(Resumption, "resume", failing)
    rig.take(object())
    assert rig.table.fault == "", "an error, and one as it starts again"
    assert (rig.state["state"], rig.state["view"] is None) == ("stopped", False), "the last picture stands"
    if who == "phone":
        before = len(rig.phones.answers[rig.sids[1]])
        assert rig.ask(1, "help")["error"] == NOT_DONE
        assert len(rig.phones.answers[rig.sids[1]]) == before + 1
    elif who == "claim":
        rig.take(ClaimRequest("c" * 8, 2, b"k" * 32, None, "", answers.append))
        assert answers == [ClaimDecided("c" * 8, False, NOT_DONE)]
    else:
        rig.take(StaffRequest("aside", {}, lambda *answer: answers.append(answer)))
        assert answers == [(False, NOT_DONE)]
    assert rig.table.fault == STOPPED


def test_staff_may_reset_a_table_that_stays_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    with monkeypatch.context() as broken:
        broken.setattr(People, "run_due", failing)
        rig.take(Tick(), Tick())
    rig.take(Tick())
    assert rig.table.fault == STOPPED, "it does not start by itself, though nothing fails any more"
    assert rig.state["state"] == "stopped"
    assert rig.staff("reset", match="end")[0]
    assert rig.state["state"] == "lobby"
    assert not any(seat["held"] for seat in rig.state["seats"])


@pytest.mark.parametrize(("match", "starts"), [("end", True), ("aside", True), (None, False)])
def test_staff_may_reset_a_table_whose_match_lets_it_not_start(
    match: str | None, starts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = playing()

    def fails_with_a_match(lessons: Lessons) -> None:
        if lessons._play.match:
            raise KeyError(SECRET)

    monkeypatch.setattr(Lessons, "update", fails_with_a_match)
    rig.take(Tick(), Tick(), Tick())
    assert rig.table.fault == STOPPED
    assert rig.staff("reset", **({"match": match} if match else {}))[0] == starts
    assert rig.state["state"] == ("lobby" if starts else "stopped")
    again = Guarded(3, store=rig.store)
    assert again.state["state"] == ("lobby" if starts else "stopped")


@pytest.mark.parametrize("match", ["end", "aside"])
def test_a_finished_match_that_lets_a_table_not_start_keeps_its_result(
    match: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = alone()
    rig.start()
    play_to_end(rig)
    (result,) = rig.store.results.values()

    def fails_with_a_match(lessons: Lessons) -> None:
        if lessons._play.match:
            raise KeyError(SECRET)

    monkeypatch.setattr(Lessons, "update", fails_with_a_match)
    answers: list[bool] = []
    for signal in (
        Tick(),
        Tick(),
        Tick(),
        StaffRequest("reset", {"match": match}, lambda done, _: answers.append(done)),
    ):
        rig.table.receive(signal)
    assert answers == [True]
    assert [*rig.store.results.values()] == [result]
    assert rig.store.people_aside == {}
    assert rig.state["state"] == "lobby"


def test_a_start_that_fails_is_tried_three_times_and_then_again_by_staff(monkeypatch: pytest.MonkeyPatch) -> None:
    store = playing().store
    rig = Guarded(3, store=store, start=False)
    with monkeypatch.context() as broken:
        broken.setattr(Resumption, "resume", failing)
        rig.table.start()
        assert (rig.state["state"], rig.table.fault) == ("stopped", "")
        assert [one["text"] for one in rig.state["notices"]] == [RESTARTED]
        assert rig.table.wait_seconds() == 1.0
        assert [seat["seat"] for seat in rig.state["seats"]] == [1, 2, 3], "there was no picture before"
        rig.take(Tick())
        assert rig.table.fault == STOPPED
        assert rig.staff("done", key="fault") == (False, STOPPED)
    rig.take(Tick())
    assert rig.state["state"] == "playing", "one more fault does not stop it"


def test_a_start_that_fails_once_is_forgotten(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = playing().store
    rig = Guarded(3, store=store, start=False)
    monkeypatch.setattr(Resumption, "resume", failing_times(1, Resumption.resume))
    rig.table.start()
    assert rig.state["state"] == "playing"
    assert "(start)" in caplog.text


def test_a_fault_while_the_disk_fails_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    view = rig.state["view"]
    rig.store.broken = rig.store.unreadable = "The disk does not answer."
    with monkeypatch.context() as broken:
        broken.setattr(Endings, "take_up", failing)
        rig.ask(1, "take_up")
    rig.take(Tick(), Tick(), Tick(), Tick())
    assert rig.state["state"] == "stopped"
    assert "disk" in rig.notice_keys()
    assert rig.table.fault == "", "a disk that fails is no fault of the table"
    assert rig.phones.released == [], "who sits here is not known yet"
    rig.store.broken = rig.store.unreadable = ""
    rig.take(Tick())
    assert (rig.state["state"], rig.state["view"]) == ("playing", view)


def test_what_the_world_told_once_is_known_after_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    rig.take(BrokerDown("The broker is away."), BoxUp("box-2", "b2", "1", 8))
    with monkeypatch.context() as broken:
        broken.setattr(Endings, "take_up", failing)
        rig.ask(1, "take_up")
    assert set(rig.notice_keys()) == {"restarted", "broker"}


def test_claims_and_staff_that_meet_a_fault_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    with monkeypatch.context() as broken:
        broken.setattr(Seats, "handle_claim", failing)
        decided = rig.claim(2)
    assert decided
    assert (decided.held, decided.say) == (False, NOT_DONE)
    with monkeypatch.context() as broken:
        broken.setattr(StaffDesk, "handle_request", failing)
        answer = rig.staff("aside")
    assert answer == (False, "Something went wrong at this table: check whether your last action was done.")
    assert rig.state["state"] == "playing"


def test_a_phone_whose_seat_the_log_does_not_know_is_told_so_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Guarded(4, boxes=False)
    rig.sit(1, 2, 3)
    places = json.loads(rig.store.kept["1", "places"])
    rig.store.kept["1", "places"] = json.dumps([one for one in places if one["seat"] != 3]).encode()
    with monkeypatch.context() as broken:
        broken.setattr(StaffDesk, "run_due", failing_times(1, StaffDesk.run_due))
        rig.take(Tick())
    assert [seat["phone"] for seat in rig.state["seats"]] == ["on", "on", "none", "none"]
    assert rig.phones.released == [rig.sids[3]]


def test_dice_that_are_asked_for_again_after_a_fault_have_a_number_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Guarded(2, boxes=False, offered=[games.find("bidness")])
    rig.sit()
    rig.start("bidness")
    before = list(rig.dice.numbers)
    assert before
    with monkeypatch.context() as broken:
        broken.setattr(StaffDesk, "run_due", failing_times(1, StaffDesk.run_due))
        rig.take(Tick())
    assert rig.state["state"] == "playing"
    assert rig.dice.numbers[: len(before)] == before
    assert rig.dice.numbers[len(before)] > max(before), "the reader never takes an old throw for the new one"


def test_a_table_that_does_not_start_again_tries_it_once_with_each_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    assert rig.table.wait_seconds() == 1.0
    with monkeypatch.context() as broken:
        broken.setattr(Resumption, "resume", failing)
        rig.take(Tick(), object())
        rig.clock.time += WITHIN_SECONDS + 1
        rig.take(Tick(), Tick())
        assert rig.table.fault == "", "two errors in these ten minutes"
        rig.take(Tick())
        assert rig.table.fault == STOPPED


def test_a_table_that_cannot_even_show_that_it_has_stopped_ends_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    with monkeypatch.context() as broken:
        broken.setattr(People, "run_due", failing)
        broken.setattr(Publisher, "show_stopped", failing)
        rig.take(Tick(), Tick())
    assert rig.table.fault == STOPPED
    assert rig.staff("done", key="fault")[0]


def test_a_claim_that_waits_is_refused_by_a_table_that_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = Guarded(3)
    rig.boxes_up()
    rig.sit(1)
    decided: list[ClaimDecided] = []
    rig.take(ClaimRequest("c" * 8, 2, b"k" * 32, None, "", decided.append))
    assert not decided
    with monkeypatch.context() as broken:
        broken.setattr(StaffDesk, "run_due", failing_times(1, StaffDesk.run_due))
        rig.take(Tick())
    assert [(one.held, one.say) for one in decided] == [(False, NOT_DONE)]
    assert rig.claim(3, rig.code(3)) is not None


def test_the_journal_says_where_it_failed_and_nothing_that_anybody_holds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    rig = playing()
    caplog.clear()
    with monkeypatch.context() as broken:
        broken.setattr(Endings, "take_up", failing)
        rig.ask(1, "take_up")
    (told,) = [record for record in caplog.records if "nobody foresaw" in record.getMessage()]
    text = told.getMessage()
    assert "KeyError" in text
    assert "test_faults.py" in text
    assert "requests.py" in text
    assert "PhoneRequest take_up" in text
    whole = caplog.text
    assert SECRET not in whole
    assert not any(sid in whole for sid in rig.sids.values())
    assert told.exc_info is None


# --- what a fault leaves -----------------------------------------------------------------------------------


def fault(rig: Guarded, monkeypatch: pytest.MonkeyPatch, signal: object = None) -> None:
    """One error that nobody foresaw, while the table handles a signal."""
    with monkeypatch.context() as broken:
        broken.setattr(Table, "_handle", failing_times(1, Table._handle))
        rig.take(signal or Tick())


def journal(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [one.getMessage() for one in caplog.records if "nobody foresaw" in one.getMessage()]


@pytest.mark.parametrize(
    ("signal", "kind"),
    [
        (Tick(), "(Tick)"),
        (Key("box-1", "push", "down"), "(Key)"),
        (StaffRequest("aside", {"secret": SECRET}, lambda *_: None), "(StaffRequest aside)"),
    ],
)
def test_the_journal_names_the_kind_of_signal_and_where_it_failed_innermost_first(
    signal: object, kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = playing()
    caplog.clear()
    fault(rig, monkeypatch, signal)
    (told,) = journal(caplog)
    assert told.startswith("table 1: KeyError, which nobody foresaw, at test_faults.py:")
    assert " one < loop.py:" in told
    assert kind in told
    assert told.endswith("The table starts again from its log.")
    assert "/" not in told
    assert SECRET not in told


def test_the_journal_has_the_twelve_innermost_places(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def deep(left: int) -> None:
        if not left:
            raise KeyError(SECRET)
        deep(left - 1)

    rig = playing()
    caplog.clear()
    with monkeypatch.context() as broken:
        broken.setattr(Table, "_handle", lambda *_: deep(20))
        rig.take(Tick())
    assert journal(caplog)[0].count(" < ") == FRAMES - 1


def test_the_third_fault_says_that_the_table_stays_stopped(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = playing()
    for _ in range(3):
        assert rig.table.fault == ""
        fault(rig, monkeypatch)
    assert rig.table.fault == STOPPED
    assert [one.endswith("until staff start it again.") for one in journal(caplog)] == [False, False, True]


def test_after_staff_have_started_it_again_three_faults_stop_it_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    for _ in range(2):
        for _ in range(3):
            assert rig.table.fault == ""
            fault(rig, monkeypatch)
        assert rig.table.fault == STOPPED
        assert rig.staff("done", key="fault")[0]


SURROUNDINGS = [
    BoxUp("box-1", "b7", "1", 8), BoxDown("box-1", "gone"), BoxUp("box-2", "b7", "1", 8), DeviceUp("ring"),
    DeviceDown("ring", "lost"), DeviceDown("page", "lost"), DiceKit("tray", 6), DiceKit("tower", 6), BrokerDown("away"),
    BrokerUp(), AddressChanged("http://10.0.0.1"), AddressChanged("http://10.0.0.2"), DeviceSimulated(),
]  # fmt: skip


def test_of_each_thing_around_a_table_the_last_news_is_kept_and_of_people_none() -> None:
    known = Surroundings()
    for signal in (
        *SURROUNDINGS,
        Tick(),
        Key("box-1", "push", "down"),
        PhoneLink("x", on=True),
        HelpRequest(),
        object(),
    ):
        known.note(signal)
    assert list(known) == [
        BoxDown("box-1", "gone"), BoxUp("box-2", "b7", "1", 8), DeviceDown("ring", "lost"), DeviceDown("page", "lost"),
        DiceKit("tray", 6), DiceKit("tower", 6), BrokerUp(), AddressChanged("http://10.0.0.2"), DeviceSimulated(),
    ]  # fmt: skip


def test_an_error_of_another_thread_is_a_fault_of_the_table_with_the_next_signal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = playing()
    with rig.table.guarded():
        failing()
    assert journal(caplog) == []
    rig.take(Tick())
    assert len(journal(caplog)) == 1
    assert "(Tick)" in journal(caplog)[0]
    assert rig.notice_keys() == ["restarted"]
    rig.take(Tick(), Tick())
    assert len(journal(caplog)) == 1, "it counts once"
    with rig.table.guarded():
        pass
    rig.take(Tick())
    assert len(journal(caplog)) == 1


def test_a_fault_keeps_who_is_there_and_what_phones_are_on(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = playing()
    rig.take(PhoneLink(rig.sids[2], on=False))
    seats = [(seat["phone"], seat["box"], seat["held"]) for seat in rig.state["seats"]]
    assert seats[1][0] == "away"
    epoch = rig.state["epoch"]
    fault(rig, monkeypatch)
    assert [(seat["phone"], seat["box"], seat["held"]) for seat in rig.state["seats"]] == seats
    assert rig.state["epoch"] > epoch


def test_a_table_with_nothing_due_looks_again_after_a_second_and_with_something_due_then() -> None:
    rig = playing()
    assert rig.table.wait_seconds() == 1.0
    for _ in range(7):
        rig.take(
            PhoneRequest(rig.sids[1], rig.fresh_id(), 1, rig.state["epoch"], None, "name", {"name": rig.fresh_id(2)})
        )
    assert rig.table.wait_seconds() == 1.0, "the next rename is due in three seconds"
    rig.clock.time += 2.75
    assert rig.table.wait_seconds() == 0.25
    rig.clock.time += 1
    assert rig.table.wait_seconds() == 0.0
    rig.take(Tick())
    for number in range(9):
        rig.take(PhoneLink(rig.sids[2], on=number % 2 == 0))
    rig.clock.time += 2.0
    rig.take(Tick())
    assert rig.table.wait_seconds() == 0.25, "its phone came first six seconds before"


def test_the_inbox_counts_what_waits_and_the_thread_ends_after_it() -> None:
    rig = playing()
    rig.table.put(HelpRequest())
    rig.table.put(Tick())
    assert rig.table.waiting == 2
    rig.table.stop()
    ticks: list[int] = []
    rig.table.run(lambda: ticks.append(rig.table.waiting))
    assert (ticks, rig.table.waiting) == ([2, 1], 0)
    assert "Somebody without a seat calls for staff." in [one["text"] for one in rig.state["notices"]]


def test_a_moment_without_a_signal_is_a_tick() -> None:
    rig = playing()
    rig.store.broken = "It is full."
    rig.ask(1, "act", move="bid", number=1)
    assert rig.state["state"] == "stopped"
    rig.store.broken = ""
    assert rig.table.step(0.0)
    assert rig.state["state"] == "playing", "the disk was tried again"
