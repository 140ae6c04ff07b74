"""A compiled view holds what an interpreter of the same rules finds: nothing more, nothing less, nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass
from functools import cache
from random import Random
from typing import Any, Optional, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub import games
from hub.authoring.players import random_action
from hub.authoring.playthroughs import logs
from hub.chance import Chance
from hub.engine.decision import Action
from hub.engine.event import Setup, State
from hub.engine.match import Match
from hub.engine.secret import Pile, Secret, Watch, hidden, own, plain, public, view_name
from hub.engine.text import clause, listed, money, person, say, to_json
from hub.operations.referee import read_log
from tests.games.test_playthroughs import HERE as PLAYED


@dataclass(slots=True)
class Token:
    """A dataclass inside another, with a secret of its own."""

    colour: str
    value: Secret[int] | int
    marks: list[int]

    @property
    def twice(self) -> str:
        """A fact that is computed."""
        return self.colour * 2


@dataclass(slots=True)
class Record:
    """A field of every form that a state may hold."""

    number: int
    in_: str | None
    always: Secret[list[int]]
    sometimes: Secret[int] | int | None
    cards: Secret[list[Token]] | list[Token] | None
    pile: Pile[str]
    numbers: list[int]
    rows: list[list[int]]
    tokens: list[Token]
    secrets: list[Secret[int] | int]
    by_seat: dict[int, int]
    lists: dict[str, list[Token]]
    token: Token
    maybe: Token | None
    pair: tuple[int, Secret[str]] | None
    anything: Any = None
    filled: list[int | None] = field(default_factory=list)

    @property
    def count(self) -> int:
        """A number that is computed."""
        return len(self.numbers)

    @property
    def first(self) -> Token | None:
        """A dataclass that is computed."""
        return self.tokens[0] if self.tokens else None


def seen(value: Any, viewer: int | None = None) -> Any:
    """What `viewer` may see of `value`: None, the public, sees no secret; and within an opened secret no other is opened."""
    if isinstance(value, Secret):
        return seen(value.value) if viewer in value.seen_by else None
    if isinstance(value, Pile):
        return len(value.cards)
    if isinstance(value, list | tuple):
        return [seen(item) for item in value]
    if isinstance(value, dict):
        return {str(key): seen(item) for key, item in value.items()}
    return public_facts(value) if is_dataclass(value) else value


@cache
def public_names(kind: Any) -> list[str]:
    """The fields that are not declared secret, then the properties, those of what it is derived from first."""
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind) if get_origin(hints[one.name]) is not Secret]
    every = [pair for ancestor in reversed(kind.__mro__) for pair in vars(ancestor).items()]
    return names + [name for name, item in every if isinstance(item, property)]


@cache
def own_names(kind: Any) -> list[str]:
    """The fields whose declaration speaks of a secret."""
    hints = get_type_hints(kind).items()
    return [name for name, hint in hints if any(get_origin(part) is Secret for part in (hint, *get_args(hint)))]


def public_facts(record: Any) -> dict[str, Any]:
    kind: Any = type(record)
    return {view_name(name): seen(getattr(record, name)) for name in public_names(kind)}


def own_facts(record: Any, viewer: int) -> dict[str, Any]:
    kind: Any = type(record)
    return {view_name(name): seen(getattr(record, name), viewer) for name in own_names(kind)}


def hold_against_each_other(s: State[Any, Any]) -> None:
    """Compare both views of everybody, byte for byte as they go out."""
    facts = {"game": "a-game", "round": s.round, "phase": s.phase, "table": public_facts(s.table)}
    facts["seats"] = {f"{seat}": public_facts(record) for seat, record in s.seats.items()}
    facts["waiting"] = {"seats": ["1"]}
    assert to_json(public(s, "a-game", {"seats": ["1"]})) == to_json(facts)
    for viewer, record in s.seats.items():
        mine = own_facts(s.table, viewer) | own_facts(record, viewer)
        assert to_json(own(s, viewer)) == to_json(mine)


numbers = st.integers(-9, 9)
seats = st.lists(st.integers(1, 3), unique=True).map(tuple)
seldom = st.one_of(st.none(), numbers)


def secret(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(Secret, values, seats)


tokens = st.builds(Token, st.sampled_from(["red", "blue"]), numbers | secret(numbers), st.lists(numbers, max_size=2))
a_few = st.lists(tokens, max_size=2)
everything = st.recursive(
    seldom | secret(numbers) | tokens | st.builds(Pile, st.lists(st.text(max_size=1), max_size=2)),
    lambda part: st.lists(part, max_size=2) | st.dictionaries(numbers, part, max_size=2),
    max_leaves=4,
)
records = st.builds(
    Record,
    number=numbers,
    in_=st.none() | st.sampled_from("ab"),
    always=secret(st.lists(numbers, max_size=3)),
    sometimes=seldom | secret(numbers),
    cards=st.none() | a_few | secret(a_few),
    pile=st.builds(Pile, st.lists(st.sampled_from("ab"), max_size=3)),
    numbers=st.lists(numbers, max_size=3),
    rows=st.lists(st.lists(numbers, max_size=2), max_size=2),
    tokens=a_few,
    secrets=st.lists(numbers | secret(numbers), max_size=3),
    by_seat=st.dictionaries(st.integers(1, 6), numbers, max_size=3),
    lists=st.dictionaries(st.sampled_from("ab"), a_few, max_size=2),
    token=tokens,
    maybe=st.none() | tokens,
    pair=st.none() | st.tuples(numbers, secret(st.sampled_from("ab"))),
    anything=everything,
    filled=st.lists(seldom, max_size=3),
)


@settings(max_examples=50)  # each is four records of every form
@given(st.lists(records, min_size=4, max_size=4))
def test_a_compiled_view_is_the_interpreted_one_for_every_form_of_field(some: list[Record]) -> None:
    table, *players = some
    setup = Setup((1, 2, 3), {}, {})
    hold_against_each_other(State(setup, dict(enumerate(players, 1)), table, round=1, phase="phase"))
    assert plain(table) == public_facts(table)


@pytest.mark.parametrize("name", games.names())
def test_a_compiled_view_is_the_interpreted_one_in_every_state_of_the_kept_matches(name: str) -> None:
    for path in logs(name, PLAYED):
        head, entries, _ = read_log(str(path))
        match = Match(games.find(name), head.seats, head.options)
        hold_against_each_other(match.state)
        for entry in entries:
            match.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
            hold_against_each_other(match.state)


@pytest.mark.parametrize("name", games.names())
def test_a_view_as_json_is_the_view_in_every_state_of_the_kept_matches(name: str) -> None:
    for path in logs(name, PLAYED):
        head, entries, _ = read_log(str(path))
        match = Match(games.find(name), head.seats, head.options)
        for entry in entries:
            match.act(Action(seat=entry.seat, move=entry.move, args=entry.args))
            for viewer in (None, *match.state.seats):
                assert match.view_json(viewer) == to_json(match.view(viewer))


def fresh(name: str, fields: dict[str, Any], **properties: tuple[Any, Callable[[Any], Any]]) -> Any:
    """A dataclass that no view was compiled for yet; a property has its type and its function."""
    made = {}
    for key, (hint, fact) in properties.items():
        fact.__annotations__ = {"return": hint}
        made[key] = property(fact)
    return make_dataclass(name, list(fields.items()), namespace=made)


def test_a_record_of_every_form_is_compiled_as_it_is_interpreted() -> None:
    """As above, with one record instead of many: each form of a field once secret and once not, empty and filled."""
    a_list: Any = list
    a_dict: Any = dict
    a_secret: Any = Secret
    bead = fresh(
        "Bead",
        {"colour": str, "price": Secret[int] | int, "marks": list[int]},
        twice=(str, lambda one: one.colour * 2),
    )
    base = fresh("Base", {"number": int})
    derived = make_dataclass("Derived", [("more", Secret[int] | int)], bases=(base,))
    open_bead, dear_bead = bead("red", 3, [1]), bead("blue", Secret(4, (1,)), [])
    forms: list[tuple[Any, Any, Any]] = [
        (int, 1, -1),
        (str | None, "a", None),
        (int | str | None, 5, "b"),
        (Optional[int], 2, None),  # noqa: UP045 - another form of a type
        (Secret[list[int]], Secret([1, 2], (1,)), Secret([3], (2,))),
        (a_secret[a_list[bead]], Secret([open_bead, dear_bead], (1, 2)), Secret([])),
        (Secret[int] | int | None, Secret(7, (2,)), None),
        (Secret[str] | str, "open", Secret("shut", (1, 2))),
        (a_secret[a_list[bead]] | a_list[bead] | None, Secret([open_bead], (1,)), [dear_bead]),
        (a_secret[bead] | bead, Secret(dear_bead, (2,)), open_bead),
        (Pile[str], Pile(["a", "b"]), Pile([])),
        (list[int], [1, 2], []),
        (list[int | None], [1, None], [2]),
        (list[list[int]], [[1], []], []),
        (a_list[bead], [open_bead, dear_bead], []),
        (list[Secret[int] | int], [Secret(1, (1,)), 2], []),
        (a_list[base], [base(1), derived(2, Secret(3, (1,)))], []),
        (dict[int, int], {1: 2}, {}),
        (a_dict[str, a_list[bead]], {"a": [dear_bead]}, {"b": []}),
        (a_dict[int, bead], {4: open_bead}, {}),
        (bead, open_bead, dear_bead),
        (bead | None, dear_bead, None),
        (list[int] | None, [1], None),
        (a_list[bead] | None, [open_bead], None),
        (bead | int, open_bead, 6),
        (bead | a_list[bead] | None, [dear_bead], None),
        (base, derived(1, Secret(2, (1,))), base(3)),
        (tuple[int, Secret[str]], (1, Secret("a", (1,))), (2, Secret("b"))),
        (Any, {"x": [Secret(1), open_bead, Pile(["a"])]}, None),
    ]
    names = {f"f{number}" + "_" * (number % 2): form for number, form in enumerate(forms)}
    record = fresh(
        "Record",
        {name: hint for name, (hint, _, _) in names.items()},
        count=(int, lambda one: len(one.f11_)),
        first=(bead | None, lambda one: one.f14[0] if one.f14 else None),
        anything=(Any, lambda one: one.f20),
    )
    one, two = (record(*[form[which] for form in forms]) for which in (1, 2))
    for table in (one, two):
        hold_against_each_other(State(Setup((1, 2), {}, {}), {1: one, 2: two}, table, round=1, phase="phase"))
        assert plain(table) == public_facts(table)


def test_a_view_shares_no_list_or_dictionary_with_the_state() -> None:
    record = fresh("Record", {"numbers": list[int], "rows": list[list[int]], "by_seat": dict[int, int], "it": Any})
    one = record([1], [[1]], {1: 1}, [1])
    shown = public(State(Setup((1,), {}, {}), {1: one}, one), "a-game", {})["table"]
    one.numbers.append(2)
    one.rows[0].append(2)
    one.by_seat[2] = 2
    one.it.append(2)
    assert shown == {"numbers": [1], "rows": [[1]], "by_seat": {"1": 1}, "it": [1]}


def test_a_seat_sees_its_own_secrets_and_those_of_the_table_that_name_it() -> None:
    table = fresh("Middle", {"prize": Secret[int], "stake": int})(Secret(9, (1,)), 3)
    record = fresh("Record", {"hand": Secret[list[str]], "coins": int})
    s = State(Setup((1, 2), {}, {}), {1: record(Secret(["a"], (1,)), 5), 2: record(Secret(["b"], (1, 2)), 6)}, table)
    assert own(s, 1) == {"prize": 9, "hand": ["a"]}
    assert own(s, 2) == {"prize": None, "hand": ["b"]}


def test_what_is_no_plain_data_cannot_be_seen() -> None:
    with pytest.raises(TypeError, match="Random cannot stand in a state"):
        plain([Random(1)])


@pytest.mark.parametrize(
    ("value", "seen_by_all"),
    [
        ([1, "a", None, True], [1, "a", None, True]),
        ((1, (2, Secret(3))), [1, [2, None]]),
        ([[1, Secret(2)], Pile([1, 2])], [[1, None], 2]),
        ({1: "a", "b": Secret(2), "c": {"d": (Pile([]),)}}, {"1": "a", "b": None, "c": {"d": [0]}}),
        (Secret(1, (1,)), None),
        (Pile(["a"]), 1),
    ],
)
def test_of_any_value_all_see_what_is_not_marked(value: Any, seen_by_all: Any) -> None:
    assert plain(value) == seen_by_all
    bead = fresh("Bead", {"it": Any, "price": Secret[int]})
    assert plain([bead(value, Secret(1, (1,)))]) == [{"it": seen_by_all}]


# --- What follows from a secret --------------------------------------------------------------------------


@dataclass
class Holder:
    """A record with secrets in all places that a state may have them."""

    hand: Secret[list[str]]
    rows: list[Secret[int]]
    named: dict[str, Secret[int]]
    count: int = 2


def watched() -> Watch:
    holder = Holder(Secret(["carp"], (1,)), [Secret(1)], {"a": Secret(2)})
    return Watch(State(Setup((1,), {}, {}), {1: holder}, Holder(Secret([]), [], {}), round=1, phase="bid"))


@pytest.mark.parametrize(
    "read",
    [
        lambda s: s.seats[1].hand.value,
        lambda s: s.seats[1].rows[0].value,
        lambda s: s.seats[1].named["a"].value,
        lambda s: s.table.hand.value,
    ],
)
def test_a_watch_notices_that_a_secret_is_read(read: Callable[[Any], Any]) -> None:
    watch = watched()
    read(watch.state)
    assert watch.is_read


def test_a_watch_does_not_mind_what_everybody_may_see() -> None:
    watch = watched()
    one = watch.state.seats[1]
    assert (one.count, len(one.rows), one.hand.seen_by, watch.state.phase) == (2, 1, (1,), "bid")
    assert not watch.is_read


@dataclass(frozen=True)
class Plaque:
    """A frozen record."""

    name: str
    price: Secret[int] | int


@dataclass
class Shelf:
    """A record with things of every kind, some without secrets."""

    plain: list[list[int]]
    open_: tuple[int, ...]
    names: dict[str, list[int]]
    deck: Pile[str]
    plaques: tuple[Plaque, ...]
    by_name: dict[str, Plaque]
    first: Plaque


def shelved() -> State[Shelf, Shelf]:
    dear, cheap = Plaque("dear", Secret(9, (1,))), Plaque("cheap", 1)
    one = Shelf([[1], [2]], (1, 2), {"a": [1]}, Pile(["b"]), (cheap, dear), {"c": cheap, "d": dear}, dear)
    two = Shelf([[3]], (), {}, Pile([]), (cheap,), {"c": cheap}, cheap)
    return State(Setup((1, 2), {}, {}), {1: one, 2: two}, two, round=1, phase="bid")


def test_a_watch_copies_what_holds_a_secret_and_nothing_else() -> None:
    s = shelved()
    watch = Watch(s)
    was, one = s.seats[1], watch.state.seats[1]
    assert watch.state is not s
    assert one is not was
    assert watch.state.seats[2] is watch.state.table is s.table
    assert all(getattr(one, name) is getattr(was, name) for name in ("plain", "open_", "names", "deck"))
    assert one.plaques[0] is was.plaques[0]
    assert one.plaques[1] is one.by_name["d"] is one.first
    assert one.first is not was.first
    assert (type(one.plaques), type(one.by_name), type(one.first)) == (tuple, dict, Plaque)
    assert list(one.by_name) == ["c", "d"]
    assert isinstance(was.first.price, Secret)
    assert (was.first.price.value, watch.is_read) == (9, False)
    assert isinstance(one.first.price, Secret)
    assert (one.first.price.seen_by, watch.is_read) == ((1,), False)
    assert (one.first.price.value, watch.is_read) == (9, True)


@pytest.mark.parametrize(
    ("hand", "read"),
    [(["?", "?"], False), (["ace", "?"], False), (["ace"], True), ([], True), ("?", True), (5, True), (("?",), True)],
)
def test_only_a_hand_with_unknown_cards_may_be_read_unnoticed(hand: Any, read: bool) -> None:
    s = State(Setup((1,), {}, {}), {1: Keeper(Secret(hand, (1,)))}, Keeper(None), round=1, phase="bid")
    watch = Watch(s)
    assert watch.state.seats[1].thing.value == hand
    assert watch.is_read == read


def test_a_hand_of_printed_cards_is_in_peoples_hands_and_covers_nothing() -> None:
    """The hub's own cards do."""
    for printed, covered in ((True, []), (False, ["card"])):
        match = Match(games.find("bidness"), (1, 2), {"printed_cards": printed})
        chance = Chance(3)
        while match.open and match.state.phase != "play":
            match.act(random_action(match, Random(1), chance))
        assert match.state.table.turn
        notes, found = match.notes_and_covered(match.state.table.turn)
        assert (bool(notes), found) == (True, covered)


# --- What is hidden --------------------------------------------------------------------------------------


@dataclass
class Keeper:
    """A record whose only field holds anything."""

    thing: Any


@pytest.mark.parametrize(
    "around",
    [
        lambda one: one,
        lambda one: [one],
        lambda one: (1, one),
        lambda one: {"a": one},
        lambda one: Token("red", one, []),
        lambda one: [{"a": (Token("red", one, []),)}],
    ],
    ids=["bare", "list", "tuple", "dictionary", "record", "all of them"],
)
def test_a_secret_is_hidden_wherever_it_lies_and_only_from_those_who_may_not_see_it(
    around: Callable[[Any], Any],
) -> None:
    players = {1: Keeper(around(Secret(7, (1,)))), 2: Keeper(around(3))}
    found = hidden(State(Setup((1, 2), {}, {}), players, Keeper(None), round=1, phase="bid"))
    assert found == {1: {}, 2: {"7": 1}}


@pytest.mark.parametrize(
    ("thing", "found"),
    [
        (Secret(["a", "b", "a"], (1,)), {"'a'": 2, "'b'": 1}),
        (Secret(("a", 1), (1,)), {"'a'": 1, "1": 1}),
        (Secret({"a": 1}, (1,)), {"{'a': 1}": 1}),
        (Secret([], (1,)), {}),
        (Secret(None, (1,)), {}),
        (Secret(0, (1,)), {"0": 1}),
        (Secret(False), {"False": 1}),
        (Secret(["?", "a", "?"], (1,)), {"'a'": 1}),
        (Secret(["?"], (1,)), {}),
        (Pile(["a", "?", "b", "a"]), {"'a'": 2, "'b'": 1}),
        ("a", {}),
        ([1, "a", None], {}),
    ],
)
def test_of_a_hand_or_a_pile_each_card_is_hidden_that_the_hub_knows(thing: Any, found: dict[str, int]) -> None:
    for record, others in ((Keeper(thing), Keeper(None)), (Keeper(None), Keeper(thing))):
        s = State(Setup((1, 2), {}, {}), {1: record, 2: Keeper(1)}, others, round=1, phase="bid")
        assert hidden(s)[2] == found


def test_a_pile_is_hidden_from_everybody_and_a_secret_of_the_table_from_those_it_does_not_name() -> None:
    for thing, found in ((Pile(["a"]), {1: {"'a'": 1}, 2: {"'a'": 1}}), (Secret("a", (2,)), {1: {"'a'": 1}, 2: {}})):
        s = State(Setup((1, 2), {}, {}), {1: Keeper(None), 2: Keeper(1)}, Keeper(thing), round=1, phase="bid")
        assert hidden(s) == found
        assert hidden(s, "thing") == found, "only seats have sealed choices"


def test_choices_that_are_still_sealed_are_left_out_of_what_is_hidden() -> None:
    held = Holder(Secret(["carp"], (1,)), [Secret(1), Secret(2)], {"a": Secret(2)})
    s = State(Setup((1, 2), {}, {}), {1: held, 2: Keeper(3)}, Keeper(None), round=1, phase="bid")
    assert hidden(s) == {1: {"1": 1, "2": 2}, 2: {"'carp'": 1, "1": 1, "2": 2}}
    assert hidden(s, "rows") == {1: {"2": 1}, 2: {"'carp'": 1, "2": 1}}
    assert hidden(s, "hand") == {1: {"1": 1, "2": 2}, 2: {"1": 1, "2": 2}}


def test_texts_of_every_kind_may_stand_in_a_state() -> None:
    texts = [say("{a}", a=1), clause("It rains."), listed([1, 2]), money(5), person("Bo")]
    assert plain({"texts": texts}) == {"texts": texts}
    assert [type(one) for one in plain(texts)] == [type(one) for one in texts]
