"""What is true of the house player of every game: it plays a match to its end, it cannot cheat, and its hints are short.

A law is a function of a game's name and a seed, as in `hub/authoring/laws.py`. It raises AssertionError where it does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any, cast

from msgspec.structs import replace

from hub.authoring.laws import LONGEST_REASON, Check, Law, beginning, copy, leaves, moments, seen, steps
from hub.authoring.players import args
from hub.chance import Chance
from hub.engine.decision import Answer
from hub.engine.house_player import ANY_GAME, advise, play, sight_of
from hub.engine.match import Match
from hub.engine.printed import OPTION
from hub.engine.secret import Pile, Secret
from hub.engine.sight import STRENGTHS, HousePlayer, Randomness, Sight, Strength
from hub.engine.text import to_json

LONG = 4_000
"""No match of the house with itself takes so many actions."""
HELD_BY_PEOPLE = (OPTION,)
"""Options with which the house does not play: it cannot hold printed cards."""
HOUSE_LAWS: list[Law] = []


def law(check: Check) -> Check:
    """Add a law to `HOUSE_LAWS`."""
    HOUSE_LAWS.append(check)
    return check


def house_plays(
    match: Match, random: Random, strength: Strength, player: HousePlayer | None = None,
) -> Iterator[int]:  # fmt: skip
    """Let the house play all seats to the end; each seat is told before it answers."""
    chance = Chance(random.randrange(2**32))
    while True:
        chance.settle(match)
        if match.open is None:
            break
        asked = [seat for seat in match.state.seats if sight_of(match, seat)]
        assert asked, f"nobody is asked: {match.open.want}"
        yield asked[0]
        action = play(match, asked[0], strength, random, player=player)
        assert action is not None
        match.act(action)
        assert len(match.log) < LONG, "the match does not end"
    assert match.over
    assert match.fault is None


@law
def plays_to_the_end(name: str, seed: int, strengths: Sequence[Strength] = STRENGTHS) -> None:
    """The house plays a match to its end."""
    for strength in strengths:
        match, random = beginning(name, seed, HELD_BY_PEOPLE)
        for _ in house_plays(match, random, strength):
            pass


def has_secrets(name: str) -> bool:
    """Return whether a match of a game of a package has anything that a seat may not see; Farkle has nothing."""
    match, random = beginning(name, 0)
    return any(hidden for _ in steps(match, random, 40) for _, _, hidden in leaves(match.state.seats, None))


def hidden_places(part: Any, viewer: int, *, hidden: bool = False) -> Iterator[tuple[list[Any], int]]:
    """Yield the places of single values that `viewer` may not see; what stands there can be changed."""
    if isinstance(part, Secret):
        unseen = hidden or viewer not in part.seen_by
        if isinstance(part.value, list | dict) or is_dataclass(part.value):
            yield from hidden_places(part.value, viewer, hidden=unseen)
        elif unseen and part.value is not None:
            yield cast(list[Any], _Field(part, "value")), 0
    elif isinstance(part, Pile):
        yield from hidden_places(part.cards, viewer, hidden=True)
    elif isinstance(part, list):
        for place, item in enumerate(part):
            if hidden and type(item) in (str, int):
                yield part, place
            else:
                yield from hidden_places(item, viewer, hidden=hidden)
    elif isinstance(part, dict):
        for item in part.values():
            yield from hidden_places(item, viewer, hidden=hidden)
    elif is_dataclass(part):
        for field in fields(part):
            item = getattr(part, field.name)
            if hidden and type(item) in (str, int):
                yield cast(list[Any], _Field(part, field.name)), 0
            else:
                yield from hidden_places(item, viewer, hidden=hidden)


class _Field:
    """A field of a record, written like a place of a list."""

    def __init__(self, record: Any, name: str) -> None:
        self._record, self._name = record, name

    def __getitem__(self, place: int) -> Any:
        return getattr(self._record, self._name)

    def __setitem__(self, place: int, value: Any) -> None:
        setattr(self._record, self._name, value)


def change_all_hidden(match: Match, viewer: int, random: Random, *, apart: bool = False) -> int:
    """Put into every place that `viewer` may not see another hidden value of its kind; return how many are different.

    With `apart` each pile and each hand is mixed by itself: what lies in it may be known, but not where.
    """
    changed = 0
    decision = match.open
    assert decision
    for other in decision.answers:
        if other != viewer:
            move = random.choice(decision.asked[other])
            decision.answers[other] = Answer(move.name, args(move, random))
    match.log.clear()
    alike: dict[Any, list[tuple[list[Any], int]]] = {}
    for part, place in hidden_places([match.state.table, match.state.seats], viewer):
        alike.setdefault((type(part[place]), id(part) if apart else 0), []).append((part, place))
    for (kind, _), places in alike.items():
        if kind not in (str, int):
            continue
        values = [part[place] for part, place in places]
        for (part, place), value in zip(places, random.sample(values, len(values)), strict=True):
            changed += part[place] != value
            part[place] = value
    return changed


def chosen(match: Match, seat: int, strength: Strength, seed: int, player: HousePlayer | None) -> bytes:
    """Return what the house, or `player`, does at a seat."""
    return to_json(play(match, seat, strength, Random(seed), player=player))


def worlds(name: str, seed: int) -> Iterator[tuple[Match, Match, int]]:
    """Yield two matches and a seat that is asked: they differ in what this seat may not see, and in that only."""
    match, random = beginning(name, seed, HELD_BY_PEOPLE)
    for _ in steps(match, random, 400):
        asked = [seat for seat in match.state.seats if sight_of(match, seat)]
        if not asked or not moments(random, 0.1):
            continue
        seat = random.choice(asked)
        for apart in (False, True):  # mixed all over, what is hidden may be part of a sum or a list that is shown
            other = copy(match)
            if change_all_hidden(other, seat, random, apart=apart) and seen(match, seat) == seen(other, seat):
                yield match, other, seat
                break


def hinted(match: Match, seat: int, seed: int, house: HousePlayer | None = None) -> bytes:
    """Return the hint that a seat would get."""
    sight, game = sight_of(match, seat), match.game
    assert sight
    return to_json(advise(sight, replace(game, house=house) if house else game, Random(seed)))


def differences(name: str, seed: int, strength: Strength, player: Callable[[Match], HousePlayer | None]) -> int:
    """Return how often a seat chooses otherwise, for the same randomness, where only what it may not see is different."""
    found = 0
    for one, two, seat in worlds(name, seed):
        first = chosen(one, seat, strength, seed, player(one))
        found += first != chosen(two, seat, strength, seed, player(two))
        assert first == chosen(one, seat, strength, seed, player(one)), "the same randomness gives the same choice"
    return found


@law
def chooses_by_what_it_sees(name: str, seed: int, strengths: Sequence[Strength] = STRENGTHS) -> None:
    """What a seat may not see does not change what the house does there."""
    for strength in strengths:
        assert differences(name, seed, strength, lambda _: None) == 0, strength


@law
def hints_by_what_it_sees(name: str, seed: int) -> None:
    """What a seat may not see does not change its hint."""
    for one, two, seat in worlds(name, seed):
        assert hinted(one, seat, seed) == hinted(two, seat, seed)


@law
def hints_in_short(name: str, seed: int) -> None:
    """A hint is one short sentence, and an answer that is offered."""
    match, random = beginning(name, seed, HELD_BY_PEOPLE)
    for _ in steps(match, random, 300):
        for seat in match.state.seats:
            sight = sight_of(match, seat) if moments(random, 0.2) else None
            if sight is None or (advice := advise(sight, match.game, random)) is None:
                continue
            assert len(advice.say) <= LONGEST_REASON, advice.say
            assert not advice.say or advice.say.endswith("."), advice.say
            if advice.answer is None:
                assert sight.roll
            else:
                assert any(one.name == advice.answer.move and one.accepts(advice.answer.args) for one in sight.offers)


class Watched:
    """A house player of which it is noted whether it has changed what it was shown."""

    def __init__(self, player: HousePlayer) -> None:
        self._player = player
        self.written: list[bool] = []

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        """Return what the player chooses."""
        before = to_json(sight)
        answer = self._player.choose(sight, chance, strength)
        self.written.append(to_json(sight) != before)
        return answer


@law
def writes_to_nothing(name: str, seed: int, strengths: Sequence[Strength] = STRENGTHS) -> None:
    """The house changes nothing that it is shown."""
    for strength in strengths:
        match, random = beginning(name, seed, HELD_BY_PEOPLE)
        watched = Watched(match.game.house or ANY_GAME)
        for _ in house_plays(match, random, strength, watched):
            pass
        assert watched.written
        assert not any(watched.written), strength
