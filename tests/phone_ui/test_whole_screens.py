"""Moments of all games on the smallest phones and on all big screens: what decides is in sight, and nothing is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, expect

from hub import games
from tests.chromium import headless
from tests.gallery.laws import CUT, CUT_BY_THE_FELT, at, cut, hidden_decisions
from tests.gallery.moments import Moment, Sitting, every, of_game
from tests.gallery.pictures import KIOSKS, PHONES, TWO_FRAMES, Gallery

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LOW_PHONES = PHONES[:2]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with headless() as opened:
        yield opened


@pytest.fixture(scope="module")
def gallery(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with Gallery(tmp_path_factory.mktemp("gallery"), browser, []) as opened:
        yield opened


@pytest.fixture(scope="module")
def phones(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with Gallery(tmp_path_factory.mktemp("phones"), browser, [], kiosk=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def german_phones(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with Gallery(tmp_path_factory.mktemp("german_phones"), browser, [], "de", kiosk=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def german(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    with Gallery(tmp_path_factory.mktemp("german"), browser, [], "de") as opened:
        yield opened


@cache
def moments_of(name: str) -> list[Moment]:
    return of_game(name)


def moment(name: str, called: str) -> Moment:
    return next(one for one in moments_of(name) if one.name == called)


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
def test_what_decides_stands_above_the_dock_of_every_phone(phones: Gallery, name: str) -> None:
    hidden, looked = hidden_decisions(phones, moments_of(name))
    assert looked
    assert hidden == []


@pytest.mark.parametrize("size", PHONES)
@pytest.mark.parametrize("called", ["first", "bid", "bid 2", "again"])
def test_both_parts_of_a_bid_and_all_their_keys_stand_above_the_dock(
    phones: Gallery, called: str, size: tuple[int, int]
) -> None:
    one = moment("bid-it", called)
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, size)
    dock = page.locator(".dock").bounding_box()
    keys = [box for key in page.locator(".number-keys .choice").all() if (box := key.bounding_box())]
    assert dock
    assert len(keys) == 6
    assert max(box["y"] + box["height"] for box in keys) <= dock["y"]
    assert min(min(box["width"], box["height"]) for box in keys) >= 44


@pytest.mark.parametrize("name", games.names())
def test_a_lesson_is_complete_and_below_the_choice_that_it_explains(phones: Gallery, name: str) -> None:
    looked = 0
    for one in moments_of(name):
        hand = one.hands.get(one.asked)
        if not hand or not hand["lesson"] or not hand["moves"]:
            continue
        phones.show(one, [one.asked])
        page = phones.phone(one.asked)
        for size in PHONES:
            at(page, size)
            lesson, question = page.locator(".lesson-text"), page.locator(".question")
            words, choices = lesson.bounding_box(), question.bounding_box()
            assert words
            assert not choices or choices["y"] + choices["height"] <= words["y"], (one.name, size)
            assert lesson.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1"), (one.name, size)
            looked += 1
    assert looked >= len(PHONES), "a first round has lessons"


@pytest.mark.parametrize("size", [(1024, 768), (1440, 900)])
def test_on_a_wide_screen_the_table_lies_beside_the_question(phones: Gallery, size: tuple[int, int]) -> None:
    one = moment("bidness", "auction")
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, size)
    boxes = [page.locator(part).bounding_box() for part in (".play-now", ".play > .around", ".dock", ".question")]
    question, around, dock, choices = (box for box in boxes if box)
    assert question["x"] + question["width"] <= around["x"]
    assert dock["x"] + dock["width"] <= around["x"]
    assert around["x"] + around["width"] <= size[0]
    assert choices["y"] + choices["height"] <= dock["y"]
    at(page, PHONES[0])


# Names with what stands beside them that reach beyond the page, or do not stand in one line.
BESIDE_NAMES = """() => [...document.querySelectorAll('.beam-end, .tile-title, .scores li')].flatMap((one) => {
  const parts = [...one.children].filter((part) => part.matches('.who, b, span, .score'));
  const places = parts.map((part) => part.getBoundingClientRect());
  const out = places.some(({ left, right }) => left < 0 || right > innerWidth);
  const apart = one.matches('.scores li, .tile-title') && places.at(-1).top >= places[0].bottom;
  return out || apart ? [`${one.className}: ${one.textContent.slice(0, 40)}`] : [];
})"""


@pytest.mark.parametrize("size", PHONES)
@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("bidness", "settlement 2"),
        ("bidness", "over"),
        ("bid-it", "again"),
        ("bid-it", "over"),
        ("i-bid-you-not", "over"),
    ],
)
def test_a_long_name_gives_way_to_the_number_beside_it(
    phones: Gallery, name: str, called: str, size: tuple[int, int]
) -> None:
    one = moment(name, called)
    seats = [one.asked, one.other or one.asked]
    phones.show(one, seats)
    for seat in seats:
        page = phones.phone(seat)
        at(page, size)
        expect(page.locator(".beam-end, .tile-title, .scores li").first).to_be_attached()
        assert page.evaluate(BESIDE_NAMES) == []


@pytest.mark.parametrize("size", LOW_PHONES)
@pytest.mark.parametrize(("name", "called"), [("bidness", "discard, sealed"), ("i-bid-you-not", "turn")])
def test_the_finger_that_holds_a_hand_open_scrolls_it_to_its_end(
    phones: Gallery, name: str, called: str, size: tuple[int, int]
) -> None:
    one = moment(name, called)
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, size)
    hand = page.locator(".secret")
    box = hand.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    expect(page.locator(".secret.open")).to_be_visible()
    page.evaluate(TWO_FRAMES)
    seen: set[str] = set()
    for step in range(12):
        seen |= set(page.evaluate(IN_SIGHT))
        page.mouse.move(x, max(2, y - (step + 1) * y / 12))
        page.evaluate(TWO_FRAMES)
    seen |= set(page.evaluate(IN_SIGHT))
    every_one = set(
        page.evaluate("[...document.querySelectorAll('.secret .card, .secret li')].map((one) => one.textContent)")
    )
    assert every_one
    assert every_one - seen == set()
    page.mouse.up()
    page.evaluate(TWO_FRAMES)
    expect(page.locator(".secret.open")).to_have_count(0)
    closed = hand.bounding_box()
    assert closed
    assert (closed["y"], closed["height"]) == (box["y"], box["height"]), "all stands where it stood"


IN_SIGHT = """() => {
  const top = document.querySelector('.strip').getBoundingClientRect().bottom - 1;
  const end = document.querySelector('.tabs').getBoundingClientRect().top + 1;
  return [...document.querySelectorAll('.secret .card, .secret li')]
    .filter((one) => one.getBoundingClientRect().top >= top && one.getBoundingClientRect().bottom <= end)
    .map((one) => one.textContent);
}"""


def test_what_a_card_does_stands_with_it_in_the_hand_in_the_choice_and_on_the_big_screen(gallery: Gallery) -> None:
    cards = gallery.hub.labels["bidness"]["cards"]
    discard = moment("bidness", "discard, sealed")
    gallery.show(discard, [discard.asked])
    page = gallery.phone(discard.asked)
    page.locator(".secret").focus()
    page.keyboard.down(" ")
    for card in set(discard.hands[discard.asked]["you"]["hand"]):
        expect(page.locator(".secret")).to_contain_text(cards[card]["text"])
    page.keyboard.up(" ")
    page.get_by_role("button", name="Show my hand to choose").click()
    for card in set(discard.hands[discard.asked]["you"]["hand"]):
        expect(page.locator(".question")).to_contain_text(cards[card]["text"])
    first = discard.hands[discard.asked]["moves"][0]["card"]["one_of"][0]
    page.locator(".question .choice").first.click()
    expect(page.locator(".question .card-text")).to_contain_text(cards[first]["text"])
    auction = moment("bidness", "auction")
    gallery.show(auction, [auction.asked, auction.other or 0])
    lot = cards[auction.screen["view"]["table"]["auction"]["card"]]["text"]
    expect(gallery.kiosk.locator(".felt")).to_contain_text(lot)
    for seat in (auction.asked, auction.other or 0):
        expect(gallery.phone(seat).locator(".play-now > .card-of-phase")).to_contain_text(lot)


def printed_turn() -> Moment:
    """The first turn with printed cards: all numbers that may be added are to choose from."""
    rig = Sitting(games.find("i-bid-you-not"), guests=4)
    rig.start("i-bid-you-not", printed_cards=True, odd_inventions=True, first=1)
    assert rig.act(1, "laid_out", card=-32)["ok"]
    return rig.moment("Printed cards", "turn")


def test_cards_of_which_the_number_alone_is_known_are_keys_that_a_finger_hits(phones: Gallery) -> None:
    one = printed_turn()
    phones.show(one, [1])
    page = phones.phone(1)
    at(page, LOW_PHONES[0])
    keys = page.locator(".question .close-keys .choice")
    numbers = [int(text) for text in keys.all_inner_texts()]
    assert numbers == sorted(numbers)
    assert numbers == one.hands[1]["moves"][0]["card"]["one_of"]
    assert len(numbers) > 70
    expect(page.locator(".question .card")).to_have_count(0)
    boxes = [box for key in keys.all() if (box := key.bounding_box())]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44
    assert max(box["x"] + box["width"] for box in boxes) <= LOW_PHONES[0][0]
    across = sum(1 for box in boxes if box["y"] == boxes[0]["y"])
    assert across >= 5, "a page of them is few lines"
    keys.filter(has=page.locator("span:text-is('29')")).click()
    expect(page.get_by_role("button", name="Add 29")).to_be_enabled()


@pytest.mark.parametrize("name", games.names())
def test_each_game_has_a_face_of_its_own_on_the_felt(gallery: Gallery, name: str) -> None:
    one = moments_of(name)[0]
    gallery.show(one, [])
    felt = gallery.kiosk.locator(".felt")
    look = gallery.hub.labels[name]["screen"]["look"]
    expect(felt.locator("pattern path")).to_have_attribute("d", look["tile"])
    rgb = "rgb({}, {}, {})".format(*bytes.fromhex(look["felt"][1:]))
    expect(felt).to_have_css("background-color", rgb)
    others = [gallery.hub.labels[other]["screen"]["look"] for other in games.names() if other != name]
    assert look["felt"] not in [other["felt"] for other in others]
    assert look["emblem"] not in [other["emblem"] for other in others]


@pytest.mark.parametrize("size", KIOSKS)
def test_two_sides_of_a_trial_stand_against_each_other(gallery: Gallery, size: tuple[int, int]) -> None:
    one = moment("bidness", "trial, dice")
    suit = one.screen["view"]["table"]["lawsuit"]
    gallery.show(one, [])
    at(gallery.kiosk, size)
    plaintiff, defendant = gallery.kiosk.locator(".versus-side").all()
    expect(plaintiff).to_contain_text("sues")
    expect(defendant).to_contain_text("defends")
    names = {seat["seat"]: seat["name"] for seat in one.screen["seats"]}
    expect(plaintiff).to_contain_text(names[suit["plaintiff"]])
    expect(defendant).to_contain_text(names[suit["defendant"]])
    left, right = plaintiff.bounding_box(), defendant.bounding_box()
    felt = gallery.kiosk.locator(".felt").bounding_box()
    assert left
    assert right
    assert felt
    assert left["x"] + left["width"] < right["x"]
    assert felt["y"] <= left["y"] <= left["y"] + left["height"] <= felt["y"] + felt["height"]


@pytest.mark.parametrize(
    ("inside", "words"),
    [([1, 2, 3, 4], "Still in"), ([1, 2, 3], "Going once"), ([1, 2], "Going twice"), ([1], "Gone!")],
)
def test_the_hammer_sinks_as_one_after_the_other_drops_out(gallery: Gallery, inside: list[int], words: str) -> None:
    one = moment("bidness", "auction")
    table = one.screen["view"]["table"]
    lot = table["auction"] | {"in": inside, "by": 1, "bid": 40, "bids": {"1": 40}}
    view = one.screen["view"] | {"table": table | {"auction": lot}}
    gallery.show(replace(one, screen=one.screen | {"view": view}), [])
    at(gallery.kiosk, KIOSKS[0])
    expect(gallery.kiosk.locator(".hammer-words")).to_have_text(words)
    expect(gallery.kiosk.locator(".hammer-seats .out")).to_have_count(len(one.screen["view"]["seats"]) - len(inside))
    expect(gallery.kiosk.locator(".hammer-seats .leads")).to_have_count(1)


@pytest.mark.parametrize("size", KIOSKS)
def test_the_fallen_hammer_is_seen_for_a_second_while_phones_go_on(gallery: Gallery, size: tuple[int, int]) -> None:
    one, after = moment("bidness", "auction"), moment("bidness", "play")
    number = max(event["n"] for event in one.screen["events"]) + 1
    data = {"seat": 4, "card": one.screen["view"]["table"]["auction"]["card"]}
    sold = {
        "n": number,
        "rule": "BN-29",
        "kind": "joins",
        "text": "The Government Contract joins Seat 4.",
        "data": data,
    }
    events = [*one.screen["events"], sold]
    gallery.show(replace(after, before=one, screen=after.screen | {"events": events}), [after.asked])
    gone = gallery.kiosk.locator(".gone")
    expect(gone).to_contain_text("Gone!")
    expect(gone.locator(".who")).to_contain_text("Maximiliane")
    expect(gallery.phone(after.asked).get_by_role("button", name="Pass")).to_be_enabled()
    at(gallery.kiosk, size)
    box, felt = gone.bounding_box(), gallery.kiosk.locator(".felt").bounding_box()
    assert box == felt
    inside = [place for part in gone.locator("> *").all() if (place := part.bounding_box())]
    assert felt
    assert all(
        felt["y"] <= place["y"] and place["y"] + place["height"] <= felt["y"] + felt["height"] for place in inside
    )
    assert all(place["x"] + place["width"] <= felt["x"] + felt["width"] for place in inside)
    (milliseconds,) = gallery.kiosk.evaluate("passTime(2500)")
    assert milliseconds >= 800
    expect(gone).to_have_count(0)
    expect(gallery.kiosk.locator(".now-headline")).to_contain_text("joins")


@pytest.mark.parametrize("called", ["play", "auction", "discard, sealed"])
def test_only_the_middle_of_a_phones_page_scrolls(phones: Gallery, called: str) -> None:
    one = moment("bidness", called)
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, PHONES[0])
    page.evaluate("scrollTo(0, 64)")
    page.evaluate(TWO_FRAMES)
    assert page.evaluate("[scrollY, document.scrollingElement.scrollHeight]") == [0, PHONES[0][1]]


@pytest.mark.parametrize("size", KIOSKS)
def test_cards_that_met_lie_side_by_side_in_their_order_and_the_one_that_decides_stands_out(
    gallery: Gallery, size: tuple[int, int]
) -> None:
    one = moment("i-bid-you-not", "bid, revealed")
    told = next(event["data"] for event in one.screen["events"] if event["kind"] == "reveal")
    gallery.show(one, [])
    at(gallery.kiosk, size)
    met = gallery.kiosk.locator(".revealed .turned > li")
    expect(met).to_have_count(len(told["bids"]))
    expect(gallery.kiosk.locator(".revealed .card-face")).to_have_text(
        [str(told["bids"][str(s)]) for s in told["order"]]
    )
    expect(gallery.kiosk.locator(".revealed .card-tag")).to_have_count(len(told["bids"]))
    expect(met.first).to_have_class("first")
    boxes = [box for card in met.locator(".card").all() if (box := card.bounding_box())]
    felt = gallery.kiosk.locator(".felt").bounding_box()
    assert felt
    assert boxes[0]["width"] > 1.2 * max(box["width"] for box in boxes[1:])
    assert all(one["x"] + one["width"] <= next_one["x"] for one, next_one in pairwise(boxes))
    assert all(felt["y"] <= box["y"] and box["y"] + box["height"] <= felt["y"] + felt["height"] for box in boxes)


@pytest.mark.parametrize("size", KIOSKS)
def test_at_a_showdown_hands_lie_side_by_side_whole_and_whose_bid_won_stands_out(
    gallery: Gallery, size: tuple[int, int]
) -> None:
    one = moment("bid-it", "again")
    table = one.screen["view"]["table"]
    gallery.show(one, [])
    at(gallery.kiosk, size)
    tiles = gallery.kiosk.locator(".felt .by-seat .tile")
    expect(tiles).to_have_count(len(table["shown"]))
    for tile, hand in zip(tiles.all(), table["shown"], strict=True):
        expect(tile.locator(".card")).to_have_count(len(hand["cards"]))
        expect(tile.locator(".card.lit")).to_have_count(sum(card in hand["lit"] for card in hand["cards"]))
        assert len({box["y"] for card in tile.locator(".card").all() if (box := card.bounding_box())}) == 1, "one row"
    names = {seat["seat"]: seat["name"] for seat in one.screen["seats"]}
    expect(gallery.kiosk.locator(".felt .tile.here")).to_have_count(1)
    expect(gallery.kiosk.locator(".felt .tile.here")).to_contain_text(names[table["count"]["winner"]])


@pytest.mark.parametrize(("quantity", "drawn"), [(1, 1), (5, 5), (9, 9), (24, 24), (60, 1)])
def test_a_bid_lies_on_the_felt_as_so_many_cards(gallery: Gallery, quantity: int, drawn: int) -> None:
    one = moment("bid-it", "bid 2")
    table = one.screen["view"]["table"]
    bid = table["bid"] | {"quantity": quantity}
    view = one.screen["view"] | {"table": table | {"bid": bid}}
    gallery.show(replace(one, screen=one.screen | {"view": view}), [])
    for size in KIOSKS:
        at(gallery.kiosk, size)
        cards = gallery.kiosk.locator(".copies .card")
        expect(cards).to_have_count(drawn)
        expect(cards.first).to_contain_text(str(bid["rank"]))
        expect(gallery.kiosk.locator(".copies-count")).to_have_count(int(drawn < quantity))
        assert gallery.kiosk.evaluate(CUT) + gallery.kiosk.evaluate(CUT_BY_THE_FELT) == []


def test_while_they_decide_the_big_screen_has_the_offer_and_below_it_the_cards_that_were_bid(gallery: Gallery) -> None:
    one = moment("i-bid-you-not", "decide")
    gallery.show(one, [one.asked])
    at(gallery.kiosk, KIOSKS[0])
    rows = gallery.kiosk.locator(".felt .card-row")
    expect(rows).to_have_count(2)
    expect(rows.locator(".card-row-label")).to_have_text(["Offer", "The bids"])
    expect(rows.nth(1).locator(".card")).to_have_count(len(one.screen["view"]["table"]["bids"]))
    expect(gallery.phone(one.asked).locator(".card-row")).to_have_count(1)  # there the number line tells of the bids


def test_an_empty_hand_has_no_cover(phones: Gallery) -> None:
    one = moment("bidness", "first_player, dice")
    assert one.hands[one.asked]["you"]["hand"] == []
    phones.show(one, [one.asked])
    expect(phones.phone(one.asked).locator(".dice-part")).to_be_visible()
    expect(phones.phone(one.asked).locator(".secret")).to_have_count(0)


@pytest.mark.long
@pytest.mark.parametrize("section", ["lobby", "demonstration", "notices", "dice"])
def test_nothing_of_a_big_screen_between_matches_is_cut(gallery: Gallery, section: str) -> None:
    assert cut(gallery, every(section), CUT) == []


@pytest.mark.long
@pytest.mark.parametrize("language", ["english", "german"])
@pytest.mark.parametrize("name", games.names())
def test_nothing_of_a_big_screen_is_cut(gallery: Gallery, german: Gallery, name: str, language: str) -> None:
    shown = gallery if language == "english" else german
    assert cut(shown, moments_of(name)) == []


@pytest.mark.long
@pytest.mark.parametrize("name", games.names())
def test_any_number_of_winners_has_room_on_a_big_screen(german: Gallery, name: str) -> None:
    one = next(one for one in moments_of(name) if one.name == "over")
    over = one.screen["over"]
    seats = [int(seat) for seat in over["scores"]]
    ties = [
        replace(one, name=f"{count} winners", screen=one.screen | {"over": over | {"winners": seats[:count]}})
        for count in range(1, len(seats) + 1)
    ]
    assert cut(german, ties, CUT) == []


@pytest.mark.parametrize("size", PHONES)
def test_a_bid_and_the_tabs_have_room_in_german(german_phones: Gallery, size: tuple[int, int]) -> None:
    one = moment("bid-it", "bid")
    german_phones.show(one, [one.asked])
    page = german_phones.phone(one.asked)
    at(page, size)
    expect(page.locator(".number-keys .choice")).to_have_count(6)
    place = page.evaluate(
        """() => [
          Math.max(...[...document.querySelectorAll('.number-keys .choice')].map((one) => one.getBoundingClientRect().bottom)),
          document.querySelector('.dock').getBoundingClientRect().top,
        ]"""
    )
    assert place[0] <= place[1]
    words = page.evaluate(
        """() => [...document.querySelectorAll('.tab')].map((one) => {
          const words = document.createRange();
          words.selectNodeContents(one);
          const { left, right } = words.getBoundingClientRect();
          return [left, right];
        })"""
    )
    assert all(right + 4 <= left for (_, right), (left, _) in pairwise(words))
    assert words[-1][1] <= size[0]


# Words that touch or cross the edge of their key, and words that are broken.
OUT_OF_KEYS = """() => [...document.querySelectorAll('.dock .act')].filter((key) => {
  const words = document.createRange();
  words.selectNodeContents(key);
  const inside = words.getBoundingClientRect(), edge = key.getBoundingClientRect();
  return inside.left < edge.left + 3 || inside.right > edge.right - 3 || edge.right > innerWidth;
}).map((key) => key.textContent)"""


@pytest.mark.parametrize(
    ("name", "called"),
    [("bid-and-bait", "take 2"), ("bid-and-bait", "take 4"), ("big-idea", "mezzanine"), ("big-idea", "mezzanine 2")],
)
def test_words_of_keys_stay_within_them_in_german(german_phones: Gallery, name: str, called: str) -> None:
    one = moment(name, called)
    german_phones.show(one, [one.asked])
    page = german_phones.phone(one.asked)
    for size in PHONES:
        at(page, size)
        expect(page.locator(".dock .act").first).to_be_visible()
        assert page.evaluate(OUT_OF_KEYS) == [], size


# Keys of which the small words are smaller than 12 px, or more than three lines.
TINY = """() => [...document.querySelectorAll('.dock .act-rest')].filter((words) => {
  const { fontSize, lineHeight } = getComputedStyle(words);
  return parseFloat(fontSize) < 12 || words.getBoundingClientRect().height > 3.2 * parseFloat(lineHeight);
}).map((words) => words.textContent)"""


@pytest.mark.parametrize("language", ["english", "german"])
@pytest.mark.parametrize("called", ["The Big Idea: mezzanine 4", "The Big Idea: mezzanine 5"])
def test_words_beside_a_key_of_printed_cards_are_read(
    phones: Gallery, german_phones: Gallery, called: str, language: str
) -> None:
    one = next(one for one in every("printed") if one.name == called)
    shown = phones if language == "english" else german_phones
    shown.show(one, [one.asked])
    page = shown.phone(one.asked)
    for size in PHONES:
        at(page, size)
        expect(page.locator(".dock .act-rest").first).to_be_visible()
        assert page.evaluate(TINY) == page.evaluate(OUT_OF_KEYS) == [], size


def test_an_upright_screen_has_the_moment_above_the_whole_table(gallery: Gallery) -> None:
    gallery.show(moment("bid-it", "bid"), [])
    at(gallery.kiosk, (1080, 1920))
    now, table = (gallery.kiosk.locator(part).bounding_box() for part in (".now", ".table-top"))
    assert now
    assert table
    assert now["width"] == table["width"] == 1080
    assert now["y"] + now["height"] <= table["y"]


@pytest.mark.parametrize("size", PHONES)
@pytest.mark.parametrize(("name", "called"), [("bid-and-bait", "bid, sealed"), ("goofspiel", "bid, sealed")])
def test_all_values_of_a_sealed_bid_stand_above_the_dock(
    phones: Gallery, name: str, called: str, size: tuple[int, int]
) -> None:
    one = moment(name, called)
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, size)
    dock = page.locator(".dock").bounding_box()
    boxes = [box for key in page.locator(".question .choice").all() if (box := key.bounding_box())]
    assert dock
    (asked,) = [param for param in one.hands[one.asked]["moves"][0].values() if isinstance(param, dict)]
    assert len(boxes) == (len(asked["one_of"]) if "one_of" in asked else asked["max"] - asked["min"] + 1)
    assert max(box["y"] + box["height"] for box in boxes) <= dock["y"]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44


@pytest.mark.parametrize("called", ["end the match?", "put it aside?", "paused"])
def test_a_question_to_the_table_leaves_all_keys_of_a_bid_above_the_dock(phones: Gallery, called: str) -> None:
    one = next(one for one in every("Questions") if one.name == called)
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, LOW_PHONES[0])
    expect(page.locator(".table-question")).to_be_visible()
    dock = page.locator(".dock").bounding_box()
    boxes = [box for key in page.locator(".number-keys .choice").all() if (box := key.bounding_box())]
    assert dock
    assert len(boxes) == 6
    assert max(box["y"] + box["height"] for box in boxes) <= dock["y"]
    assert min(min(box["width"], box["height"]) for box in boxes) >= 44


# Names and marks of seats, and lines of the log, that reach beyond the page.
BESIDE = """() => [...document.querySelectorAll('.log-line *, .scores *')]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.textContent)"""


@pytest.mark.parametrize("name", ["goofspiel", "big-idea"])
def test_long_names_wrap_in_the_log_and_stay_beside_their_score(phones: Gallery, name: str) -> None:
    one = next(one for one in reversed(moments_of(name)) if one.screen["state"] == "over")
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, LOW_PHONES[0])
    for line in page.locator(".scores li").all():
        who, score = line.locator(".who").first.bounding_box(), line.locator(".score").bounding_box()
        assert who
        assert score
        assert who["x"] + who["width"] <= score["x"] + 8
        assert score["y"] < who["y"] + who["height"]
    assert page.evaluate(BESIDE) == []
    page.get_by_role("navigation").get_by_role("button", name="Log").click()
    page.locator(".log-line").first.wait_for()
    assert page.evaluate(BESIDE) == []
    page.locator(".back").click()


@pytest.mark.parametrize("size", KIOSKS)
@pytest.mark.parametrize("called", ["options are chosen", "a match begins", "six sit"])
def test_the_lobby_names_its_guests_and_its_code_is_square(
    gallery: Gallery, called: str, size: tuple[int, int]
) -> None:
    one = next(one for one in every("lobby") if one.name == called)
    gallery.show(one, [])
    at(gallery.kiosk, size)
    box = gallery.kiosk.locator(".welcome-qr").bounding_box()
    assert box
    assert abs(box["width"] - box["height"]) <= 1
    if called == "options are chosen":
        expect(gallery.kiosk.locator(".chosen-options")).to_have_text(
            re.compile(r"Chosen: Printed cards, Last round 8, License Deals No")
        )


def test_printed_cards_stand_with_the_game_and_what_has_no_effect_beside_them_says_why(phones: Gallery) -> None:
    one = next(one for one in every("lobby") if one.name == "options are chosen")
    phones.show(one, [1, 2])
    for seat in (1, 2):
        page = phones.phone(seat)
        expect(page.locator(".chosen-options")).to_contain_text("Printed cards")
        expect(page.get_by_role("checkbox", name="Printed cards")).to_be_checked()
    page = phones.phone(1)
    game, printed = page.locator(".choice", has_text="Bidness").bounding_box(), page.locator(".first").bounding_box()
    assert game
    assert printed
    assert game["y"] < printed["y"] < game["y"] + game["height"] + 40
    differs = page.get_by_text("The hub uses its own list of cards")
    expect(differs).to_be_visible()
    page.get_by_text("Options", exact=True).click()
    idle = page.locator(".option.idle")
    expect(idle).to_have_count(1)
    expect(idle).to_contain_text("everybody sees whether a card is sold face up or face down")
    expect(idle.get_by_role("combobox")).to_be_disabled()
    page.get_by_role("checkbox", name="Printed cards").click()
    expect(page.locator(".option.idle")).to_have_count(0)
    expect(differs).to_have_count(0)
    expect(page.get_by_role("combobox", name="Sold cards")).to_be_enabled()


@pytest.mark.parametrize("size", PHONES)
@pytest.mark.parametrize("held", [13, 11, 7, 4])
def test_no_card_of_one_letter_stands_alone_in_its_row(phones: Gallery, held: int, size: tuple[int, int]) -> None:
    one = moment("goofspiel", "bid, sealed")
    hand = one.hands[one.asked]
    (name,) = [name for name, value in hand["moves"][0].items() if isinstance(value, dict)]
    move = hand["moves"][0] | {name: {"one_of": hand["moves"][0][name]["one_of"][:held]}}
    phones.show(replace(one, hands={**one.hands, one.asked: hand | {"moves": [move]}}), [one.asked])
    page = phones.phone(one.asked)
    at(page, size)
    expect(page.locator(".question .choice")).to_have_count(held)
    tops = [box["y"] for key in page.locator(".question .choice").all() if (box := key.bounding_box())]
    rows = [tops.count(top) for top in sorted(set(tops))]
    assert len(rows) == 1 or rows[-1] > rows[0] / 2, rows


@pytest.mark.parametrize("size", KIOSKS)
def test_a_prize_is_a_playing_card_as_high_as_two_fifths_of_the_felt(gallery: Gallery, size: tuple[int, int]) -> None:
    gallery.show(moment("goofspiel", "bid, sealed"), [])
    at(gallery.kiosk, size)
    card = gallery.kiosk.locator(".card-row .card").bounding_box()
    felt = gallery.kiosk.locator(".felt").bounding_box()
    assert card
    assert felt
    assert card["height"] > 1.3 * card["width"]
    assert card["height"] >= 0.4 * felt["height"]


# Cards that were turned over, and names below them, that reach beyond their place.
BEYOND_PLACE = """() => [...document.querySelectorAll('.turned > li')].flatMap((place) => {
  const { left, right } = place.getBoundingClientRect();
  return [...place.querySelectorAll('.card, .card-face, .card-tag, .who-name')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && (box.left < left - 1 || box.right > right + 1 || one.scrollWidth > one.clientWidth + 1);
  }).map((one) => `${one.className}: ${one.textContent}`);
})"""


@pytest.mark.parametrize("size", PHONES)
@pytest.mark.parametrize("name", ["bid-and-bait", "goofspiel"])
def test_what_was_turned_over_lies_side_by_side_on_a_phone(phones: Gallery, name: str, size: tuple[int, int]) -> None:
    one = moment(name, "bid, revealed")
    phones.show(one, [one.asked])
    page = phones.phone(one.asked)
    at(page, size)
    expect(page.locator(".turned > li")).to_have_count(len(one.screen["view"]["seats"]))
    assert page.evaluate(BEYOND_PLACE) == []


# Words of a card's name that are broken in two.
BROKEN = """() => [...document.querySelectorAll('.row .card-name')].filter((name) => {
  const words = document.createRange();
  words.selectNodeContents(name);
  return new Set([...words.getClientRects()].map(({ top }) => top)).size > name.textContent.split(/[ -]/).length;
}).map((name) => name.textContent)"""


@pytest.mark.parametrize("language", ["english", "german"])
def test_after_a_miss_the_spot_that_is_played_for_stands_whole_above_the_dock(
    phones: Gallery, german_phones: Gallery, language: str
) -> None:
    one = moment("bid-and-bait", "take")
    assert one.screen["view"]["table"]["needs"]
    shown = phones if language == "english" else german_phones
    shown.show(one, [one.asked])
    page = shown.phone(one.asked)
    page.locator(".lesson-act").first.click()  # once it was read
    for size in LOW_PHONES:
        at(page, size)
        spot, dock = page.locator(".row .tile.first").bounding_box(), page.locator(".dock").bounding_box()
        assert spot
        assert dock
        assert spot["y"] + spot["height"] <= dock["y"], size
        assert page.evaluate(BROKEN) == [], size
