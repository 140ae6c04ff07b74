"""A name that could pass for a seat, for staff or for the hub is refused, however it is written."""

from __future__ import annotations

import pytest

from hub.languages import language_of
from hub.table.names import SENTENCE, Names
from tests.table.fakes import TableRig

FALSE = [
    "Seat 2", "seat2", "SEAT  3", "Seat two", "Seat 2 (Ben)", "Sеаt 4", "Ｓｅａｔ ５", "S.e.a.t 6", "sé at 1", "Player 1", "2",
    "Staff", "the staff", "STAFF!", "Ѕtаff", "The house", "house", "House 3", "Hub", "table-hub", "Table hub", "Nobody", "Everybody",
    "You", "The bank",
]  # fmt: skip
TRUE = [
    "Ana", "Ben", "Søren", "Stafford", "Hubert", "Housemann", "Ольга", "Νίκος", "伊藤", "Guest 2", "Name 1", "R2D2", "Seatón",
    "José María", "Bankole", "Platzhirsch", "Hausmann", "Personnel", "", "🙂", "Max 100", "Tablet",
]  # fmt: skip


GERMAN = Names(lambda: [language_of("de", None)])


@pytest.mark.parametrize(
    "name",
    [
        "Platz 3",
        "platz3",
        "P.l.a.t.z 3",
        "Ｐlatz 2",
        "Platz zwei",
        "Haus 2",
        "Das Haus",
        "Personal",
        "Niemand",
        "Tisch",
    ],
)
def test_nobody_is_called_what_another_language_calls_a_seat_or_the_staff(name: str) -> None:
    assert GERMAN.mislead(name)
    assert not Names().mislead(name), "where nobody reads German it is a name"


@pytest.mark.parametrize("name", FALSE)
def test_a_name_that_could_pass_for_another_is_refused_with_a_sentence(name: str) -> None:
    assert Names().mislead(name)
    rig = TableRig(boxes=False)
    refused = rig.claim(1, rig.code(1), name=name)
    assert refused
    assert (refused.held, refused.say, refused.wrong_code) == (False, SENTENCE, False)
    rig.sit()
    before = rig.state["seats"][0]["name"]
    answer = rig.say(1, "name", {"name": name})
    assert (answer["ok"], answer["error"]) == (False, SENTENCE)
    assert rig.state["seats"][0]["name"] == before


@pytest.mark.parametrize("name", TRUE)
def test_peoples_names_are_theirs(name: str) -> None:
    assert not Names().mislead(name)
    assert not GERMAN.mislead(name)
    rig = TableRig(boxes=False)
    granted = rig.claim(1, rig.code(1), name=name)
    assert granted
    assert granted.held
