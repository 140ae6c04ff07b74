"""What is true of the house in every game: it answers, it ends a match, and it cannot cheat."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate, product
from math import prod
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from hub import games
from hub.authoring.arena import Figure, wilson
from hub.authoring.house_laws import (
    HELD_BY_PEOPLE,
    HOUSE_LAWS,
    chooses_by_what_it_sees,
    differences,
    has_secrets,
    hinted,
    house_plays,
    plays_to_the_end,
    worlds,
    writes_to_nothing,
)
from hub.authoring.laws import Law, beginning, moments, steps
from hub.authoring.players import random_options
from hub.authoring.source import house_imports
from hub.engine.decision import Answer
from hub.engine.event import Event
from hub.engine.house_player import ANY_GAME, advise, play, sight_of
from hub.engine.match import Match
from hub.engine.odds import beat, odds_text
from hub.engine.sight import STRENGTHS, Randomness, Sight, Strength
from hub.errors import RulesBug
from hub.games.goofspiel_house import alone_or_cancelled
from tests.bench.arena import ALLOWED, NOTHING, matches_played, play_match
from tests.engine.ladder import LADDER
from tests.seeds import SEEDS, every_game

HOUSE_FILES = sorted(Path(games.__file__).parent.glob("*_house.py"))
few_seeds = pytest.mark.parametrize("seed", SEEDS[:2])
"""A match of the house takes ten times as long as one by chance."""

every_strength = pytest.mark.parametrize("strength", STRENGTHS)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # a law is many matches, and a machine may be busy


WITH_STRENGTH = (plays_to_the_end, chooses_by_what_it_sees, writes_to_nothing)


@every_game
@every_strength
@pytest.mark.parametrize("law", WITH_STRENGTH, ids=lambda law: law.__name__)
@few_seeds
def test_the_house_keeps_a_law_in_each_strength(
    name: str, strength: Strength, law: Callable[[str, int, Sequence[Strength]], None], seed: int
) -> None:
    law(name, seed, [strength])


@every_game
@pytest.mark.parametrize("law", [law for law in HOUSE_LAWS if law not in WITH_STRENGTH], ids=lambda law: law.__name__)
@few_seeds
def test_the_house_keeps_a_law(name: str, law: Law, seed: int) -> None:
    law(name, seed)


@every_game
@few_seeds
def test_a_game_without_a_house_player_is_played_to_its_end(name: str, seed: int) -> None:
    match, random = beginning(name, seed, HELD_BY_PEOPLE)
    for _ in house_plays(match, random, "steady", ANY_GAME):
        pass


def test_the_sharp_house_wins_more_than_its_part_against_random_play() -> None:
    """How much more, and each strength against the one below, `python -m tests.bench.arena` measures over many matches."""
    for name in games.names():
        seats = games.find(name).seats[0]
        played = [play_match(Figure(name, seats, "sharp", "random"), number) for number in range(12)]
        won = sum(one.wins.get(one.hero, 0.0) for one in played)
        assert won > 2 + len(played) / seats, f"{name}: {won} of {len(played)}"


# --- Among equals, and against rules of thumb ------------------------------------------------------------


SEATED_AMONG_SHARP = [
    ("goofspiel", 3, "the prize's own card"), ("goofspiel", 4, "the prize's own card"), ("goofspiel", 4, "one above the prize"),
    ("goofspiel", 2, "one above the prize"), ("goofspiel", 6, "always the lowest"), ("bid-it", 3, "always challenge"), ("bid-it", 3, "always one more"),
    ("bid-and-bait", 3, "always 3"), ("big-idea", 3, "never invest"), ("bidness", 3, "never bid, pay back"),
    ("i-bid-you-not", 3, "bid high, accept"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "seats", "rule"), SEATED_AMONG_SHARP)
def test_a_rule_of_thumb_does_not_pay_among_the_sharp_house(game: str, seats: int, rule: str) -> None:
    """Whether it wins less than 5 points above its part, `python -m tests.bench.arena` measures for every rule."""
    played = [play_match(Figure(game, seats, rule, "sharp"), number) for number in range(16)]
    won = sum(one.wins.get(one.hero, 0.0) for one in played)
    low, _ = wilson(won, len(played))
    assert low <= 1 / seats + ALLOWED, f"{won} of {len(played)}"


@pytest.mark.parametrize(
    ("played", "said"), [((40, 40), "Each figure has 40 matches."), ((40, 1000, 20), "Each figure has 20 to 1000 matches.")]
)  # fmt: skip
def test_the_page_of_figures_says_how_many_matches_they_have(played: tuple[int, ...], said: str) -> None:
    counts = {
        Figure("goofspiel", 2 + at, "sharp", "steady"): NOTHING._replace(matches=n) for at, n in enumerate(played)
    }
    assert matches_played(counts) == said


@pytest.mark.parametrize("rule", ["one above the prize", "two above the prize", "the prize's own card"])
@pytest.mark.parametrize("seats", [2, 4])
def test_a_rule_of_thumb_does_not_pay_among_the_steady_house_of_goofspiel(rule: str, seats: int) -> None:
    played = [play_match(Figure("goofspiel", seats, rule, "steady"), number) for number in range(24)]
    low, _ = wilson(sum(one.wins.get(one.hero, 0.0) for one in played), len(played))
    assert low <= 1 / seats + ALLOWED


@pytest.mark.parametrize("rule", ["two places above the prize's", "three places above the prize's"])
@pytest.mark.parametrize("strength", ["steady", "sharp"])
def test_whoever_bids_some_places_above_the_prize_does_not_win_more_among_two_of_the_house(
    rule: str, strength: Strength
) -> None:
    """Three players: who waits for low bids on what is to come is outbid until then, and again."""
    played = [play_match(Figure("goofspiel", 3, rule, strength), number) for number in range(60)]
    low, _ = wilson(sum(one.wins.get(one.hero, 0.0) for one in played), len(played))
    assert low <= 1 / 3 + ALLOWED


@pytest.mark.parametrize("tie", ["carry", "discard", "split", "next"])
@pytest.mark.parametrize("strength", ["steady", "sharp"])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_equals_at_goofspiel_seldom_all_bid_the_same(tie: str, strength: Strength, seats: int) -> None:
    alike = rounds = 0
    for seed in range(1 if seats == 6 else 2):
        match = Match(games.find("goofspiel"), range(1, seats + 1), {"tie": tie})
        for _ in house_plays(match, Random(f"equals {seed}"), strength):
            pass
        for event in match.events:
            if event.kind == "reveal":
                rounds += 1
                alike += len(set(event.data["bids"].values())) == 1
        assert match.over
        assert sum(match.over.scores.values()) > 0
    assert alike < rounds / 3, f"{alike} of {rounds} rounds"


def test_the_chance_that_higher_bids_cancel_one_another_is_exact_among_equals() -> None:
    shares, held = (0.1, 0.2, 0.3, 0.4), (1, 2, 3, 4)
    found = alone_or_cancelled([(held, [0.0, *accumulate(shares)])] * 3)
    for rank in held:
        likely = 0.0
        for bids in product(held, repeat=3):
            higher = [bid for bid in bids if bid > rank]
            if rank not in bids and all(higher.count(bid) > 1 for bid in higher):
                likely += prod(shares[bid - 1] for bid in bids)
        assert found[rank] == pytest.approx(likely)


# --- It cannot cheat ---------------------------------------------------------------------------------


class Cheat:
    """A house player that has got hold of the whole state."""

    def __init__(self, match: Match) -> None:
        self._match = match

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        return ANY_GAME.choose(sight, Random(self._match.fingerprint()), strength)


with_secrets = pytest.mark.parametrize(
    "name",
    [name for name in games.names() if name in games.built_in() or has_secrets(name)],
)


@with_secrets
def test_something_hidden_can_be_changed_without_being_seen(name: str) -> None:
    assert sum(1 for seed in range(6) for _ in worlds(name, seed)) >= 6, "nothing is proved"


@with_secrets
def test_a_house_player_that_cheats_would_be_found(name: str) -> None:
    assert any(differences(name, seed, "steady", Cheat) for seed in range(6))


class Gossip:
    """A house player that gives reasons which it cannot know."""

    def __init__(self, match: Match) -> None:
        self._match = match

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        return ANY_GAME.choose(sight, chance, strength)

    def reason(self, sight: Sight, chance: Randomness, answer: Answer | None) -> str:
        return f"The others hold {self._match.fingerprint()}."


@with_secrets
def test_a_hint_that_cheats_would_be_found(name: str) -> None:
    found = 0
    for seed in range(6):
        for one, two, seat in worlds(name, seed):
            found += hinted(one, seat, seed, Gossip(one)) != hinted(two, seat, seed, Gossip(two))
    assert found


WITHOUT_WORDS = {("bid-and-bait", "done"), ("big-idea", "offer"), ("i-bid-you-not", "pass"), ("i-bid-you-not", "open")}
"""What hardly wants a reason: there is nothing else to do, or all is alike."""


@every_game
def test_the_house_says_why(name: str) -> None:
    """A game whose house player gives reasons gives one for all that it does."""
    if not hasattr(games.find(name).house, "reason"):
        return
    silent, said = set[str](), set[str]()
    for seed in range(3):
        match, random = beginning(name, seed, HELD_BY_PEOPLE)
        for seat in house_plays(match, random, "steady"):
            sight = sight_of(match, seat) if moments(random, 0.3) else None
            advice = advise(sight, match.game, random) if sight else None
            if advice and advice.answer:
                (said if advice.say else silent).add(advice.answer.move)
    assert said
    assert {(name, move) for move in silent} <= WITHOUT_WORDS


def is_true(say: str, sight: Sight) -> bool:
    """Whether the figures of a hint are those of dice that are known, or counts."""
    table = sight.table
    match re.findall(r"\d+|sure|never", say), sight.view["game"]:
        case [_, *_], "bidness" if "odds" in say:
            suit = table["lawsuit"]
            (said,) = re.findall(r": (.*)\.$", say)
            target = int(re.findall(r"Seat (\d)", say)[0])
            sides = (suit["plaintiff"], suit["defendant"]) if suit else (sight.seat, target)
            one, other = (sight.of(seat)["dice"] for seat in sides)
            return said == odds_text(beat(one, other, 6)) and target in sides
        case [faces, _, number], "bid-and-bait":
            return int(faces) == sum(face + sight.me["baits"] >= int(number) for face in range(1, 7))
        case _:
            return True


@pytest.mark.parametrize("name", games.built_in())
def test_a_hint_states_no_odds_but_those_of_known_dice(name: str) -> None:
    """What the others hold, bid or add is guessed: a number for it would be believed."""
    stated, said = 0, set[str]()
    for seed in range(3):
        match, random = beginning(name, seed, HELD_BY_PEOPLE)
        for seat in house_plays(
            match, random, "easy"
        ):  # the sharp house is asked; easy play shows it as many kinds of moments
            sight = sight_of(match, seat) if moments(random, 0.5) else None
            advice = advise(sight, match.game, random) if sight else None
            if sight and advice and advice.say:
                said.add(advice.say)
                assert is_true(advice.say, sight), advice.say
                dice = re.sub(r"\d+ of 6 faces|odds .*", "", advice.say)
                stated += dice != advice.say
                assert not re.search(r"\d+ (in|of) [\d,]+\b|%|per cent|percent|odds|chance", dice), advice.say
    assert said
    assert bool(stated) == (name in ("bid-and-bait", "bidness"))


def test_a_hint_for_a_product_names_the_rolls_that_take_it_public_with_the_chip_and_without() -> None:
    """BI-22: a roll up to the number of its shares; how often it comes to that, those decide who still move chips."""
    rolls = set[str]()
    for seed in range(3):
        match, random = beginning("big-idea", seed, HELD_BY_PEOPLE)
        for seat in house_plays(match, random, "easy"):
            sight = sight_of(match, seat)
            advice = advise(sight, match.game, random) if sight and moments(random, 0.5) else None
            if sight and advice and advice.answer and (named := advice.answer.args.get("product")):
                (shares,) = (sum(one["shares"].values()) for one in sight.table["products"] if one["id"] == named)
                shares = min(6, shares + (-1 if advice.answer.move == "divest" else 1))
                told = re.findall(r"a roll of 1(?: to (\d))? takes it public", advice.say)
                assert told == ([] if not shares else [""] if shares == 1 else [f"{shares}"]), advice.say
                rolls.update(told)
    assert len(rolls) > 3


def test_a_house_player_is_handed_all_it_knows() -> None:
    """The rest of what it must not import, `tests/games/test_rulebooks.py` looks for in every file of a game."""
    for path in HOUSE_FILES:
        assert house_imports(path.read_text("utf-8")) == set(), path.name
    assert house_imports("import random\nfrom hub.engine.match import Match") == {"random", "hub.engine.match"}


# --- Who is asked, and what goes wrong ----------------------------------------------------------------


def climbing(house: Any = None) -> Match:
    return Match(msgspec.structs.replace(LADDER, house=house), (2, 5))


def test_who_is_not_asked_is_not_played_for() -> None:
    match = climbing()
    assert play(match, 5, "steady", Random(1)) is None
    action = play(match, 2, "steady", Random(1))
    assert action is not None
    assert action.seat == 2


def test_a_game_of_two_files_is_played_by_the_player_that_knows_no_rules() -> None:
    match = climbing()
    for _ in house_plays(match, Random(4), "sharp"):
        pass


@pytest.mark.parametrize("answer", [None, Answer("climb", {"by": 7}), Answer("jump", {})])
def test_a_house_player_that_answers_what_is_not_offered_is_told_apart(answer: Answer | None) -> None:
    match = climbing(SimpleNamespace(choose=lambda sight, chance, strength: answer))
    with pytest.raises(RulesBug, match="The house player of The ladder answers what is not offered"):
        play(match, 2, "steady", Random(1))
    assert play(match, 2, "steady", Random(1), player=ANY_GAME), "the table goes on all the same"


def test_a_game_of_two_files_has_no_hints_and_one_without_reasons_has_only_choices() -> None:
    sight = sight_of(climbing(), 2)
    assert sight
    assert advise(sight, LADDER, Random(1)) is None, "legal play by chance is no advice"
    plain = climbing(ANY_GAME)
    sight = sight_of(plain, 2)
    assert sight
    advice = advise(sight, plain.game, Random(1))
    assert advice
    assert advice.answer
    assert advice.say == ""


def test_a_house_player_whose_reasons_fail_is_told_apart() -> None:
    match = climbing(SimpleNamespace(choose=ANY_GAME.choose, reason=lambda sight, chance, answer: 1 // 0))
    sight = sight_of(match, 2)
    assert sight
    with pytest.raises(RulesBug, match="The house player of The ladder gives no reason: ZeroDivisionError"):
        advise(sight, match.game, Random(1))


def test_a_house_player_that_fails_is_told_apart() -> None:
    match = climbing(SimpleNamespace(choose=lambda sight, chance, strength: 1 // 0))
    with pytest.raises(RulesBug, match="The house player of The ladder failed: ZeroDivisionError"):
        play(match, 2, "steady", Random(1))


@every_game
def test_whoever_has_locked_is_not_asked_again(name: str) -> None:
    match, random = beginning(name, 1, HELD_BY_PEOPLE)
    for _ in steps(match, random):
        if match.open and match.open.kind == "sealed" and match.open.answers:
            (seat, *_) = match.open.answers
            assert sight_of(match, seat) is None
            return


def test_options_of_every_kind_are_played() -> None:
    random = Random(5)
    for name in games.names():
        game = games.find(name)
        for seats in range(game.seats[0], game.seats[1] + 1):
            match = Match(game, range(1, seats + 1), random_options(game, seats, random, without=HELD_BY_PEOPLE))
            for _ in house_plays(match, random, "easy"):
                pass


def test_the_house_ends_an_auction_in_a_few_bids() -> None:
    bids = [
        sum(event.kind == "bid" for event in lot)
        for seed in (1, 2)
        for lot in lots(match_of_the_house("bidness", seed).events)
    ]
    assert len(bids) > 10
    assert max(bids) <= 10
    assert sum(bids) / len(bids) < 6


def match_of_the_house(name: str, seed: int) -> Match:
    match, random = Match(games.find(name), range(1, 5)), Random(seed)
    for _ in house_plays(match, random, "steady"):
        pass
    return match


def lots(events: Sequence[Event]) -> list[list[Event]]:
    """Return the events of each auction."""
    found: list[list[Event]] = []
    for event in events:
        if event.kind == "auction":
            found.append([])
        elif found:
            found[-1].append(event)
    return found
