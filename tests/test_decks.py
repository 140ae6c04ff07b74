"""The cards of the owner's boxes: entered once on the staff page, kept, and played with from the next match on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hub.config import DeckPart
from hub.decks import VENUE, CardLists
from hub.errors import HubError, LogError, StartRefused, TemporaryError
from hub.network.staff_messages import StaffAsk
from tests.table.fakes import MemoryStore, TableRig
from tests.test_venue import HouseRig

CHANGED = {"cards": {"MB1": {"cost": 15}}}


def cost(lists: CardLists) -> Any:
    return next(game for game in lists.all if game.name == "bidness").data["cards"]["MB1"]["cost"]


def test_what_was_entered_is_played_with_and_still_there_after_a_restart() -> None:
    store = MemoryStore()
    lists = CardLists([], store)
    before = cost(lists)
    game = lists.enter("bidness", CHANGED)
    assert (before, cost(lists), game.data["cards"]["MB1"]["cost"]) == (5, 15, 15)
    assert game.data["cards"]["MB2"]["cost"] == 20, "the other cards are as before"
    again = CardLists([], store)
    assert cost(again) == 15
    assert again.all[2].digest == game.digest, "a match that was begun with it goes on"


def test_a_list_that_was_entered_differs_from_the_box_no_more() -> None:
    lists = CardLists([], MemoryStore())
    assert lists.labels["bidness"].printed_cards.differs  # type: ignore[union-attr]
    lists.enter("bidness", CHANGED)
    assert not lists.labels["bidness"].printed_cards.differs  # type: ignore[union-attr]
    assert lists.labels["i-bid-you-not"].printed_cards.differs, "the other games still do"  # type: ignore[union-attr]


def test_lines_of_text_and_numbers_by_people_can_be_entered_too() -> None:
    lists = CardLists([], MemoryStore())
    deck = lists.cards().games["i-bid-you-not"].parts["deck"]
    assert isinstance(deck, str)
    shorter = "\n".join(deck.splitlines()[:-1])
    assert lists.enter("i-bid-you-not", {"deck": shorter}).data["deck"].strip() == shorter.strip()
    assert lists.enter("bid-and-bait", {"prizes": {"2": [3, 4]}}).data["prizes"]["2"] == [3, 4]


@pytest.mark.parametrize(
    ("game", "changes", "sentence"),
    [
        ("chess", CHANGED, "There is no game with cards that can be changed."),
        ("goofspiel", CHANGED, "There is no game with cards that can be changed."),
        ("bidness", {"hands": {}}, "That is no list of changed cards."),
        ("bidness", {"cards": {"XYZ": {"cost": 1}}}, "cards has no such card."),
        ("bidness", {"cards": {"MB1": {"price": 1}}}, "cards MB1 has no such value."),
        ("bidness", {"cards": {"MB1": {"cost": "1"}}}, "cards MB1 cost: enter a whole number."),
        ("bidness", {"cards": {"MB1": {"cost": True}}}, "cards MB1 cost: enter a whole number."),
        ("bidness", {"cards": {"MB1": {"cost": -5}}}, "MB1: 'MB1' must say "),
        ("i-bid-you-not", {"deck": "camerat 1"}, "Line 1: 'camerat 1' is not whole"),
        ("i-bid-you-not", {"deck": ["camerat 1"]}, "deck is a text."),
        ("bid-it", {"cards": {"1": {"copies": 1000}}}, "must say copies, a number from 0 to 99."),
    ],
)
def test_what_is_no_list_is_refused_and_changes_nothing(game: str, changes: Any, sentence: str) -> None:
    store = MemoryStore()
    lists = CardLists([], store)
    lists.enter("bidness", CHANGED)
    before = [one.digest for one in lists.all]
    with pytest.raises(StartRefused) as refused:
        lists.enter(game, changes)
    assert sentence in str(refused.value)
    assert [one.digest for one in lists.all] == before
    assert [one.digest for one in CardLists([], store).all] == before


def test_a_list_of_the_configuration_is_the_owners_and_is_not_entered_over(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[cards]\n12 = { copies = 99 }\n")
    lists = CardLists([DeckPart("bid-it", str(file))], MemoryStore())
    assert lists.cards().games["bid-it"].fixed
    assert not lists.cards().games["bidness"].fixed
    with pytest.raises(StartRefused, match="a file that the configuration names"):
        lists.enter("bid-it", {"cards": {"12": {"copies": 98}}})


def test_a_list_that_a_later_version_refuses_is_left_out_and_the_hub_starts(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    store.keep(VENUE, "cards bidness", b"[cards]\nMB1 = { cost = 3 }\n")
    assert cost(CardLists([], store)) == 5
    assert "The cards that were entered for bidness are not used" in caplog.text


def test_a_disk_that_fails_is_not_taken_for_a_hub_without_lists() -> None:
    class Broken(MemoryStore):
        def recall(self, table: str, name: str) -> bytes | None:
            raise LogError("The disk failed.")

    with pytest.raises(TemporaryError, match="The disk failed"):
        CardLists([], Broken())


# --- the staff's desk ----------------------------------------------------------------------------------


def test_staff_enter_cards_and_the_next_match_is_played_with_them() -> None:
    venue = HouseRig(TableRig(2, offered=CardLists([]).all))
    venue.rig.sit()
    assert venue.do("cards", "", game="bidness", changes=CHANGED) == (
        "Bidness is played with these cards from the next match on."
    )
    venue.rig.start("bidness")
    match = venue.rig.table._play.match
    assert match
    assert match.setup.data["cards"]["MB1"]["cost"] == 15


def test_the_cards_of_a_match_under_way_are_not_changed() -> None:
    """After it they can be."""
    venue = HouseRig(TableRig(2, offered=CardLists([]).all))
    venue.rig.sit()
    venue.rig.start("bidness")
    venue.rig.table._show()
    with pytest.raises(HubError, match=r"Bidness is being played at .*: change its cards after that match\."):
        venue.desk.do(StaffAsk(1, "cards", "", {"game": "bidness", "changes": CHANGED}))
    assert "next match" in venue.desk.do(StaffAsk(2, "cards", "", {"game": "bid-it", "changes": {}}))[0]
    venue.rig.table._people.endings.end("staff")
    venue.rig.table._show()
    assert "next match" in venue.desk.do(StaffAsk(3, "cards", "", {"game": "bidness", "changes": CHANGED}))[0]


def test_staff_are_told_of_matches_put_aside_that_need_the_earlier_cards() -> None:
    """They are told nothing if no match of the game is put aside, and the match goes on once the earlier cards are back."""
    venue = HouseRig(TableRig(2, offered=CardLists([]).all))
    venue.rig.sit()
    venue.rig.start("bidness")
    assert venue.rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert venue.rig.say(2, "vote", {"say": "yes"})["ok"]
    (kept,) = venue.rig.state["put_aside"]
    assert venue.do("cards", "", game="bid-it", changes={"cards": {"1": {"copies": 9}}}).endswith("the next match on.")
    assert venue.do("cards", "", game="bidness", changes=CHANGED).endswith(
        "from the next match on. 1 suspended match needs the earlier cards."
    )
    assert venue.do("cards", "", game="bidness", changes=CHANGED).endswith("the next match on."), "nothing has changed"
    answer = venue.rig.say(1, "take_up", {"match": kept["match"]})
    assert not answer["ok"]
    assert "The match can continue when those are back" in answer["error"]
    assert venue.do("cards", "", game="bidness", changes={"cards": {"MB1": {"cost": 5}}}).endswith("next match on.")
    assert venue.rig.say(1, "take_up", {"match": kept["match"]})["ok"]
    assert venue.rig.state["state"] == "playing"
