"""The support file (`table-hub bundle`): what somebody who helps needs to know of this machine, and nothing of a match.

It is for installations that are broken, too: it imports only the standard library, reads what is there, and says in a
part's own text why it could not be collected. `systemd/table-hub` runs it with the system's Python.

What may never be in it (hands, bids, tokens, keys, codes, passwords, players' names) is kept out twice: each part takes
only what it names, and `Redactor` goes over every text at the end. Collecting everything and removing what is known to be
secret would let new secrets through. The owner reads it before sending it.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import os
import platform
import pwd
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

if __name__ == "__main__":  # by its path, where the virtual environment may be missing
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hub.files import read_file
from hub.version import ROOT, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

INSTALLED = Path("/etc/table-hub/table-hub.toml")
UNITS = ("table-hub", "table-hub-kiosk")
USER = "table-hub"
REMOVED = "(removed)"
COMMON_NAMES = frozenset(["table", "hub", "table-hub", "tablehub", "kiosk", "pi", "raspberrypi", "localhost", "debian"])
COMMAND_SECONDS, DOCTOR_SECONDS = 20, 120
JOURNAL_LINES = 5000
SHORTEST = 3  # characters of a secret that is looked for everywhere; a shorter one would be found in every word

# The keys of the configuration whose values may be read by a stranger. Any other value is removed, unless it is a number
# of none of SECRET_WORDS, or true or false.
OPEN_KEYS = frozenset(
    [
        "id",
        "state",
        "log_level",
        "host",
        "address",
        "program",
        "url",
        "driver",
        "table",
        "seats",
        "game",
        "panel",
        "spi",
        "select",
        "chip",
        "keys",
        "lamps",
        "pins",
        "source",
        "calibration",
        "ports",
        "tray",
        "form",
        "model",
    ]
)
NAME_KEYS = frozenset(["name"])
SECRET_WORDS = ("pin_code", "staff", "pass", "key", "secret", "token", "code", "pin", "wifi", "psk", "user")
KERNEL = re.compile(
    r"usb|voltage|over-current|xhci|dwc2|hwmon|throttl|ttyACM|ttyUSB|spi|i2c|mmc|EXT4-fs|I/O error|Out of memory|oom",
    re.IGNORECASE,
)


# --- keeping secrets out ----------------------------------------------------------------------------


@dataclass
class Redactor:
    """Takes out of a text whatever is known to be a secret, and whatever looks like one."""

    secrets: set[str] = field(default_factory=set)

    # A login, key or token as this program makes them: 16 letters and digits of base64 or hexadecimal, or more.
    TOKEN = re.compile(r"(?<![A-Za-z0-9+_=-])(?=[A-Za-z+_-]*[0-9])(?=[0-9+_-]*[A-Za-z])[A-Za-z0-9+_-]{16,}={0,2}")
    # Serial numbers of boards, names of releases, and words put together look like that, and are wanted.
    WANTED = re.compile(r"[0-9a-f]{16}|\d+-\d{8}T\d{6}Z(-\d+)?|[a-z]+([_-][a-z0-9]+)+|[A-Z]+(_[A-Z0-9]+)+")
    PATTERNS = (
        (re.compile(r"\b([Cc]odes?[ :=]{1,3})\d{4}\b"), rf"\1{REMOVED}"),
        (re.compile(r"\b([Cc]ode[ :=]{1,3})[A-Z0-9]{4,8}\b"), rf"\1{REMOVED}"),
        (re.compile(r"(://)[^/\s@]+@"), rf"\1{REMOVED}@"),
        (re.compile(r"(https?://[^\s#?]+)[#?][^\s]+"), rf"\1#{REMOVED}"),
        (re.compile(r"((?:pass(?:word|phrase)?|psk|secret|token|key)\s*[=:]\s*)\S+", re.IGNORECASE), rf"\1{REMOVED}"),
    )

    def add(self, secret: str | bytes) -> None:
        """Look for this secret everywhere, as it is and as base64 or hexadecimal."""
        data = secret.encode() if isinstance(secret, str) else secret
        if len(data) < SHORTEST:
            return
        if isinstance(secret, str):
            self.secrets.add(secret)
        if len(data) >= 8:
            for coded in (base64.b64encode(data), base64.urlsafe_b64encode(data), data.hex().encode()):
                self.secrets.add(coded.decode().rstrip("="))

    def add_name(self, name: str) -> None:
        """Look for a name everywhere, unless it is a word that stands in every sentence here."""
        if name.lower() not in COMMON_NAMES and not re.fullmatch(r"Table \d+", name):
            self.add(name)

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        for secret in sorted(self.secrets, key=len, reverse=True):
            if secret in text:
                # A short name is only taken where it stands for itself, not out of the middle of a word.
                edge = r"(?<![\w-])%s(?![\w-])" if len(secret) < 8 else "%s"
                text = re.sub(edge % re.escape(secret), REMOVED, text)
        for pattern, instead in self.PATTERNS:
            text = pattern.sub(instead, text)
        return self.TOKEN.sub(lambda found: found[0] if self.WANTED.fullmatch(found[0]) else REMOVED, text)


def redacted_toml(text: str, redactor: Redactor, *, names: bool) -> str:
    """Return a configuration line by line, with the values of open keys only; it need not be valid.

    What was removed is added to the redactor: a message about the configuration may quote it.
    """
    lines = []
    closing_quotes = ""  # of a text over several lines, all of which goes
    for line in text.splitlines():
        if closing_quotes:
            closing_quotes = "" if closing_quotes in line else closing_quotes
            redactor.add(line.strip())
            continue
        if re.fullmatch(r"\s*", line):
            lines.append("")
        elif found := re.fullmatch(r"\s*(\[\[?[A-Za-z0-9_.-]{1,40}\]\]?)\s*(#.*)?", line):
            lines.append(found[1])
        elif found := re.fullmatch(r"\s*([A-Za-z0-9_-]{1,40})\s*=\s*(.*)", line):
            key, value = found[1], found[2]
            closing_quotes = next((q for q in ('"""', "'''") if value.count(q) == 1), "")
            kept = "" if closing_quotes else _open_value(key, value, names=names)
            lines.append(f"{key} = {kept or REMOVED}")
            if not kept:
                add = redactor.add_name if key in NAME_KEYS else redactor.add
                for quoted in re.findall(r'"([^"]*)"|\'([^\']*)\'', value):
                    add(quoted[0] or quoted[1])
                add(value.partition(" #")[0].strip("\"' "))
        elif line.lstrip().startswith("#"):
            continue  # a comment may hold anything
        else:
            lines.append(f"# (a line that is no setting: {REMOVED})")
            for word in re.findall(r"[^\s\"'=]{4,}", line):
                redactor.add(word)
    return "\n".join(lines) + "\n"


def _open_value(key: str, value: str, *, names: bool) -> str:
    """Return what a value may show; "" for nothing."""
    one = r"(?:\"[^\"\\]*\"|'[^']*'|[+-]?[0-9_.]+|true|false)"
    found = re.match(rf"({one}|\[\s*(?:{one}\s*,?\s*)*\])\s*(#.*)?$", value)
    if found is None:
        return ""
    if found[1] in ('""', "''"):
        return found[1]
    if key in OPEN_KEYS or (names and key in NAME_KEYS):
        return "" if "@" in found[1] else found[1]
    plain = re.fullmatch(r"[+-]?[0-9_.]+|true|false", found[1]) is not None
    return found[1] if plain and not any(word in key for word in SECRET_WORDS) else ""


# --- the parts ----------------------------------------------------------------------------------------


@dataclass
class Collector:
    """Collects the parts of one support file."""

    config: Path | None
    names: bool = False
    redactor: Redactor = field(default_factory=Redactor)
    root: bool = os.geteuid() == 0

    def parts(self) -> dict[str, str]:
        """Return the text of each file; no part keeps another from being there."""
        collected = {name: self._collect(part) for name, part in self._all().items()}
        return {name: self.redactor.text(text) for name, text in collected.items()}

    def _all(self) -> Mapping[str, Callable[[], str]]:
        # The configuration and the database come first: they tell what is to be looked for in the rest.
        return {
            "configuration.toml": self.configuration,
            "matches.txt": self.matches,
            "version.txt": self.versions,
            "doctor.txt": self.doctor,
            "journal.txt": self.journal,
            "services.txt": self.services,
            "installed.txt": self.installed,
            "machine.txt": self.machine,
            "usb.txt": self.usb,
            "kernel.txt": self.kernel,
            "packages.txt": self.packages,
        }

    @staticmethod
    def _collect(part: Callable[[], str]) -> str:
        try:
            return part()
        except Exception as error:  # noqa: BLE001 - whatever is broken here is what the file is for
            return f"This could not be collected ({type(error).__name__}).\n"  # its message may quote a secret

    def configuration(self) -> str:
        """Return the configuration without what a stranger may not know."""
        if self.config is None:
            return "There is no configuration: the hub runs with its defaults.\n"
        if not self.names:
            self.redactor.add_name(platform.node())
        try:
            text = self.config.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            return f"{self.config} cannot be read ({error.strerror}).\n"
        for found in re.findall(r"^\s*(?:password_file|tls_key)\s*=\s*[\"']([^\"']+)[\"']", text, re.MULTILINE):
            with suppress(OSError):
                for line in (self.config.parent / Path(found).expanduser()).read_text("utf-8", "replace").splitlines():
                    self.redactor.add(line.strip())
        return redacted_toml(text, self.redactor, names=self.names)

    def state(self) -> Path:
        """Return the hub's state folder, found without understanding the configuration."""
        text = self.config.read_bytes().decode("utf-8", "replace") if self.config else ""
        found = re.search(r"^\s*state\s*=\s*[\"']([^\"']+)[\"']", text, re.MULTILINE)
        path = Path(found[1] if found else "~/.local/state/table-hub").expanduser()
        return self.config.parent / path if self.config else path

    def matches(self) -> str:
        """Return how many matches there are and how long each is; note the secrets of the table to look for them."""
        folder = self.state()
        database = folder / "table-hub.db"
        for key in (
            folder / "hub.key",
            folder / "log.key",
            folder / "kiosk.token",
            folder / "staff.json",
            folder / "broker" / "logins.json",
        ):
            with suppress(OSError):
                self._note(read_file(key))
        lines = [f"{folder}:"]
        try:
            lines += [f"  {file.name}  {file.stat().st_size} bytes" for file in sorted(folder.iterdir())]
        except OSError as error:
            return f"{folder} cannot be read ({error.strerror}); `sudo table-hub bundle` may.\n"
        with tempfile.TemporaryDirectory() as copy:  # SQLite would write beside the file that a hub has open
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{database}{suffix}", f"{copy}/copy.db{suffix}")
            try:
                with closing(sqlite3.connect(f"{copy}/copy.db")) as db:
                    for (value,) in db.execute("SELECT value FROM kept"):
                        self._note(bytes(value))
                    played = db.execute(
                        'SELECT (SELECT count(*) FROM entries WHERE "match" = id), result IS NOT NULL FROM matches ORDER BY rowid'
                    ).fetchall()
            except sqlite3.Error as error:
                return "\n".join([*lines, f"The database cannot be read ({type(error).__name__})."]) + "\n"
        lines.append(f"{len(played)} matches:")
        lines += [f"  {length} entries, {'over' if over else 'running'}" for length, over in played]
        return "\n".join(lines) + "\n"

    def _note(self, value: bytes) -> None:
        """Note every text and number of a private value: logins, passwords, keys, codes, players' names."""
        try:
            self._note_json(json.loads(value))
        except ValueError:
            with suppress(UnicodeDecodeError):
                self.redactor.add(value.decode().strip())
            self.redactor.add(value)

    def _note_json(self, value: object) -> None:
        if isinstance(value, dict):
            for one in value.values():
                self._note_json(one)
        elif isinstance(value, list):
            for one in value:
                self._note_json(one)
        elif isinstance(value, str) and not re.fullmatch(
            r"[0-9a-f]{16}|sim-\d", value
        ):  # a box's serial number is wanted
            self.redactor.add(value)

    def versions(self) -> str:
        """Return which table-hub this is, and on what it runs."""
        told = _read("/etc/os-release") or ""
        system = re.search(r'^PRETTY_NAME="?([^"\n]*)', told, re.MULTILINE)
        model = (_read("/proc/device-tree/model") or "").rstrip("\0\n")
        return (
            f"table-hub {version()} in {ROOT}\nPython {platform.python_version()} collected this\n"
            f"{system[1] if system else 'unknown system'}, {platform.release()} {platform.machine()}\n{model or 'no Raspberry Pi'}\n"
        )

    def doctor(self) -> str:
        """Return the doctor's report, or how it failed."""
        program = Path(sys.executable) if metadata_of_hub() else ROOT / ".venv/bin/python"
        command = [str(program), "-m", "hub", "doctor", *(["--config", str(self.config)] if self.config else [])]
        if self.root and _user_exists(USER):  # as the command `table-hub doctor` does
            command = ["setpriv", "--reuid", USER, "--regid", USER, "--init-groups", "--reset-env", "--", *command]
        return self.output(*command, seconds=DOCTOR_SECONDS, cwd=ROOT, errors=True)

    def journal(self) -> str:
        """Return the units' journal of the last day."""
        units = [word for unit in UNITS for word in ("-u", unit)]
        told = self.output(
            "journalctl", *units, "--since=-24h", f"--lines={JOURNAL_LINES}", "--no-pager", "--no-hostname",
            "--output=short-iso", seconds=60,
        )  # fmt: skip
        return "".join(f"{line}\n" for line in without_messages_of_exceptions(told.splitlines()))

    def services(self) -> str:
        """Return how systemd has the units."""
        properties = (
            "Id,LoadState,ActiveState,SubState,Result,NRestarts,ExecMainStatus,ExecMainCode,StatusText,"
            "ActiveEnterTimestamp,MemoryPeak,UnitFileState,DropInPaths"
        )
        names = [f"{unit}.service" for unit in UNITS] + ["bluetooth.service"]
        return self.output("systemctl", "show", *names, f"--property={properties}")

    def installed(self) -> str:
        """Return the versions of the hub's Debian packages, and whether an update has not been completed."""
        form = "--showformat=${Package} ${Version} ${db:Status-Status}\n"
        trial = _read("/var/lib/table-hub-update/trial")
        told = f"An update is under way, or was cut off, from:\n{trial}" if trial else ""
        return self.output("dpkg-query", "--show", form, "table-hub*") + told

    def machine(self) -> str:
        """Return disk, memory, load, heat and time."""
        seconds = float((_read("/proc/uptime") or "0").split()[0])
        memory = list((_read("/proc/meminfo") or "").splitlines()[:3])
        disk = shutil.disk_usage("/")
        heat = _read("/sys/class/thermal/thermal_zone0/temp") or "unknown"
        throttled = self.output("vcgencmd", "get_throttled").strip()
        clock = self.output("timedatectl", "show", "--property=NTPSynchronized,Timezone").replace("\n", " ")
        return (
            f"up {seconds / 3600:.1f} h, load {' '.join(f'{one:.2f}' for one in os.getloadavg())}, {os.cpu_count()} processors\n"
            f"{'; '.join(' '.join(line.split()) for line in memory)}\n"
            f"disk: {disk.free // 2**20} of {disk.total // 2**20} MB free\nheat: {heat.strip()}\n{throttled}\n{clock}\n"
        )

    def usb(self) -> str:
        """Return what is on USB, as the kernel lists it."""
        lines = []
        names = ("idVendor", "idProduct", "product", "bConfigurationValue", "bMaxPower", "bmAttributes", "speed")
        for device in sorted(Path("/sys/bus/usb/devices").glob("*")):
            if ":" not in device.name:
                values = [f"{name}={(_read(str(device / name)) or '').strip()}" for name in names]
                lines.append(f"{device.name}  {'  '.join(values)}")
        return "\n".join(lines or ["No USB here."]) + "\n"

    def kernel(self) -> str:
        """Return what the kernel said of USB, buses, card and power."""
        told = self.output("journalctl", "--dmesg", "--since=-24h", "--no-pager", "--no-hostname", "--output=short-iso")
        return "".join(f"{line}\n" for line in told.splitlines() if KERNEL.search(line)) or "Nothing of USB or power.\n"

    def packages(self) -> str:
        """Return the versions of the Python packages and of the programs beside them."""
        places = [str(place) for place in (ROOT / ".venv/lib").glob("python3*/site-packages")]
        found = {f"{one.metadata['Name']} {one.version}" for one in metadata.distributions(path=places or sys.path)}
        if not places:
            found = {f"There is no {ROOT / '.venv'}."} | found
        wanted = (
            "mosquitto",
            "cage",
            "chromium",
            "python3",
            "libseat1",
            "systemd",
            "raspberrypi-kernel",
            "raspi-firmware",
        )
        debian = self.output("dpkg-query", "--show", "--showformat=${Package} ${Version}\\n", *wanted)
        return "\n".join(sorted(found)) + "\n\n" + debian

    @staticmethod
    def output(*command: str, seconds: float = COMMAND_SECONDS, cwd: Path | None = None, errors: bool = False) -> str:
        """Return what a program prints, or a sentence why there is nothing."""
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=seconds, check=False, cwd=cwd, stdin=subprocess.DEVNULL
            )
        except FileNotFoundError:
            return f"There is no {command[0]} here.\n"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{command[0]} did not answer ({type(error).__name__}).\n"
        told = done.stdout.decode("utf-8", "replace")
        if errors and done.stderr:
            kept = without_messages_of_exceptions(done.stderr.decode("utf-8", "replace").splitlines())
            told += "\n".join(["", *kept, f"It ended with {done.returncode}.", ""])
        return told


def without_messages_of_exceptions(lines: Iterable[str]) -> list[str]:
    """Return lines of a log in which an exception is named and not quoted: what it was about may be a card."""
    kept = []
    inside = False
    for line in lines:
        message = re.match(r"(?:\S+ \S+: )?(.*)$", line)  # after the journal's time and program
        told = message[1] if message else line
        if told.startswith("Traceback (most recent call last)"):
            inside = True
        elif inside and told and not told[0].isspace():
            name = re.match(r"[\w.]+", told)
            line = line[: len(line) - len(told)] + (f"{name[0]}: {REMOVED}" if name else REMOVED)
            inside = False
        kept.append(line)
    return kept


def metadata_of_hub() -> bool:
    """Return whether this Python has the hub's packages."""
    try:
        metadata.version("msgspec")
    except metadata.PackageNotFoundError:
        return False
    return True


def _user_exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return None


# --- the file -----------------------------------------------------------------------------------------


def write_bundle(parts: Mapping[str, str], file: Path, when: float) -> None:
    """Write the parts as a .tar.gz that only its owner may read. Raise OSError."""
    folder = file.name.removesuffix(".tar.gz")
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as packed:
        for name, text in parts.items():
            data = text.encode("utf-8", "replace")
            member = tarfile.TarInfo(f"{folder}/{name}")
            member.size, member.mtime, member.mode = len(data), int(when), 0o644
            packed.addfile(member, io.BytesIO(data))


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a support file; return 0, or 1 where it cannot be written."""
    parser = argparse.ArgumentParser(
        prog="table-hub bundle", description="A file for somebody who helps, without secrets."
    )
    add_arguments(parser)
    return bundle(parser.parse_args(arguments))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--config", metavar="FILE", type=Path, help="the owner's TOML file")
    parser.add_argument("--output", metavar="FILE", type=Path, help="the file to write; without one, here, by the date")
    parser.add_argument("--names", action="store_true", help="leave in the names of tables, devices and this computer")


def bundle(arguments: argparse.Namespace) -> int:
    """Collect, write, and say what is inside."""
    when = time.time()
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(when))
    file = arguments.output or Path(f"table-hub-support-{stamp}.tar.gz")
    config = arguments.config or (INSTALLED if INSTALLED.exists() else None)
    parts = Collector(config.absolute() if config else None, names=arguments.names).parts()
    try:
        write_bundle(parts, file, when)
    except FileExistsError:
        sys.stderr.write(f"{file} is there already; name another with --output.\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"{file} cannot be written ({error.strerror}); name another place with --output.\n")
        return 1
    if os.environ.get("SUDO_UID", "").isdigit() and os.geteuid() == 0:
        os.chown(file, int(os.environ["SUDO_UID"]), -1)
    lines = [f"{name:20} {len(text.encode()):7} bytes" for name, text in parts.items()]
    sys.stdout.write("\n".join([f"{file} holds:", *(f"  {line}" for line in lines), ""]))
    sys.stdout.write(
        "No hand, bid, code, key, password or player's name is meant to be in it. Read it before you send it:\n"
        f"  tar -xzOf {file} | less\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
