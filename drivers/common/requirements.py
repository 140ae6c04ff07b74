"""What a device needs of its machine, as data: `table-hub doctor` looks for it before anything is opened.

A driver may say so with `needs(settings) -> Sequence[Need]`, beside `wiring(settings)`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Need(NamedTuple):
    """A file that the hub's user may use, a Python package, the Bluetooth radio or a cable; and what to do without it."""

    kind: Literal["file", "package", "radio", "cable"]
    name: str  # a path, the package as it is imported, or a cable's port ("": any board on USB)
    fix: str  # what to do where it is not there: a sentence without its full stop
    board: str = ""  # of a cable: what the board at its other end says that it is (`k` of the frame `hello`)
