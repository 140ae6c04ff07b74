"""The product on fresh machines: `make acceptance` (as root; ARGS="bookworm", ARGS="trixie --only install,update", ARGS="arm64").

In a fresh Debian 12 and a fresh Debian 13, each booted with systemd as process 1, a new owner types what README.md and hub/docs/build.md say.
Every step says how long it took, and what cannot run here says why. Ends with 1 where a step failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from contextlib import ExitStack
from pathlib import Path

from tests.acceptance import arm64
from tests.acceptance.machine import OWNER, Machine, MachineError, Room, copy_base, make_base
from tests.acceptance.steps import NOT_HERE, STEPS, Owner

CLONE = Path(__file__).parents[2]
RELEASES = ("bookworm", "trixie")
TOOLS = {
    "debootstrap": "debootstrap",
    "systemd-nspawn": "systemd-container",
    "slirp4netns": "slirp4netns",
    "git": "git",
    "ip": "iproute2",
}


def main() -> int:
    """Run the steps on each release; return 1 where one failed, 77 where nothing can run here."""
    parser = argparse.ArgumentParser(prog="make acceptance ARGS=...")
    parser.add_argument(
        "releases", nargs="*", help="bookworm, trixie: both when none is named; arm64: by hand, it is slow"
    )
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp/table-hub-acceptance"), help="roots and logs")
    parser.add_argument(
        "--keep", action="store_true", help="take the untouched roots that an earlier run made in the folder"
    )
    parser.add_argument(
        "--only", default="", help="steps by name, with commas, on the root that is there, with a clone of now"
    )
    parser.add_argument("--list", action="store_true", help="name the steps")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{step.__name__:20} {step.__doc__}" for step in STEPS))
        print("\n".join(f"{step:20} (arm64)" for step in arm64.STEPS))
        return 0
    if unknown := {*arguments.releases} - {*RELEASES, "arm64"}:
        parser.error(f"there is no {', '.join(sorted(unknown))}: there are {', '.join(RELEASES)} and arm64")
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        print(
            f"acceptance: needs root and `apt-get install {' '.join(missing)}`."
            if missing
            else "acceptance: needs root."
        )
        return 77
    for number in (signal.SIGINT, signal.SIGTERM):  # a machine never stays behind
        signal.signal(number, lambda *_: sys.exit(143))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    folder, only, keep, failed = arguments.folder, {*filter(None, arguments.only.split(","))}, arguments.keep, 0
    for release in arguments.releases or RELEASES:
        if release == "arm64":
            failed += not arm64.accept(folder, only, keep=keep, clone=clone_into, report=report)
        else:
            failed += not accept(release, folder, only, keep=keep)
    for what, reason in NOT_HERE.items():
        print(f"not run   {what}: {reason}")
    return 1 if failed else 0


def accept(release: str, folder: Path, only: set[str], *, keep: bool) -> bool:
    """Run the steps on one release; return whether all of them passed. The first failure ends its run."""
    log, root, began = folder / f"{release}.log", folder / f"run-{release}", time.monotonic()
    log.write_text("")
    step, started = "base", began
    with ExitStack() as ending:
        try:
            if not only or not root.exists():
                if not keep:
                    (folder / f"base-{release}.done").unlink(missing_ok=True)
                copy_base(make_base(release, folder, log), root)
                report("passed", release, step, time.monotonic() - started)
            clone_into(root)
            step, started = "boot", time.monotonic()
            room = Room(log)
            ending.callback(room.close)
            machine = Machine(root, log, room)
            ending.callback(machine.kill)
            owner = Owner(machine)
            report("passed", release, step, machine.boot())
            for one in STEPS:
                step, started = one.__name__, time.monotonic()
                if not only or step in only:
                    one(owner)
                    report("passed", release, step, time.monotonic() - started)
            step, started = "shutdown", time.monotonic()
            machine.shut_down()
            report("passed", release, step, time.monotonic() - started)
        except (MachineError, AssertionError) as error:
            report("FAILED", release, step, time.monotonic() - started)
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"{where.name}: {where.line}\n{error}\nThe log is {log}.", flush=True)
            return False
    report("passed", release, "all of it", time.monotonic() - began)
    return True


def clone_into(root: Path, home: str = f"/home/{OWNER}/table-hub") -> None:
    """Put a clone of what is committed here into a root, or bring the one there up to it; in a user's home it is his."""
    place = f"{root}{home}"
    git = ["git", "-c", "safe.directory=*"]
    if Path(place).exists():
        subprocess.run([*git, "-C", place, "fetch", "--quiet", str(CLONE), "HEAD"], check=True)
        subprocess.run([*git, "-C", place, "reset", "--quiet", "--hard", "FETCH_HEAD"], check=True)
    else:
        subprocess.run([*git, "clone", "--quiet", "--no-hardlinks", str(CLONE), place], check=True)
    if home.startswith("/home/"):
        subprocess.run(["chroot", str(root), "chown", "-R", f"{OWNER}:{OWNER}", f"/home/{OWNER}"], check=True)


def report(state: str, release: str, step: str, seconds: float) -> None:
    """Print one line."""
    print(f"{state:9} {release:9} {step:20} {seconds:6.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
