"""Every request of phones and of staff: what its verb allows is done or judged, all else is refused with one sentence.

The published documents, the door and the table are asked the same: none may allow what another one refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import pytest
from msgspec import Meta

from hub.errors import IllegalAction
from hub.network.staff_verbs import STAFF_ARGS, TABLE_ARGS
from hub.network.verbs import ARGS, NOT_UNDERSTOOD, read_args
from hub.ports import StaffRequest
from hub.state import Plain
from tests.docs.contract import check
from tests.examples import Args, examples, fitting, malformed
from tests.table.fakes import TableRig

FITS, STAFF_FITS = examples(ARGS), examples(STAFF_ARGS)


def each_fitting(fits: Mapping[str, list[Args]]) -> list[Any]:
    return [
        pytest.param(verb, args, id=f"{verb}-{number}")
        for verb, samples in fits.items()
        for number, args in enumerate(samples)
    ]


def each_malformed(kinds: Mapping[str, type[Plain]]) -> list[Any]:
    """What no verb allows."""
    return [
        pytest.param(verb, args, id=f"{verb}-{what}") for verb, kind in kinds.items() for what, args in malformed(kind)
    ]


def act(verb: str, args: object) -> dict[str, Any]:
    return {"v": 1, "id": "0" * 16, "n": 1, "epoch": 1, "verb": verb, "args": args}


def staff_ask(verb: str, args: object) -> dict[str, Any]:
    return {"n": 1, "verb": verb, "args": args}


def allowed(document: str, name: str, request: dict[str, Any]) -> bool:
    try:
        check(document, {"$ref": f"#/components/schemas/{name}"}, request)
    except AssertionError:
        return False
    return True


def test_every_field_of_every_verb_is_tried() -> None:
    for kinds, fits in ((ARGS, FITS), (STAFF_ARGS, STAFF_FITS)):
        for verb, kind in kinds.items():
            assert {name for args in fits[verb] for name in args} >= set(kind.__struct_fields__), verb


def test_examples_are_at_and_beyond_the_bounds_of_a_field() -> None:
    assert FITS["house"] == [
        {"seat": 1, "strength": "easy"}, {"seat": 6, "strength": "easy"}, {"seat": 1, "strength": "sharp"},
        {"seat": 1, "strength": "steady"}, {"seat": 1, "strength": ""},
    ]  # fmt: skip
    assert FITS["hints"] == [{"on": True}, {"on": False}, {"allow": True}, {"allow": False}]
    assert STAFF_FITS["reset"] == [{"match": "aside"}, {"match": "end"}, {}]
    assert {"minutes": 1440, "at": "7:05"} in STAFF_FITS["limit"]
    bad = {verb: [args for _, args in malformed(kind)] for verb, kind in {**ARGS, **STAFF_ARGS}.items()}
    for verb, args in (
        ("roll", {"faces": [True]}), ("name", {"name": "x" * 21}), ("code", {"seat": 0}), ("code", {"seat": 7}), ("code", {}),
        ("claim", {"claim": 2**53, "say": "give"}), ("house", {"seat": 1, "strength": "?"}), ("reset", {"match": ""}),
        ("hints", {}), ("hints", {"on": True, "allow": True}), ("limit", {"minutes": 1441, "at": "7:05"}), ("undo", {"after": -2}),
        ("undo", {"after": -1, "unknown": 1}), ("volume", {"percent": 101}), ("test", {"what": 1}),
    ):  # fmt: skip
        assert args in bad[verb], (verb, args)


class Bounded(Plain, frozen=True):
    word: Annotated[str, Meta(min_length=2, max_length=3)]
    least: Annotated[int, Meta(ge=5)]


def test_examples_keep_both_bounds_and_a_single_one() -> None:
    assert fitting(Bounded) == [{"word": "xxx", "least": 5}, {"word": "xx", "least": 5}]
    wrong = [args for _, args in malformed(Bounded)]
    for args in ({"word": "x", "least": 5}, {"word": "xxxx", "least": 5}, {"word": "xxx", "least": 4}):
        assert args in wrong
    for args in wrong:
        with pytest.raises(IllegalAction):
            read_args({"bounded": Bounded}, "bounded", args)


class Unknown(Plain, frozen=True):
    when: float


def test_a_type_that_has_no_examples_yet_says_where_to_name_them() -> None:
    with pytest.raises(NotImplementedError, match="FloatType"):
        fitting(Unknown)


# --- phones ----------------------------------------------------------------------------------------------------


@pytest.fixture
def rig() -> TableRig:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    return rig


@pytest.mark.parametrize(("verb", "args"), each_fitting(FITS))
def test_what_a_verb_allows_is_done_or_judged(verb: str, args: dict[str, Any]) -> None:
    assert isinstance(read_args(ARGS, verb, args), ARGS[verb])
    assert allowed("asyncapi", "Act", act(verb, args))
    for is_playing in (False, True):
        table = TableRig()
        table.boxes_up()
        table.sit()
        if is_playing:
            table.start()
        if verb == "leave":
            table.say_leave(1)
        else:
            assert table.say(1, verb, args)["error"] != NOT_UNDERSTOOD


@pytest.mark.parametrize(("verb", "args"), each_malformed(ARGS))
def test_a_malformed_request_is_refused_with_one_sentence_and_changes_nothing(
    rig: TableRig, verb: str, args: dict[str, Any]
) -> None:
    with pytest.raises(IllegalAction, match=NOT_UNDERSTOOD):
        read_args(ARGS, verb, args)
    assert not allowed("asyncapi", "Act", act(verb, args))
    before = rig.state, rig.hand(1), rig.match.log
    answer = rig.say(1, verb, args)
    assert (answer["ok"], answer["error"], answer["code"]) == (False, NOT_UNDERSTOOD, "FORM")
    assert (rig.state, rig.hand(1), rig.match.log) == before


@pytest.mark.parametrize("verb", ["sing", "", "__class__"])
def test_an_unknown_verb_is_refused_with_the_same_sentence(rig: TableRig, verb: str) -> None:
    assert rig.say(1, verb)["error"] == NOT_UNDERSTOOD
    assert not allowed("asyncapi", "Act", act(verb, {}))


def test_an_old_malformed_request_is_late_first(rig: TableRig) -> None:
    assert rig.say(1, "ready", {"x": 1}, epoch=rig.state["epoch"] - 1)["code"] == "STALE"


# --- staff -----------------------------------------------------------------------------------------------------


def staff(rig: TableRig, verb: str, args: dict[str, Any]) -> tuple[bool, str]:
    answers: list[tuple[bool, str]] = []
    rig.take(StaffRequest(verb, args, lambda done, say: answers.append((done, say))))
    (answer,) = answers
    return answer


@pytest.mark.parametrize(("verb", "args"), each_fitting(STAFF_FITS))
def test_what_a_verb_of_staff_allows_is_done_or_judged(verb: str, args: dict[str, Any]) -> None:
    assert isinstance(read_args(STAFF_ARGS, verb, args), STAFF_ARGS[verb])
    assert allowed("openapi", "StaffAsk", staff_ask(verb, args))
    if verb in TABLE_ARGS:
        table = TableRig()
        table.boxes_up()
        table.sit()
        assert staff(table, verb, args)[1] != NOT_UNDERSTOOD


@pytest.mark.parametrize(("verb", "args"), each_malformed(STAFF_ARGS))
def test_a_malformed_request_of_staff_is_refused_with_one_sentence_and_changes_nothing(
    rig: TableRig, verb: str, args: dict[str, Any]
) -> None:
    with pytest.raises(IllegalAction, match=NOT_UNDERSTOOD):
        read_args(STAFF_ARGS, verb, args)
    assert not allowed("openapi", "StaffAsk", staff_ask(verb, args))
    before = {**rig.state, "seq": 0}, rig.table.desk, rig.match.log
    assert staff(rig, verb, args) == (False, NOT_UNDERSTOOD)
    assert ({**rig.state, "seq": 0}, rig.table.desk, rig.match.log) == before


@pytest.mark.parametrize("at", ["24:00", "23:60", "7:5", "noon"])
def test_a_time_that_no_day_has_is_no_limit(at: str) -> None:
    with pytest.raises(IllegalAction, match=NOT_UNDERSTOOD):
        read_args(STAFF_ARGS, "limit", {"at": at})
    assert not allowed("openapi", "StaffAsk", staff_ask("limit", {"at": at}))
