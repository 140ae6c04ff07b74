"""Moments of a sitting, as the hub tells them: what the page tests play."""

from __future__ import annotations

from typing import Any

from hub.engine.text import say

GAMES: list[dict[str, Any]] = [
    {
        "name": "bid-and-bait",
        "title": "Bid & Bait!",
        "seats": [2, 5],
        "minutes": 15,
        "blurb": "Set your rod, bluff your friends, fish the lake.",
        "lacks": [],
        "presets": [],
    },
    {
        "name": "bid-it",
        "title": "Bid*It!",
        "seats": [2, 6],
        "minutes": 30,
        "blurb": "How many fives are there? Bid higher, or call the bluff.",
        "lacks": [],
        "presets": [],
    },
    {
        "name": "bidness",
        "title": "Bidness",
        "seats": [2, 6],
        "minutes": 90,
        "blurb": "Hire, sue, borrow, and be the first out of debt.",
        "lacks": [],
        "presets": [],
    },
]
NAMES = {1: "Ana", 2: "Ben", 3: "Cem", 4: ""}
SPOTS = [
    {
        "number": 4,
        "side": "basic",
        "ability": "reroll",
        "text": "Reroll your Rod",
        "fish": ["perch", None, "eel"],
        "taken": False,
    },
    {
        "number": 5,
        "side": "basic",
        "ability": "",
        "text": "",
        "fish": ["carp", "trout", "pike", "bream"],
        "taken": False,
    },
    {
        "number": 6,
        "side": "basic",
        "ability": "baits",
        "text": "Gain 3 Baits",
        "fish": ["eel", "eel", "perch"],
        "taken": False,
    },
    {
        "number": 7,
        "side": "basic",
        "ability": "reroll",
        "text": "Reroll your Rod",
        "fish": ["trout", "pike", "carp"],
        "taken": False,
    },
]
EVENTS: list[dict[str, Any]] = [
    {"n": 14, "text": "Spot 4: everybody bids.", "rule": "BB-08", "kind": "round", "data": {"round": 4}},
    {
        "n": 15,
        "text": "The bids: 5 from Seat 1, 2 from Seat 2, 5 from Seat 3, 6 from Seat 4.",
        "rule": "BB-09",
        "kind": "reveal",
        "data": {"bids": {"1": 5, "2": 2, "3": 5, "4": 6}, "marks": {"1": "tied", "3": "tied", "4": "first"}},
    },
    {
        "n": 16,
        "text": "The order: Seat 4, then Seat 2, then Seat 1, then Seat 3.",
        "rule": "BB-10",
        "kind": "order",
        "data": {},
    },
    {"n": 17, "text": "Seat 4 rolls 6.", "rule": "BB-12", "kind": "roll", "data": {}},
    {
        "n": 18,
        "text": say("Seat {seat} takes a Fish: {fish}.", seat=4, fish="Trout"),
        "rule": "BB-16",
        "kind": "take",
        "data": {},
    },
]


def seats(held: int = 4, ready: int = 0, boxes: str = "on") -> list[dict[str, Any]]:
    """Four places, the first `held` of them taken by phones."""
    return [
        {
            "seat": n,
            "name": NAMES[n] if n <= held else "",
            "held": n <= held,
            "phone": "on" if n <= held else "none",
            "box": boxes,
            "ready": n <= ready,
            "presence": "here" if n <= held else "away",
        }
        for n in range(1, 5)
    ]


def public(**change: Any) -> dict[str, Any]:
    """The table as everybody sees it; a lobby unless changed."""
    state = {
        "table": "1", "name": "Table 1", "code": "FISH", "url": "http://10.42.0.1:8080", "epoch": 3, "seq": 40, "match": None,
        "game": None, "title": "", "state": "lobby", "seats": seats(), "view": None, "locked": [], "want": "", "events": [],
        "dice": None, "notices": [], "over": None, "games": GAMES, "preset": "", "nudged": [],
    }  # fmt: skip
    return state | change


def playing(
    phase: str, waiting: dict[str, Any], bids: bool = True, table: dict[str, Any] | None = None, **change: Any
) -> dict[str, Any]:
    """A match of the house's first game in its fourth round."""
    made = {1: 5, 2: 2, 3: 5, 4: 6}
    fish = {
        1: ["perch", "eel", "eel"],
        2: ["carp", "bream"],
        3: ["pike", "perch", "carp", "trout", "bream"],
        4: ["trout"],
    }
    view = {
        "game": "bid-and-bait", "round": 4, "phase": phase,
        "table": {"spots": SPOTS, "duck": 1, "pile": 14, "discards": ["pike"], "order": [4, 2, 1, 3] if bids else None, "supply": 8,
                  "rolled": None, "needs": 0, "verdict": ""} | (table or {}),
        "seats": {str(n): {"fish": fish[n], "fish_count": len(fish[n]) + 1, "baits": n, "spots": [2] if n == 1 else [],
                           "bid": made[n] if bids else None, "locked": False} for n in range(1, 5)},
        "waiting": waiting,
    }  # fmt: skip
    base = public(
        state="playing", match="m-7", game="bid-and-bait", title="Bid & Bait!", view=view, events=EVENTS, seq=41
    )
    return base | change


def notice(text: str, **change: Any) -> dict[str, Any]:
    return {"key": "one", "severity": "warning", "text": text, "can_acknowledge": False} | change


def hand(seat: int = 2, **change: Any) -> dict[str, Any]:
    """What the holder of `seat` sees beside it."""
    own = {
        "epoch": 3, "seq": 41, "match": "m-7", "seat": seat, "you": {"secret_fish": "carp", "bid": None}, "number": 17, "secret": False,
        "want": "", "moves": [], "locked": None, "undo": False, "dial": None, "faces": None, "seat_code": "7712",
    }  # fmt: skip
    return own | change


BIDDING = playing(
    "bid",
    {"seats": ["1", "2", "3", "4"], "secret": True},
    bids=False,
    locked=[1, 3],
    want="Everybody bids.",
    events=EVENTS[:1],
)
BID_MOVE = {"move": "bid", "number": {"min": 1, "max": 6}}
BID_HAND = hand(secret=True, want="Bid a number from 1 to 6.", moves=[BID_MOVE], dial=4)
LOCKED_HAND = hand(
    seq=42, secret=True, want="Bid a number from 1 to 6.", moves=[BID_MOVE], locked={"move": "bid", "number": 5}
)
TAKE = playing(
    "take", {"seats": ["2"], "secret": False}, want="Seat 2 takes a prize.", table={"rolled": [5], "verdict": "success"}
)
TAKE_HAND = hand(
    want="Take a Fish or the Spot.",
    moves=[{"move": "take_fish", "slot": {"one_of": [1, 3]}}, {"move": "take_spot"}],
)
PAY_HAND = hand(
    want="You are 2 short: spend 2 Baits, or catch nothing.", moves=[{"move": "pay", "baits": 2}, {"move": "fail"}]
)
ROLLING = playing(
    "roll",
    {"seats": [], "roll": {"seat": 2, "count": 1, "sides": 6, "for": "rod"}, "secret": False},
    want="Roll 2 or more.",
    dice={
        "state": "armed",
        "seat": 2,
        "count": 1,
        "sides": 6,
        "for": "rod",
        "batch": 1,
        "faces": [],
        "read": None,
        "done": [],
        "total": 0,
        "say": "",
        "votes": [],
    },
)
WHY = [
    {"n": 31, "round": 4, "seat": 2, "what": "baits", "from": 3, "to": 1, "sum": "3 - 2 = 1", "rule": "BB-14",
     "text": "Seat 2 spends 2 Baits and succeeds."},
    {"n": 30, "round": 4, "seat": 4, "what": "fish_count", "from": 1, "to": 2, "sum": "1 + 1 = 2", "rule": "BB-16",
     "text": say("Seat {seat} takes a Fish: {fish}.", seat=4, fish="Trout")},
    {"n": 22, "round": 3, "seat": 2, "what": "baits", "from": None, "to": None, "sum": "1 + 2", "rule": "BB-20",
     "text": "Seat 2 gets 2 Baits."},
]  # fmt: skip
ROLL_HAND = hand(want="Roll 2 or more.", faces={"count": 1, "sides": 6})
OVER = public(
    state="over", match="m-7", game="bid-and-bait", title="Bid & Bait!", seq=90, view=TAKE["view"] | {"phase": "over", "waiting": {"seats": [], "secret": False}},
    over={"winners": [3], "scores": {1: 4, 2: 3, 3: 6, 4: 2}, "why": "Seat 3 has six different Fish."}, events=EVENTS,
)  # fmt: skip

# A made-up game with a move of every kind, so that no widget is tried on one game only.
ODD_LABELS: dict[str, Any] = {
    "name": "odd", "title": "Odds", "seats": [2, 6], "minutes": 5, "blurb": "One move of every kind.",
    "phases": {"all": "Everything"},
    "moves": {
        "bid": {"label": "Bid {amount}"}, "raise": {"label": "Bid {quantity} of {rank}"}, "swap": {"label": "Swap {cards}", "join": "{card} and {more}"},
        "line": {"label": "Keep this order"}, "sue": {"label": "Sue {target}"}, "borrow": {"label": "Borrow {amount}", "short": "Borrow"},
        "drop": {"label": "Drop"}, "back": {"label": "Back {product}", "short": "BACK"},
    },
    "parameters": {
        "amount": {"label": "Amount", "money": "dollars"}, "cards": {"label": "Cards to swap", "card": True},
        "order": {"label": "Order"}, "target": {"label": "Whom"}, "quantity": {"label": "How many"}, "rank": {"label": "Of what"},
        "product": {"label": "Product", "record": "table.products", "title": "{name}", "by": "by"},
    },
    "facts": {
        "hand": {"where": "you", "label": "Your hand", "card": True}, "cash": {"where": "seat", "label": "Cash", "money": "dollars"},
        "purse": {"where": "you", "name": "cash", "label": "Your cash", "money": "dollars"},
        "products": {
            "where": "table", "label": "Products", "row": True, "title": "{name}", "by": "by", "seats": "shares", "only": {"round": "round"},
            "here": "table.rolling", "own": "Read aloud", "text": "{pitch} · costs {price:cents}",
        },
    },
    "help": [{"title": "Worth", "columns": ["Shares", "Each"], "rows": [["1", "$0.33"], ["2", "$1"]], "note": "Before the roll."}],
    "screen": {"phase": {"all": {"main": "${table.bid}", "caption": "standing bid"}}}, "rules": {"OD-01": "Any move may be made."},
}  # fmt: skip


def odd(moves: list[dict[str, Any]], **change: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A state and a hand of the made-up game with these moves."""
    view = {
        "game": "odd", "round": 1, "phase": "all",
        "table": {"bid": 45, "rolling": "P3", "products": [
            {"id": "P1", "name": "Rented Wig", "by": 1, "round": 0, "shares": {"1": 2}, "pitch": "Picture a wig.", "price": None},
            {"id": "P2", "name": "Vegan Hat", "by": 2, "round": 1, "shares": {"2": 1, "4": 3}, "pitch": "Picture a hat.", "price": None},
            {"id": "P3", "name": "Solar Lamp", "by": 3, "round": 1, "shares": {}, "pitch": "Picture a lamp.", "price": 150},
        ]},
        "seats": {str(n): {"cash": 100 * n, "locked": False} for n in range(1, 5)}, "waiting": {"seats": ["2"], "secret": False},
    }  # fmt: skip
    state = public(state="playing", match="m-9", game="odd", title="Odds", view=view, seq=5)
    own = hand(match="m-9", seq=5, want="Make a move.", moves=moves, you={"hand": ["55", "45", "5*", "45", "4"]})
    return state, own | change


# A made-up game whose cards are records of the state: numbers and prices that stand in no data file.
ROW_LABELS: dict[str, Any] = {
    "name": "row", "title": "Rows", "seats": [2, 6], "minutes": 5, "blurb": "A row of cards.",
    "phases": {"all": "Everything"},
    "cards": {
        "mower": {"name": "Flown Mower", "letter": "Fm", "colour": "#2f66b5", "hue": "blue", "A": "Add only new products"},
        "camerat": {"name": "Camerat", "letter": "Ca", "colour": "#80573a", "hue": "brown"},
    },
    "face": {"key": "card", "kind": "kind", "action": "action", "title": "{card}", "tag": "{price:+}"},
    "moves": {
        "add": {"label": "Add {card}{cards}", "note": "The row is worth {table.worth:+}."},
        "skip": {"label": "Skip: {card} {place}"}, "take": {"label": "Take ({table.worth:+})"},
    },
    "parameters": {
        "card": {"label": "Card", "card": True}, "cards": {"label": "Cards", "card": True},
        "place": {"label": "Where in the row", "between": "table.offer"},
    },
    "facts": {
        "offer": {"where": "table", "label": "Offer", "card": True, "row": True, "by": "by", "here": "table.last"},
        "active": {"where": "table", "label": "At work", "card": "name"},
        "quiet": {"where": "table", "label": "Quiet turns", "unless": 0},
        "hand": {"where": "you", "label": "Your hand", "card": True},
        "totals": {"where": "seat", "label": "By product", "card": True, "signed": True},
    },
    "screen": {"result": ["totals"], "phase": {"all": {"line": True, "order": "table.order"}}},
    "rules": {"RO-01": "Cards lie in a row."},
}  # fmt: skip


def _card(card: int, price: int, kind: str, action: str | None = None, by: int | None = None) -> dict[str, Any]:
    return {"card": card, "price": price, "kind": kind, "action": action, "by": by}


def row(moves: list[dict[str, Any]], **change: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A state and a hand of the made-up game of rows with these moves."""
    view = {
        "game": "row", "round": 1, "phase": "all",
        "table": {"offer": [_card(20, 4, "camerat"), _card(28, -7, "mower", "A", 3)], "last": 28, "worth": -3, "active": [28],
                  "quiet": 0, "order": [3, 1, 2, 4]},
        "seats": {str(n): {"locked": False, "totals": None} for n in range(1, 5)}, "waiting": {"seats": ["2"], "secret": False},
    }  # fmt: skip
    line = {"low": 20, "high": 28, "at": {"1": 24, "2": 25, "3": 22, "4": 26}, "turned": True}
    events = [{"n": 5, "text": "The order is turned over.", "rule": "RO-01", "kind": "order", "data": {"line": line}}]
    state = public(state="playing", match="m-9", game="row", title="Rows", view=view, seq=5, events=events)
    you = {"hand": [_card(5, 5, "mower", "A"), _card(33, 0, "camerat"), _card(40, -1, "camerat")]}
    return state, hand(match="m-9", seq=5, want="Make a move.", moves=moves, you=you) | change


def _box(pattern: str, n: int, colour: str, display: str, **change: Any) -> dict[str, Any]:
    box = {"connected": True, "lamps": {"pattern": pattern, "n": n, "colour": colour}, "display": display, "hood": "",
           "locked": False, "sealed": False}  # fmt: skip
    return box | change


BENCH: dict[str, Any] = {
    "version": 7,
    "boxes": {
        "1": _box("locked", 0, "2f7de1", "Locked", sealed=True, locked=True, hood="5"),
        "2": _box("turn", 0, "f28c28", "Bid 1-6", sealed=True, hood="4"),
        "3": _box("number", 5, "12a389", "5"),
        "4": _box("off", 0, "d6409f", "", connected=False),
    },
    "dice": {
        "armed": {"seat": 2, "count": 1, "sides": 6},
        "wanted": 1,
        "state": "armed",
        "faces": [],
        "say": "",
        "lost": False,
        "weak": False,
        "leaning": False,
        "missing": False,
    },
    "panels": {"2.9": 3, "4.2": 3},
}
