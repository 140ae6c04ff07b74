"""The house player of Bidness: everything is worth what it changes in the books of the rounds that are left.

`fortune` reckons these books: sales, contracts and salaries round by round, with the tech points that engineers add (BN-44 to
BN-49). A bid goes up to what a card adds to them, a card is played where it adds more than it costs, and a suit is filed
where the dice are with its plaintiff (BN-41). `easy` misjudges it all, `steady` looks at its own books, `sharp` also at those
of its rivals.
"""

from __future__ import annotations

from typing import NamedTuple

from hub.engine.decision import Amount, Answer, Choose, Move, OneOf, Order
from hub.engine.odds import beat, odds_text
from hub.engine.sight import Randomness, Sight, Strength, best
from hub.engine.text import money, say

LOAN = 100  # BN-07
DOUBLE_PRICE = 300  # BN-23: two IOUs at once
SOLD = 10  # BN-17
WAGE, CONTRACT, TECH_GAIN = 10, 25, 2  # BN-44, BN-48, BN-49
LEADER_UNITS, LEADER_TECH, PRICE_STEP = 2, 10, 10  # BN-33, BN-34, BN-48
STEP = 5  # BN-25
SIDES = 6
SHORTEST, LONGEST, TOO_LONG = 2, 7, 10
"""Rounds that the books look ahead, at least and at most; and those of `easy`."""
MISJUDGED = 60.0
"""Dollars by which `easy` may misjudge an answer; what it would bid at most is off by up to this part of 100."""
RESERVE = 10
"""Dollars that stay in hand beside the salaries, where an IOU is returned before the last ones can be."""
RIVALS = 0.15
"""What a dollar of the richest rival is worth to `sharp`, beside one of its own."""
PART = 0.7
"""The part of a card's worth that is bid at most: what is left over is what the card is bought for. `easy` bids all of it."""
PUSH = 0.7
"""Up to what part of a rival's last bid a seller bids against it (`sharp`)."""
LAWYER = 12.0
"""Dollars that a lawyer's die is worth in each round, for suits that are not filed because of it."""
FACES = (("ENG", "engineers"), ("MKT", "marketers"), ("LAW", "lawyers"), ("CON", "contracts"))


class Company(NamedTuple):
    """The books of a seat."""

    cash: int
    ious: int
    tech: int
    engineers: int
    marketers: int
    lawyers: int
    contracts: int

    @property
    def salary(self) -> int:
        """BN-44: $10 for each marketer and engineer, for lawyers times their square."""
        return WAGE * (self.marketers + self.engineers + self.lawyers * self.lawyers)


class Books(NamedTuple):
    """What a decision is weighed with: all companies, the rounds that are left, and how they are judged."""

    companies: dict[int, Company]
    left: int
    strength: Strength

    def with_company(self, seat: int, **changes: int) -> Books:
        """Return the books with so much more of something at a seat."""
        old = self.companies[seat]
        new = old._replace(**{name: max(0, getattr(old, name) + more) for name, more in changes.items()})
        return self._replace(companies={**self.companies, seat: new})


def choose(sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
    """Return a card to discard, to play or to sell, a bid, a settlement, or who is laid off (BN-14 to BN-46)."""
    books = books_of(sight, strength)
    off = MISJUDGED if strength == "easy" else 0.0
    match sight.view["phase"]:
        case "discard":
            faces = sight.offers[0].values("card", str)
            return Answer(
                "discard", {"card": best(faces, lambda face: -worth_of_holding(sight, books, face), chance, off)}
            )
        case "play":
            options = [answer for move in sight.offers for answer in answers(move)]
            return best(options, lambda answer: worth_of_turn(sight, books, answer), chance, off)
        case "auction":
            return bid(sight, books, chance)
        case "settlement":
            return settle(sight, books, chance)
    return salaries(sight, books)


# --- Why ---------------------------------------------------------------------------------------------


def reason(sight: Sight, chance: Randomness, answer: Answer | None) -> str:
    """Return what an answer is worth in the books of the rounds to come, or the odds of a trial (BN-41)."""
    if answer is None:
        return ""
    books = books_of(sight, "sharp")
    match answer.move:
        case "bid" | "drop":
            return reason_to_bid(sight, books, answer)
        case "demand" | "trial" | "accept" | "counter" | "reject":
            suit = sight.table["lawsuit"]
            odds = odds_in_court(sight, suit["plaintiff"], suit["defendant"])
            return say("Seat {seat}'s odds in court: {odds}.", seat=suit["plaintiff"], odds=odds)
        case "discard":
            return say("Of all your cards, this one is worth the least to you.")
        case "play":
            return reason_to_play(sight, books, answer)
        case "sell":
            return say("$10 is more than any of your cards is worth to you now.")
        case "pass":
            return say("None of your cards is worth more than it costs right now.")
        case "lay_off":
            return say("They cost more in salaries than they bring in.")
        case "pay":
            return say("Everybody who works for you brings in more than their salary.")
    return ""


def reason_to_bid(sight: Sight, books: Books, answer: Answer) -> str:
    """BN-25 to BN-28: return what the card in the auction may bring."""
    lot = sight.table["auction"]
    worth = max(0, round(added(books, sight.seat, **{name_of(lot["card"]): 1}) / STEP) * STEP)
    card, amount = sight.data["cards"][lot["card"]]["name"], money(worth)
    match lot["seller"] == sight.seat, answer.move:
        case True, "bid":
            return say(
                "The {card} would bring you about {amount}. If others bid more, they pay you.", card=card, amount=amount
            )
        case True, _:
            return say(
                "The {card} would bring you about {amount}, but you get the others' bid.", card=card, amount=amount
            )
        case _, "bid":
            return say(
                "The {card} may bring you about {amount} by the end: bid up to two thirds of that.",
                card=card,
                amount=amount,
            )
    return say(
        "The {card} may bring you about {amount} by the end: the next bid costs too much of that.",
        card=card,
        amount=amount,
    )


def reason_to_play(sight: Sight, books: Books, answer: Answer) -> str:
    """BN-15 to BN-43: return what playing a card does."""
    card = sight.data["cards"][answer["card"]]
    target = answer.args.get("target")
    match card["kind"]:
        case "payback":
            last = answer["ious"] == books.companies[sight.seat].ious
            return (
                say("That is your last IOU: you win.") if last else say("You can spare the cash, and every IOU counts.")
            )
        case "auctioned":
            return say("Others pay you for it, or you get it for less than it is worth to you.")
        case "suit" if target:
            odds = odds_in_court(sight, sight.seat, target)
            return say("Your odds in court against Seat {target}: {odds}.", target=target, odds=odds)
        case "headhunting":
            return say("It brings in more than it costs, and weakens a rival.")
        case "press":
            return say("It costs a rival more in sales than it costs you.")
        case "intern":
            return say("You roll one extra die in every trial this round.")
    worth = round(worth_of_turn(sight, books, answer) / STEP) * STEP
    return say("It brings in about {amount} more than it costs.", amount=money(max(STEP, worth)))


# --- The books ---------------------------------------------------------------------------------------


def books_of(sight: Sight, strength: Strength) -> Books:
    """Return all companies as everybody sees them, and how many rounds they may still play."""
    companies = {
        seat: Company(
            *(
                sight.of(seat)[name]
                for name in ("cash", "ious", "tech", "engineers", "marketers", "lawyers", "contracts")
            )
        )
        for seat in sight.seats
    }
    return Books(companies, rounds_left(sight, companies, strength), strength)


def rounds_left(sight: Sight, companies: dict[int, Company], strength: Strength) -> int:
    """Return how many rounds are reckoned with: for `sharp` until the first may be free of debt, for `steady` as matches mostly go.

    `easy` always believes that there is time.
    """
    if strength == "easy":
        return TOO_LONG
    if strength != "sharp":
        return max(SHORTEST, LONGEST - int(sight.view["round"]) // 2)
    rounds = list[int]()
    for seat, company in companies.items():
        income = max(15, int(sight.of(seat)["earnings"]) - company.salary)
        rounds.append(-(-(LOAN * company.ious - company.cash) // income))
    return min(LONGEST, max(SHORTEST, min(rounds)))


def fortune(books: Books, seat: int) -> float:
    """BN-44 to BN-49: return the dollars that a company has after the rounds that are left, its debts taken off."""
    company = books.companies[seat]
    others = [one for other, one in books.companies.items() if other != seat]
    most_marketers = max((one.marketers for one in others), default=0)
    tech, total = company.tech, float(company.cash - LOAN * company.ious)
    for ahead in range(books.left):
        leading = tech > max((one.tech + TECH_GAIN * one.engineers * ahead for one in others), default=0)
        price = (tech + (LEADER_TECH if leading else 0)) // PRICE_STEP * PRICE_STEP
        units = company.marketers + (LEADER_UNITS if company.marketers > most_marketers else 0)
        total += price * units + CONTRACT * company.contracts - company.salary
        total += LAWYER * min(company.lawyers, 2)
        tech += TECH_GAIN * company.engineers
    return total + tech / 2  # what the next steps of the price are worth


def standing(books: Books, seat: int) -> float:
    """Return how a seat stands: its fortune, and for `sharp` that less a part of what its rivals have."""
    mine = fortune(books, seat)
    if books.strength != "sharp":
        return mine
    rivals = [fortune(books, other) for other in books.companies if other != seat]
    return mine - RIVALS * max(rivals)


def added(books: Books, seat: int, **changes: int) -> float:
    """Return the dollars that something more, or less, is worth to a seat."""
    return standing(books.with_company(seat, **changes), seat) - standing(books, seat)


def name_of(face: str) -> str:
    """Return what of a company a face adds to: "engineers" for ENG."""
    return dict(FACES)[face]


# --- Card play ---------------------------------------------------------------------------------------


def worth_of_holding(sight: Sight, books: Books, face: str) -> float:
    """Return what a card in the hand is worth, for who must discard one (BN-14)."""
    card, left = sight.data["cards"][face], books.companies[sight.seat].ious
    match card["kind"]:
        case "payback":
            return 200.0 if sight.you["hand"].count(face) <= left else 5.0
        case "auctioned":
            return 5.0 + added(books, sight.seat, **{name_of(face): 1}) / 2
        case "licence":
            return added(books, sight.seat, tech=card["tech"]) - float(card["cost"])
        case "campaign":
            return float(sight.me["price"] * card["points"] - card["cost"])
    return 8.0


def worth_of_turn(sight: Sight, books: Books, answer: Answer) -> float:
    """BN-15 to BN-18: return what it is worth to play a card, to sell one or to pass."""
    if answer.move == "pass":
        return 0.0
    face = answer["card"]
    if answer.move == "sell":
        return SOLD - max(0.0, worth_of_holding(sight, books, face)) / 2
    card, seat = sight.data["cards"][face], sight.seat
    target = answer.args.get("target")
    match card["kind"]:
        case "payback":
            return worth_of_payback(sight, books, answer["ious"])
        case "auctioned":
            worth = added(books, seat, **{name_of(face): 1})
            if books.strength == "sharp":
                price = dearest(books, face, sight.others)
                return max(1.0, price - STEP, worth - price)
            return 1.0 + max(0.0, worth / 2)
        case "licence":
            return added(books, seat, tech=card["tech"]) - float(card["cost"])
        case "campaign":
            return float(sight.me["price"] * card["points"] - card["cost"])
        case "press":
            lost = min(card["points"], sight.of(target)["marketing"]) * sight.of(target)["price"] if target else 0
            return lost / len(sight.seats) - float(card["cost"]) if books.strength == "sharp" else -1.0
        case "headhunting" if target:
            what = name_of(card["takes"])
            after = books.with_company(target, **{what: -1}).with_company(seat, **{what: 1})
            return standing(after, seat) - standing(books, seat) - float(card["cost"])
        case "suit" if target:
            stake = answer.args.get("amount") or card["stake"]
            return worth_of_suit(sight, books, card["of"], stake, seat, target)
    return -1.0


def worth_of_payback(sight: Sight, books: Books, ious: int) -> float:
    """BN-02, BN-23: return what it is worth to return IOUs: everything for the last; else what cash can be spared."""
    company = books.companies[sight.seat]
    held = sight.you["hand"].count("PAYBACK")
    if ious == company.ious:
        return 100_000.0
    if ious > 1:  # $100 dearer: only where a card is short on the way to the last
        return 900.0 if company.ious <= 2 * held and company.cash >= DOUBLE_PRICE + LOAN else -1.0
    all_of_them = held >= company.ious and company.cash >= LOAN * company.ious
    return 1000.0 if all_of_them or company.cash >= LOAN + company.salary + RESERVE else -1.0


def worth_of_suit(sight: Sight, books: Books, of: str, stake: int, plaintiff: int, defendant: int) -> float:
    """BN-41, BN-42: return what a trial is worth to the plaintiff, in dollars."""
    odds = chance_in_court(sight, plaintiff, defendant)
    won, lost = damages(books, of, stake, plaintiff, defendant)
    return odds * won + (1.0 - odds) * lost - 2.0


def damages(books: Books, of: str, stake: int, plaintiff: int, defendant: int) -> tuple[float, float]:
    """BN-42: return what a verdict changes for the plaintiff: won from the defendant, or lost to the bank."""
    now = standing(books, plaintiff)
    won = books.with_company(defendant, **{of: -stake}).with_company(plaintiff, **{of: stake})
    return standing(won, plaintiff) - now, standing(books.with_company(plaintiff, **{of: -stake}), plaintiff) - now


def odds_in_court(sight: Sight, plaintiff: int, defendant: int) -> str:
    """BN-41: return how likely the plaintiff wins, as screens say it."""
    return odds_text(beat(sight.of(plaintiff)["dice"], sight.of(defendant)["dice"], SIDES), SIDES)


def chance_in_court(sight: Sight, plaintiff: int, defendant: int) -> float:
    """BN-41: return how likely the plaintiff wins; a tie is the defendant's."""
    return float(beat(sight.of(plaintiff)["dice"], sight.of(defendant)["dice"], SIDES))


# --- Auctions ----------------------------------------------------------------------------------------


def bid(sight: Sight, books: Books, chance: Randomness) -> Answer:
    """BN-25 to BN-28: bid up to what the card is worth; a seller does better to be paid.

    While another who is still in would go much higher, a bid goes half the way there: by the least steps an auction would
    take a hundred bids. No bid brings the debts to where the salaries could not be raised (BN-46a).
    """
    lot, seat = sight.table["auction"], sight.seat
    worth = added(books, seat, **{name_of(lot["card"]): 1})
    if books.strength == "easy":
        worth *= 1.0 + MISJUDGED / 100 * (chance.random() + chance.random() - 1.0)
    else:
        worth *= PART
    if lot["seller"] == seat:
        worth /= 2
        if books.strength == "sharp":  # BN-28: whoever still wants it more pays the seller; push them, but not too far
            rivals = [other for other in lot["in"] if other != seat]
            worth = max(worth, PUSH * dearest(books, lot["card"], rivals))
    elif books.strength == "sharp":  # what is paid makes a rival richer
        worth *= 1.0 - 1.0 / (2 * len(sight.seats))
    spend = sight.me["power"] - books.companies[seat].salary - WAGE
    if moves := sight.offered("bid"):
        amount = moves[0].params["amount"]
        assert isinstance(amount, Amount)
        if amount.min <= min(worth, spend):
            return Answer("bid", {"amount": amount.min + leap(sight, books, min(worth, spend), amount.min)})
    return Answer("drop", {})


def leap(sight: Sight, books: Books, limit: float, least: int) -> int:
    """BN-25: return the dollars above the least bid, in steps: half of what a rival would outbid in any case."""
    lot = sight.table["auction"]
    rivals = [seat for seat in lot["in"] if seat not in (sight.seat, lot["seller"])]
    sure = max([0.0, *(min(dearest(books, lot["card"], [seat]), sight.of(seat)["power"]) for seat in rivals)])
    return max(0, int(min(limit, sure) - least) // (2 * STEP) * STEP)


def dearest(books: Books, face: str, seats: list[int]) -> float:
    """Return what the keenest of some seats may bid for a card at most, if it bids as the house does."""
    own = books._replace(strength="steady")
    offers = [PART * added(own, seat, **{name_of(face): 1}) for seat in seats]
    return max([0.0, *offers])


# --- Lawsuits ----------------------------------------------------------------------------------------


def settle(sight: Sight, books: Books, chance: Randomness) -> Answer:
    """BN-39, BN-40: demand and accept what the trial may be expected to bring; counter once, and never twice."""
    suit = sight.table["lawsuit"]
    plaintiff, defendant = suit["plaintiff"], suit["defendant"]
    odds = chance_in_court(sight, plaintiff, defendant)
    won, lost = damages(books, suit["of"], suit["stake"], plaintiff, defendant)
    least = odds * won + (1.0 - odds) * lost  # the plaintiff wants as much as the trial is worth
    now = standing(books, defendant)
    after = books.with_company(defendant, **{suit["of"]: -suit["stake"]}).with_company(
        plaintiff, **{suit["of"]: suit["stake"]}
    )
    most = odds * (now - standing(after, defendant))  # the defendant pays as much as it may cost
    if books.strength == "easy":
        least, most = (amount * (0.5 + chance.random()) for amount in (least, most))
    offered = suit["offer"]
    if offered is None:
        return amount_of(sight, "demand", max(least, most)) or Answer("trial", {})
    if sight.seat == plaintiff:
        return Answer("accept" if offered >= least else "reject", {})
    if offered <= most:
        return Answer("accept", {})
    counter = amount_of(sight, "counter", (least + most) / 2) if len(suit["offers"]) == 1 and most > least else None
    return counter if counter and counter["amount"] < offered else Answer("reject", {})


def amount_of(sight: Sight, name: str, wanted: float) -> Answer | None:
    """Return the offered move of that name with the amount that is nearest below what is wanted; or None."""
    for move in sight.offered(name):
        amount = move.params["amount"]
        assert isinstance(amount, Amount)
        dollars = int(wanted) // STEP * STEP
        if dollars >= amount.min:
            return Answer(name, {"amount": min(dollars, amount.max)})
    return None


# --- Salaries ----------------------------------------------------------------------------------------


def salaries(sight: Sight, books: Books) -> Answer:
    """BN-44 to BN-46a: lay off who costs more than they bring, one by one; else pay."""
    seat = sight.seat
    can_pay = bool(sight.offered("pay"))
    off = sight.offered("lay_off")
    if not off:
        return Answer("pay", {})
    employees = off[0].values("employees", str)
    worth = {face: -added(books, seat, **{name_of(face): -1}) for face in employees}
    face = min(worth, key=lambda one: worth[one])
    if can_pay and worth[face] >= 0:
        return Answer("pay", {})
    return Answer("lay_off", {"employees": [face]})


# --- Reading the offers ------------------------------------------------------------------------------


def answers(move: Move) -> list[Answer]:
    """Return the answers of a move that are looked at: each card, target or number of IOUs, and the largest stake."""
    for name in ("card", "target", "ious"):
        param = move.params.get(name)
        if isinstance(param, OneOf | Choose | Order):
            return [Answer(move.name, {**move.first(), name: value}) for value in param.values]
    args = move.first()
    if "amount" in args:
        amount = move.params["amount"]
        assert isinstance(amount, Amount)
        args["amount"] = amount.max
    return [Answer(move.name, args)]
