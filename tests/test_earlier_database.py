"""A hub of today on a database that an earlier one wrote: what it finds, and what the earlier one makes of it afterwards."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hub import games
from hub.app import Hub
from hub.config import Config, HubPart, TablePart, WebPart
from hub.ports import PhoneLink
from hub.store import KeyedStore, Store
from tests.complete_states import read_state
from tests.earlier import earlier_hub
from tests.table.fakes import TableRig
from tests.test_store import files

pytestmark = [pytest.mark.real_chance, pytest.mark.real_time]

COMMIT = "ce91e79"
GAMES = [games.find("goofspiel"), games.find("bid-it")]
"""Whose rules have not changed since."""
WRITE = """
import json, sys
from itertools import count
from pathlib import Path
from random import Random
import msgspec
from hub import games
from hub.ports import LogEntry
from hub.store import KeyedStore, Store
from tests.games.players import random_match
from tests.table import fakes
from tests.table.fakes import TableRig

folder, keys, asked = Path(sys.argv[1]), count(1), fakes.ClaimAsked
# Each phone has a key of its own, other than that rig's.
fakes.ClaimAsked = lambda claim, seat, _, *more: asked(claim, seat, next(keys).to_bytes(32, "big"), *more)
store = Store(folder / "table-hub.db")
keyed = KeyedStore(store, folder / "log.key")

# History: a match that was played to its end.
played = random_match(games.find("goofspiel"), (1, 2, 3), {}, Random(1))
over = keyed.begin("1", msgspec.json.encode(played.head))
keyed.append(over, [LogEntry(number, msgspec.json.encode(entry)) for number, entry in enumerate(played.log)])
keyed.end(over, msgspec.json.encode(played.over))

rig = TableRig(3, boxes=False, store=keyed, offered=[games.find("goofspiel"), games.find("bid-it")])
rig.sit()

def play_first(rig, seat):
    move = rig.table._play.match.open.offers(seat)[0]
    assert rig.act(seat, move.name, **move.first())["ok"]

def shown():
    hands = {seat: {key: rig.hand(seat)[key] for key in ("you", "moves", "number")} for seat in (1, 2, 3)}
    return {"match": rig.state["match"], "view": rig.state["view"], "hands": hands}

rig.start("goofspiel")
play_first(rig, 1)
play_first(rig, 2)
suspended = shown()
rig.say(1, "ask", {"what": "put_aside"})
rig.say(2, "vote", {"say": "yes"})
assert rig.state["state"] == "lobby"
rig.start("bid-it")
for _ in range(4):
    play_first(rig, next(iter(rig.table._play.match.open.asked)))
running = shown()
store.close()
wrote = {"over": over, "winners": list(played.over.winners), "suspended": suspended, "running": running,
         "sids": rig.sids, "names": [seat["name"] for seat in rig.state["seats"]], "code": rig.state["code"]}
print(json.dumps(wrote))
"""


class Earlier(NamedTuple):
    """An earlier hub, the state folder that it has written, and what it has shown there."""

    root: Path
    folder: Path
    wrote: dict[str, Any]

    def runs(self) -> int:
        """Let it run with this folder as its service would; return its exit code."""
        file = self.folder.parent / "hub.toml"
        file.write_text(f"[hub]\nstate = '{self.folder}'\n[web]\nhost = '127.0.0.1'\nport = 0\n")
        return self._python("-m", "hub", "run", "--config", str(file)).returncode

    def opens(self) -> int:
        """Let it open the database, and close it; return the exit code."""
        code = "import sys; from pathlib import Path; from hub.store import Store; Store(Path(sys.argv[1])).close()"
        return self._python("-c", code, str(self.folder / "table-hub.db")).returncode

    def _python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(self.root)}
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, check=False, timeout=60
        )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Earlier:
    folder = tmp_path_factory.mktemp("written")
    (folder / "state").mkdir(mode=0o700)
    found = Earlier(earlier_hub(COMMIT, folder / "earlier", "tests"), folder / "state", {})
    made = found._python("-c", WRITE, str(found.folder))
    assert made.returncode == 0, made.stderr
    return found._replace(wrote=json.loads(made.stdout))


@pytest.fixture
def earlier(written: Earlier, tmp_path: Path) -> Earlier:
    shutil.copytree(written.folder, tmp_path / "state")
    return written._replace(folder=tmp_path / "state")


class OnDisk(KeyedStore):
    """The store of a hub, for a rig."""

    starts = 0


@contextmanager
def started(earlier: Earlier) -> Iterator[TableRig]:
    """Start a table of today with the state folder, and let its phones come back."""
    with closing(Store(earlier.folder / "table-hub.db")) as store:
        keyed: Any = OnDisk(store, earlier.folder / "log.key")
        rig = TableRig(3, boxes=False, store=keyed, offered=GAMES)
        rig.sids = {int(seat): sid for seat, sid in earlier.wrote["sids"].items()}
        rig.take(*(PhoneLink(sid, True) for sid in rig.sids.values()))
        yield rig


def shown(rig: TableRig) -> dict[str, Any]:
    """What people see of the match that is played."""
    hands = {str(seat): {key: rig.hand(seat)[key] for key in ("you", "moves", "number")} for seat in (1, 2, 3)}
    return {"match": rig.state["match"], "view": rig.state["view"], "hands": hands}


def form(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "table-hub.db")) as db:
        (found,) = db.execute("PRAGMA user_version").fetchone()
    return int(found)


def suspend(rig: TableRig) -> None:
    assert rig.say(1, "ask", {"what": "put_aside"})["ok"]
    assert rig.say(2, "vote", {"say": "yes"})["ok"]
    assert rig.state["state"] == "lobby"


def test_todays_hub_goes_on_with_all_that_an_earlier_one_left(earlier: Earlier) -> None:
    wrote = earlier.wrote
    running, suspended = wrote["running"]["match"], wrote["suspended"]["match"]
    with started(earlier) as rig:
        assert rig.state["notices"] == []
        assert (rig.state["code"], [seat["name"] for seat in rig.state["seats"]]) == (wrote["code"], wrote["names"])
        assert shown(rig) == wrote["running"]
        suspend(rig)
        assert [one["match"] for one in rig.state["put_aside"]] == [running, suspended]
        assert rig.say(3, "take_up", {"match": suspended})["ok"]
        assert shown(rig) == wrote["suspended"]
    with started(earlier) as rig:
        assert shown(rig) == wrote["suspended"], "also after a restart: it is not the newest row"
        suspend(rig)
        assert rig.say(1, "take_up", {"match": running})["ok"]
        assert shown(rig) == wrote["running"]


@pytest.mark.broker
def test_the_running_match_the_seats_and_the_history_are_on_the_screens_of_todays_hub(earlier: Earlier) -> None:
    wrote = earlier.wrote
    part = HubPart(state=f"{earlier.folder}")
    with Hub(Config(hub=part, web=WebPart("127.0.0.1", 0), table=(TablePart(seats=3),))) as hub:
        hub.start()
        public = read_state(hub.access["1"].public.get()[1])
        past = json.loads(hub.access["1"].history())
    assert (public["state"], public["match"]) == ("playing", wrote["running"]["match"])
    assert public["view"] == wrote["running"]["view"]
    assert [seat["name"] for seat in public["seats"]] == wrote["names"]
    assert [(one["id"], one["winners"]) for one in past["matches"]] == [(wrote["over"], wrote["winners"])]


@pytest.mark.broker
def test_an_earlier_hub_reads_it_until_a_match_was_resumed_and_then_writes_nothing(earlier: Earlier) -> None:
    folder, suspended = earlier.folder, earlier.wrote["suspended"]["match"]
    with closing(Store(folder / "table-hub.db")) as store:
        assert store.begin("2", b"{}") == "m-4"
    assert (form(folder), earlier.opens()) == (1, 0), "after a way back it plays on"
    with closing(Store(folder / "table-hub.db")) as store:
        store.put_aside(earlier.wrote["running"]["match"])
        store.take_up(suspended)
    assert form(folder) == 3
    before = files(folder)
    assert earlier.runs() == 78
    found = files(folder)
    assert {name: found[name] for name in before} == before
    with closing(Store(folder / "table-hub.db")) as store:
        last = store.last("1")
    assert last
    assert last.id == suspended
