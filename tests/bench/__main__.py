"""All measurements, one after another and in brief: `python -m tests.bench`, which is `make bench`."""

from __future__ import annotations

import subprocess
import sys

ALL: dict[str, list[str]] = {
    "engine": ["--matches", "12", "--runs", "5"],
    "box_latency": ["4", "100"],
    "firmware_latency": ["4", "50"],
    "press_to_phones": ["60"],
    "vision": ["90"],
    "transport": [],
    "fanout": ["500"],
    "tables": ["200", "8"],
    "phone_page": ["8"],
    "hostile": ["3"],
}
PATIENCE = 120


def main(wanted: list[str]) -> int:
    """Run the named measurements, all without a name; 1 if one of them failed."""
    failed = 0
    for name in wanted or ALL:
        if name not in ALL:
            print(f"There is no measurement {name}: there are {', '.join(ALL)}.", file=sys.stderr)
            return 2
        print(f"--- {name}", flush=True)
        try:
            subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *ALL[name]], check=True, timeout=PATIENCE)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as why:
            print(f"{name} failed: {why}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
