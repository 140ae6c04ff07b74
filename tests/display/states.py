"""Public states as the table tells them, of three different games, to draw and to test with."""

from __future__ import annotations

from typing import Any

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


def players(count: int, **changes: Any) -> list[dict[str, Any]]:
    """So many seats, all held."""
    return [
        {"seat": seat, "name": NAMES[seat], "held": True, "phone": "on", "box": "on", "ready": True, "claim_code": None}
        | changes
        for seat in range(1, count + 1)
    ]


def state(**changes: Any) -> dict[str, Any]:
    """A public state between matches, with what differs."""
    return {
        "v": 1, "table": "1", "name": "Table 4", "code": "FISH", "url": "http://10.42.0.1:8080", "epoch": 1, "seq": 41,
        "match": None, "game": None, "title": None, "state": "lobby", "seats": [], "view": None, "locked": [],
        "want": "", "events": [], "dice": None, "notice": None, "over": None, "games": [],
    } | changes  # fmt: skip


def lobby() -> dict[str, Any]:
    """Two of four guests are seated, one is ready."""
    seats = players(4)
    seats[1]["ready"] = False
    for seat, code in ((3, "4821"), (4, "0375")):
        seats[seat - 1] |= {"name": "", "held": False, "phone": "none", "ready": False, "claim_code": code}
    return state(seats=seats)


def _lake() -> dict[str, Any]:
    return {
        "game": "bid-and-bait",
        "round": 4,
        "phase": "bid",
        "table": {
            "spots": [
                {"number": 4, "side": "basic", "text": "Reroll your Rod",
                 "fish": ["perch", None, "eel"], "taken": False},
                {"number": 5, "side": "basic", "text": "", "fish": ["trout", "bream", "pike", "carp"], "taken": False},
                {"number": 6, "side": "basic", "text": "Gain 3 Baits", "fish": ["eel", "eel", "carp"], "taken": False},
                {"number": 7, "side": "basic", "text": "Reroll your Rod", "fish": ["bream", "trout", "pike"], "taken": False},
            ],
            "duck": 1, "pile": 14, "discards": ["pike"], "order": [], "supply": 8, "rolled": [], "needs": None,
        },
        "seats": {
            "1": {"fish": ["bream", "bream", "eel"], "fish_count": 4, "baits": 3, "spots": [2], "bid": None, "locked": True},
            "2": {"fish": ["carp", "pike"], "fish_count": 3, "baits": 1, "spots": [], "bid": None, "locked": False},
            "3": {"fish": ["bream", "carp", "eel", "perch", "trout"], "fish_count": 6, "baits": 12, "spots": [1],
                  "bid": None, "locked": True},
            "4": {"fish": ["carp"], "fish_count": 2, "baits": 6, "spots": [3], "bid": None, "locked": False},
        },
        "waiting": {"seats": ["1", "2", "3", "4"], "secret": True},
    }  # fmt: skip


def _match(view: dict[str, Any], count: int, **changes: Any) -> dict[str, Any]:
    return state(
        match="m-7",
        game="bid-and-bait",
        title="Bid & Bait!",
        state="playing",
        seats=players(count),
        view=view,
        **changes,
    )


def bait_bid() -> dict[str, Any]:
    """Everybody bids; two have locked."""
    return _match(_lake(), 4, locked=[1, 3], want="Bid a number from 1 to 6.",
                  events=[{"n": 30, "text": "Spot 4 is next: Seat 1 has the Duck.", "kind": "spot"}])  # fmt: skip


def bait_roll() -> dict[str, Any]:
    """Seat 1 is to roll."""
    view = _lake() | {
        "phase": "roll",
        "waiting": {"seats": [], "roll": {"seat": 1, "count": 1, "sides": 6, "for": "roll"}},
    }
    for seat, bid in ((1, 5), (2, 2), (3, 5), (4, 6)):
        view["seats"][str(seat)]["bid"] = bid
    view["table"]["order"] = [4, 2, 1, 3]
    return _match(view, 4, want="Ana rolls.", events=[{"n": 33, "text": "Seat 2 takes the Eel.", "kind": "take"}],
                  dice={"state": "armed", "seat": 1, "count": 1, "sides": 6, "faces": [], "read": "read", "say": "",
                        "votes": []})  # fmt: skip


def bait_take() -> dict[str, Any]:
    """Seat 1 rolled 3 for its 5 and may spend Baits."""
    told = bait_roll()
    told["view"] |= {"phase": "take", "waiting": {"seats": ["1"], "secret": False}}
    told["view"]["table"] |= {"rolled": [3], "needs": 2}
    told["dice"] |= {"state": "settled", "faces": [3]}
    return told | {"want": "Spend 2 Baits?", "events": [{"n": 34, "text": "Seat 1 rolls 3.", "kind": "roll"}]}


def bait_over() -> dict[str, Any]:
    """Seat 3 has six different Fish."""
    told = bait_roll()
    view = told["view"] | {"phase": "over", "waiting": {"seats": []}}
    view["seats"]["3"] |= {"fish": ["bream", "carp", "eel", "perch", "pike", "trout"], "fish_count": 6}
    over = {"winners": [3], "scores": {"1": 4, "2": 3, "3": 6, "4": 2}, "why": "Six different Fish."}
    return told | {"state": "over", "view": view, "over": over, "dice": None,
                   "events": [{"n": 40, "text": "Seat 3 wins with six different Fish.", "kind": "over"}]}  # fmt: skip


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
        "cell": "${cash}", "leader": "table.auction.by", "inside": "table.auction.in",
        "phase": {
            "auction": {
                "main": "${table.auction.bid} Seat {table.auction.by}",
                "caption": "{table.auction.card} · the winner pays Seat {table.auction.seller}",
            },
        },
    },
}  # fmt: skip


def auction() -> dict[str, Any]:
    """Five seats, seat 2 leads the auction, seat 4 is asked, two are out."""
    view = {
        "game": "bidness", "round": 3, "phase": "auction",
        "table": {
            "auction": {"card": "ENG", "seller": 1, "bid": 85, "by": 2, "in": [1, 2, 4]},
            "passes": 0, "first_player": 1, "tech_leader": 5,
        },
        "seats": {
            str(seat): {"cash": cash, "ious": ious, "tech": tech, "paybacks": seat % 2, "hand_size": 4}
            for seat, cash, ious, tech in ((1, 145, 3, 20), (2, 310, 2, 22), (3, 20, 6, 12), (4, 95, 4, 18), (5, 1240, 1, 31))
        },
        "waiting": {"seats": ["4"], "secret": False},
    }  # fmt: skip
    return state(match="m-8", game="bidness", title="Bidness", state="playing", seats=players(5), view=view,
                 want="Seat 4 may bid $90 or drop.", events=[{"n": 61, "text": "Seat 2 bids $85.", "kind": "bid"}])  # fmt: skip


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


def ladder() -> dict[str, Any]:
    """Six seats; seat 2 bid three fives, seat 4 is to act, seat 3 is out."""
    view = {
        "game": "bid-it", "round": 5, "phase": "turn",
        "table": {"game": 1, "bid": {"quantity": 3, "rank": 5, "seat": 2}, "stake": 1, "deck": 31, "discards": ["5", "45"]},
        "seats": {
            str(seat): {"deal_cards": left, "hand_size": left, "exposed": [], "out": left == 0}
            for seat, left in ((1, 5), (2, 6), (3, 0), (4, 4), (5, 2), (6, 1))
        },
        "waiting": {"seats": ["4"], "secret": False},
    }  # fmt: skip
    return state(match="m-9", game="bid-it", title="Bid*It!", state="playing", seats=players(6), view=view,
                 want="Bid higher or challenge.", events=[{"n": 10, "text": "Seat 6 bids 2 x 6.", "kind": "bid"},
                         {"n": 11, "text": "Seat 1 draws 2 cards and bids 3 x 2.", "kind": "bid"},
                         {"n": 12, "text": "Seat 2 bids 3 x 5.", "kind": "bid"}])  # fmt: skip


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


def market(cards: int = 4) -> dict[str, Any]:
    """So many cards in the offer; seat 4 has skipped, seat 2 is asked, seat 1 is last in the order."""
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
    view = {
        "game": "i-bid-you-not", "round": 3, "phase": "decide",
        "table": {"offer": offer, "last": 7 * cards, "worth": -10, "active": [14], "discards": [1, 2, 3, 4], "quiet": 0,
                  "order": [4, 2, 3, 1], "skipped": [4], "queue": {"4": 41, "2": 38, "3": 9, "1": -3}},
        "seats": {str(n): {"hand_size": n, "bid": 10 * n, "totals": None} for n in range(1, 5)},
        "waiting": {"seats": ["2"], "secret": False},
    }  # fmt: skip
    return state(match="m-9", game="i-bid-you-not", title="I Bid You Not", state="playing", seats=players(4), view=view,
                 want="Take this offer, or pay to skip.", events=[{"n": 5, "text": "Seat 4 skips.", "kind": "lose"}])  # fmt: skip


def stopped() -> dict[str, Any]:
    """The match is frozen; everything public is still told."""
    return bait_roll() | {
        "state": "stopped",
        "dice": None,
        "notice": "The rules met something new. Undo one step to go on.",
    }


SCENES: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "lobby": (lobby(), None), "bait-bid": (bait_bid(), BAIT), "bait-roll": (bait_roll(), BAIT),
    "bait-take": (bait_take(), BAIT), "bait-over": (bait_over(), BAIT), "auction": (auction(), AUCTION),
    "ladder": (ladder(), DICELESS), "stopped": (stopped(), BAIT),
    "market": (market(), MARKET),
}  # fmt: skip
