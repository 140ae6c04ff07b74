"""What the doctor reports, and what it examines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from drivers.common.requirements import Need
from hub.config import Config, DevicePart

State = Literal["ok", "look", "broken"]


class Finding(NamedTuple):
    """One thing that was checked. `do` says in one sentence what to do; where all is well it may hold a hint."""

    check: str  # a stable word, for programs
    state: State
    seen: str
    do: str = ""
    about: str = ""  # the device or port that it is about, where there are several


class ConfiguredDevice(NamedTuple):
    """A `[[device]]` block: whether its device reads dice and what that needs, or why it cannot be made."""

    block: DevicePart
    dice: bool = False
    needs: Sequence[Need] = ()
    error: str = ""
    hint: str = ""
    """What to do about the error, if the hub starts all the same, because the driver comes from a package."""

    @property
    def name(self) -> str:
        """Return its name in the configuration, or else its driver."""
        return self.block.name or self.block.driver


@dataclass(frozen=True)
class Subject:
    """What is examined besides the machine: the configuration, and the hub that runs with it."""

    config: Config
    shown: str  # the configuration's name for a person
    error: str = ""  # why the configuration cannot be used; then `config` holds the defaults
    devices: Sequence[ConfiguredDevice] = ()
    hub: Mapping[str, Any] | None = None  # the status of the running hub
    stranger: str = ""  # in words: another hub than the one of this configuration, which has its port

    @property
    def tables(self) -> Mapping[str, Any]:
        """Return the device health of the running hub, by table."""
        return self.hub["tables"] if self.hub else {}

    def needs(self, kind: str) -> list[Need]:
        """Return the devices' needs of that kind."""
        return [need for device in self.devices for need in device.needs if need.kind == kind]


def sentence(text: str) -> str:
    """Return words as a sentence: with a capital letter, and one full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
