"""Public states as a table publishes them, of four games, to draw and to test with."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from hub.engine.labels import Labels
from hub.engine.match import Over
from hub.engine.text import to_json
from hub.state import (
    Notice,
    PublicDice,
    PublicEvent,
    PublicSeat,
    PublicState,
    ScreenState,
    Severity,
    View,
    Waiting,
    WantedRoll,
)
from tests.made_labels import made_labels

SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Most severe first."""

BAIT: dict[str, Any] = {
    "title": "Bid & Bait!",
    "cards": {
        name: {"name": name.capitalize(), "letter": letter}
        for name, letter in zip(("bream", "carp", "eel", "perch", "pike", "trout"), "ABCDEF", strict=True)
    },
    "phases": {"bid": "Bid", "roll": "Roll", "take": "Take", "over": "The end"},
    "facts": {
        "fish": {"where": "seat", "label": "Fish", "short": "", "card": True},
        "fish_count": {"where": "seat", "label": "Fish in all", "short": "f"},
        "baits": {"where": "seat", "label": "Baits", "short": "b"},
        "held": {"where": "seat", "name": "spots", "label": "Held Spots", "short": "S"},
        "bid": {"where": "seat", "label": "Bid", "short": "bid"},
        "spots": {
            "where": "table", "label": "Spots", "row": True, "title": "Spot {number}", "cards": "fish",
            "text": "{text}", "flag": "taken",
        },
        "order": {"where": "table", "label": "order", "seats": True},
        "supply": {"where": "table", "label": "Baits in the box"},
        "pile": {"where": "table", "label": "Fish left"},
        "discards": {"where": "table", "label": "Discarded", "card": True},
        "secret_fish": {"where": "you", "label": "Your secret Fish", "card": True},
    },
    "screen": {
        "cell": "{fish_count}·{baits}", "token": "duck", "token_letter": "D", "ring": "bid",
        "phase": {
            "bid": {"main": "SPOT {table.spots.0.number}", "caption": "bids {locked} of {seated}"},
            "roll": {"main": "bid {seat.bid}", "caption": "roll {seat.bid} or more"},
            "take": {"main": "{seat.bid} : {table.rolled.0}", "caption": "bid : rolled"},
        },
    },
}  # fmt: skip

NAMES = {1: "Ana", 2: "Ben", 3: "Chloë", 4: "Dee", 5: "Emil", 6: "Fay"}


# --- building blocks -------------------------------------------------------------------------------------


def players(count: int) -> list[PublicSeat]:
    """Return so many seats, all held and with phone and box."""
    return [
        PublicSeat(seat=seat, name=NAMES[seat], held=True, phone="on", box="on", ready=True, presence="here")
        for seat in range(1, count + 1)
    ]


def state(**changes: Any) -> PublicState:
    """Return a public state of table 1 in the lobby, with what differs."""
    fields: dict[str, Any] = {
        "table": "1", "name": "Table 4", "code": "FISH", "url": "http://10.42.0.1:8080", "epoch": 1, "seq": 41,
        "state": "lobby", "seats": [],
    }  # fmt: skip
    return PublicState(**fields | changes)


def with_view(of: PublicState, **changes: Any) -> PublicState:
    """Return the state with fields of its view changed."""
    assert of.view
    return replace(of, view=replace(of.view, **changes))


def with_table(of: PublicState, **facts: Any) -> PublicState:
    """Return the state with facts of the table changed or added."""
    assert of.view
    return with_view(of, table=of.view.table | facts)


def with_facts(of: PublicState, seat: int, **facts: Any) -> PublicState:
    """Return the state with a seat's facts changed or added."""
    assert of.view
    return with_view(of, seats=of.view.seats | {str(seat): of.view.seats[str(seat)] | facts})


def with_seats(of: PublicState, *numbers: int, **changes: Any) -> PublicState:
    """Return the state with fields of the seats with these numbers changed, of all without numbers."""
    seats = [replace(one, **changes) if one.seat in numbers or not numbers else one for one in of.seats]
    return replace(of, seats=seats)


def with_dice(of: PublicState, **changes: Any) -> PublicState:
    """Return the state with fields of its open roll changed."""
    assert of.dice
    return replace(of, dice=replace(of.dice, **changes))


def ended(of: PublicState, over: Over) -> PublicState:
    """Return the state at the end of its match: nobody is asked, no roll is open."""
    last = PublicEvent(n=80, text=over.why, kind="over")
    return replace(
        with_view(of, waiting=Waiting(seats=[])),
        state="over", over=over, dice=None, locked=[], want="", events=[*of.events, last],
    )  # fmt: skip


def assert_possible(state: PublicState) -> None:
    """Assert that a hub can be in this state: the wire takes it, and its parts agree with each other."""
    assert msgspec.json.decode(to_json(state), type=type(state)) == state
    assert len({one.seat for one in state.seats}) == len(state.seats)
    assert all(one.held or not (one.name or one.ready) for one in state.seats)
    assert [one.severity for one in state.notices] == sorted(
        (one.severity for one in state.notices), key=SEVERITIES.index
    )
    if state.view is None:
        assert state.state == "lobby"
        assert (state.match, state.dice, state.over, state.events, state.locked) == (None, None, None, [], [])
        return
    playing = {int(seat) for seat in state.view.seats}
    waiting = state.view.waiting
    assert state.state != "lobby"
    assert state.match
    assert state.game == state.view.game
    assert playing <= {one.seat for one in state.seats}
    assert {int(seat) for seat in waiting.seats} <= playing
    assert set(state.locked) <= {int(seat) for seat in waiting.seats}
    assert waiting.roll is None or (waiting.roll.seat in playing and waiting.secret is False)
    assert waiting.secret is not None or not waiting.seats
    assert (state.state == "over") == (state.over is not None)
    if state.over:
        assert not waiting.seats
        assert state.dice is None
        assert set(state.over.scores) == playing
        assert set(state.over.winners) <= playing
    if state.dice:
        assert state.dice.seat in playing
        assert state.dice.total == sum(state.dice.faces) + sum(sum(batch.faces) for batch in state.dice.done)
        assert len(state.dice.faces) + sum(len(batch.faces) for batch in state.dice.done) <= state.dice.count


# --- states of four games --------------------------------------------------------------------------------


def lobby(count: int = 4) -> PublicState:
    """Return a lobby in which all seats but the last two are held, and one of these is not ready."""
    found = state(seats=players(count))
    found = with_seats(found, count - 2, ready=False)
    found = with_seats(found, count - 1, count, name="", held=False, phone="none", ready=False)
    shown = {name: getattr(found, name) for name in PublicState.__struct_fields__}
    return ScreenState(**shown, claim_codes={str(count - 1): "BCDFGH", str(count): "XZWVTS"})


def _lake() -> View:
    return View(
        game="bid-and-bait",
        round=4,
        phase="bid",
        table={
            "spots": [
                {"number": 4, "side": "basic", "text": "Reroll your Rod",
                 "fish": ["perch", None, "eel"], "taken": False},
                {"number": 5, "side": "basic", "text": "", "fish": ["trout", "bream", "pike", "carp"], "taken": False},
                {"number": 6, "side": "basic", "text": "Gain 3 Baits", "fish": ["eel", "eel", "carp"], "taken": False},
                {"number": 7, "side": "basic", "text": "Reroll your Rod", "fish": ["bream", "trout", "pike"], "taken": False},
            ],
            "duck": 1, "pile": 14, "discards": ["pike"], "order": [], "supply": 8, "rolled": [], "needs": None,
        },
        seats={
            "1": {"fish": ["bream", "bream", "eel"], "fish_count": 4, "baits": 3, "spots": [2], "bid": None, "locked": True},
            "2": {"fish": ["carp", "pike"], "fish_count": 3, "baits": 1, "spots": [], "bid": None, "locked": False},
            "3": {"fish": ["bream", "carp", "eel", "perch", "trout"], "fish_count": 6, "baits": 12, "spots": [1],
                  "bid": None, "locked": True},
            "4": {"fish": ["carp"], "fish_count": 2, "baits": 6, "spots": [3], "bid": None, "locked": False},
        },
        waiting=Waiting(seats=["1", "2", "3", "4"], secret=True),
    )  # fmt: skip


def bait_bid() -> PublicState:
    """Return a state in which everybody bids and two have locked."""
    return state(
        match="m-7", game="bid-and-bait", title="Bid & Bait!", state="playing", seats=players(4), view=_lake(),
        locked=[1, 3], want="Bid a number from 1 to 6.",
        events=[PublicEvent(n=30, text="Spot 4 is next: Seat 1 has the Duck.", kind="spot")],
    )  # fmt: skip


def bait_roll() -> PublicState:
    """Return a state in which seat 1 is to roll."""
    found = with_table(bait_bid(), order=[4, 2, 1, 3])
    for seat, bid in ((1, 5), (2, 2), (3, 5), (4, 6)):
        found = with_facts(found, seat, bid=bid)
    roll = WantedRoll(seat=1, count=1, sides=6, why="roll")
    found = with_view(found, phase="roll", waiting=Waiting(seats=[], secret=False, roll=roll))
    return replace(
        found, locked=[], want="Ana rolls.", events=[PublicEvent(n=33, text="Seat 2 takes the Eel.", kind="take")],
        dice=PublicDice(state="armed", seat=1, count=1, sides=6, why="roll", batch=1),
    )  # fmt: skip


def bait_take() -> PublicState:
    """Return a state in which seat 1 rolled 3 for its 5 and may spend Baits."""
    found = with_view(bait_roll(), phase="take", waiting=Waiting(seats=["1"], secret=False))
    found = with_dice(with_table(found, rolled=[3], needs=2), state="settled", faces=[3], read="read", total=3)
    rolled = PublicEvent(n=34, text="Seat 1 rolls 3.", kind="roll")
    return replace(found, want="Spend 2 Baits?", events=[rolled])


def bait_over() -> PublicState:
    """Return a state in which seat 3 has won with six different Fish."""
    found = with_facts(bait_roll(), 3, fish=["bream", "carp", "eel", "perch", "pike", "trout"], fish_count=6)
    found = ended(
        with_view(found, phase="over"),
        Over(winners=[3], scores={1: 4, 2: 3, 3: 6, 4: 2}, why="Six different Fish."),
    )
    return replace(found, events=[PublicEvent(n=40, text="Seat 3 wins with six different Fish.", kind="over")])


AUCTION: dict[str, Any] = {
    "title": "Bidness",
    "cards": {"ENG": {"name": "Engineer", "letter": "E"}},
    "phases": {"auction": "Auction"},
    "facts": {
        "cash": {"where": "seat", "label": "Cash", "short": "$"},
        "ious": {"where": "seat", "label": "IOUs"},
        "tech": {"where": "seat", "label": "Tech", "short": "T"},
        "paybacks": {"where": "seat", "label": "Payback"},
        "hand_size": {"where": "seat", "label": "Hand"},
        "passes": {"where": "table", "label": "Passes"},
        "first_player": {"where": "table", "label": "First player", "seat": True},
        "tech_leader": {"where": "table", "label": "Tech leader", "seat": True},
    },
    "screen": {
        "cell": "{cash:dollars}", "leader": "table.auction.by", "inside": "table.auction.in",
        "phase": {
            "auction": {
                "main": "{table.auction.bid:dollars} Seat {table.auction.by}",
                "caption": "{table.auction.card} · the winner pays Seat {table.auction.seller}",
            },
        },
    },
}  # fmt: skip


def auction() -> PublicState:
    """Return five seats of whom seat 2 leads the auction, seat 4 is asked and two are out."""
    cash, ious, tech = (145, 310, 20, 95, 1240), (3, 2, 6, 4, 1), (20, 22, 12, 18, 31)
    view = View(
        game="bidness", round=3, phase="auction",
        table={
            "auction": {"card": "ENG", "seller": 1, "bid": 85, "by": 2, "in": [1, 2, 4]},
            "passes": 0, "first_player": 1, "tech_leader": 5,
        },
        seats={
            str(n + 1): {"cash": cash[n], "ious": ious[n], "tech": tech[n], "paybacks": (n + 1) % 2, "hand_size": 4}
            for n in range(5)
        },
        waiting=Waiting(seats=["4"], secret=False),
    )  # fmt: skip
    return state(
        match="m-8", game="bidness", title="Bidness", state="playing", seats=players(5), view=view,
        want="Seat 4 may bid $90 or drop.", events=[PublicEvent(n=61, text="Seat 2 bids $85.", kind="bid")],
    )  # fmt: skip


DICELESS: dict[str, Any] = {
    "title": "Bid*It!",
    "phases": {"turn": "Bid"},
    "facts": {
        "deal_cards": {"where": "seat", "label": "Deal cards", "short": "deal"},
        "hand_size": {"where": "seat", "label": "Hand", "short": "hand"},
        "out": {"where": "seat", "label": "out"},
        "stake": {"where": "table", "label": "Stake"},
        "deck": {"where": "table", "label": "Deck"},
        "discards": {"where": "table", "label": "Discards"},
    },
    "screen": {
        "cell": "{deal_cards}", "leader": "table.bid.seat",
        "phase": {"turn": {"main": "{table.bid.quantity} x {table.bid.rank}", "caption": "by Seat {table.bid.seat}"}},
    },
}  # fmt: skip


def ladder() -> PublicState:
    """Return six seats of whom seat 2 bid three fives, seat 4 is to act and seat 3 is out."""
    view = View(
        game="bid-it", round=5, phase="turn",
        table={"game": 1, "bid": {"quantity": 3, "rank": 5, "seat": 2}, "stake": 1, "deck": 31, "discards": ["5", "45"]},
        seats={
            str(seat): {"deal_cards": left, "hand_size": left, "exposed": [], "out": left == 0}
            for seat, left in enumerate((5, 6, 0, 4, 2, 1), 1)
        },
        waiting=Waiting(seats=["4"], secret=False),
    )  # fmt: skip
    texts = ("Seat 6 bids 2 x 6.", "Seat 1 draws 2 cards and bids 3 x 2.", "Seat 2 bids 3 x 5.")
    return state(
        match="m-9", game="bid-it", title="Bid*It!", state="playing", seats=players(6), view=view,
        want="Bid higher or challenge.", events=[PublicEvent(n=n, text=text, kind="bid") for n, text in enumerate(texts, 10)],
    )  # fmt: skip


MARKET: dict[str, Any] = {
    "title": "I Bid You Not",
    "phases": {"decide": "Take or skip"},
    "cards": {
        "mower": {"name": "Flown Mower", "letter": "Fm", "A": "Add only a product that is not in the offer"},
        "camerat": {"name": "Camerat", "letter": "Ca"},
    },
    "face": {"key": "card", "kind": "kind", "action": "action", "title": "{card}", "tag": "{price:+}"},
    "facts": {
        "offer": {"where": "table", "label": "Offer", "row": True, "card": True, "by": "by", "here": "table.last"},
        "active": {"where": "table", "label": "At work", "card": "name"},
        "discards": {"where": "table", "label": "Discarded", "last": 3},
        "quiet": {"where": "table", "label": "Quiet turns", "unless": 0},
        "hand_size": {"where": "seat", "label": "Hand", "short": "hand"},
        "bid": {"where": "seat", "label": "Bid", "in": ["decide"]},
        "totals": {"where": "seat", "label": "By product", "card": True, "signed": True},
    },
    "screen": {
        "cell": "{hand_size}",
        "phase": {"decide": {
            "main": "{table.worth:+}", "row": "table.offer", "caption": "take? worth {table.worth:+} · {table.queue}",
            "order": "table.order", "past": "table.skipped",
        }},
    },
}  # fmt: skip


def market(cards: int = 4, count: int = 4) -> PublicState:
    """Return so many cards in the offer, and seats of whom the first in the order has skipped and the next is asked."""
    offer = [
        {
            "card": 7 * n,
            "price": 5 - 3 * n,
            "kind": "camerat" if n % 2 else "mower",
            "action": None if n % 2 else "A",
            "by": None,
        }
        for n in range(1, cards + 1)
    ]
    queue = {seat: bid for seat, bid in ((4, 41), (2, 38), (3, 9), (1, -3)) if seat <= count}
    order = list(queue)
    view = View(
        game="i-bid-you-not", round=3, phase="decide",
        table={"offer": offer, "last": 7 * cards, "worth": -10, "active": [14], "discards": [1, 2, 3, 4], "quiet": 0,
               "order": order, "skipped": order[:1], "queue": {str(seat): bid for seat, bid in queue.items()}},
        seats={str(n): {"hand_size": n, "bid": 10 * n, "totals": None} for n in range(1, count + 1)},
        waiting=Waiting(seats=[str(order[1])], secret=False),
    )  # fmt: skip
    return state(
        match="m-9", game="i-bid-you-not", title="I Bid You Not", state="playing", seats=players(count), view=view,
        want="Take this offer or pay to skip it.", events=[PublicEvent(n=5, text=f"Seat {order[0]} skips.", kind="lose")],
    )  # fmt: skip


def stopped() -> PublicState:
    """Return a match that is frozen; everything public still stands."""
    text = "The rules met something new. Undo one step to go on."
    frozen = with_view(bait_roll(), waiting=Waiting(seats=[]))
    return replace(frozen, state="stopped", want="", dice=None, notices=[Notice("rules", "error", text)])


SCENES: dict[str, tuple[PublicState, Labels | None]] = {
    "lobby": (lobby(), None), "bait-bid": (bait_bid(), made_labels(BAIT)), "bait-roll": (bait_roll(), made_labels(BAIT)),
    "bait-take": (bait_take(), made_labels(BAIT)), "bait-over": (bait_over(), made_labels(BAIT)), "auction": (auction(), made_labels(AUCTION)),
    "ladder": (ladder(), made_labels(DICELESS)), "stopped": (stopped(), made_labels(BAIT)),
    "market": (market(), made_labels(MARKET)),
}  # fmt: skip
