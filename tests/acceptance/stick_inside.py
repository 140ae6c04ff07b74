"""What `python -m tests.acceptance.stick` runs in its machine: staff with sticks at the USB port of their hub."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hub.network.encryption import HubKey, to_base64
from tests.acceptance.inside import run, until
from tests.acceptance.staff import Browser, Refused

STATE, CONFIG = Path("/var/lib/table-hub"), Path("/etc/table-hub/table-hub.toml")
HUB = "http://127.0.0.1:8080"
OTHERS = 20
"""How often the page may be seen to say something else than what is waited for: a service takes some seconds to begin."""


def usb(name: str) -> Path:
    """Return the USB device of a stick."""
    return next(
        file.parent for file in Path("/sys/bus/usb/devices").glob("*/serial") if file.read_text().strip() == name
    )


class Sticks:
    """The sticks at the port: unplugging one is taking the right to be used from its USB device."""

    def __init__(self) -> None:
        self._all = {name: usb(name) for name in ("fat", "full", "locked", "linux")}

    def plug_in(self, *names: str) -> None:
        """Let exactly these sticks be plugged in."""
        for name, device in self._all.items():
            (device / "authorized").write_text(str(int(name in names)))
        want = len(names)
        until(f"plugged in: {', '.join(names) or 'nothing'}", lambda: self._drives() == want)
        run("udevadm settle")

    def fill(self) -> None:
        """Leave no room on the stick that is plugged in."""
        device = run("lsblk --nodeps --noheadings --paths --output=PATH,TRAN | awk '$2 == \"usb\" {print $1}'")
        run(f"mkdir -p /mnt/fill && mount {device} /mnt/fill")
        for name in ("full", "rest"):  # of the last large piece, nothing was written
            run(f"dd if=/dev/zero of=/mnt/fill/{name} bs={'64k' if name == 'full' else 512}", check=False)
        left = run("sync; df --output=avail /mnt/fill | tail -1; umount /mnt/fill")
        assert left.strip() == "0", f"{left} kB are left"

    def _drives(self) -> int:
        return run("lsblk --nodeps --noheadings --output=TRAN", check=False).split().count("usb")

    def content(self, filesystem: str) -> list[str]:
        """Return the names on the file system of the stick that is plugged in."""
        device = run(
            f"lsblk --noheadings --list --paths --output=PATH,FSTYPE | awk '$2 == \"{filesystem}\" && $1 ~ /sd/ {{print $1}}'"
        )
        run(f"mkdir -p /mnt/look && mount -o ro {device} /mnt/look")
        names = run("ls -A /mnt/look").split()
        run("umount /mnt/look")
        return [name for name in names if name != "lost+found"]


class Staff:
    """The staff page."""

    def __init__(self, pin: str) -> None:
        self._pin, self._key = pin, to_base64(HubKey.load(STATE / "hub.key").public)
        self.sign_in()

    def sign_in(self) -> None:
        """Sign in, as after a restart."""
        self._page = Browser(f"{HUB}/t/1#k={self._key}", self._pin)

    @property
    def seen(self) -> tuple[str, str]:
        """What the page offers and says of backups."""
        backup = self._page.ask("look", since=0)["venue"]["backup"]
        return backup["can"], backup.get("text", "")

    @property
    def table(self) -> str:
        """The name of the table."""
        return str(self._page.ask("look", since=0)["venue"]["tables"][0]["public"]["name"])

    def until(self, words: str, can: str = "save") -> None:
        """Wait until the page says something. Raise AssertionError once it has said something else for a while."""
        others = 0

        def says() -> bool:
            nonlocal others
            now, text = self.seen
            others += now != "" and words not in text
            assert others < OTHERS, f"the page says {text!r}, not {words!r}"
            return now == can and words in text

        until(f"the page says “{words}”", says)

    def begin(self, step: str) -> str:
        """Press a button. Return what the hub says."""
        answer = self._page.ask("backup", step=step)
        return str(answer.get("sentence", answer))


def hub_answers() -> bool:
    """Return whether the hub's page can be opened."""
    return bool(run(f"curl -sf {HUB}/status.json", check=False))


def main() -> None:
    """Go through what staff do, and what goes wrong."""
    run("modprobe usb-storage; udevadm settle")
    until("four sticks", lambda: len([*Path("/sys/bus/usb/devices").glob("*/serial")]) >= 4)
    sticks = Sticks()
    CONFIG.parent.mkdir(exist_ok=True)
    CONFIG.write_text(
        '# the owner\'s words\n[hub]\nstate = "/var/lib/table-hub"\n[[table]]\nid = "1"\nname = "Before"\n'
    )
    run("chown -R table-hub:table-hub /etc/table-hub && systemctl start table-hub")
    until("the hub runs", hub_answers)
    pin = run(
        "cd / && setpriv --reuid=table-hub --regid=table-hub --init-groups python3 -m hub staff-pin --new --config /etc/table-hub/table-hub.toml"
    )
    staff = Staff(pin.split("staff PIN is ")[1][:6])
    main_process = "systemctl show --value -p MainPID table-hub"
    process = run(main_process)

    sticks.plug_in()
    assert staff.seen == ("save", ""), staff.seen
    staff.begin("save")
    staff.until("Plug a USB stick into the hub first.")
    sticks.plug_in("full")
    sticks.fill()
    staff.begin("save")
    staff.until("No space left on device")
    assert sticks.content("vfat") == ["full", "rest"], "no half of a backup is left"
    sticks.plug_in("locked")
    staff.begin("save")
    staff.until("Read-only file system")
    sticks.plug_in("full", "locked", "fat")
    staff.begin("save")
    staff.until("You can unplug it now.")
    assert "/run/table-hub-stick" not in Path("/proc/mounts").read_text()
    sticks.plug_in("fat")
    (name,) = sticks.content("vfat")
    assert name.startswith("table-hub-"), name
    print(f"passed    the backup is {name}", flush=True)
    assert run(main_process) == process, "the hub has gone on"

    sticks.plug_in("linux")
    staff.begin("look")
    staff.until("is damaged")
    assert "root:" not in run("journalctl -u 'table-hub-stick@*'")
    staff.begin("save")
    staff.until("You can unplug it now.")
    assert len(sticks.content("ext4")) == 2

    run("sed -i s/Before/After/ /etc/table-hub/table-hub.toml && systemctl restart table-hub")
    until("the hub runs again", hub_answers)
    staff.sign_in()
    assert staff.table == "After"
    sticks.plug_in("fat")
    staff.begin("look")
    staff.until("The stick has the backup of", "restore")
    sticks.plug_in("full")
    staff.begin("restore")
    staff.until("no backup on the stick")
    assert staff.table == "After"
    sticks.plug_in("fat")
    staff.begin("look")
    staff.until("The stick has the backup of", "restore")
    process = run(main_process)
    assert "restarts" in staff.begin("restore")
    until("the hub has restarted", lambda: hub_answers() and run(main_process) != process)
    staff.sign_in()  # with the PIN of this machine
    assert staff.table == "Before"
    staff.until("was restored")
    assert "the owner's words" in CONFIG.read_text()
    assert run(f"stat -c %U {CONFIG} {STATE}/table-hub.db").split() == ["table-hub", "table-hub"]

    asks = "setpriv --reuid=table-hub --regid=table-hub --init-groups systemctl --no-ask-password start"
    for unit in ("table-hub-stick@other.service", "systemd-timedated.service"):
        assert subprocess.run([*asks.split(), unit], check=False).returncode != 0, unit
    as_nobody = asks.replace("table-hub ", "nobody ").replace("regid=table-hub", "regid=nogroup").split()
    assert subprocess.run([*as_nobody, "table-hub-stick@save.service"], check=False).returncode != 0
    print("passed    nobody else may start the service, and the hub no other one", flush=True)


if __name__ == "__main__":
    try:
        main()
        print("ALL PASSED", flush=True)
    except (AssertionError, OSError, StopIteration, Refused, subprocess.SubprocessError) as error:
        print(f"FAILED    {error!r}", flush=True)
        print(
            run(
                "journalctl -b --no-pager -u table-hub -u 'table-hub-stick@*' -n 80; dmesg | tail -n 40;"
                " lsblk --output=PATH,TRAN,RO,SIZE,FSTYPE,LABEL,MOUNTPOINTS; cat /run/table-hub-stick.json",
                check=False,
            )
        )
        sys.exit(1)
