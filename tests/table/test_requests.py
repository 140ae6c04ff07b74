"""What each verb of a phone does, and with which sentence and code it is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hub import games
from hub.engine.decision import CHANCE
from hub.ports import Missing, PhoneLink, PhoneRequest, Tick
from hub.table.base.names import MISLEADING_NAME, NAME_IN_USE
from tests.table.fakes import TableRig
from tests.table.test_dispute import GAMES as FISHING
from tests.table.test_dispute import at, disputes, read
from tests.table.test_table import SHORT


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    known = FISHING | {name: games.find(name) for name in ("bid-and-bait",)}
    monkeypatch.setattr(games, "find", known.__getitem__)


def lobby(*seats: int, **more: Any) -> TableRig:
    """Phones sit there, and no match is under way."""
    rig = TableRig(3, offered=[FISHING["turns"], FISHING["hooks"]], boxes=False, **more)
    if "store" not in more:
        rig.sit(*(seats or (1, 2, 3)))
    return rig


def playing() -> TableRig:
    """Seat 1 has rolled a three, and seat 2 is asked."""
    rig = at(boxes=False)
    read(rig, 3)
    return rig


def rolling() -> TableRig:
    """Seat 1 is asked for its dice; there is no reader."""
    return at(boxes=False, reader=False)


def refused(rig: TableRig, seat: int, verb: str, args: dict[str, Any] | None = None, **more: Any) -> tuple[str, str]:
    answer = rig.say(seat, verb, args, **more)
    assert not answer["ok"]
    return answer["code"], answer["error"]


def done(rig: TableRig, seat: int, verb: str, /, **args: Any) -> None:
    answer = rig.say(seat, verb, args)
    assert answer["ok"], answer


def seat_of(rig: TableRig, number: int) -> dict[str, Any]:
    found: dict[str, Any] = rig.state["seats"][number - 1]
    return found


@pytest.mark.parametrize(
    ("table", "seat", "verb", "args", "code", "sentence"),
    [
        (lobby, 1, "start", {"game": "none"}, "START", "There is no game none at this table."),
        (playing, 1, "start", {"game": "turns"}, "START", "A match is under way at this table."),
        (lobby, 1, "name", {"name": "Seat 2"}, "NAME", MISLEADING_NAME),
        (lobby, 1, "name", {"name": "guest  2"}, "NAME", NAME_IN_USE),
        (lobby, 1, "pause", {}, "QUESTION", "Only players of a match can pause it."),
        (lobby, 1, "code", {"seat": 2}, "CODE", "Only the code of a seat without a phone can be shown."),
        (lobby, 1, "code", {"seat": 1}, "CODE", "Only the code of a seat without a phone can be shown."),
        (lobby, 1, "code", {"seat": 4}, "CODE", "Only the code of a seat without a phone can be shown."),
        (lobby, 1, "claim", {"claim": 1, "say": "give"}, "CLAIM", "Nobody asks for this seat any more."),
        (playing, 1, "hub_rolls", {"on": True}, "DICE",
         "Between matches, players seated here can choose who rolls the dice."),
        (playing, 1, "hints", {"allow": True}, "HINTS", "Choose between matches whether hints are allowed."),
        (playing, 1, "lessons", {"explain": True}, "LESSONS",
         "Choose between matches whether the first round is explained."),
        (lobby, 1, "lessons", {"on": True}, "LESSONS", "Only players of a match get its rules explained."),
    ],
)  # fmt: skip
def test_a_verb_at_the_wrong_time_is_refused_with_its_code(
    table: Callable[[], TableRig], seat: int, verb: str, args: dict[str, Any], code: str, sentence: str
) -> None:
    rig = table()
    before = rig.state["seats"], rig.state["view"], rig.state["notices"]
    assert refused(rig, seat, verb, args) == (code, sentence)
    assert (rig.state["seats"], rig.state["view"], rig.state["notices"]) == before


@pytest.mark.parametrize(
    ("verb", "args", "code", "sentence"),
    [
        ("hints", {"allow": True}, "HINTS", "Only players seated here can allow hints."),
        ("lessons", {"explain": True}, "LESSONS",
         "Only players seated here can choose whether the first round is explained."),
        ("hub_rolls", {"on": True}, "DICE", "Between matches, players seated here can choose who rolls the dice."),
        ("acknowledge", {"key": "help"}, "NOTICE", "Only players seated here can dismiss a notice."),
    ],
)  # fmt: skip
def test_a_phone_whose_person_is_not_at_the_table_chooses_nothing_for_it(
    verb: str, args: dict[str, Any], code: str, sentence: str
) -> None:
    rig = lobby()
    places = json.loads(rig.store.kept["1", "places"])
    places[2]["joined"] = False
    rig.store.kept["1", "places"] = json.dumps(places).encode()
    again = lobby(store=rig.store)
    again.sids, rig = rig.sids, again
    done(rig, 1, "help")
    assert refused(rig, 3, verb, args) == (code, sentence)
    assert rig.say(1, verb, args)["ok"] or verb == "acknowledge"


@pytest.mark.parametrize(("back", "ok"), [(0, True), (1, False)])
def test_a_request_of_an_earlier_epoch_is_stale(back: int, ok: bool) -> None:
    rig = playing()
    answer = rig.say(1, "help", epoch=rig.state["epoch"] - back)
    assert (answer["ok"], answer["code"] is None) == (ok, ok)


# --- in a match --------------------------------------------------------------------------------------------


def test_a_move_is_made_once_and_for_the_question_that_it_names() -> None:
    rig = playing()
    number = rig.hand(2)["number"]
    assert not rig.say(2, "act", {"move": "go"}, number=number - 1)["ok"]
    assert rig.say(2, "act", {"move": "go"}, number=number)["ok"]
    assert rig.match.log[-1].move == "go"
    assert (rig.match.log[-1].seat, rig.match.log[-1].args) == (2, {})
    assert not rig.say(2, "act", {"move": "go"}, number=number)["ok"]


def test_dice_are_typed_and_accepted_or_read_again_for_the_roll_that_is_open() -> None:
    rig = rolling()
    number = rig.hand(1)["number"]
    assert not rig.say(1, "roll", {"faces": [4]}, number=number + 1)["ok"]
    assert rig.say(1, "roll", {"faces": [4]}, number=number)["ok"]
    assert rig.state["dice"]["state"] == "typed"
    assert not rig.say(2, "dice", {"say": "again"}, number=number + 1)["ok"]
    assert rig.say(2, "dice", {"say": "again"}, number=number)["ok"]
    assert rig.state["dice"]["state"] != "typed"
    done(rig, 1, "roll", faces=[4])
    assert not rig.say(3, "dice", {"say": "accept"}, number=number + 1)["ok"]
    assert rig.say(3, "dice", {"say": "accept"}, number=number)["ok"]
    assert rig.match.log[-1].args["faces"] == [4]


def test_the_hub_rolls_when_all_phones_want_it() -> None:
    rig = rolling()
    for seat in (1, 2, 3):
        assert rig.match.log == []
        done(rig, seat, "dice", say="hub")
    assert (rig.match.log[0].seat, rig.match.log[0].args["read"]) == (CHANCE, "hub")


@pytest.mark.parametrize(("word", "again"), [("reread", True), ("stands", False)])
def test_a_roll_is_disputed_and_voted_on(word: str, again: bool) -> None:
    rig = playing()
    assert disputes(rig, 3)["ok"]
    assert rig.state["dispute"]["stage"] == "vote"
    for seat in (1, 2):
        rig.say(seat, "dice", {"say": word})
    assert (rig.state["view"]["seats"]["1"]["caught"] == 0) is again


def test_a_move_is_taken_back() -> None:
    rig = playing()
    assert rig.act(2, "go")["ok"]
    assert not rig.say(1, "undo")["ok"]
    done(rig, 2, "undo")
    assert [entry.move for entry in rig.match.log] == ["roll"]


def test_a_match_is_paused_and_goes_on() -> None:
    rig = playing()
    done(rig, 3, "pause")
    assert rig.state["paused"] == 3
    done(rig, 2, "pause")
    assert rig.state["paused"] is None


def test_a_match_is_suspended_by_a_vote_and_resumed() -> None:
    rig = playing()
    done(rig, 1, "ask", what="put_aside")
    assert rig.state["question"]["kind"] == "put_aside"
    done(rig, 2, "vote", say="yes")
    assert rig.state["state"] == "lobby"
    assert not rig.say(1, "take_up", {"match": "m-9"})["ok"]
    done(rig, 1, "take_up", match="m-1")
    assert (rig.state["state"], rig.state["match"]) == ("playing", "m-1")


def test_lessons_of_a_match_are_turned_off_and_on_for_one_phone() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    rig.start()
    done(rig, 2, "lessons", on=False)
    assert rig.state["teaching"]["skips"] == [2]
    done(rig, 2, "lessons", on=True)
    assert rig.state["teaching"]["skips"] == []


# --- at the table ------------------------------------------------------------------------------------------


def test_a_name_is_tidied_and_written_once() -> None:
    rig = lobby()
    done(rig, 1, "name", name="  Ana Maria ")
    assert seat_of(rig, 1)["name"] == "Ana Maria"
    writes = rig.order.count("keep places")
    done(rig, 1, "name", name="Ana Maria")
    assert rig.order.count("keep places") == writes
    assert refused(rig, 2, "name", {"name": "ana maria"}) == ("NAME", NAME_IN_USE)
    done(rig, 1, "name", name="Ana MARIA")
    assert seat_of(rig, 1)["name"] == "Ana MARIA", "its own name is in nobody's way"


@pytest.mark.parametrize(("match", "held"), [(False, False), (True, True)])
def test_a_phone_leaves_and_its_person_keeps_the_seat_in_a_match(match: bool, held: bool) -> None:
    rig = playing() if match else lobby()
    sid = rig.sids[2]
    rig.say_leave(2)
    assert (seat_of(rig, 2)["phone"], seat_of(rig, 2)["held"]) == ("none", held)
    assert sid not in rig.phones.admitted
    assert rig.phones.answers[sid][-1]["ok"]


def test_the_code_of_a_seat_without_a_phone_is_shown() -> None:
    rig = playing()
    rig.say_leave(2)
    assert "2" not in rig.page.codes
    done(rig, 1, "code", seat=2)
    assert "2" in rig.page.codes
    assert refused(rig, 1, "code", {"seat": 3})[0] == "CODE"


def test_a_phone_shows_a_code_for_another_phone_and_hides_it() -> None:
    rig = lobby()
    done(rig, 1, "hand_over")
    assert rig.hand(1)["hand_over"]
    done(rig, 1, "hand_over", show=False)
    assert not rig.hand(1)["hand_over"]
    done(rig, 1, "hand_over", show=True)
    assert rig.hand(1)["hand_over"]


@pytest.mark.parametrize(
    ("word", "held", "sentence"), [("give", True, "Seat 1 is yours."), ("keep", False, "Seat 1 said no.")]
)
def test_a_phone_answers_the_claim_of_its_own_seat_and_no_other_one(word: str, held: bool, sentence: str) -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit()
    assert rig.claim(1) is None
    claim = rig.hand(1)["claim"]
    nobody = "CLAIM", "Nobody asks for this seat any more."
    assert refused(rig, 1, "claim", {"claim": claim + 1, "say": word}) == nobody
    assert refused(rig, 2, "claim", {"claim": claim, "say": word}) == nobody
    before = len(rig.decided)
    rig.say(1, "claim", {"claim": claim, "say": word}) if not held else rig.take(
        *[request(rig, 1, "claim", {"claim": claim, "say": word})]
    )
    assert len(rig.decided) == before + 1
    assert (rig.decided[-1].held, rig.decided[-1].say) == (held, sentence)


def request(rig: TableRig, seat: int, verb: str, args: dict[str, Any]) -> PhoneRequest:
    """A request whose phone may have no seat afterwards."""
    return PhoneRequest(rig.sids[seat], rig.fresh_id(), 1, rig.state["epoch"], None, verb, args)


def test_help_is_called_and_taken_back_by_each_seat_for_itself() -> None:
    rig = lobby()
    done(rig, 1, "help")
    done(rig, 2, "help")
    done(rig, 1, "help")
    assert [one["text"] for one in rig.state["notices"]] == ["Seat 2 calls for help."]


def test_a_notice_is_dismissed() -> None:
    rig = playing()
    rig.store.lost["1"] = Missing("m-1", 7, 4)
    again = TableRig(3, boxes=False, offered=[FISHING["turns"]], store=rig.store)
    again.sids = rig.sids
    assert "lost" in [one["key"] for one in again.state["notices"]]
    assert not again.say(1, "acknowledge", {"key": "none"})["ok"]
    done(again, 1, "acknowledge", key="lost")
    assert "lost" not in [one["key"] for one in again.state["notices"]]


# --- between matches ---------------------------------------------------------------------------------------


def test_a_seat_is_ready_and_not_ready_as_it_says_or_the_other_way_round() -> None:
    rig = lobby()
    for args, ready in (
        ({"ready": True}, True),
        ({"ready": True}, True),
        ({}, False),
        ({}, True),
        ({"ready": False}, False),
    ):
        done(rig, 2, "ready", **args)
        assert seat_of(rig, 2)["ready"] is ready


def test_a_match_starts_with_its_options() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    rig.ready()
    games = rig.state["games"][0]["name"]
    done(rig, 1, "start", game=games, options={"sides": "advanced"})
    assert rig.match.setup.options["sides"] == "advanced"


def test_the_same_match_is_played_again() -> None:
    rig = TableRig(2, offered=[SHORT], boxes=False)
    rig.sit()
    rig.start("short")
    assert not rig.say(1, "again")["ok"]
    assert rig.act(1, "climb", by=1)["ok"]
    assert rig.state["state"] == "over"
    rig.ready()
    done(rig, 1, "again")
    assert (rig.state["state"], rig.state["match"], rig.state["game"]) == ("playing", "m-2", "short")


def test_who_is_ready_may_let_a_start_wait() -> None:
    rig = lobby()
    done(rig, 1, "start", game="turns", options={})
    starting = rig.state["starting"]
    assert starting
    done(rig, 2, "wait")
    assert rig.state["starting"] != starting


def test_people_choose_who_rolls_and_whether_they_want_hints_and_lessons() -> None:
    rig = lobby()
    for on in (True, False):
        done(rig, 1, "hub_rolls", on=on)
        assert rig.state["hub_rolls"] is on
        done(rig, 1, "hints", allow=on)
        assert rig.state["hints"] is on
        done(rig, 1, "lessons", explain=on)
        assert rig.state["explain"] is on


def test_a_phone_has_hints_on_or_off_for_itself() -> None:
    rig = lobby()
    done(rig, 1, "hints", allow=True)
    done(rig, 2, "hints", on=True)
    assert (rig.hand(2)["hints"], rig.hand(1)["hints"]) == (True, False)
    done(rig, 2, "hints", on=False)
    assert rig.hand(2)["hints"] is False


def test_a_wish_is_noted_at_its_seat_with_the_options_of_its_game() -> None:
    rig = TableRig(3, boxes=False)
    rig.sit()
    game = rig.state["games"][0]["name"]
    done(rig, 2, "wish", game=game, options={"sides": "advanced"})
    assert seat_of(rig, 2)["wish"] == game
    assert (rig.state["game"], rig.state["options"]) == (game, {"sides": "advanced"})


def test_the_house_takes_a_seat_and_gives_it_back() -> None:
    rig = lobby(1, 2)
    done(rig, 1, "house", seat=3, strength="sharp")
    assert seat_of(rig, 3)["house"] == "sharp"
    done(rig, 1, "house", seat=3, strength="")
    assert seat_of(rig, 3)["house"] == ""


def test_the_seat_of_somebody_who_has_gone_is_freed() -> None:
    rig = lobby()
    rig.take(PhoneLink(rig.sids[3], on=False))
    rig.clock.time += 600
    rig.take(Tick())
    for seat in (1, 2):
        rig.take(PhoneLink(rig.sids[seat], on=True))
    assert seat_of(rig, 3)["held"]
    done(rig, 1, "free", seat=3)
    assert not seat_of(rig, 3)["held"]


def test_the_reason_why_nothing_started_is_gone_with_the_next_request_that_is_done() -> None:
    rig = TableRig(3)
    rig.boxes_up()
    rig.sit(2)
    rig.press(1, "push", "push")
    assert [one["key"] for one in rig.state["notices"]] == ["not_started"]
    assert not rig.say(2, "pause")["ok"]
    assert [one["key"] for one in rig.state["notices"]] == ["not_started"]
    done(rig, 2, "hand_over")
    assert rig.state["notices"] == []
