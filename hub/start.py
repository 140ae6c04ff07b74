"""The program's first lines: whoever presses Ctrl-C while it is still being imported sees no traceback."""

from __future__ import annotations

import signal


def main() -> int:
    """Import and run the command line; return its exit code. Until it is imported, Ctrl-C ends the process at once."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.default_int_handler:  # not with nohup, which ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from hub.__main__ import main as run

    signal.signal(signal.SIGINT, before)
    return run()
