"""The tables in a Home Assistant: what the till sees of each, by MQTT discovery, on the broker that the owner names.

After Home Assistant's documentation of its MQTT integration (https://www.home-assistant.io/integrations/mqtt/, "Device
discovery payload"; device discovery came with 2024.11) and of its MQTT sensors and binary sensors. Nothing is read there, and no
name of a guest, no code and no card leaves the hub this way: `HomeTable` has no field for them.
"""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from hub.network.connection import Endpoint, outside_endpoint
from hub.network.glance import at_a_glance
from hub.network.messages import home_status_topic, home_topic
from hub.state import Count, Plain
from hub.version import version

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

    from hub.config import HomeAssistantPart
    from hub.state import PublicState

log = logging.getLogger(__name__)

KEEPALIVE_SECONDS = 30
LOOK_SECONDS = 0.5  # between two looks for what has changed
BACK_OFF = (0.0, 1.0, 5.0, 15.0, 60.0)  # seconds before each further try; the last one for ever
ONLINE, OFFLINE = b"online", b"offline"
STATES = ("lobby", "playing", "over", "stopped")


class HomeTable(Plain, frozen=True):
    """One table for a Home Assistant. `people` counts seats that somebody has, without the house's.

    `minutes_left` is the upper end of the range; `until`, in ISO 8601, is when the table's time is over, and
    `last_orders` is true from 15 minutes before.
    """

    state: Literal["lobby", "playing", "over", "stopped"]
    game: str
    round: int | None
    seats: Count
    people: Count
    calls: Count
    minutes_left: int | None
    until: str | None
    last_orders: bool


def home_table(state: PublicState) -> HomeTable:
    """Return what a Home Assistant is told of a table."""
    seen = at_a_glance(state)
    return HomeTable(
        state=seen.state,
        game=seen.title,
        round=state.view.round if state.view else None,
        seats=seen.seats,
        people=seen.seats - seen.free,
        calls=seen.calls,
        minutes_left=seen.minutes_left[1] if seen.minutes_left else None,
        until=datetime.fromtimestamp(seen.until, UTC).isoformat() if seen.until is not None else None,
        last_orders=any(notice.key == "time" for notice in state.notices),
    )


def discovery_topic(prefix: str, hub: str, table: str) -> str:
    """Return the topic on which a Home Assistant with that prefix finds a table."""
    return f"{prefix}/device/{_id(hub, table)}/config"


def discovery(hub: str, state: PublicState) -> dict[str, Any]:
    """Return the discovery payload of a table: one device with its entities."""
    own = _id(hub, state.table)

    def entity(key: str, name: str, kind: str, template: str, **more: object) -> dict[str, Any]:
        shown = {"name": name, "platform": kind, "unique_id": f"{own}-{key}", "value_template": f"{{{{ {template} }}}}"}
        return {key: shown | more}

    def is_on(condition: str) -> str:
        return f"'ON' if {condition} else 'OFF'"

    device = {
        "identifiers": [own],
        "name": state.name,
        "manufacturer": "table-hub",
        "model": f"Table for {len(state.seats)}",
        "sw_version": version(),
    }
    return {
        "device": device | ({"configuration_url": f"{state.url}/staff"} if state.url else {}),
        "origin": {"name": "table-hub", "sw_version": version()},
        "availability_topic": home_status_topic(hub),
        "state_topic": home_topic(hub, state.table),
        "components": {
            **entity("state", "State", "sensor", "value_json.state", device_class="enum", options=list(STATES)),
            **entity("game", "Game", "sensor", "value_json.game", icon="mdi:cards"),
            **entity("round", "Round", "sensor", "value_json.round", icon="mdi:counter"),
            **entity("people", "People", "sensor", "value_json.people", state_class="measurement"),
            **entity("occupied", "Occupied", "binary_sensor", is_on("value_json.people"), device_class="occupancy"),
            **entity("call", "Call for help", "binary_sensor", is_on("value_json.calls"), icon="mdi:hand-wave"),
            **entity("last_orders", "Last orders", "binary_sensor", is_on("value_json.last_orders"), icon="mdi:glass-mug"),
            **entity(
                "minutes_left", "Minutes left", "sensor", "value_json.minutes_left",
                device_class="duration", unit_of_measurement="min",
            ),
            **entity("until", "Taken until", "sensor", "value_json.until", device_class="timestamp"),
        },
    }  # fmt: skip


def _id(hub: str, table: str) -> str:
    return f"table-hub-{hub}-{table}"


class HomeAssistant:
    """The link to a Home Assistant's broker, with a thread of its own: whatever hangs there, tables and phones do not wait.

    Raise ConfigError where the configuration cannot be used. Every table shows it its pictures, as it does a panel (`show`).
    """

    def __init__(self, part: HomeAssistantPart, hub: str) -> None:
        self._endpoint = outside_endpoint(part, "home_assistant", f"table-hub-{hub}-home")
        self._prefix, self._hub = part.prefix, hub
        self._lock = threading.Lock()
        self._newest: dict[str, bytes] = {}  # topic -> payload, all of them retained
        self._unsent: dict[str, None] = {}
        self._closing = threading.Event()
        self._reported = ""
        self._is_in = False  # logged in
        self._thread = threading.Thread(target=self._run, name="home-assistant", daemon=True)

    def show(self, public: PublicState, settled: bool) -> None:  # noqa: ARG002 - the port's
        """Take the newest state of a table; return at once."""
        told = {
            discovery_topic(self._prefix, self._hub, public.table): discovery(self._hub, public),
            home_topic(self._hub, public.table): home_table(public),
        }
        with self._lock:
            for topic, message in told.items():
                payload = msgspec.json.encode(message)
                if self._newest.get(topic) != payload:
                    self._newest[topic] = payload
                    self._unsent[topic] = None

    def start(self) -> None:
        """Start the thread, which tries for ever."""
        self._thread.start()

    def close(self) -> None:
        """Say that the hub is gone, and end the thread."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join(5)

    # --- its thread ---

    def _run(self) -> None:
        failures = 0
        while not self._closing.wait(BACK_OFF[min(failures, len(BACK_OFF) - 1)]):
            client = self._client(self._endpoint)
            try:
                client.connect(self._endpoint.address.host, self._endpoint.address.port, KEEPALIVE_SECONDS)
                served = self._serve(client)
            except (OSError, ValueError) as error:
                served = False
                self._report(f"The broker at {self._endpoint.address} cannot be reached ({error}).")
            failures = 0 if served else failures + 1

    def _client(self, endpoint: Endpoint) -> paho.Client:
        client = paho.Client(CallbackAPIVersion.VERSION2, client_id=endpoint.client_id, reconnect_on_failure=False)
        if endpoint.user:
            client.username_pw_set(endpoint.user, endpoint.password or None)
        if endpoint.address.tls is not None:
            client.tls_set_context(endpoint.address.tls)
        client.will_set(home_status_topic(self._hub), OFFLINE, qos=1, retain=True)
        client.on_connect = self._on_connect
        return client

    def _serve(self, client: paho.Client) -> bool:
        """Serve one connection until it is lost; return whether the broker has let the hub in."""
        self._is_in = False
        while not self._closing.is_set():
            if client.loop(LOOK_SECONDS) != MQTTErrorCode.MQTT_ERR_SUCCESS:
                if self._is_in:
                    self._report(f"The connection to the broker at {self._endpoint.address} was lost.")
                return self._is_in
            if self._is_in:
                self._publish(client)
        if self._is_in:
            client.publish(home_status_topic(self._hub), OFFLINE, qos=0, retain=True)
        client.disconnect()
        return self._is_in

    def _publish(self, client: paho.Client) -> None:
        """Publish what has changed. At QoS 0: TCP keeps the order, and a new connection brings all of it again."""
        with self._lock:
            changed = [(topic, self._newest[topic]) for topic in self._unsent]
            self._unsent.clear()
        for topic, payload in changed:
            client.publish(topic, payload, qos=0, retain=True)

    def _on_connect(self, client: paho.Client, _u: object, _f: object, code: ReasonCode, _p: object) -> None:
        if code.is_failure:
            self._report(f"The broker at {self._endpoint.address} refuses the hub's login ({code}).")
            client.disconnect()
            return
        self._is_in = True
        self._reported = ""
        with self._lock:
            self._unsent = dict.fromkeys(self._newest)
        client.publish(home_status_topic(self._hub), ONLINE, qos=0, retain=True)
        log.info("Home Assistant is told of the tables at %s.", self._endpoint.address)

    def _report(self, reason: str) -> None:
        """Say once in the journal what is in the way, however often it is tried."""
        if reason != self._reported and not self._closing.is_set():
            self._reported = reason
            log.warning("Home Assistant: %s", reason)
