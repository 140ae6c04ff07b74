"""People as generators: what guests, staff and the owner of a simulated table do next.

They are boring most of the time and rare on purpose. Each seed switches some of the rare behaviors off (swarm testing: Groce
and others, 2012), because one that happens all the time hides what happens without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from hub.network.staff_verbs import TABLE_ARGS
from hub.network.verbs import ARGS
from tests.examples import examples, malformed
from tests.random_client import value
from tests.simulation.phone import SimulatedPhone, State

Args: TypeAlias = Mapping[str, Any]

ASKED = examples(ARGS)
STAFF_ASKED = examples(TABLE_ARGS)
MALFORMED = {verb: [args for _, args in malformed(kind)] for verb, kind in ARGS.items()}

RARE: Mapping[str, float] = {
    "sleep": 0.02, "wake": 0.2, "vanish": 0.004, "come": 0.2, "leave": 0.006, "drop": 0.02, "another phone": 0.01,
    "cunning": 0.06, "malformed": 0.02, "undo": 0.02, "reread": 0.03, "pause": 0.006, "end": 0.01, "put_aside": 0.02,
    "take_up": 0.3, "hub_rolls": 0.01, "house": 0.05, "hand_over": 0.01, "staff": 0.01, "restart": 0.002,
    "power cut": 0.003, "patience": 0.0, "full disk": 0.002, "slow network": 0.01, "broker": 0.002, "help": 0.01, "hints": 0.02,
}  # fmt: skip
"""Behaviors, with the chance of each per step of a person."""
ALWAYS = frozenset({"wake", "come", "take_up"})
"""Behaviors that every seed has: without them, a table stays empty."""


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
        args = " ".join(f"{name}={value}" for name, value in self.args.items())
        return f"{clock} {'staff' if self.who < 0 else f'person {self.who}'}: {self.what} {args}".rstrip()


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
        case "sleep" | "vanish" | "drop" | "another phone":
            return name, {}
        case "leave" | "pause" | "undo" | "help":
            return request(name)
        case "hints":
            return request("hints", on=random.random() < 0.7)
        case "hub_rolls":
            return request("hub_rolls", on=random.random() < 0.5)
        case "hand_over":
            return request("hand_over", show=random.random() < 0.7)
        case "end" | "put_aside":
            return request("ask", what=name)
        case "take_up" if state["put_aside"]:
            return request("take_up", match=random.choice(state["put_aside"])["match"])
        case "reread" if state["dispute"]:
            return request("dice", say=random.choice(["reread", "stands"]))
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
        fits = [one["name"] for one in state["games"] if not one["lacks"]]
        return request("start", game=random.choice(fits)) if fits else None
    if not own["ready"]:
        return request("ready", ready=True)
    if state["state"] == "over" and random.random() < 0.2:
        return request("again")
    return None


def staff_step(state: State, random: Random) -> tuple[str, Args]:
    """Return what staff do."""
    verb = random.choice([*TABLE_ARGS])
    args = dict(random.choice([*STAFF_ASKED[verb], {}]))
    if verb == "free":
        args = {"seat": random.choice(state["seats"])["seat"]}
    elif verb == "done" and state["notices"]:
        args = {"key": random.choice(state["notices"])["key"]}
    return "staff", {"verb": verb, "args": args}


def owner_steps(behaviors: frozenset[str], random: Random) -> Iterator[tuple[str, Args]]:
    """Yield what happens to the hub in one step."""
    for name in ("restart", "power cut", "full disk", "slow network", "broker"):
        if name in behaviors and random.random() < RARE[name]:
            yield name, {"seconds": random.choice([1.0, 10.0, 100.0])}
