"""What lamps and panels show of the public state."""

from __future__ import annotations

from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from PIL import Image, ImageChops

from hub.display import LAMPS, SIZES, PanelSize, frame, panel, png, rings, with_names
from hub.display.facts import view_values
from hub.display.ink import Box, shortened, width_of
from hub.display.labels import fill, name_places, score_text, value_text
from hub.display.language import Catalogue, Language
from hub.display.panels import sheet
from hub.engine.match import Over
from hub.ports import SEAT_MARKS, LampPicture, Pattern
from hub.state import (
    Batch,
    Notice,
    PublicDispute,
    PublicEvent,
    PublicSeat,
    PublicState,
    RollState,
    Wanted,
    tidy_name,
)
from tests.display.states import (
    AUCTION,
    BAIT,
    DICELESS,
    MARKET,
    SCENES,
    SEVERITIES,
    assert_possible,
    auction,
    bait_bid,
    bait_over,
    bait_roll,
    bait_take,
    ended,
    ladder,
    lobby,
    market,
    players,
    stopped,
    with_dice,
    with_facts,
    with_seats,
    with_table,
    with_view,
)
from tests.made_labels import made_labels

PATTERNS: tuple[Pattern, ...] = get_args(Pattern)
JOIN = "http://10.42.0.1:8080/t/1#k=" + "A7b" * 14 + "c"
REFERENCES = Path(__file__).parent


@pytest.mark.parametrize("scene", SCENES)
def test_every_scene_is_a_state_that_a_table_can_be_in(scene: str) -> None:
    assert_possible(SCENES[scene][0])


# --- labels ------------------------------------------------------------------------------------------


def values(state: PublicState) -> dict[str, Any]:
    assert state.view
    return view_values(state.view)


def test_a_template_is_filled_from_the_public_view_and_leaves_out_what_is_not_there() -> None:
    view = values(bait_take())
    assert fill("SPOT {table.spots.0.number}", view) == "SPOT 4"
    assert fill("bid {seat.bid} rolled {table.rolled.0}", view, 1) == "bid 5 rolled 3"
    assert fill("needs {table.nothing.0.at.all} {table.spots.9.number}{table.spots.0.fish.1}", view) == "needs"
    assert fill("{fish_count}·{baits}", view["seats"]["1"]) == "4·3"
    assert fill("{fish_count}·{baits}", {}) == ""
    assert fill("of {seat}", view, 3) == "of 3"


def test_a_template_never_looks_into_a_seats_own_part() -> None:
    assert fill("{you.secret_fish}", {**values(bait_bid()), "you": {"secret_fish": "carp"}}) == ""


def test_cents_are_written_as_money_and_cards_by_their_names() -> None:
    assert fill("{a:cents} {b:cents} {c:cents}{d:cents}", {"a": 2250, "b": 2200, "c": -5}) == "$22.50 $22 -$0.05"
    assert fill("{a:dollars} {b:dollars} {c:dollars}{d:dollars}", {"a": 45, "b": 0, "c": -5}) == "$45 $0 -$5"
    assert fill("{table.auction.card}", values(auction()), labels=made_labels(AUCTION)) == "Engineer"


def test_of_a_line_with_dots_a_part_that_has_nothing_to_say_is_left_out() -> None:
    line = "Spot {spot} · costs {price:cents} each · as always"
    assert fill(line, {"spot": 3, "price": 50}) == "Spot 3 · costs $0.50 each · as always"
    assert fill(line, {"spot": 0, "price": None}) == "Spot 0 · as always"
    assert fill("costs {price:cents}", {}) == "costs"


def test_a_map_by_seat_is_written_with_the_seats_symbols() -> None:
    assert fill("{shares}", {"shares": {"1": 2, "2": 0, "3": 1}}) == "●2 ■1"


def test_screens_say_symbol_and_name_instead_of_a_seats_number() -> None:
    assert with_names("Seat 2 pays Seat 1.", auction()) == "▲ Ben pays ● Ana."
    assert with_names("\u2068Cem\u2069 had seat 1.", auction()) == "Cem had seat 1.", "a panel has no sign for isolates"


# --- in another language -----------------------------------------------------------------------------

GERMAN = Language(
    Catalogue(
        language="de",
        money="{amount} $",
        point=",",
        messages={
            "Seat {seat}": "Platz {seat}",
            "yes": "ja",
            "Engineer": "Ingenieur",
            "IOU": "Schein",
            "IOUs": "Scheine",
            "costs {price} each": "je {price}",
            "as always": "wie immer",
            "{auction_bid} Seat {auction_by}": "{auction_bid} Platz {auction_by}",
            "the winner pays Seat {auction_seller}": "es zahlt an Platz {auction_seller}",
            "round {round}": "Runde {round}",
            "r{round}": "R{round}",
            "waiting for Seat {seat}": "es fehlt Platz {seat}",
        },
    )
)


def test_each_part_of_a_template_is_said_in_another_language() -> None:
    labels = made_labels(AUCTION | {"screen": {"scored": ["IOU", "IOUs"]}})
    filled = fill(
        "costs {price:cents} each · as always · {card}, {sure}",
        {"price": -50, "card": "ENG", "sure": True},
        labels=labels,
    )
    assert filled == "costs -$0.50 each · as always · Engineer, yes"
    assert GERMAN.say(filled) == "je -0,50 $ · wie immer · Ingenieur, ja"
    assert GERMAN.say(score_text(2, labels)) == "2 Scheine"
    assert GERMAN.say(value_text(["ENG", "ENG"], labels)) == "Ingenieur Ingenieur"


def test_a_template_has_the_names_that_translators_read() -> None:
    written, paths = name_places("{table.bid.rank} of {table.turn}, {seat.bid} and {table.bid.rank:+} of {} {")
    assert written == "{bid_rank} of {table_turn}, {seat_bid} and {bid_rank2} of {value}"
    assert [*paths.values()] == ["table.bid.rank", "table.turn", "seat.bid", "table.bid.rank:+", ""]


@pytest.mark.parametrize("template", ["{0;}", "{7a} {0}", "{!r}", "{a!r}", "{a[0]}"])
def test_a_template_with_signs_of_pythons_own_formats_names_nothing(template: str) -> None:
    assert fill(template, {}) == ""


def test_a_panel_says_its_parts_in_its_language() -> None:
    def said(size: PanelSize) -> list[str]:
        return [text for _, _, text in sheet(auction(), made_labels(AUCTION), size, JOIN, GERMAN).texts]

    small, large = said("2.9"), said("7.5")
    assert "R3" in small
    assert "Runde 3" in large
    assert "85 $ ▲ Ben" in large
    assert "Ingenieur · es zahlt an ● Ana" in large
    assert "es fehlt ◆ Dee" in large


# --- rings -------------------------------------------------------------------------------------------


def patterns(state: PublicState, labels: dict | None) -> dict[int, tuple[str, int]]:
    return {seat: (picture.pattern, picture.n) for seat, picture in rings(state, made_labels(labels)).items()}


def test_in_the_lobby_free_seats_attract_and_a_seat_that_is_asked_for_wants_to_be_claimed() -> None:
    state = lobby()
    assert patterns(state, None) == {1: ("locked", 0), 2: ("waiting", 0), 3: ("attract", 0), 4: ("attract", 0)}
    assert patterns(replace(state, claiming=[3]), None)[3] == ("claim", 0)


def test_in_a_sealed_phase_rings_are_hollow_until_they_are_full() -> None:
    assert patterns(bait_bid(), BAIT) == {1: ("locked", 0), 2: ("choosing", 0), 3: ("locked", 0), 4: ("choosing", 0)}


def test_a_seat_that_was_called_again_sweeps_but_not_once_it_has_locked() -> None:
    assert patterns(replace(bait_bid(), nudged=[1, 2]), BAIT) == {
        1: ("locked", 0), 2: ("nudge", 0), 3: ("locked", 0), 4: ("choosing", 0),
    }  # fmt: skip


def test_every_ring_of_a_match_calls_before_it_is_put_aside() -> None:
    idle = replace(bait_bid(), notices=[Notice("idle", "info", "Nobody has played for a while.")])
    assert set(patterns(idle, BAIT).values()) == {("nudge", 0)}


def test_all_rings_reveal_together_when_the_last_seat_has_locked() -> None:
    assert set(patterns(replace(bait_bid(), locked=[1, 2, 3, 4]), BAIT).values()) == {("reveal", 0)}


def test_the_roller_gets_the_comet_and_the_others_show_their_public_bids() -> None:
    assert patterns(bait_roll(), BAIT) == {1: ("roll", 0), 2: ("number", 2), 3: ("number", 5), 4: ("number", 6)}


@pytest.mark.parametrize(
    ("dice", "shown"),
    [("rolling", ("rolling", 0)), ("cocked", ("dice_trouble", 0)), ("wrong_count", ("dice_trouble", 0)),
     ("no_reader", ("dice_trouble", 0))],
)  # fmt: skip
def test_the_dice_tell_their_state_at_the_rollers_ring(dice: RollState, shown: tuple[str, int]) -> None:
    assert patterns(with_dice(bait_roll(), state=dice), BAIT)[1] == shown


def test_a_settled_roll_is_told_as_its_total_as_far_as_sixteen_lamps_go() -> None:
    state = bait_take()
    assert patterns(state, BAIT)[1] == ("number", 3)
    state = with_dice(state, count=3, faces=[6, 6, 6], total=18)
    assert patterns(state, BAIT)[1] == ("turn", 0)


def test_in_an_auction_the_leader_has_a_crown_and_who_dropped_is_out() -> None:
    assert patterns(auction(), AUCTION) == {
        1: ("waiting", 0), 2: ("leader", 0), 3: ("out", 0), 4: ("turn", 0), 5: ("out", 0),
    }  # fmt: skip


def test_a_seat_that_the_rules_have_put_out_has_one_lamp() -> None:
    shown = patterns(ladder(), DICELESS)
    assert shown[3] == ("out", 0)
    assert shown[2] == ("leader", 0)


def test_a_silent_box_is_shown_unless_it_would_hide_the_call_from_a_phone_that_is_there() -> None:
    state = with_seats(auction(), box="lost")
    assert patterns(state, AUCTION)[1] == ("lost", 0)
    assert patterns(state, AUCTION)[4] == ("turn", 0)
    state = with_seats(state, 4, phone="away")
    assert patterns(state, AUCTION)[4] == ("lost", 0)


def test_a_sleeping_phone_is_called_like_any_other() -> None:
    state = with_seats(auction(), box="none", phone="away")
    assert patterns(state, AUCTION)[4] == ("turn", 0)
    assert patterns(state, AUCTION)[1] == ("waiting", 0)


def test_the_winner_is_crowned() -> None:
    assert patterns(bait_over(), BAIT) == {1: ("waiting", 0), 2: ("waiting", 0), 3: ("winner", 0), 4: ("waiting", 0)}


def test_every_ring_has_the_colour_of_its_seat() -> None:
    assert {seat: one.colour for seat, one in rings(ladder(), made_labels(DICELESS)).items()} == {
        seat: mark.colour for seat, mark in SEAT_MARKS.items()
    }


def luminance(picture: LampPicture, seconds: float, rate: int) -> list[tuple[int, ...]]:
    """The lamps without their colour, over time."""
    return [
        tuple(round(0.2126 * r + 0.7152 * g + 0.0722 * b) for r, g, b in frame(picture, step / rate))
        for step in range(int(seconds * rate))
    ]


def every_picture(colour: str) -> list[LampPicture]:
    numbers = [LampPicture("number", n, colour) for n in range(1, LAMPS + 1)]
    return [LampPicture(pattern, 0, colour) for pattern in PATTERNS if pattern != "number"] + numbers


@pytest.mark.parametrize("seat", SEAT_MARKS)
def test_every_pattern_is_told_apart_without_colour(seat: int) -> None:
    pictures = every_picture(SEAT_MARKS[seat].colour)
    seen = [luminance(one, 4, 10) for one in pictures]
    for place, one in enumerate(seen):
        for other in range(place):
            apart = max(
                abs(a - b) for mine, its in zip(one, seen[other], strict=True) for a, b in zip(mine, its, strict=True)
            )
            assert apart >= 12, (pictures[place], pictures[other])


def test_no_lamp_blinks_faster_than_three_times_a_second() -> None:
    for picture in every_picture("ffffff"):
        shown = luminance(picture, 4, 120)
        for lamp in [*zip(*shown, strict=True), [sum(lamps) // LAMPS for lamps in shown]]:
            bright = [level > 128 for level in lamp]
            rises = [step for step in range(1, len(bright)) if bright[step] and not bright[step - 1]]
            for step in rises:
                assert sum(step <= other < step + 120 for other in rises) <= 3, picture


def test_the_reveal_fills_the_ring_within_300_milliseconds_and_then_stays_full() -> None:
    def lit(t: float) -> int:
        return sum(lamp != (0, 0, 0) for lamp in frame(LampPicture("reveal", 0, "2f7de1"), t))

    assert [lit(0.0), lit(0.15), lit(0.3), lit(60.0)] == [1, 9, 16, 16]


def test_a_number_lights_that_many_lamps_from_the_player_clockwise() -> None:
    shown = frame(LampPicture("number", 5, "12a389"), 0)
    assert [lamp != (0, 0, 0) for lamp in shown] == [True] * 5 + [False] * 11


@given(st.sampled_from(PATTERNS), st.integers(0, 16), st.floats(0, 1e6))
def test_a_frame_is_always_sixteen_lamps_of_eight_bit_colours(pattern: Pattern, n: int, t: float) -> None:
    lamps = frame(LampPicture(pattern, n, "f28c28"), t)
    assert len(lamps) == LAMPS
    assert all(0 <= level <= 255 for lamp in lamps for level in lamp)


# --- panels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scene", SCENES)
def test_a_panel_is_one_bit_of_its_own_size(scene: str, size: PanelSize) -> None:
    image = panel(*SCENES[scene], size, JOIN)
    assert (image.mode, image.size) == ("1", (SIZES[size].width, SIZES[size].height))


@pytest.mark.parametrize("reference", sorted(REFERENCES.glob("*.png")), ids=lambda path: path.stem)
def test_a_panel_looks_as_it_was_approved(reference: Path) -> None:
    """After a wanted change: `python -m tests.display` draws them again; look at them before they are kept."""
    scene, size = reference.stem.rsplit("-", 1)
    drawn = panel(*SCENES[scene], size, JOIN)  # type: ignore[arg-type]
    with Image.open(reference) as kept:
        differs = ImageChops.logical_xor(drawn, kept.convert("1")).getbbox()
    assert differs is None, f"{reference.name} differs within {differs}"


@pytest.mark.parametrize("size", SIZES)
def test_a_panel_is_the_same_whatever_was_drawn_before(size: PanelSize) -> None:
    first, second = ([panel(*scene, size, JOIN).tobytes() for scene in SCENES.values()] for _ in range(2))
    assert first == second


def test_a_panel_saved_as_png_is_the_same_again() -> None:
    image = panel(bait_roll(), made_labels(BAIT), "4.2")
    with Image.open(BytesIO(png(image))) as again:
        assert ImageChops.logical_xor(image, again.convert("1")).getbbox() is None


def texts_of(size: PanelSize, state: PublicState, labels: dict | None) -> str:
    return " | ".join(text for _, _, text in sheet(state, made_labels(labels), size, JOIN).texts)


@pytest.mark.parametrize("size", ["4.2", "7.5"])
def test_with_the_power_off_the_panel_still_says_round_turn_and_what_each_seat_has(size: PanelSize) -> None:
    text = texts_of(size, bait_roll(), BAIT)
    for wanted in (
        "round 4",
        "ROLL",
        "● Ana rolls 1 die",
        "bid 5",
        "A A C ?",
        "b12 · S1 · bid 5",
        "Spot 4",
        "order ◆ ▲ ● ■",
    ):
        assert wanted in text, wanted


def test_the_large_panel_lists_all_that_lies_on_the_table() -> None:
    text = texts_of("7.5", bait_bid(), BAIT)
    for wanted in ("Spot 4", "Spot 5", "Spot 6", "Spot 7", "Gain 3 Baits", "FISH", "10.42.0.1:8080", "waiting for ▲ ◆"):
        assert wanted in text, wanted


def test_cards_that_nobody_may_see_are_counted_and_drawn_as_question_marks() -> None:
    state = with_facts(bait_bid(), 4, fish=[], fish_count=2)
    assert "◆ Dee | ? ?" in texts_of("7.5", state, BAIT) or "? ? | ◆ Dee" in texts_of("7.5", state, BAIT)


def test_a_seat_that_is_waited_for_stands_white_on_black() -> None:
    image = panel(bait_roll(), made_labels(BAIT), "2.9")
    quarter = [image.crop((74 * seat + 2, 100, 74 * seat + 72, 127)).convert("L") for seat in range(4)]
    dark = [sum(part.histogram()[:128]) > part.width * part.height / 2 for part in quarter]
    assert dark == [True, False, False, False]


def test_the_winner_is_told_with_every_seats_score() -> None:
    for size in SIZES:
        text = texts_of(size, bait_over(), BAIT)
        assert "■ Chloë wins" in text
        assert "Six different Fish." in text


def test_a_roll_in_batches_tells_how_far_it_is_and_before_it_what_it_must_show() -> None:
    first = with_dice(bait_roll(), count=10, batch=6, wants=Wanted("31 or more: 80 in 100"))
    second = with_dice(first, batch=4, done=[Batch([1, 2, 3, 4, 5, 6], "read")], total=21)
    lost = with_dice(second, state="no_reader", say="Type it.")
    for size in SIZES:
        assert "31 or more: 80 in 100" in texts_of(size, first, BAIT)
        assert "Total 21, 6 of 10 dice" in texts_of(size, second, BAIT)
        assert "Type it. Total 21, 6 of 10 dice" in texts_of(size, lost, BAIT)


def test_dice_trouble_takes_the_place_of_the_caption() -> None:
    state = with_dice(bait_roll(), state="cocked", say="One die is leaning: roll that one again.")
    assert "One die is leaning: roll that one again." in texts_of("7.5", state, BAIT)


def test_a_vote_on_the_dice_and_a_second_reading_take_the_place_of_the_caption() -> None:
    dispute = PublicDispute(stage="vote", seat=1, faces=[3], read="read", yes=[2], needs=3)
    vote = replace(bait_take(), dispute=dispute)
    again = with_dice(bait_roll(), again=True, say="The dice are read again as they lie.")
    for size in SIZES:
        assert "Read the dice again? Push: yes. Bar: no." in texts_of(size, vote, BAIT).replace(" | ", " ")
        assert "The dice are read again as they lie." in texts_of(size, again, BAIT).replace(" | ", " ")


def test_the_most_severe_notice_stands_in_the_foot_of_the_large_panel() -> None:
    notices = [
        Notice("device:panel", "warning", "A panel is lost."),
        Notice("help:2", "warning", "Seat 2 calls for help.", can_acknowledge=True),
    ]
    text = texts_of("7.5", replace(bait_roll(), notices=notices), BAIT)
    assert "A panel is lost." in text
    assert "help" not in text
    assert "▲ Ben calls for help." in texts_of("7.5", replace(bait_roll(), notices=notices[1:]), BAIT)


def test_a_stopped_match_says_why_in_its_main_zone_and_the_next_notice_in_the_foot() -> None:
    frozen = stopped()
    assert texts_of("7.5", frozen, BAIT).count("The rules met something new.") == 1
    lost = replace(frozen, notices=[*frozen.notices, Notice("device:panel", "warning", "A panel is lost.")])
    assert texts_of("7.5", lost, BAIT).count("The rules met something new.") == 1
    assert "A panel is lost." in texts_of("7.5", lost, BAIT)


def test_facts_are_counted_named_and_marked_as_the_labels_say() -> None:
    table: dict[str, Any] = {
        "pot": 2250, "loan": 300, "call": {"kind": "perfecto", "seat": 2}, "in": [1, 4], "market": "up",
        "shares": {"2": 200}, "shown": "ENG", "products": [{"id": "P1", "by": 3, "kind": "small", "dead": True, "owned": {"1": 2}}],
    }  # fmt: skip
    state = with_table(auction(), **table)
    facts: dict[str, dict[str, Any]] = {
        "pot": {"money": "cents"}, "loan": {"money": "dollars"}, "call": {"title": "{kind} by Seat {seat}"}, "in": {"seats": True},
        "market": {"names": {"up": "rising"}}, "shares": {"money": "cents"}, "shown": {"card": True},
        "products": {"row": True, "title": "{id} {kind}", "by": "by", "flag": "dead", "seats": "owned"},
    }  # fmt: skip
    labels = {
        **AUCTION,
        "facts": {k: {"where": "table", **v} for k, v in facts.items()},
    }
    text = texts_of("7.5", state, labels)
    for wanted in ("pot $22.50", "loan $300", "call perfecto by ▲ Ben", "in ● ◆", "market rising", "shares ▲$2", "■ P1 small", "●2",
                   "Dead", "shown Engineer"):  # fmt: skip
        assert wanted in text.replace(" | ", " "), (wanted, text)


def test_in_an_auction_each_seat_tells_its_bid_or_that_it_is_out() -> None:
    state = auction()
    assert state.view
    state = with_table(state, auction=state.view.table["auction"] | {"bids": {"1": 40, "2": 85}})
    labels = deepcopy(AUCTION)
    labels["facts"] = {
        "bids": {"where": "table", "name": "auction.bids", "money": "dollars", "ranked": True},
        **labels["facts"],
    }
    labels["screen"]["phase"]["auction"]["cells"] = "table.auction.bids"
    for wanted in ("●$40", "▲$85", "■--", "◆in", "★--"):
        assert wanted in texts_of("2.9", state, labels)
    assert "bids ▲$85 ●$40" in texts_of("7.5", state, labels)


def test_a_seat_on_the_smallest_panel_is_told_as_fully_as_it_fits() -> None:
    labels = deepcopy(AUCTION)
    labels["screen"]["cell"] = ["${cash}·{ious}", "${cash}"]
    assert texts_of("2.9", auction(), labels).endswith("■$20·6 | ◆$95·4 | ★$1240")


def test_who_leads_and_who_is_nearly_there_is_marked() -> None:
    labels = deepcopy(AUCTION)
    labels["facts"]["tech"]["leader"] = "table.tech_leader"
    labels["facts"]["ious"]["warn"] = 1
    text = texts_of("7.5", auction(), labels)
    assert "T31*" in text
    assert "IOUs 1!" in text
    assert text.count("*") == text.count("!") == 1


def test_what_each_seat_earned_stands_for_the_large_text() -> None:
    receipts = [{"seat": seat, "earned": 20 * seat, "sum": f"$20 x {seat}"} for seat in range(1, 6)]
    state, labels = with_table(auction(), receipts=receipts), deepcopy(AUCTION)
    labels["facts"]["receipts"] = {
        "where": "table",
        "row": True,
        "by": "seat",
        "title": "{earned:dollars}",
        "text": "{sum}",
    }
    labels["screen"]["phase"]["auction"]["row"] = "table.receipts"
    for size in SIZES:
        text = texts_of(size, state, labels)
        assert "★ $100" in text
        assert ("$20 x 5" in text) == (size in ("4.2", "7.5"))
        assert "$85 ▲" not in text


def test_a_row_of_cards_shows_numbers_and_prices_and_the_one_that_counts_in_white_on_black() -> None:
    for size in SIZES:
        paper = sheet(market(), made_labels(MARKET), size)
        texts = [text for _, _, text in paper.texts]
        assert texts.index("7") < texts.index("14") < texts.index("21") < texts.index("28")
        assert texts[texts.index("28") + 1] == "-7"
        tile = next(box for box, _, text in paper.texts if text == "28")
        assert paper.image.getpixel((tile.left, tile.top + 1)) == 0
        other = next(box for box, _, text in paper.texts if text == "21")
        assert paper.image.getpixel((other.left, other.top + 1)) == 1


def test_a_row_that_is_too_long_keeps_its_end() -> None:
    texts = [text for _, _, text in sheet(market(20), made_labels(MARKET), "2.9").texts]
    assert "140" in texts
    assert "…" in texts
    assert "7" not in texts


def test_cards_are_told_by_number_or_by_name_as_the_labels_want() -> None:
    line = " ".join(text for _, _, text in sheet(market(), made_labels(MARKET), "7.5").texts)
    assert "At work Flown Mower A" in line
    assert "Discarded 2 3 4" in line
    assert "take? worth -10 · ◆41 ▲38 ■9 ●-3" in line
    assert "Quiet turns" not in line
    assert "Bid 20" in line


def test_where_seats_act_in_an_order_the_rings_count_down_and_who_is_past_is_hollow() -> None:
    assert patterns(market(), MARKET) == {4: ("choosing", 0), 2: ("turn", 0), 3: ("number", 8), 1: ("number", 4)}


def shared(count: int, **table: Any) -> tuple[PublicState, dict[str, Any]]:
    """A table with many products, shared by two seats, and the labels to draw them."""
    products = [
        {
            "id": f"P{n}",
            "name": f"Solar Lamp number {n}",
            "by": 1 + n % 4,
            "round": 1,
            "shares": {"1": n, "2": 1},
            "on": f"1 to {n}",
        }
        for n in range(1, count + 1)
    ]
    state = with_view(auction(), round=1, phase="market", table={"products": products, **table})
    fact = {
        "where": "table",
        "row": True,
        "title": "{name}",
        "by": "by",
        "seats": "shares",
        "here": "table.rolling",
        "text": "on {on}",
    }
    return state, {"phases": {"market": "Market"}, "facts": {"products": fact}, "screen": {}}


def test_more_rows_than_there_is_room_for_stand_in_two_columns_with_what_counts_now_first() -> None:
    state, labels = shared(3)
    assert "●3 ▲1 · on 1 to 3" in texts_of("7.5", state, labels)
    state, labels = shared(12, rolling="P9")
    text = texts_of("7.5", state, labels)
    assert text.index("●9 ▲1") < text.index("●1 ▲1")
    assert "●12 ▲1" in text
    assert "on 1 to 9" not in text
    assert all(f"●{n} ▲1" in texts_of("4.2", state, labels) for n in range(1, 13)), (
        "the phase alone is not worth the room"
    )
    labels["screen"] = {"phase": {"market": {"main": "Vegan Spy"}}}
    assert "●9 ▲1 · on 1 to 9" in texts_of("4.2", state, labels)


def test_rows_may_stand_for_the_large_text_and_on_the_smallest_panel_only_where_their_names_are_whole() -> None:
    state, labels = shared(8)
    labels["screen"] = {"phase": {"market": {"row": "table.products"}}}
    assert "●8 ▲1 · on 1 to 8" in texts_of("7.5", state, labels)
    assert all(f"●{n} ▲1" in texts_of("4.2", state, labels) for n in range(1, 9))
    assert "Solar" not in texts_of("2.9", state, labels)
    assert "Market" in texts_of("2.9", state, labels)
    state, labels = shared(2)
    labels["screen"] = {"phase": {"market": {"row": "table.products"}}}
    assert "Solar Lamp number 2" in texts_of("2.9", state, labels)


def test_no_line_of_facts_begins_or_ends_with_a_dot_and_no_fact_is_broken() -> None:
    state = auction()
    for one in state.seats:
        state = with_facts(state, one.seat, cash=1240, tech=118, marketing=17)
    labels = deepcopy(AUCTION)
    labels["facts"] |= {name: {"where": "seat", "label": f"{name} {name}"} for name in ("cash", "tech", "marketing")}
    lines = [text for _, _, text in sheet(state, made_labels(labels), "7.5").texts]
    assert "IOUs 3 · tech tech 118" in lines
    assert all(line == line.strip(" ·") for line in lines)


def test_sooner_than_a_name_is_cut_the_marker_stands_below_it() -> None:
    state = with_table(with_seats(auction(), 1, name="Anna"), turn=1)
    labels = deepcopy(AUCTION)
    labels["screen"] |= {"token": "turn", "token_letter": "D"}
    lines = [text for _, _, text in sheet(state, made_labels(labels), "4.2").texts]
    assert "● Anna" in lines
    assert any(line.startswith("D · ") for line in lines)


def test_how_the_match_ended_is_told_once() -> None:
    state, labels = shared(0)
    state = replace(state, events=[PublicEvent(1, "Seat 1 rolls 4.")])
    state = ended(state, Over([2], {1: 900, 2: 1150, 3: 0, 4: 0, 5: 0}, "Seat 2 has the most."))
    assert texts_of("7.5", state, labels).count("has the most") == 1
    assert "rolls 4" in texts_of("7.5", state, labels)


def test_rows_of_another_round_may_be_left_out() -> None:
    state, labels = shared(3)
    assert state.view
    first, second, third = state.view.table["products"]
    state = with_table(state, products=[first, second | {"round": 0}, third])
    labels["facts"]["products"]["only"] = {"round": "round"}
    text = texts_of("7.5", state, labels)
    assert "●3 ▲1" in text
    assert "●2 ▲1" not in text


def test_what_is_largest_is_never_cut_off_below() -> None:
    state, labels = shared(1)
    labels["screen"] = {"phase": {"market": {"main": "Vegan Spy"}}}
    for size in SIZES:
        paper = sheet(state, made_labels(labels), size)
        ((box, inked, _),) = [one for one in paper.texts if one[2] == "Vegan Spy"]
        assert inked.bottom < box.bottom, size


def test_a_score_that_is_money_is_written_as_money_and_once() -> None:
    state, labels = shared(0)
    state = with_view(replace(state, seats=players(2)), seats={"1": {"cash": 900}, "2": {"cash": 1150}})
    state = ended(state, Over([2], {1: 900, 2: 1150}, "Seat 2 wins."))
    labels |= {"facts": {"cash": {"where": "seat", "short": "", "money": "cents"}}, "screen": {"score": "cents"}}
    assert texts_of("7.5", state, labels).count("$11.50") == 1


def test_a_game_without_labels_is_drawn_all_the_same() -> None:
    for size in SIZES:
        assert "AUCTION" in texts_of(size, auction(), None)
        assert "Ben" in texts_of("4.2", auction(), None)


LONG = st.text(st.characters(exclude_categories=["Cs"]), max_size=90)


def typed(draw: st.DrawFn, seat: int, held: bool) -> PublicSeat:
    """A seat whose player typed any name, or a free one."""
    if not held:
        return PublicSeat(seat, box="on")
    return PublicSeat(seat, tidy_name(draw(LONG)), held=True, phone="on", box="on", ready=draw(st.booleans()))


@st.composite
def crowded(draw: st.DrawFn) -> tuple[PublicState, dict]:
    """A table with 2 to 6 seats where every text is what a player or an author may have typed."""
    few = [lambda count=count: lobby(count) for count in range(2, 7)] + [
        lambda count=count: market(9, count) for count in (2, 3)
    ]
    state: PublicState = draw(
        st.sampled_from([bait_bid, bait_roll, bait_take, bait_over, auction, ladder, market, *few])
    )()
    labels = draw(st.sampled_from([BAIT, AUCTION, DICELESS, MARKET]))
    severities = sorted(draw(st.lists(st.sampled_from(SEVERITIES), max_size=3)), key=SEVERITIES.index)
    state = replace(
        state,
        seats=[typed(draw, one.seat, state.view is not None or draw(st.booleans())) for one in state.seats],
        name=draw(LONG),
        title=draw(LONG),
        want=draw(LONG),
        url="http://" + draw(LONG),
        notices=[Notice(f"notice {n}", severity, draw(LONG)) for n, severity in enumerate(severities)],
        events=[PublicEvent(n, draw(LONG)) for n in range(2)] if state.view else [],
    )
    if view := state.view:
        facts = draw(st.sampled_from(list(view.seats.values())))
        state = with_view(state, seats={seat: dict(facts) for seat in view.seats})
        phase = {"main": draw(LONG) + "{seat.bid}", "caption": draw(LONG), "row": "table.offer"}
        labels = {**labels, "screen": {**labels["screen"], "cell": draw(LONG), "phase": {view.phase: phase}}}
    return state, labels


@pytest.mark.parametrize("size", sorted(SIZES))
@pytest.mark.parametrize("count", range(2, 7))
@pytest.mark.parametrize("code", ["JJJJJJ", "RFPKKN", "WMWMWM"])
def test_the_code_of_a_free_seat_is_whole_or_not_there(size: PanelSize, count: int, code: str) -> None:
    state = replace(
        lobby(count),
        seats=[PublicSeat(seat) for seat in range(1, count + 1)],
        claim_codes={str(seat): code for seat in range(1, count + 1)},
    )
    texts = [text for *_, text in sheet(state, None, size, "http://10.42.0.1:8080").texts]
    assert not [text for text in texts if code[:2] in text and code not in text]
    for seat in range(1, count + 1):
        assert any(SEAT_MARKS[seat].symbol in text for text in texts)
    if count <= 4 and code != "WMWMWM":
        assert sum(code in text for text in texts) == count


@settings(max_examples=60, deadline=None)
@given(crowded(), st.sampled_from(sorted(SIZES)))
def test_no_text_leaves_its_zone_or_lies_upon_another(table: tuple[PublicState, dict], size: PanelSize) -> None:
    state, labels = table
    assert_possible(state)
    paper = sheet(state, made_labels(labels), size, "http://10.42.0.1:8080")
    inked = [ink for _, ink, _ in paper.texts]
    for box, ink, text in paper.texts:
        assert box.holds(ink), text
        assert any(zone.holds(box) for zone in SIZES[size].zones.values()), (text, box)
    for place, one in enumerate(inked):
        for other in inked[:place]:
            apart = (
                one.right <= other.left or other.right <= one.left or one.bottom <= other.top or other.bottom <= one.top
            )
            assert apart, (one, other)


@given(LONG, st.integers(0, 300))
def test_a_text_is_shortened_with_an_ellipsis_until_it_fits(text: str, width: int) -> None:
    cut = shortened(text, width, 18)
    assert width_of(cut, 18) <= width
    assert cut == shortened(text, 10_000, 18) or cut == "" or cut.endswith("…")


def test_a_name_with_accents_is_written_with_them() -> None:
    assert shortened("Zoë Žižek Øyvind", 500, 18) == "Zoë Žižek Øyvind"
    assert width_of("▲", 18) > 0


def test_the_zones_of_every_panel_cover_it_without_lying_upon_each_other() -> None:
    for size in SIZES.values():
        sheet_box = Box(0, 0, size.width, size.height)
        assert all(sheet_box.holds(zone) for zone in size.zones.values())
        assert sum(zone.width * zone.height for zone in size.zones.values()) == size.width * size.height
