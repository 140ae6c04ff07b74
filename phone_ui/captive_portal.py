"""The captive portal of the hub's own Wi-Fi: a phone that joins it opens the hub's page by itself.

Phones, tablets and computers ask a site of their maker whether there is internet. In the hub's Wi-Fi, the names of these
sites lead to the hub (`systemd/table-hub-dnsmasq.conf`). Any other answer than the expected one means that a page wants to
be seen. A phone that stays gets the expected answer. Otherwise it could leave a Wi-Fi without internet.

Not RFC 8908 and DHCP option 114 of RFC 8910: both need https with a certificate that phones trust, which no machine has
for an address of its own. Android's NetworkMonitor.java ignores an address without https.
"""

from __future__ import annotations

import time
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from phone_ui.asgi import Receive, Scope, Send

PORT = 80
"""The port of plain http, which all these questions use."""
PAGE = "/wifi"
STAY_SECONDS = 8 * 3600.0
"""How long an address counts as a phone that stays: an evening. Then another phone may have it."""

ANSWERS: dict[str, tuple[int, bytes, bytes]] = {
    # captive.apple.com (iOS and macOS); the second path is that of older ones
    "/hotspot-detect.html": (200, b"text/html", b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"),
    "/library/test/success.html": (200, b"text/html", b"<HTML><HEAD><TITLE>Success</TITLE></HEAD><BODY>Success</BODY></HTML>"),
    # connectivitycheck.gstatic.com and others (NetworkMonitor.java of Android: 204 is online, 200 to 399 a portal)
    "/generate_204": (204, b"", b""),
    "/gen_204": (204, b"", b""),
    # www.msftconnecttest.com, and www.msftncsi.com before Windows 10 ("NCSI overview" of Microsoft Learn)
    "/connecttest.txt": (200, b"text/plain", b"Microsoft Connect Test"),
    "/ncsi.txt": (200, b"text/plain", b"Microsoft NCSI"),
    # detectportal.firefox.com (network.connectivity-service and captivedetect in Firefox's all.js)
    "/success.txt": (200, b"text/plain", b"success\n"),
    "/canonical.html": (
        200, b"text/html", b'<meta http-equiv="refresh" content="0;url=https://support.mozilla.org/kb/captive-portal"/>',
    ),
    # nmcheck.gnome.org and network-test.debian.org ([connectivity] of NetworkManager.conf(5))
    "/check_network_status.txt": (200, b"text/plain", b"NetworkManager is online\n"),
    "/nm": (200, b"text/plain", b"NetworkManager is online\n"),
}  # fmt: skip
"""By path: the status, the type and the body that mean "there is internet"."""


class CaptivePortal:
    """Answer what arrives at port 80 of the hub's address in its own Wi-Fi, and nothing anywhere else.

    - `host`: that address.
    - `is_on`: returns whether the Wi-Fi is on.
    - `home`: returns the URL of the hub for phones.
    - `first_pin`: returns the staff PIN while the screens show it, for the first set-up, else "".
    - `port`: the port, another one in tests.
    - `clock`: returns seconds.
    """

    def __init__(
        self,
        host: str,
        is_on: Callable[[], bool],
        home: Callable[[], str],
        first_pin: Callable[[], str] = str,
        port: int = PORT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.host, self.port = host, port
        self.shares_port = False
        """The port is that of the hub's pages, too. Then only requests for foreign names are for the portal."""
        self._is_on, self._home, self._first_pin, self._clock = is_on, home, first_pin, clock
        self._network = ip_network(f"{host}/24", strict=False)
        self._staying: dict[str, float] = {}  # by address of a phone: until when

    def stay(self, phone: str) -> None:
        """Let a phone believe that there is internet, so that it stays in this Wi-Fi. `phone` is its address."""
        now = self._clock()
        self._staying = {one: until for one, until in self._staying.items() if until > now}
        self._staying[phone] = now + STAY_SECONDS

    def pin_for(self, phone: str) -> str:
        """Return the PIN for the first set-up if the phone at this address is in the Wi-Fi, else "".

        Anybody in the Wi-Fi has read its password on the screen, which shows the PIN, too.
        """
        try:
            is_inside = ip_address(phone) in self._network
        except ValueError:
            return ""
        return self._first_pin() if is_inside and self._is_on() else ""

    def takes(self, scope: Scope, *, is_hub: bool) -> bool:
        """Return whether a request is for the portal. `is_hub`: it names the hub as its host."""
        is_here = tuple(scope.get("server") or ()) == (self.host, self.port)
        return is_here and self._is_on() and not (self.shares_port and is_hub)

    async def __call__(self, scope: Scope, receive: Receive, send: Send, *, seated: bool) -> None:
        """Answer a request. `seated`: a phone of this address has a seat."""
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        phone = str(scope["client"][0])
        found = ANSWERS.get(scope["path"])
        headers = [(b"cache-control", b"no-store")]
        if found and (seated or self._staying.get(phone, 0.0) > self._clock()):
            status, kind, body = found
            headers += [(b"content-type", kind)] if kind else []
        else:
            status, body = 302, b""
            headers += [(b"location", f"{self._home()}{PAGE}".encode())]
        headers += [(b"content-length", b"%d" % len(body))] if status != 204 else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
