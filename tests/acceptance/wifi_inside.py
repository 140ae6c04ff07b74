"""What `python -m tests.acceptance.wifi` runs in its machine: three radios in one room, of which one is the hub's.

wlan0 is the hub's, with NetworkManager. A phone and the access point of a cafe have the others, each in a network of its own.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hub.errors import HubError
from hub.network import wifi
from hub.network.encryption import HubKey
from hub.network.network_manager import NetworkManagerBus
from hub.network.wifi import WifiRule, own_wifi
from tests.acceptance.inside import run, until

STATE = Path("/var/lib/table-hub")
HUB = "http://10.42.0.1:8080"
HALF_MINUTE = 30.0


def room() -> None:
    """Set up the radios."""
    run("modprobe mac80211_hwsim radios=3")
    until("three radios", lambda: run("iw dev").count("Interface wlan") == 3)
    for name, number in (("phone", 1), ("cafe", 2)):
        phy = run(f"iw dev wlan{number} info | sed -n 's/.*wiphy /phy/p'")
        run(f"ip netns add {name}; iw phy {phy} set netns name {name}; ip -n {name} link set lo up")
    run("mkdir -p /etc/netns/phone; echo nameserver 10.42.0.1 > /etc/netns/phone/resolv.conf")


def phone(command: str) -> str:
    """Run a line of shell on the phone."""
    return run(f"ip netns exec phone {command}", check=False)


def phone_joins(name: str, password: str) -> None:
    """Let the phone join a Wi-Fi, as after its QR code was scanned."""
    Path("/run/phone.conf").write_text(f'network={{\nssid="{name}"\npsk="{password}"\nscan_ssid=1\n}}\n')
    run("ip netns exec phone wpa_supplicant -B -i wlan1 -c /run/phone.conf -P /run/phone.pid")
    until("the phone is in the Wi-Fi", lambda: f"SSID: {name}" in phone("iw dev wlan1 link"))
    phone("dhclient -1 -pf /run/phone-dhcp.pid wlan1")
    until("the phone has an address", lambda: " 10.42.0." in phone("ip -4 addr show wlan1"))


def ask(url: str, *more: str) -> tuple[int, str, str]:
    """Return the status, the redirection and the body that the phone gets."""
    said = phone(f"curl -sS -m 10 -o /run/body -w '%{{http_code}} %{{redirect_url}}' {' '.join(more)} '{url}'")
    status, _, to = said.partition(" ")
    return int(status or 0), to, Path("/run/body").read_text() if status != "000" else ""


def portal() -> None:
    """Look at the captive portal from the phone."""
    probes = ("http://captive.apple.com/hotspot-detect.html", "http://connectivitycheck.gstatic.com/generate_204",
              "http://www.msftconnecttest.com/connecttest.txt", "http://detectportal.firefox.com/success.txt")  # fmt: skip
    for url in probes:
        assert ask(url)[:2] == (302, f"{HUB}/wifi"), ask(url)
    assert ask(f"{HUB}/wifi")[0] == 200
    assert ask("http://example.org/")[0] == 0, "no other name is answered"
    assert ask(f"{HUB}/wifi/stay", "-X POST")[0] == 204
    assert [ask(url)[0] for url in probes] == [200, 204, 200, 200]
    assert "Success" in ask(probes[0])[2]
    assert ask(f"{HUB}/t/1")[0] == 200
    print("passed    the phone finds the page, stays, and opens the table", flush=True)


def cafe(
    name: str = "Cafe", password: str = "dice-and-tea", *, addresses: bool = True, hidden: bool = False, wpa3: bool = False,
    delay: int = 0, network: str = "10.9.0",
) -> None:  # fmt: skip
    """Switch the cafe's access point on, in place of an earlier one. `delay`: how many seconds its DHCP server takes."""
    security = "key_mgmt=NONE"
    if password:
        keys = "key_mgmt=SAE\nieee80211w=2" if wpa3 else "key_mgmt=WPA-PSK"
        security = f'{keys}\nproto=RSN\npairwise=CCMP\npsk="{password}"'
    Path("/run/cafe.conf").write_text(
        f"network={{\nmode=2\nfrequency=2412\nssid={name.encode().hex()}\nignore_broadcast_ssid={int(hidden)}\n{security}\n}}\n"
    )
    run(f"ip -n cafe addr flush dev wlan2; ip -n cafe addr add {network}.1/24 dev wlan2")
    run("ip netns exec cafe wpa_supplicant -B -i wlan2 -c /run/cafe.conf -P /run/cafe.pid")
    if addresses:
        run(f"ip netns exec cafe dnsmasq -C /dev/null --port=0 --interface=wlan2 --dhcp-range={network}.10,{network}.90 "
            f"--dhcp-reply-delay={delay} --dhcp-leasefile=/run/cafe.leases --pid-file=/run/cafe-dhcp.pid")  # fmt: skip


def no_cafe() -> None:
    """Switch it off."""
    for file in (Path("/run/cafe.pid"), Path("/run/cafe-dhcp.pid")):
        if file.exists():
            process = Path("/proc", file.read_text().strip())
            run(f"kill {process.name}", check=False)
            until("the cafe is off", lambda process=process: not process.exists())  # type: ignore[misc]
            file.unlink(missing_ok=True)


class Hub:
    """The rule with the real NetworkManager, as the hub's user has it."""

    def __init__(self) -> None:
        self.failed: list[str] = []
        self.restart()

    def restart(self) -> None:
        """Begin with nothing in memory."""
        self.reached_at = -math.inf
        manager = NetworkManagerBus(own_wifi(HubKey.load(STATE / "hub.key")))
        self.rule = WifiRule(manager, time.monotonic, reached_at=lambda: self.reached_at)

    def checked(self) -> WifiRule:
        """Let the rule look once more."""
        self.rule.check()
        return self.rule

    def until_own_wifi(self, seconds: float = HALF_MINUTE) -> None:
        """Wait for the hub's own Wi-Fi."""
        until("the own Wi-Fi is back", lambda: self.checked().hotspot_is_up, seconds)

    def fails(self, name: str, password: str, sentence: str) -> None:
        """Try to join: the reason is said, and the own Wi-Fi is back."""
        began = time.monotonic()
        self.rule.join(name, password)
        until("why", lambda: self.checked().problem, HALF_MINUTE)
        assert sentence in self.rule.problem, f"{self.rule.problem!r}, not {sentence!r}"
        self.until_own_wifi(HALF_MINUTE - (time.monotonic() - began))

    def joins(self, name: str, password: str) -> None:
        """Join, and stay."""
        self.rule.join(name, password)
        until("the hub is in", lambda: self.checked().state == "network" or self.rule.problem, HALF_MINUTE)
        assert not self.rule.problem, self.rule.problem
        assert self.rule.name == name

    def scenario(self, what: str, steps: Callable[[], object], **options: object) -> None:
        """Set up the cafe, go through the steps, and begin anew with the hub's own Wi-Fi."""
        print(f"--------- {what}", flush=True)
        try:
            order({"do": "cafe", **options} if options.pop("cafe", True) else {"do": "nothing"})
            steps()
            print(f"passed    {what}", flush=True)
        except (AssertionError, HubError) as error:
            self.failed.append(what)
            print(f"FAILED    {what}: {error}", flush=True)
        order({"do": "forget"})
        until("ready for the next one", lambda: self.checked().hotspot_is_up, 180.0)


def joining() -> list[str]:
    """Walk the rule through failures and successes. Return the names of those that failed."""
    hub = Hub()
    until("the rule finds the Wi-Fi of the hub", lambda: hub.checked().hotspot_is_up)
    right, wrong, password = "dice-and-tea", "wrong-password", "does not accept this password"
    quoted = 'Zum "Grünen" Würfel 🎲'

    def then(do: str, seconds: float = HALF_MINUTE, **more: object) -> None:
        order({"do": do, **more})
        until("the own Wi-Fi is off", lambda: not hub.checked().hotspot_is_up, 15.0)
        hub.until_own_wifi(seconds)

    def gone(do: str, **more: object) -> None:
        hub.joins("Cafe", right)
        order({"do": do, **more})
        hub.until_own_wifi(45.0)

    def wrong_twice() -> None:
        hub.fails("Cafe", wrong, password)
        hub.fails("Cafe", wrong, password)

    def twice() -> None:
        hub.rule.join("Cafe", wrong)
        for _ in range(3):
            hub.checked()
            time.sleep(1)
        hub.joins("Cafe", right)

    def closes_meanwhile() -> None:
        hub.rule.join("Cafe", right)
        hub.checked()
        order({"do": "nothing"})
        hub.until_own_wifi()
        assert hub.rule.problem

    def from_there_to_nowhere() -> None:
        hub.joins("Cafe", right)
        hub.rule.join("Nowhere", right)
        until("why", lambda: hub.checked().problem, HALF_MINUTE)
        until("it is in some network again", lambda: hub.checked().state in ("network", "hotspot"), HALF_MINUTE)

    def nobody_comes() -> None:
        wifi.REACH_SECONDS, before = 10.0, wifi.REACH_SECONDS
        try:
            hub.fails("Cafe", right, "No phone has reached the hub")
        finally:
            wifi.REACH_SECONDS = before

    def nobody_comes_after_a_restart() -> None:
        hub.joins("Cafe", right)
        hub.restart()
        wifi.REACH_SECONDS, before = 10.0, wifi.REACH_SECONDS
        try:
            until("why", lambda: hub.checked().problem, HALF_MINUTE)
            assert "No phone has reached the hub" in hub.rule.problem, hub.rule.problem
            hub.until_own_wifi()
        finally:
            wifi.REACH_SECONDS = before

    def somebody_comes(*, restarts: bool = False) -> None:
        hub.joins("Cafe", right)
        if restarts:
            hub.restart()
            until("the hub is there", lambda: hub.checked().state == "network")
        hub.reached_at = time.monotonic()
        hub.checked()
        order({"do": "restart NetworkManager"})
        until(
            "the hub is back there, as it is stored",
            lambda: hub.checked().state == "network" and hub.rule.name == "Cafe",
            90.0,
        )

    hub.scenario("out of reach", lambda: hub.fails("Nowhere", right, "out of reach"))
    hub.scenario("no network at all", lambda: hub.fails("Cafe", right, "out of reach"), cafe=False)
    hub.scenario("a wrong password", lambda: hub.fails("Cafe", wrong, password))
    hub.scenario("a wrong password twice", wrong_twice)
    hub.scenario("a wrong one, then the right one", twice)
    hub.scenario("no password where there must be one", lambda: hub.fails("Cafe", "", password))
    hub.scenario("no address", lambda: hub.fails("Cafe", right, "no address"), addresses=False)
    hub.scenario("it closes while the hub joins", closes_meanwhile)
    hub.scenario("it closes in the evening", lambda: gone("nothing"))
    hub.scenario("its password changes", lambda: gone("cafe", password="another-one"))
    hub.scenario("its name changes", lambda: gone("cafe", name="Bistro"))
    hub.scenario("from one to one out of reach", from_there_to_nowhere)
    hub.scenario("the right password", lambda: hub.joins("Cafe", right))
    hub.scenario("an open one", lambda: hub.joins("Bar", ""), name="Bar", password="")
    hub.scenario("a hidden one", lambda: hub.joins("Cafe", right), hidden=True)
    hub.scenario("a hidden one, a wrong password", lambda: hub.fails("Cafe", wrong, password), hidden=True)
    hub.scenario("WPA3", lambda: hub.joins("Cafe", right), wpa3=True)
    hub.scenario("WPA3, a wrong password", lambda: hub.fails("Cafe", wrong, password), wpa3=True)
    hub.scenario("an odd name", lambda: hub.joins(quoted, right), name=quoted)
    hub.scenario("the longest password", lambda: hub.joins("Cafe", "x" * 63), password="x" * 63)
    hub.scenario("a slow DHCP server", lambda: hub.joins("Cafe", right), delay=3)  # of both its answers
    hub.scenario("addresses like the hub's own", lambda: hub.joins("Cafe", right), network="10.42.0")
    hub.scenario("no phone reaches the hub there", nobody_comes)
    hub.scenario("a phone reaches the hub there", somebody_comes)
    hub.scenario("the hub restarts, and no phone reaches it", nobody_comes_after_a_restart)
    hub.scenario("the hub restarts, and a phone reaches it", lambda: somebody_comes(restarts=True))
    hub.scenario("NetworkManager restarts", lambda: then("restart NetworkManager"), cafe=False)
    hub.scenario("wpa_supplicant is killed", lambda: then("kill wpa_supplicant"), cafe=False)
    hub.scenario("NetworkManager is killed", lambda: then("kill NetworkManager"), cafe=False)
    hub.scenario("the radio is switched off and on", lambda: then("block"), cafe=False)
    hub.scenario("its DHCP server is killed", lambda: then("kill dnsmasq"), cafe=False)
    return hub.failed


def order(what: dict[str, object]) -> None:
    """Ask the part of this program that is root to do something."""
    Path("/run/table-hub-test/order").write_text(json.dumps(what))
    end = time.monotonic() + 120.0
    while Path("/run/table-hub-test/order").exists():
        assert time.monotonic() < end, f"nobody does {what}"
        time.sleep(0.3)


def obey(what: dict[str, object]) -> None:
    """Do it."""
    match what.pop("do"):
        case "cafe":
            no_cafe()
            cafe(**what)  # type: ignore[arg-type]
        case "nothing":
            no_cafe()
        case "forget":
            no_cafe()
            run("nmcli -t -f UUID,TYPE,NAME connection show | grep :802-11-wireless: | grep -v :table-hub- | cut -d: -f1 | "
                "xargs -r nmcli connection delete", check=False)  # fmt: skip
        case "restart NetworkManager":
            run("systemctl restart NetworkManager")
        case "kill wpa_supplicant":
            run("systemctl kill -s KILL wpa_supplicant")
        case "kill NetworkManager":
            run("systemctl kill -s KILL NetworkManager")
        case "block":
            run(
                "for state in 1 0; do for radio in /sys/class/rfkill/*/soft; do echo $state >$radio; done; sleep 3; done"
            )
        case "kill dnsmasq":
            run("kill -KILL $(cat /run/nm-dnsmasq-wlan0.pid)")


def main() -> None:
    """Run everything. Raise AssertionError at the first failure."""
    if sys.argv[1:] == ["joining"]:
        failed = joining()
        assert not failed, f"{len(failed)} scenarios: {', '.join(failed)}"
        return
    room()
    run("systemctl start table-hub-test")
    until("the hub's own Wi-Fi is on", lambda: HUB in run("curl -s http://127.0.0.1:8080/status.json", check=False))
    assert "type AP" in run("iw dev wlan0 info")
    stream = run("timeout 5 curl -sN http://127.0.0.1:8080/t/1/screen/events", check=False)
    states = [json.loads(line[5:]) for line in stream.splitlines() if line.startswith("data: {")]
    code = states[-1]["wifi"]["code"]
    found = re.fullmatch(r"WIFI:T:WPA;S:([^;]+);P:([^;]+);;", code)
    assert found, code
    phone_joins(found[1], found[2])
    portal()
    run("systemctl stop table-hub-test")
    assert "type AP" in run("iw dev wlan0 info"), "a hub that restarts leaves its Wi-Fi on"
    inside = subprocess.Popen(
        ["setpriv", "--reuid=table-hub", "--regid=table-hub", "--init-groups", sys.executable, __file__, "joining"]
    )
    orders = Path("/run/table-hub-test/order")
    while inside.poll() is None:
        if orders.exists() and (what := orders.read_text()):
            obey(json.loads(what))
            orders.unlink()
        time.sleep(0.3)
    assert inside.returncode == 0


if __name__ == "__main__":
    try:
        main()
        print("ALL PASSED", flush=True)
    except AssertionError as error:
        print(f"FAILED    {error!r}", flush=True)
        if sys.argv[1:]:
            sys.exit(1)
        print(
            run(
                "journalctl -b --no-pager -u NetworkManager -u table-hub-test -n 120; iw dev; nmcli device; nmcli connection",
                check=False,
            )
        )
