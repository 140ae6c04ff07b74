"""What guests and staff do at a table in tests: time passes, phones sleep and wake, questions are answered."""

from __future__ import annotations

from typing import Any

from hub.ports import PhoneLink, StaffRequest, Tick
from tests.table.fakes import TableRig


def pass_time(rig: TableRig, seconds: float) -> None:
    """Let time go on in steps of a second, as the loop does."""
    for _ in range(int(seconds)):
        rig.clock.time += 1.0
        rig.take(Tick())


def later(rig: TableRig, seconds: float) -> None:
    """Let time pass at once."""
    rig.clock.time += seconds
    rig.take(Tick())


def sleep(rig: TableRig, *seats: int) -> None:
    rig.take(*(PhoneLink(rig.sids[seat], False) for seat in seats))


def wake(rig: TableRig, *seats: int) -> None:
    rig.take(*(PhoneLink(rig.sids[seat], True) for seat in seats))


def question(rig: TableRig) -> Any:
    """What the table is asked."""
    return rig.state["question"]


def staff(rig: TableRig, verb: str, **args: Any) -> tuple[bool, str]:
    """What staff ask of the table, and its answer."""
    answers: list[tuple[bool, str]] = []
    rig.take(StaffRequest(verb, args, lambda done, say: answers.append((done, say))))
    return answers[0]


def keys(rig: TableRig) -> list[str]:
    """The kinds of the notices that are shown."""
    return [one["key"].partition(":")[0] for one in rig.state["notices"]]


def put_aside(rig: TableRig) -> str:
    rig.say(1, "ask", {"what": "put_aside"})
    rig.say(2, "vote", {"say": "yes"})
    match: str = rig.state["put_aside"][0]["match"]
    return match


def play_first(rig: TableRig, seat: int) -> None:
    """Let a seat that is asked make the first of its moves."""
    decision = rig.match.open
    assert decision
    if seat in decision.asked and seat not in decision.answers:
        move = decision.offers(seat)[0]
        assert rig.act(seat, move.name, **move.first())["ok"]


def lock_all_but(rig: TableRig, *absent: int) -> None:
    for seat in rig.sids:
        if seat not in absent:
            play_first(rig, seat)


def first_asked(rig: TableRig) -> int:
    return int(rig.state["view"]["waiting"]["seats"][0])


def bring_on(rig: TableRig, seat: int) -> None:
    """Do the one thing that is asked of this seat, if there is one."""
    asked = question(rig)
    if asked and seat in asked["voters"]:
        rig.say(seat, "vote", {"say": "house" if "house" in asked["options"] else "no"})
        return
    match = rig.match
    dice: dict[str, Any] = rig.state["dice"]
    if dice and seat not in dice["votes"] and (dice["votes"] or dice["seat"] == seat):
        rig.say(seat, "dice", {"say": "hub"})
    elif match.open and seat in match.open.asked and seat not in match.open.answers:
        move = match.open.offers(seat)[-1]
        rig.say(seat, "act", {"move": move.name, **move.first()})


def two_put_aside(rig: TableRig) -> None:
    """Two of three put the match aside."""
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == "lobby"
