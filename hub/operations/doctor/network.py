"""What the doctor looks at of the network: the hub that runs, its brokers, its web port, and how phones reach it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from hub.config import Config
from hub.errors import HubError
from hub.network.address import ALL_ADDRESSES, public_url
from hub.operations.doctor.finding import Finding, Subject
from hub.operations.doctor.machine import Machine

LOCALHOST = "127.0.0.1"


def running_hub(machine: Machine, config: Config) -> tuple[Mapping[str, Any] | None, str]:
    """Return the status of this configuration's hub where it runs; else in words whose hub has its port, if one does.

    What a hub of somebody else says of itself is not believed: it is ours by its id and by the user whose program it is.
    """
    if not config.web.port:
        return None, ""
    host = LOCALHOST if config.web.host in ALL_ADDRESSES else config.web.host
    status = machine.hub_status(host, config.web.port, secure=bool(config.web.tls_cert))
    if status is None:
        return None, ""
    listener = machine.listener(config.web.port)
    if status.get("hub") == config.hub.id and listener in ("", machine.user):
        return status, ""
    return None, f"another hub's ({str(status.get('hub'))[:32]!r}{f', of the user {listener}' if listener else ''})"


def broker(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the MQTT broker: the running hub's, the venue's, or whether the managed one can start."""
    part = subject.config.broker
    errors = {health["broker"] for health in subject.tables.values() if health["broker"]}
    if errors:
        yield Finding("broker", "broken", f"The hub says: {' '.join(sorted(errors))}", "Boxes play on; phones wait.")
    elif subject.hub:
        yield Finding("broker", "ok", "The hub that runs has its broker.")
    elif part.url:
        url = urlsplit(part.url)
        port = url.port or (8883 if url.scheme == "mqtts" else 1883)
        if machine.reaches(url.hostname or "", port):
            yield Finding("broker", "ok", f"{url.hostname}:{port} answers.")
        else:
            do = "Start it, or take `url` out of [broker]: the hub then runs its own."
            yield Finding("broker", "broken", f"{url.hostname}:{port} does not answer.", do)
    else:
        try:
            machine.start_broker(part.program)
        except HubError as error:
            yield Finding("broker", "broken", str(error), "Boxes and screens play without it, phones do not.")
        else:
            yield Finding("broker", "ok", f"{part.program} is there and can be started.")


def upstream(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the broker above the hubs of a venue, where one is named: the running hub's link to it, or whether it lets the hub in."""
    part = subject.config.upstream
    if not part.url:
        return
    do = "The tables play on; what is to be told waits here. Look at that broker and the network to it."
    known = (subject.hub or {}).get("upstream")
    if known and known["twin"]:
        seen = f"Another hub of the venue {part.venue} calls itself {subject.config.hub.id}."
        yield Finding("upstream", "broken", seen, "Give each hub its own `id` in [hub].")
    elif known and known.get("too_large"):
        seen = f"The broker above, {part.url}, sends a message of more than 64 kB, which is too large for the hub."
        yield Finding("upstream", "broken", seen, f"Delete it there: look for large retained messages of {part.venue}.")
    elif known and known["up"]:
        yield Finding("upstream", "ok", f"The hub that runs is connected to {part.url}.")
    elif error := machine.upstream_error(part, subject.config.hub.id):
        waiting = f" {known['waiting']} finished match(es) wait." if known and known["waiting"] else ""
        yield Finding("upstream", "look", error + waiting, do)
    elif known:
        seen = f"The hub is not connected, though the broker above, {part.url}, would let it in."
        yield Finding("upstream", "look", seen, "It tries again by itself within a minute; look again then.")
    else:
        yield Finding("upstream", "ok", f"The broker above, {part.url}, lets this hub in.")


def port(machine: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the web port."""
    web = subject.config.web
    if subject.hub:
        yield Finding(
            "port", "ok", f"Port {web.port} is the hub's, which runs at {subject.hub['url'] or 'no address yet'}."
        )
        return
    if subject.stranger:
        do = "End that one, or give [web] another `port`; nothing that it says of itself is used here."
        yield Finding("port", "broken", f"Port {web.port} is {subject.stranger}.", do)
        return
    match machine.port_state(web.host, web.port):
        case "free":
            yield Finding("port", "ok", f"Port {web.port} is free." if web.port else "Any free port will do.")
        case "taken":
            do = "End that program (sudo ss -ltnp names it), or give [web] another `port`."
            yield Finding("port", "broken", f"Port {web.port} is in use by another program.", do)
        case "forbidden":
            do = "Give [web] a `port` from 1024 on, or start the hub as the service, which may."
            yield Finding("port", "look", f"{machine.me} may not open port {web.port}.", do)
        case _:
            do = 'Give [web] the `host` "0.0.0.0": every address of this computer.'
            yield Finding("port", "broken", f"This computer has no address {web.host}.", do)


def phones(_: Machine, subject: Subject) -> Iterator[Finding]:
    """Check the URL of the QR code, and say how to find out whether phones reach it."""
    web = subject.config.web
    url = (
        str(subject.hub["url"])
        if subject.hub
        else public_url(web.address, web.host, web.port, secure=bool(web.tls_cert))
    )
    name = urlsplit(url).hostname or ""
    page = f"{url}/t/{subject.config.table[0].id}"
    if not url:
        do = "Join a network, or set `hotspot = true` in [wifi]: the hub then makes its own Wi-Fi, and finds its address."
        yield Finding("phones", "look", "This computer has no network: there is nothing that phones could open.", do)
    elif name in ("localhost", "::1") or name.startswith("127."):
        do = 'Give [web] the `host` "0.0.0.0", so that phones may come in, and take `address` out of it.'
        yield Finding("phones", "look", f"The QR code carries {url}, which only this computer reaches.", do)
    elif name.startswith("169.254."):
        do = "The network gives out no addresses: look at the cable and the router."
        yield Finding("phones", "look", f"The QR code carries {url}, an address that this computer made up.", do)
    elif name.endswith(".local"):
        do = "Take `address` out of [web]: many phones do not find names that end in .local."
        yield Finding("phones", "look", f"The QR code carries {url}.", do)
    else:
        do = (
            f"Open {page} on a phone in the same Wi-Fi; if it does not come while this computer opens it, the Wi-Fi keeps "
            "its guests apart (AP or client isolation): switch that off, or use the Pi's own Wi-Fi."
        )
        secure = url.startswith("https:")
        means = "https" if secure else "plain http: for a network that you trust, or with a certificate (SECURITY.md)"
        yield Finding("phones", "ok", f"The QR code carries {url}, {means}.", do)
