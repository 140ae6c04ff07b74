"""The tables as devices in Home Assistant, through MQTT discovery on a broker that the owner names.

This follows Home Assistant's documentation of its MQTT integration (https://www.home-assistant.io/integrations/mqtt/,
"Device discovery payload", since 2024.11) and of its MQTT sensors and binary sensors. The hub only publishes there. Names of
guests, codes and cards never leave the hub this way: `HomeTable` has no field for them.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from hub.engine.text import to_json
from hub.network.connection import outside_endpoint
from hub.network.glance import at_a_glance
from hub.network.messages import home_status_topic, home_topic
from hub.network.outside_link import OutsideLink
from hub.state import Count, Plain
from hub.version import version

if TYPE_CHECKING:
    import paho.mqtt.client as paho

    from hub.config import HomeAssistantPart
    from hub.state import PublicState

log = logging.getLogger(__name__)

ONLINE, OFFLINE = b"online", b"offline"
STATES = ("lobby", "playing", "over", "stopped")


class HomeTable(Plain, frozen=True):
    """The state of one table for Home Assistant.

    - `people`: the number of taken seats, without seats that the house plays.
    - `minutes_left`: the upper end of the estimated range.
    - `until`: when the table's time ends, in ISO 8601.
    - `last_orders`: whether at most 15 minutes are left until then.
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
    """Return the state of a table for Home Assistant."""
    glance = at_a_glance(state)
    return HomeTable(
        state=glance.state,
        game=glance.title,
        round=state.view.round if state.view else None,
        seats=glance.seats,
        people=glance.seats - glance.free,
        calls=glance.calls,
        minutes_left=glance.minutes_left[1] if glance.minutes_left else None,
        until=datetime.fromtimestamp(glance.until, UTC).isoformat() if glance.until is not None else None,
        last_orders=any(notice.key == "time" for notice in state.notices),
    )


def discovery_topic(prefix: str, hub: str, table: str) -> str:
    """Return the topic on which Home Assistant discovers a table. `prefix` is its discovery prefix."""
    return f"{prefix}/device/{_id(hub, table)}/config"


def discovery(hub: str, state: PublicState) -> dict[str, Any]:
    """Return the discovery payload of a table: one device with several entities."""
    own = _id(hub, state.table)

    def entity(key: str, name: str, kind: str, template: str, **more: object) -> dict[str, object]:
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


class HomeAssistant(OutsideLink):
    """The link to the broker of a Home Assistant. It is a Page port of every table. Raise ConfigError."""

    def __init__(self, part: HomeAssistantPart, hub: str, random: Random) -> None:
        endpoint = outside_endpoint(part, "home_assistant", f"table-hub-{hub}-home")
        super().__init__(endpoint, "Home Assistant", (home_status_topic(hub), OFFLINE), random)
        self._prefix, self._hub = part.prefix, hub

    def show(self, public: PublicState, settled: bool) -> None:  # noqa: ARG002 - the port's
        """Queue the newest state of a table; return at once."""
        self.put(discovery_topic(self._prefix, self._hub, public.table), to_json(discovery(self._hub, public)))
        self.put(home_topic(self._hub, public.table), to_json(home_table(public)))

    def _on_login(self, client: paho.Client) -> None:
        client.publish(home_status_topic(self._hub), ONLINE, qos=0, retain=True)
        log.info("Home Assistant is told of the tables at %s.", self._endpoint.address)
