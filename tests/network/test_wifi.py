"""The rule that keeps the table reachable: every state, each side of each condition, without a radio."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from nacl.public import PrivateKey

from hub.errors import HubError
from hub.network.encryption import HubKey
from hub.network.wifi import (
    APART,
    BOOT_SECONDS,
    DOUBT_SECONDS,
    JOIN_SECONDS,
    LOST,
    NO_START,
    REACH_SECONDS,
    RETRY_SECONDS,
    RETURN_SECONDS,
    START_SECONDS,
    TOLD_SECONDS,
    WAIT_SECONDS,
    Network,
    Radio,
    WifiRule,
    is_wifi_password,
    own_wifi,
)

IDLE = Radio("idle")
HOTSPOT = Radio("connected", "hotspot")
CAFE = Radio("connected", "other", knows_networks=True)
CABLE = Radio("idle", has_cable=True)
JOINED = Radio("connected", "joined")


class Manager:
    """A NetworkManager whose radio a test sets. `asked` are the calls that change something."""

    def __init__(self) -> None:
        self.radio: Radio | None = IDLE
        self.asked: list[Any] = []
        self.refuses = False

    def look(self) -> Radio | None:
        return self.radio

    def _do(self, *what: str) -> None:
        self.asked.append(what if len(what) > 1 else what[0])
        if self.refuses:
            raise HubError("NetworkManager refuses.")

    def start_hotspot(self) -> None:
        self._do("hotspot")

    def join(self, name: str, password: str) -> None:
        self._do("join", name, password)

    def keep(self) -> None:
        self._do("keep")

    def leave(self) -> None:
        self._do("leave")


class Walk:
    """A rule, its manager, and a clock that a test turns."""

    def __init__(self) -> None:
        self.now = 0.0
        self.phones = 0
        self.reached_at = 0.0
        self.manager = Manager()
        self.rule = WifiRule(self.manager, lambda: self.now, lambda: self.phones, lambda: self.reached_at)

    def see(self, radio: Radio | None, after: float = 0.0, **changes: Any) -> str:
        """Let the radio be so after some seconds; return the state then."""
        self.now += after
        self.manager.radio = dataclasses.replace(radio, **changes) if radio else None
        self.rule.check()
        return self.rule.state

    def problem(self) -> str:
        """The sentence without the marks around a name (`hub.engine.text.person`)."""
        return self.rule.problem.translate(dict.fromkeys(map(ord, "\u2068\u2069")))

    def is_up(self) -> bool:
        return self.rule.hotspot_is_up

    def asked(self) -> list[Any]:
        asked, self.manager.asked = self.manager.asked, []
        return asked

    def to_hotspot(self, **changes: Any) -> None:
        """The first evening: no network is known."""
        self.see(IDLE)
        self.see(IDLE, BOOT_SECONDS)
        assert self.see(HOTSPOT, 3.0, **changes) == "hotspot"
        assert self.rule.hotspot_is_up
        self.asked()

    def to_cafe(self) -> None:
        assert self.see(IDLE, knows_networks=True) == "waiting"
        assert self.see(CAFE, 1.0) == "network"

    def joining(self) -> None:
        self.to_hotspot()
        self.rule.join("Cafe", "dice-and-tea")
        assert self.see(HOTSPOT) == "joining"
        assert not self.rule.hotspot_is_up
        assert self.asked() == [("join", "Cafe", "dice-and-tea")]


@pytest.fixture
def walk() -> Walk:
    return Walk()


# --- at the start -----------------------------------------------------------------------------------


def test_without_network_manager_or_radio_nothing_happens(walk: Walk) -> None:
    assert walk.see(None) == "off"
    assert walk.see(None, 1000.0) == "off"
    assert walk.asked() == []
    assert walk.see(IDLE) == "waiting"
    assert walk.see(None) == "off", "the radio was unplugged"
    assert not walk.problem()


@pytest.mark.parametrize(("knows", "seconds"), [(False, WAIT_SECONDS), (True, BOOT_SECONDS)])
def test_the_hotspot_starts_after_a_while_without_a_network(walk: Walk, knows: bool, seconds: float) -> None:
    assert walk.see(IDLE, knows_networks=knows) == "waiting"
    assert walk.see(IDLE, seconds - 0.1, knows_networks=knows) == "waiting"
    assert walk.asked() == []
    assert walk.see(IDLE, 0.1, knows_networks=knows) == "hotspot"
    assert walk.asked() == ["hotspot"]
    assert not walk.is_up()
    walk.see(HOTSPOT, 3.0)
    assert walk.is_up()
    assert not walk.problem()


@pytest.mark.parametrize("radio", [CAFE, CABLE])
def test_a_known_network_or_a_cable_is_enough(walk: Walk, radio: Radio) -> None:
    walk.see(IDLE, knows_networks=True)
    assert walk.see(radio, BOOT_SECONDS - 1) == "network"
    assert walk.see(radio, 10_000.0) == "network"
    assert walk.asked() == []


def test_a_network_that_gives_no_address_yet_is_none(walk: Walk) -> None:
    walk.see(IDLE, knows_networks=True)
    assert walk.see(Radio("addressing", "other", knows_networks=True), 1.0) == "waiting"


def test_a_restarted_hub_finds_its_hotspot_again(walk: Walk) -> None:
    assert walk.see(HOTSPOT) == "hotspot"
    assert walk.is_up()
    assert walk.asked() == []


# --- a network that goes away -----------------------------------------------------------------------


def test_a_network_that_is_back_in_time_changes_nothing(walk: Walk) -> None:
    walk.to_cafe()
    assert walk.see(IDLE, 60.0, knows_networks=True) == "waiting"
    assert walk.problem() == LOST
    assert walk.see(CAFE, WAIT_SECONDS - 0.1) == "network"
    assert walk.problem() == ""
    assert walk.asked() == []


def test_a_network_that_stays_away_is_followed_by_the_hotspot(walk: Walk) -> None:
    walk.to_cafe()
    walk.see(IDLE, 60.0, knows_networks=True)
    assert walk.see(IDLE, WAIT_SECONDS - 0.1, knows_networks=True) == "waiting"
    assert walk.see(IDLE, 0.1, knows_networks=True) == "hotspot"
    assert walk.asked() == ["hotspot"]
    walk.see(HOTSPOT, 3.0, knows_networks=True)
    assert walk.problem() == LOST, "staff read why"


def test_without_a_known_network_nothing_is_waited_for_after_the_cable(walk: Walk) -> None:
    walk.see(IDLE)
    walk.see(CABLE)
    assert walk.see(IDLE, 60.0) == "waiting"
    assert walk.see(IDLE) == "hotspot"


# --- the hotspot ------------------------------------------------------------------------------------


def test_a_hotspot_that_does_not_start_is_tried_again_with_growing_pauses(walk: Walk) -> None:
    walk.see(IDLE)
    walk.see(IDLE, WAIT_SECONDS)
    assert walk.asked() == ["hotspot"]
    pause = START_SECONDS
    for _ in range(9):
        assert walk.see(IDLE, pause - 0.1) == "hotspot"
        assert walk.asked() == []
        walk.see(IDLE, 0.1)
        assert walk.asked() == ["hotspot"]
        assert walk.problem() == NO_START
        pause = min(2 * pause, RETRY_SECONDS)
    assert pause == RETRY_SECONDS
    walk.see(HOTSPOT, 3.0)
    assert walk.problem() == ""
    walk.see(IDLE, START_SECONDS)
    assert walk.asked() == ["hotspot"], "the pauses begin anew"


def test_a_refusal_is_tried_again(walk: Walk) -> None:
    walk.manager.refuses = True
    walk.see(IDLE)
    assert walk.see(IDLE, WAIT_SECONDS) == "hotspot"
    walk.manager.refuses = False
    walk.see(IDLE, START_SECONDS)
    assert walk.asked() == ["hotspot", "hotspot"]


def test_network_manager_may_join_a_network_while_the_hotspot_does_not_start(walk: Walk) -> None:
    walk.see(IDLE)
    walk.see(IDLE, WAIT_SECONDS)
    assert walk.see(Radio("connecting", "other")) == "hotspot"
    assert walk.see(CAFE) == "network"


def test_the_hotspot_with_nobody_in_it_makes_way_for_a_known_network(walk: Walk) -> None:
    walk.to_hotspot(knows_networks=True)
    walk.phones = 1
    assert walk.see(HOTSPOT, RETRY_SECONDS, knows_networks=True) == "hotspot"
    walk.phones = 0
    assert walk.see(HOTSPOT, RETRY_SECONDS - 0.1, knows_networks=True) == "hotspot"
    assert walk.asked() == []
    assert walk.see(HOTSPOT, 0.1, knows_networks=True) == "waiting"
    assert walk.asked() == ["leave"]
    assert walk.see(CAFE, 5.0) == "network"


@pytest.mark.parametrize(("changes", "state"), [({}, "hotspot"), ({"has_cable": True}, "waiting")])
def test_without_a_known_network_only_a_cable_ends_the_hotspot(walk: Walk, changes: Any, state: str) -> None:
    walk.to_hotspot(**changes)
    assert walk.see(HOTSPOT, RETRY_SECONDS, **changes) == state


# --- joining a network ------------------------------------------------------------------------------


def test_a_network_that_was_joined_is_stored_once_a_phone_has_reached_the_hub_there(walk: Walk) -> None:
    walk.reached_at = 0.0
    walk.joining()
    assert walk.see(Radio("addressing", "joined"), JOIN_SECONDS - 1) == "joining"
    assert walk.see(JOINED, 0.5) == "network"
    assert walk.see(JOINED, DOUBT_SECONDS - 0.1) == "network"
    assert walk.asked() == []
    assert walk.problem() == ""
    walk.reached_at = walk.now
    assert walk.see(JOINED, 1.0) == "network"
    assert walk.asked() == ["keep"]
    assert walk.see(CAFE, 10_000.0) == "network"
    assert walk.asked() == []
    assert walk.problem() == ""


def test_screens_say_what_may_keep_phones_away_until_one_has_reached_the_hub(walk: Walk) -> None:
    walk.joining()
    walk.see(JOINED, 5.0)
    walk.see(JOINED, DOUBT_SECONDS)
    assert walk.problem() == f"No phone has reached the hub in the Wi-Fi “Cafe” yet. {APART}"
    assert walk.see(JOINED, REACH_SECONDS - DOUBT_SECONDS - 0.1) == "network"
    assert walk.problem(), "it is not an old reason"
    walk.reached_at = walk.now
    walk.see(JOINED, 0.1)
    assert walk.problem() == ""
    assert walk.asked() == ["keep"]


def test_a_network_in_which_no_phone_reaches_the_hub_is_left_and_forgotten(walk: Walk) -> None:
    walk.joining()
    walk.see(JOINED, 5.0)
    assert walk.see(JOINED, REACH_SECONDS) == "waiting"
    assert walk.asked() == ["leave"]
    why = f"No phone has reached the hub in the Wi-Fi “Cafe”, so the hub has left it. {APART}"
    assert walk.problem() == why
    assert walk.see(IDLE, 1.0) == "hotspot"
    walk.see(HOTSPOT, 3.0)
    assert walk.problem() == why
    assert walk.asked() == ["hotspot"]


def test_a_phone_that_was_there_before_proves_nothing(walk: Walk) -> None:
    walk.to_cafe()
    walk.reached_at = walk.now
    walk.rule.join("Bar", "")
    walk.see(CAFE)
    walk.see(JOINED, 5.0)
    walk.see(JOINED, REACH_SECONDS, knows_networks=True)
    assert "leave" in walk.asked()
    assert walk.see(CAFE, 1.0) == "network", "the one before is stored"


def test_beside_a_cable_a_network_is_not_left_but_stored_only_after_a_phone(walk: Walk) -> None:
    walk.joining()
    walk.see(JOINED, 5.0, has_cable=True)
    assert walk.see(JOINED, REACH_SECONDS, has_cable=True) == "network"
    assert walk.asked() == []
    assert walk.problem() == ""
    walk.reached_at = walk.now
    walk.see(JOINED, 1.0, has_cable=True)
    assert walk.asked() == ["keep"]


def test_a_phone_that_is_connected_all_the_time_need_send_nothing_new(walk: Walk) -> None:
    walk.joining()
    walk.phones = 1
    walk.see(JOINED, 5.0)
    walk.see(JOINED, DOUBT_SECONDS - 0.1)
    assert walk.asked() == [], "it may be one of the hotspot that is gone"
    walk.see(JOINED, 0.1)
    assert walk.asked() == ["keep"]
    assert walk.problem() == ""


@pytest.mark.parametrize("radio", [CAFE, HOTSPOT])
def test_the_trial_of_a_network_ends_when_the_radio_uses_another_one(walk: Walk, radio: Radio) -> None:
    walk.joining()
    walk.see(JOINED, 5.0)
    walk.see(None, 1.0)
    walk.see(radio, 1.0)
    walk.see(radio, 1.0)
    assert walk.asked() == ["leave"]
    walk.see(radio, REACH_SECONDS)
    assert walk.asked() == []
    assert "No phone" not in walk.problem()


def test_a_radio_that_comes_back_in_the_joined_network_goes_on_with_its_trial(walk: Walk) -> None:
    walk.joining()
    walk.see(JOINED, 5.0)
    walk.see(None, 1.0)
    walk.see(JOINED, 1.0)
    walk.reached_at = walk.now
    walk.see(JOINED, 1.0)
    assert walk.asked() == ["keep"]


def test_a_network_that_NetworkManager_joins_by_itself_was_proven_once(walk: Walk) -> None:  # noqa: N802 - its name
    walk.to_cafe()
    assert walk.see(CAFE, REACH_SECONDS) == "network"
    assert walk.asked() == []
    assert walk.problem() == ""


def test_an_unproven_network_that_is_lost_or_given_up_is_forgotten(walk: Walk) -> None:
    walk.joining()
    walk.see(JOINED, 5.0)
    assert walk.see(IDLE, 60.0) == "waiting"
    assert walk.asked() == ["leave"]
    assert walk.problem() == LOST
    walk.see(IDLE, 1.0)
    walk.see(HOTSPOT, 3.0)
    walk.asked()
    walk.rule.join("Bar", "")
    walk.see(HOTSPOT)
    walk.see(JOINED, 5.0)
    walk.rule.join("Cafe", "")
    assert walk.see(JOINED, 1.0) == "joining"
    assert walk.asked() == [("join", "Bar", ""), "leave", ("join", "Cafe", "")]


def test_the_old_connection_does_not_count_as_the_new_one(walk: Walk) -> None:
    walk.to_cafe()
    walk.rule.join("Bar", "")
    assert walk.see(CAFE) == "joining"
    assert walk.see(CAFE, 1.0) == "joining"


@pytest.mark.parametrize(
    ("radio", "sentence"),
    [
        (Radio("idle", failure="password"), "The Wi-Fi “Cafe” does not accept this password."),
        (Radio("idle", failure="address"), "The Wi-Fi “Cafe” gives the hub no address. Restart its router."),
        (Radio("idle", failure="away"), "The Wi-Fi “Cafe” is out of reach. Check its name."),
        (
            Radio("idle", failure="away", has_5_ghz=False),
            "The Wi-Fi “Cafe” is out of reach. The hub only receives 2.4 GHz: is that switched on in the router?",
        ),
        (Radio("idle", failure="other"), "The hub could not join the Wi-Fi “Cafe”."),
    ],
)
def test_a_failure_is_named_at_once_and_the_hotspot_comes_back(walk: Walk, radio: Radio, sentence: str) -> None:
    walk.joining()
    assert walk.see(radio, 2.0) == "waiting"
    assert walk.asked() == ["leave"]
    assert walk.problem() == sentence
    assert walk.see(IDLE, 1.0) == "hotspot"
    walk.see(HOTSPOT, 3.0)
    assert walk.problem() == sentence, "the people who asked read it when they are back"


@pytest.mark.parametrize(
    ("radio", "sentence"),
    [
        (Radio("addressing", "joined"), "The Wi-Fi “Cafe” gives the hub no address. Restart its router."),
        (
            Radio("connecting", "joined", is_in_reach=True),
            "The Wi-Fi “Cafe” does not accept this password.",
        ),
        (
            Radio("connecting", "joined", in_reach=(Network("Cafe", False),)),  # until a moment ago
            "The Wi-Fi “Cafe” is out of reach. Check its name.",
        ),
    ],
)
def test_when_time_is_up_the_radio_says_what_is_missing(walk: Walk, radio: Radio, sentence: str) -> None:
    walk.joining()
    assert walk.see(radio, JOIN_SECONDS - 0.1) == "joining"
    assert walk.see(radio, 0.1) == "waiting"
    assert walk.problem() == sentence


def test_the_hotspot_is_back_within_half_a_minute_whatever_happens(walk: Walk) -> None:
    walk.joining()
    began = walk.now
    while walk.see(Radio("connecting", "joined", knows_networks=True)) != "hotspot":
        walk.now += 1.0
    assert walk.now - began <= 27.0, "three seconds are left for the radio"


@pytest.mark.parametrize(("radio", "seconds"), [(IDLE, RETURN_SECONDS), (Radio("addressing", "other"), WAIT_SECONDS)])
def test_after_a_failure_the_network_before_has_some_seconds(walk: Walk, radio: Radio, seconds: float) -> None:
    walk.to_cafe()
    walk.rule.join("Bar", "dice-and-tea")
    walk.see(CAFE)
    walk.see(Radio("idle", failure="password", knows_networks=True), 2.0)
    assert walk.see(radio, seconds - 0.1, knows_networks=True) == "waiting"
    assert walk.see(radio, 0.1, knows_networks=True) == "hotspot"


def test_from_the_hotspot_a_failure_leads_back_at_once_although_a_network_is_known(walk: Walk) -> None:
    walk.to_hotspot(knows_networks=True)
    walk.rule.join("Bar", "dice-and-tea")
    walk.see(HOTSPOT, knows_networks=True)
    walk.see(Radio("idle", failure="password", knows_networks=True), 2.0)
    assert walk.see(IDLE, 0.5, knows_networks=True) == "hotspot"


def test_after_a_failure_the_network_before_is_taken_again_and_the_reason_stays_for_a_while(walk: Walk) -> None:
    walk.to_cafe()
    walk.rule.join("Bar", "dice-and-tea")
    walk.see(CAFE)
    walk.asked()
    walk.see(Radio("idle", failure="password", knows_networks=True), 2.0)
    assert walk.see(IDLE, RETURN_SECONDS - 0.1, knows_networks=True) == "waiting"
    assert walk.see(CAFE) == "network"
    walk.see(CAFE, TOLD_SECONDS - RETURN_SECONDS)
    assert walk.problem()
    walk.see(CAFE, RETURN_SECONDS)
    assert walk.problem() == ""
    assert "hotspot" not in walk.asked()


def test_a_refused_order_fails_at_once(walk: Walk) -> None:
    walk.to_hotspot()
    walk.rule.join("Cafe", "dice-and-tea")
    walk.manager.refuses = True
    assert walk.see(HOTSPOT) == "waiting"
    assert walk.problem() == "The hub could not join the Wi-Fi “Cafe”."


def test_a_network_that_cannot_be_stored_is_used_and_stored_later(walk: Walk) -> None:
    walk.joining()
    assert walk.see(JOINED, 5.0) == "network"
    walk.manager.refuses = True
    walk.reached_at = walk.now + 1.0
    assert walk.see(JOINED, 2.0) == "network"
    assert walk.asked() == ["keep"]
    walk.manager.refuses = False
    assert walk.see(JOINED, 1.0) == "network"
    assert walk.asked() == []
    walk.reached_at = walk.now + 1.0
    assert walk.see(JOINED, 2.0) == "network"
    assert walk.asked() == ["keep"], "it is tried again with the next phone"


def test_a_restarted_hub_goes_on_with_the_trial_of_its_network(walk: Walk) -> None:
    walk.reached_at = 0.0
    walk.now = 1.0
    assert walk.see(JOINED, name="Cafe") == "network"
    walk.see(JOINED, DOUBT_SECONDS, name="Cafe")
    assert walk.problem() == f"No phone has reached the hub in the Wi-Fi “Cafe” yet. {APART}"
    walk.reached_at = walk.now
    walk.see(JOINED, 1.0, name="Cafe")
    assert walk.asked() == ["keep"]


def test_a_restarted_hub_leaves_its_network_if_no_phone_reaches_it_there(walk: Walk) -> None:
    assert walk.see(JOINED, name="Cafe") == "network"
    assert walk.see(JOINED, REACH_SECONDS, name="Cafe") == "waiting"
    assert walk.asked() == ["leave"]


def test_an_order_waits_for_a_radio(walk: Walk) -> None:
    walk.rule.join("Cafe", "")
    assert walk.see(None) == "off"
    assert walk.see(IDLE) == "joining"
    assert walk.asked() == [("join", "Cafe", "")]


# --- its name ---------------------------------------------------------------------------------------


def test_the_own_wifi_follows_from_the_key_and_each_hub_has_another_one() -> None:
    key, other = HubKey(PrivateKey(bytes(range(32)))), HubKey(PrivateKey(bytes(32)))
    name, password = own_wifi(key)
    assert own_wifi(key) == (name, password)
    assert own_wifi(other)[0] != name
    assert own_wifi(other)[1] != password
    assert name.startswith("table-hub-")
    assert len(name) == len("table-hub-xxxx")
    assert len(password) == 12
    assert (name[10:] + password).isalnum()


def test_the_networks_that_were_seen_last_are_kept_while_the_radio_is_the_hotspot(walk: Walk) -> None:
    cafe, bar = Network("Cafe", False), Network("Bar", True)
    walk.see(IDLE, in_reach=(cafe, bar))
    assert walk.rule.networks == (cafe, bar)
    walk.see(HOTSPOT, 10.0)
    assert walk.rule.networks == (cafe, bar)
    walk.see(HOTSPOT, 1.0, in_reach=(bar,))
    assert [one.name for one in walk.rule.networks] == ["Bar"]


def test_the_name_is_that_of_the_network_that_the_hub_is_in_or_joins(walk: Walk) -> None:
    assert walk.rule.name == ""
    walk.see(HOTSPOT, name="table-hub-abcd")
    assert walk.rule.name == "", "its own"
    walk.joining()
    assert walk.rule.name == "Cafe"
    walk.see(Radio("connected", "joined", name="Café"))
    assert walk.rule.name == "Café"
    walk.see(None)
    assert walk.rule.name == ""


def test_a_reason_is_shown_for_some_minutes_in_the_hotspot_too(walk: Walk) -> None:
    walk.joining()
    walk.see(Radio("idle", failure="password"), 2.0)
    walk.see(IDLE, 1.0)
    walk.see(HOTSPOT, TOLD_SECONDS - 1.1)
    assert walk.problem()
    walk.see(HOTSPOT, 0.1)
    assert walk.problem() == ""


@pytest.mark.parametrize(
    ("password", "is_one"),
    [
        ("x" * 7, False), ("x" * 8, True), ("x" * 63, True), ("x" * 64, False), ("aF09" * 16, True), ("aF09" * 15 + "aF0g", False),
        ("üüü", False), ("üüüü", True),
    ],
)  # fmt: skip
def test_a_wifi_password_has_8_to_63_bytes_or_64_hexadecimal_digits(password: str, is_one: bool) -> None:
    assert is_wifi_password(password) is is_one
