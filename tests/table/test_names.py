"""A name that could pass for a seat, for staff or for the hub is refused, however it is written."""

from __future__ import annotations

import pytest

from hub.languages import language_of
from hub.state import tidy_name
from hub.table.base.names import MISLEADING_NAME, NAME_IN_USE, Names, look_alike
from tests.table.fakes import TableRig

FALSE = [
    "Seat 2", "seat2", "SEAT  3", "Seat two", "Seat 2 (Ben)", "Sеаt 4", "Ｓｅａｔ ５", "S.e.a.t 6", "sé at 1", "Player 1", "2",
    "Staff", "the staff", "STAFF!", "Ѕtаff", "The house", "house", "House 3", "Hub", "table-hub", "Table hub", "Nobody", "Everybody",
    "You", "The bank", "5eat 1", "S3at 2", "5taff", "$taff", "St@ff", "Staff 2", "H0use", "Seat l", "Seat I", "Seat Z", "🅢eat 3", "ꓢꓰꓮꓔ 2", "ꜱᴇᴀᴛ 4",
    "P1ayer 3", "Se\u200bat 2", "Se\u3164at 2", "Ѕеаt І",
    "Ηouse", "НОUSЕ", "Ηub", "HuЬ", "Seat З", "Seat б", "Seat II", "Seat Ⅲ", "seat iv", "Seat tw0", "Seat 0ne", "Ꮪꭲaff", "Sta\ufe0fff", "Staff Anna",
    "Café staff", "Anna (5taff)", "Se@t 2", "De@ler",
]  # fmt: skip
TRUE = [
    "Ana", "Ben", "Søren", "Stafford", "Hubert", "Housemann", "Ольга", "Νίκος", "伊藤", "Guest 2", "Name 1", "R2D2", "Seatón",
    "José María", "Bankole", "Platzhirsch", "Hausmann", "Personnel", "", "🙂", "Max 100", "Tablet",
    "Seattle", "Silas", "Isabel", "53471", "1984", "Lee 5", "Eli", "राम", "สมชาย", "محمد", "דוד", "김민준", "Բարեւ", "Şeyma", "Þór", "Hub Smit", "Anna I",
    "Houston", "Players", "Boxer", "Нина", "Зоя", "Борис", "Ηλίας", "Anna II", "Stafford Ben", "Vi", "Henry IV", "Personality", "807",
]  # fmt: skip


DE = language_of("de", None)


@pytest.fixture
def german() -> Names:
    return Names(lambda: [DE])


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
        "P1atz 3",
        "Pl@tz 3",
        "P1atz zwei",
        "H4us 2",
        "Persona1",
        "Personal Anna",
        "Ti5ch",
    ],
)
def test_nobody_is_called_what_another_language_calls_a_seat_or_the_staff(german: Names, name: str) -> None:
    assert german.is_misleading(name)
    assert not Names().is_misleading(name), "where nobody reads German it is a name"


@pytest.mark.parametrize("name", FALSE)
def test_a_name_that_could_pass_for_another_is_refused_with_a_sentence(name: str) -> None:
    assert Names().is_misleading(name)
    rig = TableRig(boxes=False)
    refused = rig.claim(1, rig.code(1), name=name)
    assert refused
    assert (refused.held, refused.say, refused.wrong_code) == (False, MISLEADING_NAME, False)
    rig.sit()
    before = rig.state["seats"][0]["name"]
    answer = rig.say(1, "name", {"name": name})
    assert (answer["ok"], answer["error"]) == (False, MISLEADING_NAME)
    assert rig.state["seats"][0]["name"] == before


@pytest.mark.parametrize("name", TRUE)
def test_peoples_names_are_theirs(german: Names, name: str) -> None:
    assert not Names().is_misleading(name)
    assert not german.is_misleading(name)
    rig = TableRig(boxes=False)
    granted = rig.claim(1, rig.code(1), name=name)
    assert granted
    assert granted.held


@pytest.mark.parametrize(
    "name", ["Ana", "ANA", " ana ", "Аnа", "Ａｎａ", "An\u2800a", "A.n.a", "Aná", "ⒶⓃⒶ", "4na", "@na", "An\ufe0fa"]
)
def test_nobody_is_called_like_a_guest_who_sits_there(name: str) -> None:
    rig = TableRig(boxes=False)
    first = rig.claim(1, rig.code(1), name="Ana")
    assert first
    assert first.held
    refused = rig.claim(2, rig.code(2), name=tidy_name(name))
    assert refused
    assert (refused.held, refused.say, refused.wrong_code) == (False, NAME_IN_USE, False)
    rig.sit(2)
    answer = rig.say(2, "name", {"name": name})
    assert (answer["ok"], answer["error"]) == (False, NAME_IN_USE)
    assert rig.state["seats"][1]["name"] == "Guest 2"


def test_a_guest_keeps_the_name_at_the_own_seat_and_may_have_it_again_when_the_other_has_gone() -> None:
    rig = TableRig(boxes=False)
    rig.sit(1, 2)
    assert rig.say(1, "name", {"name": "Ana"})["ok"]
    assert rig.say(1, "name", {"name": "ANA"})["ok"], "nobody else is called so"
    assert not rig.say(2, "name", {"name": "Ana"})["ok"]
    rig.say_leave(1)
    assert rig.say(2, "name", {"name": "Ana"})["ok"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Ian", "lan", True), ("Arnold", "Amold", True), ("Bob", "B0b", True), ("BOB", "B0B", True), ("Max 1", "Max l", True),
        ("Ali", "All", False), ("Mia", "Mila", False), ("राम", "रमा", False), ("🙂", "😀", False), ("🙂", "🙂", True),
        ("Guest 1", "Guest 2", False), ("", "", False), ("?!", "!?", False), ("Ольга", "Олег", False), ("Hana", "Нana", True), ("Нина", "НИНА", True), ("Sam", "5am", True), ("Wim", "vvim", True), ("Lavv", "Law", True), ("Lavvs", "Laws", True), ("Vim", "Wim", False), ("Zoe", "2oe", True), ("Ben", "8en", True),
        ("HANNA", "ΗANNA", True), ("❤️", "❤", True), ("Max 5", "Max 6", False), ("Ana", "Anna", False), ("Нина", "Инна", False), ("김민준", "김민지", False),
    ],
)  # fmt: skip
def test_only_names_that_look_the_same_are_twins(one: str, other: str, same: bool) -> None:
    assert look_alike(one, other) is same
    assert look_alike(other, one) is same


@pytest.mark.parametrize("name", ["\u3164", "\u2800\u2800", "\u115f \u1160", "\u200b", "\uffa0"])
def test_a_name_that_nobody_sees_is_none(name: str) -> None:
    assert tidy_name(name) == ""
