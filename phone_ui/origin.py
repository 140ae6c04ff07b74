"""Where a request comes from and whom it is for: addresses, hosts, origins, and whether it is from this machine."""

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
    """Return the network address at the other end."""
    client = scope.get("client")
    return plain_address(str(client[0])) if client else "?"


def plain_address(address: str) -> str:
    """Return an address as it is: that of IPv4 which a port for both kinds writes as one of IPv6."""
    return address.removeprefix("::ffff:") if "." in address else address


@functools.lru_cache(maxsize=1024)
def network_of(address: str) -> str:
    """Return what counts as one sender: an IPv4 address, of an IPv6 one its /64, which one machine may use as a whole."""
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
    """Return whether a request comes from our own pages. Browsers say where a page came from, programs say nothing."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    origin = headers.get(b"origin")
    if origin is None:
        return True
    try:
        netloc = urllib.parse.urlsplit(origin.decode("latin-1")).netloc.lower()
    except ValueError:  # no address at all, such as "http://[::1"
        return False
    return bool(netloc) and netloc == headers.get(b"host", b"").decode("latin-1").lower()


_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?")


def is_known_host(host: str, names: Collection[str]) -> bool:
    """Return whether a request's Host is an address, `localhost`, a name in `.local`, or one of the hub's `names`.

    Any other name may be a stranger's whose page has its own name point here: then browsers take the hub's answers for that
    page's own (DNS rebinding), and an Origin that fits says nothing.
    """
    found = _HOST.fullmatch(host.strip().lower())
    if found is None:
        return False
    name = found[1] or found[2].removesuffix(".")
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    # Any name in `.local`: only a machine of this network can answer to one.
    return name == "localhost" or name.endswith((".localhost", ".local")) or name in names


def own_names(given: Iterable[str] = ()) -> frozenset[str]:
    """Return the names of this machine, and the `given` ones, in lower case."""
    return frozenset(name.lower().removesuffix(".") for name in (socket.gethostname(), *given) if name)


@dataclass(frozen=True, slots=True)
class Screens:
    """Which requests come from this machine itself: with `loopback` its own, unless a proxy speaks for them."""

    loopback: bool = True

    def is_here(self, scope: Scope) -> bool:
        """Return whether a request comes from this machine itself."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        forwarded = any(name in headers for name in (b"x-forwarded-for", b"forwarded", b"via"))
        address, served = address_of(scope), scope.get("server") or ("", 0)
        # From one of its own addresses to the same one: only this machine itself connects so.
        return self.loopback and not forwarded and (address in LOOPBACK or address == served[0])
