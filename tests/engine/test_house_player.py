"""What a house player is shown, what it answers, and what is done with its answers."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from msgspec.structs import replace

from hub.engine.decision import (
    CHANCE,
    Action,
    Amount,
    Answer,
    Choose,
    Faces,
    Fixed,
    Move,
    OneOf,
    Order,
    Param,
    Roll,
    Won,
    ask,
    ask_all,
    offer,
    roll,
    roll_or,
)
from hub.engine.game import Rulebook
from hub.engine.house_player import ANY_GAME, advise, faces, play, sight_of, small_value
from hub.engine.match import Match
from hub.engine.options import Option
from hub.engine.sight import Advice, Randomness, Sight, Strength, best
from hub.errors import RulesBug
from tests.engine.ladder import LADDER, game
from tests.engine.test_match import Made, Script, act, deal, end, match, sealed, shuffled

T = TypeVar("T")


class Drawn:
    """Randomness that is written down: `numbers` are drawn in turn, a choice is the last of a list."""

    def __init__(self, *numbers: float) -> None:
        self.numbers = list(numbers)
        self.ranges: list[tuple[int, int]] = []

    def random(self) -> float:
        return self.numbers.pop(0)

    def randrange(self, start: int, stop: int, /) -> int:
        self.ranges.append((start, stop))
        return int(self.numbers.pop(0))

    def choice(self, seq: Sequence[T], /) -> T:
        return seq[-1]

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        return list(reversed(population))[:k]

    def shuffle(self, x: MutableSequence[T], /) -> None:
        raise AssertionError


class Player:
    """A house player with one answer, which keeps what it was given."""

    def __init__(self, answer: Answer | None) -> None:
        self.answer = answer
        self.given: list[tuple[Sight, Randomness, Strength]] = []

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        self.given.append((sight, chance, strength))
        return self.answer


async def double_or_roll(s: Made) -> None:
    got = await roll_or(s, 2, 3, 6, "rod", "Roll.", [offer("double"), offer("halve")])
    s.table.heard.append(got if isinstance(got, list) else got.move)
    await end(s)


async def only_roll(s: Made) -> None:
    s.table.heard.append(await roll(s, 2, 2, 6, "luck", "Roll."))
    await end(s)


async def question(s: Made) -> None:
    await ask(s, 2, [offer("bid", amount=Amount(1, 3)), offer("pass")], "Bid?")
    await end(s)


def lends(s: Made, seat: int) -> list[Move]:
    return [offer("borrow", amount=OneOf([10]))]


def housed(script: Script, player: Any = None, **more: Any) -> Match:
    rulebook = Rulebook(deal=deal, play=script, explain=lambda s, action: None, **more)
    return Match(replace(game(rulebook), house=player), (1, 2, 3))


# --- sight -----------------------------------------------------------------------------------------------


def test_an_asked_seat_sees_its_own_view_the_offers_and_everything_about_the_match() -> None:
    climbing = replace(LADDER, options={"rungs": Option(default=9, effect="")}, data={"walls": 2})
    m = Match(climbing, (2, 5))
    m.act(Action(seat=2, move="climb", args={"by": 1}))
    assert m.open
    sight = sight_of(m, 5)
    assert sight == Sight(
        5, (2, 5), "ask", m.open.offers(5), (), None, m.view(5), m.events, {"rungs": 9}, {"walls": 2}, climbing.labels
    )
    assert (sight.you, sight.me, sight.table) == ({}, {"height": 0, "locked": False}, {"top": 9})
    assert (sight.of(2), sight.others) == ({"height": 1, "locked": False}, [2])
    assert [move.name for move in sight.offered("rest")] == ["rest"]
    assert sight.offered("fall") == []
    assert sight_of(m, 2) is None


def test_a_seat_sees_its_standing_offers_beside_the_question() -> None:
    sight = sight_of(match(question, standing=lends), 2)
    assert sight
    assert [move.name for move in sight.offers] == ["bid", "pass"]
    assert sight.standing == [offer("borrow", amount=OneOf([10]))]


@pytest.mark.parametrize("script", [double_or_roll, only_roll])
def test_only_the_seat_that_rolls_sees_the_roll(script: Script) -> None:
    m = match(script)
    sight = sight_of(m, 2)
    assert sight
    assert m.open
    assert (sight.kind, sight.roll, sight.offers) == ("roll", m.open.roll, m.open.offers(2))
    assert sight_of(m, 1) is None


def test_a_seat_that_has_locked_is_not_asked_any_more() -> None:
    m = match(sealed)
    assert sight_of(m, 3)
    act(m, 3, "pass")
    assert sight_of(m, 3) is None
    sight = sight_of(m, 1)
    assert sight
    assert (sight.kind, sight.roll) == ("sealed", None)


def test_nobody_is_asked_while_chance_decides_or_after_the_end() -> None:
    m = match(shuffled)
    assert [sight_of(m, seat) for seat in (1, 2, 3)] == [None, None, None]
    over = match(question)
    act(over, 2, "pass")
    assert sight_of(over, 2) is None
    assert play(over, 2, "easy", Random(1)) is None


def test_of_the_moves_with_a_name_a_seat_is_offered_all() -> None:
    async def two(s: Made) -> None:
        await ask(s, 1, [offer("bid", amount=1), offer("pass"), offer("bid", amount=3)], "Bid?")

    sight = sight_of(match(two), 1)
    assert sight
    assert sight.offered("bid") == [offer("bid", amount=1), offer("bid", amount=3)]


# --- answers ---------------------------------------------------------------------------------------------


def test_the_house_answers_the_open_question_with_the_choice_of_its_player() -> None:
    player, chance = Player(Answer("climb", {"by": 2})), Random(1)
    m = Match(replace(LADDER, house=player), (1, 2))
    m.act(Action(seat=1, move="rest", args={}))
    assert play(m, 1, "sharp", chance) is None
    assert player.given == []
    assert play(m, 2, "sharp", chance) == Action(seat=2, move="climb", args={"by": 2}, number=1)
    assert player.given == [(sight_of(m, 2), chance, "sharp")]
    assert len(m.log) == 1, "it plays nothing itself"


def test_another_player_may_play_in_place_of_the_games_own() -> None:
    own, other = Player(Answer("pass", {})), Player(Answer("bid", {"amount": 3}))
    m = housed(question, own)
    assert play(m, 2, "easy", Random(1), player=other) == Action(seat=2, move="bid", args={"amount": 3}, number=0)
    assert own.given == []


def test_a_game_without_a_player_is_played_by_the_one_that_knows_no_rules() -> None:
    action = play(housed(question), 2, "easy", Drawn(0.0))
    assert action == Action(seat=2, move="pass", args={}, number=0)


def test_a_standing_offer_may_be_the_answer() -> None:
    m = housed(question, Player(Answer("borrow", {"amount": 10})), standing=lends)
    assert play(m, 2, "easy", Random(1)) == Action(seat=2, move="borrow", args={"amount": 10}, number=0)


@pytest.mark.parametrize(
    "answer", [None, Answer("bid", {"amount": 4}), Answer("bid", {}), Answer("jump", {}), Answer("jump", {"amount": 1})]
)
def test_an_answer_that_is_not_offered_is_a_fault_of_the_player(answer: Answer | None) -> None:
    m = housed(question, Player(answer))
    with pytest.raises(RulesBug, match="The house player of The ladder answers what is not offered"):
        play(m, 2, "steady", Random(1))
    assert play(m, 2, "steady", Random(1), player=ANY_GAME)


def test_the_hub_rolls_for_a_seat_of_the_house() -> None:
    """Nothing is chosen if nothing but a roll is open; a player with a choice may roll, too."""
    player = Player(None)
    m = housed(only_roll, player)
    assert play(m, 2, "easy", Drawn(0.0, 0.99)) == Action(
        seat=CHANCE, move="roll", args={"faces": [1, 6], "read": "hub"}, number=0
    )
    assert play(m, 1, "easy", Random(1)) is None
    assert player.given == []
    m = housed(double_or_roll, player)
    assert play(m, 2, "easy", Drawn(0.2, 0.4, 0.6)) == Action(
        seat=CHANCE, move="roll", args={"faces": [2, 3, 4], "read": "hub"}, number=0
    )
    action = play(m, 2, "easy", Drawn(), player=Player(Answer("double", {})))
    assert action == Action(seat=2, move="double", args={}, number=0)


def test_dice_of_the_hub_show_each_face_for_an_equal_part() -> None:
    parts = [part / 8 for part in range(8)]
    assert faces(Roll(1, 8, 8, "luck"), Drawn(*parts)) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert faces(Roll(1, 8, 4, "luck"), Drawn(*parts)) == [1, 1, 2, 2, 3, 3, 4, 4]


# --- advice ----------------------------------------------------------------------------------------------


class Reasoning(Player):
    """One that gives reasons."""

    def reason(self, sight: Sight, chance: Randomness, answer: Answer | None) -> str:
        assert (sight, chance, answer) == (self.given[-1][0], self.given[-1][1], self.answer)
        return "It pays."


@pytest.mark.parametrize("kind", [Player, Reasoning])
@pytest.mark.parametrize(
    ("script", "answer"),
    [(question, Answer("pass", {})), (double_or_roll, Answer("halve", {})), (double_or_roll, None)],
)
def test_advice_is_what_the_sharp_house_would_do_and_why(
    kind: type[Player], script: Script, answer: Answer | None
) -> None:
    player, chance = kind(answer), Random(1)
    m = housed(script, player)
    sight = sight_of(m, 2)
    assert sight
    assert advise(sight, m.game, chance) == Advice(answer, "It pays." if kind is Reasoning else "")
    assert player.given == [(sight, chance, "sharp")]


def test_there_is_no_advice_where_there_is_nothing_to_choose_or_no_player() -> None:
    m = housed(only_roll, Player(None))
    sight = sight_of(m, 2)
    assert sight
    assert advise(sight, m.game, Random(1)) is None
    m = housed(question)
    sight = sight_of(m, 2)
    assert sight
    assert advise(sight, m.game, Random(1)) is None


async def enter(s: Any) -> None:
    """Secret dice are entered beside a harmless move."""
    told = await ask_all(
        s, {2: [offer("rolled", faces=Faces(3, 6)), offer("pass")]}, "Roll under your cup.", into="choice"
    )
    raise Won([2], {2: sum(told[2]["faces"])}, "That was all.")


def test_secret_dice_of_the_house_are_random_and_no_advice_tells_a_person_what_to_enter() -> None:
    player = Player(Answer("rolled", {"faces": [6, 6, 6]}))
    m = housed(enter, player)
    drawn = {tuple(action.args["faces"]) for seed in range(50) if (action := play(m, 2, "sharp", Random(seed)))}
    assert len(drawn) > 40
    assert {face for faces in drawn for face in faces} == {1, 2, 3, 4, 5, 6}
    assert not player.given, "the player is not asked"
    sight = sight_of(m, 2)
    assert sight
    assert advise(sight, m.game, Random(1)) is None


def test_a_player_that_fails_is_told_apart_and_so_are_reasons_that_fail() -> None:
    def fail(*_: object) -> Any:
        raise ZeroDivisionError

    m = housed(question, SimpleNamespace(choose=fail))
    with pytest.raises(RulesBug, match="The house player of The ladder failed: ZeroDivisionError"):
        play(m, 2, "steady", Random(1))
    m = housed(question, SimpleNamespace(choose=Player(Answer("pass", {})).choose, reason=fail))
    sight = sight_of(m, 2)
    assert sight
    with pytest.raises(RulesBug, match="The house player of The ladder gives no reason: ZeroDivisionError"):
        advise(sight, m.game, Random(1))


# --- the player that knows no rules ----------------------------------------------------------------------


async def auction(s: Made) -> None:
    await ask(s, 2, [offer("bid", amount=Amount(10, 50, 10)), offer("raise"), offer("pass")], "Bid?")


async def nothing_but_pass(s: Made) -> None:
    await ask(s, 2, [offer("pass")], "Pass?", hidden=True)


@pytest.mark.parametrize(
    ("script", "drawn", "answer"),
    [
        (auction, [0.49], Answer("pass", {})),
        (auction, [0.5], Answer("raise", {})),
        (nothing_but_pass, [], Answer("pass", {})),
        (double_or_roll, [0.69], None),
        (double_or_roll, [0.7, 0.49], Answer("halve", {})),
        (double_or_roll, [0.7, 0.5], Answer("double", {})),
        (only_roll, [], None),
    ],
)
def test_the_player_that_knows_no_rules_declines_every_other_time_and_mostly_rolls(
    script: Script, drawn: list[float], answer: Answer | None
) -> None:
    sight = sight_of(match(script), 2)
    assert sight
    chance = Drawn(*drawn)
    assert ANY_GAME.choose(sight, chance, "easy") == answer
    assert chance.numbers == []


def test_the_player_that_knows_no_rules_takes_the_smaller_of_two_numbers() -> None:
    async def bids(s: Made) -> None:
        await ask(s, 2, [offer("bid", amount=Amount(10, 50, 10), what="boat"), offer("pass")], "Bid?")

    sight = sight_of(match(bids), 2)
    assert sight
    for drawn in ((0.5, 4, 2), (0.5, 2, 4)):
        chance = Drawn(*drawn)
        assert ANY_GAME.choose(sight, chance, "easy") == Answer("bid", {"amount": 30, "what": "boat"})
        assert chance.ranges == [(0, 5), (0, 5)]


@pytest.mark.parametrize(
    ("param", "drawn", "value", "ranges"),
    [
        (Fixed("boat"), [], "boat", []),
        (OneOf([4, 5, 6]), [], 6, []),
        (Amount(3, 3), [0, 0], 3, [(0, 1), (0, 1)]),
        (Amount(3, 8, 2), [2, 1], 5, [(0, 3), (0, 3)]),
        (Choose(["a", "b", "c"], 1, 3), [2], ["c", "b"], [(1, 3)]),
        (Choose(["a", "b", "c"], 0, 3), [0], [], [(0, 2)]),
        (Choose(["a", "b", "c"], 2, 2), [2], ["c", "b"], [(2, 3)]),
        (Choose(["a", "b"], 2, 5), [2], ["b", "a"], [(2, 3)]),
        (Order([1, 2, 3]), [], [3, 2, 1], []),
        (Faces(2, 6), [1, 6], [1, 6], [(1, 7), (1, 7)]),
    ],
)
def test_a_value_is_small_and_legal(param: Param, drawn: list[float], value: object, ranges: list[Any]) -> None:
    chance = Drawn(*drawn)
    assert small_value(param, chance) == value
    assert chance.ranges == ranges
    assert param.accepts(value)


# --- the best of several ---------------------------------------------------------------------------------


def test_the_best_has_the_highest_value_and_equals_are_drawn() -> None:
    worth = {"a": 1.0, "b": 3.0, "c": 3.0}
    for first, second, wanted in ((0.2, 0.4, "c"), (0.4, 0.2, "b")):
        draws = Drawn(0.5, 0.5, 0.9, 0.5, 0.5, first, 0.5, 0.5, second)
        assert best(worth, worth.__getitem__, draws) == wanted
        assert draws.numbers == []


def test_without_noise_no_draw_makes_a_lower_value_the_best() -> None:
    worth = {"a": 1.0, "b": 1.1}
    assert best(worth, worth.__getitem__, Drawn(0.9, 0.9, 0.9, 0.0, 0.0, 0.0)) == "b"


@pytest.mark.parametrize(
    ("noise", "drawn", "wanted"),
    [
        (1.0, [1.0, 1.0, 0.5, 0.0, 0.0, 0.5], "a"),  # 2 and 1
        (1.0, [0.75, 0.5, 0.5, 0.5, 0.25, 0.5], "b"),  # 1.25 and 1.75
        (1.0, [1.0, 0.75, 0.5, 0.25, 0.25, 0.5], "a"),  # 1.75 and 1.5
        (0.5, [1.0, 1.0, 0.5, 0.25, 0.0, 0.5], "b"),  # 1.5 and 1.625
        (2.0, [0.75, 0.75, 0.5, 0.5, 0.25, 0.5], "a"),  # 2 and 1.5
    ],
)
def test_noise_moves_each_value_by_its_size_at_most(noise: float, drawn: list[float], wanted: str) -> None:
    worth = {"a": 1.0, "b": 2.0}
    assert best(worth, worth.__getitem__, Drawn(*drawn), noise) == wanted
