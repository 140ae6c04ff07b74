"""What is true of every game, whatever it is called: each law plays a match by players that know no rules.

A law is a function of a game's name and a seed, which decides the match. It raises AssertionError where it does not hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from random import Random
from typing import Any, TypeVar

from msgspec import json

from hub import games
from hub.authoring.players import LONGEST, args, offers, random_action, random_options, safe_action
from hub.chance import Chance
from hub.engine.decision import CHANCE, Action, Decision
from hub.engine.house_player import advise, sight_of
from hub.engine.match import Match
from hub.engine.printed import UNKNOWN, is_printed
from hub.engine.secret import Pile, Secret
from hub.engine.text import Text, say, to_json
from hub.errors import IllegalAction, RulesBug
from hub.network.messages import HAND_SIZE, to_bytes
from hub.state import Faces, Hand, Hint

CLOSELY = 160
"""Actions of a match that are looked at closely: a look plays it again, and some matches are very long."""
JUNK: list[Any] = [None, True, False, -1, 0, 1, 7, 10**30, 1.0, "", "1", "table", [], [1], [[]], {}, ["a", None]]
LONGEST_REASON = 140
"""Maximum length of what a house player says of an answer, in letters."""
Law = Callable[[str, int], None]
Check = TypeVar("Check", bound=Callable[..., None])
Invariant = Callable[[Match], None]
LAWS: list[Law] = []


def law(check: Check) -> Check:
    """Add a law to `LAWS`."""
    LAWS.append(check)
    return check


def refused(match: Match, action: Action) -> IllegalAction:
    """Return why an action is refused. Raise AssertionError if it is accepted."""
    try:
        match.act(action)
    except IllegalAction as why:
        return why
    raise AssertionError(f"accepted: {action}")


def beginning(name: str, seed: int, without: Collection[str] = ()) -> tuple[Match, Random]:
    """Return a match with its first question open to people, and the chance to play it by: seats and options as they come."""
    game, random = games.find(name), Random(f"{name} {seed}")
    count = random.randint(*game.seats)
    seats = range(1, count + 1) if random.random() < 0.5 else sorted(random.sample(range(1, 7), count))
    return Match(game, seats, random_options(game, count, random, without)), random


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
    """Return the same match, played again from its log."""
    return Match.replay(match.game, match.head, match.log[:length])


def seen(match: Match, viewer: int | None) -> bytes:
    """Return everything that one viewer is shown."""
    moves = (
        (match.moves(viewer), match.barred(viewer), match.notes(viewer))
        if viewer in match.state.seats and viewer
        else ()
    )
    return to_json((match.view(viewer), moves, match.events, match.over and match.over.wire()))


def check_same_view(one: Match, two: Match, viewer: int | None) -> None:
    """Raise AssertionError if one viewer is shown something else in the other match, with the place."""
    shown, other = seen(one, viewer), seen(two, viewer)
    if shown != other:
        who = "the room" if viewer is None else f"seat {viewer}"
        parts, others = (dict(zip(SEEN, json.decode(what), strict=True)) for what in (shown, other))
        raise AssertionError(f"{who} sees a difference: {first_difference(parts, others)}")


SEEN = ("view", "moves", "events", "over")


def first_difference(one: Any, two: Any, path: str = "") -> str:
    """Return the place at which two different messages differ first, and both values there."""
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        inner = next(key for key in one if one[key] != two[key])
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        inner = next(place for place, (a, b) in enumerate(zip(one, two, strict=True)) if a != b)
    else:
        return f"{path.removeprefix('.')} is {one!r} or {two!r}"
    return first_difference(one[inner], two[inner], f"{path}.{inner}")


def everything(match: Match) -> tuple[Any, ...]:
    """Return all there is of a match."""
    number = match.open.number if match.open else None
    shown = [seen(match, viewer) for viewer in (None, *match.state.seats)]
    return shown, match.fingerprint(), len(match.log), number, match.open and match.open.fingerprint()


def moments(random: Random, often: float) -> bool:
    """Return whether to look closely now: laws that play a match again are checked now and then."""
    return random.random() < often


# --- It ends, and nothing is lost --------------------------------------------------------------------


@law
def ends(name: str, seed: int, invariant: Invariant | None = None) -> None:
    """A match ends, and its invariants hold after every action.

    `invariant` raises AssertionError if something does not hold that is true of this game whenever people are asked.
    """
    match, random = beginning(name, seed)
    for _ in steps(match, random, LONGEST):
        if invariant and not (match.open and match.open.by_chance):
            invariant(match)
    assert match.over
    assert match.over.winners
    assert match.view(None)["waiting"]["seats"] == []
    for seat in match.state.seats:
        assert match.view(seat)["waiting"]["seats"] == {}


# --- Every change of what is counted is told with its rule ----------------------------------------------


@law
def tells_changes(name: str, seed: int) -> None:
    """Every change of money or points is told with its rule."""
    match, random = beginning(name, seed)
    game, count, known = match.game, 0, dict[tuple[int, str], int | None]()
    assert game.counted, "the labels of no fact say that it is counted"
    for _ in steps(match, random, LONGEST):
        if not known:  # before the first question to people it is being set up
            known = {} if match.open and match.open.by_chance else totals(match)
            count = len(match.events)
        for event in match.events[count:]:
            assert not event.rule or event.rule in game.labels.rules, (
                f"{event.text} names {event.rule}, which is no rule"
            )
            counted = event.data.get("seat", 0), event.data.get("what", "")
            if counted in known and "to" in event.data:
                assert event.data["from"] == known[counted], event.text
                assert event.rule in game.labels.rules, event.text
                assert event.data["sum"], event.text
                known[counted] = event.data["to"]
        count = len(match.events)
        if not (match.open and match.open.by_chance):
            untold = {what for what in known if known[what] != totals(match)[what]}
            assert not untold, f"{untold} changed without an event (after: {match.events[-1].text})"


def totals(match: Match) -> dict[tuple[int, str], int | None]:
    """Return what is counted of each seat; None where not everybody may know."""
    return {
        (seat, what): value if type(value := getattr(record, what)) is int else None
        for seat, record in match.state.seats.items()
        for what in match.game.counted
    }


# --- Screens show every roll ---------------------------------------------------------------------------


@law
def tells_rolls(name: str, seed: int) -> None:
    """A roll is told with its seat and its faces."""
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


@law
def replays(name: str, seed: int) -> None:
    """A match that is played again from its log is the same after every action."""
    match, random = beginning(name, seed)
    taken = [(action, everything(match)) for action in steps(match, random)]
    again = Match(match.game, match.setup.seats, match.setup.options)
    for action, then in taken:
        again.act(action)
        assert everything(again) == then
    assert everything(copy(match)) == everything(match)


# --- It keeps secrets --------------------------------------------------------------------------------


def refusals(match: Match, seat: int) -> list[tuple[str, str]]:
    """Return what a seat is told when it tries what is not offered."""
    answers = []
    for move in (*match.game.labels.moves, "no_such_move"):
        for given_args in ({}, {"number": 0}, {"card": "none"}, {"amount": -5}, {"spot": 3}):
            action = Action(seat=seat, move=move, args=given_args)
            if not any(m.name == move and m.accepts(given_args) for s, m in offers(match) if s == seat):
                why = refused(match, action)
                answers.append((why.sentence, why.code))
    return answers


@law
def keeps_sealed_choices(name: str, seed: int) -> None:
    """A sealed choice shows in nothing that others see."""
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
                check_same_view(one, two, viewer)
            assert refusals(one, other) == refusals(two, other)
            lock = random.choice(decision.asked[other])
            action = Action(seat=other, move=lock.name, args=args(lock, random))
            if other != others[-1]:
                for twin in (one, two):
                    twin.act(action)


@cache
def field_names(kind: Any) -> list[str]:
    """Return the fields of a dataclass; none of anything else."""
    return [field.name for field in fields(kind)] if is_dataclass(kind) else []


def leaves(part: Any, viewer: int | None, path: str = "", *, hidden: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """Yield every single value of a state: where it stands, what it is, whether it is hidden from `viewer`."""
    kind: Any = type(part)
    if isinstance(part, Secret):
        yield from leaves(part.value, viewer, path, hidden=hidden or viewer not in part.seen_by)
    elif isinstance(part, Pile):
        yield f"{path}.count", len(part.cards), hidden  # everybody sees how high a pile is
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
    """Return what of the state `viewer` may know, and what is hidden from it."""
    state = match.state
    parts = {"table": state.table, "seats": state.seats, "round": state.round, "phase": state.phase}
    found: tuple[list[tuple[str, Any]], list[tuple[str, Any]]] = [], []
    for path, value, hidden in leaves(parts, viewer):
        found[hidden].append((path, value))
    return found


@law
def keeps_hidden_cards(name: str, seed: int) -> None:
    """Cards that a seat cannot see may change places, and it sees no difference."""
    match, random = beginning(name, seed)
    taken = list(steps(match, random))
    chances = [place for place, action in enumerate(taken) if action.move in ("shuffle", "pick")]
    for _ in range(3 if chances else 0):
        place, viewer = random.choice(chances), random.choice(list(match.state.seats))
        check_unseen(match, taken, place, viewer, random, other_outcome)


@law
def keeps_chosen_secrets(name: str, seed: int) -> None:
    """What a player has chosen in secret may be something else, and others see no difference until it is in the state."""
    match, random = beginning(name, seed)
    sealed, taken = list[int](), list[Action]()
    asked = match.open
    for action in steps(match, random):
        if asked and asked.kind == "sealed" and action.seat in asked.asked:
            sealed.append(len(taken))
        taken.append(action)
        asked = match.open
    for _ in range(3 if sealed else 0):
        place = random.choice(sealed)
        viewer = random.choice([seat for seat in match.state.seats if seat != taken[place].seat])
        check_unseen(match, taken, place, viewer, random, other_choice)


def check_unseen(
    match: Match, taken: Sequence[Action], place: int, viewer: int, random: Random,
    other: Callable[[Action, Decision, Random], Action],
) -> None:  # fmt: skip
    """Play a match twice, the second time with another action at one place: `viewer` sees the same while its part of the state is.

    Raise AssertionError if it sees a difference.
    """
    one, two = (Match(match.game, match.setup.seats, match.setup.options) for _ in range(2))
    for number, action in enumerate(taken):
        assert one.open
        changed = other(action, one.open, random) if number == place else action
        one.act(action)
        try:
            two.act(changed)
        except IllegalAction:
            return  # the log no longer replays: it has come to light
        (shown, hidden), (other_shown, other_hidden) = (split_leaves(match, viewer) for match in (one, two))
        if shown != other_shown:
            return
        is_pick = number == place and action.seat == CHANCE and hidden == other_hidden
        if is_pick and seen(one, viewer) != seen(two, viewer):
            return  # a pick may be told at once; else it may become a secret later
        check_same_view(one, two, viewer)
        if moments(random, 0.1):
            assert refusals(one, viewer) == refusals(two, viewer), "it is refused with other sentences"


def other_choice(action: Action, decision: Decision, random: Random) -> Action:
    """Return another answer of the same seat; often the same one, if there are few."""
    move = random.choice(decision.asked[action.seat])
    return Action(seat=action.seat, move=move.name, args=args(move, random))


def other_outcome(action: Action, decision: Decision, random: Random) -> Action:
    """Return another outcome of a shuffle or a pick; the same one if there is no other."""
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
    """Yield actions that nobody was offered: other values, names, seats, numbers."""
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
    """Return whether an action happens to be one of those that are offered."""
    decision = match.open
    if decision is None or (action.number is not None and action.number != decision.number):
        return False
    if action.seat != CHANCE:
        return any(s == action.seat and m.name == action.move and m.accepts(action.args) for s, m in offers(match))
    faces, roll = action.args.get("faces"), decision.roll
    if action.move != "roll" or roll is None or not isinstance(faces, list):
        return False
    return len(faces) == roll.count and all(type(face) is int and 1 <= face <= roll.sides for face in faces)


@law
def refuses(name: str, seed: int) -> None:
    """What is not offered is refused with a sentence, and changes nothing."""
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        if match.open and not moments(random, 0.15):
            continue
        before = everything(match)
        for action in wrong_actions(match, random):
            if not legal(match, action):
                why = refused(match, action)
                assert why.sentence.endswith("."), why.sentence
                assert why.code, why.sentence
        assert everything(match) == before


@law
def accepts(name: str, seed: int) -> None:
    """Whatever is offered is accepted, and so is the answer for an absent player."""
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


@law
def bars(name: str, seed: int) -> None:
    """A gray choice gives the reason with which it would be refused."""
    match, random = beginning(name, seed)
    for _ in steps(match, random):
        for seat in match.state.seats if moments(random, 0.3) else ():
            for one in match.barred(seat):
                why, move = one.pop("why"), one.pop("move")
                alike = [offered for other, offered in offers(match) if other == seat and offered.name == move]
                whole = {**(args(alike[0], random) if alike else {}), **one}
                said = refused(match, Action(seat=seat, move=move, args=whole)).sentence
                assert said == why or whole.keys() != one.keys(), said


# --- It can be undone --------------------------------------------------------------------------------


def revealed(earlier: Match, later: Match, laid: str) -> bool:
    """Return whether some seat may know more values now: a sealed choice that was only changed is none.

    `laid` is as in `undoes`.
    """
    if later.open and earlier.open and later.open.kind == "sealed" and later.open.number == earlier.open.number:
        return False
    return any(secrets(earlier, viewer, laid) - secrets(later, viewer, laid) for viewer in later.state.seats)


def secrets(match: Match, viewer: int, laid: str) -> Counter[str]:
    """Return the values that `viewer` may not see, and how many there are of each."""
    parts = {"table": match.state.table, "seats": match.state.seats}
    found = leaves(parts, viewer)
    is_laid = bool(laid) and is_printed(match.setup)
    return Counter(
        repr(value)
        for path, value, hidden in found
        if hidden and value is not None and value != UNKNOWN and not path.endswith("#")
        if not is_laid or laid not in path.split(".")
    )


@law
def undoes(name: str, seed: int, laid: str = "") -> None:
    """Undo gives the very state before, or is refused: dice, shuffles and what was shown stay.

    `laid` is the field for printed cards that lie face down and are turned over: a wrong number beside them can be corrected.
    """
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
        assert not revealed(earlier, match, laid), "what was shown stays shown"
        assert undone[-1].kind == "undo"
        earlier.events.pop()
        assert everything(earlier) == before


@law
def undoes_own_only(name: str, seed: int) -> None:
    """Nobody takes back what another seat has done."""
    match, random = beginning(name, seed)
    for action in steps(match, random):
        for seat in match.state.seats:
            if seat != action.seat and moments(random, 0.05):
                assert not may_take_back(match, 1, seat), action
        if len(match.log) > 1 and match.log[-2].seat != action.seat and moments(random, 0.1):
            assert not may_take_back(match, 2), action


def may_take_back(match: Match, actions: int, seat: int | None = None) -> bool:
    """Return whether so many actions can be taken back, by `seat` or by anybody."""
    try:
        match.before(actions, *([] if seat is None else [seat]))
    except IllegalAction:
        return False
    return True


@law
def tells_others(name: str, seed: int) -> None:
    """What the room reads names the seats that are asked, and says nothing in the second person."""
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


# --- Its hands fit -------------------------------------------------------------------------------------

LARGE = 2**53 - 1


def sentence(letters: int) -> Text:
    """Return a sentence of so many letters with values: a hand also has what it is made from."""
    return say("{a} {b} {c} {d} " + "s" * (letters - 8), a="a", b="b", c="c", d="d")


def hand_bytes(match: Match, seat: int) -> int:
    """Return the bytes of a seat's hand as its phone gets it, with the longest of all that is not the match's."""
    decision = match.open
    answer = decision.answers.get(seat) if decision else None
    under_cup = decision and any(move.tells_dice for move in decision.offers(seat))
    hand = Hand(
        epoch=LARGE, seq=LARGE, seat=seat, match=f"m-{LARGE}", you=match.view(seat)["you"],
        number=decision.number if decision else None, secret=True, want=sentence(120),
        moves=match.moves(seat), barred=match.barred(seat), notes=match.notes(seat), covered=match.notes_and_covered(seat)[1],
        locked={"move": answer.move, **answer.args} if answer else None,
        hints=True, hint=longest_hint(match, seat), undo=True, dial=64, dial_at="d" * 20, faces=Faces(99, 99),
        cup=sentence(120) if under_cup else "", seat_code="A" * 6, claim=LARGE,
    )  # fmt: skip
    return len(to_bytes(hand))


def longest_hint(match: Match, seat: int) -> Hint | None:
    """Return a hint with the longest sentence there may be, and what the house would do; of printed cards it gives none."""
    if is_printed(match.setup):
        return None
    sight = sight_of(match, seat)
    try:
        advice = advise(sight, match.game, Random(1)) if sight else None
    except RulesBug:  # other checks are about the house player
        advice = None
    answer = advice.answer if advice else None
    return Hint({"move": answer.move, **answer.args} if answer else None, sentence(LONGEST_REASON))


def room(match: Match) -> int:
    """Return the most bytes that fit; the padding takes one."""
    return match.game.hand_blocks(match.setup.options) * HAND_SIZE - 1


@law
def fits(name: str, seed: int) -> None:
    """Every hand of a match fits what all hands are padded to (`[hand_size]` in the data file)."""
    match, random = beginning(name, seed)
    for _ in steps(match, random, LONGEST):
        if match.open and not match.open.by_chance and moments(random, 0.1):
            for seat in match.state.seats:
                assert hand_bytes(match, seat) <= room(match), f"{hand_bytes(match, seat)} bytes, {room(match)} fit"
