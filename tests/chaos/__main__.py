"""Five tables play while everything around them fails: `python -m tests.chaos --minutes 60 --tables 5 --seed 7`.

The real hub with its real broker, phones over the real web port. Hub, broker, disk, clock, phones, boxes and dice are
killed, stopped, filled and cut as a plan says that is drawn from the seed. At the end every answered action is in its log
exactly once, every match replays, no phone was shown a hand that its log does not make, and all tables play again.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.chaos.hub import ChaosHub
from tests.chaos.plan import JUMPS, Fault, plan
from tests.chaos.players import Guests, send_home
from tests.chaos.verdict import troubles

BACK_SECONDS = 60.0  # by then every table plays again, whatever came before
PASSING = 75  # a start that finds the disk full, as the hub says it: it is started again


class Chaos:
    """The faults, one after the other."""

    def __init__(self, hub: ChaosHub, guests: list[Guests], say: Callable[[str], None]) -> None:
        self.hub, self.guests, self.say = hub, guests, say
        self.done: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._later: list[threading.Thread] = []

    def run(self, faults: list[Fault]) -> None:
        """Let every fault happen at its time; what lasts runs beside the next."""
        began = time.monotonic()
        for fault in faults:
            time.sleep(max(0.0, began + fault.at - time.monotonic()))
            if fault.kind in ("disk slow", "clock jumps") and not self.hub.shim:
                self.left_out[fault.kind] += 1
                continue
            self.say(f"{fault}")
            self.done[fault.kind] += 1
            thread = threading.Thread(target=self._do, args=(fault,), daemon=True)
            thread.start()
            self._later.append(thread)
        for thread in self._later:
            thread.join(60)

    def _do(self, fault: Fault) -> None:
        with suppress(ProcessLookupError):  # it is away at this moment, for another reason
            getattr(self, f"_{fault.kind.split()[0].removesuffix(chr(39) + 's')}")(fault, fault.kind.split(" ", 1)[1])

    def _hub(self, fault: Fault, what: str) -> None:
        if what == "stopped":
            self.hub.send(signal.SIGSTOP)
            time.sleep(fault.seconds)
            self.hub.send(signal.SIGCONT)
            return
        self.hub.end(fault.kind, signal.SIGTERM if what == "ended" else signal.SIGKILL)
        if what == "killed while it starts":
            self.hub.wait_until_started()
            time.sleep(fault.number * 1.5)
            self.hub.end(fault.kind, signal.SIGKILL)

    def _broker(self, fault: Fault, what: str) -> None:
        if what == "socket removed":
            (self.hub.state / "broker" / "mosquitto.sock").unlink(missing_ok=True)
            return
        pid = self.hub.broker_pid()
        os.kill(pid, signal.SIGKILL if what == "killed" else signal.SIGSTOP)
        if what == "stopped":  # it is replaced, or goes on
            time.sleep(fault.seconds * 2)
            os.kill(pid, signal.SIGCONT)

    def _disk(self, fault: Fault, what: str) -> None:
        if what == "locked":
            self.hub.lock_database(fault.seconds)
        elif what == "slow":
            self.hub.shim_values(sync_seconds=0.02 + fault.number * 0.9)
            time.sleep(fault.seconds)
            self.hub.shim_values(sync_seconds=0.0)
        else:
            self.hub.fill_disk(full=True)
            time.sleep(fault.seconds)
            self.hub.fill_disk(full=False)

    def _clock(self, fault: Fault, _: str) -> None:
        self.hub.shim_values(clock_seconds=JUMPS[int(fault.number * len(JUMPS))])

    def _phones(self, fault: Fault, _: str) -> None:
        self.guests[fault.table - 1].cut(fault.number)

    def _box(self, fault: Fault, what: str) -> None:
        table, box = f"{fault.table}", 1 + int(fault.number * self.hub.seats)
        if what == "without power":
            self.hub.bench(table, box=box, power_cycle=True)
            return
        self.hub.bench(table, box=box, unplug=True)
        time.sleep(fault.seconds)
        self.hub.bench(table, box=box, plug=True)

    def _dice(self, fault: Fault, what: str) -> None:
        if what == "thrown":
            self.hub.bench(f"{fault.table}", dice="throw")
            return
        self.hub.bench(f"{fault.table}", dice="lose")
        time.sleep(fault.seconds)
        self.hub.bench(f"{fault.table}", dice="restore")


def chaos(
    seconds: float, tables: int, seed: int, folder: Path, say: Callable[[str], None], pause: float = 5.0
) -> list[str]:
    """Play and fail for so long; return what is wrong, in sentences."""
    faults = plan(seed, seconds, tables, pause)
    say(f"seed {seed}: {len(faults)} faults in {seconds:.0f} s at {tables} table(s)")
    found: list[str] = []
    with ChaosHub(folder, tables) as hub:
        guests = [Guests(table, hub.games[table], hub.address_of(table), seed) for table in hub.tables]
        for one in guests:
            one.start()
        acting = Chaos(hub, guests, say)
        acting.run(faults)
        hub.shim_values(sync_seconds=0.0, clock_seconds=0.0)
        found += wait_until_all_play(guests)
        send_home(guests)
        kib = _memory(hub)
        last = len(hub.endings)
    ends = hub.endings[:last]
    found += [f"Table {one.table}: {type(one.trouble).__name__}: {one.trouble}" for one in guests if one.trouble]
    found += [f"The hub ended by itself with {code}." for _, code, why in ends if not why and code != PASSING]
    # One that has only just begun to start knows no SIGTERM yet, and has nothing to put in order.
    told = [code for _, code, why in ends if why == "hub ended"]
    found += [f"The hub ended with {code} when it was told to." for code in told if code not in (0, -signal.SIGTERM)]
    found += [f"The hub's journal: {line.strip()}" for line in hub.output if "Traceback" in line]
    wrong, counted = troubles(hub.state, {one.table: one.promised for one in guests})
    found += wrong
    say(f"faults: {', '.join(f'{kind} {number}' for kind, number in sorted(acting.done.items()))}")
    if acting.left_out:
        say(f"left out, for there is no C compiler: {', '.join(sorted(acting.left_out))}")
    say(
        f"the hub was started {len(hub.endings)} times, {sum(not why for _, _, why in ends)} times after an end of its own"
    )
    say(", ".join(f"{number} {what}" for what, number in counted.items()))
    for one in guests:
        promised = one.promised
        say(
            f"table {one.table} ({one.game}): {sum(asked.answered for asked in promised.asked)} actions answered, "
            f"{promised.refused} refused, {promised.lost} connections lost, at most {promised.longest:.1f} s between two"
        )
    say(f"memory of the hub at the end: {kib // 1024} MiB")
    if found:
        (folder / "journal.txt").write_text("".join(hub.output))
    return found


def wait_until_all_play(guests: list[Guests]) -> list[str]:
    """Wait until an action was accepted at every table since now; return a sentence for each where none was."""
    since, late = time.monotonic(), guests
    while time.monotonic() < since + BACK_SECONDS:
        late = [one for one in guests if one.promised.last < since and not one.trouble]
        if not late:
            return []
        time.sleep(0.2)
    return [f"Table {one.table}: {BACK_SECONDS:.0f} s after the last fault nothing goes on." for one in late]


def _memory(hub: ChaosHub) -> int:
    """Return the KiB of memory that the hub has resident; 0 where it is away."""
    with suppress(ProcessLookupError, OSError):
        for line in Path(f"/proc/{hub.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def main() -> int:
    """Run it as the command line says."""
    asked = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__.splitlines()[0])
    asked.add_argument("--minutes", type=float, default=60.0)
    asked.add_argument("--tables", type=int, default=5)
    asked.add_argument("--seed", type=int, help="of an earlier run, to have its plan of faults again")
    asked.add_argument("--pause", type=float, default=5.0, metavar="SECONDS", help="between two faults, on average")
    asked.add_argument("--plan", action="store_true", help="print the plan of faults, and end")
    given = asked.parse_args()
    seed = secrets.randbelow(10**6) if given.seed is None else given.seed
    if given.plan:
        print(*plan(seed, given.minutes * 60, given.tables, given.pause), sep="\n")
        return 0
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"[{time.monotonic() - began:7.1f}] {text}", flush=True)

    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    found = chaos(given.minutes * 60, given.tables, seed, folder, say, given.pause)
    for one in found:
        say(f"WRONG: {one}")
    say(f"seed {seed}: {f'{len(found)} wrong; {folder} is kept' if found else 'nothing is wrong'}")
    if not found:
        subprocess.run(["rm", "-r", "--", str(folder)], check=False)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
