"""The small displays of the boxes in the table's language: whole, in letters that they have, on three lines."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from math import inf
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from hub import games
from hub.authoring.translations import read
from hub.display.language import Catalogue, Language
from hub.docs import catalogues
from hub.engine.decision import Amount, Answer, Choose, Move, OneOf, Order, Roll, ask, ask_all, offer, roll, roll_or
from hub.engine.text import Text, money, say
from hub.languages import language_of, languages
from hub.ports import BoxDown, BoxLocked, BoxUnlocked, BoxUp, Key, Tick, Turn
from hub.state import QuestionKind, RollState
from hub.table.boxes.answer_line import MAX_ANSWERS
from hub.table.boxes.captions import (
    claim_caption,
    dice_caption,
    dispute_caption,
    explanation,
    label,
    picked_caption,
    question_caption,
    sealed_captions,
    typed_caption,
)
from hub.table.boxes.controls import ON_THE_PHONE, Cursor
from hub.table.boxes.lettering import Lettering, cut, fits, lines
from hub.table.dice.dispute import ASK_SECONDS, OUTCOME_SECONDS
from hub.table.people.absence import ASK_HERE_SECONDS
from hub.table.people.people import Patience
from hub.table.presses import MENU
from hub.table.seating.questions import caption
from hub.table.seating.seats import CLAIM_SECONDS
from tests.engine.ladder import Climb
from tests.made_labels import made_labels
from tests.table.fakes import TableRig
from tests.table.test_table import made_up

TEN = Roll(1, 10, 6, "odds")
SAID = [
    *(claim_caption(push=push) for push in (True, False)),
    *(dispute_caption(voting=voting) for voting in (True, False)),
    *(caption(kind, 6, options) for kind in get_args(QuestionKind) for options in ("12", "123")),
    *(
        dice_caption(roll, 6, state, mine=mine, lying=lying)
        for roll, state, mine, lying in product(
            (TEN, Roll(1, 2, 6, "odds")), get_args(RollState), (True, False), (True, False)
        )
    ),
    *(text for _, text in MENU),
    ON_THE_PHONE.sentence,
    say("There is no {number} here: turn, then push.", number=6),
    "No pass here: turn, then push.",
    "Welcome: you play on here",
    "Its code is on the screen for a minute",
    "Its phone is asked first: wait 10 s",
    "Too soon: read, then hold",
]
"""Captions that no game has a part in."""
GERMAN = partial(language_of, "de")


@cache
def waiting(language: str) -> frozenset[str]:
    """The messages that a language's file lists without a translation: `make check` names them, and nothing fails."""
    files = (file for file in catalogues.files() if file.parent.parent.name == language)
    listed = (one for file in files for one in read(file) if not one.string)
    return frozenset(one.id for one in listed if isinstance(one.id, str))


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("text", dict.fromkeys(SAID))
def test_what_the_table_says_is_whole_on_a_display_in_every_language(language: str, text: str) -> None:
    letters = Lettering(language_of(language, None))
    written = letters.write(text)
    assert fits(written), (len(written), lines(written))
    assert written.isascii()
    template = text.template if isinstance(text, Text) else text
    assert language == "en" or not text or written != text or template in waiting(language)


def test_german_is_spelt_without_umlauts() -> None:
    letters = Lettering(GERMAN(None))
    assert letters.write("Roll, or type on K1-K6") == "Wuerfle oder tippe mit K1-K6"
    assert Lettering(language_of("de", "bidness")).write(say("Bid {amount}", amount=money(45))) == "Biete 45 $"


def test_a_language_in_letters_that_the_display_lacks_stays_english() -> None:
    letters = Lettering(Language(Catalogue(language="el", messages={"Bid": "Προσφορά", "Pass": "Pasó", "No": "Na·ı"})))
    assert letters.write("Bid") == "Bid"
    assert letters.write("Pass") == "Paso"


def test_a_caption_of_many_lines_is_cut_to_three() -> None:
    text = "Donaudampfschiff Gesellschaften fahren so"
    assert lines(cut(text)) == ["Donaudampfschiff", "Gesellschaften", "fahren.."]


def test_answers_are_named_in_the_tables_language() -> None:
    labels, letters = games.find("bidness").labels, Lettering(GERMAN("bidness"))
    moves = [Move("bid", {"amount": Amount(45, 500, 5)}), Move("drop", {})]
    assert picked_caption(Cursor(), moves, labels, None, letters) == "Biete 45 $ | Leiste: Aussteigen"
    assert typed_caption(Cursor(faces=(4,)), Roll(1, 2, 6, ""), (), labels, None, letters) == "Wuerfel: 4 _"
    fish = games.find("bid-and-bait").labels
    assert sealed_captions([Answer("bid", {"number": 3})], fish, None, Lettering(GERMAN("bid-and-bait"))) == ["Biete 3"]
    dice = games.find("bid-it").labels
    raised = [Answer("bid", {"quantity": 3, "rank": 5}), Answer("bid", {"quantity": 3, "rank": 5, "expose": "5"})]
    assert sealed_captions(raised, dice, None, Lettering(GERMAN("bid-it"))) == [
        "Biete 3 x 5",
        "Biete 3 x 5 und zeige 5",
    ]
    told = explanation(Answer("bid", {"amount": 45}), labels, None, letters)
    assert told[0].startswith("Biete 45 $")


def test_the_boxes_of_a_german_table_speak_german() -> None:
    rig = TableRig(offered=[games.find("bidness")], language=GERMAN)
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start("bidness")
    roller = rig.state["dice"]["seat"]
    assert rig.boxes.texts[f"box-{roller}"] == "Wuerfle oder tippe mit K1-K6"


# --- what a caption holds ----------------------------------------------------------------------------------

SKIPS = made_labels(
    {
        "moves": {
            "skip": {"label": "Skip this one", "short": "SKIP", "box": "bar"},
            "bid": {"label": "Bid {number}"},
            "say": {"label": "Say {word}"},
        },
        "parameters": {"word": {"names": {"a": "a word of thirty six letters in all"}}},
    }
)


@pytest.mark.parametrize(
    ("most", "caption"),
    [(1, "1 1"), (6, "1 1, 2 2, 3 3, 4 4, 5 5, 6 6"), (7, "How many?")],
)
def test_a_sealed_question_names_the_keys_if_six_are_enough(most: int, caption: str) -> None:
    assert question_caption("How many?", [offer("bid", number=Amount(1, most))], sealed=True) == caption
    assert question_caption("How many?", [offer("bid", number=Amount(1, most))]) == "How many?"


def test_a_sealed_question_that_only_a_phone_can_answer_or_with_long_names_is_asked_itself() -> None:
    assert question_caption("In which order?", [offer("use", order=Order([5, 6, 7]))], sealed=True) == "In which order?"
    long = [offer("bid", word=OneOf(["abcdefghijklmn", "opqrstuvwxyzab", "cdefghijk"]))]
    assert question_caption("Which?", long, sealed=True) == "Which?"


def test_a_sealed_question_names_moves_without_values_by_their_short_names() -> None:
    moves = [offer("bid", number=3), offer("skip"), offer("stand_pat"), offer("show", cards=["?", "?"])]
    assert question_caption("Well?", moves, sealed=True, labels=SKIPS) == "1 3, 2 skip, 3 stand pat, 4 show 2"
    assert question_caption("Well?", [offer("bid", quantity=3, rank=5)], sealed=True) == "1 3 5"


def test_the_bars_hint_is_shortened_or_left_out_if_it_does_not_fit() -> None:
    def at(*moves: Move) -> str:
        return picked_caption(Cursor(), moves, SKIPS)

    assert at(offer("bid", number=3), offer("skip")) == "Bid 3 | bar: Skip this one"
    assert at(offer("say", word="twenty-two letters at."), offer("skip")) == "Say twenty-two letters at. | bar: SKIP"
    assert at(offer("say", word="a"), offer("skip")) == "Say a word of thirty six letters in all"
    assert at(offer("skip"), offer("bid", number=3)) == "Skip this one", "the bar does what the push does"
    assert at(offer("bid", number=Amount(1, 6)), offer("other")) == "Bid 1", "the bar only picks the other move"


def test_only_the_end_of_a_line_that_was_cut_sends_to_the_phone() -> None:
    def at(position: int, last: int) -> str:
        return picked_caption(Cursor(position=position), [offer("bid", number=Amount(1, last))], SKIPS)

    assert at(MAX_ANSWERS - 1, MAX_ANSWERS + 1) == "Bid 500 | the rest: phone"
    assert at(MAX_ANSWERS - 2, MAX_ANSWERS + 1) == "Bid 499"
    assert at(MAX_ANSWERS - 2, MAX_ANSWERS - 1) == "Bid 499"


def test_a_name_that_does_not_fit_is_cut_and_a_card_loses_its_name_first() -> None:
    forty = "twenty letters in it and then twenty"
    for word, shown in ((forty, f"Say {forty}"), (f"{forty}y", f"Say {forty[:-2]}..")):
        assert picked_caption(Cursor(), [offer("say", word=word)], SKIPS) == shown
    labels = made_labels(
        {
            "moves": {"bid": {"label": "Bid {cards}"}},
            "parameters": {"cards": {"card": True}},
            "face": {"key": "card", "kind": "kind", "action": "action", "title": "{card}", "tag": "{price:+}"},
            "cards": {"mower": {"name": "Flown Mower"}},
        }
    )
    view = {"hand": [{"card": card, "price": 3 - card, "kind": "mower", "action": None} for card in (1, 2, 3)]}
    one, three = Answer("bid", {"cards": [1]}), Answer("bid", {"cards": [1, 2, 3]})
    assert sealed_captions([one, three], labels, view) == ["Bid 1 (+2) Flown Mower", "Bid 1 (+2), 2 (+1), 3 (0)"]
    assert picked_caption(Cursor(), [offer("bid", cards=[1, 2, 3])], labels, view) == "Bid 1 (+2), 2 (+1), 3 (0)"
    assert typed_caption(Cursor(position=-1), TEN, [offer("bid", cards=[1])], labels, view) == "Bid 1 (+2) Flown Mower"
    assert label(three, labels, view) == "Bid 1 (+2) Flown Mower, 2 (+1) Flown Mower, 3 (0) Flown Mower"
    assert label(one, labels) == "Bid 1", "without a view its face is not known"
    keys = [offer("bid", cards=Choose([1, 3], 1, 1))]
    assert question_caption("Which?", keys, sealed=True, labels=labels, view=view) == "1 1 (+2), 2 3 (0)"


@pytest.mark.parametrize(
    ("state", "count", "mine", "lying", "caption"),
    [
        ("typed", 2, True, False, "Typed. Another player must confirm"),
        ("typed", 2, False, False, "Dice right? Push yes, bar no"),
        ("cocked", 2, True, False, "Roll that die. Push: read as it lies"),
        ("cocked", 2, False, False, "A die leans. Push: read as it lies"),
        ("settled", 2, True, False, "Push: right. Bar: read again"),
        ("settled", 2, True, True, "Push: right. Bar: read again"),
        ("settled", 2, False, False, ""),
        ("no_reader", 7, True, True, "Type what lies there: K1-K6"),
        ("armed", 6, True, False, "Roll, or type on K1-K6"),
        ("armed", 7, True, False, "Dice from 1 of 7: roll or K1-K6"),
        ("armed", 7, False, True, ""),
    ],
)
def test_each_state_of_the_dice_has_its_caption(state: str, count: int, mine: bool, lying: bool, caption: str) -> None:
    assert dice_caption(Roll(1, count, 6, ""), 0, state, mine=mine, lying=lying) == caption


def test_a_claim_says_which_gesture_grants_it() -> None:
    assert claim_caption(push=True) == "Phone wants this seat: push yes, bar no"
    assert claim_caption(push=False) == "Phone wants seat: hold bar, then push"


# --- an answer in words ------------------------------------------------------------------------------------


def test_a_held_key_tells_the_effect_of_a_move_and_of_each_card() -> None:
    labels = made_labels(
        {
            "moves": {"play": {"label": "Play {card}", "effect": "It is laid in front of you."}},
            "parameters": {"card": {"card": True}},
            "face": {"key": "card", "kind": "kind", "action": "action", "title": "{card}", "tag": ""},
            "cards": {"spy": {"name": "Spy", "B": "Look at a hand."}},
        }
    )
    view = {"hand": [{"card": 4, "kind": "spy", "action": "B"}, {"card": 5, "kind": "spy", "action": None}]}
    assert " ".join(explanation(Answer("play", {"card": 4}), labels, view)) == (
        "Play 4 Spy B. It is laid in front of you. Look at a hand"
    )
    assert explanation(Answer("play", {"card": 5}), labels, view) == ["Play 5 Spy. It is laid in front of you"]
    assert explanation(Answer("pass", {"card": 9}), labels, view) == ["Pass 9"]
    other = made_labels({"moves": {"play": {"label": "Play"}}, "cards": {"spy": {"name": "Spy"}}})
    assert explanation(Answer("play", {"card": "spy"}), other) == ["Play"]
    nothing = made_labels({"moves": {"play": {"label": "{table.nothing}"}}})
    assert explanation(Answer("play", {}), nothing) == [""]


def named(value: Any, parameter: str = "x", view: dict[str, Any] | None = None, **about: Any) -> str:
    """An answer with one value, in words."""
    return label(Answer("take_it", {parameter: value}), made_labels({"parameters": {parameter: about}}), view)


def test_a_value_is_written_as_the_labels_say() -> None:
    assert label(Answer("take_it", {}), made_labels({})) == "Take it"
    assert named(3) == "Take it 3"
    assert named("old_hat") == "Take it old hat"
    assert named("old_hat", names={"old_hat": "the hat"}) == "Take it the hat"
    assert named(3, names={"3": "three"}, money="dollars") == "Take it three"
    assert named(3, seat=True) == named(3, "target") == "Take it seat 3"
    assert named(250, money="cents") == "Take it $2.50"
    assert named(2, money="dollars") == "Take it $2"
    assert named([3, "old_hat"]) == "Take it 3, old hat"
    assert named(["?", "?"]) == "Take it 2 ?"
    assert named([]) == "Take it"
    assert named(1, one="just one", said="{} of them") == "Take it just one"
    assert named(2, one="just one", said="{} of them") == "Take it 2 of them"
    assert named(1, said="{} of them") == "Take it 1 of them"


def test_printed_cards_have_the_name_that_the_game_gives_them() -> None:
    labels = made_labels({"printed_cards": {"one": "tile", "many": "tiles", "middle": [], "seat": []}})
    assert label(Answer("show", {"cards": ["?"] * 3}), labels) == "Show 3 tiles"
    assert label(Answer("show", {"cards": ["?", "7"]}), labels) == "Show ?, 7"


PLACES = made_labels(
    {"moves": {"take": {"label": "Take {slot}", "from": {"slot": "row"}}}, "cards": {"eel": {"name": "Eel"}}}
)


@pytest.mark.parametrize(
    ("slot", "text"),
    [(0, "Take 0"), (1, "Take Eel"), (2, "Take carp"), (3, "Take 3"), ("2", "Take 2"), (True, "Take True")],
)
def test_a_place_is_named_by_what_lies_there(slot: Any, text: str) -> None:
    assert label(Answer("take", {"slot": slot}), PLACES, {"row": ["eel", "carp"]}) == text


def test_a_record_is_named_by_the_one_with_this_id() -> None:
    about: dict[str, Any] = {"record": "table.products", "title": "{name}"}
    view = {"table": {"products": [{"id": "P1", "name": "Hat"}, {"name": "Wig"}]}}
    assert named("P1", view=view, **about) == "Take it Hat"
    assert named("P2", view=view, **about) == named("P2", **about) == "Take it P2"


def test_a_gap_is_named_by_the_cards_beside_it_if_they_are_known() -> None:
    assert named(0, view={"row": ["x"]}, between="row") == "Take it left of ?"
    assert named(1, view={"row": ["x"]}, between="row") == "Take it right of ?"
    assert named(2, view={"row": ["x"]}, between="row") == "Take it 2"
    assert named(-1, view={"row": ["x"]}, between="row") == "Take it -1"
    assert named(0, view={"row": None}, between="row") == "Take it into the empty row"
    assert named([0, 1], view={"row": ["x"]}, between="row") == "Take it left of ?, right of ?"


# --- letters and lines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("  two   words ", "two words"),
        ("“a” „b“ ‘c’ ‚d‘ …", "\"a\" \"b\" 'c' 'd' ..."),
        ("1 – 2 — 3 − 4 × 5", "1 - 2 - 3 - 4 x 5"),
        ("Straße über Café", "Strasse uber Cafe"),
        ("αbcdefghij", "bcdefghij"),
    ],
)
def test_what_a_display_lacks_is_written_with_what_it_has(text: str, written: str) -> None:
    assert Lettering().write(text) == written


@pytest.mark.parametrize(("said", "written"), [("αbcdefghij", "bcdefghij"), ("αbcdefghi", "Nine of ten")])
def test_a_translation_stays_english_if_more_than_a_tenth_of_its_letters_is_lacking(said: str, written: str) -> None:
    letters = Lettering(Language(Catalogue(language="el", messages={"Nine of ten": said})))
    assert letters.write("Nine of ten") == written
    assert letters.shorten("Nine of ten") == written


def test_only_german_spells_umlauts_out() -> None:
    for language, written in (("de", "Ueberbiete oefter"), ("fi", "Uberbiete ofter")):
        letters = Lettering(Language(Catalogue(language=language, messages={"Bid": "Überbiete öfter"})))
        assert letters.write("Bid") == written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", [""]),
        ("a" * 16, ["a" * 16]),
        ("a" * 17, ["a" * 16, "a"]),
        ("a" * 8 + " " + "b" * 7, ["a" * 8 + " " + "b" * 7]),
        ("a" * 8 + " " + "b" * 8, ["a" * 8, "b" * 8]),
        ("a" * 17 + " b", ["a" * 16, "a b"]),
        ("a  b", ["a  b"]),
    ],
)
def test_a_display_breaks_between_words_if_it_can(text: str, shown: list[str]) -> None:
    assert lines(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 38 + ".."),
        ("x" * 37 + " xxx", "x" * 37 + ".."),
        (" ".join(["x" * 13] * 3), "x" * 13 + " " + "x" * 13 + " " + "x" * 10 + ".."),
        (" ".join(["x" * 9] * 4), " ".join(["x" * 9] * 3) + " xxxx.."),
    ],
)
def test_a_caption_is_cut_where_forty_characters_or_three_lines_end(text: str, shown: str) -> None:
    assert (cut(text), fits(text), fits(shown)) == (shown, text == shown, True)


# --- what the boxes of a table show ------------------------------------------------------------------------


async def market(s: Climb) -> None:
    """Seat 1 bids or passes, all choose in secret, seat 2 rolls two dice or sells, and so on."""
    while True:
        await ask(
            s,
            1,
            [offer("bid", amount=Amount(5, 45, 5)), offer("look", card=OneOf(["eel", "carp"])), offer("pass")],
            "Bid?",
        )
        await ask_all(s, {seat: [offer("hook"), offer("line")] for seat in s.seats}, "Hook or line?", into="bid")
        await roll_or(s, 2, 2, 6, "trial", "Roll, or sell.", [offer("sell")])
        await ask(s, 3, [offer("use", order=Order([1, 2, 3]))], "In which order?")


MARKET = replace(
    made_up("market", market),
    labels=made_labels(
        {
            "minutes": 1,
            "blurb": "For tests.",
            "moves": {
                "bid": {
                    "label": "Bid {amount}",
                    "effect": "The highest bid of all who are still in wins the lot at the end.",
                },
                "look": {"label": "Look at {card}"},
                "pass": {"label": "Pass at {table.top}", "box": "bar", "effect": "You are out."},
                "hook": {"label": "Throw it at {table.top}", "short": "CATCH"},
            },
            "parameters": {"amount": {"money": "dollars"}, "card": {"card": True}},
            "cards": {"eel": {"name": "Eel"}, "carp": {"name": "Carp"}},
        }
    ),
)


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> TableRig:
    """Three phones and boxes at the market, at which seat 1 bids first."""
    monkeypatch.setattr(games, "find", {"market": MARKET}.__getitem__)
    rig = TableRig(4, offered=[MARKET], patience=Patience(ask=inf, idle=inf))
    rig.boxes_up()
    rig.sit(1, 2, 3)
    rig.start("market")
    return rig


def shown(rig: TableRig) -> list[str]:
    """The displays of the boxes, from seat 1 on."""
    return [rig.boxes.texts[f"box-{seat}"] for seat in range(1, rig.seats + 1)]


def held(rig: TableRig, seat: int, control: str) -> str:
    """The display of a seat after a key was held."""
    rig.take(Key(f"box-{seat}", control, "hold"))  # type: ignore[arg-type]
    return rig.boxes.texts[f"box-{seat}"]


def to_dice(rig: TableRig) -> None:
    """Seat 1 passes, and all choose: seat 2 is asked for dice."""
    rig.press(1, "bar")
    for seat in (1, 2, 3):
        assert rig.act(seat, "hook")["ok"]


def test_a_display_follows_its_dial_and_is_blank_at_seats_that_are_not_asked(shop: TableRig) -> None:
    assert shown(shop) == ["Bid $5 | bar: Pass at 100", "", "", ""]
    shop.take(Turn("box-1", 2))
    assert shown(shop)[0] == "Bid $15 | bar: Pass at 100"
    shop.take(BoxDown("box-1", "unplugged"), BoxUp("box-1", "b2", "1", 8))
    assert shown(shop)[0] == "Bid $15 | bar: Pass at 100", "the dial has not moved"
    shop.press(1, "bar")
    assert shown(shop) == ["1 catch, 2 line"] * 3 + [""]


def test_every_decision_has_a_dial_at_rest(shop: TableRig) -> None:
    shop.take(Turn("box-1", 2))
    shop.press(1, "push")
    for seat in (1, 2, 3):
        assert shop.act(seat, "hook")["ok"]
    assert shop.act(2, "sell")["ok"]
    assert shown(shop) == ["", "", "In which order?", ""]
    assert shop.act(3, "use", order=[3, 2, 1])["ok"]
    assert shown(shop)[0] == "Bid $5 | bar: Pass at 100"


def test_a_press_that_cannot_be_is_refused_on_its_own_display_with_a_buzz(shop: TableRig) -> None:
    to_dice(shop)
    assert shop.act(2, "sell")["ok"]
    shop.boxes.sent.clear()
    shop.press(3, "push")
    assert shown(shop) == ["", "", "Answer this question on a phone.", ""]
    assert shop.boxes.sent == [("buzz", "box-3", "error")]


def test_a_held_key_tells_what_it_would_pick_and_picks_nothing(shop: TableRig) -> None:
    shop.boxes.sent.clear()
    assert [held(shop, 1, control) for control in ("k1", "k1", "k3")] == [
        "Look at Eel",
        "Look at Eel",
        "Pass at 100. You are out",
    ]
    assert held(shop, 1, "k4") == "Bid $5 | bar: Pass at 100", "nothing is on that key"
    assert shop.boxes.sent == [], "a question is no mistake"
    shop.press(1, "push")
    assert shop.match.log[-1].move == "bid"


def test_an_explanation_goes_on_with_the_same_key_only(monkeypatch: pytest.MonkeyPatch) -> None:
    async def two(s: Climb) -> None:
        await ask(s, 1, [offer("bid", number=Amount(1, 2)), offer("pass")], "Bid?")

    effect = "The highest bid of all who are still in wins the lot at the end."
    labels = made_labels(
        {"minutes": 1, "blurb": "For tests.", "moves": {"bid": {"label": "Bid {number}", "effect": effect}}}
    )
    monkeypatch.setattr(games, "find", {"two": replace(made_up("two", two), labels=labels)}.__getitem__)
    rig = TableRig(2, offered=[games.find("two")])
    rig.boxes_up()
    rig.sit()
    rig.start("two")
    first, second = "Bid 1. The highest bid of all who are", "still in wins the lot at the end"
    assert [held(rig, 1, "k1") for _ in range(3)] == [first, second, first]
    assert held(rig, 1, "k2") == first.replace("1", "2")
    assert held(rig, 1, "k1") == first
    rig.take(Turn("box-1", 1))
    assert shown(rig)[0] == "Bid 2"
    assert held(rig, 1, "k1") == first, "the dial has moved since"


def test_the_menu_is_chosen_only_while_the_display_says_so(shop: TableRig) -> None:
    shop.take(Turn("box-2", 1))
    assert shown(shop)[1] == MENU[0][1]
    assert shop.claim(2) is None
    shop.press(2, "push")
    assert (shown(shop)[1], shop.state["paused"]) == (claim_caption(push=False), None)
    shop.take(Turn("box-3", 1))
    shop.press(3, "push")
    assert shop.state["paused"] == 3


def test_a_whole_match_is_shown_in_the_tables_language(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "Bid {amount}": "Biete {amount}",
        "Pass at {table_top}": "Passe bei {table_top}",
        "bar: {answer}": "Leiste: {answer}",
        "You are out.": "Du bist raus.",
        "Throw it at {table_top}": "Wirf bei {table_top}",
        "CATCH": "HAKEN",
        "Dice: {dice}": "Augen: {dice}",
        "Sell": "Verkaufe",
    }
    monkeypatch.setattr(games, "find", {"market": MARKET}.__getitem__)
    rig = TableRig(
        3,
        offered=[MARKET],
        patience=Patience(ask=inf, idle=inf),
        language=lambda game: Language(Catalogue(language="de", messages=dict(said) if game == "market" else {})),
    )
    rig.boxes_up()
    rig.sit()
    rig.start("market")
    assert shown(rig) == ["Biete $5 | Leiste: Passe bei 100", "", ""]
    assert held(rig, 1, "k3") == "Passe bei 100. Du bist raus"
    rig.take(Turn("box-1", 1))
    assert shown(rig)[0] == "Biete $10 | Leiste: Passe bei 100"
    rig.press(1, "bar")
    assert shown(rig) == ["1 haken, 2 line"] * 3
    assert rig.boxes.rounds["box-1"].names == ("Wirf bei 100", "Line")
    for seat in (1, 2, 3):
        assert rig.act(seat, "hook")["ok"]
    rig.press(2, "k4")
    assert shown(rig)[1] == "Augen: 4 _"


def test_the_dial_in_the_lobby_names_each_game_in_its_own_words() -> None:
    def language(game: str) -> Language:
        return Language(Catalogue(language="de", messages={"Shopless": f"Laden, {game}", "Market": f"Markt, {game}"}))

    rig = TableRig(offered=[SHOP_LESS, MARKET], language=language)
    rig.boxes_up()
    texts = []
    for detents in (1, 1, -1):
        rig.take(Turn("box-1", detents))
        texts.append(shown(rig)[0])
    assert texts == ["Laden, shopless", "Markt, market", "Laden, shopless"]


def test_the_rollers_display_says_what_to_do_until_something_is_typed(shop: TableRig) -> None:
    to_dice(shop)
    assert shown(shop) == ["", "Roll, or type on K1-K6", "", ""]
    shop.take(Turn("box-2", -1))
    assert shown(shop)[1] == "Sell"
    shop.take(Turn("box-2", 1))
    shop.press(2, "k4")
    assert shown(shop)[1] == "Dice: 4 _"
    shop.see("rolling")
    assert shown(shop)[1] == "Dice: 4 _", "what was typed stays"
    shop.press(2, "k5", "push")
    assert shown(shop) == [
        "Dice right? Push yes, bar no",
        "Typed. Another player must confirm",
        "Dice right? Push yes, bar no",
        "",
    ]
    shop.press(3, "bar")
    assert shown(shop) == ["", "Roll, or type on K1-K6", "", ""]
    shop.press(2, "k4")
    assert shown(shop)[1] == "Dice: 4 _", "the earlier dice are forgotten"


def test_dice_are_shown_at_the_seats_that_play_and_have_a_box(shop: TableRig) -> None:
    to_dice(shop)
    shop.take(BoxDown("box-3", "unplugged"))
    shop.boxes.texts["box-3"] = "dark"
    shop.see("cocked", 1)
    leaning = "A die leans. Push: read as it lies"
    assert shown(shop) == [leaning, "Roll that die. Push: read as it lies", "dark", ""]
    shop.take(BoxUp("box-3", "b2", "1", 8))
    assert shown(shop)[2] == leaning
    shop.see("settled", 1, 6)
    assert shown(shop) == ["", "Push: right. Bar: read again", "", ""]
    shop.take(Turn("box-2", -1))
    assert shown(shop)[1] != "Sell", "it has rolled"


def test_a_typed_batch_is_forgotten_when_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def seven(s: Climb) -> None:
        await roll(s, 1, 7, 6, "trial", "Roll seven dice.")
        await ask(s, 2, [offer("go")], "Go on?")

    monkeypatch.setattr(games, "find", {"seven": made_up("seven", seven)}.__getitem__)
    rig = TableRig(2, offered=[games.find("seven")], reader=False)
    rig.boxes_up()
    rig.sit()
    rig.start("seven")
    assert shown(rig) == ["Dice from 1 of 7: roll or K1-K6", ""]
    rig.press(1, *["k1"] * 6, "push")
    rig.press(2, "push")
    assert shown(rig)[0] == "Dice from 7 of 7: roll or K1-K6"
    rig.press(1, "k3")
    assert shown(rig)[0] == "Dice: 3", "only one die is missing"


def test_faces_on_the_rollers_display_are_forgotten_when_the_reader_was_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    async def seven(s: Climb) -> None:
        await roll(s, 1, 7, 6, "trial", "Roll seven dice.")
        await ask(s, 2, [offer("go"), offer("rest")], "Go on?")

    monkeypatch.setattr(games, "find", {"seven": made_up("seven", seven)}.__getitem__)
    rig = TableRig(2, offered=[games.find("seven")])
    rig.boxes_up()
    rig.sit()
    rig.start("seven")
    rig.press(1, "k4")
    rig.see("settled", 1, 2, 3, 4, 5, 6)
    assert shown(rig)[0] == "Dice: 4 _ _ _ _ _"
    assert rig.say(1, "dice", {"say": "accept"})["ok"]
    assert shown(rig)[0] == "Dice from 7 of 7: roll or K1-K6"


def test_a_dispute_is_offered_where_the_bar_is_free_and_asked_where_a_vote_is(shop: TableRig) -> None:
    to_dice(shop)
    shop.see("settled", 1, 6)
    shop.press(2, "push")
    ask_it = "Dice read wrong? Bar: read again"
    assert shown(shop) == [ask_it, ask_it, "In which order?", ""]
    shop.press(1, "bar")
    vote = "Read dice again? Push yes, bar no"
    assert shown(shop) == [vote] * 3 + [""]
    shop.press(1, "bar")
    shop.press(2, "bar")
    for _ in range(2):  # the outcome is shown for a while
        assert shown(shop) == ["", "", "In which order?", ""]
        shop.clock.time += OUTCOME_SECONDS
        shop.take(Tick())


def test_a_dispute_that_nobody_begins_leaves_every_display_as_the_match_has_it(shop: TableRig) -> None:
    to_dice(shop)
    shop.see("settled", 1, 6)
    shop.press(2, "push")
    shop.clock.time += ASK_SECONDS
    shop.take(Tick())
    assert shown(shop) == ["", "", "In which order?", ""]


def test_faces_on_the_rollers_display_are_forgotten_when_a_phone_types_them(shop: TableRig) -> None:
    to_dice(shop)
    shop.press(2, "k4")
    assert shop.say(2, "roll", {"faces": [4, 5]})["ok"]
    assert shown(shop)[1] == "Typed. Another player must confirm"


def test_a_question_to_the_table_is_shown_where_it_can_be_answered_and_only_once(shop: TableRig) -> None:
    for seat in (2, 3):
        shop.press(seat, "k1")  # somebody is there
    assert shop.say(2, "ask", {"what": "end"})["ok"]
    ask_it = caption("end", 2, ["yes", "no"])
    assert shown(shop) == ["Bid $5 | bar: Pass at 100", "", ask_it, ""], (
        "seat 1 is asked by the match, seat 2 has asked"
    )
    assert shop.claim(3) is None
    assert shown(shop)[2] == ask_it, "what the keys answer"
    shop.press(3, "bar")
    assert shown(shop)[2] != ask_it


def test_a_claim_is_shown_at_its_own_seat_until_it_ends(shop: TableRig) -> None:
    assert shop.claim(4) is None
    assert shown(shop) == ["Bid $5 | bar: Pass at 100", "", "", claim_caption(push=False)]
    assert shop.notice() == (
        "Another phone asks for seat 4. To let it in, hold the bar of that seat's box, then hold the dial too, for a second."
    )
    assert [one["key"] for one in shop.state["notices"]] == ["claim:4"]
    assert shop.claim(1) is None
    assert shown(shop)[0] == "Bid $5 | bar: Pass at 100", "the match asks this seat"
    shop.clock.time += CLAIM_SECONDS
    shop.take(Tick())
    assert (shown(shop)[3], shop.state["notices"]) == ("", [])


@pytest.mark.parametrize("held_by_phone", [False, True])
def test_between_matches_a_push_lets_a_phone_in_at_a_free_seat(held_by_phone: bool) -> None:
    rig = TableRig(offered=[SHOP_LESS])
    rig.boxes_up()
    rig.sit(1)
    seat = 1 if held_by_phone else 2
    assert rig.claim(seat) is None
    assert rig.boxes.texts[f"box-{seat}"] == claim_caption(push=not held_by_phone)
    assert (
        rig.notice() == f"A phone asks for seat {seat}. To let it in, push the dial of its box."
    ) is not held_by_phone
    assert rig.boxes.texts.get("box-3", "") == ""


def test_before_the_first_match_displays_speak_the_language_of_no_game() -> None:
    said = "Phone wants this seat: push yes, bar no"
    rig = TableRig(language=lambda game: Language(Catalogue(language="de", messages={said: f"Telefon <{game}>"})))
    rig.boxes_up()
    assert rig.claim(2) is None
    assert shown(rig) == ["", "Telefon <>", ""]


def test_a_seat_that_chose_on_its_phone_may_use_the_menu_of_its_box_and_no_other(shop: TableRig) -> None:
    shop.press(1, "bar")
    assert shop.act(1, "hook")["ok"]
    before = shown(shop)
    for seat in (1, 2):
        shop.take(Turn(f"box-{seat}", 1))
    assert shown(shop) == [MENU[0][1], *before[1:]]


def test_locked_boxes_are_asked_about_an_absent_seat_on_their_keys_alone() -> None:
    rig = TableRig()
    rig.boxes_up()
    rig.press(1, "push")
    rig.press(2, "push")
    rig.press(3, "push")
    rig.press(1, "push")
    before = shown(rig)
    assert before[0] != ""
    locked = [BoxLocked(f"box-{seat}", rig.boxes.rounds["box-1"].round) for seat in (1, 2)]
    rig.take(*locked)
    for _ in range(int(ASK_HERE_SECONDS) + 1):
        rig.clock.time += 1
        rig.take(Tick())
    asked = caption("absent", 3, "123")
    assert shown(rig) == [asked, asked, before[2]]
    rig.press(1, "k1")
    assert rig.state["question"]["votes"] == {"1": "wait"}
    assert shown(rig) == [before[0], asked, before[2]]
    rig.take(BoxUnlocked("box-2", locked[0].round))
    assert shown(rig) == before, "it chooses again"


def test_a_locked_box_keeps_its_caption_while_bar_and_push_answer_a_question(shop: TableRig) -> None:
    shop.press(1, "bar")
    shop.take(BoxLocked("box-3", shop.boxes.rounds["box-3"].round))
    before = shown(shop)
    assert shop.say(2, "ask", {"what": "end"})["ok"]
    assert shop.state["question"]["kind"] == "end"
    assert shown(shop) == before, "the bar would take the lock back"
    assert shop.act(1, "hook")["ok"]
    assert shown(shop) == [caption("end", 2, ["yes", "no"]), *before[1:]], "seat 1 has answered the match"


def test_a_game_without_boxes_is_shown_nowhere() -> None:
    rig = TableRig(boxes=False, offered=[SHOP_LESS])
    rig.sit()
    rig.start("shopless")
    assert rig.act(1, "hook")["ok"]
    assert (rig.boxes.texts, rig.boxes.sent) == ({}, [])


async def shopless(s: Climb) -> None:
    """All choose in secret."""
    await ask_all(s, {seat: [offer("hook"), offer("line")] for seat in s.seats}, "Hook or line?", into="bid")


SHOP_LESS = made_up("shopless", shopless)


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    find = games.find
    monkeypatch.setattr(games, "find", lambda name: SHOP_LESS if name == "shopless" else find(name))
