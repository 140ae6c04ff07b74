"""A Debian machine that boots here: a fresh root under systemd-nspawn, systemd as process 1, a network of its own.

Needs root and Debian's debootstrap, systemd-container and slirp4netns. The network is a namespace with slirp4netns: out
through this computer, nothing in, and no port of it is a port of this computer.
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
    from collections.abc import Iterator

# What Raspberry Pi OS Lite has and a minimal Debian has not; `git` and `make` are step 2 of hub/docs/build.md.
BASE = (
    "systemd,systemd-sysv,dbus,sudo,ca-certificates,udev,libpam-systemd,iproute2,python3,procps,passwd,kmod,tzdata,"
    "libpam-runtime,login,netbase,iproute2"
)
OWNER = "pi"
BOOT_SECONDS = 120.0


class MachineError(Exception):
    """The machine did not do what was asked; `str()` ends with what it printed."""


def fresh_root(release: str, folder: Path, log: Path) -> Path:
    """Return a new root of a Debian release, copied from one that debootstrap makes once."""
    base = folder / f"base-{release}"
    if not (base / "etc" / "debian_version").exists() or not (folder / f"base-{release}.done").exists():
        shutil.rmtree(base, ignore_errors=True)
        command = ["debootstrap", "--variant=minbase", f"--include={BASE}", release, str(base)]
        with log.open("ab") as output:
            subprocess.run(command, check=True, stdout=output, stderr=output)
        (folder / f"base-{release}.done").touch()
    root = folder / f"run-{release}"
    shutil.rmtree(root, ignore_errors=True)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
    prepare(root)
    return root


def prepare(root: Path) -> None:
    """Make a root what the Imager leaves: an owner with sudo, the groups of a Pi, this computer's way to the network."""
    (root / "etc/hostname").write_text("table\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost\n127.0.1.1 table\n::1 localhost\n")
    resolv = root / "etc/resolv.conf"
    resolv.unlink(missing_ok=True)
    resolv.write_text("nameserver 10.0.2.3\n")  # slirp4netns asks this computer's
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
        for unit in systemd-networkd-wait-online systemd-resolved; do ln -sf /dev/null /etc/systemd/system/$unit.service; done
        echo cafile=/etc/ssl/certs/ca-certificates.crt | tee /root/.npmrc >/home/{OWNER}/.npmrc # npm has a list of its own
    """
    subprocess.run(["chroot", str(root), "sh", "-euc", script], check=True)


class Machine:
    """One root, booted or not. `run` is a command in it as somebody."""

    def __init__(self, root: Path, log: Path, model: str = "") -> None:
        self.root = root
        self.log = log
        self.model = model
        self.processes: list[subprocess.Popen[bytes]] = []
        self.init = 0

    # --- power ------------------------------------------------------------------------------------

    def boot(self) -> float:
        """Switch it on; return after how many seconds systemd calls itself running."""
        began = time.monotonic()
        net = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self.processes.append(net)
        self._until(lambda: _other_network(net.pid), 10, "no network namespace")
        inside = ["nsenter", "--net", "-t", str(net.pid)]
        subprocess.run([*inside, "ip", "link", "set", "lo", "up"], check=True)
        output = self.log.open("ab")
        slirp = ["slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", str(net.pid), "eth0"]
        self.processes.append(subprocess.Popen(slirp, stdout=output, stderr=output))
        options = []
        if self.model:  # a Raspberry Pi, as far as its device tree says so
            tree = self.log.with_suffix(".model")
            tree.write_text(self.model)
            options.append(f"--bind-ro={tree}:/pretended-model")
        command = [
            "systemd-nspawn",
            "--quiet",
            "--boot",
            "--keep-unit",
            "--register=no",
            "--console=pipe",
            "--resolv-conf=off",
            "--timezone=off",
            f"--network-namespace-path=/proc/{net.pid}/ns/net",
            f"--directory={self.root}",
            *options,
        ]
        nspawn = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        )
        self.processes.append(nspawn)
        self._until(lambda: self._find_init(nspawn.pid), 20, "no process 1")
        self._until(self._is_running, BOOT_SECONDS, "systemd does not come up")
        return time.monotonic() - began

    def _find_init(self, nspawn: int) -> bool:
        children = Path(f"/proc/{nspawn}/task/{nspawn}/children")
        for child in children.read_text().split() if children.exists() else ():
            # The first child only makes the second one, which becomes systemd.
            with contextlib.suppress(OSError):
                if Path(f"/proc/{child}/comm").read_text().strip() in ("systemd", "init"):
                    self.init = int(child)
                    return True
        return False

    def _is_running(self) -> bool:
        state = self.ask("systemctl is-system-running 2>&1").strip()
        return state in ("running", "degraded")

    def kill(self) -> None:
        """Cut the power: every process ends at this instant."""
        for process in reversed(self.processes):
            if process is self.processes[-1] and self.init > 1:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self.init, signal.SIGKILL)  # the kernel ends all of its processes
                self.init = 0
            process.kill()
            process.wait(30)
        self.processes.clear()

    def shut_down(self) -> None:
        """Shut it down properly."""
        if not self.processes or self.init <= 1:
            self.kill()
            return
        self.ask("systemctl poweroff --no-block")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.processes[-1].wait(60)
        self.kill()

    def _until(self, true: object, seconds: float, otherwise: str) -> None:
        assert callable(true)
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                raise MachineError(f"{otherwise} after {seconds:.0f} s; see {self.log}")
            time.sleep(0.2)

    # --- commands ---------------------------------------------------------------------------------

    def _command(self, line: str, user: str, env: str) -> list[str]:
        login = f"cd; {env} {line}" if env else f"cd; {line}"
        into = ["nsenter", "-t", str(self.init), "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd"]
        clean = ["env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
        return [*into, *clean, "su", "-l", user, "-c", login]

    def run(self, line: str, *, user: str = "root", seconds: float = 60, code: int = 0) -> str:
        """Run a line of shell as somebody; return what it printed. Raise MachineError for another exit code."""
        with self.log.open("a") as log:
            log.write(f"\n$ ({user}) {line}\n")
        done = subprocess.run(
            self._command(line, user, ""),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
        with self.log.open("a") as log:
            log.write(done.stdout)
        if done.returncode != code:
            last = "\n".join(done.stdout.splitlines()[-15:])
            raise MachineError(f"`{line}` ended with {done.returncode} instead of {code}:\n{last}")
        return done.stdout

    def ask(self, line: str, user: str = "root") -> str:
        """Return what a line of shell prints, whatever its exit code; nothing is logged."""
        try:
            done = subprocess.run(
                self._command(line, user, ""),
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
    def running(self, line: str, user: str = OWNER) -> Iterator[subprocess.Popen[str]]:
        """Let a line of shell run in it meanwhile; end it afterwards, and what it started."""
        marked = f"exec setsid --wait sh -c {shlex.quote('echo $$ >/tmp/meanwhile; ' + line)}"
        process = subprocess.Popen(
            self._command(marked, user, ""),
            stdin=subprocess.DEVNULL,
            stdout=self.log.open("a"),
            stderr=subprocess.STDOUT,
            text=True,
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


def _other_network(pid: int) -> bool:
    """Return whether a process has left this computer's network."""
    try:
        return Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
    except OSError:
        return False
