"""What all and each are shown, moment by moment, of a match that a table plays."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from hub import games
from hub.engine.decision import offer, roll_or
from hub.ports import DiceKit, PhoneLink, StaffRequest, Tick, Turn
from hub.state import Waiting, WantedRoll
from hub.table.loop import Table
from hub.table.people.absence import CALL_SECONDS
from hub.table.seating.seat_list import HAND_OVER_SECONDS
from hub.table.views.snapshot import view
from tests.made_labels import made_labels
from tests.table.fakes import TableRig
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_dispute import Fishing, at, game, read, wait
from tests.table.test_lobby import PresetRig
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
    staff(rig, "light", percent=30)
    assert rig.page.newest
    assert rig.page.newest.light == 30
    signed = TableRig(2, offered=[SHORT], start=False)
    signed.table = Table("1", "Table 1", 2, [SHORT], signed.ports, fingerprint="AB:CD")
    signed.table.start()
    assert signed.page.newest
    assert signed.page.newest.fingerprint == "AB:CD"


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


def staff(rig: TableRig, verb: str, **args: Any) -> None:
    rig.take(StaffRequest(verb, args, lambda *_: None))


def test_what_staff_and_people_choose_for_a_table_is_in_its_picture() -> None:
    rig = TableRig(2, offered=[SHORT], boxes=False)
    rig.sit()
    chosen = "volume", "until", "hub_rolls", "hints", "explain", "kit"
    assert public(rig, *chosen) == (60, None, False, False, None, None)
    staff(rig, "volume", percent=20)
    staff(rig, "limit", minutes=20)
    assert rig.say(1, "hub_rolls", {"on": True})["ok"]
    assert rig.say(1, "hints", {"allow": True})["ok"]
    assert rig.say(1, "lessons", {"explain": False})["ok"]
    rig.take(DiceKit("tray", 6))
    assert public(rig, *chosen[:5]) == (20, int(rig.wall()) + 20 * 60, True, True, False)
    assert rig.state["kit"]
    assert rig.page.newest
    assert (rig.page.newest.volume, rig.page.newest.until) == public(rig, "volume", "until")


def test_a_wish_with_a_preset_is_in_the_picture_with_its_options() -> None:
    rig = PresetRig(boxes=False)
    rig.sit()
    assert public(rig, "preset", "options") == ("", {})
    assert rig.say(2, "wish", {"game": "bid-it", "preset": "long"})["ok"]
    assert public(rig, "preset", "options") == ("long", {"match": 5, "teams": "none"})


def test_a_start_that_somebody_may_still_delay_is_announced() -> None:
    rig = TableRig(2, offered=[FISHING["turns"]], boxes=False)
    rig.sit()
    assert public(rig, "starting") == (None,)
    rig.say(1, "start", {"game": "turns", "options": {}})
    assert rig.state["starting"]["game"] == "turns"


def test_a_seat_that_lets_the_others_wait_is_called_and_a_pause_and_a_question_are_named() -> None:
    rig = at(boxes=False)
    read(rig, 3)
    wait(rig, CALL_SECONDS - 1)
    assert public(rig, "nudged", "paused", "question") == ([], None, None)
    wait(rig, 1)
    assert rig.state["nudged"] == [2]
    assert rig.say(3, "pause")["ok"]
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.state["paused"] == 3
    assert (rig.state["question"]["kind"], rig.state["question"]["votes"]) == ("put_aside", {"1": "yes"})


def test_a_match_that_has_gone_on_for_a_while_says_how_long_it_takes() -> None:
    rig = at(boxes=False)
    assert public(rig, "minutes_left") == (None,)
    wait(rig, 60)
    read(rig, 3)
    low, high = rig.state["minutes_left"]
    assert 1 <= low < high <= 3
    rig.store.broken = "It is full."
    rig.act(2, "go")
    assert public(rig, "state", "minutes_left") == ("stopped", None)


def test_a_match_that_its_rules_have_stopped_says_no_more_how_long_it_takes() -> None:
    rig = TableRig(2, offered=[BROKEN], boxes=False)
    rig.sit()
    rig.start("broken")
    wait(rig, 60)
    rig.act(1, "climb", by=1)
    assert rig.state["minutes_left"]
    rig.act(2, "climb", by=2)
    assert public(rig, "state", "minutes_left") == ("stopped", None)


async def market(s: Fishing) -> None:
    """Let seat 1 sell its catch before each roll."""
    while True:
        await roll_or(s, 1, 1, 6, "catch", "Roll a die, or sell.", [offer("sell")])


def test_who_may_sell_before_a_roll_may_not_sell_once_the_dice_lie_there() -> None:
    rig = TableRig(2, boxes=False, offered=[game("market", market)])
    rig.sit()
    rig.start("market")
    assert own(rig, 1, "moves", "faces") == ([{"move": "sell"}], {"count": 1, "sides": 6})
    rig.see("settled", 4)
    assert own(rig, 1, "moves") == ([],)
    wait(rig, 30)
    assert own(rig, 1, "moves") == ([{"move": "sell"}],), "the next roll"


def until_over(rig: TableRig, face: int) -> None:
    """Let seat 1 roll this face until it has 20 points."""
    while rig.state["state"] == "playing":
        read(rig, face)
        if rig.state["state"] == "playing":
            assert rig.act(2, "go")["ok"]


def test_highlights_that_a_game_defines_come_first() -> None:
    told = made_labels(
        {"minutes": 1, "blurb": "", "screen": {"highlights": [{"kind": "roll", "say": "Fish bit {times}."}]}}
    )
    rig = TableRig(2, boxes=False, offered=[replace(FISHING["turns"], labels=told)])
    rig.sit()
    rig.start("turns")
    until_over(rig, 6)
    assert rig.state["highlights"] == ["Fish bit 4 times.", "Dice were thrown 4 times."]


def test_each_match_that_is_over_has_highlights_of_its_own_and_its_game_is_known() -> None:
    rig = at(boxes=False)
    read(rig, 6)
    assert public(rig, "highlights", "games") == ([], [])
    assert rig.act(2, "go")["ok"]
    until_over(rig, 6)
    assert rig.state["highlights"] == ["Dice were thrown 4 times."]
    assert [(one["name"], one["known"]) for one in rig.state["games"]] == [("turns", True)]
    rig.start("turns")
    assert rig.state["highlights"] == []
    until_over(rig, 3)
    assert rig.state["highlights"] == ["Dice were thrown 7 times."]


def test_a_match_that_is_over_keeps_its_name_while_the_next_game_is_chosen() -> None:
    rig = TableRig(2, offered=[FISHING["turns"], FISHING["hooks"]], boxes=False)
    rig.sit()
    rig.start("turns")
    until_over(rig, 6)
    assert rig.say(1, "wish", {"game": "hooks"})["ok"]
    assert public(rig, "state", "game", "title") == ("over", "turns", "Turns")


def test_the_last_choice_that_was_revealed_has_its_number_in_its_own_match() -> None:
    rig = at("hooks", boxes=False)
    read(rig, 3)
    for seat in (1, 2):
        rig.act(seat, "hook")
    assert public(rig, "revealed") == (None,)
    rig.act(3, "line")
    assert rig.state["revealed"] == 1
    assert rig.page.newest
    assert rig.page.newest.revealed == 1
    assert rig.act(1, "go")["ok"]
    rig.start("hooks")
    assert public(rig, "revealed") == (None,)


def test_a_hand_over_code_is_in_the_hand_of_its_seat_alone() -> None:
    rig = TableRig(2, offered=[SHORT], boxes=False)
    rig.sit()
    assert own(rig, 1, "hand_over", "hand_over_seconds") == (None, 0)
    assert rig.say(1, "hand_over", {"show": True})["ok"]
    assert len(rig.hand(1)["hand_over"]) == 16
    assert rig.hand(1)["hand_over_seconds"] == HAND_OVER_SECONDS
    assert own(rig, 2, "hand_over", "hand_over_seconds") == (None, 0)


def test_while_a_match_is_held_up_nobody_is_awaited() -> None:
    rig = at(boxes=False)
    match = rig.table._play.match
    assert match
    assert view(match).waiting == Waiting(roll=WantedRoll(1, 1, 6, "catch"), seats=[], secret=False)
    assert view(match, held=True).waiting == Waiting(seats=[])
    read(rig, 3)
    match = rig.table._play.match
    assert match
    assert view(match).waiting.seats == ["2"]
    assert view(match, held=True).waiting.seats == []


def test_a_picture_says_which_table_it_is_of() -> None:
    rig = TableRig(2, offered=[SHORT], boxes=False)
    assert public(rig, "table", "name", "code", "url") == (
        "1", "Table 1", rig.table.code, "http://10.42.0.1:8080",
    )  # fmt: skip
    epoch = rig.state["epoch"]
    rig.sit()
    rig.start("short")
    assert rig.state["epoch"] == epoch + 1
    assert [rig.hand(1)[name] for name in ("epoch", "seq", "seat")] == [*public(rig, "epoch", "seq"), 1]
