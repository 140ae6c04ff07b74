"""People as generators: what guests, staff and the owner of a simulated table do next.

They are boring most of the time and rare on purpose. Each seed switches some of the rare behaviors off (swarm testing: Groce
and others, 2012), because one that happens all the time hides what happens without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from hub import games
from hub.authoring.players import random_options
from hub.network.staff_verbs import TABLE_ARGS
from hub.network.verbs import ARGS
from tests.examples import examples, malformed
from tests.random_client import value
from tests.simulation.auditor import State
from tests.simulation.phone import SimulatedPhone

Args: TypeAlias = Mapping[str, Any]

ASKED = examples(ARGS)
STAFF_ASKED = examples(TABLE_ARGS)
MALFORMED = {verb: [args for _, args in malformed(kind)] for verb, kind in ARGS.items()}

RARE: Mapping[str, float] = {
    "sleep": 0.02, "wake": 0.2, "vanish": 0.004, "come": 0.2, "leave": 0.006, "drop": 0.02, "another phone": 0.01,
    "cunning": 0.06, "malformed": 0.02, "undo": 0.02, "reread": 0.0, "pause": 0.006, "end": 0.01, "put_aside": 0.02,
    "take_up": 0.3, "hub_rolls": 0.01, "house": 0.05, "hand_over": 0.01, "staff": 0.01, "restart": 0.002,
    "power cut": 0.003, "patience": 0.0, "full disk": 0.002, "slow disk": 0.003, "slow network": 0.01, "broker": 0.002,
    "help": 0.01, "lessons": 0.005, "name": 0.005, "acknowledge": 0.02, "code": 0.01, "free": 0.02, "wish": 0.01, "hints": 0.02, "stall": 0.02, "noise": 0.01, "unplug": 0.02, "plug": 0.3, "box loses power": 0.01,
    "options": 0.001, "update": 0.001, "settings": 0.003, "cards": 0.002, "address": 0.002, "device": 0.003, "call": 0.02,
    "broker is down": 0.002, "absent": 0.03,
    "dice lean": 0.1, "die is missed": 0.1, "reader is lost": 0.02, "reader is back": 0.1, "hold": 0.02,
}  # fmt: skip
"""Behaviors, with the chance of each per step of a person."""
ALWAYS = frozenset({"wake", "come", "take_up", "plug", "reader is back"})
"""Behaviors that every seed has: without them, a table stays empty."""


SENTENCES: Mapping[str, str] = {
    "claim": "{who} asks for a seat",
    "come": "{who} comes back",
    "ask": "{who} asks for {verb}: {all}",
    "sleep": "the phone of {who} sleeps",
    "wake": "the phone of {who} wakes",
    "drop": "the phone of {who} loses its connection",
    "stall": "the phone of {who} takes nothing for a while",
    "vanish": "{who} goes without a word",
    "another phone": "{who} takes another phone",
    "press": "{who} presses {what} on the box",
    "unplug": "{who} unplugs the box",
    "plug": "{who} plugs the box in",
    "box loses power": "the box of {who} loses its power for a moment",
    "throw": "{who} throws the dice",
    "dice lean": "a die of {who} will lean",
    "die is missed": "the reader will miss a die of {who}",
    "reader is lost": "the dice reader is lost",
    "reader is back": "the dice reader is back",
    "staff": "staff at table {table} ask for {verb}: {all}",
    "options": "the owner changes the options of table {table}: {all}",
    "update": "the owner updates the hub; the rules of {games} are other ones",
    "settings": "the owner sets table {table} while the hub runs: {all}",
    "cards": "table {table} gets other cards of {game}",
    "address": "the address of the hub is {url}",
    "device": "a device of table {table} is there: {on}",
    "call": "{who}, who has no seat, calls for staff",
    "restart": "the hub restarts",
    "power cut": "the power is cut at the next write",
    "full disk": "the disk is full for {seconds:.0f} s",
    "slow disk": "the disk is slow for {seconds:.0f} s",
    "slow network": "the network is slow for {seconds:.0f} s",
    "noise": "cables of boxes are noisy for {seconds:.0f} s",
    "broker": "the broker ends all connections",
    "broker is down": "the broker is down for {seconds:.0f} s",
}
"""By what somebody does, or what happens: a sentence."""
SEATS = ("first", "duck", "dealer")
"""Options that name a seat, which may be none of those that play."""
DELICATE = frozenset({"undo", "leave", "take_up", "start", "vote", "free", "house", "claim"})
"""Requests after which trouble is more frequent: much of the table changes."""
TURN = "{who} turns the dial by {detents}"


@dataclass(frozen=True)
class Intent:
    """What somebody is about to do, so that a script of intents repeats a run: plain data.

    - `who`: a person's number; -1 for staff and owner.
    - `what`: a request of phones ("ask"), or something in the world ("sleep", "restart", ...).
    """

    at: float
    who: int
    what: str
    args: Mapping[str, Any]

    def __str__(self) -> str:
        """Return a sentence."""
        clock = f"{int(self.at - 1000) // 60:02}:{int(self.at - 1000) % 60:02}"
        args = {**self.args, **self.args.get("args", {})}
        args["all"] = (
            ", ".join(f"{name} {value}" for name, value in self.args.get("args", {}).items()) or "nothing more"
        )
        sentence = TURN if args.get("what") == "dial" else SENTENCES[self.what]
        return f"{clock} {sentence.format(who=f'person {self.who}', **args)}"


def chosen_behaviors(random: Random) -> frozenset[str]:
    """Return the behaviors that a seed has: each rare one with a chance of one half."""
    return ALWAYS | {"patience"} | {name for name in RARE if random.random() < 0.5}


def request(verb: str, /, **args: Any) -> tuple[str, dict[str, Any]]:
    """Return what a phone asks for."""
    return "ask", {"verb": verb, "args": args}


def next_step(phone: SimulatedPhone, seat: int, behaviors: frozenset[str], random: Random) -> tuple[str, Args] | None:
    """Return what a person with a phone at this seat does next, or None: wait."""
    state, hand = phone.state, phone.hand
    rare = [name for name in RARE if name in behaviors and random.random() < RARE[name]]
    if not phone.is_awake:
        return ("wake", {}) if "wake" in rare else None
    if state is None or hand is None or not phone.is_whole:
        return None
    for name in rare:
        if step := _rare(name, state, hand, seat, random):
            return step
    return _boring(state, hand, seat, behaviors, random)


def _rare(name: str, state: State, hand: State, seat: int, random: Random) -> tuple[str, Args] | None:
    match name:
        case "sleep" | "vanish" | "drop" | "another phone" | "stall":
            return name, {}
        case "leave" | "pause" | "undo" | "help":
            return request(name)
        case "hints":
            return request("hints", **{random.choice(["on", "allow"]): random.random() < 0.7})
        case "lessons":
            return request("lessons", **{random.choice(["on", "explain"]): random.random() < 0.6})
        case "name":
            return request("name", name=random.choice(["Ada", "Zoë", ""]))
        case "acknowledge" if state["notices"]:
            return request("acknowledge", key=random.choice(state["notices"])["key"])
        case "code" if seats := [one["seat"] for one in state["seats"] if one["phone"] == "none"]:
            return request("code", seat=random.choice(seats))
        case "free" if gone := [one["seat"] for one in state["seats"] if one["held"] and one["presence"] != "here"]:
            return request("free", seat=random.choice(gone))
        case "wish" if state["games"]:
            game = random.choice(state["games"])
            return request(
                "wish", game=game["name"], preset=random.choice([one["name"] for one in game["presets"]] + [""])
            )
        case "hub_rolls":
            return request("hub_rolls", on=random.random() < 0.5)
        case "hand_over":
            return request("hand_over", show=random.random() < 0.7)
        case "end" | "put_aside" | "absent":
            return request("ask", what=name)
        case "take_up" if state["put_aside"]:
            return request("take_up", match=random.choice(state["put_aside"])["match"])
        case "house":
            free = [one["seat"] for one in state["seats"] if not one["held"]]
            return (
                request("house", seat=random.choice(free), strength=random.choice(["easy", "sharp", ""]))
                if free
                else None
            )
        case "cunning":
            verb = random.choice([*ARGS])
            return request(verb, **random.choice([*ASKED[verb], {}]))
        case "malformed":
            verb = random.choice([*ARGS])
            return request(verb, **random.choice([*MALFORMED[verb], {"x": 1}]))
    return None


def _boring(state: State, hand: State, seat: int, behaviors: frozenset[str], random: Random) -> tuple[str, Args] | None:
    question, dice = state["question"], state["dice"]
    if state["dispute"] and "reread" in behaviors and random.random() < 0.3:  # it can be disputed for a few seconds
        return request("dice", say=random.choice(["reread", "reread", "reread", "stands"]))
    if hand["claim"] is not None:
        return request("claim", claim=hand["claim"], say=random.choice(["keep", "give"]))
    if question and seat in question["voters"] and f"{seat}" not in question["votes"]:
        answers = [one for one in question["options"] if one != "wait" or "patience" in behaviors]
        return request("vote", say=random.choice(answers))
    if state["paused"] and random.random() < 0.3:
        return request("pause")
    if state["state"] in ("lobby", "over"):
        return _between_matches(state, seat, random)
    offers = [one for one in hand["moves"] if not (one.get("standing") and random.random() < 0.9)]
    if offers and hand["locked"] is None:
        move = random.choice(offers)
        given = {name: value(legal, random) for name, legal in move.items() if name not in ("move", "standing")}
        return request("act", move=move["move"], **given)
    if hand["faces"]:
        if random.random() < 0.3:
            return request("dice", say="hub")
        return request("roll", faces=[random.randint(1, hand["faces"]["sides"]) for _ in range(hand["faces"]["count"])])
    if dice and dice["state"] == "typed" and dice["seat"] != seat:
        return request("dice", say="accept")
    return None


def _between_matches(state: State, seat: int, random: Random) -> tuple[str, Args] | None:
    own = next(one for one in state["seats"] if one["seat"] == seat)
    others = [one for one in state["seats"] if one["held"] and one["seat"] != seat]
    if state["starting"]:
        return request("wait") if random.random() < 0.1 else None
    if others and all(one["ready"] for one in others) and random.random() < 0.7:
        return _start(state, len(others) + 1, random)
    if not own["ready"]:
        return request("ready", ready=True)
    if state["state"] == "over" and random.random() < 0.2:
        return request("again")
    return None


def _start(state: State, players: int, random: Random) -> tuple[str, Args] | None:
    """Start a game that so many can play, half of the time with options."""
    offered = [games.find(one["name"]) for one in state["games"]]
    fits = [game for game in offered if game.seats[0] <= players <= game.seats[1]]
    if not fits:
        return None
    game = random.choice(fits)
    options = random_options(game, players, random, SEATS) if random.random() < 0.5 else {}
    return request("start", game=game.name, options=options)


def staff_step(state: State, suspended: Sequence[str], random: Random) -> tuple[str, Args]:
    """Return what staff do, who see the matches that are suspended here."""
    verb = random.choice([*TABLE_ARGS])
    args = dict(random.choice([*STAFF_ASKED[verb], {}]))
    if verb == "again" and suspended:
        args = {"match": random.choice(suspended)}
    elif verb == "undo" and state["events"]:
        args = {"after": state["events"][-1]["n"]}
    elif verb == "offer" and state["games"]:
        args = {"game": random.choice(state["games"])["name"]}
    elif verb == "reset" and random.random() < 0.7:
        args = {"match": random.choice(["aside", "end"])}
    elif verb == "free":
        args = {"seat": random.choice(state["seats"])["seat"]}
    elif verb == "done" and state["notices"]:
        args = {"key": random.choice(state["notices"])["key"]}
    return "staff", {"verb": verb, "args": args}


def owner_steps(behaviors: frozenset[str], random: Random, *, often: float) -> Iterator[tuple[str, Args]]:
    """Yield what happens to the hub in one step; trouble is `often` times as frequent as usual."""
    for name in ("restart", "power cut", "full disk", "slow disk", "slow network", "noise", "broker", "broker is down"):
        if name in behaviors and random.random() < often * RARE[name]:
            yield name, {"seconds": random.choice([1.0, 10.0, 100.0])}


def owner_change(
    behaviors: frozenset[str], tables: Mapping[str, int], random: Random, *, often: float
) -> tuple[str, Args] | None:
    """Return what the owner of a hub with these tables, and so many seats at each, changes; the hub restarts then."""
    table = random.choice([*tables])
    if "options" in behaviors and random.random() < often * RARE["options"]:
        seats = min(6, max(2, tables[table] + random.choice([-1, 0, 0, 1])))
        without = random.sample([name for name in games.names() if name != "goofspiel"], random.randint(0, 5))
        ask, idle, house = random.choice([20, 60]), random.choice([300, 900]), random.choice([0, 0, 1, 2])
        return "options", {
            "table": table, "args": {"seats": seats, "without": without, "ask": ask, "idle": idle, "house": house},
        }  # fmt: skip
    if "update" in behaviors and random.random() < often * RARE["update"]:
        return "update", {"games": random.sample([*games.names()], random.randint(0, 3))}
    return None


def owner_news(behaviors: frozenset[str], tables: Sequence[str], random: Random) -> Iterator[tuple[str, Args]]:
    """Yield what the owner of a hub with these tables changes while it runs, and what it notices of its network and devices."""
    for name in ("settings", "cards", "address", "device"):
        if name not in behaviors or random.random() >= RARE[name]:
            continue
        table = random.choice(tables)
        match name:
            case "settings":
                ask, idle, house = random.choice([20, 60]), random.choice([300, 900]), random.choice([0, 0, 1, 2])
                yield name, {"table": table, "args": {"ask": ask, "idle": idle, "house": house}}
            case "cards":
                yield name, {"table": table, "game": random.choice([*games.names()])}
            case "address":
                yield name, {"url": random.choice(["", "http://10.42.0.1", "http://192.168.1.7"])}
            case _:
                yield name, {"table": table, "on": random.random() < 0.6}


def dice_step(dice: Mapping[str, Any], seat: int, behaviors: frozenset[str], random: Random) -> tuple[str, Args] | None:
    """Return what a person at this seat does with the dice on the table, given the state of their reader; None: nothing."""
    if dice["lost"]:
        return ("reader is back", {}) if random.random() < RARE["reader is back"] else None
    if not dice["armed"] or dice["armed"]["seat"] != seat:
        return None
    for name in ("dice lean", "die is missed", "reader is lost"):
        if name in behaviors and random.random() < RARE[name]:
            return name, {}
    return ("throw", {}) if dice["state"] != "rolling" and random.random() < 0.7 else None


def box_step(
    box: Mapping[str, Any], is_plugged: bool, answers: int, behaviors: frozenset[str], random: Random
) -> tuple[str, Args] | None:
    """Return what a person does at a box, given what they see there; None: nothing.

    `answers` is the number of answers to a question that the screen asks them; 0: none.
    """
    if not is_plugged:
        return ("plug", {}) if random.random() < RARE["plug"] else None
    for name in ("unplug", "box loses power"):
        if name in behaviors and random.random() < RARE[name]:
            return name, {}
    if answers and random.random() < 0.5:
        first = ["k1"] if "patience" in behaviors else []  # wait
        return "press", {"what": random.choice(["push", "bar"] if answers < 3 else [*first, "k2", "k3"])}
    if box["lamps"] is not None and box["lamps"]["pattern"] == "claim" and random.random() < 0.6:
        return "press", {"what": random.choice(["push", "both"])}
    if box["sealed"] and not box["locked"]:
        if random.random() < 0.6:
            return "press", {"what": "dial", "detents": random.randint(-12, 12)}
        return "press", {"what": random.choice(["push", "push", "push", "k1", "k4"])}
    if box["sealed"]:
        return ("press", {"what": "bar"}) if random.random() < 0.05 else None
    is_wanted = box["lamps"] is not None and box["lamps"]["pattern"] in ("turn", "nudge", "claim", "waiting", "roll")
    if random.random() > (0.6 if is_wanted else 0.1):
        return None
    what = random.choice(["push", "push", "push", "k1", "k2", "k3", "k4", "k5", "k6", "bar", "dial"])
    if what == "dial":
        return "press", {"what": "dial", "detents": random.choice([-3, -1, 1, 2, 5])}
    return "press", {"what": what, "hold": "hold" in behaviors and random.random() < RARE["hold"]}


def secret_choices(phone: SimulatedPhone, verb: str, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return another choice that this phone could make instead, if its choice is secret until all have chosen; else None."""
    state, hand = phone.state, phone.hand
    if verb != "act" or not state or not hand or not state["view"] or not state["view"]["waiting"].get("secret"):
        return None
    random = Random(f"{args}")
    for move in hand["moves"]:
        if move["move"] == args.get("move") and not move.get("standing"):
            for _ in range(5):
                other = {name: value(legal, random) for name, legal in move.items() if name not in ("move", "standing")}
                if {"move": move["move"], **other} != dict(args):
                    return {"verb": verb, "args": {"move": move["move"], **other}}
    return None
