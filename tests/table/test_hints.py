"""Hints: one sentence for the phone that asked, where the table allows it; nobody else learns of it."""

from __future__ import annotations

import threading
from typing import Any, cast

import msgspec
import pytest

from hub import games
from hub.engine.sight import HousePlayer
from hub.errors import HubError
from hub.ports import Tick
from hub.table.base.ports import in_thread
from hub.table.views import hints
from hub.table.views.hints import AGAIN_SECONDS, SECONDS
from tests.patience import PATIENCE
from tests.table.fakes import TableRig
from tests.table.guests import bring_on
from tests.table.test_house_seats import alone


def wait(rig: TableRig, seat: int = 1) -> dict[str, Any] | None:
    """Let hints be reckoned, and their time pass; the hint of a seat."""
    think(rig)
    rig.clock.time += SECONDS
    rig.take(Tick())
    assert rig.table._hints.due_at is None
    found: dict[str, Any] | None = rig.hand(seat)["hint"]
    return found


def think(rig: TableRig) -> None:
    while rig.thoughts:
        rig.thoughts.pop(0)()


def asked(rig: TableRig, seat: int = 1) -> None:
    """Play on until a seat is asked for a move."""
    for _ in range(400):
        if any(not move.get("standing") for move in rig.hand(seat)["moves"]):
            return
        bring_on(rig, seat)
        rig.clock.time += 0.1
        rig.take(Tick())
    raise AssertionError("nobody is asked")


@pytest.mark.parametrize("game", games.names())
def test_a_phone_alone_with_the_house_that_asks_for_hints_gets_one(game: str) -> None:
    rig = alone(game, max(3, games.find(game).seats[0]))
    rig.start(game)
    assert rig.state["hints"] is True, "one person and the house"
    assert rig.say(1, "hints", {"on": True})["ok"]
    asked(rig)
    hint = wait(rig)
    hand = rig.hand(1)
    assert hand["hints"] is True
    assert hint
    offered = [move["move"] for move in hand["moves"]]
    assert hint["answer"] is None or hint["answer"]["move"] in offered
    if hasattr(games.find(game).house, "reason"):
        assert hint["say"].endswith(".")


def test_it_is_there_with_the_answer_to_the_request_and_gone_when_it_is_switched_off() -> None:
    rig = alone("bid-and-bait")
    rig.start()
    assert rig.hand(1)["hint"] is None
    assert rig.say(1, "hints", {"on": True})["ok"]
    assert rig.hand(1)["hint"]["answer"]["move"] == "bid"
    assert rig.say(1, "hints", {"on": False})["ok"]
    assert (rig.hand(1)["hints"], rig.hand(1)["hint"]) == (False, None)
    assert wait(rig) is None


def test_the_next_decision_has_its_own_after_its_time_and_none_before() -> None:
    rig = alone("bid-it", seats=2)
    rig.start("bid-it")
    assert rig.say(1, "hints", {"on": True})["ok"]
    asked(rig)
    first = wait(rig)
    assert first
    number = rig.hand(1)["number"]
    bring_on(rig, 1)
    asked(rig)
    assert rig.hand(1)["number"] != number
    assert rig.hand(1)["hint"] is None, "not for the decision before, and not yet for this one"
    assert wait(rig)


def test_where_several_people_play_none_are_allowed_until_they_say_so_between_matches() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    assert not rig.state["hints"]
    answer = rig.say(1, "hints", {"on": True})
    assert (answer["ok"], answer["code"]) == (False, "HINTS")
    assert "Hints are not allowed" in answer["error"]
    assert rig.say(2, "hints", {"allow": True})["ok"]
    assert rig.state["hints"]
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start()
    assert wait(rig)
    assert wait(rig, 2) is None
    answer = rig.say(2, "hints", {"allow": False})
    assert not answer["ok"]
    assert "between matches" in answer["error"]


def test_what_one_alone_may_have_ends_when_somebody_sits_down() -> None:
    rig = alone()
    rig.start()
    assert rig.say(1, "hints", {"on": True})["ok"]
    assert rig.hand(1)["hint"]
    rig.sit(2)
    assert rig.state["hints"] is False
    assert rig.hand(1)["hint"] is None
    assert not rig.say(2, "hints", {"on": True})["ok"]


def test_who_is_alone_may_forbid_them_and_it_holds_over_a_restart_until_the_table_is_empty() -> None:
    rig = alone()
    assert rig.say(1, "hints", {"allow": False})["ok"]
    again = TableRig(3, boxes=False, store=rig.store)
    again.sids = dict(rig.sids)
    again.phones.admitted.update(rig.phones.admitted)
    assert again.state["hints"] is False
    again.say_leave(1)
    again.sit(1)
    assert again.state["hints"] is True


@pytest.mark.parametrize("args", [{}, {"on": 1}, {"on": None}, {"allow": "yes"}, {"allow": None, "on": True}])
def test_what_is_neither_on_nor_off_is_refused(args: dict[str, Any]) -> None:
    rig = alone()
    answer = rig.say(1, "hints", args)
    assert not answer["ok"]
    assert answer["error"].endswith(".")


def test_another_phone_at_the_seat_does_not_have_what_the_first_asked_for() -> None:
    rig = alone()
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.say_leave(1)
    rig.sit(1)
    assert rig.hand(1)["hints"] is False


def traffic(*, wanted: bool) -> tuple[list[str], list[dict[str, Any]], list[bytes]]:
    """What a table with two people sends in two decisions: the order of all messages, its public states, seat 2's hands."""
    rig = TableRig(2, boxes=False)
    rig.sit()
    assert rig.say(1, "hints", {"allow": True})["ok"]
    assert rig.say(1, "hints", {"on": wanted})["ok"]
    rig.start()
    wait(rig)
    for seat in (1, 2):
        assert rig.act(seat, "bid", number=seat)["ok"]
        wait(rig)
    public = [{k: v for k, v in state.items() if k != "session"} for state in rig.phones.public]
    hands = [
        msgspec.json.encode({k: v for k, v in hand.items() if k not in ("session", "seat_code")})
        for hand in rig.phones.hands[rig.sids[2]]
    ]
    if wanted:
        assert any(hand["hint"] for hand in rig.phones.hands[rig.sids[1]])
    order = [what for what in rig.order if what in ("show", "hand", "answer")]
    codes = dict.fromkeys((rig.state["code"],), "")
    return order, [{**state, "code": codes.get(state["code"], "")} for state in public], hands


def test_nobody_else_can_learn_that_a_phone_has_hints() -> None:
    """The same messages in the same order, and in public states and in others' hands the same, to the letter."""
    with_hints, without = traffic(wanted=True), traffic(wanted=False)
    assert with_hints[0] == without[0]
    assert with_hints[1] == without[1]
    assert with_hints[2] == without[2]


def test_the_house_player_of_a_hint_thinks_off_the_tables_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    reckon = hints.reckon

    def noted(*given: Any) -> None:
        threads.append(threading.current_thread().name)
        reckon(*given)

    monkeypatch.setattr(hints, "reckon", noted)
    rig = alone()
    monkeypatch.setattr(rig.table._hints, "_background", in_thread)
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start()
    for thread in threading.enumerate():
        if thread.name == "job":
            thread.join(PATIENCE)
    assert wait(rig)
    assert threads == ["job"]


def test_a_hint_that_takes_long_is_waited_for_and_then_shown() -> None:
    rig = alone()
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start()
    for _ in range(3):
        rig.clock.time += SECONDS
        rig.take(Tick())
        assert rig.hand(1)["hint"] is None
    think(rig)
    assert rig.hand(1)["hint"] is None, "it is shown with the next look"
    rig.clock.time += AGAIN_SECONDS
    rig.take(Tick())
    assert rig.hand(1)["hint"]


def test_a_table_that_allows_none_thinks_of_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "reckon", lambda *given: pytest.fail("nobody asked"))
    rig = TableRig(2, boxes=False)
    rig.sit()
    rig.start()
    before = len(rig.order)
    wait(rig)
    assert rig.order[before:] == []
    other = alone()
    other.start()
    wait(other)


def test_a_game_without_a_house_player_is_played_without_hints() -> None:
    plain = msgspec.structs.replace(games.find("bid-and-bait"), house=None)
    rig = TableRig(2, boxes=False, offered=[plain])
    rig.sit(1)
    assert rig.say(1, "house", {"seat": 2, "strength": "easy"})["ok"]
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start()
    assert wait(rig) is None
    assert rig.hand(1)["hints"] is True


def test_a_house_player_that_fails_costs_nothing_but_its_hint() -> None:
    class Broken:
        def choose(self, *_: object) -> None:
            raise HubError("seat 2 holds a 5")

    rig = alone()
    broken = msgspec.structs.replace(games.find("bid-and-bait"), house=cast(HousePlayer, Broken()))
    rig.table._play.games = {"bid-and-bait": broken}
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start()
    assert wait(rig) is None
    assert rig.act(1, "bid", number=3)["ok"]


def test_hints_that_several_people_allowed_hold_over_a_restart_until_they_have_all_left() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit(1, 2)
    assert rig.say(1, "hints", {"allow": True})["ok"]
    again = TableRig(3, boxes=False, store=rig.store)
    assert again.state["hints"] is True
    again.sids = rig.sids
    again.say_leave(1)
    assert again.state["hints"] is True, "one is still there"
    again.say_leave(2)
    assert not rig.store.kept["1", "hints"]
    last = TableRig(3, boxes=False, store=rig.store)
    last.sit(1, 2)
    assert last.state["hints"] is False


def test_hands_go_out_once_with_all_hints_when_their_time_has_come() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    assert rig.say(1, "hints", {"allow": True})["ok"]
    for seat in (1, 2):
        assert rig.say(seat, "hints", {"on": True})["ok"]
    rig.start()
    assert len(rig.thoughts) == 2, "seat 3 wants none"
    assert rig.table._hints.due_at == rig.clock.time + SECONDS
    think(rig)
    hands = [len(rig.phones.hands[rig.sids[seat]]) for seat in (1, 2, 3)]
    rig.clock.time += SECONDS - 0.01
    rig.take(Tick())
    assert [len(rig.phones.hands[rig.sids[seat]]) for seat in (1, 2, 3)] == hands
    assert (rig.hand(1)["hint"], rig.hand(2)["hint"]) == (None, None)
    rig.clock.time += 0.01
    rig.take(Tick())
    assert [len(rig.phones.hands[rig.sids[seat]]) for seat in (1, 2, 3)] == [one + 1 for one in hands]
    assert rig.hand(1)["hint"]
    assert rig.hand(2)["hint"]
    assert rig.hand(3)["hint"] is None


def test_a_late_hint_is_looked_for_every_quarter_of_a_second_and_no_hand_goes_out_meanwhile() -> None:
    rig = alone("bid-and-bait")
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start()
    hands = len(rig.phones.hands[rig.sids[1]])
    for seconds in (SECONDS, AGAIN_SECONDS):
        rig.clock.time += seconds
        rig.table._hints.refresh()
        assert rig.table._hints.due_at == rig.clock.time + AGAIN_SECONDS
    assert len(rig.phones.hands[rig.sids[1]]) == hands


def test_a_phone_that_turns_hints_on_leaves_those_of_others_as_they_are() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    assert rig.say(1, "hints", {"allow": True})["ok"]
    rig.start()
    for seat in (1, 2):
        assert rig.say(seat, "hints", {"on": True})["ok"]
    assert rig.hand(1)["hint"]
    assert rig.hand(2)["hint"]
    before = rig.hand(1)["hint"]
    assert rig.say(1, "hints", {"on": True})["ok"]
    assert rig.hand(1)["hint"] == before, "it is not reckoned twice"


def test_a_phone_that_turns_its_hints_off_and_on_again_has_the_same_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    rig, reckoned, reckon = alone(), list[int](), hints.reckon

    def count(seat: int, *rest: Any) -> None:
        reckoned.append(seat)
        reckon(seat, *rest)

    monkeypatch.setattr(hints, "reckon", count)
    rig.start()
    assert rig.say(1, "hints", {"on": True})["ok"]
    hint = rig.hand(1)["hint"]
    assert hint
    for on in (False, True):
        assert rig.say(1, "hints", {"on": on})["ok"]
        assert rig.hand(1)["hint"] == (hint if on else None)
    assert reckoned == [1], "the house thinks once"
