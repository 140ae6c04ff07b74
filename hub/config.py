"""The hub's configuration: every default, in one place.

One TOML file lies over these defaults (`hub.config.load`). Unknown keys are refused with the near miss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class HubPart:
    """`[hub]`: the program itself."""

    id: str = "hub"  # the <hub> of every topic; letters, digits and hyphens
    state: str = "~/.local/state/table-hub"  # the folder for log, keys and the broker's files
    log_level: str = "info"


@dataclass(slots=True)
class WebPart:
    """`[web]`: the one port that phones, kiosk and staff open."""

    host: str = "0.0.0.0"
    port: int = 8080
    address: str = ""  # what the QR says, "10.42.0.1" or "http://hub.cafe.example"; empty: found by itself
    tls_cert: str = ""
    tls_key: str = ""


@dataclass(slots=True)
class BrokerPart:
    """`[broker]`: the managed mosquitto, or an external one."""

    url: str = ""  # empty: our own mosquitto; else mqtt://host:1883 or mqtts://host:8883
    program: str = "mosquitto"
    user: str = ""
    password_file: str = ""
    ca_file: str = ""


@dataclass(slots=True)
class TablePart:
    """`[[table]]`: one wooden table."""

    id: str = "1"
    name: str = "Table 1"
    seats: int = 4  # places at the table, 2 to 6
    game: str = ""  # the game offered first in the lobby; empty: none


@dataclass(slots=True)
class DevicePart:
    """`[[device]]`: one driver by name; the rest of the block is the driver's own settings."""

    driver: str = ""
    table: str = "1"
    name: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Config:
    """The whole configuration as the hub runs it."""

    hub: HubPart = field(default_factory=HubPart)
    web: WebPart = field(default_factory=WebPart)
    broker: BrokerPart = field(default_factory=BrokerPart)
    table: list[TablePart] = field(default_factory=lambda: [TablePart()])
    device: list[DevicePart] = field(default_factory=list)
