"""What programs need that run inside a machine of `vm.py`."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable


def run(command: str, *, check: bool = True) -> str:
    """Run a line of shell, and return what it prints."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=1200, check=False)
    assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def until(what: str, so: Callable[[], object], seconds: float = 900.0) -> float:
    """Wait until something is so; return how many seconds that took."""
    began = time.monotonic()
    while not so():
        assert time.monotonic() - began < seconds, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.5)
    took = time.monotonic() - began
    print(f"passed    {what}: {took:.1f} s", flush=True)
    return took
