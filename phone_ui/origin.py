"""The sender and target of a request: addresses, hosts, origins, and whether it comes from this machine."""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import re
import socket
import urllib.parse
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phone_ui.limits import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from phone_ui.asgi import Scope


def address_of(scope: Scope) -> str:
    """Return the network address of the client, or "?"."""
    client = scope.get("client")
    return plain_address(str(client[0])) if client else "?"


def plain_address(address: str) -> str:
    """Return an address, without the IPv6 prefix that a dual-stack port puts before IPv4 addresses."""
    return address.removeprefix("::ffff:") if "." in address else address


@functools.lru_cache(maxsize=1024)
def network_of(address: str) -> str:
    """Return what counts as one sender: an IPv4 address, or the /64 of an IPv6 address, all of which one machine can use."""
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if known.version == 4:
        return str(known)
    if known.ipv4_mapped:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((int(known) >> 64 << 64, 64)))


def same_origin(scope: Scope) -> bool:
    """Return whether a request comes from the hub's own pages, or from a program, which sends no Origin."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    origin = headers.get(b"origin")
    if origin is None:
        return True
    try:
        netloc = urllib.parse.urlsplit(origin.decode("latin-1")).netloc.lower()
    except ValueError:  # malformed, such as "http://[::1"
        return False
    return bool(netloc) and netloc == headers.get(b"host", b"").decode("latin-1").lower()


_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?")


def is_known_host(host: str, names: Collection[str]) -> bool:
    """Return whether a request's Host is an address, `localhost`, a name in `.local`, or one of the hub's `names`.

    Any other name may belong to a malicious page that lets its own name resolve to the hub (DNS rebinding). Browsers then
    treat the hub as the same origin, so the check of Origin does not help.
    """
    found = _HOST.fullmatch(host.strip().lower())
    if found is None:
        return False
    name = found[1] or found[2].removesuffix(".")
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    # Only machines on this network can answer for a name in `.local`.
    return name == "localhost" or name.endswith((".localhost", ".local")) or name in names


def own_names(given: Iterable[str] = ()) -> frozenset[str]:
    """Return the name of this machine and the `given` names, in lower case."""
    return frozenset(name.lower().removesuffix(".") for name in (socket.gethostname(), *given) if name)


@dataclass(frozen=True, slots=True)
class Screens:
    """Recognize requests from this machine. Without `loopback` there are none."""

    loopback: bool = True

    def is_local(self, scope: Scope) -> bool:
        """Return whether a request comes from this machine, and not through a proxy."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        forwarded = any(name in headers for name in (b"x-forwarded-for", b"forwarded", b"via"))
        address, served = address_of(scope), scope.get("server") or ("", 0)
        # Only this machine itself connects from one of its addresses to the same address.
        return self.loopback and not forwarded and (address in LOOPBACK or address == served[0])
