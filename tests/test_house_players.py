"""What is true of the house in every game: it answers, it ends a match, and it cannot cheat."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import accumulate, product
from math import prod
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace

from hub import games
from hub.chance import Chance
from hub.engine.decision import Answer
from hub.engine.event import Event
from hub.engine.house_player import ANY_GAME, advise, play, sight_of
from hub.engine.match import Match
from hub.engine.odds import beat, odds_text
from hub.engine.printed import OPTION
from hub.engine.secret import Pile, Secret
from hub.engine.sight import STRENGTHS, HousePlayer, Randomness, Sight, Strength
from hub.engine.text import to_json
from hub.errors import RulesBug
from hub.games.goofspiel_house import alone_or_cancelled
from tests.bench.arena import ALLOWED, NOTHING, Figure, matches_played, play_match, wilson
from tests.engine.ladder import LADDER
from tests.games.players import args, random_options
from tests.test_laws import SEEDS, beginning, copy, every_game, leaves, moments, seen, steps
from tests.test_laws import law as law_of

HOUSE_FILES = sorted(Path(games.__file__).parent.glob("*_house.py"))
LONG = 4_000
HELD_BY_PEOPLE = (OPTION,)
"""Options with which the house does not play: it cannot hold printed cards."""
"""No match of the house with itself takes so many actions."""

law = partial(law_of, seeds=SEEDS[:2])
"""A match of the house takes ten times as long as one by chance."""

every_strength = pytest.mark.parametrize("strength", STRENGTHS)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # a law is many matches, and a machine may be busy


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


@every_game
@every_strength
@law
def test_the_house_plays_a_match_to_its_end(name: str, strength: Strength, seed: int) -> None:
    match, random = beginning(name, seed, HELD_BY_PEOPLE)
    for _ in house_plays(match, random, strength):
        pass


@every_game
@law
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


def hidden_places(part: Any, viewer: int, *, hidden: bool = False) -> Iterator[tuple[list[Any], int]]:
    """The places of single values that `viewer` may not see; what stands there can be changed."""
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
    return to_json(play(match, seat, strength, Random(seed), player=player))


def worlds(name: str, seed: int) -> Iterator[tuple[Match, Match, int]]:
    """Two matches and a seat that is asked: they differ in what this seat may not see, and in that only."""
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
    sight, game = sight_of(match, seat), match.game
    assert sight
    return to_json(advise(sight, replace(game, house=house) if house else game, Random(seed)))


def differences(name: str, seed: int, strength: Strength, player: Callable[[Match], HousePlayer | None]) -> int:
    """How often a seat chooses otherwise, for the same randomness, where only what it may not see is different."""
    found = 0
    for one, two, seat in worlds(name, seed):
        first = chosen(one, seat, strength, seed, player(one))
        found += first != chosen(two, seat, strength, seed, player(two))
        assert first == chosen(one, seat, strength, seed, player(one)), "the same randomness gives the same choice"
    return found


@every_game
@every_strength
@law
def test_what_a_seat_may_not_see_does_not_change_its_choice(name: str, strength: Strength, seed: int) -> None:
    assert differences(name, seed, strength, lambda match: None) == 0


@every_game
@law
def test_what_a_seat_may_not_see_does_not_change_its_hint(name: str, seed: int) -> None:
    for one, two, seat in worlds(name, seed):
        assert hinted(one, seat, seed) == hinted(two, seat, seed)


class Cheat:
    """A house player that has got hold of the whole state."""

    def __init__(self, match: Match) -> None:
        self._match = match

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        return ANY_GAME.choose(sight, Random(self._match.fingerprint()), strength)


def has_secrets(name: str) -> bool:
    """Return whether a match of a game of a package has anything that a seat may not see; Farkle has nothing."""
    match, random = beginning(name, 0)
    return any(hidden for _ in steps(match, random, 40) for _, _, hidden in leaves(match.state.seats, None))


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


LONGEST_REASON = 140


@every_game
@law
def test_a_hint_is_one_short_sentence_and_an_answer_that_is_offered(name: str, seed: int) -> None:
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
    may = {"__future__", "typing", "collections", "collections.abc", "dataclasses", "functools", "itertools", "math",
           "statistics", "bisect", "hub.engine.decision", "hub.engine.sight", "hub.engine.event", "hub.engine.odds",
           "hub.engine.text"}  # fmt: skip
    for path in HOUSE_FILES:
        tree = ast.parse(path.read_text("utf-8"))
        imports = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        imports |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert imports <= may, path.name


class Watched:
    """A house player of which it is noted whether it has changed what it was shown."""

    def __init__(self, player: HousePlayer) -> None:
        self._player = player
        self.written: list[bool] = []

    def choose(self, sight: Sight, chance: Randomness, strength: Strength) -> Answer | None:
        before = to_json(sight)
        answer = self._player.choose(sight, chance, strength)
        self.written.append(to_json(sight) != before)
        return answer


@every_game
@every_strength
def test_the_house_writes_to_nothing_that_it_is_shown(name: str, strength: Strength) -> None:
    match, random = beginning(name, 3, HELD_BY_PEOPLE)
    watched = Watched(match.game.house or ANY_GAME)
    for _ in house_plays(match, random, strength, watched):
        pass
    assert watched.written
    assert not any(watched.written)


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
