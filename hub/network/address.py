"""The address at which phones reach this hub."""

from __future__ import annotations

import socket


def public_url(configured: str, host: str, port: int, *, secure: bool) -> str:
    """Return the URL to print and to draw as QR code: numeric, for a name in .local fails on many phones."""
    scheme, default_port = ("https", 443) if secure else ("http", 80)
    if "://" in configured:
        return configured.rstrip("/")
    address = configured or (own_address() if host in ("0.0.0.0", "::", "") else host)  # noqa: S104 - compared only
    netloc = f"[{address}]" if ":" in address else address
    return f"{scheme}://{netloc}" if port == default_port else f"{scheme}://{netloc}:{port}"


def own_address() -> str:
    """Return this machine's IPv4 address on its network, or 127.0.0.1. Nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # TEST-NET-1 of RFC 5737, which no machine has
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
