"""What the doctor says, and whom it looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from drivers.needs import Need
from hub.config import Config, DevicePart

State = Literal["ok", "look", "broken"]


class Finding(NamedTuple):
    """One thing that was looked at. `do` says in one sentence what to do; where all is well it may hold a hint."""

    check: str  # a stable word, for programs
    state: State
    seen: str
    do: str = ""
    about: str = ""  # the device or port that it is about, where there are several


class Fitted(NamedTuple):
    """A `[[device]]` block, its driver made but not started: what it reads, what it needs, or why it cannot be."""

    block: DevicePart
    dice: bool = False
    needs: Sequence[Need] = ()
    wrong: str = ""

    @property
    def name(self) -> str:
        """What staff call it."""
        return self.block.name or self.block.driver


@dataclass(frozen=True)
class Subject:
    """What is looked at besides the machine: the configuration, and the hub that runs with it."""

    config: Config
    shown: str  # the configuration's name for a person
    wrong: str = ""  # why the configuration cannot be used; then `config` holds the defaults
    fitted: Sequence[Fitted] = ()
    hub: Mapping[str, Any] | None = None  # what the running hub says of itself

    @property
    def tables(self) -> Mapping[str, Any]:
        """The devices of the running hub, by table."""
        return self.hub["tables"] if self.hub else {}

    def needs(self, kind: str) -> list[Need]:
        """What of that kind the devices need."""
        return [need for fitted in self.fitted for need in fitted.needs if need.kind == kind]
