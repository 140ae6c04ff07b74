"""What is true of every game, whatever it is called: found by name, played by players that know no rules."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, example, given, settings
from hypothesis import strategies as st

from hub import games
from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.game import Game
from hub.engine.match import Match
from hub.engine.printed import UNKNOWN, is_printed
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, say, to_json
from hub.errors import IllegalAction
from tests.games.players import LONGEST, args, offers, random_action, random_options, safe_action

LAWS = int(os.environ.get("LAWS", "6"))
"""How many matches every law is tried on: LAWS=300 pytest tests/test_laws.py -k bidness."""

SEEDS = range(min(LAWS, 6))
"""The matches of these seeds, in every run the same; what LAWS has beyond them hypothesis thinks of."""

MORE = max(0, LAWS - len(SEEDS))

pytestmark = pytest.mark.timeout(600)  # a law is many matches, and a machine may be busy

every_game = pytest.mark.parametrize("name", games.names())
JUNK: list[Any] = [None, True, False, -1, 0, 1, 7, 10**30, 1.0, "", "1", "table", [], [1], [[]], {}, ["a", None]]


def law(test: Callable[..., None], seeds: Sequence[int] = SEEDS) -> Callable[..., None]:
    """Try `test` with each of the seeds.

    They are explicit examples: what hypothesis thinks of itself depends on the constants of all modules that are loaded,
    so that a law would be tried on other matches alone than in a whole run.
    """
    tried = given(seed=st.integers(0, 2**32))(test)
    for number in reversed(seeds):
        tried = example(seed=number)(tried)
    phases = [Phase.explicit, Phase.generate] if MORE else [Phase.explicit]
    wanted = settings(
        max_examples=max(MORE, 1),
        phases=phases,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    return wanted(tried)


def beginning(name: str, seed: int, without: Collection[str] = ()) -> tuple[Match, Random]:
    """A match with its first question open to people, and the chance to play it by: seats and options as they come."""
    game, random = games.find(name), Random(f"{name} {seed}")
    count = random.randint(*game.seats)
    seats = range(1, count + 1) if random.random() < 0.5 else sorted(random.sample(range(1, 7), count))
    return Match(game, seats, random_options(game, count, random, without)), random


CLOSELY = 160
"""Actions of a match that are looked at closely: a look plays it again, and some matches are very long."""


def steps(match: Match, random: Random, most: int = CLOSELY) -> Iterator[Action]:
    """Play a match by chance, to its end or so far; each action is told once it has been taken."""
    chance = Chance(random.randrange(2**32))
    while match.open and len(match.log) < most:
        action = random_action(match, random, chance)
        match.act(action)
        yield action
    assert len(match.log) < LONGEST, "the match does not end"
    assert match.fault is None


def copy(match: Match, length: int | None = None) -> Match:
    """The same match, played again from its log."""
    return Match.replay(match.game, match.head, match.log[:length])


def seen(match: Match, viewer: int | None) -> bytes:
    """Everything that one viewer is shown."""
    moves = (
        (match.moves(viewer), match.barred(viewer), match.notes(viewer))
        if viewer in match.state.seats and viewer
        else ()
    )
    return to_json((match.view(viewer), moves, match.events, match.over and match.over.wire()))


def everything(match: Match) -> tuple[Any, ...]:
    """All there is of a match."""
    number = match.open.number if match.open else None
    shown = [seen(match, viewer) for viewer in (None, *match.state.seats)]
    return shown, match.fingerprint(), len(match.log), number, match.open and match.open.fingerprint()


def moments(random: Random, often: float) -> bool:
    """Whether to look closely now: laws that play a match again are checked now and then."""
    return random.random() < often


# --- It ends, and nothing is lost --------------------------------------------------------------------


@every_game
@law
def test_a_match_ends_and_its_invariants_hold_after_every_action(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    packaged = games.packaged().games.get(name)
    module = f"tests.games.invariants.{name.replace('-', '_')}"
    if packaged:
        module = packaged.rulebook.replace(".rulebook", ".invariants")
    check = import_module(module).check if find_spec(module) else None
    for _ in steps(match, random, LONGEST):
        if check and not (match.open and match.open.by_chance):
            check(match)
    assert match.over
    assert match.over.winners
    assert match.view(None)["waiting"]["seats"] == []
    for seat in match.state.seats:
        assert match.view(seat)["waiting"]["seats"] == {}


# --- Every change of what is counted is told with its rule ----------------------------------------------


@every_game
@law
def test_every_change_of_money_or_points_is_told_with_its_rule(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    game, count, known = match.game, 0, dict[tuple[int, str], int | None]()
    assert game.counted, "the labels of no fact say that it is counted"
    for _ in steps(match, random, LONGEST):
        if not known:  # before the first question to people it is being set up
            known = {} if match.open and match.open.by_chance else totals(match)
            count = len(match.events)
        for event in match.events[count:]:
            counted = event.data.get("seat", 0), event.data.get("what", "")
            if counted in known and "to" in event.data:
                assert event.data["from"] == known[counted], event.text
                assert event.rule in game.labels.rules, event.text
                assert event.data["sum"], event.text
                known[counted] = event.data["to"]
        count = len(match.events)
        if not (match.open and match.open.by_chance):
            assert known == totals(match), match.events[-1].text


def totals(match: Match) -> dict[tuple[int, str], int | None]:
    """What is counted of each seat; None where not everybody may know."""
    return {
        (seat, what): value if type(value := getattr(record, what)) is int else None
        for seat, record in match.state.seats.items()
        for what in match.game.counted
    }


# --- Screens show every roll ---------------------------------------------------------------------------


@every_game
@law
def test_a_roll_is_told_with_its_seat_and_its_faces(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        pass
    for event in match.events:
        if event.kind == "roll":
            assert event.data["seat"] in match.setup.seats
            assert event.data["faces"]
            assert all(type(face) is int for face in event.data["faces"])
            assert isinstance(event.data.get("verdict", say("")), Text), "screens translate it"


# --- It replays --------------------------------------------------------------------------------------


@every_game
@law
def test_a_match_replays_equal_at_every_prefix(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    taken = [(action, everything(match)) for action in steps(match, random)]
    again = Match(match.game, match.setup.seats, match.setup.options)
    for action, then in taken:
        again.act(action)
        assert everything(again) == then
    assert everything(copy(match)) == everything(match)


@pytest.mark.slow
@every_game
def test_a_match_does_not_depend_on_the_order_of_hashes(name: str) -> None:
    ends = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.games.one_match", name, "5"],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        ends.add(done.stdout)
    assert len(ends) == 1
    assert ends.pop().strip()


# --- It keeps secrets --------------------------------------------------------------------------------


def refusals(match: Match, seat: int) -> list[tuple[str, str]]:
    """What a seat is told when it tries what is not offered."""
    answers = []
    for move in (*match.game.labels.moves, "no_such_move"):
        for given_args in ({}, {"number": 0}, {"card": "none"}, {"amount": -5}, {"spot": 3}):
            action = Action(seat=seat, move=move, args=given_args)
            if not any(m.name == move and m.accepts(given_args) for s, m in offers(match) if s == seat):
                with pytest.raises(IllegalAction) as refused:
                    match.act(action)
                answers.append((refused.value.sentence, refused.value.code))
    return answers


@every_game
@law
def test_a_sealed_choice_shows_in_nothing_that_others_see(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        decision = match.open
        if not decision or decision.kind != "sealed" or not moments(random, 0.2):
            continue
        unlocked = [seat for seat in decision.asked if seat not in decision.answers]
        if len(unlocked) < 2:
            continue
        chooser, *others = random.sample(unlocked, len(unlocked))
        choices = [(move.name, args(move, random)) for move in random.choices(decision.asked[chooser], k=2)]
        one, two = copy(match), copy(match)
        for twin, (move, chosen) in zip((one, two), choices, strict=True):
            twin.act(Action(seat=chooser, move=move, args=chosen))
        for other in others:
            for viewer in (None, *(seat for seat in match.state.seats if seat != chooser)):
                assert seen(one, viewer) == seen(two, viewer)
            assert refusals(one, other) == refusals(two, other)
            lock = random.choice(decision.asked[other])
            action = Action(seat=other, move=lock.name, args=args(lock, random))
            if other != others[-1]:
                for twin in (one, two):
                    twin.act(action)


@cache
def field_names(kind: Any) -> list[str]:
    """The fields of a dataclass; none of anything else."""
    return [field.name for field in fields(kind)] if is_dataclass(kind) else []


def leaves(part: Any, viewer: int | None, path: str = "", *, hidden: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """Every single value of a state: where it stands, what it is, whether it is hidden from `viewer`."""
    kind: Any = type(part)
    if isinstance(part, Secret):
        yield from leaves(part.value, viewer, path, hidden=hidden or viewer not in part.seen_by)
    elif isinstance(part, Pile):
        yield from leaves(part.cards, viewer, path, hidden=True)
    elif names := field_names(kind):
        for name in names:
            yield from leaves(getattr(part, name), viewer, f"{path}.{name}", hidden=hidden)
    elif isinstance(part, list | tuple):
        yield f"{path}.#", len(part), hidden
        for place, item in enumerate(part):
            yield from leaves(item, viewer, f"{path}.{place}", hidden=hidden)
    elif isinstance(part, dict):
        yield f"{path}.#", list(map(str, part)), hidden
        for key, item in part.items():
            yield from leaves(item, viewer, f"{path}.{key}", hidden=hidden)
    else:
        yield path, part, hidden


def split_leaves(match: Match, viewer: int) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
    """What of the state `viewer` may know, and what is hidden from it."""
    state = match.state
    parts = {"table": state.table, "seats": state.seats, "round": state.round, "phase": state.phase}
    found: tuple[list[tuple[str, Any]], list[tuple[str, Any]]] = [], []
    for path, value, hidden in leaves(parts, viewer):
        found[hidden].append((path, value))
    return found


@every_game
@law
def test_cards_that_a_seat_cannot_see_may_change_places_unseen(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    taken = list(steps(match, random))
    chances = [place for place, action in enumerate(taken) if action.move in ("shuffle", "pick")]
    proved = 0
    for _ in range(3 if chances else 0):
        place, viewer = random.choice(chances), random.choice(list(match.state.seats))
        one, two = (Match(match.game, match.setup.seats, match.setup.options) for _ in range(2))
        is_changed = False
        for number, action in enumerate(taken):
            assert one.open
            other = other_outcome(action, one.open, random) if number == place else action
            is_changed = is_changed or other != action
            one.act(action)
            try:
                two.act(other)
            except IllegalAction:
                break  # the log no longer replays: a card has come to light
            (shown, hidden), (other_shown, other_hidden) = (split_leaves(match, viewer) for match in (one, two))
            if shown != other_shown or (is_changed and number == place and hidden == other_hidden):
                break  # it has come to light; a pick may also be told at once
            assert seen(one, viewer) == seen(two, viewer)
            if moments(random, 0.1):
                assert refusals(one, viewer) == refusals(two, viewer)
            proved += is_changed
    assume(proved or not chances)


def other_outcome(action: Action, decision: Decision, random: Random) -> Action:
    """Another outcome of a shuffle or a pick; the same one if there is no other."""
    if len(decision.cards) < 2:
        return action
    if action.move == "pick":
        others = [index for index in range(len(decision.cards)) if index != action.args["index"]]
        return Action(seat=CHANCE, move="pick", args={"index": random.choice(others)})
    order = list(action.args["order"])
    i, j = random.sample(range(len(order)), 2)
    order[i], order[j] = order[j], order[i]
    return Action(seat=CHANCE, move="shuffle", args={"order": order})


# --- It refuses what is not offered, and takes what is -----------------------------------------------


def wrong_actions(match: Match, random: Random) -> Iterator[Action]:
    """Actions that nobody was offered: other values, names, seats, numbers."""
    number = match.open.number if match.open else 0
    offered = offers(match)
    for seat, move in offered:
        right = args(move, random)
        for name in right:
            yield Action(seat=seat, move=move.name, args={**right, name: random.choice(JUNK)})
            yield Action(seat=seat, move=move.name, args={key: value for key, value in right.items() if key != name})
        yield Action(seat=seat, move=move.name, args={**right, "surplus": 1})
        yield Action(seat=seat, move=move.name + "s", args=right)
        yield Action(seat=99, move=move.name, args=right)
        yield Action(seat=CHANCE, move=move.name, args=right)
        for other in match.state.seats:
            yield Action(seat=other, move=move.name, args=right)
        yield Action(seat=seat, move=move.name, args=right, number=number + 1)
        yield Action(seat=seat, move=move.name, args=right, number=number - 1)
    for junk in JUNK:
        yield Action(seat=CHANCE, move="roll", args={"faces": junk})
        yield Action(seat=CHANCE, move="shuffle", args={"order": junk})
    yield Action(seat=CHANCE, move="pick", args={"index": 10**6})
    yield Action(seat=next(iter(match.state.seats)), move="roll", args={"faces": [1]})


def legal(match: Match, action: Action) -> bool:
    """Whether an action happens to be one of those that are offered."""
    decision = match.open
    if decision is None or (action.number is not None and action.number != decision.number):
        return False
    if action.seat != CHANCE:
        return any(s == action.seat and m.name == action.move and m.accepts(action.args) for s, m in offers(match))
    faces, roll = action.args.get("faces"), decision.roll
    if action.move != "roll" or roll is None or not isinstance(faces, list):
        return False
    return len(faces) == roll.count and all(type(face) is int and 1 <= face <= roll.sides for face in faces)


@every_game
@law
def test_what_is_not_offered_is_refused_with_a_sentence_and_changes_nothing(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        if match.open and not moments(random, 0.15):
            continue
        before = everything(match)
        for action in wrong_actions(match, random):
            if not legal(match, action):
                with pytest.raises(IllegalAction) as refused:
                    match.act(action)
                assert refused.value.sentence.endswith(".")
                assert refused.value.code
        assert everything(match) == before


@every_game
@law
def test_whatever_is_offered_is_accepted_and_so_is_the_safe_answer(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        if match.open is None or match.open.by_chance or not moments(random, 0.06):
            continue
        for seat, move in offers(match):
            copy(match).act(Action(seat=seat, move=move.name, args=args(move, random), number=match.open.number))
            copy(match).act(Action(seat=seat, move=move.name, args=move.first()))
        for seat in [] if match.open.roll else match.open.asked:
            if match.open.offers(seat):
                copy(match).act(safe_action(match, seat))


@every_game
@law
def test_what_a_seat_is_told_it_cannot_have_is_refused_in_the_same_words(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        for seat in match.state.seats if moments(random, 0.3) else ():
            for one in match.barred(seat):
                why, move = one.pop("why"), one.pop("move")
                alike = [offered for other, offered in offers(match) if other == seat and offered.name == move]
                whole = {**(args(alike[0], random) if alike else {}), **one}
                with pytest.raises(IllegalAction) as refused:
                    match.act(Action(seat=seat, move=move, args=whole))
                assert refused.value.sentence == why or whole.keys() != one.keys()


# --- It can be undone --------------------------------------------------------------------------------


LAID = {"i-bid-you-not": "bid"}
"""What lies on the table as printed cards, and is turned over there: a number beside them may still be mended."""


def revealed(earlier: Match, later: Match) -> bool:
    """Whether some seat may know more values now: a sealed choice that was only changed is none."""
    if later.open and earlier.open and later.open.kind == "sealed" and later.open.number == earlier.open.number:
        return False
    return any(secrets(earlier, viewer) - secrets(later, viewer) for viewer in later.state.seats)


def secrets(match: Match, viewer: int) -> Counter[str]:
    parts = {"table": match.state.table, "seats": match.state.seats}
    found = leaves(parts, viewer)
    laid = LAID.get(match.game.name) if is_printed(match.setup) else None
    return Counter(
        repr(value)
        for path, value, hidden in found
        if hidden and value is not None and value != UNKNOWN and not path.endswith("#")
        if laid is None or laid not in path.split(".")
    )


@every_game
@law
def test_undo_gives_the_very_state_before_or_is_refused(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    then = everything(match)
    for action in steps(match, random):
        before, then = then, everything(match)
        if not moments(random, 0.15):
            continue
        allowed, earlier = match.may_undo(action.seat), copy(match)
        try:
            undone = earlier.undo()
        except IllegalAction:
            assert not allowed
            assert everything(earlier) == then
            continue
        assert allowed
        assert action.seat != CHANCE, "dice and shuffles stay"
        assert not revealed(earlier, match), "what was shown stays shown"
        assert undone[-1].kind == "undo"
        earlier.events.pop()
        assert everything(earlier) == before


@every_game
@law
def test_nobody_takes_back_what_another_seat_has_done(name: str, seed: int) -> None:
    match, random = beginning(name, seed)
    for action in steps(match, random):
        for seat in match.state.seats:
            if seat != action.seat and moments(random, 0.05):
                with pytest.raises(IllegalAction):
                    match.before(1, seat)
        if len(match.log) > 1 and match.log[-2].seat != action.seat and moments(random, 0.1):
            with pytest.raises(IllegalAction):
                match.before(2)


def tried() -> list[int]:
    """The seeds that a law is tried with."""
    found: list[int] = []

    @law
    def probe(seed: int) -> None:
        found.append(seed)

    probe()
    return found


@pytest.mark.skipif(MORE > 0, reason="more matches are tried than those of the seeds")
def test_a_law_tries_the_same_matches_whatever_else_is_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stranger = ModuleType("stranger")
    stranger.__file__ = f"{tmp_path / 'stranger.py'}"
    tmp_path.joinpath("stranger.py").write_text(f"NUMBERS, LETTER = {list(range(101, 10**6, 999))}, 'A'")
    monkeypatch.setitem(sys.modules, "stranger", stranger)
    assert tried() == list(SEEDS)


def test_there_are_games() -> None:
    found: list[Game] = [games.find(name) for name in games.names()]
    assert [game.name for game in found] == games.names()


@every_game
@law
def test_others_are_told_in_the_third_person_who_is_asked(name: str, seed: int) -> None:
    """The kiosk says nothing to a room in the second person: each sentence names the one seat, or all that are asked."""
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        decision = match.open
        if decision is None or decision.by_chance:
            continue
        asked = {*decision.asked} | ({decision.roll.seat} if decision.roll else set())
        named = {int(seat) for seat in re.findall(r"Seat (\d)", decision.others)}
        assert not re.search(r"\byou(r|rs)?\b", decision.others, re.IGNORECASE), decision.others
        assert not named & asked if decision.kind == "sealed" else named >= asked, decision.others
        assert re.fullmatch(r"[A-Z].{3,118}[.?]", decision.others), decision.others
