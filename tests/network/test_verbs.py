"""Every request of phones and of staff: what its verb allows is done or judged, all else is refused with one sentence.

The published documents, the door and the table are asked the same: none may allow what another one refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from msgspec.structs import fields

from hub.errors import IllegalAction
from hub.network.staff_verbs import STAFF_ARGS, TABLE_ARGS
from hub.network.verbs import ARGS, NOT_UNDERSTOOD, read_args
from hub.ports import StaffRequest
from hub.state import Plain
from tests.docs.contract import check
from tests.table.fakes import TableRig

HUGE = 2**53

FITS: Mapping[str, list[dict[str, Any]]] = {
    "act": [{"move": "bid"}, {"move": "bid", "number": 3, "list": [1, None]}, {"move": ""}],
    "roll": [{"faces": []}, {"faces": [1, 6]}, {"faces": [0, -1, 99]}],
    "dice": [{"say": one} for one in ("hub", "accept", "again", "lies", "reread", "stands")],
    "undo": [{}],
    "start": [{"game": "chess"}, {"game": "bid-and-bait", "options": {"rounds": [1]}}],
    "ready": [{}, {"ready": True}, {"ready": False}],
    "wait": [{}],
    "wish": [{"game": "chess"}, {"game": "chess", "preset": ""}, {"game": "chess", "options": {"x": 1}}, {"game": "chess", "preset": "", "options": {}}],
    "name": [{"name": ""}, {"name": "x" * 20}],
    "leave": [{}],
    "again": [{}],
    "claim": [{"claim": 0, "say": "keep"}, {"claim": HUGE - 1, "say": "give"}],
    "code": [{"seat": 1}, {"seat": 6}],
    "acknowledge": [{"key": "help:2"}],
    "ask": [{"what": "put_aside"}, {"what": "end"}],
    "vote": [{"say": "yes"}],
    "pause": [{}],
    "take_up": [{"match": "m-1"}],
    "free": [{"seat": 1}, {"seat": 6}],
    "help": [{}],
    "hand_over": [{}, {"show": True}, {"show": False}],
    "house": [{"seat": one, "strength": how} for one in (1, 6) for how in ("easy", "steady", "sharp", "")],
    "hints": [{"on": True}, {"on": False}, {"allow": True}, {"allow": False}],
    "lessons": [{"on": True}, {"on": False}, {"explain": True}, {"explain": False}],
    "hub_rolls": [{"on": True}, {"on": False}],
}  # fmt: skip
BEYOND: Mapping[str, list[dict[str, Any]]] = {
    "roll": [{"faces": ["1"]}, {"faces": [True]}, {"faces": [1.5]}, {"faces": [None]}],
    "dice": [{"say": "read"}, {"say": ""}],
    "name": [{"name": "x" * 21}],
    "claim": [{"claim": -1, "say": "keep"}, {"claim": HUGE, "say": "keep"}, {"claim": 1, "say": "sell"}],
    "code": [{"seat": 0}, {"seat": 7}],
    "ask": [{"what": "pause"}],
    "free": [{"seat": 0}, {"seat": 7}],
    "house": [{"seat": 0, "strength": ""}, {"seat": 7, "strength": ""}, {"seat": 1, "strength": "best"}],
    "hints": [{}, {"on": True, "allow": True}],
    "lessons": [{}, {"on": True, "explain": True}],
}
STAFF_FITS: Mapping[str, list[dict[str, Any]]] = {
    "done": [{"key": "help:2"}],
    "free": [{"seat": 1}, {"seat": 6}],
    "undo": [{"after": -1}, {"after": HUGE - 1}],
    "aside": [{}],
    "again": [{"match": "m-1"}],
    "end": [{}],
    "reset": [{}, {"match": "aside"}, {"match": "end"}],
    "limit": [{}, {"minutes": 1}, {"minutes": 1440}, {"at": "0:00"}, {"at": "7:05"}, {"at": "23:59"}],
    "offer": [{"game": "bid-and-bait"}, {"game": "bid-and-bait", "preset": ""}],
    "light": [{"percent": one} for one in (100, 60, 30, 10)],
    "volume": [{"percent": 0}, {"percent": 100}],
    "test": [{"what": one} for one in ("boxes", "dice", "stop")],
    "look": [{}, {"since": 0}, {"since": HUGE - 1}],
    "out": [{}],
    "cards": [{"game": "bidness", "changes": {}}],
    "doctor": [{}],
    "restart": [{}],
    "off": [{}],
}
STAFF_BEYOND: Mapping[str, list[dict[str, Any]]] = {
    "free": [{"seat": 0}, {"seat": 7}],
    "undo": [{"after": -2}, {"after": HUGE}],
    "reset": [{"match": "keep"}, {"match": ""}],
    "limit": [{"minutes": 0}, {"minutes": 1441}, {"at": "24:00"}, {"at": "23:60"}, {"at": "noon"}, {"until": 5}],
    "light": [{"percent": 50}, {"percent": 0}],
    "volume": [{"percent": -1}, {"percent": 101}],
    "test": [{"what": "lamps"}],
    "look": [{"since": -1}],
}
OTHERS: tuple[Any, ...] = (None, True, 1, 1.5, "text", ["text"], {"a": 1})


def malformed(kinds: Mapping[str, type[Plain]], fits: Mapping[str, Any], beyond: Mapping[str, Any]) -> Iterator[Any]:
    """Yield what no verb allows: unknown, missing and mistyped fields, and values beyond a bound."""
    for verb, kind in kinds.items():
        fullest = max(fits[verb], key=len)
        required = {one.encode_name for one in fields(kind) if one.required}
        if kind.__struct_config__.forbid_unknown_fields:
            yield pytest.param(verb, {**fullest, "unknown": 1}, id=f"{verb}-unknown")
        for name in (one for one in kind.__struct_fields__ if one in fullest):
            if name in required:
                yield pytest.param(
                    verb, {key: one for key, one in fullest.items() if key != name}, id=f"{verb}-no-{name}"
                )
            for other in OTHERS:
                if type(other) is not type(fullest[name]):  # nor is a truth value a number
                    yield pytest.param(verb, {**fullest, name: other}, id=f"{verb}-{name}-{other}")
        for number, args in enumerate(beyond.get(verb, ())):
            yield pytest.param(verb, args, id=f"{verb}-beyond-{number}")


def fitting(fits: Mapping[str, list[dict[str, Any]]]) -> Iterator[Any]:
    for verb, samples in fits.items():
        for number, args in enumerate(samples):
            yield pytest.param(verb, args, id=f"{verb}-{number}")


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


def test_every_verb_and_each_of_its_fields_is_tried() -> None:
    for kinds, fits in ((ARGS, FITS), (STAFF_ARGS, STAFF_FITS)):
        assert fits.keys() == kinds.keys()
        for verb, kind in kinds.items():
            assert {name for args in fits[verb] for name in args} >= set(kind.__struct_fields__), verb


# --- phones ----------------------------------------------------------------------------------------------------


@pytest.fixture
def rig() -> TableRig:
    rig = TableRig()
    rig.boxes_up()
    rig.sit()
    rig.start()
    return rig


@pytest.mark.parametrize(("verb", "args"), list(fitting(FITS)))
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


@pytest.mark.parametrize(("verb", "args"), list(malformed(ARGS, FITS, BEYOND)))
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


@pytest.mark.parametrize(("verb", "args"), list(fitting(STAFF_FITS)))
def test_what_a_verb_of_staff_allows_is_done_or_judged(verb: str, args: dict[str, Any]) -> None:
    assert isinstance(read_args(STAFF_ARGS, verb, args), STAFF_ARGS[verb])
    assert allowed("openapi", "StaffAsk", staff_ask(verb, args))
    if verb in TABLE_ARGS:
        table = TableRig()
        table.boxes_up()
        table.sit()
        assert staff(table, verb, args)[1] != NOT_UNDERSTOOD


@pytest.mark.parametrize(("verb", "args"), list(malformed(STAFF_ARGS, STAFF_FITS, STAFF_BEYOND)))
def test_a_malformed_request_of_staff_is_refused_with_one_sentence_and_changes_nothing(
    rig: TableRig, verb: str, args: dict[str, Any]
) -> None:
    with pytest.raises(IllegalAction, match=NOT_UNDERSTOOD):
        read_args(STAFF_ARGS, verb, args)
    assert not allowed("openapi", "StaffAsk", staff_ask(verb, args))
    before = {**rig.state, "seq": 0}, rig.table.desk, rig.match.log
    assert staff(rig, verb, args) == (False, NOT_UNDERSTOOD)
    assert ({**rig.state, "seq": 0}, rig.table.desk, rig.match.log) == before
