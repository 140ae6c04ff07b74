"""What only root may do for the staff of an installed hub: systemd starts a service for it, if polkit lets the hub's user."""

from __future__ import annotations

import logging
import subprocess
from pathlib import Path

from hub.version import ROOT

log = logging.getLogger(__name__)

INSTALLED = Path("/usr/lib/table-hub")
START_SECONDS = 10.0
"""Timeout for systemd to accept a start."""


def is_installed(root: Path = ROOT) -> bool:
    """Return whether the program is the one of the Debian package, which has these services."""
    return root == INSTALLED


def begin(unit: str) -> bool:
    """Start a service, without waiting for its end. Return False if that is impossible; the reason is logged."""
    command = ("systemctl", "--no-ask-password", "--no-block", "start", unit)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS, check=False)
        why = done.stderr.strip() if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        why = str(error)
    if why:
        log.warning("systemd does not start %s: %s", unit, why)
    return not why
