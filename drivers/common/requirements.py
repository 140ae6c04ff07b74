"""The requirements of a device, as data: `table-hub doctor` checks them before anything is opened.

A driver may define `needs(settings) -> Sequence[Need]`, like `wiring(settings)`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Need(NamedTuple):
    """A file that the hub's user may use, a Python package, the Pi's own camera, the Bluetooth radio or a cable.

    A `name` is only a hint: a file that matches its pattern is a better name than the configured one.
    """

    kind: Literal["file", "package", "camera", "radio", "cable", "name"]
    name: str  # a path, the package as it is imported, the names of the camera's program, a cable's port ("": any board on USB), a pattern
    fix: str  # what to do: a sentence without its full stop; in that of a `name` the file stands for {}
    board: str = ""  # of a cable: the kind of board at its other end (`k` of the frame `hello`)
