"""The table's own Wi-Fi, and which network the hub uses: a rule without a clock, a thread or a radio of its own.

NetworkManager joins the networks that it knows by itself. The rule adds two things: the hub's own hotspot while there is
no network, and joining a network when staff ask for it, with the hotspot back if that fails.
"""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from hub.engine.text import Text, person, say
from hub.errors import HubError

if TYPE_CHECKING:
    from hub.network.encryption import HubKey

log = logging.getLogger(__name__)

ADDRESS = "10.42.0.1"
"""The hub's address in its own Wi-Fi. `systemd/table-hub-dnsmasq.conf` has it too."""
BOOT_SECONDS = 25.0
"""How long NetworkManager may take after the start to join a Wi-Fi that it knows, before the hotspot starts."""
WAIT_SECONDS = 8.0
"""The same after a network was lost, and for a cable after the start."""
JOIN_SECONDS = 24.0
"""How long joining a network may take: 13 seconds from the hotspot if all is well, and some for a slow router."""
RETURN_SECONDS = 3.0
"""How long NetworkManager has to begin to return to the network before. With `JOIN_SECONDS` and its start, the hotspot is back
within 30."""
START_SECONDS = 10.0
"""How long the hotspot may take to start before it is started again. Each time this doubles, up to `RETRY_SECONDS`."""
RETRY_SECONDS = 600.0
"""The hotspot with no phone in it for this long makes way for a known network, which it would hide for ever."""
DOUBT_SECONDS = 120.0
"""If no phone has reached the hub for this long in a network that it has joined, screens say what may keep phones away."""
REACH_SECONDS = 600.0
"""After this long without a phone the hub leaves that network, because nobody there could tell it to."""
TOLD_SECONDS = 300.0
"""How long screens show why a network was lost or could not be joined."""
LONGEST_NAME = 32
"""Of a Wi-Fi, in bytes: IEEE 802.11, 9.4.2.2."""


LOST = say("The hub has lost its network, so its own Wi-Fi takes over.")
NO_START = say("The hub's own Wi-Fi does not start. The hub tries again by itself.")
APART = say("Many guest networks keep their devices apart, or ask each phone to sign in first.")

State: TypeAlias = Literal["off", "waiting", "network", "joining", "hotspot"]


class OwnWifi(NamedTuple):
    """The name and the password of the hub's own Wi-Fi."""

    name: str
    password: str


def own_wifi(key: HubKey) -> OwnWifi:
    """Return the hub's own Wi-Fi. It follows from the hub's key, so that phones and printed cards know it for good."""
    letters = base64.b32encode(key.derive(b"table-hub wifi 1", 20)).decode().lower()  # a to z and 2 to 7
    return OwnWifi(f"table-hub-{letters[:4]}", letters[4:16])


def is_wifi_password(password: str) -> bool:
    """Return whether it is a passphrase of 8 to 63 bytes, or a key as 64 hexadecimal digits (IEEE 802.11, J.4.1)."""
    return 8 <= len(password.encode()) <= 63 or bool(re.fullmatch("[0-9A-Fa-f]{64}", password))


class Network(NamedTuple):
    """A Wi-Fi network in reach."""

    name: str
    is_open: bool
    """It needs no password."""


@dataclass(frozen=True, slots=True)
class Radio:
    """The Wi-Fi radio, as NetworkManager reports it."""

    state: Literal["idle", "connecting", "addressing", "connected"]
    """addressing: it has joined a network, and waits for an address."""
    uses: Literal["", "hotspot", "joined", "other"] = ""
    """The connection: the hotspot, the network that staff asked for and that is not stored yet, or another one."""
    failure: Literal["", "password", "address", "away", "other"] = ""
    """Why the last attempt failed, since the last call of `join` or `start_hotspot`."""
    name: str = ""
    """The name of the network that it is in, or that it is joining."""
    is_in_reach: bool = False
    """It has seen the network that it is joining since it began to."""
    in_reach: tuple[Network, ...] = ()
    """The networks that the hub can join, the strongest first. While the radio is the hotspot, it may see none."""
    has_5_ghz: bool = True
    knows_networks: bool = False
    """NetworkManager has stored a Wi-Fi network, in reach or not."""
    has_cable: bool = False
    """Another network connection works, such as Ethernet."""


class NetworkManager(Protocol):
    """What the rule needs of NetworkManager. Every method may raise HubError."""

    def look(self) -> Radio | None:
        """Return the radio; None without NetworkManager, or without a radio that is switched on."""

    def start_hotspot(self) -> None:
        """Start the hotspot, in place of any other connection of the radio."""

    def join(self, name: str, password: str) -> None:
        """Begin to join a network, in place of any other connection. It is not stored."""

    def keep(self) -> None:
        """Store the network that was joined, so that the hub is back in it after a power cut."""

    def leave(self) -> None:
        """End the hotspot, or a network that was not stored, and forget that one."""


class WifiRule:
    """Keep the table reachable. Call `check` every second or two.

    - "off": there is no NetworkManager, or no radio.
    - "waiting": NetworkManager has some seconds to join a known network.
    - "network": the hub is in a network, by Wi-Fi or by cable.
    - "joining": the hub tries the network that staff named.
    - "hotspot": the hub's own Wi-Fi, also while it starts.

    `clock` returns seconds. `phones` returns how many phones are connected, and `reached_at` when a phone last reached the hub
    other than through its own Wi-Fi, on that clock. `problem` is the sentence about the last
    failure; "" if all is well. `radio` is what `check` saw last. `networks` are those that were in reach when the radio last
    saw any, because it may see none while it is the hotspot.
    """

    def __init__(
        self,
        manager: NetworkManager,
        clock: Callable[[], float],
        phones: Callable[[], int] = int,
        reached_at: Callable[[], float] = lambda: -inf,
    ) -> None:
        self.state: State = "off"
        self.problem: Text | str = ""
        self.hotspot_is_up = False
        self.radio: Radio | None = None
        self.networks: tuple[Network, ...] = ()
        self._manager, self._clock, self._phones, self._reached_at = manager, clock, phones, reached_at
        self._since = clock()  # when `state` began, or the hotspot was last started or used
        self._told_at = 0.0  # when `problem` began
        self._pause = START_SECONDS
        self._order: tuple[str, str] | None = None
        self._name = ""  # of the network that is being joined
        self._had_network = False  # before that
        self._joined_at: float | None = None  # when it was joined, until a phone has reached the hub there

    @property
    def name(self) -> str:
        """Return the network that the hub is in, or is joining; "" if it has none, or is in its own."""
        if self.state == "joining":
            return self._name
        return self.radio.name if self.radio and not self.hotspot_is_up else ""

    def join(self, name: str, password: str) -> None:
        """Join a network at the next `check`. Thread-safe. If that fails, `problem` says why, and the hotspot is back."""
        self._order = name, password

    def check(self) -> None:
        """Look at the radio, and do what the state asks for."""
        try:
            self.radio = radio = self._manager.look()
            self.networks = (radio and radio.in_reach) or self.networks
            self.hotspot_is_up = bool(radio and radio.uses == "hotspot" and radio.state == "connected")
            if self.state not in ("joining", "off") and radio and radio.uses != "joined":
                self._forget_joined()
            if radio is None:
                self._enter("off")
            elif self._order:
                self._begin_joining(*self._order)
            elif self.state == "joining":
                self._check_joining(radio)
            elif self.state == "hotspot":
                self._check_hotspot(radio)
            else:
                self._check_network(radio)
            was_told = self._clock() - self._told_at >= TOLD_SECONDS
            if was_told and self.problem is not NO_START and self.state in ("network", "hotspot"):
                self.problem = ""
        except HubError as error:
            log.warning("%s", error)

    def _check_network(self, radio: Radio) -> None:
        """Wait for a network, or notice that it is gone."""
        if self.hotspot_is_up:  # the hub was restarted meanwhile
            self._enter("hotspot")
        elif radio.has_cable or (radio.uses and radio.state == "connected"):
            self._enter("network")
            if self.problem in (LOST, NO_START):
                self.problem = ""
            if radio.uses == "joined" and self._joined_at is None:  # the hub was restarted, or could not store it
                self._name, self._joined_at = radio.name, self._clock()
            if self._joined_at is not None:
                self._check_reached(radio, self._joined_at)
        elif self.state != "waiting":
            if self.state == "network":
                self.problem, self._told_at = LOST, self._clock()
            self._enter("waiting")
        elif self._seconds() >= self._patience(radio):
            self._start_hotspot()

    def _check_reached(self, radio: Radio, joined_at: float) -> None:
        """Store a network once a phone has reached the hub there. If none does, leave it: it may keep its devices apart."""
        seconds, name = self._clock() - joined_at, person(self._name)
        # A phone that came in the very moment of joining may send nothing new.
        if self._reached_at() > joined_at or (seconds >= DOUBT_SECONDS and self._phones()):
            self._joined_at, self.problem = None, ""
            self._manager.keep()
        elif radio.has_cable:  # phones come through that
            return
        elif seconds >= REACH_SECONDS:
            self._fail(
                say(
                    "No phone has reached the hub in the Wi-Fi “{name}”, so the hub has left it. {why}",
                    name=name,
                    why=APART,
                )
            )
            self._forget_joined()
        elif seconds >= DOUBT_SECONDS:
            self.problem = say("No phone has reached the hub in the Wi-Fi “{name}” yet. {why}", name=name, why=APART)
            self._told_at = self._clock()

    def _forget_joined(self) -> None:
        """Forget a network in which no phone has reached the hub."""
        if self._joined_at is not None:
            self._joined_at = None
            self._manager.leave()

    def _patience(self, radio: Radio) -> float:
        """Return how many seconds NetworkManager has to find a network."""
        if not self.problem:
            return BOOT_SECONDS if radio.knows_networks else WAIT_SECONDS
        if not radio.knows_networks:
            return 0
        if self.problem in (LOST, NO_START):
            return WAIT_SECONDS
        if not self._had_network:
            return 0
        return RETURN_SECONDS if radio.state == "idle" else WAIT_SECONDS

    def _begin_joining(self, name: str, password: str) -> None:
        self._name, self._order, self.problem, self.hotspot_is_up = name, None, "", False
        self._had_network = self.state == "network"
        self._enter("joining")
        try:
            self._forget_joined()
            self._manager.join(name, password)
        except HubError:
            self._fail(say("The hub could not join the Wi-Fi “{name}”.", name=person(name)))
            raise

    def _check_joining(self, radio: Radio) -> None:
        if radio.uses == "joined" and radio.state == "connected":
            self._enter("network")
            self._joined_at = self._clock()
        elif radio.failure or self._seconds() >= JOIN_SECONDS:
            self._fail(self._why(radio))
            self._manager.leave()

    def _fail(self, why: Text) -> None:
        log.warning("%s", why)
        self.problem, self._told_at = why, self._clock()
        self._enter("waiting")

    def _check_hotspot(self, radio: Radio) -> None:
        """Start the hotspot again if it ended, and let NetworkManager try known networks if nobody uses it."""
        if self.hotspot_is_up:
            self._pause = START_SECONDS
            if self.problem is NO_START:
                self.problem = ""
            if self._phones() or not (radio.knows_networks or radio.has_cable):
                self._since = self._clock()
            elif self._seconds() >= RETRY_SECONDS:
                self._manager.leave()
                self.problem = ""
                self._enter("waiting")
        elif radio.uses == "other" and radio.state == "connected":  # NetworkManager was quicker
            self._enter("network")
        elif self._seconds() >= self._pause:
            self._pause = min(2 * self._pause, RETRY_SECONDS)
            self.problem = NO_START
            self._start_hotspot()

    def _why(self, radio: Radio) -> Text:
        """Return why joining failed. A radio that has found the network when time is up waits for what is missing."""
        failure, name = radio.failure, person(self._name)
        if not failure:
            failure = "address" if radio.state == "addressing" else "password" if radio.is_in_reach else "away"
        if failure == "password":
            return say("The Wi-Fi “{name}” does not accept this password.", name=name)
        if failure == "address":
            return say("The Wi-Fi “{name}” gives the hub no address. Restart its router.", name=name)
        if failure == "away" and not radio.has_5_ghz:
            return say(
                "The Wi-Fi “{name}” is out of reach. The hub only receives 2.4 GHz: is that switched on in the router?",
                name=name,
            )
        if failure == "away":
            return say("The Wi-Fi “{name}” is out of reach. Check its name.", name=name)
        return say("The hub could not join the Wi-Fi “{name}”.", name=name)

    def _start_hotspot(self) -> None:
        self._enter("hotspot")
        self._since = self._clock()
        self._manager.start_hotspot()

    def _seconds(self) -> float:
        return self._clock() - self._since

    def _enter(self, state: State) -> None:
        if state != self.state:
            log.info("Wi-Fi: %s.", state)
            self.state, self._since = state, self._clock()
