"""The match and the verbs of a game author, with rulebooks of a few lines."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from hub.chance import Chance
from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
    Answer,
    Choose,
    Fixed,
    Move,
    OneOf,
    Order,
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
from hub.engine.event import Setup, State, clockwise
from hub.engine.game import Refusal, Rulebook
from hub.engine.match import Entry, Match
from hub.engine.options import Option
from hub.engine.secret import Pile, Secret, own, public
from hub.errors import IllegalAction, NotAsked, NotOffered, ReplayDiverged, RulesBug, Stale, StartRefused
from tests.engine.ladder import LADDER, game


@dataclass(slots=True)
class Hand:
    """One seat of the made-up games."""

    coins: int = 5
    choice: Secret[Any] | Any = None
    cards: Secret[list[str]] = field(default_factory=lambda: Secret([]))
    locked: bool = False

    @property
    def hand_size(self) -> int:
        return len(self.cards.value)


@dataclass(slots=True)
class Middle:
    """The table of the made-up games."""

    heard: list[Any] = field(default_factory=list)
    pile: Pile[str] = field(default_factory=lambda: Pile([]))


Made = State[Hand, Middle]
Script = Callable[[Made], Coroutine[Any, Any, None]]


def deal(setup: Setup) -> Made:
    return Made(setup, {seat: Hand() for seat in setup.seats}, Middle(), round=1, phase="play")


def match(play: Script, seats: tuple[int, ...] = (1, 2, 3), **more: Any) -> Match:
    rulebook = Rulebook(deal=deal, play=play, explain=more.pop("explain", lambda s, action: None), **more)
    return Match(game(rulebook), seats)


def act(m: Match, seat: int, move: str, **args: Any) -> list[str]:
    return [event.text for event in m.act(Action(seat=seat, move=move, args=args))]


def dice(m: Match, *faces: int) -> list[str]:
    return act(m, CHANCE, "roll", faces=list(faces))


async def end(s: Made, winner: int = 1) -> None:
    raise Won([winner], dict.fromkeys(s.seats, 0), "It is enough.")


# --- ask -----------------------------------------------------------------------------------------------


def test_one_seat_is_asked_and_its_answer_reaches_the_rules() -> None:
    async def play(s: Made) -> None:
        answer = await ask(s, 2, [offer("buy", amount=Amount(5, 15, 5), what="boat"), offer("pass")], "Buy, or pass.")
        s.table.heard.append([answer.move, answer["amount"], answer["what"]])
        await end(s, 2)

    m = match(play)
    assert m.open
    assert m.open.want == "Buy, or pass."
    assert m.view(2)["waiting"] == {
        "seats": {"2": [{"move": "buy", "amount": {"min": 5, "max": 15, "step": 5}, "what": "boat"}, {"move": "pass"}]},
        "secret": False,
    }
    assert m.view(1)["waiting"] == {"seats": {"2": []}, "secret": False}
    assert m.view(None)["waiting"] == {"seats": ["2"], "secret": False}
    for wrong in (
        {"amount": 7, "what": "boat"},
        {"amount": 5, "what": "car"},
        {"amount": 5},
        {"amount": 20, "what": "boat"},
    ):
        with pytest.raises(NotOffered):
            act(m, 2, "buy", **wrong)
    with pytest.raises(NotAsked):
        act(m, 1, "buy", amount=5, what="boat")
    assert m.log == []
    act(m, 2, "buy", amount=10, what="boat")
    assert m.state.table.heard == [["buy", 10, "boat"]]
    assert m.over
    assert m.over.wire() == {"winners": [2], "scores": {"1": 0, "2": 0, "3": 0}, "why": "It is enough."}
    with pytest.raises(NotAsked, match="ended"):
        act(m, 2, "pass")


def test_a_seat_with_one_answer_is_not_asked_unless_only_it_can_know() -> None:
    async def play(s: Made) -> None:
        first = await ask(s, 1, [offer("pay", amount=3)], "Pay.")
        s.table.heard.append([first.move, first["amount"]])
        second = await ask(s, 2, [offer("skip")], "Skip.", hidden=True)
        s.table.heard.append(second.move)
        await end(s)

    m = match(play)
    assert m.state.table.heard == [["pay", 3]]
    assert not m.events, "the rulebook tells what came of it"
    assert m.open
    assert list(m.open.asked) == [2]
    act(m, 2, "skip")
    assert m.over


@pytest.mark.parametrize(
    "param", [Amount(3, 3), Amount(3, 4, 2), OneOf([7]), Choose(["a", "b"], 2, 2), Order(["a"]), Fixed(True)]
)
def test_there_is_one_way_only(param: Any) -> None:
    assert offer("do", it=param).single()


@pytest.mark.parametrize("param", [Amount(3, 4), OneOf([7, 8]), Choose(["a", "b"], 1, 2), Order(["a", "b"])])
def test_there_are_several_ways(param: Any) -> None:
    assert not offer("do", it=param).single()


def test_one_move_may_be_listed_more_than_once() -> None:
    async def play(s: Made) -> None:
        moves = [
            offer("bid", quantity=3, rank=OneOf([6])),
            offer("bid", quantity=Amount(4, 9), rank=OneOf([1, 2, 3])),
            offer("pass"),
        ]
        answer = await ask(s, 1, moves, "Bid.")
        s.table.heard.append([answer["quantity"], answer["rank"]])
        await end(s)

    for quantity, rank in ((3, 1), (4, 6), (10, 1)):
        with pytest.raises(NotOffered):
            act(match(play), 1, "bid", quantity=quantity, rank=rank)
    for quantity, rank in ((3, 6), (4, 1), (9, 3)):
        m = match(play)
        act(m, 1, "bid", quantity=quantity, rank=rank)
        assert m.state.table.heard == [[quantity, rank]]


JUNK: list[Any] = [None, True, False, 1.0, 2.5, "1", "", [], [1.0], [True], ["1"], [[1]], {}, {"min": 1}, -1, 10**40]


@pytest.mark.parametrize(
    ("param", "right", "wrong"),
    [
        (Fixed(1), [1], [0, 2]),
        (Fixed([1, 2]), [[1, 2]], [[2, 1], [1], [1, True]]),
        (OneOf([1, "b", [3, 4]]), [1, "b", [3, 4]], [3, [4, 3], [3, 4, 4], [3.0, 4]]),
        (Amount(2, 8, 3), [2, 5, 8], [1, 3, 11]),
        (Choose([1, 2, 2], 1, 2), [[1], [2, 2], [2, 1]], [[1, 1], [1, 2, 2], [3], [2, True]]),
        (Order([1, 2, 2]), [[1, 2, 2], [2, 1, 2]], [[1, 2], [1, 1, 2], [1, 2, 2, 2], [1, 2, 2.0]]),
    ],
)
def test_a_parameter_takes_its_values_and_no_others(param: Any, right: list[Any], wrong: list[Any]) -> None:
    for value in right:
        assert param.accepts(value), value
    for value in [
        *wrong,
        *(junk for junk in JUNK if not any(junk == good and type(junk) is type(good) for good in right)),
    ]:
        assert not param.accepts(value), value
    assert param.accepts(param.first())


def test_the_values_of_a_parameter_are_listed_by_type() -> None:
    move = Move("play", {"card": OneOf(["a", "", 1, ["b"]]), "bid": Amount(1, 3)})
    assert move.values("card", str) == ["a", ""]
    assert move.values("card", object) == ["a", "", 1, ["b"]]
    with pytest.raises(AssertionError):
        move.values("bid", int)


def test_parameters_may_not_be_missing_or_too_many() -> None:
    move = offer("play", card="a", target=OneOf([1, 2]))
    assert move.accepts({"card": "a", "target": 2})
    assert not move.accepts({"card": "a"})
    assert not move.accepts({"card": "a", "target": 2, "more": None})
    assert not move.accepts({"card": "a", "goal": 2})


def test_an_action_for_an_older_question_is_stale() -> None:
    m = Match(LADDER, (1, 2))
    m.act(Action(seat=1, move="climb", args={"by": 1}, number=0))
    for number in (0, 2, -1):
        with pytest.raises(Stale, match="moved on"):
            m.act(Action(seat=2, move="climb", args={"by": 1}, number=number))
    m.act(Action(seat=2, move="climb", args={"by": 1}, number=1))


def test_a_form_that_no_listed_move_has_is_told_apart_from_a_wrong_value() -> None:
    async def play(s: Made) -> None:
        await ask(s, 1, [offer("bid", number=Amount(1, 6)), offer("use", spot=4), offer("pass")], "Bid.")
        await end(s)

    m = match(play, explain=lambda s, action: Refusal("By the rules, no.", "XX-X01"))
    forms: list[dict[str, Any]] = [{}, {"number": 3, "surplus": 1}, {"amount": 3}]
    for args in forms:
        with pytest.raises(NotOffered, match="wants number") as refused:
            act(m, 1, "bid", **args)
        assert refused.value.code == "FORM"
    tries: list[tuple[str, dict[str, Any]]] = [
        ("bid", {"number": 9}), ("use", {"spot": 5}), ("use", {"spot": 5, "fish": "a"}), ("draw", {}),
    ]  # fmt: skip
    for move, args in tries:
        with pytest.raises(NotOffered, match="By the rules, no"):
            act(m, 1, move, **args)
    with pytest.raises(NotOffered, match="wants nothing"):
        act(m, 1, "pass", why=1)


# --- ask_all -------------------------------------------------------------------------------------------


async def sealed(s: Made) -> None:
    final = s.setup.options.get("final", False)
    moves = {
        seat: [offer("bid", number=Amount(1, 6)), offer("swap", a=OneOf([1, 2]), b=3), offer("pass")] for seat in (1, 3)
    }
    answers = await ask_all(s, moves, "Bid.", into="choice", final=final)
    s.table.heard.append([[seat, answer.move] for seat, answer in answers.items()])
    await end(s)


def test_sealed_choices_lie_hidden_until_the_last_has_locked() -> None:
    m = match(sealed)
    assert act(m, 3, "bid", number=4) == []
    assert m.open
    assert m.open.locked == {3}
    assert m.view(3)["you"]["choice"] == 4
    assert m.view(1)["seats"]["3"] == {"coins": 5, "choice": None, "locked": True, "hand_size": 0}
    act(m, 3, "pass")
    assert m.view(3)["you"]["choice"] == "pass"
    act(m, 3, "swap", a=2, b=3)
    assert m.view(3)["you"]["choice"] == {"move": "swap", "a": 2, "b": 3}
    assert m.view(None)["waiting"] == {"seats": ["1", "3"], "secret": True}
    act(m, 1, "bid", number=1)
    assert m.state.table.heard == [[[1, "bid"], [3, "swap"]]]
    assert not m.state.seats[3].locked


def test_a_final_lock_cannot_be_changed_and_is_not_offered_again() -> None:
    rulebook = Rulebook(deal=deal, play=sealed, explain=lambda s, action: None)
    m = Match(game(rulebook, {"final": Option(default=True, effect="")}), (1, 2, 3))
    act(m, 3, "bid", number=4)
    assert m.view(None)["waiting"]["seats"] == ["1"]
    assert m.moves(3) == []
    with pytest.raises(NotOffered):
        act(m, 3, "bid", number=5)


def test_nobody_to_ask_is_no_question() -> None:
    async def play(s: Made) -> None:
        s.table.heard.append(await ask_all(s, {}, "Bid.", into="choice"))
        await end(s)

    assert match(play).state.table.heard == [{}]


# --- Chance --------------------------------------------------------------------------------------------


def test_dice_are_asked_of_a_seat_and_read_from_chance() -> None:
    async def play(s: Made) -> None:
        s.table.heard.append(await roll(s, 2, 2, 6, "trial", "Roll two dice."))
        await end(s)

    m = match(play)
    assert m.view(None)["waiting"] == {
        "roll": {"seat": 2, "count": 2, "sides": 6, "for": "trial"}, "seats": [], "secret": False
    }  # fmt: skip
    for faces in ([1], [1, 2, 3], [0, 1], [1, 7], [1, True], [1, "2"], "12", None, [[1], 2]):
        with pytest.raises(NotOffered):
            m.act(Action(seat=CHANCE, move="roll", args={"faces": faces}))
    with pytest.raises(IllegalAction):
        m.act(Action(seat=CHANCE, move="roll", args={"faces": [1, 2], "read": "guessed"}))
    with pytest.raises(IllegalAction):
        m.act(Action(seat=CHANCE, move="roll", args={"faces": [1, 2], "by": 2}))
    with pytest.raises(IllegalAction):
        act(m, 2, "roll", faces=[1, 2])
    dice(m, 6, 1)
    assert m.state.table.heard == [[6, 1]]
    with pytest.raises(IllegalAction):
        m.undo()


def test_before_the_dice_fall_a_move_may_be_made_instead() -> None:
    async def play(s: Made) -> None:
        got: list[int] | Answer = Answer("", {})
        while not isinstance(got, list):
            offers = [offer("double")] if s.seats[1].coins else []
            got = await roll_or(s, 1, 1, 6, "rod", "Roll.", offers)
            s.seats[1].coins = 0
            s.table.heard.append(got if isinstance(got, list) else got.move)
        await end(s)

    m = match(play)
    assert m.view(1)["waiting"]["seats"] == {"1": [{"move": "double"}]}
    act(m, 1, "double")
    assert m.view(1)["waiting"]["seats"] == {}
    with pytest.raises(IllegalAction):
        act(m, 1, "double")
    dice(m, 5)
    assert m.state.table.heard == ["double", [5]]


async def shuffled(s: Made) -> None:
    s.table.pile = Pile(await shuffle(s, ["a", "b", "b", "c"], "deck"))
    s.table.heard.append(await pick(s, [10, 20, 30], "first"))
    s.seats[1].cards = Secret([s.table.pile.cards.pop(0)], (1,))
    await ask(s, 1, [offer("show"), offer("hide")], "Show?")
    s.seats[1].cards.seen_by = (1, 2, 3)
    await ask(s, 1, [offer("show"), offer("hide")], "Again?")
    await end(s)


def test_a_shuffle_is_logged_as_it_fell_and_a_stack_fixes_its_top() -> None:
    m = match(shuffled)
    assert m.open
    assert m.open.by_chance
    assert m.view(None)["waiting"] == {"seats": []}
    for order in (["a"], ["a", "b", "c", "c"], "abbc", None, ["a", "b", "b", "c", "c"]):
        with pytest.raises(IllegalAction):
            m.act(Action(seat=CHANCE, move="shuffle", args={"order": order}))
    Chance(7, {"deck": ["c", "b"], "first": 20}).settle(m)
    assert m.log[0].args["order"][:2] == ["c", "b"]
    assert m.log[1].args == {"index": 1}
    assert m.state.table.heard == [20]
    assert Match.replay(m.game, m.head, m.log).fingerprint() == m.fingerprint()


@pytest.mark.parametrize(
    "stack", [{"deck": ["a", "a"]}, {"deck": ["z"]}, {"deck": "a"}, {"deck": [1]}, {"first": 15}, {"first": True}]
)
def test_a_stack_that_cannot_be_is_refused(stack: dict[str, Any]) -> None:
    with pytest.raises(StartRefused):
        Chance(7, stack).settle(match(shuffled))


async def drawing(s: Made) -> None:
    for _ in range(4):
        s.table.heard.append(await pick(s, [0, 1, 2], "draws"))
    await ask(s, 1, [offer("on"), offer("off")], "Go on?")


def test_a_stack_may_fix_several_picks_of_places_one_after_another() -> None:
    m = match(drawing)
    Chance(7, {"draws": [2, 0, 1]}).settle(m)
    assert m.state.table.heard[:3] == [2, 0, 1]
    with pytest.raises(StartRefused, match="none of"):
        Chance(7, {"draws": [2, 3]}).settle(match(drawing))


def test_rules_may_have_their_own_words_for_a_move_of_the_wrong_form() -> None:
    m = match(drawing, form=lambda s, action: Refusal("Nothing beside it.", "T-01") if "x" in action.args else None)
    Chance(7).settle(m)
    for args, code in (({"x": 1}, "T-01"), ({"y": 1}, "FORM")):
        with pytest.raises(NotOffered) as refused:
            m.act(Action(seat=1, move="on", args=args))
        assert refused.value.code == code


def test_chance_without_a_seed_and_with_one() -> None:
    orders = []
    for seed in (3, 3, 4):
        m = match(shuffled)
        Chance(seed).settle(m)
        orders.append((m.log[0].args, m.log[1].args))
    assert orders[0] == orders[1]
    free = match(shuffled)
    Chance(Random(8)).settle(free)
    assert sorted(free.log[0].args["order"]) == ["a", "b", "b", "c"]
    assert all(1 <= face <= 6 for face in Chance(1).faces(50, 6))


# --- What is told and what is hidden ---------------------------------------------------------------------


def test_a_secret_is_seen_by_those_it_names_and_piles_by_nobody() -> None:
    m = match(shuffled)
    Chance(7, {"deck": ["c"]}).settle(m)
    assert m.view(1)["you"] == {"choice": None, "cards": ["c"]}
    assert m.view(2)["you"] == {"choice": None, "cards": None}
    assert m.view(None)["table"]["pile"] == 3
    assert m.view(2)["seats"]["1"] == {"coins": 5, "choice": None, "locked": False, "hand_size": 1}
    assert "you" not in m.view(None)
    seen = m.view(None)
    m.state.seats[1].coins = 0
    assert seen["seats"]["1"]["coins"] == 5


@dataclass(slots=True)
class Bidding:
    in_: list[int]
    bid_: Secret[int]


def test_a_fact_may_be_named_by_a_word_of_python() -> None:
    s = State(Setup((1,), {}, {}), {1: Bidding([1, 2], Secret(5, (1,)))}, Bidding([], Secret(0)))
    assert public(s, "ladder", {})["seats"]["1"] == {"in": [1, 2]}
    assert own(s, 1) == {"bid": 5}


def test_what_was_shown_cannot_be_taken_back() -> None:
    m = match(shuffled)
    Chance(7).settle(m)
    act(m, 1, "show")
    assert m.view(2)["you"]["cards"] is None
    with pytest.raises(NotOffered, match="secret"):
        m.undo()


# --- Standing offers -------------------------------------------------------------------------------------


def borrowing() -> Match:
    def standing(s: Made, seat: int) -> list[Move]:
        return [offer("borrow", amount=OneOf([10]))] if s.seats[seat].coins < 20 else []

    def stand(s: Made, seat: int, answer: Answer) -> None:
        if s.seats[seat].coins == 15:
            raise ValueError("the bank is closed")
        s.seats[seat].coins += answer["amount"]
        tell(s, f"Seat {seat} borrows.")

    async def play(s: Made) -> None:
        answer = await ask(s, 1, lambda: [offer("bid", amount=Amount(1, s.seats[1].coins)), offer("drop")], "Bid.")
        s.table.heard.append(answer.args)
        s.table.heard.append(await roll(s, 2, 1, 6, "luck", "Roll."))
        await end(s)

    return match(play, standing=standing, stand=stand)


def test_a_standing_offer_is_taken_at_any_time_and_the_question_asked_again_with_what_is_legal_now() -> None:
    m = borrowing()
    assert m.moves(1)[-1] == {"move": "borrow", "amount": {"one_of": [10]}, "standing": True}
    assert m.moves(2) == [{"move": "borrow", "amount": {"one_of": [10]}, "standing": True}]
    assert m.view(None)["waiting"]["seats"] == ["1"]
    with pytest.raises(NotOffered):
        act(m, 1, "bid", amount=15)
    before = m.open.fingerprint() if m.open else 0
    assert act(m, 1, "borrow", amount=10) == ["Seat 1 borrows."]
    assert m.open
    assert m.open.fingerprint() != before
    m.act(Action(seat=1, move="bid", args={"amount": 15}, number=m.open.number))
    assert m.moves(2)[0]["move"] == "borrow"
    act(m, 2, "borrow", amount=10)
    assert m.open.roll
    dice(m, 3)
    assert m.state.table.heard == [{"amount": 15}, [3]]
    assert Match.replay(m.game, m.head, m.log).fingerprint() == m.fingerprint()


def test_how_many_dice_are_rolled_may_follow_a_standing_offer() -> None:
    async def play(s: Made) -> None:
        s.table.heard.append(await roll(s, 1, lambda: s.seats[1].coins // 5, 6, "first", "A die for each five coins."))
        await end(s)

    def stand(s: Made, seat: int, answer: Answer) -> None:
        s.seats[seat].coins += answer["amount"]

    m = match(play, standing=lambda s, seat: [offer("borrow", amount=OneOf([5]))], stand=stand)
    before = m.open
    assert before
    count = before.roll.count if before.roll else 0
    act(m, 2, "borrow", amount=5)
    assert m.open is before, "nothing about the roll has changed"
    act(m, 1, "borrow", amount=5)
    assert m.open is not before, "whoever waits for the dice is told"
    assert m.open is not None
    assert m.open.number == before.number
    assert m.view(None)["waiting"]["roll"]["count"] == count + 1
    with pytest.raises(NotOffered, match="Enter 2 dice"):
        dice(m, *[1] * count)
    dice(m, *[6] * (count + 1))
    assert Match.replay(m.game, m.head, m.log).fingerprint() == m.fingerprint()


def test_a_fault_in_a_standing_offer_freezes_the_match_and_undo_lets_it_go_on() -> None:
    m = borrowing()
    act(m, 2, "borrow", amount=10)
    with pytest.raises(RulesBug, match="ValueError"):
        act(m, 2, "borrow", amount=10)
    with pytest.raises(NotAsked, match="an error in its rules"):
        act(m, 1, "drop")
    m.undo()
    assert m.state.seats[2].coins == 15
    act(m, 1, "drop")


# --- Faults ----------------------------------------------------------------------------------------------


async def faulty(s: Made) -> None:
    answer = await ask(s, 1, [offer("work"), offer("break")], "Work?")
    s.seats[1].coins = 0
    if answer.move == "break":
        s.table.pile = Pile(await shuffle(s, ["a", "b"], "deck"))
        raise KeyError("a rule that nobody thought of")
    await ask(s, 2, [offer("work"), offer("rest")], "Work?")
    s.table.heard.append("the end is forgotten")


def test_a_fault_in_the_rules_freezes_the_match_with_its_log_and_undo_lets_it_go_on() -> None:
    m = match(faulty)
    act(m, 1, "break")
    with pytest.raises(RulesBug, match="KeyError"):
        Chance(1).settle(m)
    assert len(m.log) == 2
    assert m.open is None
    assert m.over is None
    assert m.view(1)["waiting"] == {"seats": {}}
    with pytest.raises(NotAsked) as refused:
        act(m, 2, "work")
    assert refused.value.code == "FAULT"
    with pytest.raises(NotOffered):
        m.undo(2)
    frozen = Match.replay(m.game, m.head, m.log)
    assert frozen.fault
    with pytest.raises(ReplayDiverged):
        Match.replay(m.game, m.head, [*m.log, Entry(1, "work", {}, 1)])
    m.undo()
    assert m.log == []
    assert m.state.seats[1].coins == 5
    act(m, 1, "work")
    assert m.fault is None


def test_rules_that_forget_to_end_are_a_fault() -> None:
    m = match(faulty)
    act(m, 1, "work")
    with pytest.raises(RulesBug):
        act(m, 2, "rest")
    assert isinstance(m.fault, RulesBug)
    assert str(m.fault.__cause__) == "The rules ended without a winner."


# --- What is looked for in vain ----------------------------------------------------------------------------


def test_an_asked_seat_hears_why_what_it_wishes_for_is_not_to_be_had() -> None:
    async def play(s: Made) -> None:
        await ask(
            s,
            2,
            [offer("sell", cards=Choose(["ace", "ten"], 2, 2)), offer("buy", amount=Amount(5, 15, 5)), offer("pass")],
            "Go.",
        )
        await end(s, 2)

    def wished(s: Made, seat: int) -> list[Action]:
        cards = [Action(seat=seat, move="sell", args={"cards": [card]}) for card in ("ace", "king", "ten")]
        return [*cards, *(Action(seat=seat, move=move) for move in ("buy", "sue", "pass", "dance"))]

    def explain(s: Made, action: Action) -> Refusal | None:
        return (
            None
            if action.move == "dance"
            else Refusal(f"No {action.args.get('cards', [action.move])[0]} today.", "L-1")
        )

    m = match(play, wished=wished, explain=explain)
    assert m.barred(2) == [
        {"move": "sell", "cards": ["king"], "why": "No king today."}, {"move": "sue", "why": "No sue today."},
    ]  # fmt: skip
    assert m.barred(1) == []
    with pytest.raises(NotOffered, match="No sue today"):
        act(m, 2, "sue")
    act(m, 2, "pass")
    assert m.barred(2) == []


# --- The log ---------------------------------------------------------------------------------------------


def ladder(actions: int = 40) -> Match:
    m = Match(LADDER, (1, 2), {"rungs": 100})
    for number in range(actions):
        m.act(Action(seat=1 + number % 2, move="climb", args={"by": 1 + number % 3 % 2}))
    return m


def test_a_log_plays_again_to_the_same_state() -> None:
    m = ladder()
    assert [bool(entry.state) for entry in m.log].count(True) == 2
    again = Match.replay(LADDER, m.head, m.log)
    assert again.fingerprint() == m.fingerprint()
    assert again.events == m.events


def test_a_log_that_the_rules_answer_differently_is_not_believed() -> None:
    m = ladder()
    head, log = m.head, m.log
    other = Match(LADDER, (1, 2), {"rungs": 99}).head
    changed = [*log[:3], Entry(2, "climb", {"by": 2}, log[3].asked), *log[4:]]
    foreign = [*log[:3], Entry(1, "climb", {"by": 1}, log[3].asked), *log[4:]]
    unasked = [*log[:3], Entry(2, "climb", log[3].args, 17), *log[4:]]
    assert Match.replay(LADDER, other, log[:5]).setup.options["rungs"] == 99
    for entries, why in ((changed, "state"), (foreign, "refuse entry"), (unasked, "differently")):
        with pytest.raises(ReplayDiverged, match=why):
            Match.replay(LADDER, head, entries)
    with pytest.raises(ReplayDiverged, match="format 2"):
        Match.replay(LADDER, type(head)("ladder", 1, head.digest, [1, 2], {}, 2), log)
    for wrong in (type(head)("chess", 1, head.digest, [1, 2], {}), type(head)("ladder", 2, head.digest, [1, 2], {})):
        with pytest.raises(ReplayDiverged, match="The match began with other rules or cards"):
            Match.replay(LADDER, wrong, log)


def test_what_the_rules_do_with_an_answer_does_not_touch_the_log() -> None:
    async def play(s: Made) -> None:
        answer = await ask(s, 1, [offer("sort", order=Order([1, 2, 3]))], "Sort.")
        answer["order"].clear()
        (await roll(s, 1, 2, 6, "luck", "Roll.")).clear()
        await ask(s, 1, [offer("sort", order=Order([1, 2, 3]))], "Sort.")

    m = match(play)
    act(m, 1, "sort", order=[3, 2, 1])
    dice(m, 4, 5)
    assert [entry.args for entry in m.log] == [{"order": [3, 2, 1]}, {"faces": [4, 5]}]


def test_undo_goes_back_over_ones_own_inputs_only() -> None:
    m = ladder(3)
    height = m.state.seats[1].height
    with pytest.raises(NotOffered, match="Another seat"):
        m.undo(2)
    with pytest.raises(NotOffered, match="Another seat"):
        m.undo(1, seat=2)
    for count in (0, 4):
        with pytest.raises(NotOffered, match="nothing"):
            m.undo(count)
    assert [event.kind for event in m.undo(1, seat=1)] == ["undo"]
    assert m.state.seats[1].height < height
    assert len(m.log) == 2


# --- Options and seats -----------------------------------------------------------------------------------

OPTIONS = {
    "flag": Option(default=False, effect=""),
    "count": Option(default=5, effect="", min=2, max=9),
    "word": Option(default="a", effect="", choices=["a", "b"], pattern="[xy]{3}"),
}


@pytest.mark.parametrize(
    ("name", "value"), [("flag", True), ("count", 2), ("count", 9), ("word", "b"), ("word", "xyx"), ("word", "a")]
)
def test_an_option_takes_its_legal_values(name: str, value: Any) -> None:
    assert OPTIONS[name].check(name, value) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [("flag", 1), ("flag", "true"), ("count", 1), ("count", 10), ("count", True), ("count", 3.0), ("count", "3"), ("word", "c"),
     ("word", "xyxy"), ("word", 1), ("word", None)],
)  # fmt: skip
def test_an_option_refuses_all_others_with_a_sentence(name: str, value: Any) -> None:
    with pytest.raises(StartRefused, match=f"Option {name}"):
        OPTIONS[name].check(name, value)


def test_a_mistyped_option_is_answered_with_the_nearest() -> None:
    with pytest.raises(StartRefused, match="do you mean rungs"):
        Match(LADDER, (1, 2), {"rung": 3})


@pytest.mark.parametrize("seats", [(), (1,), (1, 2, 3, 4, 5, 6, 7)])
def test_a_game_is_for_as_many_as_it_says(seats: tuple[int, ...]) -> None:
    with pytest.raises(StartRefused, match="2 to 6 players"):
        Match(LADDER, seats)


def test_clockwise_goes_on_from_an_empty_chair() -> None:
    assert clockwise((1, 2, 5), 2) == [2, 5, 1]
    assert clockwise((1, 2, 5), 3) == [5, 1, 2]
    assert clockwise((1, 2, 5), 6) == [1, 2, 5]
