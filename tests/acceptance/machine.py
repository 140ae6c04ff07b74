"""A Debian machine that boots here, and its room's network: systemd-nspawn, systemd as process 1, slirp4netns.

Needs root and Debian's debootstrap, systemd-container, slirp4netns and iproute2. The room's network is a namespace with a
bridge: the machine's cable, the phones' own address, and slirp4netns as its router. Out goes through this computer,
nothing comes in, and no port of it is a port of this computer.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# What Raspberry Pi OS Lite has and a minimal Debian has not; `git` and `make` are step 2 of hub/docs/build.md.
BASE = "systemd,systemd-sysv,dbus,sudo,ca-certificates,udev,libpam-systemd,iproute2,python3,procps,passwd,kmod,tzdata,login,netbase"
OWNER = "pi"
BOOT_SECONDS = 120.0
SHUTDOWN_SECONDS = 45.0
ROUTER, NAMESERVER = "10.0.2.2", "10.0.2.3"  # slirp4netns(1)
PHONES = "10.0.2.50"
ADDRESS = "10.0.2.100"
ROUTER_MAC = "52:55:0a:00:02:02"  # libslirp's: 52:55 and its address
MACHINE_MAC = "02:00:0a:00:02:64"  # a computer has the same one after each boot
MTU = "65520"  # slirp4netns copies each packet by itself: few large ones are quick
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class MachineError(Exception):
    """The machine did not do what was asked; `str()` ends with what it printed."""


def make_base(release: str, folder: Path, log: Path, include: str = BASE, arch: str = "") -> Path:
    """Return the untouched root of a Debian release, which debootstrap makes the first time."""
    name = f"{release}-{arch}" if arch else release
    base, done = folder / f"base-{name}", folder / f"base-{name}.done"
    if not done.exists():
        shutil.rmtree(base, ignore_errors=True)
        command = ["debootstrap", "--variant=minbase", f"--include={include}", *([f"--arch={arch}"] if arch else [])]
        with log.open("ab") as output:
            code = subprocess.run([*command, release, str(base)], check=False, stdout=output, stderr=output).returncode
        if code:
            raise MachineError(f"debootstrap ended with {code}")
        done.touch()
    return base


def copy_base(base: Path, root: Path) -> None:
    """Let `root` be what the Imager leaves: an owner with sudo, the groups of a Pi, the room's name server."""
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    (root / "etc/hostname").write_text("table\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n127.0.1.1 table\n::1 localhost\n")
    resolv = root / "etc/resolv.conf"
    resolv.unlink(missing_ok=True)
    resolv.write_text(f"nameserver {NAMESERVER}\n")
    # A computer behind a proxy that signs with a certificate of its own.
    own = Path("/usr/local/share/ca-certificates")
    if own.is_dir():
        shutil.copytree(own, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
    script = f"""
        update-ca-certificates >/dev/null 2>&1
        ln -sf /usr/share/zoneinfo/Etc/UTC /etc/localtime
        for group in gpio spi i2c; do getent group $group >/dev/null || groupadd --system $group; done
        useradd --create-home --shell /bin/bash --groups sudo {OWNER}
        echo '{OWNER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/010_{OWNER}
        mkdir -p /etc/systemd/system
        for unit in systemd-networkd-wait-online systemd-resolved; do ln -sf /dev/null /etc/systemd/system/$unit.service; done
        echo cafile=/etc/ssl/certs/ca-certificates.crt | tee /root/.npmrc >/home/{OWNER}/.npmrc # npm has a list of its own
    """
    subprocess.run(["chroot", str(root), "sh", "-euc", script], check=True)


class Namespace:
    """A network namespace, kept by a process that sleeps in it."""

    def __init__(self) -> None:
        self._keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self.pid = self._keeper.pid
        own = Path("/proc/self/ns/net").readlink()
        wait_until(lambda: Path(f"/proc/{self.pid}/ns/net").readlink() != own, 10, "no network namespace")
        self.ip("link set lo up")

    @property
    def path(self) -> str:
        """Return the file that stands for it."""
        return f"/proc/{self.pid}/ns/net"

    def ip(self, arguments: str) -> None:
        """Run ip(8) in it. Raise MachineError with what it says."""
        self._run(f"ip {arguments}")

    def bridge(self, arguments: str) -> None:
        """Run bridge(8) in it. Raise MachineError with what it says."""
        self._run(f"bridge {arguments}")

    def _run(self, command: str) -> None:
        done = subprocess.run(
            ["nsenter", f"--net={self.path}", *command.split()], check=False, capture_output=True, text=True
        )
        if done.returncode:
            raise MachineError(f"`{command}` ended with {done.returncode}: {done.stderr.strip()}")

    def close(self) -> None:
        """End it, and the links in it."""
        self._keeper.kill()
        self._keeper.wait(10)


class Room:
    """The network of a room: its router, its phones, and a socket for the machine's cable."""

    def __init__(self, log: Path) -> None:
        self.namespace = Namespace()
        self._cables = 0
        with log.open("ab") as output:
            self._router = subprocess.Popen(
                ["slirp4netns", "--disable-host-loopback", f"--mtu={MTU}", str(self.namespace.pid), "router"],
                stdout=output,
                stderr=output,
            )
        ip = self.namespace.ip
        try:
            ip("link add room type bridge")
            wait_until(lambda: self._has("router"), 10, "slirp4netns makes no link")
            ip(f"link set router mtu {MTU} master room up")
            # slirp4netns takes every frame for one to be routed, whosever address it has: while the machine is off, the
            # bridge would flood it the phones' frames, and who knows who answers for 10.0.2.100 on the networks out there.
            ip("link set router type bridge_slave flood off")
            self.namespace.bridge(f"fdb replace {ROUTER_MAC} dev router master static")
            ip(f"link set room mtu {MTU} up")
            ip(f"address add {PHONES}/24 dev room")
            ip(f"route add default via {ROUTER}")
        except MachineError:  # a kernel without bridges, for one
            self.close()
            raise

    def _has(self, link: str) -> bool:
        with contextlib.suppress(MachineError):
            self.namespace.ip(f"link show {link}")
            return True
        return False

    def connect(self, machine: Namespace) -> None:
        """Lay a cable from the room to `eth0` of a machine."""
        self._cables += 1  # the kernel takes the last one away in its own time
        cable = f"cable{self._cables}"
        self.namespace.ip(f"link add {cable} mtu {MTU} type veth peer name eth0 mtu {MTU} netns {machine.pid}")
        machine.ip(f"link set eth0 address {MACHINE_MAC}")
        self.namespace.ip(f"link set {cable} master room up")

    def close(self) -> None:
        """Switch everything off."""
        self._router.kill()
        self._router.wait(10)
        self.namespace.close()


class Machine:
    """One root, booted or not. `run` is a command in it as somebody."""

    def __init__(self, root: Path, log: Path, room: Room) -> None:
        self.root = root
        self.log = log
        self.room = room
        self._namespace: Namespace | None = None
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._init = 0

    # --- power and network ------------------------------------------------------------------------

    def boot(self, address: str = ADDRESS) -> float:
        """Switch it on; return after how many seconds systemd calls itself running. Without an address: no network."""
        began = time.monotonic()
        self._namespace = Namespace()
        self.room.connect(self._namespace)
        if address:
            self.plug(address)
        command = [
            "systemd-nspawn",
            "--quiet",
            "--boot",
            "--keep-unit",
            "--register=no",
            "--console=pipe",
            "--resolv-conf=off",
            "--timezone=off",
            f"--network-namespace-path={self._namespace.path}",
            f"--directory={self.root}",
        ]
        with self.log.open("ab") as output:
            self._nspawn = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
            )
        wait_until(self._has_init, 20, f"no process 1; see {self.log}")
        wait_until(self._is_running, BOOT_SECONDS, f"systemd does not come up; see {self.log}")
        return time.monotonic() - began

    def plug(self, address: str = ADDRESS) -> None:
        """Give it the network, or another address in it, as a DHCP client would."""
        assert self._namespace
        self._namespace.ip("link set eth0 up")
        self._namespace.ip("address flush dev eth0")
        self._namespace.ip(f"address add {address}/24 dev eth0")
        self._namespace.ip(f"route add default via {ROUTER}")

    def unplug(self) -> None:
        """Take the network away."""
        assert self._namespace
        self._namespace.ip("address flush dev eth0")
        self._namespace.ip("link set eth0 down")

    def _has_init(self) -> bool:
        assert self._nspawn
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children")
        for child in children.read_text().split() if children.exists() else ():
            # The first child only makes the second one, which becomes systemd.
            with contextlib.suppress(OSError):
                if Path(f"/proc/{child}/comm").read_text().strip() in ("systemd", "init"):
                    self._init = int(child)
                    return True
        return False

    def _is_running(self) -> bool:
        state = self.ask("systemctl is-system-running 2>&1").strip()
        return state in ("running", "degraded")

    def kill(self) -> None:
        """Cut the power: every process ends at this instant."""
        if self._init > 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._init, signal.SIGKILL)  # the kernel ends all of its processes
        self._init = 0
        if self._nspawn:
            self._nspawn.kill()
            self._nspawn.wait(30)
        self._nspawn = None
        if self._namespace:
            self._namespace.close()
        self._namespace = None

    def shut_down(self) -> None:
        """Shut it down properly. Raise MachineError when that takes too long; it is off then, too."""
        if not self._nspawn or self._init <= 1:
            self.kill()
            return
        self.ask("systemctl poweroff --no-block")
        self.until_off()

    def until_off(self) -> None:
        """Wait until it has shut itself down. Raise MachineError when that takes too long; it is off then, too."""
        assert self._nspawn
        began = time.monotonic()
        try:
            self._nspawn.wait(SHUTDOWN_SECONDS)
        except subprocess.TimeoutExpired:
            raise MachineError(f"not off {SHUTDOWN_SECONDS:.0f} s after it was switched off; see {self.log}") from None
        finally:
            self.kill()
            with self.log.open("a") as log:
                log.write(f"\noff after {time.monotonic() - began:.0f} s\n")

    # --- commands ---------------------------------------------------------------------------------

    def _command(self, line: str, user: str) -> list[str]:
        into = ["nsenter", "-t", str(self._init), "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        return [*into, "env", "-i", PATH, "LANG=C.UTF-8", "su", "-l", user, "-c", f"cd; {line}"]

    def run(self, line: str, *, user: str = "root", seconds: float = 60, code: int = 0) -> str:
        """Run a line of shell as somebody; return what it printed. Raise MachineError for another exit code."""
        return self._logged(self._command(line, user), f"({user}) {line}", seconds, code)

    def outside(self, command: Sequence[str], seconds: float = 60, code: int = 0) -> str:
        """Run a program of the root's disk beside the machine, at the phones' place in the room's network."""
        return self._logged(self._outside(command), f"(phones) {' '.join(command)}", seconds, code)

    @contextlib.contextmanager
    def meanwhile_outside(self, command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
        """Let `outside` run meanwhile; end it afterwards. What it prints is at `stdout`."""
        with self.log.open("a") as log:
            log.write(f"\n$ (phones, meanwhile) {' '.join(command)}\n")
        process = subprocess.Popen(
            self._outside(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait(10)

    def _outside(self, command: Sequence[str]) -> list[str]:
        into = ["nsenter", f"--net={self.room.namespace.path}", "chroot", f"--userspec={OWNER}:{OWNER}", str(self.root)]
        return [*into, "env", "-i", PATH, "LANG=C.UTF-8", f"HOME=/home/{OWNER}", *command]

    def _logged(self, command: Sequence[str], called: str, seconds: float, code: int) -> str:
        with self.log.open("a") as log:
            log.write(f"\n$ {called}\n")
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            printed = bytes(error.stdout or b"").decode(errors="replace")  # bytes, whatever encoding was asked for
            raise MachineError(f"not done in {seconds:.0f} s: `{called}`:\n{_last(printed)}") from error
        with self.log.open("a") as log:
            log.write(done.stdout)
        if done.returncode != code:
            raise MachineError(f"`{called}` ended with {done.returncode} instead of {code}:\n{_last(done.stdout)}")
        return done.stdout

    def ask(self, line: str, user: str = "root") -> str:
        """Return what a line of shell prints, whatever its exit code; nothing is logged."""
        try:
            done = subprocess.run(
                self._command(line, user),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                timeout=30,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ""
        return done.stdout

    @contextlib.contextmanager
    def meanwhile(self, line: str, user: str = OWNER) -> Iterator[subprocess.Popen[str]]:
        """Let a line of shell run in it meanwhile; end it afterwards, and what it started."""
        marked = f"exec setsid --wait sh -c {shlex.quote('echo $$ >/tmp/meanwhile; ' + line)}"
        with self.log.open("a") as log:
            process = subprocess.Popen(
                self._command(marked, user), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, text=True
            )
        try:
            yield process
        finally:
            self.ask("kill -TERM -- -$(cat /tmp/meanwhile)")
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            self.ask("kill -KILL -- -$(cat /tmp/meanwhile); rm -f /tmp/meanwhile")
            process.kill()
            process.wait(10)

    def until(self, line: str, seconds: float = 30, process: subprocess.Popen[str] | None = None) -> str:
        """Ask until a line of shell succeeds; return what it printed. Raise MachineError when it never does."""
        end = time.monotonic() + seconds
        while True:
            printed = self.ask(f"{{ {line}\n}} && echo '<yes>'")
            if "<yes>" in printed:
                return printed.replace("<yes>", "").strip()
            if time.monotonic() > end or (process is not None and process.poll() is not None):
                raise MachineError(f"not within {seconds:.0f} s: `{line}`\n{printed}")
            time.sleep(0.5)


def wait_until(true: Callable[[], bool], seconds: float, otherwise: str) -> None:
    """Wait until something holds. Raise MachineError with what is said of it `otherwise`."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise MachineError(f"{otherwise} (after {seconds:.0f} s)")
        time.sleep(0.1)


def _last(printed: str, lines: int = 20) -> str:
    return "\n".join(printed.splitlines()[-lines:])
