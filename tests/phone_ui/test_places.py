"""Who holds a place of the web port, and who gives one up for whom."""

from __future__ import annotations

import resource
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phone_ui.limits import Arrivals, Limits, raise_file_limit
from phone_ui.places import GRACE_SECONDS, REMEMBERED_SECONDS, Place, Places, Seated


class Port:
    """Places with a clock that stands still; `ended` says whose were given to another."""

    def __init__(self, most: int, most_each: int) -> None:
        self.now = 0.0
        self.ended: list[str] = []
        self.seated = Seated(lambda: self.now)
        self.places = Places(most, most_each, self.seated, lambda: self.now)

    def take(self, network: str, *, busy: bool = False) -> Place | None:
        return self.places.take(network, lambda: self.ended.append(network), busy=busy)

    def fill(self, networks: str, *, busy: bool = False) -> list[Place]:
        places = [self.take(network, busy=busy) for network in networks]
        assert all(places)
        return [place for place in places if place]


def test_a_network_has_so_many_and_no_more() -> None:
    port = Port(9, 2)
    held = port.fill("aabb")
    assert port.take("a") is None
    port.places.release(held[0])
    assert port.take("a")
    assert not port.ended


def test_who_holds_most_gives_one_up_for_who_holds_few() -> None:
    port = Port(4, 4)
    port.fill("aaab", busy=True)
    assert port.take("c")
    assert port.ended == ["a"]
    assert port.take("c") is None, "two each and one: nobody holds more than it would itself"


def test_what_is_idle_and_has_had_its_time_goes_first_and_also_among_equals() -> None:
    port = Port(4, 3)
    first, _, _, _ = port.fill("aabb")
    first.busy = True
    assert port.take("a") is None, "they have only just come"
    port.now += GRACE_SECONDS
    assert port.take("c")
    assert port.ended == ["a"]
    assert first in port.places._held["a"]


def test_the_tables_networks_always_get_in_and_give_up_to_each_other_only() -> None:
    port = Port(4, 4)
    port.seated.arrive("t")
    port.fill("abcd", busy=True)
    port.fill("tttt", busy=True)
    assert sorted(port.ended) == ["a", "b", "c", "d"]
    assert port.take("e") is None
    port.seated.arrive("u")
    assert port.take("u")
    assert port.ended[-1] == "t"


def test_a_network_is_the_tables_for_an_hour_after_its_last_phone() -> None:
    port = Port(4, 4)
    port.seated.arrive("t")
    port.seated.arrive("t")
    port.now += 5 * REMEMBERED_SECONDS
    port.seated.leave("t")
    assert "t" in port.seated, "another is still there"
    port.seated.leave("t")
    port.now += REMEMBERED_SECONDS - 1
    assert "t" in port.seated
    port.now += 2
    assert "t" not in port.seated


def test_networks_that_were_the_tables_are_not_remembered_without_end() -> None:
    seated = Seated(lambda: 0.0)
    for number in range(5000):
        seated.arrive(str(number))
        seated.leave(str(number))
    assert len(seated._until) == Seated.MOST
    assert "4999" in seated


def test_a_place_that_was_given_up_is_not_given_back_twice() -> None:
    port = Port(2, 2)
    first, _ = port.fill("aa", busy=True)
    assert port.take("b")
    port.places.release(first)
    assert port.places.used == 2


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgt"), st.booleans(), st.booleans(), st.floats(0.0, 2.0)),
        max_size=80,
    )
)
def test_there_are_never_more_than_may_be_and_the_tables_gets_in(steps: list[tuple[str, bool, bool, float]]) -> None:
    port, held = Port(6, 3), []
    port.seated.arrive("t")
    for network, busy, release, later in steps:
        port.now += later
        ended = Counter(port.ended)
        place = port.take(network, busy=busy)
        assert port.places.used <= 6
        assert len(port.places._held.get(network, ())) <= 3
        if place:
            held.append(place)
        elif network == "t":
            assert len(port.places._held["t"]) == 3
        if network != "t":
            assert Counter(port.ended)["t"] == ended["t"]
        if release and held:
            port.places.release(held.pop(0))


def test_a_hub_of_many_tables_lets_all_their_phones_in() -> None:
    one, many, too_many = (Limits.for_tables([6] * tables) for tables in (1, 33, 200))
    assert one == Limits()
    assert many.phones >= 33 * 6
    assert many.connections >= 2 * 33 * 6, "each phone, and a page that it opens"
    assert too_many.phones == 200
    devices = 100  # boxes, broker, log, screens of the hub itself
    assert too_many.connections + 2 * too_many.phones + devices < 1024, "a process's files"


def test_all_guests_of_a_hub_of_many_tables_may_load_the_page_in_the_same_seconds() -> None:
    limits = Limits.for_tables([6] * 20, 4096)
    assert limits.connections >= 6 * 120, "a browser opens six"
    comes = 7 * 120  # six for the page, one for the link
    assert (comes - limits.strangers_burst) / limits.strangers_each_second <= 5


@pytest.mark.parametrize("tables", [1, 20])
def test_a_hub_of_many_tables_takes_no_more_handshakes_of_strangers_than_any_other(tables: int) -> None:
    arrivals = Arrivals(Limits.for_tables([6] * tables))
    taken = [arrivals.admit(f"n{number}", 0.0, handshake=True) for number in range(200)]
    assert sum(taken) == 80


def test_a_process_may_have_the_files_that_a_crowd_takes() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, hard), hard))
        assert raise_file_limit() == resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(4096, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        assert raise_file_limit() == hard, "what is more is not taken back"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
