"""Power cuts at every write of the database: unsynced writes are lost, torn and reordered, and nothing else is."""

from __future__ import annotations

import copy
import re
import shutil
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from hub.ports import LastMatch, LogEntry
from hub.store import KeyedStore, Store
from hub.store.marks import Marks, chain
from tests.disk_trace import Disk, Trace, recorded

pytestmark = pytest.mark.real_time

CALLS, CUTS = 150, 200
TABLES = ("1", "bar")


class Moment(NamedTuple):
    """What the store had promised after so many steps of the disk: of each table its last match, its log, a value."""

    steps: int
    promised: dict[str, Any]


def play(store: Store | KeyedStore, trace: Trace, random: Random) -> list[Moment]:
    """Call a store as tables do, at random; note what it has promised after each call."""
    promised: dict[str, Any] = {table: {"last": None, "log": [], "code": None, "aside": None} for table in TABLES}
    moments = [Moment(len(trace.steps), copy.deepcopy(promised))]
    for call in range(CALLS):
        at = promised[random.choice(TABLES)]
        table = next(name for name in TABLES if promised[name] is at)
        what = random.choices(("append", "cut", "end", "keep", "begin", "aside"), (14, 3, 1, 2, 1, 1))[0]
        if what == "aside" and at["aside"]:
            match = store.take_up(at["aside"][0])
            at["last"], at["log"], at["aside"] = LastMatch(match), at["aside"][1], None
        elif what == "aside" and at["last"] and not at["last"].result:
            store.put_aside(at["last"].id)
            at["aside"], at["last"] = (at["last"].id, at["log"]), at["last"]._replace(put_aside=True)
        elif at["last"] is None or at["last"].put_aside or what == "begin":
            match = store.begin(table, b'{"head":%d}' % call)
            at["last"], at["log"] = LastMatch(match), []
        elif what == "append":
            start = len(at["log"])
            new = [
                LogEntry(start + n, b'{"%s":0}' % (b"%d:" % call * random.randint(1, 120)))
                for n in range(random.randint(1, 3))
            ]
            store.append(at["last"].id, new)
            at["log"] = [*at["log"], *new]
        elif what == "cut":
            length = random.randint(0, len(at["log"]))
            instead = [LogEntry(length, b'{"instead":%d}' % call)] if random.random() < 0.5 else []
            store.cut(at["last"].id, length, instead)
            at["last"], at["log"] = LastMatch(at["last"].id), [*at["log"][:length], *instead]
        elif what == "end":
            store.end(at["last"].id, b"{}")
            at["last"] = LastMatch(at["last"].id, b"{}")
        else:
            at["code"] = b"%d" % call
            store.keep(table, "code", at["code"])
        moments.append(Moment(len(trace.steps), copy.deepcopy(promised)))
    return moments


def bare(store: Store | KeyedStore, match: str) -> list[LogEntry]:
    """The entries of a match without what `KeyedStore` adds."""
    return [LogEntry(number, re.sub(rb',"mac":"\w+"}$', b"}", line)) for number, line in store.load(match)[1]]


def found(store: Store | KeyedStore) -> dict[str, Any]:
    """What a store has, in the form of its promises."""
    there = {}
    for table in TABLES:
        last = store.last(table)
        log = bare(store, last.id) if last else []
        aside = next(((one.id, bare(store, one.id)) for one in store.all_put_aside(table)), None)
        there[table] = {"last": last, "log": log, "code": store.recall(table, "code"), "aside": aside}
    return there


def test_a_power_cut_at_any_write_costs_nothing_that_was_promised(tmp_path: Path) -> None:
    seed = 20261122
    random = Random(seed)
    (tmp_path / "log.key").write_bytes(Random(seed).randbytes(32) + bytes(8))
    with recorded(tmp_path / "live") as trace:
        store = Store(tmp_path / "live" / "hub.db")
        moments = play(KeyedStore(store, tmp_path / "log.key"), trace, random)
        steps = list(trace.steps)
        store.close()
    assert {Path(step.path).name for step in steps} == {"hub.db", "hub.db-journal", "hub.db-wal", "1.mark", "bar.mark"}
    cuts = sorted(random.sample(range(len(steps)), CUTS))
    disk, in_flight, done = Disk(), 0, 0
    for number, step in enumerate(steps):
        if number in cuts:
            folder = tmp_path / "cut"
            disk.cut(random, folder)
            before = max((at for at, moment in enumerate(moments) if moment.steps <= number), default=0)
            again = Store(folder / "hub.db")
            keyed = KeyedStore(again, tmp_path / "log.key")
            there = found(keyed)
            place = f"seed {seed}, step {number}"
            assert again.notice == "", place
            assert there in (moments[before].promised, moments[min(before + 1, CALLS)].promised), place
            assert [keyed.missing(table) for table in TABLES] == [None, None], f"{place}: a loss that there was not"
            in_flight += there != moments[before].promised
            done += 1
            again.close()
            shutil.rmtree(folder)
        disk.take(step)
    assert done == CUTS
    assert in_flight > 5, "some cuts come between the disk's having it and the answer"


def test_a_disk_that_forgets_what_it_had_synced_is_found_out(tmp_path: Path) -> None:
    """A disk whose write-ahead log is gone, as cards lose blocks, but not the marks beside it."""
    random = Random(7)
    with recorded(tmp_path / "live") as trace:
        store = Store(tmp_path / "live" / "hub.db")
        moments = play(store, trace, random)
        steps = list(trace.steps)
        store.close()
    disk, told = Disk(), 0
    checks = {moment.steps: moment.promised for moment in moments[20::10]}
    for number, step in enumerate([*steps, *steps[:1]]):
        if number in checks:
            folder = tmp_path / f"cut-{number}"
            disk.cut(random, folder)
            (folder / "hub.db-wal").write_bytes(b"")
            again = Store(folder / "hub.db")
            there = found(again)
            for table, promised in checks[number].items():
                if there[table]["log"] != promised["log"] and is_marked(folder, table, promised):
                    assert again.missing(table), f"step {number}, table {table}"
                    told += 1
            again.close()
        disk.take(step)
    assert told > 5


def is_marked(folder: Path, table: str, promised: dict[str, Any]) -> bool:
    """Whether the mark of a table that outlived the cut is the newest one: it may be older by some actions."""
    mark = Marks(folder / "marks").read(table)
    lines = [entry.line for entry in promised["log"]]
    return mark is not None and (mark.match, mark.hash) == (promised["last"].id, chain(lines).hex())
