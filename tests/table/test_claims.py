"""A claim of a seat, and what keeps it apart from the game that is played there."""

from __future__ import annotations

import json
from collections import Counter
from math import inf
from random import Random
from typing import Any

import pytest

from hub import games
from hub.ports import CONTROLS, BoxDown, BoxUp, Key, LampPicture, PhoneLink, PhoneRequest, StaffRequest, Tick, Turn
from hub.table.boxes.captions import claim_caption
from hub.table.boxes.lettering import CAPTION_LENGTH
from hub.table.people.people import Patience
from hub.table.presses import MENU
from hub.table.seating.seat import CODE_LETTERS, person_of
from hub.table.seating.seat_list import CODE_SECONDS, HAND_OVER_SECONDS
from hub.table.seating.seats import (
    ALARM_AFTER,
    ALARM_SECONDS,
    CLAIM_SECONDS,
    PHONE_FIRST_SECONDS,
    QUIET_SECONDS,
    SHOWN_SECONDS,
)
from tests.random_client import value
from tests.table.fakes import FakePhones, TableRig

HOLD_BOTH = Key("box-2", "push", "hold")
CLAIMED = "Phone wants seat: hold bar, then push"


@pytest.fixture
def boxed() -> TableRig:
    """Three phones and three boxes in a match of Bidness, where seats answer in turn with their boxes."""
    return begun("bidness")


def begun(game: str, seed: int = 1) -> TableRig:
    """Phones and boxes at every seat, the phones asleep, in the first decision of a match."""
    least = games.find(game).seats[0]
    forever = Patience(ask=inf, idle=inf)
    rig = TableRig(max(3, least), offered=[games.find(game)], seed=seed, patience=forever)
    rig.boxes_up()
    rig.sit()
    rig.start(game)
    rig.take(*(PhoneLink(sid, False) for sid in rig.sids.values()))
    rig.decided.clear()
    return rig


def to_open_turn(rig: TableRig) -> None:
    """Go on until somebody is to answer, and nobody in secret."""
    random = Random(4)
    for _ in range(200):
        waiting = rig.state["view"]["waiting"]
        if not rig.boxes.rounds and "roll" not in waiting and waiting["seats"]:
            rig.take(*(PhoneLink(sid, False) for sid in rig.sids.values()))
            return
        step(rig, random)
    raise AssertionError("every decision is sealed")


def step(rig: TableRig, random: Random) -> None:
    """One legal request of somebody's phone, from what the hands offer."""
    waiting = rig.state["view"]["waiting"]
    if "roll" in waiting:
        mine = rig.hand(waiting["roll"]["seat"]).get("moves") or []
        if not mine or random.random() < 0.7:
            if rig.state["dice"]["state"] != "armed" and rig.state["dice"]["state"] != "no_reader":
                rig.take(Key(f"box-{waiting['roll']['seat']}", "bar", "down"))
                return
            rig.roll(*(random.randint(1, waiting["roll"]["sides"]) for _ in range(rig.state["dice"]["count"])))
            return
    may = [seat for seat in rig.sids if rig.hand(seat).get("moves") and not rig.hand(seat)["locked"]]
    if not may:
        return
    seat = random.choice(may)
    move = random.choice(rig.hand(seat)["moves"])
    args = {key: value(param, random) for key, param in move.items() if key not in ("move", "standing")}
    rig.act(seat, move["move"], **args)


def seen(rig: TableRig) -> dict[str, Any]:
    """All that a match shows, without what tells of a claim, and the record on the disk. Texts follow from the sentences."""
    state = {
        key: shown
        for key, shown in rig.state.items()
        if key not in ("claiming", "notices", "seats", "code", "session", "texts")
    }
    state["notices"] = [one for one in rig.state["notices"] if not one["key"].startswith(("claim", "wanted"))]
    seats = rig.state["seats"]
    fields = ("you", "moves", "want", "locked", "number", "secret", "undo")
    hands = {seat: {key: rig.hand(seat)[key] for key in fields} for seat in rig.sids}
    return {"state": state, "seats": seats, "hands": hands, "log": rig.store.entries}


@pytest.mark.parametrize("game", games.names())
def test_no_control_gives_a_seat_away_and_each_does_what_it_does_without_a_claim(game: str) -> None:
    """Two tables play the same match, with the same seed; at one of them a phone asks for a seat before every press."""
    quiet, claimed = begun(game), begun(game)
    random, claims = Random(7), Counter[str]()
    presses = [(control, edge) for control in CONTROLS for edge in ("down", "hold")]
    presses.remove(("push", "hold"))  # the gesture itself: the game has no use for it
    for turn in range(90):
        seat = random.randint(1, quiet.seats)
        holders = dict(claimed.sids)
        claimed.claim(seat, name="Mallory")
        for rig in (quiet, claimed):
            rig.clock.time += SHOWN_SECONDS
            rig.take(Tick())
        control, edge = presses[turn % len(presses)]
        signal: Key | Turn = Key(f"box-{seat}", control, edge)  # type: ignore[arg-type]
        if random.random() < 0.2:
            signal = Turn(f"box-{seat}", random.choice((-1, 1, 3)))
        claim = claimed.table._seats.claim_for(seat)
        waits = claim is not None and claim.by == "box"  # not for the table, which nobody has touched for long
        for rig in (quiet, claimed):
            rig.take(signal)
        assert not any(decided.held for decided in claimed.decided)
        for number, sid in holders.items():
            assert claimed.table._seats[number].sid == sid
        assert differences(seen(claimed), seen(quiet)) == [], (turn, seat, signal)
        if waits:
            assert claimed.boxes.rings[f"box-{seat}"].pattern == "claim"
            view = claimed.state["view"]
            claims[f"{claimed.state['state']}/{view['phase']}/{'roll' in view['waiting']}"] += 1
        for rig in (quiet, claimed):
            rig.clock.time += CLAIM_SECONDS
            rig.take(Tick())
            rig.clock.time += 64 * QUIET_SECONDS
            rig.take(Tick())
        state = random.getstate()
        for rig in (quiet, claimed):
            random.setstate(state)
            if rig.state["state"] == "over":
                rig.start(game)
            else:
                step(rig, random)
            rig.take(*(PhoneLink(sid, False) for sid in rig.sids.values()))
    assert sum(claims.values()) >= 25, claims


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """What differs, by name; counts of messages do not count."""
    for each in (one, other):
        each["state"] = {key: shown for key, shown in each["state"].items() if key != "seq"}
    return [key for key in one if one[key] != other[key]] + [
        key for key in one["state"] if one["state"][key] != other["state"][key]
    ]


def test_a_push_that_answers_the_game_gives_no_seat_away(boxed: TableRig) -> None:
    to_open_turn(boxed)
    seat = boxed.state["view"]["waiting"]["seats"][0]
    holder = boxed.sids[int(seat)]
    assert boxed.claim(int(seat), name="Mallory") is None
    boxed.clock.time += SHOWN_SECONDS
    before = len(boxed.store.heads), sum(map(len, boxed.store.entries.values()))
    boxed.press(int(seat), "push")
    assert sum(map(len, boxed.store.entries.values())) > before[1], "the push has answered"
    assert boxed.table._seats[int(seat)].sid == holder
    assert boxed.phones.released == []


def test_bar_and_push_held_together_let_the_other_phone_in_and_everybody_is_told(boxed: TableRig) -> None:
    to_open_turn(boxed)
    before = boxed.sids[2]
    assert boxed.claim(2, name="Ben") is None
    boxed.clock.time += SHOWN_SECONDS
    boxed.take(HOLD_BOTH)
    assert boxed.decided[-1].held
    assert boxed.phones.released == [before]
    assert {key: shown for key, shown in boxed.state["notices"][0].items() if key != "text"} == {
        "key": "taken:2",
        "severity": "warning",
        "can_acknowledge": True,
    }
    assert boxed.notice() == "Seat 2 has moved to another phone."
    boxed.sids[2] = boxed.decided[-1].sid
    assert boxed.say(1, "acknowledge", {"key": "taken:2"})["ok"]
    assert boxed.notice() == ""


def test_a_claim_is_shown_by_ring_display_and_screen_before_its_gesture_counts(boxed: TableRig) -> None:
    to_open_turn(boxed)
    boxed.claim(2)
    assert [boxed.boxes.rings["box-2"].pattern] == ["claim"]
    assert boxed.lamps.shown[-1][2] == LampPicture("claim", 0, boxed.lamps.shown[-1][2].colour)
    assert [boxed.boxes.texts["box-2"]] == ["Phone wants seat: hold bar, then push"]
    assert boxed.notice().startswith("Another phone asks for seat 2.")
    boxed.clock.time += SHOWN_SECONDS - 0.1
    boxed.take(HOLD_BOTH)
    assert len(boxed.decided) == 0
    assert len(boxed.phones.released) == 0
    boxed.clock.time += 0.1
    boxed.take(HOLD_BOTH)
    assert boxed.decided[-1].held
    assert "claim" not in [one["key"].partition(":")[0] for one in boxed.state["notices"]]
    assert boxed.boxes.rings["box-2"].pattern != "claim"
    assert boxed.boxes.texts["box-2"] != "Phone wants seat: hold bar, then push"


def test_nobody_bids_blind_while_somebody_asks_for_the_seat() -> None:
    rig = begun("bid-it")
    to_open_turn(rig)
    (seat,) = map(int, rig.state["view"]["waiting"]["seats"])
    box, idle = f"box-{seat}", seat % 3 + 1
    rig.take(Turn(box, 2))
    line = rig.boxes.texts[box]
    rig.claim(seat)
    assert rig.boxes.texts[box] == line, "the keys answer the match, and the display says what they would answer"
    assert rig.boxes.rings[box].pattern == "claim"
    rig.take(Turn(box, 1))
    assert rig.boxes.texts[box] not in (line, CLAIMED), "and follows the dial"
    rig.claim(idle)
    assert rig.boxes.texts[f"box-{idle}"] == CLAIMED, "the match asks this seat nothing"
    before = len(rig.match.log)
    rig.press(seat, "push")
    assert len(rig.match.log) > before
    assert rig.boxes.texts[box] == CLAIMED, "the match asks it nothing any more"


def idle_box(rig: TableRig) -> int:
    """Go on to an open turn; return a seat that it asks nothing."""
    to_open_turn(rig)
    return next(seat for seat in (1, 2, 3) if str(seat) not in map(str, rig.state["view"]["waiting"]["seats"]))


def test_a_claim_does_not_hide_the_question_that_the_keys_answer() -> None:
    rig = begun("bid-it")
    idle = idle_box(rig)
    asker = idle % 3 + 1
    for seat in (1, 2, 3):
        rig.press(seat, "k6")  # somebody is there
    to_open_turn(rig)
    assert rig.say(asker, "ask", {"what": "put_aside"})["ok"]
    line = rig.boxes.texts[f"box-{idle}"]
    assert line == "Suspend match? Push yes, bar no"
    rig.claim(idle)
    assert rig.boxes.texts[f"box-{idle}"] == line
    assert rig.boxes.rings[f"box-{idle}"].pattern == "claim"
    rig.press(idle, "bar")
    assert rig.state["question"]["votes"][str(idle)] == "no"
    assert rig.boxes.texts[f"box-{idle}"] == CLAIMED, "the keys answer nothing any more"


@pytest.mark.parametrize("claimed", [False, True])
def test_a_push_does_what_the_dial_has_picked_only_while_the_display_says_it(claimed: bool) -> None:
    rig = begun("bid-it")
    idle = idle_box(rig)
    rig.take(Turn(f"box-{idle}", 1))
    assert rig.boxes.texts[f"box-{idle}"] == MENU[0][1]
    if claimed:
        rig.claim(idle)
        assert rig.boxes.texts[f"box-{idle}"] == CLAIMED
    rig.press(idle, "push")
    assert (rig.state["paused"] is None) is claimed


def test_the_gesture_gives_no_seat_away_that_nobody_asks_for(boxed: TableRig) -> None:
    to_open_turn(boxed)
    boxed.claim(2)
    boxed.clock.time += SHOWN_SECONDS
    before = boxed.sids.copy()
    boxed.take(Key("box-1", "push", "hold"), Key("box-3", "push", "hold"))
    assert {seat.number: seat.sid for seat in boxed.table._seats} == before


def test_the_phone_that_holds_the_seat_is_asked_first_and_can_keep_it(boxed: TableRig) -> None:
    to_open_turn(boxed)
    boxed.take(PhoneLink(boxed.sids[2], True))
    boxed.claim(2)
    number = boxed.hand(2)["claim"]
    assert number is not None
    assert [boxed.hand(seat)["claim"] for seat in (1, 3)] == [None, None]
    boxed.clock.time += SHOWN_SECONDS
    boxed.take(HOLD_BOTH)
    assert not boxed.decided, "the phone has not said anything yet"
    assert boxed.say(2, "claim", {"claim": number, "say": "keep"})["ok"]
    assert not boxed.decided[-1].held
    assert boxed.hand(2)["claim"] is None
    assert boxed.say(2, "claim", {"claim": number, "say": "give"})["code"] == "CLAIM"
    asked = boxed.claim(2)
    assert asked
    assert (
        asked.say
        == "Seat 2 was asked for a moment ago, and nobody agreed. Type the code that its phone shows under Seat."
    )


def test_the_phone_that_holds_the_seat_can_hand_it_over(boxed: TableRig) -> None:
    to_open_turn(boxed)
    before = boxed.sids[2]
    boxed.take(PhoneLink(before, True))
    boxed.claim(2)
    claim = boxed.hand(2)["claim"]
    boxed.sids.pop(2)
    boxed.take(
        PhoneRequest(before, "0" * 16, 1, boxed.state["epoch"], None, "claim", {"claim": claim, "say": "give"}),
    )
    assert boxed.decided[-1].held
    assert boxed.phones.released == [before]


def test_a_phone_that_says_nothing_leaves_it_to_the_box(boxed: TableRig) -> None:
    to_open_turn(boxed)
    boxed.take(PhoneLink(boxed.sids[2], True))
    boxed.claim(2)
    boxed.clock.time += PHONE_FIRST_SECONDS
    boxed.take(HOLD_BOTH)
    assert boxed.decided[-1].held


def test_only_the_seats_own_phone_decides_about_its_claim(boxed: TableRig) -> None:
    to_open_turn(boxed)
    boxed.claim(2)
    number = boxed.hand(2)["claim"]
    assert boxed.say(1, "claim", {"claim": number, "say": "give"})["code"] == "CLAIM"
    assert not boxed.decided


def test_whoever_sits_there_is_asked_more_and_more_seldom(boxed: TableRig) -> None:
    """A stranger on the Wi-Fi can ask for ever: not every half minute."""
    to_open_turn(boxed)
    boxed.take(PhoneLink(boxed.sids[1], True))
    pauses = []
    for _ in range(3):
        assert boxed.claim(2) is None
        boxed.clock.time += CLAIM_SECONDS
        boxed.take(Tick())
        since = boxed.clock.time
        while (decided := boxed.claim(2)) is not None:
            assert not decided.held
            boxed.clock.time += 30
        boxed.table._seats.refuse(2, "")  # the claim that was let through
        pauses.append(boxed.clock.time - since)
        boxed.clock.time += 64 * QUIET_SECONDS
    assert pauses == sorted(pauses)
    assert pauses[-1] > pauses[0]


def test_a_push_of_the_first_second_is_the_lobbys_and_not_the_claims() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.claim(2)
    assert rig.boxes.texts["box-2"] == "Phone wants this seat: push yes, bar no"
    rig.press(2, "push")
    assert not rig.decided
    assert rig.state["seats"][1]["ready"], "somebody has sat down with the box alone"
    assert rig.boxes.texts["box-2"] == "Phone wants seat: hold bar, then push", "a push is for the game now"
    rig.clock.time += SHOWN_SECONDS
    rig.press(2, "push")
    assert not rig.decided
    rig.take(HOLD_BOTH)
    assert rig.decided[-1].held


def test_a_free_seat_in_a_match_is_not_given_by_a_push() -> None:
    rig = TableRig(4)
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start()
    rig.decided.clear()
    rig.claim(4)
    rig.clock.time += SHOWN_SECONDS
    rig.press(4, "push")
    assert not rig.decided
    rig.take(Key("box-4", "push", "hold"))
    assert rig.decided[-1].held


def test_whoever_is_given_a_seat_has_a_login_that_is_made_already(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = TableRig(2)
    rig.boxes_up()
    rig.sit(1)
    monkeypatch.setattr(FakePhones, "spare", lambda _: ("made-before", "its password"))
    rig.sit(2)
    assert rig.sids[2] == "made-before"
    assert rig.table._seats[2].password == "its password"
    assert rig.sids[1] != "made-before"


def test_what_displays_say_of_a_claim_fits() -> None:
    assert all(len(claim_caption(push=push)) <= CAPTION_LENGTH for push in (True, False))


def test_a_box_that_comes_back_tells_of_the_claim(boxed: TableRig) -> None:
    to_open_turn(boxed)
    boxed.claim(2)
    boxed.boxes.texts.clear()
    boxed.take(BoxUp("box-2", "b1", "1", 8))
    assert boxed.boxes.texts["box-2"] == "Phone wants seat: hold bar, then push"


# --- codes -----------------------------------------------------------------------------------------------


def everything_published(rig: TableRig) -> str:
    return json.dumps(rig.phones.public)


def test_codes_of_seats_go_to_the_tables_own_screens_and_are_never_published() -> None:
    rig = TableRig(boxes=False)
    codes = [rig.code(seat) for seat in (1, 2, 3)]
    assert all(len(code) == 6 and set(code) <= set(CODE_LETTERS) for code in codes)
    rig.sit(1, 2)
    assert rig.page.codes == {"3": codes[2]}
    rig.start()
    rig.say_leave(2)
    rig.say(1, "code", {"seat": 2})
    published = everything_published(rig)
    assert not [code for code in (*codes, rig.code(2)) if code in published]


def said_to_a_claim(rig: TableRig, seat: int) -> str:
    decided = rig.claim(seat)
    assert decided
    assert not decided.held
    return decided.say


def test_a_refusal_names_only_a_way_that_is_there() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    screen, phone = "Type its code from the big screen.", "Type the code that its phone shows under Seat."
    assert said_to_a_claim(rig, 2) == f"Seat 2 has no box. {phone}"
    rig.start()
    rig.say_leave(2)
    assert rig.page.codes == {}
    assert said_to_a_claim(rig, 2) == "Seat 2 has no box. Anybody with a phone here can show its code, under Seat."
    rig.say(1, "code", {"seat": 2})
    assert rig.page.codes
    assert said_to_a_claim(rig, 2) == f"Seat 2 has no box. {screen}"
    rig.clock.time += CODE_SECONDS
    rig.take(Tick())
    assert "big screen" not in said_to_a_claim(rig, 2)


def test_a_seat_whose_box_is_gone_in_play_is_had_with_help_alone() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit(1)
    rig.take(Key("box-2", "push", "down"))
    rig.take(Key("box-3", "push", "down"))
    rig.start()
    seat = rig.table._seats[2]
    assert seat.joined
    assert not seat.sid
    assert said_to_a_claim(rig, 2) == "Seat 2 is choosing on its box. Try again later, or ask staff."
    rig.take(BoxDown("box-2", "It is gone."))
    assert said_to_a_claim(rig, 2) == "Seat 2 has no box. Anybody with a phone here can show its code, under Seat."


def test_where_no_phone_is_left_a_refusal_sends_to_the_screen_or_to_staff() -> None:
    rig = TableRig(boxes=False)
    rig.sit(1, 2)
    rig.take(*(PhoneLink(sid, False) for sid in rig.sids.values()))
    seats = rig.table._seats
    assert seats.how_to_join(seats[1]) == "Try again later, or ask staff."
    assert seats.how_to_join(seats[3]) == "Type its code from the big screen."


def test_the_code_of_a_hand_in_play_is_shown_only_when_the_table_asks_for_it() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    hand = rig.hand(2)["you"]
    rig.say_leave(2)
    assert rig.page.codes == {}
    assert rig.say(1, "code", {"seat": 3})["code"] == "CODE", "a phone holds that one"
    assert rig.say(1, "code", {"seat": 6})["code"] == "CODE"
    assert rig.say(1, "code", {"seat": 2})["ok"]
    code = rig.code(2)
    rig.clock.time += CODE_SECONDS
    rig.take(Tick())
    assert rig.page.codes == {}
    decided = rig.claim(2, code)
    assert decided
    assert decided.held, "it was read in time and typed slowly"
    rig.sids[2] = decided.sid
    assert rig.hand(2)["you"] == hand
    assert rig.notice() == "Seat 2 plays on a phone now."
    rig.clock.time += 15
    rig.take(Tick())
    assert rig.state["notices"] == [], "that is old news now"


def test_where_nobody_is_left_to_ask_the_codes_are_shown() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    for seat in (1, 2):
        rig.say_leave(seat)
    assert rig.page.codes == {}
    rig.say_leave(3)
    assert sorted(rig.page.codes) == ["1", "2", "3"]


def test_the_box_of_a_seat_whose_phone_is_away_shows_its_code(boxed: TableRig) -> None:
    to_open_turn(boxed)
    assert boxed.page.codes == {}
    boxed.take(PhoneLink(boxed.sids[3], True))
    boxed.take(Key("box-3", "push", "hold"))
    assert boxed.page.codes == {}, "its phone is on and shows the code itself"
    boxed.take(HOLD_BOTH)
    assert list(boxed.page.codes) == ["2"]


def test_a_code_that_takes_a_seat_over_is_told_to_everybody(boxed: TableRig) -> None:
    decided = boxed.claim(2, boxed.hand(2)["seat_code"])
    assert decided
    assert decided.held
    assert boxed.notice() == "Seat 2 has moved to another phone."


def test_a_kept_code_of_four_digits_is_replaced() -> None:
    rig = TableRig(boxes=False)
    rig.sit(1)
    kept = json.loads(rig.store.kept["1", "places"])
    kept[2]["code"] = "4821"
    rig.store.kept["1", "places"] = json.dumps(kept).encode()
    again = TableRig(boxes=False, store=rig.store)
    assert len(again.code(3)) == 6


# --- a seat that its own phone hands over -----------------------------------------------------------------------


def test_who_scans_the_code_that_a_phone_shows_has_its_seat_once() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    before, old = rig.hand(2), rig.sids[2]
    assert before["hand_over"] is None
    assert rig.say(2, "hand_over")["ok"]
    code = rig.hand(2)["hand_over"]
    assert (len(code), rig.hand(2)["hand_over_seconds"]) == (16, HAND_OVER_SECONDS)
    assert code not in json.dumps(rig.phones.public)
    assert code not in str(rig.table._seats[2])
    decided = rig.claim(2, code, "Ben")
    assert decided
    assert decided.held
    assert old in rig.phones.released
    assert any(one["text"] == "Seat 2 has moved to another phone." for one in rig.state["notices"])
    rig.sids[2] = decided.sid
    assert rig.hand(2)["you"] == before["you"]
    assert rig.hand(2)["hand_over"] is None
    again = rig.claim(2, code)
    assert again
    assert not again.held
    assert "scanned before" in again.say


def test_a_code_to_scan_is_over_after_two_minutes_and_when_it_is_stopped() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.say(1, "hand_over")
    code = rig.hand(1)["hand_over"]
    rig.clock.time += HAND_OVER_SECONDS
    rig.take(Tick())
    assert rig.hand(1)["hand_over"] is None
    decided = rig.claim(1, code)
    assert decided
    assert not decided.held
    rig.say(1, "hand_over")
    code = rig.hand(1)["hand_over"]
    assert rig.say(1, "hand_over", {"show": False})["ok"]
    decided = rig.claim(1, code)
    assert decided
    assert not decided.held
    assert not rig.say(1, "hand_over", {"show": "yes"})["ok"]


def test_a_code_to_scan_is_no_other_seats_and_ends_with_a_restart_and_with_who_leaves() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.say(1, "hand_over")
    code = rig.hand(1)["hand_over"]
    decided = rig.claim(2, code)
    assert decided
    assert not decided.held
    assert not any(code.encode() in kept for kept in rig.store.kept.values()), "it is not on the disk"
    again = TableRig(boxes=False, store=rig.store)
    decided = again.claim(1, code)
    assert decided
    assert not decided.held
    rig.say_leave(1)
    decided = rig.claim(1, code)
    assert decided
    assert not decided.held


# --- what is told and kept ---------------------------------------------------------------------------------------


def test_an_occupied_seat_is_asked_for_half_as_often_after_each_refusal_until_it_has_another_phone() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    seats = rig.table._seats
    for factor in (1, 2, 4, 8, 16, 32, 32):
        assert rig.claim(2) is None
        seats.refuse(2, "No.")
        rig.clock.time += factor * QUIET_SECONDS - 1
        assert "nobody agreed" in said_to_a_claim(rig, 2)
        rig.clock.time += 1
    assert rig.claim(2) is None
    assert rig.claim(2, seats[2].code)
    assert rig.claim(2) is None
    seats.refuse(2, "No.")
    rig.clock.time += QUIET_SECONDS
    assert rig.claim(2) is None


def test_only_a_wrong_code_counts_as_one() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    for code, wrong in (("B" * 6, True), ("B" * 16, True), (None, False)):
        decided = rig.claim(2, code)
        assert decided
        assert (decided.held, decided.wrong_code) == (False, wrong)


def test_ten_wrong_codes_within_ten_minutes_are_told_and_older_ones_do_not_count() -> None:
    rig = TableRig(boxes=False)
    for times in (5, ALARM_AFTER - 1):
        for _ in range(times):
            rig.claim(2, "B" * 6)
        assert not guessing(rig)
        rig.clock.time += ALARM_SECONDS + 1
    for _ in range(ALARM_AFTER - 1):
        rig.claim(2, "B" * 6)
    rig.clock.time += ALARM_SECONDS
    assert not guessing(rig)
    rig.claim(2, "B" * 6)
    assert guessing(rig)


def guessing(rig: TableRig) -> bool:
    """Whether the table says that somebody guesses codes."""
    return any(one["key"] == "guessing" for one in rig.state["notices"])


def test_a_claim_that_nobody_answers_is_refused_when_its_time_is_over_and_everybody_sees_it() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    assert rig.claim(2) is None
    rig.clock.time += CLAIM_SECONDS - 0.5
    rig.take(Tick())
    assert rig.state["claiming"] == [2]
    rig.clock.time += 0.5
    rig.take(Tick())
    assert rig.state["claiming"] == []
    assert rig.decided[-1].say.startswith("Nobody at the seat agreed in time.")


def test_two_claims_are_never_taken_for_each_other() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    numbers = []
    for seat in (1, 2, 1):
        assert rig.claim(seat) is None
        numbers.append(rig.hand(seat)["claim"])
        rig.table._seats.cancel_claim(1, "No.")
    assert len(set(numbers)) == 3


def test_a_login_has_an_id_of_16_letters_and_a_password_of_32() -> None:
    rig = TableRig(boxes=False)
    decided = rig.claim(1, rig.code(1))
    assert decided
    assert (len(decided.sid), len(decided.password)) == (16, 32)


def test_a_phone_is_known_to_the_next_version_of_the_hub() -> None:
    """The ids on the disk stay the same, or nobody could go on with a suspended match after an update."""
    assert person_of(bytes(32)) == "f134db3c1381f9665134b0cbe6554c8982bcd36094b06a91038112e6790f5988"


@pytest.mark.parametrize("by", ["phone", "staff"])
def test_nothing_of_a_login_stays_on_the_disk_when_its_phone_is_gone_and_only_its_own_request_is_answered(
    by: str,
) -> None:
    rig = TableRig(boxes=False)
    rig.sit(1)
    sid = rig.sids[1]
    if by == "phone":
        rig.say_leave(1)
        assert rig.phones.answers[sid][-1]["ok"]
    else:
        rig.take(StaffRequest("free", {"seat": 1}, lambda *_: None))
        assert sid not in rig.phones.answers
    kept = json.loads(rig.store.kept["1", "places"])[0]
    assert (kept["sid"], kept["password"], kept["phone_key"]) == ("", "", "")
    assert sid in rig.phones.released


def test_a_code_that_is_no_longer_shown_sends_nothing_more_to_the_phones() -> None:
    rig = TableRig(boxes=False)
    rig.sit()
    rig.start()
    rig.say_leave(2)
    assert rig.say(1, "code", {"seat": 2})["ok"]
    rig.clock.time += CODE_SECONDS - 0.5
    rig.take(Tick())
    assert "2" in rig.page.codes
    rig.clock.time += 0.5
    rig.take(Tick())
    assert "2" not in rig.page.codes
    before = len(rig.phones.public)
    rig.take(Tick(), Tick())
    assert len(rig.phones.public) == before


def test_a_choosing_box_is_not_passed_over_because_its_phone_has_been_away_for_long() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    rig.take(PhoneLink(rig.sids[2], False))
    rig.clock.time += 200
    rig.take(Tick())
    assert said_to_a_claim(rig, 2) == "Seat 2 is choosing on its box. Try again later, or ask staff."


def test_boxes_and_their_claims_stay_where_they_are_when_people_change_places() -> None:
    rig = TableRig(4)
    rig.sit(1, 2)
    keys = {seat: rig.key(seat) for seat in (1, 2)}
    rig.start()
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(2, "vote", {"say": "yes"})
    (offer,) = rig.state["put_aside"]
    for seat in (1, 2):
        rig.say_leave(seat)
    rig.sit_again(1, [keys[2]])
    rig.sit_again(2, [keys[1]])
    rig.take(BoxUp("box-4", "b1", "1", 8))
    assert rig.claim(4) is None
    assert rig.say(1, "take_up", {"match": offer["match"]})["ok"]
    assert rig.state["state"] == "playing"
    assert rig.state["claiming"] == [4]
    rig.take(BoxUp("box-1", "b1", "1", 8))
    assert [seat["box"] for seat in rig.state["seats"]] == ["on", "lost", "lost", "on"]
