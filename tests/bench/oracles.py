"""Liar's Dice and Oh Hell of the examples beside OpenSpiel's: `nice -n 19 python -m tests.bench.oracles`.

OpenSpiel's `liars_dice` and `oh_hell` were written without us. Random matches run in both at the same time, with the
same dice and cards. At each decision, both must allow the same actions to the same player, and each round must end with
the same result. A move that we make automatically must be OpenSpiel's only legal action. The first disagreement is
printed with both answers, and the exit code is 1.

Liar's Dice, 2 to 6 players, 1 to 6 dice each, ones wild or not. Each round is one of OpenSpiel's games. Compared:
- which bids are higher than the last one, and when a player may call;
- who loses a die after a call. At the end, the winner and everybody's dice must follow from these losses.
OpenSpiel's highest face is wild. It plays with 8 faces here: 8 is our wild one, and 7 is a die that a player has lost.
Not compared:
- OpenSpiel's bids of 7 or 8, and its bids of more dice than are in play (its players have equal numbers of dice);
- whose turn it is among more than two players: OpenSpiel has two, and each of them plays for every second seat in turn;
- who bids first in a round (OpenSpiel plays one round), *spot on*, and dice cups.

Oh Hell, 3 to 6 players, all hand sizes, orders of deals and dealers. Each deal is one of OpenSpiel's games. Compared:
- who is in turn, which bids are legal (the hook is on), which cards may be played, and so who takes each trick;
- the points of every player in each deal. At the end, winners and scores must follow from these points.
Without a penalty, OpenSpiel scores like our option `score = "tricks"`. With its penalty, it scores exact bids like our
`score = "exact"`, and a missed bid has negative points: there, we have 0.
Not compared: matches without the hook, the sizes of later deals, and who deals next (OpenSpiel plays one deal).

No hub and no test installs OpenSpiel: the first run does, in a Python of its own beside `tests/bench/peers/oracle.py`.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from hub import games
from hub.authoring.find import find_game
from hub.chance import Chance
from hub.engine.decision import Action, Amount, Fixed, Move, OneOf
from hub.engine.event import Event
from hub.engine.game import Game
from hub.engine.match import Match
from hub.errors import HubError
from tests.bench.peer import FOLDER, PYTHON, Absent, Program, install

EXAMPLES = Path(__file__).parents[2] / "hub/docs/examples/games"
Drawn = list[tuple[str, Any]]
"""What chance decided: each pile, with the value that was picked or the order after a shuffle."""


class Disagreement(Exception):
    """Our rules and OpenSpiel's differ: `str()` has both answers."""


class Oracle:
    """One match in OpenSpiel's words. `total` is each seat's dice or points as they follow from OpenSpiel's results."""

    name = ""
    least = 2

    def __init__(self, seats: Sequence[int], random: Random) -> None:
        self.seats = seats
        self.options = self.choose(random)
        self.total = dict.fromkeys(seats, self.options.get("dice", 0))

    def choose(self, random: Random) -> dict[str, Any]:
        """Return options of ours for which OpenSpiel has the same rules."""
        raise NotImplementedError

    def begin(self, match: Match, drawn: Drawn) -> tuple[str, list[str]]:
        """Return OpenSpiel's game for the next round, and its actions of chance."""
        raise NotImplementedError

    def next_seat(self, player: int) -> int:
        """Return the seat that acts now if `player` does in OpenSpiel."""
        return self.seats[player]

    def is_compared(self, word: str) -> bool:
        """Return whether we must allow an action if OpenSpiel does."""
        return True

    def word(self, move: str, args: dict[str, Any]) -> str:
        """Return OpenSpiel's word for a move; our own name for a move that OpenSpiel does not have."""
        raise NotImplementedError

    def result(self, returns: list[float]) -> dict[int, int]:
        """Return what seats gain or lose by the round."""
        raise NotImplementedError


class LiarsDice(Oracle):
    """Liar's Dice. `order` are the seats with dice, the first bidder first; `last` acted last for each player."""

    name = "liars-dice"
    order: list[int]
    last: list[int]
    turns: int

    def choose(self, random: Random) -> dict[str, Any]:
        return {"dice": random.randint(1, 6), "wild_ones": random.random() < 0.5}

    def begin(self, match: Match, drawn: Drawn) -> tuple[str, list[str]]:
        living = [seat for seat in self.seats if self.total[seat]]
        at = living.index(match.state.table.first)
        self.order, self.last, self.turns = living[at:] + living[:at], [0, 0], 0
        wild = 8 if self.options["wild_ones"] else 1
        faces = [wild if value == 0 else value + 1 for pile, value in drawn if pile == "dice"]
        if len(faces) != sum(self.total.values()):
            raise Disagreement(f"we roll {len(faces)} dice; OpenSpiel's results leave {sum(self.total.values())}")
        halves: tuple[list[int], list[int]] = [], []
        for place, seat in enumerate(self.order):
            halves[place % 2].extend(faces[: self.total[seat]])
            del faces[: self.total[seat]]
        most = max(map(len, halves))
        rolled = [face for half in halves for face in half + [7] * (most - len(half))]
        return f"liars_dice(numdice={most},dice_sides=8)", [f"Roll {face}" for face in rolled]

    def next_seat(self, player: int) -> int:
        self.last[player] = self.order[player if len(self.order) == 2 else self.turns % len(self.order)]
        self.turns += 1
        return self.last[player]

    def is_compared(self, word: str) -> bool:
        if word == "Liar":
            return True
        quantity, face = map(int, word.split("-"))
        return quantity <= sum(self.total.values()) and face <= 6

    def word(self, move: str, args: dict[str, Any]) -> str:
        return f"{args['quantity']}-{args['face']}" if move == "bid" else {"call": "Liar"}.get(move, move)

    def result(self, returns: list[float]) -> dict[int, int]:
        return {self.last[player]: int(change) for player, change in enumerate(returns) if change < 0}


class OhHell(Oracle):
    """Oh Hell."""

    name, least = "oh-hell", 3

    def choose(self, random: Random) -> dict[str, Any]:
        return {
            "cards": random.randint(0, min(10, 51 // len(self.seats))), "dealer": random.choice([0, *self.seats]),
            "deals": random.choice(["down", "down_and_up", "up_and_down"]), "score": random.choice(["exact", "tricks"]),
        }  # fmt: skip

    def begin(self, match: Match, drawn: Drawn) -> tuple[str, list[str]]:
        cards, count, deck = match.state.table.cards, len(self.seats), dict(drawn)["deck"]
        dealer = self.seats.index(match.state.table.dealer)
        # OpenSpiel's first card goes to player 0, ours to the dealer's left.
        hands = [deck[(player - dealer - 1) % count : count * cards : count] for player in range(count)]
        dealt = [card for each in zip(*hands, strict=True) for card in each]
        penalty = "true" if self.options["score"] == "exact" else "false"
        game = f"oh_hell(players={count},num_tricks_fixed={cards},off_bid_penalty={penalty})"
        return game, [f"{cards}", f"{dealer}", *(card[::-1] for card in (*dealt, deck[count * cards]))]

    def word(self, move: str, args: dict[str, Any]) -> str:
        return {"bid": str(args.get("number")), "play": str(args.get("card"))[::-1]}.get(move, move)

    def result(self, returns: list[float]) -> dict[int, int]:
        return {seat: max(0, int(points)) for seat, points in zip(self.seats, returns, strict=True)}


def settle(match: Match, chance: Chance) -> Drawn:
    """Let chance decide, and return what it decided."""
    drawn: Drawn = []
    while match.open and match.open.by_chance:
        action, cards, pile = chance.answer(match.open), match.open.cards, match.open.pile
        drawn.append((pile, action.args["order"] if action.move == "shuffle" else cards[action.args["index"]]))
        match.act(action)
    return drawn


def answers(move: Move) -> Iterator[dict[str, Any]]:
    """Yield every answer that a move allows."""
    values: list[Sequence[Any]] = []
    for param in move.params.values():
        match param:
            case Fixed(value):
                values.append([value])
            case OneOf(listed):
                values.append(listed)
            case Amount(least, most, step):
                values.append(range(least, most + 1, step))
            case _:
                raise Disagreement(f"OpenSpiel has no move like {move}")
    for chosen in product(*values):
        yield dict(zip(move.params, chosen, strict=True))


def moves(rules: Oracle, events: Sequence[Event]) -> list[tuple[int, str]]:
    """Return the moves that the table is told of, also automatic ones: each seat with OpenSpiel's word."""
    made = []
    for event in events:
        if event.kind in ("bid", "call", "play"):
            made.append((event.data["seat"], rules.word(event.kind, event.data)))
        elif event.kind == "reveal":
            made += [(int(seat), rules.word("play", {"card": card})) for seat, card in event.data["bids"].items()]
    return made


def results(events: Sequence[Event]) -> Iterator[str]:
    """Yield the kind of each result, for the report."""
    for event in events:
        if event.kind == "showdown":
            yield "lies" if event.data["total"] < event.data["quantity"] else "true bids"
        elif event.kind in ("exact", "missed"):
            yield f"{event.kind} bids"


def agree(what: str, ours: object, theirs: object) -> None:
    """Raise Disagreement unless both are equal."""
    if ours != theirs:
        raise Disagreement(f"{what}\n  ours:      {ours}\n  OpenSpiel: {theirs}")


def play_round(rules: Oracle, match: Match, other: Program, random: Random, said: list[str]) -> Counter[str]:
    """Play one round in both, and return what was compared. `said` gets the actions."""
    seen, counts = len(match.events), Counter(rounds=1)
    game, words = rules.begin(match, settle(match, Chance(random)))
    said[:] = [game, *words]
    told, made = other.ask(game=game, actions=words), moves(rules, match.events[seen:])
    while told.get("returns") is None:
        if "refused" in told:
            raise Disagreement(f"OpenSpiel refuses {told['refused']!r}, and allows {told['legal']}")
        seat, theirs = rules.next_seat(told["player"]), sorted(filter(rules.is_compared, told["legal"]))
        if made:
            agree("An automatic move: who makes it, and what is legal", made[0], (seat, *theirs))
            word = made.pop(0)[1]
            counts["automatic"] += 1
        else:
            agree("Whose turn it is", [*match.open.asked] if match.open else [], [seat])
            assert match.open
            offers = {
                rules.word(move.name, args): Action(seat=seat, move=move.name, args=args)
                for move in match.open.offers(seat)
                for args in answers(move)
            }
            agree(f"What Seat {seat} may do", sorted(offers), theirs)
            legal = [word for word in told["legal"] if word in offers]  # low bids first, the call last
            word, known = random.choice(random.choice((legal, legal[:8], legal[:8], legal[-1:]))), len(match.events)
            match.act(offers[word])
            first, *made = moves(rules, match.events[known:]) or [(0, "")]
            agree("What the table is told of the move", first, (seat, word))
            counts += Counter(decisions=1, legal=len(legal))
        said.append(word)
        told = other.ask(actions=[word])
    agree("What follows after the last move", made, [])
    events, result = match.events[seen:], rules.result(told["returns"])
    gained = {one.data["seat"]: one.data["to"] - one.data["from"] for one in events if "from" in one.data}
    agree("The result of the round", gained, result)
    for seat, points in result.items():
        rules.total[seat] += points
    return counts + Counter(results(events))


def load(kind: type[Oracle]) -> Game:
    """Return the game of an example."""
    return games.find(find_game(f"{EXAMPLES / kind.name}"))


def play_match(kind: type[Oracle], game: Game, other: Program, number: int) -> tuple[int, Counter[str]]:
    """Play one match in both, the same one for the same number. Return its players, and what was compared."""
    random = Random(f"{kind.name} {number}")
    seats = sorted(random.sample(range(1, 7), kind.least + number % (7 - kind.least)))
    rules, counts, said = kind(seats, random), Counter(matches=1), list[str]()
    match = Match(game, seats, rules.options)
    try:
        while not match.over:
            counts += play_round(rules, match, other, random, said)
        agree("The scores of the match", match.over.scores, rules.total)
        best = max(rules.total.values())
        agree("The winners", match.over.winners, [seat for seat in seats if rules.total[seat] == best])
    except (Disagreement, HubError, EOFError) as why:
        about = f"{kind.name}, match {number} (--first {number} --matches 1): seats {seats}, options {rules.options}"
        raise Disagreement(f"{about}\nActions of the round: {', '.join(said)}\n{why}") from why
    return len(seats), counts


def beside() -> Program:
    """Start OpenSpiel."""
    return Program([str(PYTHON), str(FOLDER / "oracle.py")])


def main(words: Sequence[str] | None = None) -> int:
    """Play the matches and print what was compared; return 1 after a disagreement."""
    parser = ArgumentParser(
        prog="python -m tests.bench.oracles", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=500, metavar="N", help="matches of each game")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the number of the first match: its seed")
    args = parser.parse_args(words)
    try:
        install()
    except Absent as why:
        raise SystemExit(str(why)) from None
    with beside() as other:
        print(f"OpenSpiel {other.ready['version']}. {(__doc__ or '').partition(chr(10) * 2)[2]}", flush=True)
        print("| game | players | matches | rounds | decisions | legal actions | automatic moves | results |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for kind in (LiarsDice, OhHell):
            game, by_players = load(kind), dict[int, Counter[str]]()
            try:
                for number in range(args.first, args.first + args.matches):
                    players, counts = play_match(kind, game, other, number)
                    by_players.setdefault(players, Counter()).update(counts)
            except Disagreement as why:
                print(why)
                return 1
            for players, counts in sorted(by_players.items()):
                numbers = [counts.pop(name, 0) for name in ("matches", "rounds", "decisions", "legal", "automatic")]
                cells = [kind.name, players, *(f"{one:,}" for one in numbers)]
                cells.append(", ".join(f"{count:,} {name}" for name, count in sorted(counts.items())))
                print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
