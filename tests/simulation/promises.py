"""Promises about time, checked after an evening: people who are present can go on, and the next group can play."""

from __future__ import annotations

from collections import Counter
from functools import partial
from random import Random

from hub.network.messages import to_bytes
from tests.complete_states import read_state
from tests.simulation.auditor import Broken
from tests.simulation.world import Person, World

PRESENT_SECONDS = (
    5 * 60.0
)  # an absent seat is asked about after a minute, one on a box after three, and voted on for 20 s
DESERTED_SECONDS = 16 * 60.0  # run.md: a match that nobody plays is suspended after 15 minutes
SIT_SECONDS = 40.0


def check_all(world: World) -> None:
    """Check the promises, one after the other. Raise Broken."""
    check_people_can_go_on(world)
    check_log(world)
    check_next_group(world)


def check_people_can_go_on(world: World) -> None:
    """A person present at a seat can bring the table on: somebody is asked in vain for five minutes at most."""
    world.settle()
    world.say("everybody is boring from now on")
    world.until(lambda: world.hub, 10.0, "The hub does not start")
    before, since = _position(world), world.scheduler.time
    for _ in range(12):
        world.pass_time(30.0)
        if _position(world) != before:
            before, since = _position(world), world.scheduler.time
    waited = world.scheduler.time - since
    if waited > PRESENT_SECONDS and before[0] == "playing" and (there := _players_present(world)):
        raise Broken(f"People {there} are at the table, and nothing goes on for {waited:.0f} s.")


def check_log(world: World) -> None:
    """Nothing counts twice: a match has at most as many actions of a seat as its phones have asked for."""
    assert world.hub
    for match, asked in world.asked_moves.items():
        _, entries = world.hub.disk.load(match)
        written = Counter(
            int(entry.line.partition(b'"seat":')[2].split(b",")[0]) for entry in entries if b'"seat":' in entry.line
        )
        for seat, count in asked.items():
            if match not in world.house_moved and written[seat] > count:
                raise Broken(f"{match} has {written[seat]} actions of seat {seat}, which asked for {count}.")


def check_next_group(world: World) -> None:
    """The next guests can sit down and play, whatever the last ones have done, and though they are gone without a word."""
    world.silence()
    for person in world.people:
        if person.phone:
            person.phone.sleep()
            person.phone = None
    world.say("everybody vanishes")
    world.pass_time(DESERTED_SECONDS)
    guests = [Person(len(world.people) + one, Random(f"next {one} of {world.seed}")) for one in range(2)]
    world.people += guests
    for guest in guests:
        world.do(guest, "claim", pick=0.0)
        world.until(partial(_sits, guest), SIT_SECONDS, "The next guests cannot sit down")
    first, second = guests
    world.until(lambda: _newest(world)["games"], SIT_SECONDS, "The next guests are not offered a game")
    world.do(second, "ask", verb="ready", args={"ready": True})
    world.pass_time(1.0)
    world.do(first, "ask", verb="start", args={"game": "goofspiel"})
    world.until(lambda: _newest(world)["state"] == "playing", SIT_SECONDS, "The next guests cannot start a match")
    for guest in guests:
        world.until(partial(_is_asked, guest), SIT_SECONDS, "Nobody is asked")


def _sits(guest: Person) -> bool:
    return bool(guest.phone and guest.phone.is_whole)


def _is_asked(guest: Person) -> bool:
    phone = guest.phone
    return bool(phone and phone.is_whole and phone.hand and phone.hand["moves"])


def _newest(world: World) -> dict[str, object]:
    assert world.auditor.newest
    return read_state(to_bytes(world.auditor.newest))


def _position(world: World) -> tuple[object, ...]:
    """Return what changes whenever a table goes on."""
    state = world.auditor.newest
    assert state
    return state.state, state.match, state.epoch, state.events[-1].n if state.events else 0, tuple(state.locked)


def _players_present(world: World) -> list[int]:
    """Return the people with a connected phone at a seat of the match."""
    state = world.auditor.newest
    assert state
    players = state.view.seats if state.view else {}
    return [
        person.number for person in world.people
        if person.phone and person.phone.is_connected and person.phone.hand and f'{person.phone.hand["seat"]}' in players
    ]  # fmt: skip
