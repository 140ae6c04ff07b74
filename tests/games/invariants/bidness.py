"""What is true of Bidness whenever people are asked: no card or dollar is lost, and what is shown is what is so."""

from __future__ import annotations

from collections import Counter, defaultdict

from hub.engine.decision import Amount
from hub.engine.match import Match
from hub.engine.printed import UNKNOWN, is_printed
from hub.games.bidness import (
    PAYBACK,
    STARTERS,
    Company,
    Table,
    event_deck,
    frozen,
    marketing_points,
    unit_price,
)


def check(match: Match) -> None:
    """Called after every action that leaves people, or nobody, to be asked."""
    s: Table = match.state
    t = s.table
    every, found = Counter(event_deck(s.setup)) + Counter({face: len(s.seats) for face in STARTERS}), cards(s)
    unknown = found.pop(UNKNOWN, 0)
    assert not unknown or is_printed(s.setup)
    assert found <= every, "no card is there more often than it was printed"
    assert found.total() + unknown == every.total(), "every card is in one place"
    for company in s.seats.values():
        assert 0 <= company.ious <= 6
        assert company.ious or match.over, "nobody plays on without an IOU"
        assert company.cash >= 0
        assert company.cash % 5 == 0 or s.setup.options["settlement_by"] == "dollar"
        assert company.power >= 0
        assert min(company.tech, company.marketers, company.engineers, company.lawyers, company.contracts) >= 0
        assert company.hand_size <= 6
        assert company.marketing == marketing_points(s, company) >= 0
    assert t.tech_leader == alone({seat: company.tech for seat, company in s.seats.items()})
    assert t.market_leader == alone({seat: selling(s, company) for seat, company in s.seats.items()})
    for seat, company in s.seats.items():
        assert company.price == unit_price(company.tech, leads=seat == t.tech_leader)
        assert company.units == company.marketing + 2 * (seat == t.market_leader)
    for seat in s.seats:
        most = 0 if match.over or frozen(s) else 100 * (6 - s.seats[seat].ious)
        offered = [move.params["amount"] for move in match.standing(seat) if move.name == "borrow"]
        assert offered == ([Amount(100, most, 100)] if most else [])
    if (lot := t.auction) and lot.by:
        assert lot.bid
        assert lot.by in lot.in_
        assert lot.bid <= s.seats[lot.by].power, "no bid breaks the debt limit"
    if match.over:
        assert s.round >= 3 or s.setup.options["round_limit"], "nobody can have paid back three IOUs before round 3"
        assert s.setup.options["round_limit"] or [company.ious for company in s.seats.values()].count(0) == 1
        account(match)


def cards(s: Table) -> Counter[str]:
    """Every event card and starter in play, by face."""
    t = s.table
    found = Counter([*t.deck.cards, *t.face_down.cards, *t.discards])
    for company in s.seats.values():
        found.update(face for face in company.hand.value if face != PAYBACK)
        found.update(company.bonus)
        found.update(
            {"ENG": company.engineers, "MKT": company.marketers, "LAW": company.lawyers, "CON": company.contracts}
        )
    found.update(open_case.card for open_case in (t.auction, t.lawsuit) if open_case)
    return +found


def selling(s: Table, company: Company) -> int:
    """What the Market Leader is judged by."""
    return company.marketing if s.setup.options["market_award"] == "points" else company.marketers


def alone(counted: dict[int, int]) -> int | None:
    """Whoever alone has the most."""
    best = [seat for seat, count in counted.items() if count == max(counted.values())]
    return best[0] if len(best) == 1 else None


def account(match: Match) -> None:
    """The events are a ledger: each change begins where the last one ended, and money between players is not lost."""
    s: Table = match.state
    first = {"cash": 100, "ious": 3, "tech": 20, "marketing": 1}
    held: dict[tuple[int, str], int] = {(seat, what): count for seat in s.seats for what, count in first.items()}
    between: defaultdict[frozenset[int], int] = defaultdict(int)
    borrowed = 0
    for event in match.events:
        data = event.data
        if event.kind not in first:
            continue
        account_of = (data["seat"], data["what"])
        assert data["from"] == held[account_of], event
        assert event.rule
        assert data["sum"]
        held[account_of] = data["to"]
        if "other" in data:
            between[frozenset((data["seat"], data["other"]))] += data["to"] - data["from"]
        if event.rule in ("BN-07", "BN-09"):
            borrowed += (data["to"] - data["from"]) * (1 if data["what"] == "cash" else -100)
    for (seat, what), count in held.items():
        assert count == getattr(s.seats[seat], what)
    assert not any(between.values()), "what one player pays another gets"
    assert not borrowed, "a loan is as much cash as IOUs: what can be raised stays the same"
