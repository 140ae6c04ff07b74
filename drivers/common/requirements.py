"""What a device needs of its machine, as data: `table-hub doctor` looks for it before anything is opened.

A driver may say so with `needs(settings) -> Sequence[Need]`, beside `wiring(settings)`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Need(NamedTuple):
    """A file that the hub's user may use, a Python package, the Pi's own camera, the Bluetooth radio or a cable.

    A `name` is no need: where files fit its pattern, one of them is the better name for what the configuration names.
    """

    kind: Literal["file", "package", "camera", "radio", "cable", "name"]
    name: str  # a path, the package as it is imported, the names of the camera's program, a cable's port ("": any board on USB), a pattern
    fix: str  # what to do: a sentence without its full stop; in that of a `name` the file stands for {}
    board: str = ""  # of a cable: what the board at its other end says that it is (`k` of the frame `hello`)
