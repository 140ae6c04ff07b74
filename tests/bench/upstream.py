"""What a hub sends to the broker above it, measured: `python -m tests.bench.upstream [--tables 6] [--seconds 60]`.

The real hub with its own broker, phones over its web port, a mosquitto above, and all bytes between them counted. With `--url
mqtt://host:port --user U --password P` it uses a broker that is there, as to try another kind; the user may write below
`table-hubs/1/cafe/north/` and read everything. At the end every finished match must have come once, in order.
"""

from __future__ import annotations

import argparse
import json
import signal
import sqlite3
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.bench.transport import cpu
from tests.chaos.hub import ChaosHub
from tests.chaos.players import Guests
from tests.network.upstream_broker import PASSWORD, CutLink, Ledger, UpstreamBroker
from tests.phone_ui.rig import until

HEADER = 4  # bytes of a PUBLISH beside topic and payload: fixed header, its length, the topic's length


class Above:
    """The broker above, and a client that reads all of it."""

    def __init__(self, url: str, user: str, password: str) -> None:
        place = urlsplit(url)
        self.carried: list[tuple[float, str, bytes]] = []
        self.client = paho.Client(CallbackAPIVersion.VERSION2, client_id="bench-reader")
        if user:
            self.client.username_pw_set(user, password)
        self.client.on_message = lambda _c, _u, one: self.carried.append((time.time(), one.topic, bytes(one.payload)))
        self.client.on_connect = lambda client, *_: client.subscribe("table-hubs/1/cafe/#", 1)
        self.client.connect(place.hostname or "", place.port or 1883)
        self.client.loop_start()

    def kinds(self) -> dict[str, list[int]]:
        """Return the bytes of each message on the wire, by kind."""
        found = defaultdict(list)
        for _, topic, payload in self.carried:
            found[topic.split("/")[4]].append(HEADER + len(topic) + len(payload) + 2 * (topic.split("/")[4] != "table"))
        return dict(found)


def entries(hub: ChaosHub) -> tuple[int, list[tuple[int, dict[str, Any]]]]:
    """Return how many actions the hub's disk has, and its finished matches."""
    with closing(sqlite3.connect(f"file:{hub.state}/table-hub.db?mode=ro", uri=True)) as db:
        (actions,) = db.execute("SELECT count(*) FROM entries").fetchone()
        return actions, [(number, json.loads(line)) for number, line in db.execute("SELECT number, line FROM finished")]


def measure(above: Above, hub: ChaosHub, wire: CutLink, seconds: float) -> None:
    """Play, count, and print."""
    guests = [Guests(table, hub.games[table], hub.address_of(table), 5) for table in hub.tables]
    until(lambda: bool(hub.status()["upstream"]["up"]), "the link")
    time.sleep(3)
    for one in guests:
        one.start()
    began, spent, up, down, already = time.monotonic(), cpu(str(hub.pid)), wire.up, wire.down, len(above.carried)
    time.sleep(seconds)
    for one in guests:
        one.end()
    for one in guests:
        one.join(30)
        assert one.trouble is None, one.trouble
    lasted, spent = time.monotonic() - began, cpu(str(hub.pid)) - spent
    time.sleep(6)
    actions, finished = entries(hub)
    print(f"{len(hub.tables)} tables, {lasted:.0f} s, {actions} actions, {len(finished)} matches finished")
    print(
        f"link: {(wire.up - up) / actions:.0f} bytes up, {(wire.down - down) / actions:.0f} down an action; CPU of the hub {spent / actions * 1000:.1f} ms an action"
    )
    for kind, sizes in above.kinds().items():
        print(f"  {kind:10} {len(sizes):6} messages, {sum(sizes) / len(sizes):5.0f} bytes each (MQTT)")
    newest: dict[str, int] = {}
    for _, topic, payload in above.carried:
        if "/table/" in topic and payload:
            newest[topic.rsplit("/", 1)[1]] = json.loads(payload)["n"]
    for table in hub.tables:
        with closing(sqlite3.connect(f"file:{hub.state}/table-hub.db?mode=ro", uri=True)) as db:
            (own,) = db.execute(
                'SELECT count(*) FROM entries JOIN matches ON id = "match" WHERE "table" = ?', (table,)
            ).fetchone()
        print(
            f"  table {table}, {hub.games[table]}: {own} actions, {newest.get(table, 0)} summaries, {newest.get(table, 0) / max(1, own):.2f} an action"
        )
    print(
        f"sent at this pace: {len(above.carried) - already} messages, {(len(above.carried) - already) / actions:.2f} an action"
    )
    series = next(json.loads(payload)["series"] for _, topic, payload in reversed(above.carried) if "/info" in topic)
    told_at = [
        (at, told)
        for at, topic, payload in above.carried
        if "/finished/" in topic and (told := json.loads(payload))["series"] == series
    ]
    ledger = Ledger()
    for _, told in told_at:
        ledger.take(told)
    numbers = ledger.numbers.get(series, {})
    whole = [*numbers] == [number for number, _ in finished]
    print(
        f"finished matches: {len(numbers)} of {len(finished)}, {ledger.doubles} twice, {ledger.gaps.total()} missing, in order: {whole}"
    )
    waits = [at - told["ended"] for at, told in told_at]
    print(
        f"from the end of a match, cut to its second, until the owner has it: {sorted(waits)[len(waits) // 2]:.1f} s in the middle, {max(waits):.1f} s at most"
    )
    print(f"games: {dict(Counter(one['game'] for _, one in finished))}")
    above.client.disconnect()
    above.client.loop_stop()


def main() -> None:
    """Measure as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--url", default="")
    parser.add_argument("--user", default="")
    parser.add_argument("--password", default="")
    parser.add_argument("--whole-state", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        own = None
        if not args.url:
            own = UpstreamBroker(Path(folder, "up"))
            own.start()
        url = args.url or f"mqtt://127.0.0.1:{own.port if own else 0}"
        password = args.password or PASSWORD
        Path(folder, "password").write_text(password)
        above = Above(url, args.user or ("owner" if own else ""), password)
        wire = CutLink(urlsplit(url).port or 1883)
        login = f'user = "{args.user or "north"}"\npassword_file = "{folder}/password"\n' if own or args.user else ""
        more = f'[upstream]\nurl = "mqtt://127.0.0.1:{wire.port}"\nvenue = "cafe"\n{login}'
        more += "whole_state = true\n" if args.whole_state else ""
        with ChaosHub(Path(folder), args.tables, hub="north", more=more) as hub:
            measure(above, hub, wire, args.seconds)
        wire.close()
        if own:
            own.stop(signal.SIGKILL)


if __name__ == "__main__":
    main()
