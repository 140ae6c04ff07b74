"""Where the diagnostics of the process go."""

from __future__ import annotations

import logging


def configure_logging(level: str) -> None:
    """Log to standard error, which systemd keeps in its journal; libraries log warnings and errors only."""
    logging.basicConfig(level=level.upper(), format="%(levelname)s %(name)s: %(message)s")
    for name in ("websockets", "uvicorn", "paho", "PIL"):
        logging.getLogger(name).setLevel(logging.WARNING)
