"""Starts `table-hub` with a broker whose log-ins are made late: `python -m tests.e2e.late_logins SECONDS ARGUMENTS`.

The first connection to a broker is as ever; from the second on, and after each start of a hub that finds its state folder
there already, the commands that make the log-ins wait so long, while the broker answers and refuses everybody.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hub.__main__ import main
from hub.network.connection import Connection


def delay(seconds: float, begun: bool) -> None:
    """Let the commands about log-ins wait, at the first of each connection to the broker but a fresh hub's first."""
    known: list[Connection] = []
    send = Connection.send_commands

    def late(self: Connection, commands: Sequence[Mapping[str, object]]) -> None:
        if commands and self not in known:
            known.append(self)
            if begun or len(known) > 1:
                time.sleep(seconds)
        send(self, commands)

    Connection.send_commands = late  # type: ignore[method-assign]


if __name__ == "__main__":
    arguments = sys.argv[2:]
    state = Path(arguments[arguments.index("--state") + 1])
    delay(float(sys.argv[1]), (state / "table-hub.db").exists())
    sys.exit(main(arguments))
