"""What all and each are shown, moment by moment, of a match that a table plays."""

from __future__ import annotations

from typing import Any

import pytest

from hub import games
from hub.ports import PhoneLink, Tick, Turn
from tests.table.fakes import TableRig
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_dispute import at, read, wait
from tests.table.test_table import BROKEN, SHORT


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "find", FISHING.__getitem__)


def public(rig: TableRig, *names: str) -> tuple[Any, ...]:
    return tuple(rig.state[name] for name in names)


def own(rig: TableRig, seat: int, *names: str) -> tuple[Any, ...]:
    return tuple(rig.hand(seat)[name] for name in names)


def waiting(rig: TableRig) -> dict[str, Any]:
    found: dict[str, Any] = rig.state["view"]["waiting"]
    return found


NOTHING_ASKED: tuple[Any, ...] = ("", [], None, False, None)
ASKED = "want", "moves", "locked", "undo", "faces"
GO_OR_REST, HOOK_OR_LINE = [{"move": "go"}, {"move": "rest"}], [{"move": "hook"}, {"move": "line"}]


def test_in_the_lobby_there_is_no_match_to_see() -> None:
    rig = TableRig(3, offered=[FISHING["turns"], SHORT], boxes=False)
    rig.sit(1, 2)
    assert public(rig, "state", "match", "game", "title", "view", "over") == ("lobby", None, None, "", None, None)
    assert public(rig, "locked", "want", "highlights", "played", "minutes_left") == ([], "", [], {}, None)
    assert [(one["name"], one["known"]) for one in rig.state["games"]] == [("turns", False), ("short", False)]
    assert own(rig, 1, "match", "you", "number", "claim", "hand_over", *ASKED) == (
        None, {}, None, None, None, *NOTHING_ASKED,
    )  # fmt: skip
    assert rig.hand(1)["seat_code"] == rig.table._seats[1].code != rig.hand(2)["seat_code"]


def test_a_game_that_is_chosen_is_named_before_its_match() -> None:
    rig = TableRig(3, offered=[FISHING["turns"], SHORT])
    rig.boxes_up()
    rig.press(1, "push")
    rig.take(Turn("box-1", 1))
    assert rig.state["game"] in ("turns", "short")
    assert rig.state["title"] == {"turns": "Turns", "short": "Short"}[rig.state["game"]]


def test_a_roll_asks_its_seat_alone() -> None:
    rig = at(reader=False)
    assert public(rig, "state", "match", "game", "title", "want", "locked", "games") == (
        "playing", "m-1", "turns", "Turns", "Seat 1 rolls.", [], [],
    )  # fmt: skip
    assert waiting(rig) == {"roll": {"seat": 1, "count": 1, "sides": 6, "for": "catch"}, "seats": [], "secret": False}
    assert own(rig, 1, "number", "secret", *ASKED) == (
        0, False, "Roll a die.", [], None, False, {"count": 1, "sides": 6},
    )  # fmt: skip
    assert own(rig, 2, "number", "secret", *ASKED) == (0, False, *NOTHING_ASKED)
    assert own(rig, 2, "match", "you") == ("m-1", {"hook": None})


def test_a_seat_whose_dice_lie_there_types_none_and_beside_them_all_wait() -> None:
    rig = at()
    assert rig.state["dice"]["state"] == "armed"
    rig.see("settled", 4)
    assert rig.state["dice"]["faces"] == [4]
    assert own(rig, 1, "number", "want", "faces")[0] == 0
    assert own(rig, 2, "number", "want", "faces") == (0, "", None)


def test_of_many_dice_each_phone_sees_how_many_are_missing() -> None:
    rig = at("rolls", seats=2, boxes=False, reader=False)
    assert own(rig, 1, "faces") == ({"count": 6, "sides": 6},)
    rig.roll(1, 2, 3, 4, 5, 6)
    assert own(rig, 1, "faces") == ({"count": 2, "sides": 6},)
    assert rig.state["dice"]["done"] == [{"faces": [1, 2, 3, 4, 5, 6], "read": "typed"}]


def test_a_question_shows_its_moves_to_its_seat_and_who_is_awaited_to_all() -> None:
    rig = at()
    read(rig, 3)
    assert waiting(rig) == {"seats": ["2"], "secret": False}
    assert public(rig, "want", "locked", "dice") == ("Seat 2 decides.", [], None)
    assert own(rig, 2, "number", "secret", *ASKED) == (1, False, "Go on?", GO_OR_REST, None, False, None)
    assert own(rig, 1, "number", "secret", *ASKED) == (1, False, *NOTHING_ASKED)
    assert rig.act(2, "go")["ok"]
    assert own(rig, 2, "undo") == (True,)
    assert own(rig, 1, "undo") == (False,)


def test_a_sealed_choice_shows_who_has_locked_and_each_seat_its_own() -> None:
    rig = at("hooks")
    read(rig, 3)
    wait(rig, 20)
    assert waiting(rig) == {"seats": ["1", "2", "3"], "secret": True}
    assert public(rig, "want", "locked") == ("Players are choosing in secret.", [])
    assert own(rig, 2, "secret", "dial", "dial_at", *ASKED) == (
        True, 1, "Hook", "Choose.", HOOK_OR_LINE, None, False, None,
    )  # fmt: skip
    assert rig.act(2, "line")["ok"]
    assert rig.state["locked"] == [2]
    assert own(rig, 2, "secret", "dial", "dial_at", *ASKED) == (
        True, None, "", "Choose.", HOOK_OR_LINE, {"move": "line"}, True, None,
    )  # fmt: skip
    assert own(rig, 2, "you") == ({"hook": "line"},)
    assert own(rig, 1, "you", "locked", "undo") == ({"hook": None}, None, False)


def test_in_a_vote_about_dice_nobody_is_asked() -> None:
    rig = at()
    read(rig, 3)
    assert rig.say(3, "dice", {"say": "reread"})["ok"]
    assert rig.state["dispute"]["stage"] == "vote"
    assert own(rig, 2, "number", *ASKED) == (1, *NOTHING_ASKED)


def test_a_match_that_is_over_shows_its_result_and_offers_the_next() -> None:
    rig = at("rolls", seats=2, boxes=False, reader=False)
    for faces in ((1, 2, 3, 4, 5, 6), (1, 1), (6,)):
        rig.roll(*faces)
        wait(rig, 30)
    assert public(rig, "state", "match", "game", "want", "locked") == ("over", "m-1", "rolls", "", [])
    assert rig.state["over"] == {"winners": [1], "scores": {"1": 23, "2": 6}, "why": "Judged."}
    assert (rig.state["played"], rig.state["minutes_left"]) == ({"1": "Guest 1", "2": "Guest 2"}, None)
    assert [one["name"] for one in rig.state["games"]] == ["rolls"]
    assert waiting(rig) == {"seats": []}
    assert own(rig, 1, "number", "you", *ASKED) == (None, {"hook": None}, *NOTHING_ASKED)
    assert rig.say(1, "name", {"name": "Zoe"})["ok"]
    assert rig.state["played"] == {"1": "Guest 1", "2": "Guest 2"}, "as they were when it ended"
    rig.start("rolls")
    assert public(rig, "state", "match", "played", "highlights", "games") == ("playing", "m-2", {}, [], [])


def test_the_last_move_of_a_match_may_be_taken_back_by_its_seat() -> None:
    rig = TableRig(2, offered=[SHORT], boxes=False)
    rig.sit()
    rig.start("short")
    assert rig.act(1, "climb", by=1)["ok"]
    assert rig.state["state"] == "over"
    assert (own(rig, 1, "undo"), own(rig, 2, "undo")) == ((True,), (False,))


def test_where_the_rules_failed_anybody_may_take_the_move_back() -> None:
    rig = TableRig(2, offered=[BROKEN], boxes=False)
    rig.sit()
    rig.start("broken")
    assert own(rig, 2, "undo") == (False,)
    rig.act(1, "climb", by=2)
    assert public(rig, "state", "games", "minutes_left") == ("stopped", [], None)
    for seat in (1, 2):
        assert own(rig, seat, "number", *ASKED) == (None, "", [], None, True, None)


def test_while_the_disk_fails_nobody_is_asked() -> None:
    rig = at(boxes=False)
    read(rig, 3)
    rig.store.broken = "It is full."
    rig.act(2, "go")
    assert public(rig, "state", "want", "games", "minutes_left") == ("stopped", "", [], None)
    assert own(rig, 2, "number", *ASKED) == (None, *NOTHING_ASKED)
    rig.store.broken = ""
    rig.take(Tick())
    assert public(rig, "state", "want") == ("playing", "Seat 2 decides.")


def test_a_guest_beside_a_match_sees_no_hand() -> None:
    rig = TableRig(3, offered=[FISHING["turns"]], boxes=False)
    rig.sit(1, 2)
    rig.start("turns")
    decided = rig.claim(3, rig.code(3), "Late")
    assert decided
    assert decided.held
    rig.sids[3] = decided.sid
    rig.take(PhoneLink(decided.sid, True))
    assert own(rig, 3, "match", "you", "number", *ASKED) == ("m-1", {}, None, *NOTHING_ASKED)


def test_each_picture_counts_up_by_one_and_names_this_hub() -> None:
    rig = TableRig(2, offered=[SHORT], boxes=False)
    assert rig.phones.public[0]["seq"] == 1
    rig.sit()
    numbers = [one["seq"] for one in rig.phones.public]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(rig.state["session"]) == 8
    assert rig.hand(1)["session"] == rig.state["session"]
    assert TableRig(2, offered=[SHORT], boxes=False, store=rig.store).state["session"] != rig.state["session"]


def test_screens_have_what_phones_have_and_the_codes_of_free_seats() -> None:
    rig = at("hooks", boxes=False)
    read(rig, 3)
    screen = rig.page.newest
    assert screen
    assert (screen.seq, screen.state, screen.want) == public(rig, "seq", "state", "want")
    assert (screen.fingerprint, screen.light) == ("", 100)


def test_suspended_matches_are_offered_between_matches_alone() -> None:
    rig = at(boxes=False)
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    assert [one["match"] for one in rig.state["put_aside"]] == ["m-1"]
    rig.start("turns")
    assert rig.state["put_aside"] == []


def test_a_claim_is_named_to_the_seat_that_it_is_for() -> None:
    rig = TableRig(2, offered=[SHORT])
    rig.boxes_up()
    rig.sit()
    rig.claim(1)
    assert rig.state["claiming"] == [1]
    assert (own(rig, 1, "claim"), own(rig, 2, "claim")) == ((1,), (None,))
