"""What dial, push, bar and keys of a seat box mean."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.display.labels import NO_LABELS
from hub.engine.decision import Amount, Answer, Choose, Fixed, Move, OneOf, Order, Roll, offer
from hub.engine.labels import Labels
from hub.ports import CONTROLS, Key, Turn
from hub.table.boxes.answer_line import (
    MAX_ANSWERS,
    dial_line,
    sealed_line,
)
from hub.table.boxes.captions import (
    dice_caption,
    dispute_caption,
    explanation,
    label,
    picked_caption,
    question_caption,
    sealed_captions,
    typed_caption,
)
from hub.table.boxes.controls import (
    AcceptDice,
    AsItLies,
    Chosen,
    Cursor,
    DisputeVote,
    HubRolls,
    Meaning,
    Nothing,
    ReadAgain,
    Refused,
    TypedFaces,
    WhatIsThis,
    is_bar,
    press,
    press_beside_roll,
    press_roll,
    press_vote,
)
from hub.table.boxes.lettering import CAPTION_LENGTH, ENGLISH
from tests.made_labels import made_labels

AUCTION = [offer("bid", amount=Amount(45, 340, 5)), offer("drop")]
SETTLEMENT = [offer("accept"), offer("counter", amount=Amount(5, 60, 5)), offer("reject")]
LADDER = [
    offer("bid", quantity=3, rank=OneOf([6])),
    offer("bid", quantity=Amount(4, 99), rank=OneOf([1, 2, 3, 4, 5, 6])),
    offer("challenge"),
    offer("perfecto"),
]
PAY = [offer("pay", baits=2), offer("fail")]
TAKE = [offer("take_fish", slot=OneOf([1, 3])), offer("take_spot")]
LABELS = made_labels(
    {
        "moves": {
            "drop": {"label": "Drop", "box": "bar"},
            "fail": {"label": "Let it go", "box": "bar"},
            "challenge": {"label": "Challenge", "box": "ask"},
            "bid": {"label": "Bid ${amount}"},
            "keep": {"label": "Keep the {fish}"},
        },
        "parameters": {"fish": {"card": True}},
        "cards": {"eel": {"name": "Eel"}},
    }
)
STATES = ("armed", "rolling", "settled", "typed", "cocked", "wrong_count", "no_reader")
ROLL = Roll(seat=1, count=2, sides=6, why="trial")


def key(control: str, edge: str = "down") -> Key:
    return Key("box", control, edge)  # type: ignore[arg-type]


def turn(detents: int) -> Turn:
    return Turn("box", detents)


def play(moves: list[Move], *signals: Key | Turn, labels: Labels = LABELS) -> Meaning:
    """What the last of some signals means."""
    cursor, meaning = Cursor(), None
    for signal in signals:
        cursor, meaning = press(moves, cursor, signal, labels)
    assert meaning is not None
    return meaning


def chosen(move: str, **args: Any) -> Chosen:
    return Chosen(Answer(move, args))


# --- the line ------------------------------------------------------------------------------------------


def test_an_auction_is_drop_and_then_the_bids_in_steps() -> None:
    line = dial_line(AUCTION)
    assert line[:3] == [Answer("drop", {}), Answer("bid", {"amount": 45}), Answer("bid", {"amount": 50})]
    assert line[-1] == Answer("bid", {"amount": 340})


def test_left_of_the_lowest_bid_stands_the_challenge_and_left_of_that_the_perfecto() -> None:
    line = dial_line(LADDER)
    assert [one.move for one in line[:3]] == ["perfecto", "challenge", "bid"]
    assert [one.args for one in line[2:5]] == [
        {"quantity": 3, "rank": 6}, {"quantity": 4, "rank": 1}, {"quantity": 4, "rank": 2},
    ]  # fmt: skip


def test_a_line_that_is_too_long_loses_its_far_end_and_never_the_no() -> None:
    moves = [offer("bid", amount=Amount(1, 10_000)), offer("drop")]
    line = dial_line(moves)
    assert len(line) == len(sealed_line(moves)) == MAX_ANSWERS
    assert line[0] == sealed_line(moves)[-1] == Answer("drop", {})
    assert line[-1] == Answer("bid", {"amount": MAX_ANSWERS - 1})


def test_one_card_or_a_few_pairs_are_picks_and_more_cards_or_an_order_are_left_to_the_phone() -> None:
    assert dial_line([offer("discard", cards=Choose(["a", "b", "b"], 1, 2))]) == [
        Answer("discard", {"cards": ["a"]}), Answer("discard", {"cards": ["b"]}),
    ]  # fmt: skip
    assert dial_line([offer("seed", cards=Choose(["a", "b", "c"], 2, 2))]) == [
        Answer("seed", {"cards": pair}) for pair in (["a", "b"], ["a", "c"], ["b", "c"])
    ]
    assert dial_line([offer("seed", cards=Choose(list("abcdefghijklmnop"), 8, 8))]) == []
    assert dial_line([offer("use", order=Order([5, 6, 7]))]) == []
    assert dial_line([offer("use", order=Order([5, 6])), offer("done")]) == [Answer("done", {})]


def test_a_bid_with_optional_cards_to_show_is_laid_without_them() -> None:
    moves = [offer("bid", rank=OneOf([1, 2]), expose=Choose(["5"], 0, 1)), offer("pass")]
    assert [one.args.get("expose") for one in sealed_line(moves)] == [[], [], None]


def test_a_sealed_line_stands_as_listed_with_the_safe_answer_last() -> None:
    moves = [offer("venture", product=OneOf(["P1", "P3"])), offer("abstain")]
    assert sealed_line(moves) == [
        Answer("venture", {"product": "P1"}), Answer("venture", {"product": "P3"}), Answer("abstain", {}),
    ]  # fmt: skip


# --- dial, push and bar --------------------------------------------------------------------------------


def test_the_dial_rests_on_the_least_bid_and_push_makes_it() -> None:
    assert play(AUCTION, key("push")) == chosen("bid", amount=45)
    assert play(AUCTION, turn(2), turn(1), key("push")) == chosen("bid", amount=60)


def test_push_without_turning_accepts_an_offer_and_turning_counters_it() -> None:
    assert play(SETTLEMENT, key("push")) == chosen("accept")
    assert play(SETTLEMENT, turn(2), key("push")) == chosen("counter", amount=10)
    assert play(SETTLEMENT, turn(-1), key("push")) == chosen("reject")


def test_an_offer_to_accept_lies_between_the_lower_and_the_higher_counters() -> None:
    talk = [
        offer("counter", amount=Amount(5, 55, 5)), offer("accept"), offer("counter", amount=Amount(65, 400, 5)), offer("reject"),
    ]  # fmt: skip
    labels = made_labels({"moves": {"accept": {"box": "rest"}, "reject": {"box": "ask"}}})
    assert play(talk, key("push"), labels=labels) == chosen("accept")
    assert play(talk, turn(1), key("push"), labels=labels) == chosen("counter", amount=65)
    assert play(talk, turn(-2), key("push"), labels=labels) == chosen("counter", amount=50)
    assert (
        play(talk, turn(-99), key("push"), labels=labels)
        == play(talk, key("bar"), key("bar"), labels=labels)
        == chosen("reject")
    )
    assert play(talk[:2], turn(-1), key("push"), labels=labels) == chosen("counter", amount=55)
    assert play(talk[1:], turn(1), key("push"), labels=labels) == chosen("counter", amount=65)
    assert play([talk[1], talk[3]], key("push"), labels=labels) == chosen("accept")


def test_a_named_no_needs_one_press_of_the_bar() -> None:
    assert play(AUCTION, turn(5), key("bar")) == chosen("drop")
    assert play(PAY, key("bar")) == chosen("fail")


def test_a_challenge_by_the_bar_asks_for_a_push() -> None:
    assert play(LADDER, key("bar")) == Nothing()
    assert play(LADDER, key("bar"), key("push")) == chosen("challenge")
    assert play(LADDER, key("bar"), key("bar")) == chosen("challenge")


def test_a_last_move_that_nobody_named_a_no_is_only_picked_by_the_bar() -> None:
    assert play(TAKE, key("bar")) == Nothing()
    assert play(TAKE, key("bar"), key("push")) == chosen("take_spot")
    assert play(AUCTION, key("bar"), labels=NO_LABELS) == Nothing()
    assert play(AUCTION, key("bar"), key("bar"), labels=NO_LABELS) == chosen("drop")


def test_where_there_is_no_no_the_bar_goes_back_to_rest_and_then_says_so() -> None:
    bids = [offer("bid", number=Amount(1, 6))]
    assert play(bids, key("k4"), key("bar"), key("push")) == chosen("bid", number=1)
    assert isinstance(play(bids, key("bar")), Refused)


def test_the_only_move_there_is_is_made_by_push() -> None:
    assert play([offer("done")], key("push")) == chosen("done")


def test_a_key_held_asks_what_it_is_and_a_push_or_a_bar_held_means_nothing() -> None:
    assert play(AUCTION, key("bar", "hold")) == Nothing()
    assert play(TAKE, key("k3", "hold")) == WhatIsThis(Answer("take_fish", {"slot": 3}))
    assert play(TAKE, key("k2", "hold")) == WhatIsThis(None)
    assert play(AUCTION, key("push", "hold")) == Nothing()


def test_what_only_a_phone_can_answer_is_said_at_the_box() -> None:
    for signal in (key("push"), key("bar"), key("k1"), turn(1)):
        assert play([offer("use", order=Order([5, 6, 7]))], signal) == Refused("Answer this question on a phone.")


# --- keys ----------------------------------------------------------------------------------------------


def test_a_key_picks_the_number_that_is_printed_on_it() -> None:
    assert play([offer("bid", number=Amount(1, 6))], key("k5"), key("push")) == chosen("bid", number=5)
    assert play(TAKE, key("k3"), key("push")) == chosen("take_fish", slot=3)
    assert play([offer("sue", target=OneOf([1, 4])), offer("pass")], key("k4"), key("push")) == chosen("sue", target=4)


def test_a_key_picks_its_seat_where_each_seat_goes_with_amounts_of_its_own() -> None:
    suits = [
        offer("play", card="ENG"),
        *(offer("play", card="NEG", target=seat, amount=Amount(5, 10 * seat, 5)) for seat in (1, 3, 4)),
        offer("pass"),
    ]
    labels = made_labels({"moves": {"play": {"then": ["target", "amount"]}}})
    suing = key("k2"), key("push")
    assert play(suits, key("k1"), key("push"), labels=labels) == chosen("play", card="ENG")
    assert play(suits, *suing, key("k4"), key("push"), turn(2), key("push"), labels=labels) == chosen(
        "play", card="NEG", target=4, amount=15
    )
    assert isinstance(play(suits, *suing, key("k2"), labels=labels), Refused)


def test_a_key_alone_sends_nothing() -> None:
    assert play([offer("bid", number=Amount(1, 6))], key("k5")) == Nothing()


def test_a_key_without_its_number_on_offer_is_refused_with_a_sentence() -> None:
    assert play(TAKE, key("k2")) == Refused("There is no 2 here: turn, then push.")


def test_keys_pick_cards_as_they_are_listed() -> None:
    moves = [offer("add", card=OneOf([12, 41, 7])), offer("auction")]
    assert play(moves, key("k2"), key("push")) == chosen("add", card=41)
    assert play(moves, key("k4"), key("push")) == chosen("auction")
    assert isinstance(play(moves, key("k5")), Refused)


def test_keys_pick_the_rank_of_a_bid_and_the_next_legal_quantity_follows() -> None:
    assert play(LADDER, key("k2"), key("push")) == chosen("bid", quantity=4, rank=2)
    assert play(LADDER, key("k5"), key("k2"), key("push")) == chosen("bid", quantity=4, rank=2)
    assert play(LADDER, key("k6"), key("push")) == chosen("bid", quantity=3, rank=6)


def test_keys_leave_large_amounts_to_the_dial() -> None:
    assert play(AUCTION, key("k1"), key("push")) == chosen("drop")
    assert isinstance(play(AUCTION, key("k2")), Refused)


# --- dice ----------------------------------------------------------------------------------------------


def roll(*signals: Key | Turn, moves: list[Move] | None = None, dice: str = "armed") -> Meaning:
    cursor, meaning = Cursor(), None
    for signal in signals:
        cursor, meaning = press_roll(ROLL, moves or [], cursor, signal, dice=dice)
    assert meaning is not None
    return meaning


def test_keys_type_the_dice_and_push_sends_them() -> None:
    assert roll(key("k4"), key("k2"), key("push")) == TypedFaces((4, 2))


def test_the_bar_takes_the_last_die_back() -> None:
    assert roll(key("k4"), key("k2"), key("bar"), key("k6"), key("push")) == TypedFaces((4, 6))


def test_fewer_dice_than_asked_are_not_sent_and_more_are_not_taken() -> None:
    assert roll(key("k4"), key("push")) == Refused("Roll, then type what you see: 1 of 2 dice typed.")
    assert isinstance(roll(key("k4"), key("k2"), key("k1")), Refused)
    assert roll(key("k4"), key("k2"), key("k1"), key("push")) == TypedFaces((4, 2))


def test_push_accepts_what_was_read_and_the_bar_has_it_read_again() -> None:
    assert roll(key("push"), dice="settled") == AcceptDice()
    assert roll(key("bar"), dice="settled") == ReadAgain()
    assert roll(key("bar"), dice="typed") == ReadAgain()
    assert roll(key("bar", "hold"), dice="settled") == roll(key("k1", "hold"), dice="settled") == Nothing()


def test_the_push_of_a_roller_whose_die_leans_would_have_it_read_as_it_lies_once_nothing_is_typed() -> None:
    assert roll(key("push"), dice="cocked") == AsItLies()
    assert roll(key("k1"), key("push"), dice="cocked") == Refused("Roll, then type what you see: 1 of 2 dice typed.")


def test_in_a_vote_push_is_yes_and_the_bar_is_no() -> None:
    assert (press_vote(key("push")), press_vote(key("bar"))) == (DisputeVote(yes=True), DisputeVote(yes=False))
    for control in (turn(1), key("k1"), key("k1", "hold"), key("push", "hold"), key("bar", "hold")):
        assert press_vote(control) == Nothing()


def test_the_bar_of_the_roller_asks_for_the_hub_where_nothing_lies_there() -> None:
    assert roll(key("bar")) == HubRolls()
    assert roll(key("k1"), key("bar"), key("bar"), dice="no_reader") == HubRolls()


@pytest.mark.parametrize("dice", STATES)
def test_the_other_seats_say_yes_to_typed_dice_have_them_read_again_or_agree_to_a_roll_by_the_hub(dice: str) -> None:
    push, bar = key("push"), key("bar")
    assert press_beside_roll(bar, dice=dice, voting=False) == (
        ReadAgain() if dice in ("typed", "settled") else Nothing()
    )
    alone = {"typed": AcceptDice(), "cocked": AsItLies()}.get(dice, Nothing())
    assert press_beside_roll(push, dice=dice, voting=False) == alone
    agreed = {"typed": AcceptDice(), "settled": Nothing()}.get(dice, HubRolls())
    assert press_beside_roll(push, dice=dice, voting=True) == agreed
    assert (
        press_beside_roll(key("k3"), dice=dice, voting=True)
        == press_beside_roll(turn(2), dice=dice, voting=True)
        == Nothing()
    )
    assert press_beside_roll(key("bar", "hold"), dice=dice, voting=False) == Nothing()


def test_typed_dice_go_before_read_ones() -> None:
    assert roll(key("k1"), key("k1"), key("push"), dice="settled") == TypedFaces((1, 1))


def test_a_box_with_a_dial_alone_types_dice_too() -> None:
    assert roll(turn(3), key("push"), turn(1), key("push"), key("push")) == TypedFaces((3, 4))


def test_moves_before_the_roll_lie_left_of_the_dice() -> None:
    moves = [offer("use", spot=2), offer("use", spot=6)]
    assert roll(turn(-1), key("push"), moves=moves) == chosen("use", spot=2)
    assert roll(turn(-9), key("push"), moves=moves) == chosen("use", spot=6)
    assert roll(turn(-1), key("bar"), key("k1"), key("k2"), key("push"), moves=moves) == TypedFaces((1, 2))


@given(
    st.lists(st.one_of(st.sampled_from(CONTROLS).map(key), st.integers(-9, 9).map(turn)), max_size=30),
    st.sampled_from(STATES),
)
def test_whatever_is_pressed_at_a_roll_only_whole_rolls_are_sent(signals: list[Key | Turn], dice: str) -> None:
    cursor = Cursor()
    for signal in signals:
        cursor, meaning = press_roll(ROLL, PAY, cursor, signal, dice=dice)
        assert len(cursor.faces) <= ROLL.count
        if isinstance(meaning, TypedFaces):
            assert len(meaning.faces) == ROLL.count
            assert all(1 <= face <= ROLL.sides for face in meaning.faces)
        if isinstance(meaning, Chosen):
            assert any(move.name == meaning.answer.move and move.accepts(meaning.answer.args) for move in PAY)


def test_a_value_that_stands_for_a_record_is_told_by_its_title() -> None:
    labels = made_labels(
        {
            "moves": {"invest": {"label": "Invest in {product}"}},
            "parameters": {"product": {"record": "table.products", "title": "{name}"}},
        }
    )
    view = {"table": {"products": [{"id": "P1", "name": "Edible Hat"}, {"id": "P2", "name": "Vegan Wig"}]}}
    assert label(Answer("invest", {"product": "P2"}), labels, view) == "Invest in Vegan Wig"
    assert label(Answer("invest", {"product": "P9"}), labels, view) == "Invest in P9"
    assert label(Answer("invest", {"product": "P2"}), labels) == "Invest in P2"


# --- in two steps --------------------------------------------------------------------------------------

SIDESTEP = [
    offer("bid", quantity=3, rank=OneOf([6]), expose=OneOf(["5*", "34"])),
    offer("bid", quantity=Amount(4, 99), rank=OneOf([1, 2, 3, 4, 5, 6]), expose=OneOf(["5*", "34"])),
    offer("pass"),
]
SIDE_LABELS = made_labels(
    {
        "moves": {
            "bid": {"label": "Bid {quantity} x {rank} {expose}", "then": ["expose"]},
            "pass": {"label": "Pass", "box": "bar"},
        },
        "parameters": {"expose": {"card": True, "said": "showing {}"}},
        "cards": {"5*": {"name": "5 star"}},
    }
)


def at_the_sidestep(*signals: Key | Turn) -> tuple[str, Meaning]:
    """The display and the meaning after some signals."""
    cursor, meaning = Cursor(), None
    for signal in signals:
        cursor, meaning = press(SIDESTEP, cursor, signal, SIDE_LABELS)
    assert meaning is not None
    return picked_caption(cursor, SIDESTEP, SIDE_LABELS), meaning


def test_at_a_sidestep_the_dial_first_goes_through_the_bids_and_then_through_the_cards() -> None:
    assert at_the_sidestep(turn(1))[0] == "Bid 4 x 1 | bar: Pass"
    assert at_the_sidestep(turn(2), key("push")) == ("Bid 4 x 2 showing 5 star | bar: back", Nothing())
    assert at_the_sidestep(turn(2), key("push"), turn(1))[0] == "Bid 4 x 2 showing 34 | bar: back"
    assert at_the_sidestep(turn(2), key("push"), turn(1), key("push"))[1] == chosen(
        "bid", quantity=4, rank=2, expose="34"
    )
    assert at_the_sidestep(turn(2), key("push"), key("k2"), key("push"))[1] == chosen(
        "bid", quantity=4, rank=2, expose="34"
    )


def test_the_bar_goes_back_from_the_card_to_the_bid() -> None:
    assert at_the_sidestep(turn(2), key("push"), key("bar")) == ("Bid 4 x 2 | bar: Pass", Nothing())
    assert at_the_sidestep(turn(2), key("push"), key("bar"), key("bar"))[1] == chosen("pass")


def test_a_move_that_is_left_to_the_phone_is_not_on_the_dial() -> None:
    labels = made_labels({"moves": {"draw": {"box": "phone"}}})
    moves = [offer("bid", rank=OneOf([5, 6])), offer("draw", cards=Choose(["34"], 1, 1)), offer("challenge")]
    assert play(moves, turn(-1), key("push"), labels=labels) == chosen("challenge")
    assert play(moves[1:2], key("push"), labels=labels) == Refused("Answer this question on a phone.")


def test_a_half_that_can_be_ended_in_one_way_only_is_sent() -> None:
    one_card = [offer("bid", quantity=3, rank=OneOf([5, 6]), expose=OneOf(["34"]))]
    cursor, _ = press(one_card, Cursor(), turn(1), SIDE_LABELS)
    assert press(one_card, cursor, key("push"), SIDE_LABELS)[1] == chosen("bid", quantity=3, rank=6, expose="34")


def test_a_key_holds_its_rank_while_the_dial_turns_the_quantity() -> None:
    assert play(LADDER, key("k2"), key("push")) == chosen("bid", quantity=4, rank=2)
    assert play(LADDER, key("k2"), turn(3), key("push")) == chosen("bid", quantity=7, rank=2)
    assert play(LADDER, key("k2"), turn(3), key("k5"), turn(-1), key("push")) == chosen("bid", quantity=6, rank=5)


def test_left_of_the_least_quantity_the_held_rank_is_let_go() -> None:
    assert play(LADDER, key("k2"), turn(-1), key("push")) == chosen("challenge")
    assert play(LADDER, key("k2"), turn(-1), turn(2), key("push")) == chosen("bid", quantity=4, rank=1)
    assert play(LADDER, key("k2"), turn(-1), turn(2), turn(2), key("push")) == chosen("bid", quantity=4, rank=3)


# --- what the box tells --------------------------------------------------------------------------------


def test_the_small_display_names_the_pick_and_the_no() -> None:
    assert picked_caption(Cursor(), AUCTION, LABELS) == "Bid $45 | bar: Drop"
    assert picked_caption(Cursor(position=0), AUCTION, LABELS) == "Drop"
    assert picked_caption(Cursor(), [offer("keep", fish=OneOf(["eel", "carp"]))], LABELS) == "Keep the Eel"
    assert (
        picked_caption(Cursor(), [offer("use", order=Order([1, 2, 3]))], LABELS) == "Answer this question on a phone."
    )
    assert label(Answer("take_fish", {"slot": 3})) == "Take fish 3"


def test_the_small_display_counts_money_and_names_seats_as_the_labels_say() -> None:
    labels = made_labels(
        {
            "parameters": {
                "amount": {"money": "dollars"},
                "pay": {"money": "cents"},
                "with": {"names": {"caller": "the caller"}},
            }
        }
    )
    assert label(Answer("bid", {"amount": 45}), labels) == "Bid $45"
    assert label(Answer("invest", {"pay": 250}), labels) == "Invest $2.50"
    assert label(Answer("side", {"with": "caller"}), labels) == "Side the caller"
    assert label(Answer("sue", {"target": 3}), labels) == "Sue seat 3"


def test_the_small_display_says_one_thing_and_several_as_people_do() -> None:
    labels = made_labels(
        {
            "moves": {"pay": {"label": "Spend {baits}"}},
            "parameters": {"baits": {"said": "{} Baits", "one": "1 Bait"}},
        }
    )
    assert label(Answer("pay", {"baits": 1}), labels) == "Spend 1 Bait"
    assert label(Answer("pay", {"baits": 3}), labels) == "Spend 3 Baits"


def test_the_small_display_names_what_lies_in_the_picked_place() -> None:
    labels = made_labels({
        "moves": {"take": {"label": "Take {slot}", "from": {"slot": "table.spots.0.fish"}}}, "cards": {"eel": {"name": "Eel"}},
    })  # fmt: skip
    view = {"table": {"spots": [{"fish": ["carp", None, "eel"]}]}}
    take = [offer("take", slot=OneOf([1, 3]))]
    assert picked_caption(Cursor(position=1), take, labels, view) == "Take Eel"
    assert label(Answer("take", {"slot": 9}), labels, view) == "Take 9"
    assert label(Answer("take", {"slot": 1}), labels, {"table": {"spots": []}}) == "Take 1"


def test_a_box_that_chooses_in_secret_says_what_its_keys_pick() -> None:
    sides = [offer("side", **{"with": OneOf(["bidder", "caller"])})]
    assert question_caption("Three 5's: who is right?", sides, sealed=True) == "1 bidder, 2 caller"
    assert question_caption("Three 5's: who is right?", sides) == "Three 5's: who is right?"
    many = [offer("bid", number=Amount(1, 9))]
    assert (
        question_caption("Bid a number, any number that you like, now.", many, sealed=True)
        == "Bid a number, any number that you like.."
    )


def test_at_the_cut_end_of_a_long_line_the_display_sends_to_the_phone() -> None:
    moves = [offer("bid", amount=Amount(1, 10_000)), offer("drop")]
    assert picked_caption(Cursor(position=MAX_ANSWERS - 1), moves, LABELS) == "Bid $499 | the rest: phone"


def test_the_small_display_says_what_the_dice_want() -> None:
    ten = Roll(2, 10, 6, "trial")
    assert dice_caption(ROLL, 0, "armed", mine=True) == "Roll, or type on K1-K6"
    assert dice_caption(ten, 6, "armed", mine=True) == "Dice from 7 of 10: roll or K1-K6"
    assert dice_caption(ten, 6, "armed", mine=False) == ""
    said = [dice_caption(ten, 0, dice, mine=mine) for dice in STATES for mine in (True, False)]
    assert max(map(len, said)) <= 40


def test_the_small_display_shows_the_dice_typed_so_far() -> None:
    assert typed_caption(Cursor(faces=(4,)), ROLL) == "Dice: 4 _"
    assert typed_caption(Cursor(position=3), ROLL) == "Dice: _ _  <3>"
    assert typed_caption(Cursor(position=-2), ROLL, PAY, LABELS) == "Let it go"


# --- laws ----------------------------------------------------------------------------------------------

VALUES = st.one_of(st.integers(0, 9), st.sampled_from(["eel", "5*", "ENG"]))
STEPPED = st.builds(lambda least, steps, step: Amount(least, least + steps * step, step),
                    st.integers(0, 90), st.integers(0, 12), st.integers(1, 5))  # fmt: skip
PLAIN = st.one_of(
    st.builds(Fixed, VALUES), st.builds(OneOf, st.lists(VALUES, min_size=1, max_size=5, unique=True)), STEPPED
)
MANY = st.lists(VALUES, min_size=1, max_size=4)
ANY = st.one_of(
    PLAIN, st.builds(Order, MANY),
    MANY.flatmap(lambda values: st.integers(0, len(values)).flatmap(
        lambda least: st.builds(Choose, st.just(values), st.just(least), st.integers(least, len(values))))),
)  # fmt: skip


def moves_of(params: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Move]]:
    name = st.sampled_from(["bid", "take", "drop", "use"])
    return st.lists(st.builds(Move, name, st.dictionaries(st.sampled_from(["a", "b"]), params)), min_size=1, max_size=4)


SIGNALS = st.lists(
    st.one_of(
        st.builds(key, st.sampled_from(CONTROLS), st.sampled_from(["down", "hold"])), st.integers(-600, 600).map(turn)
    ),
    max_size=12,
)


def offered(moves: list[Move], answer: Answer) -> bool:
    return any(move.name == answer.move and move.accepts(answer.args) for move in moves)


@given(moves_of(ANY))
def test_every_answer_on_the_line_is_one_that_is_offered(moves: list[Move]) -> None:
    for answer in dial_line(moves):
        assert offered(moves, answer)
    assert sorted(map(repr, dial_line(moves))) == sorted(map(repr, sealed_line(moves)))


@given(moves_of(PLAIN))
def test_every_answer_without_subsets_that_is_offered_is_on_the_line(moves: list[Move]) -> None:
    def values(param: Any) -> list[Any]:
        match param:
            case Fixed(value):
                return [value]
            case OneOf(listed):
                return list(listed)
            case _:
                return list(range(param.min, param.max + 1, param.step))

    every = {
        repr(Answer(move.name, dict(zip(move.params, chosen, strict=True))))
        for move in moves
        for chosen in product(*map(values, move.params.values()))
    }
    laid = {repr(answer) for answer in sealed_line(moves)}
    assert laid <= every
    assert laid == every or len(laid) == MAX_ANSWERS


@given(moves_of(ANY), SIGNALS, st.sampled_from([NO_LABELS, LABELS, made_labels({"moves": {"bid": {"then": ["b"]}}})]))
def test_whatever_is_pressed_only_what_is_offered_is_chosen(
    moves: list[Move], signals: list[Key | Turn], labels: Labels
) -> None:
    cursor = Cursor()
    for signal in signals:
        cursor, meaning = press(moves, cursor, signal, labels)
        if isinstance(meaning, Chosen):
            assert offered(moves, meaning.answer)
        assert len(picked_caption(cursor, moves, labels)) <= CAPTION_LENGTH
        assert picked_caption(cursor, moves, labels).isascii()


@given(moves_of(PLAIN), st.integers(0, 600), st.integers(1, 600))
def test_turning_never_wraps(moves: list[Move], there: int, further: int) -> None:
    line = dial_line(moves, LABELS)
    assert play(moves, turn(there), turn(MAX_ANSWERS), turn(further), key("push")) == Chosen(line[-1])
    assert play(moves, turn(-there), turn(-MAX_ANSWERS), turn(-further), key("push")) == Chosen(line[0])


@given(moves_of(ANY), moves_of(ANY), SIGNALS)
def test_a_cursor_of_an_older_list_still_picks_only_what_is_offered(
    moves: list[Move], fewer: list[Move], signals: list[Key | Turn]
) -> None:
    cursor = Cursor()
    for signal in signals:
        cursor, _ = press(moves, cursor, signal)
    _, meaning = press(fewer, cursor, key("push"))
    assert isinstance(meaning, Refused) or (isinstance(meaning, Chosen) and offered(fewer, meaning.answer))


@pytest.mark.parametrize("control", CONTROLS)
def test_no_control_but_push_and_bar_ever_sends(control: str) -> None:
    for moves in (AUCTION, SETTLEMENT, LADDER, PAY, TAKE):
        sends = isinstance(play(moves, key(control)), Chosen)
        assert not sends or control in ("push", "bar")


# --- cards by their faces, and a no that has parts -----------------------------------------------------

ROW: dict[str, Any] = {
    "cards": {
        "swatphone": {"name": "Swatphone", "letter": "Sp", "B": "Add only cards that have an action"},
        "camerat": {"name": "Camerat", "letter": "Ca"},
    },
    "face": {"key": "card", "kind": "kind", "action": "action", "title": "{card}", "tag": "{price:+}"},
    "moves": {
        "accept": {"label": "Take it ({table.worth:+})", "short": "TAKE"},
        "skip": {"label": "Skip {pay} {card} {place}", "short": "SKIP", "box": "bar"},
        "bid": {"label": "Bid {cards}"},
    },
    "parameters": {
        "card": {"card": True}, "cards": {"card": True}, "place": {"between": "table.offer"},
        "pay": {"names": {"card": "with", "score": "for a scored card"}},
    },
}  # fmt: skip
ROW_LABELS = made_labels(ROW)


def face(card: int, price: int, kind: str, action: str | None = None) -> dict[str, Any]:
    return {"card": card, "price": price, "kind": kind, "action": action}


ROW_VIEW: dict[str, Any] = {
    "table": {"worth": -3, "offer": [face(20, 4, "camerat"), face(28, -7, "camerat")]},
    "you": {"hand": [face(5, 5, "swatphone", "B"), face(33, 0, "camerat")]},
}
CHEAP = [
    offer("skip", pay="card", card=OneOf([5, 33]), place=Amount(0, 2)),
    offer("skip", pay="score"),
    offer("accept"),
]
SKIP = [offer("skip", card=OneOf([5, 33]), place=Amount(0, 2)), offer("accept")]
LATER = made_labels(
    {
        **ROW,
        "moves": {**ROW["moves"], "skip": {**ROW["moves"]["skip"], "then": ["card", "place"]}},
    }
)


def at_the_row(moves: list[Move], *signals: Key | Turn) -> tuple[str, Meaning]:
    meaning: Meaning = Nothing()
    cursor = Cursor()
    for signal in signals:
        cursor, meaning = press(moves, cursor, signal, LATER)
    return picked_caption(cursor, moves, LATER, ROW_VIEW), meaning


def test_push_takes_and_the_bar_opens_the_skip_of_which_card_and_place_are_picked_in_turn() -> None:
    assert at_the_row(SKIP)[0] == "Take it (-3) | bar: SKIP"
    assert at_the_row(SKIP, key("push"))[1] == chosen("accept")
    assert at_the_row(SKIP, key("bar")) == ("Skip 5 (+5) Swatphone B | bar: back", Nothing())
    assert at_the_row(SKIP, key("bar"), turn(1), key("push"))[0] == "Skip 33 (0) Camerat left of 20"
    sent = at_the_row(SKIP, key("bar"), turn(1), key("push"), key("k2"), key("push"))
    assert sent[1] == chosen("skip", card=33, place=1)


def test_the_bar_goes_back_part_by_part_and_out_of_the_skip() -> None:
    assert at_the_row(SKIP, key("bar"), turn(1), key("push"), key("bar"))[0] == "Skip 33 (0) Camerat | bar: back"
    assert at_the_row(SKIP, key("bar"), turn(1), key("push"), key("bar"), key("bar"))[0] == "Take it (-3) | bar: SKIP"


def test_how_a_skip_is_paid_is_asked_first_and_may_end_it() -> None:
    assert at_the_row(CHEAP, key("bar"), turn(1))[0] == "Skip for a scored card | bar: back"
    assert at_the_row(CHEAP, key("bar"), turn(1), key("push"))[1] == chosen("skip", pay="score")
    by_card = at_the_row(CHEAP, key("bar"), key("push"), key("push"), turn(2), key("push"))
    assert by_card[1] == chosen("skip", pay="card", card=5, place=2)


def test_a_skip_that_has_one_way_only_needs_one_press_of_the_bar() -> None:
    assert at_the_row([offer("skip"), offer("accept")], key("bar"))[1] == chosen("skip")


def test_a_no_that_only_the_phone_can_make_is_never_its_opposite_at_the_bar() -> None:
    moves = [offer("skip", order=Order([1, 2, 3])), offer("accept")]
    assert isinstance(at_the_row(moves, key("bar"))[1], Refused)


def test_a_sealed_line_is_named_for_the_display_under_the_hood() -> None:
    pairs = sealed_line([offer("bid", cards=Choose([5, 33], 1, 1))])
    assert sealed_captions(pairs, ROW_LABELS, ROW_VIEW) == ["Bid 5 (+5) Swatphone B", "Bid 33 (0) Camerat"]


def test_a_place_in_a_row_is_named_by_the_cards_beside_it() -> None:
    def named(place: int, row: list[Any]) -> str:
        return label(Answer("skip", {"place": place}), ROW_LABELS, {"table": {"offer": row}})

    row = ROW_VIEW["table"]["offer"]
    assert [named(place, row) for place in (0, 1, 2, 3)] == [
        "Skip left of 20",
        "Skip between 20 and 28",
        "Skip right of 28",
        "Skip 3",
    ]
    assert named(0, []) == "Skip into the empty row"


def test_a_caption_is_cut_to_forty_plain_characters() -> None:
    assert ENGLISH.shorten("Señor, 3 × 5 − 1") == "Senor, 3 x 5 - 1"
    assert ENGLISH.shorten("x" * CAPTION_LENGTH) == "x" * CAPTION_LENGTH
    assert ENGLISH.shorten("x" * 37 + " yyyy") == "x" * 37 + ".."


def test_while_a_roll_is_disputed_the_display_says_what_push_and_bar_do() -> None:
    assert dispute_caption(voting=True) == "Read dice again? Push yes, bar no"
    assert dispute_caption(voting=False) == "Dice read wrong? Bar: read again"


def test_only_a_short_press_of_the_bar_is_the_bar() -> None:
    assert [is_bar(signal) for signal in (key("bar"), key("bar", "hold"), key("push"), turn(1))] == [
        True,
        False,
        False,
        False,
    ]


def test_a_held_key_reads_on_about_the_card() -> None:
    lines = explanation(Answer("bid", {"cards": [5]}), ROW_LABELS, ROW_VIEW)
    assert lines == ["Bid 5 (+5) Swatphone B. Add only cards", "that have an action"]
    assert all(len(line) <= CAPTION_LENGTH for line in lines)


# --- the ends and the middle of the line -------------------------------------------------------------------

RESTS = made_labels({"moves": {"accept": {"box": "rest"}, "reject": {"box": "ask"}}})
BIDS = [offer("bid", number=Amount(1, 6))]


def numbers(line: list[Answer], name: str) -> list[Any]:
    return [answer.args.get(name) for answer in line]


def test_the_dial_rests_on_the_named_move_among_moves_that_have_one_answer_each() -> None:
    moves = [offer("reject"), offer("wait"), offer("accept")]
    assert play(moves, key("push"), labels=RESTS) == chosen("accept")
    assert play(moves, turn(-1), key("push"), labels=RESTS) == chosen("wait")
    assert play(moves, key("push")) == chosen("reject"), "else on the first one"
    assert play(moves, turn(1), key("push")) == chosen("wait")


def test_the_dial_rests_on_the_first_listed_move_even_beside_a_range() -> None:
    moves = [offer("pay"), offer("bid", number=Amount(1, 6)), offer("pass")]
    assert [one.move for one in dial_line(moves)][:3] == ["pass", "pay", "bid"]
    assert play(moves, key("push")) == chosen("pay")
    assert play(moves, turn(1), key("push")) == chosen("bid", number=1)


def test_an_offer_to_accept_stands_left_of_all_counters_that_are_listed_after_it() -> None:
    moves = [offer("reject"), offer("accept"), offer("counter", amount=Amount(5, 15, 5))]
    assert [one.move for one in dial_line(moves, RESTS)] == ["reject", "accept", *["counter"] * 3]
    assert [one.move for one in dial_line([*moves[::2], moves[1]], RESTS)] == ["reject", *["counter"] * 3, "accept"]


def test_of_several_long_lists_the_last_one_loses_most_and_none_loses_all() -> None:
    line = sealed_line(
        [offer("a", n=Amount(1, 300)), offer("b", n=Amount(1, 300)), offer("c", n=Amount(1, 300)), offer("d")]
    )
    assert [[one.move for one in line].count(move) for move in "abcd"] == [300, 198, 1, 1]
    exact = sealed_line([offer("a", n=Amount(1, MAX_ANSWERS - 1)), offer("b")])
    assert len(exact) == MAX_ANSWERS
    assert exact[-2:] == [Answer("a", {"n": MAX_ANSWERS - 1}), Answer("b", {})]


def test_a_long_list_alone_fills_the_line() -> None:
    line = dial_line([offer("bid", amount=Amount(0, 9_999, 5))])
    assert numbers(line, "amount") == [5 * step for step in range(MAX_ANSWERS)]


@pytest.mark.parametrize(
    ("cards", "least", "most", "picks"),
    [
        (["a", "b"], 0, 2, [[], ["a"], ["b"]]),
        (["a", "b"], 0, 0, [[]]),
        (["a", "b", "c"], 1, 2, [["a"], ["b"], ["c"]]),
        (["a", "b", "c"], 1, 1, [["a"], ["b"], ["c"]]),
        (["a", "b", "c"], 2, 3, []),
        (["a", "b"], 2, 2, [["a", "b"]]),
    ],
)
def test_of_a_choice_of_cards_the_line_has_none_one_or_all(
    cards: list[str], least: int, most: int, picks: list[list[str]]
) -> None:
    assert numbers(dial_line([offer("give", cards=Choose(cards, least, most))]), "cards") == picks


@pytest.mark.parametrize(("cards", "fits"), [(45, True), (46, False)])
def test_up_to_a_thousand_pairs_of_cards_go_on_a_line(cards: int, fits: bool) -> None:
    line = dial_line([offer("give", cards=Choose(list(range(cards)), 2, 2))])
    assert len(line) == (MAX_ANSWERS if fits else 0)


def test_beside_another_parameter_optional_cards_are_left_out_and_wanted_ones_are_picked() -> None:
    bid = offer("bid", rank=OneOf([1, 2]), show=Choose(["a", "b"], 0, 2))
    assert numbers(dial_line([bid]), "show") == [[], []]
    bid = offer("bid", rank=OneOf([1, 2]), show=Choose(["a", "b"], 1, 2))
    assert numbers(dial_line([bid]), "show") == [["a"], ["b"]] * 2
    bid = offer("bid", rank=OneOf([1, 2]), show=Choose(["a"], 1, 1), order=Order([7]))
    assert dial_line([bid]) == [Answer("bid", {"rank": rank, "show": ["a"], "order": [7]}) for rank in (1, 2)]


COARSE = made_labels({"parameters": {"amount": {"dial": 50}}})


@pytest.mark.parametrize(
    ("amount", "stops"),
    [
        (Amount(45, 160, 5), [50, 100, 150]),
        (Amount(50, 150, 5), [50, 100, 150]),
        (Amount(51, 99, 1), list(range(51, 100))),
        (Amount(51, 100, 1), [100]),
        (Amount(5, 205, 100), [5, 105, 205]),
        (Amount(5, 105, 50), [5, 55, 105]),
    ],
)
def test_a_dial_that_turns_money_in_coarser_steps_stops_at_round_sums(amount: Amount, stops: list[int]) -> None:
    line = dial_line([offer("pay", amount=amount)], COARSE)
    assert numbers(line, "amount") == stops
    assert [one.args["other"] for one in dial_line([offer("pay", other=Amount(5, 15, 5))], COARSE)] == [5, 10, 15]


def test_parameters_that_are_put_off_are_asked_in_the_order_of_the_labels() -> None:
    labels = made_labels({"moves": {"play": {"then": ["seat", "amount"]}}})
    moves = [offer("play", amount=Amount(5, 15, 5), card=OneOf(["a", "b"]), seat=OneOf([1, 2])), offer("pass")]
    cursor, captions = Cursor(), []
    meaning: Meaning = Nothing()
    for _ in range(3):
        cursor, _ = press(moves, cursor, turn(1), labels)
        captions.append(picked_caption(cursor, moves, labels))
        cursor, meaning = press(moves, cursor, key("push"), labels)
    assert captions == ["Play b", "Play b 2 | bar: back", "Play 10 b 2 | bar: back"]
    assert meaning == chosen("play", amount=10, card="b", seat=2)
    assert cursor == Cursor()


def test_the_bar_goes_back_through_each_part_to_where_it_was_picked() -> None:
    labels = made_labels({"moves": {"play": {"then": ["seat", "amount"]}}})
    moves = [offer("play", amount=Amount(5, 15, 5), card=OneOf(["a", "b"]), seat=OneOf([1, 2])), offer("pass")]
    cursor = Cursor()
    for signal in (turn(1), key("push"), turn(1), key("push"), turn(2)):
        cursor, _ = press(moves, cursor, signal, labels)
    captions = []
    for _ in range(2):
        cursor, meaning = press(moves, cursor, key("bar"), labels)
        assert meaning == Nothing()
        captions.append(picked_caption(cursor, moves, labels))
    assert captions == ["Play b 2 | bar: back", "Play b"]


# --- the bar -----------------------------------------------------------------------------------------------

BAR = made_labels({"moves": {"skip": {"box": "bar"}, "drop": {"box": "bar"}, "doubt": {"box": "ask"}}})
WAYS = offer("skip", card=OneOf(["a", "b"]))


def test_a_no_that_is_all_there_is_lies_on_the_dial() -> None:
    assert play([WAYS], key("push"), labels=BAR) == chosen("skip", card="a")
    assert play([WAYS], turn(1), key("push"), labels=BAR) == chosen("skip", card="b")
    assert isinstance(play([WAYS], key("bar"), labels=BAR), Refused)


def test_a_no_in_two_variants_is_opened_by_the_bar() -> None:
    moves = [offer("skip", pay="score"), offer("skip", pay="card"), offer("accept")]
    assert dial_line(moves, BAR) == [Answer("accept", {})]
    assert play(moves, key("bar"), turn(1), key("push"), labels=BAR) == chosen("skip", pay="card")
    same = [offer("skip", pay="score"), offer("skip", pay="score"), offer("accept")]
    assert play(same, key("bar"), labels=BAR) == chosen("skip", pay="score")


def test_a_no_of_which_a_part_needs_the_phone_is_not_opened_at_the_box() -> None:
    moves = [offer("skip", card=OneOf(["a", "b"]), order=Order([1, 2])), offer("accept")]
    assert isinstance(play(moves, key("bar"), labels=BAR), Refused)


def test_the_first_of_two_named_moves_that_has_several_ways_is_opened() -> None:
    moves = [offer("drop"), offer("skip", card=OneOf(["a", "b"])), offer("accept")]
    assert play(moves, key("bar"), labels=BAR) == Nothing()
    assert play(moves, key("bar"), key("push"), labels=BAR) == chosen("skip", card="a")


def test_a_bar_that_sends_goes_before_one_that_asks() -> None:
    moves = [offer("doubt"), offer("bid", number=Amount(1, 6)), offer("drop")]
    assert play(moves, key("bar"), labels=BAR) == chosen("drop")
    assert play(moves[:2], key("bar"), labels=BAR) == Nothing()
    assert play(moves[:2], key("bar"), key("push"), labels=BAR) == chosen("doubt")


def test_a_move_that_asks_but_ranges_over_values_is_not_the_bars() -> None:
    moves = [offer("doubt", number=Amount(1, 6)), offer("bid", number=Amount(1, 6))]
    assert play(moves, key("bar"), labels=BAR) == Refused("No pass here: turn, then push.")


def test_a_bar_without_a_no_takes_the_dial_back_to_rest_and_says_so_only_at_rest() -> None:
    assert play(BIDS, turn(3), key("bar")) == Nothing()
    assert play(BIDS, turn(3), key("bar"), key("bar")) == Refused("No pass here: turn, then push.")
    assert play(BIDS, turn(3), key("bar"), turn(1), key("push")) == chosen("bid", number=2)


def test_the_bar_picks_the_safe_move_where_the_dial_may_turn_on_from_it() -> None:
    assert play(TAKE, key("bar"), turn(1), key("push")) == chosen("take_fish", slot=1)
    assert play(TAKE, turn(-1), key("bar")) == chosen("take_spot"), "the dial has picked it: the bar sends it"


# --- keys --------------------------------------------------------------------------------------------------


def test_a_key_picks_a_listed_answer_of_all_moves_but_those_with_many_amounts() -> None:
    moves = [offer("bid", amount=Amount(5, 35, 5)), offer("raise", amount=Amount(10, 60, 10)), offer("drop")]
    assert play(moves, key("k1"), key("push")) == chosen("raise", amount=10)
    assert play(moves, key("k6"), key("push")) == chosen("raise", amount=60)
    assert play([offer("bid", amount=Amount(10, 60, 10)), offer("drop")], key("k2"), key("push")) == chosen(
        "bid", amount=20
    )
    assert play(moves[::2], key("k1"), key("push")) == chosen("drop")
    assert play(moves[::2], key("k2")) == Refused("There is no 2 here: turn, then push.")


def test_keys_are_numbers_only_where_all_values_are() -> None:
    assert play([offer("bid", number=Amount(0, 5)), offer("drop")], key("k1"), key("push")) == chosen("bid", number=0)
    assert play([offer("bid", number=Amount(2, 7)), offer("drop")], key("k1"), key("push")) == chosen("bid", number=2)
    assert play([offer("bid", number=OneOf([2, "x"])), offer("drop")], key("k2"), key("push")) == chosen(
        "bid", number="x"
    )
    assert play([offer("bid", number=OneOf([6, 3])), offer("drop")], key("k3"), key("push")) == chosen("bid", number=3)


def test_of_two_numbers_the_keys_pick_the_last() -> None:
    moves = [offer("bid", quantity=OneOf([1, 2]), rank=OneOf([1, 2])), offer("drop")]
    assert play(moves, key("k2"), key("push")) == chosen("bid", quantity=1, rank=2)


def test_a_key_keeps_the_quantity_at_the_dial_if_that_is_legal() -> None:
    assert play(LADDER, turn(8), key("k6"), key("push")) == chosen("bid", quantity=5, rank=6)
    assert play(LADDER, turn(-1), key("k6"), key("push")) == chosen("bid", quantity=3, rank=6)
    moves = [offer("bid", quantity=1, rank=OneOf([2])), offer("bid", quantity=2, rank=OneOf([1])), offer("drop")]
    assert play(moves, turn(1), key("k2"), key("push")) == chosen("bid", quantity=1, rank=2), "it is to the left only"


def test_a_held_key_of_listed_answers_says_which_it_picks() -> None:
    moves = [offer("add", card=OneOf([12, 41])), offer("auction")]
    assert play(moves, key("k2", "hold")) == WhatIsThis(Answer("add", {"card": 41}))
    assert play(moves, key("k3", "hold")) == WhatIsThis(Answer("auction", {}))
    assert play(moves, key("k4", "hold")) == WhatIsThis(None)
    assert play(moves, turn(1), key("k1", "hold"), key("push")) == chosen("add", card=41), "a question picks nothing"


def test_the_dial_holds_the_number_of_the_last_key_only_in_its_move() -> None:
    assert play(LADDER, key("k2"), turn(2), turn(-1), key("push")) == chosen("bid", quantity=5, rank=2)
    assert play(LADDER, key("k2"), turn(999), key("push")) == chosen("bid", quantity=86, rank=2)
    assert play(LADDER, key("k2"), key("bar"), turn(1), key("push")) == chosen("bid", quantity=3, rank=6)
    moves = [offer("add", card=OneOf([12, 41, 7])), offer("auction")]
    assert play(moves, key("k1"), turn(1), key("push")) == chosen("add", card=41), "listed answers are not numbers"


# --- a cursor on an older list -----------------------------------------------------------------------------


def test_a_dial_beyond_the_end_of_a_shorter_line_stands_at_its_end() -> None:
    cursor, _ = press(BIDS, Cursor(), turn(5))
    assert press([offer("bid", number=Amount(1, 3))], cursor, key("push"))[1] == chosen("bid", number=3)
    assert press([offer("bid", number=Amount(1, 3))], Cursor(position=-4), key("push"))[1] == chosen("bid", number=1)


def test_a_part_that_cannot_be_completed_any_more_is_dropped() -> None:
    cursor = Cursor(position=1, partial=Answer("bid", {"quantity": 3, "rank": 5}))
    assert picked_caption(cursor, SIDESTEP, SIDE_LABELS) == "Bid 3 x 6 | bar: Pass"
    assert press(SIDESTEP, cursor, key("bar"), SIDE_LABELS)[1] == chosen("pass")
    cursor = Cursor(partial=Answer("bid", {"quantity": 3, "rank": 6}))
    assert press(SIDESTEP, cursor, key("push"), SIDE_LABELS)[1] == chosen("bid", quantity=3, rank=6, expose="5*")


# --- the roller's box --------------------------------------------------------------------------------------


def roller(*signals: Key | Turn, moves: list[Move] | None = None, dice: str = "armed", of: Roll = ROLL) -> str:
    """The display of the roller's box after some signals."""
    cursor = Cursor()
    for signal in signals:
        cursor, _ = press_roll(of, moves or [], cursor, signal, dice=dice)
    return typed_caption(cursor, of, moves or [], LABELS)


def test_the_roller_sees_what_the_dial_offers_and_what_is_typed() -> None:
    assert roller() == "Dice: _ _"
    assert roller(turn(2)) == "Dice: _ _  <2>"
    assert roller(turn(2), turn(-2)) == "Dice: _ _"
    assert roller(turn(99)) == "Dice: _ _  <6>"
    assert roller(turn(-1)) == "Dice: _ _", "nothing can be done before the roll"
    assert roller(turn(1), key("push")) == "Dice: 1 _  <1>"
    assert roller(turn(1), key("push"), key("bar")) == "Dice: 1 _"
    assert roller(turn(1), key("push"), key("bar"), key("bar")) == "Dice: _ _"
    assert roller(turn(3), key("k5")) == "Dice: 5 _", "a key puts the dial to rest"
    assert roller(turn(-1), moves=PAY) == "Pay 2"
    assert roller(turn(-2), moves=PAY) == roller(turn(-9), moves=PAY) == "Let it go"
    assert roller(turn(-9), turn(2), moves=PAY) == "Dice: _ _"
    assert roller(turn(-9), key("bar"), moves=PAY) == "Dice: _ _"


def test_dice_with_other_sides_are_typed_up_to_their_highest_face() -> None:
    four = Roll(1, 2, 4, "trial")
    assert roller(turn(9), of=four) == "Dice: _ _  <4>"
    assert press_roll(four, [], Cursor(), key("k4")) == (Cursor(faces=(4,)), Nothing())
    assert press_roll(four, [], Cursor(), key("k5")) == (Cursor(), Refused("A die of this roll shows 1 to 4."))


def test_a_die_too_many_is_refused_and_none_is_sent() -> None:
    both = Cursor(faces=(4, 2))
    assert press_roll(ROLL, [], both, key("k1")) == (
        both,
        Refused("All dice are typed: push sends them, the bar takes the last one back."),
    )
    assert press_roll(ROLL, [], both, key("push")) == (Cursor(), TypedFaces((4, 2)))
    assert press_roll(ROLL, [], Cursor(), key("push"))[1] == Refused("Roll, then type what you see: 0 of 2 dice typed.")


def test_a_push_sends_the_typed_dice_wherever_the_dial_stands() -> None:
    assert roll(turn(3), key("push"), key("push"), key("push")) == TypedFaces((3, 3))
    assert roll(key("k1"), key("k1"), turn(2), key("push")) == TypedFaces((1, 1))


@pytest.mark.parametrize("dice", STATES)
def test_what_push_and_bar_of_the_roller_mean_with_and_without_typed_dice(dice: str) -> None:
    accepts = dice in ("settled", "typed")
    expected: Meaning = AcceptDice() if accepts else AsItLies() if dice == "cocked" else Refused("")
    got = roll(key("push"), dice=dice)
    assert got == expected or (isinstance(got, Refused) and isinstance(expected, Refused))
    assert isinstance(roll(key("k1"), key("push"), dice=dice), Refused)
    assert roll(key("bar"), dice=dice) == (ReadAgain() if accepts else HubRolls())
    assert roll(key("k1"), key("bar"), dice=dice) == roll(turn(1), key("bar"), dice=dice) == Nothing()
    assert roll(key("push", "hold"), dice=dice) == roll(turn(1), dice=dice) == Nothing()


def test_a_roll_that_has_all_its_dice_sends_nothing_typed() -> None:
    done = Roll(1, 0, 6, "trial")
    assert press_roll(done, [], Cursor(), key("push"), dice="settled") == (Cursor(), AcceptDice())
