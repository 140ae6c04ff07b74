"""Promises checked after an evening: people who are present can go on, nothing counts twice, the next group can play."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial

from hub.network.messages import to_bytes
from hub.ports import LogEntry
from hub.table.seating.questions import VOTE_SECONDS
from tests.complete_states import read_state
from tests.simulation.auditor import Broken
from tests.simulation.place import Place
from tests.simulation.world import Person, World

PRESENT_SECONDS = 300.0
"""An absent seat is asked about after a minute, one on a box after three, and voted on for 20 s."""
DESERTED_SECONDS = 1080.0
"""A match is suspended 15 minutes after its last move (run.md), which the house may make when people have gone."""
SIT_SECONDS = 40.0


def check_all(world: World) -> None:
    """Check the promises, one after the other. Raise Broken."""
    check_people_can_go_on(world)
    for place in world.places:
        check_log(world, place)
    check_next_group(world)
    check_memory(world)


def check_people_can_go_on(world: World) -> None:
    """A person present at a seat can bring the table on: somebody is asked in vain for five minutes at most."""
    world.settle()
    world.say("everybody is boring from now on")
    world.until(lambda: world.hub, world.places[0], 10.0, "The hub does not start")
    before = {place.number: (_position(place), world.scheduler.time) for place in world.places}
    for _ in range(12):
        world.pass_time(30.0)
        for place in world.places:
            if _position(place) != before[place.number][0]:
                before[place.number] = _position(place), world.scheduler.time
    for place in world.places:
        position, since = before[place.number]
        waited, there = world.scheduler.time - since, _players_present(world, place)
        if position[0] == "stopped":
            raise Broken("The table is still stopped, though its disk is well.")
        if waited > PRESENT_SECONDS and position[0] == "playing" and there:
            # With printed cards, nobody else can tell what an absent guest has in hand.
            world.do(world.people[there[0]], "ask", verb="ask", args={"what": "put_aside"})
            world.pass_time(VOTE_SECONDS + 5.0)
            if _position(place) == position or not _has_printed_cards(world, place):
                raise Broken(f"People {there} are at the table, and nothing goes on for {waited:.0f} s.")


def check_log(world: World, place: Place) -> None:
    """Everything that was acknowledged is on disk, and nothing counts twice.

    A match has at most as many actions of a seat as its people have asked for, with their phones, boxes and dice, and at
    least as many as were acknowledged.
    """
    assert world.hub
    for match, asked in place.asked_moves.items():
        _, entries = world.hub.disk.load(match)
        written = Counter(
            int(entry.line.partition(b'"seat":')[2].split(b",")[0]) for entry in entries if b'"seat":' in entry.line
        )
        if not entries and match in place.suspended and match not in place.wiped:
            raise Broken(f"{match} was suspended, and nothing of it is on disk any more.")
        _check_rolls(place, match, entries)
        if match in place.house_moved or not entries:  # wiped by staff, or finished
            continue
        for seat, count in asked.items():
            if written[seat] > count:
                raise Broken(f"{match} has {written[seat]} actions of seat {seat}, which asked for {count}.")
        for seat, count in place.done_moves.get(match, Counter()).items():
            if match not in place.undone and written[seat] < count:
                raise Broken(
                    f"{match} has {written[seat]} actions of seat {seat}, and {count} were acknowledged: {written}"
                )


def _check_rolls(place: Place, match: str, entries: Sequence[LogEntry]) -> None:
    """A roll has the faces that dice have shown, or that people have typed, and each throw counts once.

    A throw of fewer dice than were asked for is followed by another: their faces together are the roll. What somebody has
    typed may be typed again before others agree.
    """
    told, start = place.faces.get(match, []), 0
    for entry in entries:
        line = json.loads(entry.line)
        roll = line.get("args", {}) if line.get("move") == "roll" and line.get("seat") == 0 else {}
        kinds = {"read": {"read"}, "typed": {"read", "typed"}}.get(str(roll.get("read")), set())
        if not kinds or (place.boxes and "typed" in kinds):  # the hub's, or typed with a dial
            continue
        explained, shown = {0}, tuple(roll["faces"])  # how many of its faces, from the first one
        for number, (kind, faces) in enumerate(told[start:], start + 1):
            if kind in kinds:
                explained |= {at + len(faces) for at in explained if shown[at : at + len(faces)] == faces}
            if len(shown) in explained:
                start = number
                break
        else:
            raise Broken(f"{match} has the roll {roll}, which no dice have shown: {told[start:]}.")


def check_next_group(world: World) -> None:
    """The next guests can sit down and play, whatever the last ones have done, and though they are gone without a word."""
    world.silence()
    for person in world.people:
        if person.phone:
            person.phone.sleep()
            person.phone = None
    world.say("everybody vanishes")
    world.pass_time(DESERTED_SECONDS)
    for place in world.places:
        guests = [world.add_person(place) for _ in range(2)]
        for guest in guests:
            world.do(guest, "claim", pick=0.0)
            world.until(partial(_sits, guest), place, SIT_SECONDS, "The next guests cannot sit down")
        first, second = guests
        world.until(partial(_is_offered_games, place), place, SIT_SECONDS, "The next guests are not offered a game")
        world.do(second, "ask", verb="ready", args={"ready": True})
        world.pass_time(1.0)
        world.do(first, "ask", verb="start", args={"game": "goofspiel"})
        world.until(partial(_is_playing, place), place, SIT_SECONDS, "The next guests cannot start a match")
        for guest in guests:
            world.until(partial(_is_asked, guest), place, SIT_SECONDS, "Nobody is asked")


def check_memory(world: World) -> None:
    """What guests leave behind is gone: as many logins as seats, and no hand of a login that is over."""
    assert world.hub
    broker, seats = world.hub.broker, sum(place.seats for place in world.places)
    logins = broker.known_logins()
    if len(logins) > seats:
        raise Broken(f"The broker has {len(logins)} logins for {seats} seats.")
    lost = [topic for topic in broker.retained() if topic.endswith("/hand") and topic.split("/")[-2] not in logins]
    if lost:
        raise Broken(f"The broker keeps hands of nobody: {lost}")


def _has_printed_cards(world: World, place: Place) -> bool:
    table = world.table_of(place)
    last = table.match if table else None
    return last is None or bool(last.setup.options.get("printed_cards"))


def _sits(guest: Person) -> bool:
    return bool(guest.phone and guest.phone.is_whole)


def _is_asked(guest: Person) -> bool:
    phone = guest.phone
    return bool(phone and phone.is_whole and phone.hand and phone.hand["moves"])


def _is_offered_games(place: Place) -> bool:
    return bool(_newest(place)["games"])


def _is_playing(place: Place) -> bool:
    return _newest(place)["state"] == "playing"


def _newest(place: Place) -> dict[str, object]:
    assert place.newest
    return read_state(to_bytes(place.newest))


def _position(place: Place) -> tuple[object, ...]:
    """Return what changes whenever a table goes on."""
    state = place.newest
    assert state
    event, dice = state.events[-1].n if state.events else 0, state.dice
    return state.state, state.match, state.epoch, event, tuple(state.locked), dice and (dice.seat, *dice.done)


def _players_present(world: World, place: Place) -> list[int]:
    """Return the people with a connected phone at a seat of the match."""
    state = place.newest
    assert state
    players = state.view.seats if state.view else {}
    return [
        person.number for person in world.people
        if person.place is place and person.phone and person.phone.is_connected and person.phone.hand
        and f'{person.phone.hand["seat"]}' in players
    ]  # fmt: skip
