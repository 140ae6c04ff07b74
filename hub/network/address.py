"""Where phones find this hub: the address to print and to draw as QR."""

from __future__ import annotations

import socket


def reachable(configured: str, host: str, port: int, *, secure: bool) -> str:
    """The address to print and to draw as QR: numeric, for a name in .local fails on many phones."""
    scheme, usual = ("https", 443) if secure else ("http", 80)
    if "://" in configured:
        return configured.rstrip("/")
    name = configured or (own_address() if host in ("0.0.0.0", "::", "") else host)  # noqa: S104 - compared only
    shown = f"[{name}]" if ":" in name else name
    return f"{scheme}://{shown}" if port == usual else f"{scheme}://{shown}:{port}"


def own_address() -> str:
    """This machine's address on its network; nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect(("192.0.2.1", 9))  # TEST-NET-1 of RFC 5737: never there
        except OSError:
            return "127.0.0.1"
        return str(line.getsockname()[0])
