"""One source of chance: whatever a table leaves to chance depends on the source that it is handed, and on nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from hub import games
from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, Decision
from hub.errors import StartRefused
from hub.ports import Tick
from hub.table.people.house_seats import HouseSettings
from tests.table.fakes import TableRig
from tests.table.guests import bring_on
from tests.table.test_hints import think


def whole_evening(seed: int) -> dict[str, Any]:
    """What a table says in a demonstration, and then in a match of a person with hints, a box, and two of the house's seats."""
    offered = [games.find("bid-and-bait"), games.find("goofspiel")]
    rig = TableRig(3, offered=offered, seed=seed, attract_seconds=60, house=HouseSettings(seats=2, seconds=1))
    rig.boxes_up()
    for _ in range(400):
        rig.clock.time += 0.25
        rig.take(Tick())
    codes = dict(rig.page.codes)
    rig.sit(1)
    assert rig.say(1, "hints", {"on": True})["ok"]
    rig.start("bid-and-bait")
    starts = []
    for _ in range(60):
        think(rig)
        rig.clock.time += 1
        rig.take(Tick())
        starts += [sealed.at for sealed in rig.boxes.rounds.values()]
        bring_on(rig, 1)
    assert rig.match.events
    hints = [hand["hint"] for hand in rig.phones.hands[rig.sids[1]] if hand.get("hint")]
    assert starts
    assert hints
    return {
        "codes": codes, "logins": rig.phones.admitted, "states": rig.phones.public, "lamps": rig.lamps.shown,
        "starts": starts, "hints": hints,
    }  # fmt: skip


def test_two_tables_that_are_handed_the_same_chance_are_alike_to_the_letter() -> None:
    assert whole_evening(1) == whole_evening(1)


def test_other_chance_is_another_evening_in_each_of_its_parts() -> None:
    one, other = whole_evening(1), whole_evening(2)
    for part in ("codes", "logins", "states", "lamps", "starts", "hints"):
        assert one[part] != other[part], part


# --- shuffles, picks and rolls of one table ------------------------------------------------------------------

CARDS = ["ace", "king", "queen", "queen", "ten"]


def shuffle(pile: str = "deck", cards: Sequence[object] = CARDS) -> Decision:
    return Decision(7, "shuffle", "", {}, pile=pile, cards=cards)


def pick(cards: Sequence[object], pile: str = "first") -> Decision:
    return Decision(7, "pick", "", {}, pile=pile, cards=cards)


class Even(Random):
    """Chance that always falls in the same place."""

    def __init__(self, at: float) -> None:
        super().__init__(1)
        self.at = at

    def random(self) -> float:
        return self.at


def test_a_shuffle_is_an_action_of_chance_for_the_decision_that_asked() -> None:
    action = Chance(1).answer(shuffle())
    assert action == Action(
        seat=CHANCE, move="shuffle", args={"order": ["ace", "queen", "ten", "queen", "king"]}, number=7
    )
    picked = Chance(2).answer(pick(["a", "b", "c"]))
    assert picked == Action(seat=CHANCE, move="pick", args={"index": 0}, number=7)


def test_a_shuffle_draws_one_number_for_each_card_and_nothing_else() -> None:
    random = Random(1)
    drawn = [random.random() for _ in CARDS]
    order = [card for _, card in sorted(zip(drawn, CARDS, strict=True))]
    assert Chance(Random(1)).answer(shuffle()).args["order"] == order
    assert Chance(Even(0.5)).answer(shuffle(cards=["c", "a", "b"])).args["order"] == ["c", "a", "b"]


def test_a_stack_fixes_the_top_of_the_first_shuffle_of_its_pile_only() -> None:
    stack = {"deck": ["ten", "queen", "queen"]}
    chance = Chance(Even(0.5), stack)
    assert chance.answer(shuffle("discards")).args["order"] == CARDS
    assert chance.answer(shuffle()).args["order"] == ["ten", "queen", "queen", "ace", "king"]
    assert chance.answer(shuffle()).args["order"] == CARDS, "the next shuffle is free again"
    assert stack == {"deck": ["ten", "queen", "queen"]}, "the stack of the owner stays as it is"


@pytest.mark.parametrize(
    ("top", "cards", "sentence"),
    [
        ("ace", CARDS, "The stack's deck must be a list, top card first."),
        (["ace", "ace"], CARDS, "The stack's deck names 'ace', which is there too often."),
        (["one"], CARDS, "The stack's deck names 'one', which does not exist."),
        (["2"], [1, 2], "The stack's deck names '2', which does not exist."),
    ],
)
def test_a_stack_that_names_a_card_that_is_not_there_is_refused(
    top: object, cards: Sequence[object], sentence: str
) -> None:
    with pytest.raises(StartRefused) as refused:
        Chance(1, {"deck": top}).answer(shuffle(cards=cards))
    assert refused.value.sentence == sentence


@pytest.mark.parametrize("card", [True, 1.0])
def test_a_stack_names_cards_of_the_same_type_only(card: object) -> None:
    with pytest.raises(StartRefused, match=f"names {card}"):
        Chance(1, {"deck": [card]}).answer(shuffle(cards=[1, 2]))


def test_a_stack_fixes_the_first_pick_by_its_value() -> None:
    chance = Chance(Random(3), {"first": 1})
    cards = [0, True, 1, 1]
    assert chance.answer(pick(cards, "second")).args["index"] == Random(3).randrange(4)
    assert chance.answer(pick(cards)).args["index"] == 2, "the first card of that kind: True is no 1"
    free = [chance.answer(pick(cards)).args["index"] for _ in range(40)]
    assert {*free} == {0, 1, 2, 3}


@pytest.mark.parametrize(("named", "shown"), [(5, "5"), (True, "True"), ("2", "'2'"), ([2, 4], "[2, 4]")])
def test_a_stack_that_picks_what_is_not_there_is_refused(named: object, shown: str) -> None:
    with pytest.raises(StartRefused) as refused:
        Chance(1, {"first": named}).answer(pick([2, 4, 6]))
    assert refused.value.sentence == f"The stack's first is {shown}, which is none of [2, 4, 6]."


def test_a_stack_fixes_picks_of_places_one_after_another_and_the_rest_is_chance() -> None:
    chance = Chance(Random(5), {"first": [2, 0, 2]})
    assert [chance.answer(pick([0, 1, 2])).args["index"] for _ in range(3)] == [2, 0, 2]
    random = Random(5)
    assert [chance.answer(pick([0, 1, 2])).args["index"] for _ in range(9)] == [random.randrange(3) for _ in range(9)]
    assert Chance(Random(5), {"first": []}).answer(pick([0, 1, 2])).args["index"] == Random(5).randrange(3)


@pytest.mark.parametrize(("at", "face"), [(0.0, 1), (0.1666, 1), (0.1667, 2), (0.5, 4), (0.8333, 5), (0.9999, 6)])
def test_each_face_of_a_roll_by_the_hub_has_the_same_share_of_chance(at: float, face: int) -> None:
    assert Chance(Even(at)).faces(3, 6) == [face] * 3


def test_a_seed_gives_the_same_rolls_as_its_generator() -> None:
    assert Chance(4).faces(20, 10) == Chance(Random(4)).faces(20, 10)
    assert Chance("4").faces(20, 10) != Chance(4).faces(20, 10)
