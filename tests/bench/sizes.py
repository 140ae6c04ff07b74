"""How large state and hand are, and of what: `python -m tests.bench.sizes [game ...]`.

Each game is played by six people by chance, or by as many as it takes. Every state and every hand from the middle third of
the actions of a match counts. It prints the mean bytes of JSON by field, the largest first, what lies in the hand, how many
blocks the hands of the match are padded to, and what msgspec takes for a state.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import msgspec

from hub import games
from hub.network.encryption import HubKey
from hub.network.messages import HAND_SIZE, to_bytes
from hub.state import Hand, PublicState
from hub.store import Store
from tests.bench.tables import Playing
from tests.random_client import value

ACTIONS = 240  # of a match, at most


def by_field(struct: PublicState | Hand) -> dict[str, int]:
    """Return the bytes that each field takes on the wire, its name included."""
    fields: dict[str, Any] = msgspec.json.decode(to_bytes(struct))
    return {
        name: len(msgspec.json.encode(name)) + 2 + len(msgspec.json.encode(value)) for name, value in fields.items()
    }


def play(name: str, store: Store, key: HubKey) -> tuple[list[PublicState], list[Hand]]:
    """Play one match, and return the states and the hands of its middle third."""
    game = games.find(name)
    playing = Playing(7, store, key, game, game.seats[1], seed=7)
    states: list[PublicState] = []
    hands: list[list[Hand]] = []
    try:
        for _ in range(ACTIONS):
            newest = playing.table._publisher._newest
            assert newest is not None
            if newest.state != "playing":
                break
            states.append(newest)
            hands.append([playing.table._snapshots.hand(seat) for seat in playing.table._seats if seat.sid])
            step(playing, newest, hands[-1])
    finally:
        playing.close()
    third = len(states) // 3
    return states[third : 2 * third], [hand for some in hands[third : 2 * third] for hand in some]


def step(playing: Playing, state: PublicState, hands: list[Hand]) -> None:
    """Have somebody do what can be done: type dice, let them count, or move."""
    asked = [hand for hand in hands if hand.moves and not hand.locked]
    rolling = [hand for hand in hands if hand.faces]
    if state.dice and state.dice.state == "typed":
        seat = next(hand.seat for hand in hands if hand.seat != state.dice.seat)
        playing.ask(seat, verb="dice", number=hands[0].number, args={"say": "accept"})
    elif rolling:
        faces = rolling[0].faces
        assert faces is not None
        typed = [playing.random.randint(1, faces.sides) for _ in range(faces.count)]
        playing.ask(rolling[0].seat, verb="roll", number=rolling[0].number, args={"faces": typed})
    else:
        hand = playing.random.choice(asked)
        move = playing.random.choice(hand.moves)
        args = {key: value(param, playing.random) for key, param in move.items() if key not in ("move", "standing")}
        playing.ask(hand.seat, verb="act", number=hand.number, args={"move": move["move"], **args})
    playing.wait()


def told(structs: list[PublicState] | list[Hand]) -> str:
    """Return the mean bytes by field, the largest first."""
    count: Counter[str] = Counter()
    for struct in structs:
        count.update(by_field(struct))
    fields = [f"{name} {size / len(structs):.0f}" for name, size in count.most_common() if size >= 40 * len(structs)]
    return ", ".join(fields)


def main(*names: str) -> None:
    """Print a table."""
    key = HubKey.generate()
    for name in names or games.names():
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder) / "record.db")
            states, hands = play(name, store, key)
            store.close()
        wire = [to_bytes(state) for state in states]
        began = time.process_time()
        for state in states * 20:
            to_bytes(state)
        spent = (time.process_time() - began) / 20 / len(states)
        largest = max(len(to_bytes(hand)) for hand in hands)
        mean_hand = mean(len(to_bytes(hand)) for hand in hands)
        print(
            f"{name}: state {mean(map(len, wire)):.0f} mean, {max(map(len, wire))} most, {spent * 1e6:.1f} us to write"
        )
        print(f"    {told(states)}")
        print(f"  hand {mean_hand:.0f} mean, {largest} most, {largest // HAND_SIZE + 1} blocks needed")
        print(f"    {told(hands)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
