"""What each press, hold and turn of a seat box does at the table."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from hub.ports import BoxBid, BoxDown, BoxLocked, BoxUp, Key, PhoneLink, Tick, Turn
from hub.table.boxes.captions import claim_caption
from hub.table.people.lobby import START_SECONDS
from hub.table.presses import MENU
from hub.table.seating.seats import PHONE_FIRST_SECONDS
from tests.table.fakes import TableRig
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_dispute import _found as _found  # noqa: PLC0414 - a fixture
from tests.table.test_dispute import at, read

PAUSE, SUSPEND, END = (text for _, text in MENU)


def seated(*seats: int, of: int = 3, **more: Any) -> TableRig:
    """A table with a box at each place, at which phones sit."""
    rig = TableRig(of, offered=[FISHING["turns"], FISHING["hooks"]], **more)
    rig.boxes_up()
    if seats:
        rig.sit(*seats)
    return rig


def unplaced(seats: int = 3) -> TableRig:
    """A table whose boxes have no seats yet."""
    return TableRig(seats, placed=False, offered=[FISHING["turns"]])


def plug(rig: TableRig, *boxes: str) -> None:
    rig.take(*(BoxUp(box, "b1", "1", 8) for box in boxes))


def turn(rig: TableRig, seat: int, detents: int) -> str:
    """Turn a dial: what the display says then."""
    rig.take(Turn(f"box-{seat}", detents))
    return text(rig, seat)


def hold(rig: TableRig, seat: int, control: Any) -> None:
    rig.take(Key(f"box-{seat}", control, "hold"))


def text(rig: TableRig, seat: int) -> str:
    return rig.boxes.texts[f"box-{seat}"]


def keys(rig: TableRig) -> list[str]:
    return [one["key"] for one in rig.state["notices"]]


def seen(rig: TableRig) -> Any:
    """What anybody sees, but for who was active last and what counts pictures."""
    state = {key: value for key, value in rig.state.items() if key not in ("seq", "seats")}
    held = [(seat["held"], seat["ready"], seat["house"], seat["box"]) for seat in rig.state["seats"]]
    return deepcopy((state, held, rig.boxes.texts, rig.boxes.sent, rig.page.codes))


def silent(rig: TableRig, *signals: Key | Turn) -> bool:
    """Whether these change nothing that anybody sees."""
    before = seen(rig)
    rig.take(*signals)
    return bool(seen(rig) == before)


# --- cables ------------------------------------------------------------------------------------------------


def test_a_box_without_a_seat_is_asked_for_a_press_until_it_has_one_or_is_gone() -> None:
    rig = unplaced()
    assert rig.notice() == ""
    plug(rig, "x")
    assert rig.notice() == "A new seat box: press any button on the box for seat 1."
    rig.take(BoxDown("x", "unplugged"))
    assert rig.notice() == ""
    plug(rig, "x", "y")
    rig.take(Key("y", "k3", "down"))
    assert rig.notice() == "Now press the box for seat 2."
    rig.take(Key("x", "push", "down"))
    assert rig.notice() == ""
    assert [seat["box"] for seat in rig.state["seats"]] == ["on", "on", "none"]
    assert [rig.table.seat_with(box) for box in ("y", "x", "z")] == [1, 2, None]


def test_a_dial_that_is_turned_names_no_seat() -> None:
    rig = unplaced()
    plug(rig, "x")
    rig.take(Turn("x", 1))
    assert rig.notice() == "A new seat box: press any button on the box for seat 1."
    assert rig.table.seat_with("x") is None


def test_where_each_seat_has_its_box_one_more_is_not_needed() -> None:
    rig = unplaced(2)
    plug(rig, "x", "y", "z")
    rig.take(Key("x", "k1", "down"), Key("y", "k1", "down"))
    assert rig.notice() == ""
    assert silent(rig, Key("z", "k1", "down"))
    assert rig.table.seat_with("z") is None


def test_a_box_that_is_back_is_at_its_seat_again() -> None:
    rig = unplaced()
    plug(rig, "x")
    rig.take(Key("x", "k1", "down"), BoxDown("x", "unplugged"))
    assert rig.state["seats"][0]["box"] == "lost"
    plug(rig, "x")
    assert rig.state["seats"][0]["box"] == "on"
    assert rig.notice() == ""


# --- help and codes ----------------------------------------------------------------------------------------


def test_the_bar_held_calls_for_help_at_any_time_and_takes_the_call_back() -> None:
    rig = seated(1, 2, 3)
    begins: list[Callable[[], None]] = [
        lambda: None, lambda: rig.start("turns"), lambda: setattr(rig.store, "broken", "It is full."),
    ]  # fmt: skip
    for begin in begins:
        begin()
        hold(rig, 3, "bar")
        assert "Seat 3 calls for help." in [one["text"] for one in rig.state["notices"]]
        hold(rig, 3, "bar")
        assert "help" not in keys(rig)


def test_a_call_of_another_seat_stays() -> None:
    rig = seated()
    hold(rig, 1, "bar")
    hold(rig, 2, "bar")
    hold(rig, 1, "bar")
    assert [one["text"] for one in rig.state["notices"]] == ["Seat 2 calls for help."]


def test_other_controls_that_are_held_call_nobody() -> None:
    rig = seated()
    assert silent(rig, Key("box-1", "k1", "hold"), Key("box-1", "push", "hold"))
    assert not rig.state["seats"][0]["held"]


def test_the_push_held_shows_the_code_of_a_seat_whose_phone_is_off_and_of_no_other() -> None:
    rig = seated(1)
    assert silent(rig, Key("box-1", "push", "hold")), "its phone is on"
    assert silent(rig, Key("box-2", "push", "hold")), "nobody sits there"
    rig.press(3, "push")
    rig.press(3, "push")
    assert rig.say(1, "start", {"game": "turns", "options": {}})["ok"]
    assert (rig.state["state"], "3" in rig.page.codes) == ("playing", False)
    hold(rig, 3, "push")
    assert text(rig, 3) == "Its code is on the screen for a minute"
    assert "3" in rig.page.codes


def test_the_push_held_shows_the_code_of_a_phone_that_has_gone_and_a_claim_of_its_seat_waits_for_nobody_else() -> None:
    rig = seated(1, 2, 3)
    rig.start("turns")
    rig.take(PhoneLink(rig.sids[3], on=False))
    hold(rig, 3, "push")
    assert text(rig, 3) == "Its code is on the screen for a minute"
    rig.claim(3)
    hold(rig, 3, "push")
    assert text(rig, 3) == "Too soon: read, then hold"


def test_a_claim_of_a_seat_whose_phone_is_on_is_for_its_phone_first() -> None:
    rig = seated(1, 2)
    rig.claim(1)
    hold(rig, 1, "push")
    assert text(rig, 1) == "Its phone is asked first: wait 10 s"
    rig.clock.time += PHONE_FIRST_SECONDS + 5
    before = rig.sids[1]
    hold(rig, 1, "push")
    assert rig.decided[-1].held
    assert before not in rig.phones.admitted


def test_a_claim_that_nobody_can_have_read_yet_is_not_given() -> None:
    rig = seated(1, 2)
    rig.press(3, "push")
    rig.claim(3)
    hold(rig, 3, "push")
    assert text(rig, 3) == "Too soon: read, then hold"
    rig.clock.time += 5
    hold(rig, 3, "push")
    assert rig.decided[-1].held


@pytest.mark.parametrize(("control", "held"), [("push", True), ("bar", False), ("k1", None)])
def test_a_free_seat_is_given_by_a_push_and_kept_by_the_bar(control: str, held: bool | None) -> None:
    rig = seated(1)
    rig.claim(2)
    assert text(rig, 2) == claim_caption(push=True)
    rig.clock.time += 5
    decided = len(rig.decided)
    rig.press(2, control)
    said = "Seat 2 is yours." if held else "Seat 2 said no."
    assert [(one.held, one.say) for one in rig.decided[decided:]] == ([] if held is None else [(held, said)])
    assert rig.state["seats"][1]["held"] is bool(held), "and shown at once"
    assert rig.state["claiming"] == ([2] if held is None else [])


def test_a_push_that_was_meant_before_anybody_could_read_of_a_claim_sits_down() -> None:
    rig = seated(1)
    rig.claim(2)
    decided = len(rig.decided)
    rig.press(2, "push")
    assert (rig.state["seats"][1]["held"], len(rig.decided)) == (True, decided)


# --- between matches ---------------------------------------------------------------------------------------


def test_in_the_lobby_the_dial_chooses_and_push_and_bar_sit_down_and_get_up() -> None:
    rig = seated()
    assert turn(rig, 1, 1) != turn(rig, 1, 1), "another game"
    game = rig.state["game"]
    assert game in text(rig, 1).lower()
    turn(rig, 1, 1)
    assert rig.state["game"] != game
    assert silent(rig, Key("box-1", "k1", "down"), Key("box-1", "k6", "hold"))
    rig.press(1, "push")
    assert rig.state["seats"][0]["held"]
    assert rig.state["seats"][0]["ready"]
    rig.press(1, "bar")
    assert (rig.state["seats"][0]["held"], rig.state["seats"][0]["ready"]) == (True, False)
    rig.press(1, "bar")
    assert not rig.state["seats"][0]["held"]


def test_a_push_that_cannot_start_a_match_says_why() -> None:
    rig = seated()
    rig.press(1, "push", "push", "push", "push")
    assert rig.state["state"] == "lobby"
    rig.clock.time += START_SECONDS
    rig.take(Tick())
    rig.press(1, "push")
    assert rig.state["state"] == "lobby"
    assert text(rig, 1) != ""


def test_while_the_disk_fails_only_help_is_heard() -> None:
    rig = seated(1, 2, 3)
    rig.start("turns")
    read(rig, 3)
    rig.store.broken = "It is full."
    rig.act(2, "go")
    assert rig.state["state"] == "stopped"
    assert silent(rig, Key("box-2", "push", "down"), Turn("box-2", 1), Turn("box-3", 1), Key("box-3", "push", "down"))


# --- the menu at a seat that the match does not ask --------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([1], PAUSE), ([2], SUSPEND), ([3], END), ([9], END), ([-1], PAUSE), ([-9], PAUSE), ([1, 1], SUSPEND),
        ([1, 1, 1], END), ([3, -1], SUSPEND), ([9, -1], SUSPEND), ([-9, 1], SUSPEND), ([1, -1], PAUSE), ([2, 1], END),
    ],
)  # fmt: skip
def test_the_dial_of_a_seat_that_is_not_asked_goes_through_a_menu(turns: list[int], expected: str) -> None:
    rig = at()
    for detents in turns:
        turn(rig, 3, detents)
    assert text(rig, 3) == expected


def playing() -> TableRig:
    """Seat 2 is asked, and seats 1 and 3 are not."""
    rig = at()
    read(rig, 3)
    rig.clock.time += 30
    rig.take(Tick())
    assert rig.state["view"]["waiting"]["seats"] == ["2"]
    return rig


def test_a_push_does_what_the_menu_says() -> None:
    rig = playing()
    turn(rig, 3, 1)
    rig.press(3, "push")
    assert rig.state["paused"] == 3
    turn(rig, 3, 1)
    rig.press(3, "push")
    assert rig.state["paused"] is None
    turn(rig, 3, 2)
    rig.press(3, "push")
    assert rig.state["question"]["kind"] == "put_aside"
    ending = playing()
    turn(ending, 3, 3)
    ending.press(3, "push")
    assert ending.state["question"]["kind"] == "end"


def test_without_a_turn_a_push_does_nothing_of_the_menu() -> None:
    rig = playing()
    assert silent(rig, Key("box-3", "push", "down"))
    assert (rig.state["paused"], rig.state["question"]) == (None, None)


@pytest.mark.parametrize("control", [Key("box-3", "bar", "down"), Key("box-3", "k1", "down")])
def test_any_other_key_leaves_the_menu(control: Key) -> None:
    rig = playing()
    turn(rig, 3, 1)
    rig.take(control)
    rig.press(3, "push")
    assert (rig.state["paused"], rig.state["question"]) == (None, None)


def test_a_pick_of_the_menu_is_over_once_it_was_done_or_the_match_has_gone_on() -> None:
    rig = playing()
    turn(rig, 3, 1)
    rig.press(3, "push", "push")
    assert rig.state["paused"] == 3, "the second push does nothing"
    rig = playing()
    turn(rig, 3, 1)
    assert rig.act(2, "go")["ok"]
    rig.press(3, "push")
    assert rig.state["paused"] is None, "its display says something else by now"


def test_each_seat_has_a_menu_of_its_own() -> None:
    rig = playing()
    turn(rig, 3, 1)
    turn(rig, 1, 2)
    rig.press(3, "push")
    assert rig.state["paused"] == 3
    assert rig.state["question"] is None


def test_a_seat_that_does_not_play_has_no_menu() -> None:
    rig = seated(1, 2, of=4)
    rig.start("turns")
    assert silent(rig, Turn("box-4", 1), Key("box-4", "push", "down"))


def test_what_the_menu_cannot_do_now_is_said_on_the_display() -> None:
    rig = playing()
    turn(rig, 3, 2)
    rig.press(3, "push")
    assert rig.state["question"]["kind"] == "put_aside"
    turn(rig, 3, 3)
    rig.press(3, "push")
    assert rig.state["question"]["kind"] == "put_aside"
    assert text(rig, 3) not in (SUSPEND, END)


def test_a_seat_that_chose_in_secret_on_its_phone_may_use_the_menu_and_one_that_did_not_may_not() -> None:
    rig = at("hooks")
    read(rig, 3)
    assert silent(rig, Turn("box-3", 1)), "the choice is made inside the box"
    assert rig.act(3, "hook")["ok"]
    assert turn(rig, 3, 1) == PAUSE
    rig.press(3, "push")
    assert rig.state["paused"] == 3
    rig.take(BoxLocked("box-2", rig.boxes.rounds["box-2"].round))
    assert silent(rig, Turn("box-2", 1)), "its lock is in the box"


# --- questions to the table --------------------------------------------------------------------------------


def asked(kind: str = "put_aside") -> TableRig:
    """Seat 1 asks the table, while seat 2 is asked by the match."""
    rig = playing()
    assert rig.say(1, "ask", {"what": kind})["ok"]
    return rig


@pytest.mark.parametrize(("control", "state"), [("push", "lobby"), ("bar", "playing"), ("k1", "playing")])
def test_a_seat_that_is_not_asked_by_the_match_votes_with_push_and_bar(control: str, state: str) -> None:
    rig = asked()
    rig.press(3, control)
    assert rig.state["state"] == state
    votes = rig.state["question"]["votes"] if rig.state["question"] else None
    assert votes == {"push": None, "bar": {"1": "yes", "3": "no"}, "k1": {"1": "yes"}}[control]


def test_the_keys_of_a_seat_that_the_match_asks_answer_the_match() -> None:
    rig = asked()
    rig.press(2, "push")
    assert rig.state["question"]["votes"] == {"1": "yes"}
    assert rig.state["view"]["waiting"]["seats"] != ["2"], "its push made the move"


def test_a_held_or_turned_control_is_no_vote() -> None:
    rig = asked()
    rig.take(Key("box-3", "k1", "hold"), Turn("box-3", 1))
    assert rig.state["question"]["votes"] == {"1": "yes"}


def test_a_seat_votes_once_and_then_has_its_menu_again() -> None:
    rig = asked("end")
    rig.press(3, "push")
    assert rig.state["question"]["votes"] == {"1": "yes", "3": "yes"}
    assert silent(rig, Key("box-3", "bar", "down"))
    assert turn(rig, 3, 1) == PAUSE


# --- seats of the house ------------------------------------------------------------------------------------


def beside_the_house() -> TableRig:
    rig = seated(1, 2)
    assert rig.say(1, "house", {"seat": 3, "strength": "easy"})["ok"]
    rig.start("turns")
    return rig


def test_a_push_takes_a_seat_from_the_house() -> None:
    rig = beside_the_house()
    house = rig.state["seats"][2]["house"]
    for signal in (
        Turn("box-3", 1),
        Key("box-3", "bar", "down"),
        Key("box-3", "k1", "down"),
        Key("box-3", "k1", "hold"),
    ):
        rig.take(signal)
        assert rig.state["seats"][2]["house"] == house != ""
    rig.press(3, "push")
    assert rig.state["seats"][2]["house"] == ""
    assert text(rig, 3) == "Welcome: you play on here"


# --- moves and dice ----------------------------------------------------------------------------------------


def test_a_seat_that_is_asked_moves_with_its_box() -> None:
    rig = playing()
    before = len(rig.store.entries["m-1"])
    turn(rig, 2, 1)
    assert len(rig.store.entries["m-1"]) == before
    rig.press(2, "push")
    assert len(rig.store.entries["m-1"]) == before + 1


def test_what_a_key_cannot_do_is_said_on_the_display_and_is_no_move() -> None:
    rig = playing()
    before = len(rig.store.entries["m-1"])
    rig.press(2, "k6")
    assert text(rig, 2) == "There is no 6 here: turn, then push."
    assert len(rig.store.entries["m-1"]) == before


def test_the_roller_types_its_dice_and_another_seat_says_yes_or_has_them_read_again() -> None:
    rig = at(reader=False)
    rig.press(1, "k4", "push")
    assert rig.state["dice"]["state"] == "typed"
    rig.press(3, "bar")
    assert rig.state["dice"]["state"] != "typed"
    rig.press(1, "k4", "push")
    rig.press(3, "push")
    assert b'"faces":[4]' in rig.store.entries["m-1"][0].line


def test_the_hub_rolls_once_all_have_said_so_at_their_boxes() -> None:
    rig = at(reader=False)
    rig.press(1, "bar")
    assert silent(rig, Key("box-3", "k1", "down"))
    rig.press(2, "push")
    assert rig.store.entries["m-1"] == []
    rig.press(3, "push")
    assert b'"read":"hub"' in rig.store.entries["m-1"][0].line


def test_a_menu_that_a_seat_has_turned_to_beside_a_roll_has_its_push() -> None:
    rig = at(reader=False)
    rig.press(1, "bar")
    assert turn(rig, 3, 1) == PAUSE
    rig.press(3, "push")
    assert rig.state["paused"] == 3
    assert rig.store.entries["m-1"] == []


@pytest.mark.parametrize(("control", "yes"), [("push", True), ("bar", False)])
def test_a_disputed_roll_is_voted_on_with_push_and_bar(control: str, yes: bool) -> None:
    rig = at()
    read(rig, 3)
    rig.press(3, "bar")
    assert rig.state["dispute"]["stage"] == "vote"
    assert silent(rig, Key("box-1", "k1", "down"), Turn("box-1", 1))
    rig.press(1, control)
    rig.press(2, control)
    assert bool(rig.state["dispute"] and rig.state["dispute"]["stage"] == "vote") is False
    assert rig.store.entries["m-1"], "the first reading is on disk either way"
    assert (rig.state["view"]["seats"]["1"]["caught"] == 0) is yes


def test_the_bar_of_a_seat_that_is_asked_is_its_move_and_no_dispute() -> None:
    rig = at()
    read(rig, 3)
    rig.press(2, "bar")
    assert not rig.state["dispute"] or rig.state["dispute"]["stage"] == "open"


def test_a_seat_that_does_not_play_disputes_nothing() -> None:
    rig = seated(1, 2, of=4)
    rig.start("turns")
    read(rig, 3)
    rig.press(4, "bar")
    assert rig.state["dispute"]["stage"] == "open"


def test_boxes_hold_their_sealed_choices_themselves() -> None:
    rig = at("hooks")
    read(rig, 3)
    sealed = rig.boxes.rounds["box-1"].round
    assert silent(rig, Key("box-1", "push", "down"), Key("box-1", "bar", "down"))
    rig.take(*(BoxLocked(f"box-{seat}", sealed) for seat in (1, 2, 3)))
    rig.take(*(BoxBid(f"box-{seat}", sealed, 0) for seat in (1, 2, 3)))
    assert rig.state["view"]["waiting"]["seats"] == ["1"]


# --- controls that mean nothing ----------------------------------------------------------------------------


def a_disk_that_fails() -> TableRig:
    rig = playing()
    rig.store.broken = "It is full."
    rig.act(2, "go")
    return rig


def a_vote_beside_a_guest() -> TableRig:
    rig = seated(1, 2, of=4)
    rig.start("turns")
    read(rig, 3)
    rig.press(1, "bar")
    assert rig.state["dispute"]["stage"] == "vote"
    return rig


def a_new_box() -> TableRig:
    rig = unplaced()
    plug(rig, "box-1")
    return rig


def a_guest_beside_a_match() -> TableRig:
    rig = seated(1, 2, of=4)
    rig.start("turns")
    return rig


@pytest.mark.parametrize(
    ("table", "signal"),
    [
        (a_new_box, Turn("box-1", 1)),
        (seated, Key("box-1", "k1", "down")),
        (seated, Key("box-1", "push", "hold")),
        (seated, Key("box-1", "k1", "hold")),
        (lambda: seated(1), Key("box-1", "push", "hold")),
        (a_disk_that_fails, Key("box-2", "push", "down")),
        (a_disk_that_fails, Turn("box-3", 1)),
        (a_vote_beside_a_guest, Key("box-4", "push", "down")),
        (a_vote_beside_a_guest, Turn("box-4", 1)),
        (a_vote_beside_a_guest, Key("box-2", "k1", "down")),
        (a_guest_beside_a_match, Turn("box-4", 1)),
        (a_guest_beside_a_match, Key("box-4", "push", "down")),
        (a_guest_beside_a_match, Key("box-4", "bar", "down")),
        (playing, Key("box-3", "push", "down")),
        (playing, Key("box-3", "k2", "down")),
        (asked, Key("box-3", "k1", "down")),
        (beside_the_house, Turn("box-3", 1)),
        (beside_the_house, Key("box-3", "k1", "down")),
        (lambda: at("hooks", reader=False), Key("box-2", "push", "down")),
        (lambda: at(reader=False), Key("box-3", "k1", "down")),
    ],
)
def test_a_control_that_means_nothing_shows_nothing_anew(table: Callable[[], TableRig], signal: Key | Turn) -> None:
    rig = table()
    rig.take(signal)  # whoever uses a box is there
    pictures = len(rig.phones.public)
    rig.take(signal)
    assert len(rig.phones.public) == pictures
