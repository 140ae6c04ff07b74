"""What a match makes of each action: refusals in whose words, sealed choices, dice read twice, standing offers, views."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from hub.chance import Chance
from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
    Answer,
    Decision,
    Move,
    OneOf,
    Roll,
    Won,
    ask,
    ask_all,
    offer,
    pick,
    roll,
    roll_or,
    shuffle,
    tell,
)
from hub.engine.event import Event
from hub.engine.game import Refusal, Rulebook
from hub.engine.labels import Labels, MoveLabels
from hub.engine.match import Entry, Head, Match, Over
from hub.engine.odds import AtLeast
from hub.engine.secret import Secret
from hub.engine.text import say, to_json
from hub.errors import IllegalAction, NotAsked, NotOffered, ReplayDiverged, Stale
from tests.engine.ladder import LADDER, game
from tests.engine.test_match import Made, Script, act, deal, dice, end, match, shuffled


def refused(m: Match, seat: int, move: str, **args: Any) -> tuple[type[IllegalAction], str, str]:
    """Of which kind a refusal is, its sentence and its code; nothing has changed."""
    before = m.fingerprint(), len(m.log), len(m.events)
    refusal = m.refusal(Action(seat=seat, move=move, args=args))
    assert refusal
    with pytest.raises(type(refusal)) as raised:
        act(m, seat, move, **args)
    assert (raised.value.sentence, raised.value.code) == (refusal.sentence, refusal.code)
    assert (m.fingerprint(), len(m.log), len(m.events)) == before
    return type(refusal), refusal.sentence, refusal.code


def labeled(script: Script, labels: dict[str, MoveLabels], **more: Any) -> Match:
    rulebook = Rulebook(deal=deal, play=script, explain=more.pop("explain", lambda s, action: None), **more)
    return Match(replace(game(rulebook), labels=Labels(moves=labels)), (1, 2, 3))


async def bidding(s: Made) -> None:
    await ask(s, 1, [offer("bid", number=Amount(1, 6)), offer("use", spot=4), offer("pass")], "Bid.")
    await end(s)


def lends(s: Made, seat: int) -> list[Move]:
    return [offer("borrow", amount=OneOf([5, 10]))]


# --- refusals --------------------------------------------------------------------------------------------

CANNOT = "You can't do that now."
NOTHING = "There is nothing for you to do now."
ENDED = "The game has ended."


@pytest.mark.parametrize(
    ("seat", "move", "args", "kind", "sentence"),
    [
        (1, "bid", {"number": 7}, NotOffered, CANNOT),
        (1, "draw", {}, NotOffered, CANNOT),
        (2, "bid", {"number": 7}, NotAsked, NOTHING),
        (2, "bid", {"number": 3}, NotAsked, NOTHING),
        (9, "pass", {}, NotAsked, NOTHING),
        (1, "bid", {}, NotOffered, "The move bid wants number beside it, and nothing else."),
        (1, "bid", {"number": 3, "more": 1}, NotOffered, "The move bid wants number beside it, and nothing else."),
        (1, "pass", {"more": 1}, NotOffered, "The move pass wants nothing beside it, and nothing else."),
        (2, "borrow", {}, NotOffered, "The move borrow wants amount beside it, and nothing else."),
        (2, "borrow", {"amount": 7}, NotAsked, NOTHING),
        (1, "borrow", {"amount": 7}, NotOffered, CANNOT),
        (1, "use", {"spot": 5, "more": 1}, NotOffered, CANNOT),
        (CHANCE, "roll", {"faces": [1]}, NotAsked, "Nothing is asked of chance now."),
        (CHANCE, "shuffle", {"order": []}, NotAsked, "Nothing is asked of chance now."),
        (CHANCE, "pick", {"index": 0}, NotAsked, "Nothing is asked of chance now."),
    ],
)
def test_a_refusal_is_of_a_kind_and_says_why(
    seat: int, move: str, args: dict[str, Any], kind: type[IllegalAction], sentence: str
) -> None:
    assert refused(match(bidding, standing=lends), seat, move, **args) == (kind, sentence, "FORM")


def test_rules_refuse_in_their_own_words_whoever_acts_and_whenever() -> None:
    m = match(bidding, explain=lambda s, action: Refusal(f"No {action.move}.", f"L-X{s.round}"))
    assert refused(m, 1, "bid", number=7) == (NotOffered, "No bid.", "L-X1")
    assert refused(m, 2, "bid", number=3) == (NotAsked, "No bid.", "L-X1")
    assert refused(m, CHANCE, "roll", faces=[1]) == (NotAsked, "No roll.", "L-X1")
    act(m, 1, "pass")
    assert refused(m, 1, "pass") == (NotAsked, "No pass.", "L-X1")


def test_after_the_end_nothing_is_asked_of_anybody() -> None:
    m = match(bidding)
    act(m, 1, "pass")
    for seat, move in ((1, "pass"), (CHANCE, "roll")):
        assert refused(m, seat, move) == (NotAsked, ENDED, "OVER")
        assert not m.answers(Action(seat=seat, move=move))


def test_a_move_that_no_label_names_is_none_of_the_game() -> None:
    m = labeled(bidding, {"bid": MoveLabels(), "use": MoveLabels(), "pass": MoveLabels(), "steal": MoveLabels()})
    assert refused(m, 1, "jump") == (NotOffered, "The ladder has no such move.", "FORM")
    assert refused(m, 2, "jump", far=True) == (NotOffered, "The ladder has no such move.", "FORM")
    assert refused(m, 1, "steal") == (NotOffered, CANNOT, "FORM")
    assert refused(m, 1, "roll") == (NotOffered, CANNOT, "FORM")
    assert refused(m, 2, "roll") == (NotAsked, NOTHING, "FORM")
    act(m, 1, "pass")


def test_a_move_of_the_wrong_form_is_refused_with_all_that_it_wants_or_by_the_rules() -> None:
    async def play(s: Made) -> None:
        await ask(s, 1, [offer("buy", spot=OneOf([1, 2]), amount=Amount(1, 6)), offer("pass")], "Buy?")

    wants = "The move buy wants spot, amount beside it, and nothing else."
    assert refused(match(play), 1, "buy", spot=1) == (NotOffered, wants, "FORM")
    m = match(
        play, form=lambda s, action: Refusal(f"Not in round {s.round}.", "L-F1") if "spot" in action.args else None
    )
    assert refused(m, 1, "buy", spot=1) == (NotOffered, "Not in round 1.", "L-F1")
    assert refused(m, 1, "buy") == (NotOffered, wants, "FORM")


def test_what_an_asked_seat_wishes_for_in_vain_it_is_told_in_the_words_of_the_rules() -> None:
    def wished(s: Made, seat: int) -> list[Action]:
        return [Action(seat=seat, move=move) for move in ("pass", "sue")[: s.round + 1]]

    m = match(bidding, wished=wished, explain=lambda s, action: Refusal(f"Not in round {s.round}.", "L-X1"))
    assert m.barred(1) == [{"move": "sue", "why": "Not in round 1."}]
    assert m.barred(2) == []


def test_parameters_that_a_move_takes_only_sometimes_are_refused_by_the_rules() -> None:
    async def play(s: Made) -> None:
        await ask(s, 1, [offer("bid", number=Amount(1, 6)), offer("bid", number=7, card="ace"), offer("pass")], "Bid.")

    labels = {"bid": MoveLabels(sometimes=["card", "cards"]), "pass": MoveLabels()}
    m = labeled(play, labels, explain=lambda s, action: Refusal("Your ace stays.", "L-X2"))
    rules: list[dict[str, Any]] = [{"number": 3, "card": "ace"}, {"number": 7}, {"number": 3, "cards": ["ace"]}]
    for args in rules:
        assert refused(m, 1, "bid", **args) == (NotOffered, "Your ace stays.", "L-X2")
    forms: list[dict[str, Any]] = [{"number": 3, "fish": "carp"}, {"card": "ace"}, {}]
    for args in forms:
        assert refused(m, 1, "bid", **args) == (
            NotOffered, "The move bid wants number beside it, and nothing else.", "FORM"
        )  # fmt: skip


# --- chance ----------------------------------------------------------------------------------------------


async def two_dice(s: Made) -> None:
    faces = await roll(s, 2, 2, 6, "luck", "Roll.")
    tell(s, "Seat {seat} rolls.", kind="roll", seat=2, faces=faces)
    tell(s, "It is windy.", kind="wind")
    await ask(s, 1, [offer("go"), offer("stay")], "Go?")
    tell(s, "An old roll is told again.", kind="roll")
    await end(s)


FORM = "A roll is a list of faces, read, typed or hub-rolled."
FIRST = "The first reading of a roll is its faces, and whether they were read or typed."
FACES = "Enter 2 dice with faces from 1 to 6."


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({}, FORM),
        ({"faces": "12"}, FORM),
        ({"faces": [1, 2], "read": "seen"}, FORM),
        ({"faces": [1, 2], "by": 2}, FORM),
        ({"faces": [1, 2], "read": "read", "by": 2}, FORM),
        ({"read": "read"}, FORM),
        ({"read": "read", "faces": None}, FORM),
        ({"faces": [1, 2], "first": None}, FIRST),
        ({"faces": [1, 2], "first": [1, 3]}, FIRST),
        ({"faces": [1, 2], "first": {"faces": [1, 3]}}, FIRST),
        ({"faces": [1, 2], "first": {"read": "read"}}, FIRST),
        ({"faces": [1, 2], "first": {"faces": [1, 3], "read": "seen"}}, FIRST),
        ({"faces": [1, 2], "first": {"faces": [1, 3], "read": "read", "by": 2}}, FIRST),
        ({"faces": [1, 2], "first": {"faces": [1], "read": "read"}}, FIRST),
        ({"faces": [1, 2], "first": {"faces": [1, 7], "read": "read"}}, FIRST),
        ({"faces": [1, 2], "first": {"faces": (1, 3), "read": "read"}}, FIRST),
        ({"faces": [1]}, FACES),
        ({"faces": [1, 2, 3]}, FACES),
        ({"faces": [0, 1]}, FACES),
        ({"faces": [6, 7]}, FACES),
        ({"faces": [1, True]}, FACES),
        ({"faces": [1, 2.0]}, FACES),
    ],
)
def test_a_roll_of_another_form_is_refused(args: dict[str, Any], sentence: str) -> None:
    assert refused(match(two_dice), CHANCE, "roll", **args) == (NotOffered, sentence, "FORM")


def test_rules_may_refuse_faces_in_their_own_words() -> None:
    m = match(two_dice, explain=lambda s, action: Refusal("Two dice.", "L-X1"))
    assert refused(m, CHANCE, "roll", faces=[1]) == (NotOffered, "Two dice.", "L-X1")
    assert refused(m, CHANCE, "shuffle", order=[]) == (NotAsked, "Two dice.", "L-X1")


@pytest.mark.parametrize("read", ["read", "typed", "hub", None])
def test_a_roll_is_told_with_how_it_was_read(read: str | None) -> None:
    """Dice that nobody says how they were read were typed. Other events, and later ones, are not marked."""
    m = match(two_dice)
    given = {"read": read} if read else {}
    events = m.act(Action(seat=CHANCE, move="roll", args={"faces": [1, 6], **given}))
    assert [event.data for event in events] == [{"seat": 2, "faces": [1, 6], "read": read or "typed"}, {}]
    assert m.log == [Entry(CHANCE, "roll", {"faces": [1, 6], **given}, m.log[0].asked)]
    assert m.act(Action(seat=1, move="go"))[0].data == {}


def test_a_roll_that_is_told_of_without_one_was_read_by_nobody() -> None:
    async def play(s: Made) -> None:
        await shuffle(s, ["a", "b"], "deck")
        tell(s, "An old roll is told again.", kind="roll")
        await roll_or(s, 1, 2, 6, "luck", "Roll.", [offer("double")])
        tell(s, "And again.", kind="roll")
        await end(s)

    m = match(play)
    act(m, CHANCE, "shuffle", order=["b", "a"])
    act(m, 1, "double")
    assert [event.data for event in m.events if event.kind == "roll"] == [{}, {}]


def test_dice_that_were_read_twice_are_told_with_both_readings() -> None:
    m, first, faces = match(two_dice), {"faces": [1, 3], "read": "read"}, [1, 6]
    events = m.act(Action(seat=CHANCE, move="roll", args={"faces": faces, "read": "typed", "first": first}))
    assert events == [
        Event(
            "The dice were read again: 1 6, not 1 3.",
            kind="reread",
            data={"seat": 2, "faces": [1, 6], "first": [1, 3]},
            round=1,
        ),
        Event("Seat 2 rolls.", kind="roll", data={"seat": 2, "faces": [1, 6], "read": "typed", "again": True}, round=1),
        Event("It is windy.", kind="wind", round=1),
    ]
    again = Match.replay(m.game, m.head, m.log)
    assert again.events == m.events
    assert events[0].data["faces"] is not faces
    assert events[0].data["first"] is not first["faces"]


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ({}, "A shuffle of deck must hold the same cards."),
        ({"order": ["a", "b", "b"]}, "A shuffle of deck must hold the same cards."),
        ({"order": ["a", "b", "c", "c"]}, "A shuffle of deck must hold the same cards."),
        ({"order": ("a", "b", "b", "c")}, "A shuffle of deck must hold the same cards."),
    ],
)
def test_a_shuffle_holds_the_same_cards(args: dict[str, Any], sentence: str) -> None:
    assert refused(match(shuffled), CHANCE, "shuffle", **args) == (NotOffered, sentence, "FORM")
    assert refused(match(shuffled), CHANCE, "pick", index=0)[0] is NotAsked


@pytest.mark.parametrize("index", [-1, 3, True, 1.0, None, "1"])
def test_a_pick_is_one_of_the_values(index: Any) -> None:
    async def picks(s: Made) -> None:
        s.table.heard = [await pick(s, [10, 20, 30], "first") for _ in range(2)]
        await end(s)

    m = match(picks)
    assert refused(m, CHANCE, "pick", index=index) == (NotOffered, "A pick of first is an index below 3.", "FORM")
    assert refused(m, CHANCE, "shuffle", order=[10, 20, 30])[0] is NotAsked
    for place in (0, 2):
        act(m, CHANCE, "pick", index=place)
    assert m.state.table.heard == [10, 30]


# --- questions -------------------------------------------------------------------------------------------


def test_the_open_decision_is_the_question_of_the_rules() -> None:
    goal = AtLeast(5)

    async def play(s: Made) -> None:
        await ask(s, 2, lambda: [offer("go"), offer("stay")], lambda: "Go?", "Wait.")
        await ask_all(s, {1: [offer("go")], 3: [offer("stay")]}, "Bid.", "Wait.", into="choice", final=True)
        await roll_or(s, 1, 2, 6, "luck", "Roll.", [offer("pass")], goal, "Wait.")
        await shuffle(s, ["a", "b"], "deck")
        await end(s)

    m = match(play)
    go, stay = offer("go"), offer("stay")
    assert m.open == Decision(0, "ask", "Go?", {2: [go, stay]}, others="Wait.")
    act(m, 2, "go")
    m.open.checksum = 0
    assert m.open == Decision(1, "sealed", "Bid.", {1: [go], 3: [stay]}, others="Wait.", final=True)
    act(m, 1, "go")
    act(m, 3, "stay")
    assert m.open == Decision(
        3, "roll", "Roll.", {1: [offer("pass")]}, Roll(1, 2, 6, "luck"), wants=goal, others="Wait."
    )
    act(m, 1, "pass")
    assert m.open == Decision(4, "shuffle", "", {}, pile="deck", cards=["a", "b"])


def test_an_entry_of_the_log_keeps_its_question_and_every_sixteenth_and_the_last_the_state() -> None:
    m, asked, states = Match(LADDER, (1, 2), {"rungs": 35}), [], []
    while m.open:
        asked.append(m.open.fingerprint())
        act(m, 1 + len(m.log) % 2, "climb", by=1)
        states.append(m.fingerprint() if len(m.log) in (16, 32, 35) else "")
    assert [entry.asked for entry in m.log] == asked
    assert [entry.state for entry in m.log] == states
    assert {len(state) for state in states} == {0, 16}
    assert m.events_before == list(range(35))
    assert m.over == Over([1], {1: 18, 2: 17}, "The top is reached.")


def test_the_end_of_a_match_is_an_event_with_its_rule() -> None:
    async def play(s: Made) -> None:
        await ask(s, 1, [offer("go"), offer("stay")], "Go?")
        raise Won([2, 3], {1: 0, 2: 4, 3: 4}, say("Seats 2 and 3 win."), rule="L-9")

    m = match(play)
    events = m.act(Action(seat=1, move="go"))
    assert events == [Event("Seats 2 and 3 win.", "L-9", "over", {"winners": [2, 3]}, 1)]
    assert m.over == Over([2, 3], {1: 0, 2: 4, 3: 4}, "Seats 2 and 3 win.")
    assert m.over.wire() == {"winners": [2, 3], "scores": {"1": 0, "2": 4, "3": 4}, "why": "Seats 2 and 3 win."}


def test_what_becomes_of_an_action_afterwards_does_not_touch_the_log() -> None:
    m, args = Match(LADDER, (1, 2)), {"by": 1}
    m.act(Action(seat=1, move="climb", args=args))
    args["by"] = 2
    assert m.log[0].args == {"by": 1}


# --- sealed choices --------------------------------------------------------------------------------------


def fresh(m: Match) -> Match:
    """The same match, played again: no view of it was made before."""
    return Match.replay(m.game, m.head, m.log)


def seen(m: Match) -> list[Any]:
    views = [m.view(viewer) for viewer in (None, *m.state.seats)]
    assert [m.view_json(viewer) for viewer in (None, *m.state.seats)] == [to_json(view) for view in views]
    return views


@pytest.mark.parametrize("flags", [{}, {"final": True}, {"known": True}, {"laid": True}])
def test_views_that_were_made_before_a_lock_are_brought_up_to_date(flags: dict[str, bool]) -> None:
    async def play(s: Made) -> None:
        moves = {seat: [offer("bid", number=Amount(1, 6)), offer("pass")] for seat in s.seats}
        given: dict[str, Any] = dict(flags)
        await ask_all(s, moves, "Bid.", into="choice", **given)
        s.phase = "after"
        await ask(s, 1, [offer("go"), offer("stay")], "Go?")

    m = match(play)
    for seat, number in ((3, 4), (1, 2), (2, 6)):
        seen(m)
        act(m, seat, "bid", number=number)
        assert seen(m) == seen(fresh(m))
    assert m.state.phase == "after"
    assert [record.locked for record in m.state.seats.values()] == [False] * 3


@pytest.mark.parametrize(("known", "seen_by"), [(False, (3,)), (True, (1, 2, 3))])
def test_a_choice_among_open_cards_is_a_secret_to_nobody(known: bool, seen_by: tuple[int, ...]) -> None:
    async def play(s: Made) -> None:
        moves = {seat: [offer("bid", number=Amount(1, 6)), offer("pass")] for seat in s.seats}
        await ask_all(s, moves, "Bid.", into="choice", known=known)

    m = match(play)
    act(m, 3, "bid", number=4)
    assert m.state.seats[3].choice == Secret(4, seen_by)
    assert m.state.seats[3].locked
    assert m.view(3)["seats"]["3"]["locked"]
    act(m, 3, "pass")
    assert m.state.seats[3].choice == Secret("pass", seen_by)


# --- standing offers -------------------------------------------------------------------------------------


def lending(script: Script) -> Match:
    def stand(s: Made, seat: int, answer: Answer) -> None:
        s.seats[seat].coins += answer["amount"]
        tell(s, "Seat {seat} borrows.", kind="borrow", seat=seat)
        if s.seats[seat].coins > 20:
            raise Won([seat], {}, "The bank is broken.")

    return match(script, standing=lends, stand=stand)


async def spending(s: Made) -> None:
    coins = s.seats[1]
    await ask(s, 1, lambda: [offer("bid", amount=Amount(0, coins.coins)), offer("pass")], lambda: f"Bid {coins.coins}.")
    await end(s)


def test_after_a_standing_offer_the_question_and_all_views_are_new() -> None:
    m = lending(spending)
    seen(m)
    assert m.open
    opened, fingerprint = m.open, m.open.fingerprint()
    assert (m.open.want, m.moves(1)[0]["amount"]) == ("Bid 5.", {"min": 0, "max": 5})
    events = m.act(Action(seat=1, move="borrow", args={"amount": 5}))
    assert [event.kind for event in events] == ["borrow"]
    assert m.open is opened
    assert (m.open.want, m.moves(1)[0]["amount"]) == ("Bid 10.", {"min": 0, "max": 10})
    again = fresh(m)
    assert again.open
    asked_now = replace(m.open, checksum=0).fingerprint()
    assert m.open.fingerprint() == again.open.fingerprint() == asked_now != fingerprint
    assert seen(m) == seen(again)
    assert m.view(2)["seats"]["1"]["coins"] == 10
    assert [move["move"] for move in m.moves(2)] == ["borrow"]
    assert m.moves(9) == []
    assert m.standing(9) == ()


def test_a_standing_offer_may_end_the_match() -> None:
    m = lending(spending)
    act(m, 2, "borrow", amount=10)
    assert [event.kind for event in m.act(Action(seat=2, move="borrow", args={"amount": 10}))] == ["borrow", "over"]
    assert m.over == Over([2], {}, "The bank is broken.")
    assert (m.moves(2), m.standing(2), m.view(2)["waiting"]) == ([], (), {"seats": {}})
    assert m.log[-1].state == m.fingerprint()
    assert refused(m, 2, "borrow", amount=10) == (NotAsked, ENDED, "OVER")


def test_a_standing_offer_during_a_roll_leaves_the_roll() -> None:
    m = lending(two_dice)
    assert m.open
    opened = m.open
    act(m, 1, "borrow", amount=5)
    assert m.open is opened
    dice(m, 1, 2)
    assert seen(m) == seen(fresh(m))


# --- notes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "covered"), [(lambda s: s.seats[1].coins, []), (lambda s: s.seats[1].cards.value, ["number", "card"])]
)
def test_notes_are_for_an_asked_seat_and_lie_under_the_cover_if_they_follow_from_a_secret(
    read: Any, covered: list[str]
) -> None:
    def notes(s: Made, seat: int) -> dict[str, dict[str, str]]:
        read(s)
        return {"number": {"6": f"for seat {seat}"}, "card": {}}

    m = match(bidding, notes=notes)
    assert m.notes_and_covered(1) == ({"number": {"6": "for seat 1"}, "card": {}}, covered)
    assert m.notes(1) == {"number": {"6": "for seat 1"}, "card": {}}
    assert m.notes_and_covered(2) == ({}, [])
    act(m, 1, "pass")
    assert m.notes_and_covered(1) == ({}, [])
    assert match(bidding).notes_and_covered(1) == ({}, [])


# --- the log ---------------------------------------------------------------------------------------------


def climbed() -> Match:
    m = Match(LADDER, (2, 5), {"rungs": 100})
    for number in range(20):
        act(m, (2, 5)[number % 2], "climb", by=1)
    return m


def test_the_head_of_a_log_names_the_game_its_rules_the_seats_and_the_options() -> None:
    assert climbed().head == Head("ladder", 1, "0" * 16, [2, 5], {"rungs": 100}, 1)


def test_a_log_of_other_rules_is_refused_with_a_note_for_the_journal() -> None:
    m = climbed()
    for head in (replace(m.head, game="chess"), replace(m.head, version=2), replace(m.head, digest="1" * 16)):
        with pytest.raises(ReplayDiverged, match="The match began with other rules or cards") as diverged:
            Match.replay(LADDER, head, [])
        began = f"It began with {head.game} rules {head.version}, data {head.digest}; "
        assert diverged.value.__notes__ == [f"{began}here are ladder rules 1, data {'0' * 16}."]
    later = replace(LADDER, digest="2" * 16, earlier=["1" * 16, "0" * 16])
    assert Match.replay(later, m.head, m.log).fingerprint() == m.fingerprint()


@pytest.mark.parametrize("form", [0, 2])
def test_a_log_of_another_format_is_refused(form: int) -> None:
    with pytest.raises(ReplayDiverged) as diverged:
        Match.replay(LADDER, replace(climbed().head, v=form), [])
    assert diverged.value.sentence == f"Its log has format {form}, but this hub reads format 1."


def test_an_entry_that_does_not_go_on_is_named_by_its_number() -> None:
    m, whole = climbed(), climbed().log
    last = m.log[-1]
    wrong = [
        (Entry(5, "climb", {"by": 1}, last.asked + 1), "Entry 19 answers a question that the rules now ask differently."),
        (Entry(5, "climb", {"by": 3}, last.asked), "The current rules refuse entry 19: You can't do that now."),
        (Entry(5, "climb", {"by": 1}, last.asked, "f" * 16), "The state after entry 19 is not the one in the log."),
    ]  # fmt: skip
    for entry, sentence in wrong:
        with pytest.raises(ReplayDiverged) as diverged:
            Match.replay(LADDER, m.head, [*whole[:-1], entry])
        assert diverged.value.sentence == sentence
        on = m.until(12)
        with pytest.raises(ReplayDiverged) as diverged:
            on.apply_entries([*whole[12:-1], entry])
        assert diverged.value.sentence == sentence
        assert isinstance(diverged.value.__cause__, NotOffered | None)


def test_after_the_end_a_log_goes_on_with_nothing() -> None:
    m = Match(LADDER, (1, 2), {"rungs": 2})
    act(m, 1, "climb", by=2)
    for asked, sentence in (
        (0, "The current rules refuse entry 1: The game has ended."),
        (1, "Entry 1 answers a question that the rules now ask differently."),
    ):
        with pytest.raises(ReplayDiverged) as diverged:
            Match.replay(m.game, m.head, [*m.log, Entry(2, "rest", {}, asked)])
        assert diverged.value.sentence == sentence


def test_what_all_see_is_made_once_for_all_who_look() -> None:
    m = climbed()
    shown, text = m.view(), m.view_json()
    assert m.view() is shown
    assert m.view(2)["table"] is m.view(5)["table"] is shown["table"]
    assert m.view_json() is text
    act(m, 2, "rest")
    assert m.view() is not shown
    assert m.view_json() is not text


def test_a_match_is_what_it_was_at_any_length_of_its_log() -> None:
    m = climbed()
    for length in (0, 7, 20):
        earlier = m.until(length)
        assert earlier.log == m.log[:length]
        assert (earlier.head, earlier.fingerprint() == m.fingerprint()) == (m.head, length == 20)


def test_an_answer_to_another_decision_than_the_open_one_is_stale() -> None:
    m = climbed()
    for number in (19, 21):
        refusal = m.refusal(Action(seat=2, move="rest", number=number))
        assert isinstance(refusal, Stale)
        assert (refusal.sentence, refusal.code) == ("The table has moved on: look again.", "STALE")
    assert m.refusal(Action(seat=2, move="rest", number=20)) is None


def test_a_secret_is_revealed_once_somebody_may_see_what_was_hidden_from_them() -> None:
    m = match(shuffled)
    Chance(7).settle(m)
    before = m.hidden()
    assert not m.has_revealed(before)
    m.state.seats[1].cards.seen_by = (1, 2)
    assert m.has_revealed(before)
    assert not m.has_revealed(m.hidden())
    m.state.seats[2].choice = Secret("ace", (2,))
    with_choice = m.hidden()
    assert [with_choice[seat]["'ace'"] - m.hidden("choice")[seat]["'ace'"] for seat in (1, 2, 3)] == [1, 0, 1]
    m.state.seats[2].choice = Secret("ten", (2,))
    assert m.has_revealed(with_choice)
    assert not m.has_revealed(m.hidden("choice"), "choice")
