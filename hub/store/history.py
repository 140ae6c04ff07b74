"""Statistics of finished matches: their number and duration, wins by seat, and whether the dice are fair.

They use only public facts of finished matches: heads, results and rolls.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import erfc, exp, lgamma, log, sqrt
from statistics import median
from typing import Literal

from hub.engine.text import Text, say
from hub.state import DiceHistory, GameHistory, History, PastMatch, SeatHistory
from hub.store.queries import LONGEST, SIDES, count_rolls, lines_of, stored_rolls

SHOWN_MATCHES = 12
FEWEST = 60
"""Minimum number of dice for a verdict: with ten of each face expected, the chi-square distribution fits well."""
UNEVEN, UNFAIR = 0.05, 0.001
"""Probabilities of a deviation with fair dice, below which the dice are called somewhat uneven, or hardly fair."""


def history(db: sqlite3.Connection, titles: Mapping[str, str], table: str = "") -> History:
    """Return the statistics of finished matches at one table, or with "" at all tables. Raise sqlite3.Error.

    `titles` are the names of the games.
    """
    matches, ids = [], []
    rows = db.execute(
        'SELECT id, "table", head, result, begun, (julianday(ended) - julianday(begun)) * 1440, '
        'EXISTS(SELECT 1 FROM entries WHERE "match" = matches.id) FROM matches '
        "WHERE result IS NOT NULL AND (? = '' OR \"table\" = ?) ORDER BY ended DESC, rowid DESC",
        (table, table),
    )
    for match, at, head, result, begun, minutes, kept in rows.fetchall():
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            known, over = json.loads(head), json.loads(result)
            title = titles.get(known["game"], known["game"])
            took = round(minutes, 1) if minutes is not None and 0 < minutes <= LONGEST else None
            matches.append(
                PastMatch(match, at, title, begun, took, list(known["seats"]), list(over["winners"]), bool(kept))
            )
            ids.append(match)
    return History(
        played=len(matches),
        matches=matches[:SHOWN_MATCHES],
        games=_games(matches),
        seats=_seats(matches),
        dice=_dice(db, ids, table),
    )


def _games(matches: Sequence[PastMatch]) -> list[GameHistory]:
    minutes: dict[str, list[float]] = defaultdict(list)
    played = Counter(match.title for match in matches)
    for match in matches:
        if match.minutes is not None:
            minutes[match.title].append(match.minutes)
    return [
        GameHistory(title, count, *((min(took), median(took), max(took)) if (took := minutes[title]) else (0, 0, 0)))
        for title, count in played.most_common()
    ]


def _seats(matches: Sequence[PastMatch]) -> list[SeatHistory]:
    """Return for each seat how often it played and won, and its expected wins if all seats were equal."""
    played, won = Counter[int](), Counter[int]()
    expected: dict[int, float] = defaultdict(float)
    for match in matches:
        for seat in match.seats:
            played[seat] += 1
            expected[seat] += len(match.winners) / len(match.seats)
        won.update(match.winners)
    return [SeatHistory(seat, played[seat], won[seat], round(expected[seat], 1)) for seat in sorted(played)]


def _dice(db: sqlite3.Connection, matches: Sequence[str], table: str) -> list[DiceHistory]:
    """Return how often each face of six-sided dice was rolled, by source of the dice, in these logs and in wiped ones."""
    # One test per source of dice, because a log does not know single dice. Wins by seat get no test, because the seats of a
    # game are not equal by design.
    rolled = stored_rolls(db, table)
    for match in matches:
        rolled += count_rolls(lines_of(db, match))
    kinds: tuple[Literal["read", "typed", "hub"], ...] = ("read", "typed", "hub")
    faces = {kind: [rolled[kind, face] for face in range(1, SIDES + 1)] for kind in kinds}
    return [judge(kind, faces[kind]) for kind in kinds if any(faces[kind])]


# --- whether dice are fair ------------------------------------------------------------------------------


def judge(kind: Literal["read", "typed", "hub"], counts: Sequence[int]) -> DiceHistory:
    """Return the verdict on dice with these counts per face: Pearson's chi-square test against equal probabilities."""
    dice = sum(counts)
    expected = dice / len(counts)
    if dice < FEWEST:
        too_few = say("Too few dice to tell: {count}. At least {fewest} are needed.", count=dice, fewest=FEWEST)
        return DiceHistory(kind, list(counts), None, None, too_few)
    square = sum((count - expected) ** 2 for count in counts) / expected
    p = chi_square_tail(square, len(counts) - 1)
    share = _share(p)
    if p >= UNEVEN:
        verdict = say(
            "No sign that they are unfair. Fair dice would be as uneven as this, or more, {share}.", share=share
        )
    elif p >= UNFAIR:
        verdict = say(
            "Somewhat uneven. Fair dice would be as uneven as this, or more, {share}, so it may be chance. Look "
            "again after as many more rolls.",
            share=share,
        )
    else:
        verdict = say(
            "Hardly fair, or not read right. Fair dice would be as uneven as this, or more, {share}.", share=share
        )
    return DiceHistory(kind, list(counts), round(square, 2), p, verdict)


def chi_square_tail(value: float, freedom: int) -> float:
    """Return the probability that a chi-square variable with `freedom` degrees of freedom is at least `value`.

    It is the regularized upper incomplete gamma function Q(freedom / 2, value / 2), from Q(1/2, x) = erfc(sqrt(x)) or
    Q(1, x) = exp(-x) and Q(a + 1, x) = Q(a, x) + x^a exp(-x) / Gamma(a + 1): https://dlmf.nist.gov/8.8#E6.
    """
    x = value / 2
    if x <= 0:
        return 1.0
    a, tail = (0.5, erfc(sqrt(x))) if freedom % 2 else (1.0, exp(-x))
    while a < freedom / 2:
        tail += exp(a * log(x) - x - lgamma(a + 1))
        a += 1
    return min(1.0, tail)


def _share(p: float) -> Text:
    """Return a probability in words: `in 37 of 100 cases`, `in 1 of 2500 cases`."""
    if p >= 0.1:
        return say("in {count} of 100 cases", count=round(p * 100))
    if p < 1e-6:
        return say("in less than 1 of a million cases")
    cases = 1 / p
    digits = 10 ** max(0, len(str(int(cases))) - 2)
    return say("in 1 of {count} cases", count=round(cases / digits) * digits)


def as_text(found: History) -> str:
    """Return the statistics as text for a terminal."""
    if not found.played:
        return "No match has been finished yet.\n"
    lines = [f"{found.played} match{'' if found.played == 1 else 'es'} finished.", "", "Minutes (least, middle, most):"]
    lines += [
        f"  {game.title:20}{game.played:5} x  {game.least:6.0f}{game.middle:6.0f}{game.most:6.0f}"
        for game in found.games
    ]
    lines += ["", "Wins by seat:"]
    lines += [
        f"  Seat {one.seat}: {one.won} of {one.played}, {one.expected:g} if all were equal" for one in found.seats
    ]
    lines += ["", "Dice, by face from 1 to 6:"]
    lines += [f"  {NAMES[one.kind]}: {' '.join(map(str, one.counts))}. {_test(one)}" for one in found.dice]
    if not found.dice:
        lines.append("  none so far")
    lines += ["", "The newest:"]
    for match in found.matches:
        won = "nobody" if not match.winners else " and ".join(f"seat {seat}" for seat in match.winners)
        took = "" if match.minutes is None else f", {match.minutes:.0f} min"
        lines.append(f"  {match.id:8}{match.begun}  table {match.table}  {match.title}{took}, won by {won}")
    return "\n".join(lines) + "\n"


NAMES: Mapping[str, str] = {"read": "read by a reader", "typed": "typed", "hub": "by the hub"}


def _test(one: DiceHistory) -> str:
    return f"{one.verdict} (chi-square {one.square:g}, p = {one.p:.2g})" if one.p is not None else one.verdict
