"""What `python -m tests.acceptance.wifi` runs in its machine: three radios in one room, of which one is the hub's.

wlan0 is the hub's, with NetworkManager. A phone and the access point of a cafe have the others, each in a network of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hub.network.encryption import HubKey
from hub.network.network_manager import NetworkManagerBus
from hub.network.wifi import WifiRule, own_wifi

STATE = Path("/var/lib/table-hub")
HUB = "http://10.42.0.1:8080"
HALF_MINUTE = 30.0


def run(command: str, *, check: bool = True) -> str:
    """Run a line of shell, and return what it prints."""
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert not check or done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout.strip()


def until(what: str, so: Callable[[], object], seconds: float = 120.0) -> float:
    """Wait until something is so; return how many seconds that took."""
    began = time.monotonic()
    while not so():
        assert time.monotonic() - began < seconds, f"waited {seconds:.0f} s in vain for {what}"
        time.sleep(0.5)
    took = time.monotonic() - began
    print(f"passed    {what}: {took:.1f} s", flush=True)
    return took


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


def cafe(*, password: str = "dice-and-tea", addresses: bool = True) -> None:
    """Switch the cafe's access point on."""
    Path("/run/cafe.conf").write_text(
        f'network={{\nmode=2\nfrequency=2412\nssid="Cafe"\nkey_mgmt=WPA-PSK\nproto=RSN\npairwise=CCMP\npsk="{password}"\n}}\n'
    )
    run("ip -n cafe addr replace 10.9.0.1/24 dev wlan2")
    run("ip netns exec cafe wpa_supplicant -B -i wlan2 -c /run/cafe.conf -P /run/cafe.pid")
    if addresses:
        run("ip netns exec cafe dnsmasq -C /dev/null --port=0 --interface=wlan2 --dhcp-range=10.9.0.10,10.9.0.90 "
            "--dhcp-leasefile=/run/cafe.leases --pid-file=/run/cafe-dhcp.pid")  # fmt: skip


def no_cafe() -> None:
    """Switch it off."""
    run("kill $(cat /run/cafe.pid /run/cafe-dhcp.pid); rm -f /run/cafe.pid /run/cafe-dhcp.pid", check=False)


def joining() -> None:
    """Walk the rule through failures and a success, with the real NetworkManager, as the hub's user."""
    wifi = own_wifi(HubKey.load(STATE / "hub.key"))
    rule = WifiRule(NetworkManagerBus(wifi), time.monotonic)

    def checked() -> WifiRule:
        rule.check()
        return rule

    def fails(what: str, name: str, password: str, sentence: str) -> None:
        rule.join(name, password)
        until(f"{what}: why", lambda: checked().problem, HALF_MINUTE)
        assert sentence in rule.problem, rule.problem
        until(f"{what}: the own Wi-Fi is back", lambda: checked().hotspot_is_up, HALF_MINUTE)

    until("the rule finds the Wi-Fi of the hub", lambda: checked().hotspot_is_up)
    print("cafe on", flush=True)
    fails("out of reach", "Nowhere", "dice-and-tea", "out of reach")
    order("cafe")
    fails("wrong password", "Cafe", "wrong-password", "does not accept this password")
    order("cafe without addresses")
    fails("no address", "Cafe", "dice-and-tea", "gives the hub no address")
    order("cafe")
    rule.join("Cafe", "dice-and-tea")
    until("the hub is in the cafe's Wi-Fi", lambda: checked().state == "network", HALF_MINUTE)
    order("nothing")
    until("the cafe is closed: the own Wi-Fi is back", lambda: checked().hotspot_is_up, 45.0)


def order(what: str) -> None:
    """Ask the part of this program that is root to switch the cafe."""
    Path("/run/table-hub-test/order").write_text(what)
    until(f"{what} is on", lambda: not Path("/run/table-hub-test/order").exists())


def main() -> None:
    """Run everything. Raise AssertionError at the first failure."""
    if sys.argv[1:] == ["joining"]:
        joining()
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
        if orders.exists():
            what = orders.read_text()
            no_cafe()
            if what.startswith("cafe"):
                cafe(addresses="without" not in what)
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
