"""An owner's own list of cards in place of a game's: what is taken from it, and what is refused, with which line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hub import games
from hub.chance import Chance
from hub.decks import as_text
from hub.engine.game import Game
from hub.engine.match import Match
from hub.engine.printed import UNKNOWN
from hub.errors import StartRefused

BID_IT = """\
# Counted from the box.
[cards]
5 = { copies = 8 }
55 = { copies = 4, name = "two fives" }
"3*" = { copies = 0 }
"""
I_BID_YOU_NOT = """\
# Printed at home.
deck = \"\"\"
camerat     1 +7
camerat     2 +7
camerat     3 -1   # a short one

headgrowns  4 +1 A
headgrowns  5 +1 B
bear_dryer -9 -5 B
camerat     7 +2
camerat     8 +2
\"\"\"
"""
BIG_IDEA = (
    "[cards]\nI03 = { name = 'Dog' }\n"
    + "\n".join(f"D{n:02} = {{}}" for n in range(1, 10))
    + """
boat = { rank = 1, name = "Boat", line = "Picture a boat" }
"""
    + "\n".join(f"I{n:02} = {{}}" for n in range(4, 9))
    + "\n"
)
BID_AND_BAIT = """\
[prizes]
2 = [2, 3]
3 = [2, 3]
4 = [3, 4]
5 = [3, 4]
[lake]
copies = 7
baits_each = 4
consolation = 1

[spots]
1 = { basic = "duck", advanced = "two_dice" }
2 = { basic = "", advanced = "change" }
3 = { basic = "duck", advanced = "borrow" }
4 = { basic = "reroll", advanced = "salvage" }
5 = { basic = "", advanced = "" }
6 = { basic = "baits", advanced = "salvage" }
7 = { basic = "reroll", advanced = "two_dice" }
8 = { basic = "", advanced = "" }
9 = { basic = "reroll", advanced = "cast" }
[spots.10]
basic = "release"
advanced = "release_two"
[abilities]
reroll = "Roll again"
baits = "Gain 3 Baits"
duck = "Take the Duck"
release = "Discard a Fish you have"
change = "Change your bid after the reveal"
rearrange = "Rearrange the next three Spots"
borrow = "Take a Bait from each"
salvage = "Take a discarded Fish"
two_dice = "Roll 2 dice, keep one"
cast = "Draw 3 Fish, keep 1"
release_two = "Discard up to two Fish"
"""
LISTS = {"bid-and-bait": BID_AND_BAIT, "bid-it": BID_IT, "big-idea": BIG_IDEA, "i-bid-you-not": I_BID_YOU_NOT}


def listed(tmp_path: Path, name: str, text: str | bytes) -> Game:
    """The game as it is played with such a list."""
    file = tmp_path / "mine.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return games.find(name, file)


def cards(game: Game, **options: Any) -> list[str]:
    """What the deck of a match is shuffled from."""
    match = Match(game, range(1, game.seats[0] + 1), options)
    while not (match.open and match.open.kind == "shuffle"):
        assert match.open
        match.act(Chance(1).answer(match.open))
    return sorted(map(str, match.open.cards))


def test_bid_it_is_played_with_the_cards_that_the_owner_has(tmp_path: Path) -> None:
    assert cards(listed(tmp_path, "bid-it", BID_IT)) == ["5"] * 8 + ["55"] * 4


def test_i_bid_you_not_is_played_with_the_cards_that_the_owner_has(tmp_path: Path) -> None:
    game = listed(tmp_path, "i-bid-you-not", I_BID_YOU_NOT)
    assert cards(game) == ["1", "2", "3", "4", "5", "7", "8"]
    assert cards(game, odd_inventions=True) == ["-9", "1", "2", "3", "4", "5", "7", "8"]


def test_the_big_idea_is_played_with_cards_of_the_owners_own_and_with_known_ones_renamed(tmp_path: Path) -> None:
    drawn = listed(tmp_path, "big-idea", BIG_IDEA).labels.cards
    assert len(drawn.keys() - {UNKNOWN}) == 16
    assert (drawn["I03"]["name"], drawn["I03"]["line"]) == ("Dog", "Picture a house cat")
    assert drawn["boat"]["name"] == "Boat"


def test_bid_and_bait_is_played_with_the_spots_that_the_owner_has(tmp_path: Path) -> None:
    game = listed(tmp_path, "bid-and-bait", BID_AND_BAIT)
    assert len(cards(game)) == 6 * 7
    match = Match(game, range(1, 6), {"duck": 1})
    while match.open and match.open.by_chance:
        match.act(Chance(1).answer(match.open))
    table, seats = match.view()["table"], match.view()["seats"]
    assert [len(spot["fish"]) for spot in table["spots"]] == [3, 4, 3, 3]
    assert [spot["text"] for spot in table["spots"]] == [
        "Take the Duck",
        "No ability, but one more Fish",
        "Take the Duck",
        "Roll again",
    ]
    assert seats["5"]["baits"] == 4


@pytest.mark.parametrize("name", games.names())
def test_a_games_cards_are_printed_as_a_list_that_makes_the_same_game(tmp_path: Path, name: str) -> None:
    shipped = games.find(name)
    if "own" not in shipped.data:
        with pytest.raises(StartRefused, match="has no cards that a list may replace"):
            as_text(shipped)
        return
    text = as_text(shipped)
    assert "colour" not in text, "what only screens draw is not the owner's to copy"
    own = listed(tmp_path, name, text)
    assert own.data == shipped.data
    assert own.digest == shipped.digest, "a match of our cards goes on with the owner's equal ones"


def test_a_card_keeps_its_drawing_unless_the_list_gives_another(tmp_path: Path) -> None:
    drawn, shipped = listed(tmp_path, "bid-it", BID_IT).labels.cards, games.find("bid-it").labels.cards
    assert drawn["5"] == {**shipped["5"], "copies": 8}
    assert drawn["55"] == {**shipped["55"], "copies": 4, "name": "two fives"}
    assert list(drawn) == ["5", "55", "3*", UNKNOWN]


def test_a_match_of_other_cards_is_another_match_but_remarks_are_none(tmp_path: Path) -> None:
    for name, text in LISTS.items():
        own = listed(tmp_path, name, text).digest
        assert own != games.find(name).digest
        assert listed(tmp_path, name, text.replace("# ", "# again: ")).digest == own


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "sentence"),
    [
        ("bid-and-bait", "copies = 7", "copies = 0", 7, "[lake] must say copies, a number from 1 to 99."),
        (
            "bid-and-bait",
            "consolation = 1",
            "consolation = -1",
            9,
            "[lake] must say consolation, a number from 0 to 99.",
        ),
        ("bid-and-bait", "consolation = 1", "", 6, "[lake] must say consolation, a number from 0 to 99."),
        ("bid-and-bait", "4 = [3, 4]", "4 = [3]", 4, "[prizes] must have two numbers from 0 to 6 for 4 players"),
        (
            "bid-and-bait",
            '"borrow" }',
            '"steal" }',
            14,
            "Spot 3 must say what its advanced side does: baits, borrow, cast",
        ),
        ("bid-and-bait", 'basic = "release"', "", 21, "Spot 10 must say what its basic side does"),
        ("bid-and-bait", 'two_dice = "Roll', 'three_dice = "Roll', 24, "[abilities] must have words for two_dice."),
        ("bid-and-bait", '"Gain 3 Baits"', "3", 26, "'baits' has none, or is unknown."),
        ("bid-it", "copies = 8", "", 3, "'5' must say copies, a number from 0 to 99."),
        ("bid-it", "copies = 8", "copies = 2.5", 3, "'5' must say copies"),
        ("bid-it", "5 = { copies = 8 }", "5 = 8", 3, "'5' must say copies"),
        ("bid-it", "55 =", "5 =", 4, ""),  # what is not TOML is refused in TOML's own words
        ("bid-it", "55 =", "57 =", 4, "'57' has the symbol '7': there are 1 to 6 and *."),
        ("bid-it", "55 =", "555 =", 4, "'555' has 3 symbols: a card has one or two."),
        ("bid-it", '"3*"', '"*3"', 5, "'*3' is written '3*': the lower number first, a star last."),
        ("bid-it", '"3*"', "''", 5, "'' has 0 symbols"),
        ("bid-it", '"3*" = { copies = 0 }', "[cards.65]\ncopies = 1", 5, "'65' is written '56'"),
        ("big-idea", "rank = 1, ", "", 12, "'boat' must have rank 1 (Item) or 2 (Description)."),
        ("big-idea", "rank = 1, ", "rank = true, ", 12, "'boat' must have rank 1"),
        ("big-idea", "'Dog'", "''", 2, "'I03' must have a name."),
        ("big-idea", ', line = "Picture a boat"', "", 12, "'boat' must have a line."),
        ("i-bid-you-not", "camerat     2", "camerat     1", 4, "1 is there twice: a number is there once."),
        (
            "i-bid-you-not",
            "camerat     2",
            "headgrowns  -9",
            4,
            "'headgrowns -9 +7' is not whole: it is product, number, price, action.",
        ),
        ("i-bid-you-not", "+1 A", "+1", 7, "'headgrowns 4 +1' is not whole: it is product, number, price, action."),
        ("i-bid-you-not", "-1   #", "-1 A #", 5, "'camerat 3 -1 A' is not whole: it is product, number, price."),
        ("i-bid-you-not", "camerat     8", "desktop     8", 11, "there is no product 'desktop'."),
        ("i-bid-you-not", "+1 B", "+1 C", 8, "the action 'C' of headgrowns is unknown: it is A or B."),
        ("i-bid-you-not", "-9 -5", "-9 4.5", 9, "'bear_dryer -9 4.5 B' needs whole numbers for number and price."),
        ("i-bid-you-not", '"""\ncamerat     1', '"""camerat     x', 2, "'camerat x +7' needs whole numbers"),
    ],
)
def test_a_list_that_is_no_deck_is_refused_with_the_line_that_is_wrong(
    tmp_path: Path, name: str, old: str, new: str, line: int, sentence: str
) -> None:
    assert LISTS[name].count(old) == 1
    with pytest.raises(StartRefused) as refused:
        listed(tmp_path, name, LISTS[name].replace(old, new))
    message = str(refused.value)
    assert message.startswith(str(tmp_path / "mine.toml"))
    assert f"line {line}" in message
    assert sentence in message


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("goofspiel", BID_IT, "Goofspiel has no cards that a list may replace."),
        ("bid-it", "", "mine.toml: a list for BID★IT! needs cards, written like the game's own."),
        ("bid-it", "cards = 5", "mine.toml, line 1: cards is a table: write [cards]."),
        ("bid-it", BID_IT + "[hand]\n2 = 60", "line 6: a list for BID★IT! has no hand: it has cards."),
        ("bid-it", BID_IT.replace("[cards]", "[card]"), "line 2: a list for BID★IT! has no card: did you mean cards?"),
        ("bid-it", "x = 1\n" + BID_IT, "line 1: a list for BID★IT! has no x: it has cards."),
        ("bid-it", f"{'z' * 5000} = 1\n{BID_IT}", f'has no "{"z" * 56}...: it has cards.'),
        ("bid-it", BID_IT.replace("55 =", f"{'5' * 5000} ="), f"'{'5' * 59}... has 5000 symbols"),
        ("i-bid-you-not", BID_IT, "line 2: a list for I Bid You Not has no cards: it has deck."),
        ("i-bid-you-not", 'deck = ["camerat 1 +7"]', "line 1: deck is a text of several lines."),
        ("i-bid-you-not", "deck = {", "this is not TOML: "),
        ("i-bid-you-not", b"deck = '\xff'", "this is not TOML: "),
    ],
)
def test_a_file_that_is_no_list_for_the_game_says_what_one_holds(
    tmp_path: Path, name: str, text: str | bytes, sentence: str
) -> None:
    with pytest.raises(StartRefused) as refused:
        listed(tmp_path, name, text)
    assert sentence in str(refused.value)


def test_a_deck_that_is_too_small_for_the_table_is_refused_when_the_match_begins(tmp_path: Path) -> None:
    for name, seats, sentence in (
        ("bid-it", 3, "12 cards, and 3 players need 18"),
        ("big-idea", 4, "16 cards, and 4 players need 20"),
        ("i-bid-you-not", 4, "7 cards, and 4 players need 9"),
    ):
        with pytest.raises(StartRefused, match=sentence):
            Match(listed(tmp_path, name, LISTS[name]), range(1, seats + 1))


def test_a_list_with_which_no_match_can_start_is_refused_at_once(tmp_path: Path) -> None:
    """And one with which only few people can play says with how many."""
    for name, text in (
        ("bid-it", "[cards]\n"),
        ("bid-it", "[cards]\n12 = { copies = 0 }\n"),
        ("big-idea", "[cards]\n"),
    ):
        with pytest.raises(StartRefused, match="No match can start with this list: The deck has 0 cards"):
            listed(tmp_path, name, text)
    assert games.playable(listed(tmp_path, "bid-it", LISTS["bid-it"])) == [2]
    assert games.playable(games.find("bid-it")) == [2, 3, 4, 5, 6]
    one_of_each = BID_AND_BAIT.replace("copies = 7", "copies = 1")
    assert games.playable(listed(tmp_path, "bid-and-bait", one_of_each)) == [2, 3, 4, 5]


def test_a_card_that_is_missing_has_no_line(tmp_path: Path) -> None:
    with pytest.raises(StartRefused) as refused:
        listed(tmp_path, "bidness", '[cards]\nPAYBACK = { copies = 0, kind = "payback", name = "Payback" }\n')
    assert str(refused.value).startswith(f"{tmp_path / 'mine.toml'}: LAW is missing")
