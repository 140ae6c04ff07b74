"""What people do in a round with the hub's cards, with printed ones, and with no hub: `python -m tests.bench.inputs`.

The people's moves are those of the steady house. A match is played with the hub's cards, and beside it one with printed cards is
told what people would tell it. An answer is one input, without dice; a touch is each choice in it, and the press that sends it.
Without a hub people choose in secret, too, and by hand move and write down what the hub reckons.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import median
from typing import Any, NamedTuple

from hub import games
from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, Choose, Move, Order
from hub.engine.game import Game
from hub.engine.house_player import play, sight_of
from hub.engine.match import Match
from hub.engine.printed import OPTION, UNKNOWN

MATCHES, SEATS = 40, (1, 2, 3, 4)
FIRST = {"bid-and-bait": "duck", "big-idea": "dealer"}
"""The option that names who begins, where it is not `first`."""
PAYBACK = "PAYBACK"


class Done(NamedTuple):
    """What a match of people took in a round: answers and touches by either kind of cards, and acts without a hub."""

    answers: float
    touches: float
    printed_answers: float
    printed_touches: float
    by_hand: float


def touches(match: Match, action: Action) -> int:
    """How often a phone is touched for an action that is legal now."""
    assert match.open
    offers = (*match.open.offers(action.seat), *match.standing(action.seat))
    move = next(one for one in offers if one.name == action.move and one.accepts(action.args))
    open_ones = {name: param for name, param in move.params.items() if not Move("", {name: param}).single()}
    return 1 + sum(
        len(action.args[name]) if isinstance(param, Choose | Order) else 1 for name, param in open_ones.items()
    )


class Twins:
    """A match with the hub's cards, and one with printed cards to which people tell the same."""

    def __init__(self, game: Game, seed: int) -> None:
        options: dict[str, Any] = {first: 1} if (first := FIRST.get(game.name, "first")) in game.options else {}
        self.real, self.printed = Match(game, SEATS, options), Match(game, SEATS, {**options, OPTION: True})
        self.touched = {False: 0, True: 0}
        self.by_hand, self._random, self._chance = 0, Random(seed), Chance(seed)
        self._discards: dict[int, str] = {}
        self._picks: list[Action] = []

    def play(self) -> Done:
        """Play to the end of both."""
        self._settle()
        while self.real.open:
            self._lay_out()
            seat = next(seat for seat in SEATS if sight_of(self.real, seat))
            sealed, action = self.real.open.kind == "sealed", play(self.real, seat, "steady", self._random)
            assert action is not None
            if action.seat != CHANCE:
                self.touched[False] += touches(self.real, action)
                self.by_hand += sealed
            told = list(self._told(action))
            self.real.act(action)
            self._settle()
            for one in told:
                if not self.printed.refusal(one):  # an answer that was the only one is given by the hub itself
                    self._tell(one)
            self._follow()
        self.by_hand += sum("sum" in event.data and event.data.get("from") is not None for event in self.real.events)
        rounds = self.real.state.round
        assert self.printed.over
        assert self.printed.over.winners == self.real.over.winners  # type: ignore[union-attr]
        answers = [sum(bool(entry.seat) for entry in match.log) for match in (self.real, self.printed)]
        return Done(
            answers[0] / rounds, self.touched[False] / rounds, answers[1] / rounds, self.touched[True] / rounds,
            self.by_hand / rounds,
        )  # fmt: skip

    def _settle(self) -> None:
        length = len(self.real.log)
        self._chance.settle(self.real)
        for entry in self.real.log[length:]:
            if entry.move != "shuffle" or len(entry.args.get("order", ())) < 2:
                self._picks.append(Action(seat=CHANCE, move=entry.move, args=entry.args))

    def _tell(self, action: Action) -> None:
        if action.seat != CHANCE:
            self.touched[True] += touches(self.printed, action)
        self.printed.act(action)

    def _names(self, seat: int) -> set[str]:
        return {move.name for move in self.printed.open.offers(seat)} if self.printed.open else set()

    def _lay_out(self) -> None:
        """Say that all lies there; in I Bid You Not also which card lies open."""
        while self.printed.open and (seats := [seat for seat in SEATS if "laid_out" in self._names(seat)]):
            (move,) = self.printed.open.offers(seats[0])
            args = {"card": self.real.state.table.offer[0].card} if move.params else {}
            self._tell(Action(seat=seats[0], move="laid_out", args=args))

    def _follow(self) -> None:
        """Tell what shows by itself: hands at a showdown, backs that were discarded, a card that is handed over, a set."""
        while self.printed.open:
            chance = self.printed.open.by_chance
            asked = [(seat, name) for seat in SEATS for name in sorted(self._names(seat))] if not chance else []
            if chance:
                self._tell(self._picks.pop(0))
            elif shown := [
                seat for seat, name in asked if name == "show_none" and seat not in self.printed.open.answers
            ]:
                for seat in shown:
                    count = self.real.state.table.count.by_seat[seat]
                    args = {"count": count} if count else {}
                    self._tell(Action(seat=seat, move="show" if count else "show_none", args=args))
            elif (dealer := [seat for seat, name in asked if name == "dealt"]) and len(self._discards) == self._due():
                for owner, face in self._discards.items():
                    away = Action(seat=dealer[0], move="payback_away", args={"owner": owner})
                    if face == PAYBACK and not self.printed.refusal(away):
                        self._tell(away)
                self._tell(Action(seat=dealer[0], move="dealt", args={}))
                self._discards = {}
            elif late := self._bids_left():
                self._tell(late)
            elif handed := [seat for seat, name in asked if name == "handed"]:
                (move,) = self.printed.open.offers(handed[0])
                self._tell(Action(seat=handed[0], move="handed", args=move.first()))
            elif claims := [seat for seat, name in asked if name == "no_set"]:
                won = self.real.over and self.real.over.winners == [claims[0]] and "Fish" not in self.real.over.why
                self._tell(Action(seat=claims[0], move="show_set" if won else "no_set", args={}))
            elif (
                self.real.over
                and (seat := self.real.over.winners[0])
                and any(
                    move.name == "show_set" for move in (*self.printed.open.offers(seat), *self.printed.standing(seat))
                )
            ):
                self._tell(Action(seat=seat, move="show_set", args={}))
            else:
                return

    def _bids_left(self) -> Action | None:
        """Return a bid that nobody had to be asked for with the hub's cards, as everybody knew the last card of that hand."""
        shown = [[event for event in match.events if event.kind == "reveal"] for match in (self.real, self.printed)]
        if len(shown[0]) <= len(shown[1]) or not self.printed.open or self.real.game.name != "i-bid-you-not":
            return None
        for seat, bid in shown[0][len(shown[1])].data["bids"].items():
            action = self._bid(int(seat), {"cards": bid} if isinstance(bid, list) else {"card": bid})
            if int(seat) not in self.printed.open.answers and not self.printed.refusal(action):
                return action
        return None

    def _bid(self, seat: int, args: dict[str, Any]) -> Action:
        """Return a bid in I Bid You Not: of a hand with known cards among unknown ones, an unknown one is another move."""
        bid = Action(seat=seat, move="bid", args=args)
        return Action(seat=seat, move="bid_any", args=args) if self.printed.refusal(bid) else bid

    def _due(self) -> int:
        return sum(bool(one.hand_size) for one in self.printed.state.seats.values())

    def _told(self, action: Action) -> Iterator[Action]:
        """Yield what people tell of an action with printed cards."""
        args = dict(action.args)
        match self.real.game.name, action.move:
            case "bidness", "discard":
                self._discards[action.seat] = args["card"]
                return
            case "bidness", "play" if args["card"] == PAYBACK:
                yield Action(seat=action.seat, move="pay_back", args={"ious": args["ious"]})
                return
            case "bidness", "sell":
                yield Action(seat=action.seat, move="sell_payback" if args["card"] == PAYBACK else "sell", args={})
                return
            case "i-bid-you-not", "bid":
                yield self._bid(action.seat, args)
                return
            case "bid-it", "draw":
                yield Action(seat=action.seat, move="swap", args={})
                return
            case "bid-it", "bid":
                args.pop("expose", None)
            case "bid-and-bait", "take_fish":  # slots of Fish that nobody has named are alike
                for move in self.printed.open.offers(action.seat) if self.printed.open else ():
                    if move.name == "take_fish" and not move.accepts(args):
                        args = move.first()
            case "big-idea", "launch" | "discard":
                args["cards"] = [UNKNOWN] * len(args["cards"])
        yield Action(seat=action.seat, move=action.move, args=args)


def of_a_round(game: Game) -> Done:
    """The middle of all matches, each figure by itself."""
    return Done(*map(median, zip(*(Twins(game, seed).play() for seed in range(MATCHES)), strict=True)))


def main() -> None:
    """Print the table of `hub/docs/games.md`."""
    for game in map(games.find, games.names()):
        if OPTION in game.options:
            print(f"| {game.title} | {' | '.join(f'{figure:.0f}' for figure in of_a_round(game))} |")


if __name__ == "__main__":
    main()
