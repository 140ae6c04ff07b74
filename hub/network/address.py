"""The address at which phones reach this hub."""

from __future__ import annotations

import fcntl
import socket
import struct

ALL_ADDRESSES = ("0.0.0.0", "::", "")  # noqa: S104 - compared only

# netdevice(7): requests for one interface, a `struct ifreq` of 40 bytes with its name first, and the flags that count.
_SIOCGIFFLAGS, _SIOCGIFADDR = 0x8913, 0x8915
_UP, _LOOPBACK, _RUNNING = 0x1, 0x8, 0x40


def public_url(configured: str, host: str, port: int, *, secure: bool) -> str:
    """Return the URL of the hub for screens and QR codes; "" while this machine has no network.

    - `configured`: the address that the owner configured, with or without a scheme; "" for the machine's own address.
    - `host`, `port`: where the web port listens.
    - `secure`: the web port uses TLS.

    Without a configured address the URL is numeric, because names in .local fail on many phones.
    """
    scheme, default_port = ("https", 443) if secure else ("http", 80)
    if "://" in configured:
        return configured.rstrip("/")
    address = configured or (own_address() if host in ALL_ADDRESSES else host)
    if not address:
        return ""
    netloc = f"[{address}]" if ":" in address else address
    return f"{scheme}://{netloc}" if port == default_port else f"{scheme}://{netloc}:{port}"


def own_address() -> str:
    """Return this machine's IPv4 address on its network, or "". Nothing is sent, and no name is resolved.

    This is the source address of the default route. Without a default route, as on the hub's own Wi-Fi, it is the address
    of the first interface that is up. Link-local addresses (169.254.x.x) are the last choice.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1 of RFC 5737: no machine has this address
        except OSError:
            found = _interface_addresses(probe)
        else:
            found = [str(probe.getsockname()[0])]
    return min((one for one in found if not one.startswith("127.")), key=_is_link_local, default="")


def _interface_addresses(sock: socket.socket) -> list[str]:
    """Return the first IPv4 address of each interface that is up and connected, in the kernel's order."""
    found = []
    for _, name in socket.if_nameindex():
        request = struct.pack("16s24x", name.encode())
        try:
            (flags,) = struct.unpack_from("H", fcntl.ioctl(sock, _SIOCGIFFLAGS, request), 16)
            if flags & (_UP | _RUNNING | _LOOPBACK) == _UP | _RUNNING:
                found.append(socket.inet_ntoa(fcntl.ioctl(sock, _SIOCGIFADDR, request)[20:24]))
        except OSError:  # the interface has disappeared, or has no address
            continue
    return found


def _is_link_local(address: str) -> bool:
    return address.startswith("169.254.")
