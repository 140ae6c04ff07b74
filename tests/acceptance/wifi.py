"""The hub's own Wi-Fi with three real radios of the kernel: `python -m tests.acceptance.wifi` (as root; half an hour without KVM).

`vm.py` makes the machine, with mac80211_hwsim, NetworkManager, polkit and the hub as its user. `wifi_inside.py` says what happens in it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.acceptance import vm

CLONE = "/host/clone"
CONFIG = '[hub]\nstate = "/var/lib/table-hub"\n[wifi]\nhotspot = true\n'


def furnish(root: Path) -> None:
    """Put the hub's unit and the file for dnsmasq where the Debian package puts them."""
    (root / "etc/systemd/system/table-hub-test.service").write_text(
        "[Service]\nExecStart=/usr/bin/python3 -m hub run --config /etc/table-hub-test.toml\nUser=table-hub\nStateDirectory=table-hub\n"
        f"AmbientCapabilities=CAP_NET_BIND_SERVICE\nWorkingDirectory={CLONE}\n{TEST.environment()}\n"
    )
    (root / "etc/table-hub-test.toml").write_text(CONFIG)
    dnsmasq = root / "etc/NetworkManager/dnsmasq-shared.d"
    dnsmasq.mkdir(parents=True, exist_ok=True)
    shutil.copy2(vm.CLONE / "systemd/table-hub-dnsmasq.conf", dnsmasq)
    (root / "etc/tmpfiles.d/wifi-test.conf").write_text("d /run/table-hub-test 0777\n")


TEST = vm.Test("wifi", "wifi_inside.py", CLONE, furnish)

if __name__ == "__main__":
    sys.exit(vm.main("python -m tests.acceptance.wifi", lambda _: TEST))
