"""Power cuts at every write of the database: unsynced writes are lost, torn and reordered, and nothing else is."""

from __future__ import annotations

import copy
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from hub.ports import LastMatch, LogEntry
from hub.store import KeyedStore, Store
from hub.store.marks import Marks, chain
from hub.store.queries import number_of
from tests.disk_trace import Disk, Trace, recorded

pytestmark = pytest.mark.real_time

CALLS, CUTS = 150, 200
TABLES = ("1", "bar")


class Moment(NamedTuple):
    """What the store had promised after so many steps of the disk: of each table the match that it plays, its log, the
    logs of those that were put aside by their ids, and a value.
    """

    steps: int
    promised: dict[str, Any]


def play(store: Store | KeyedStore, trace: Trace, random: Random) -> list[Moment]:
    """Call a store as tables do, at random; note what it has promised after each call."""
    promised: dict[str, Any] = {table: {"last": None, "log": [], "code": None, "asides": {}} for table in TABLES}
    moments = [Moment(len(trace.steps), copy.deepcopy(promised))]
    for call in range(CALLS):
        at = promised[random.choice(TABLES)]
        table = next(name for name in TABLES if promised[name] is at)
        is_free = at["last"] is None or at["last"].put_aside or at["last"].result
        what = random.choices(("append", "cut", "end", "keep", "begin", "switch"), (14, 3, 1, 2, 1, 4))[0]
        if what == "switch" and not is_free:
            store.put_aside(at["last"].id)
            at["asides"][at["last"].id], at["last"] = at["log"], at["last"]._replace(put_aside=True)
        elif what == "switch" and at["asides"] and (match := random.choice([*at["asides"]])):
            store.take_up(match)
            at["last"], at["log"] = LastMatch(match), at["asides"].pop(match)
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
        asides = {one.id: bare(store, one.id) for one in store.all_put_aside(table)}
        there[table] = {"last": last, "log": log, "code": store.recall(table, "code"), "asides": asides}
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
    for table in TABLES:
        played = [number_of(one.promised[table]["last"].id) for one in moments if one.promised[table]["last"]]
        assert played != sorted(played), "an earlier match was resumed"
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


def switches(store: KeyedStore, trace: Trace) -> list[Moment]:
    """Suspend a match, begin another, suspend that as well, resume the first and play on, then the second."""
    first, second = "m-1", "m-2"
    steps: tuple[Callable[[], object], ...] = (
        lambda: store.begin("1", b'{"head":1}'),
        lambda: store.append(first, [LogEntry(0, b'{"n":0}'), LogEntry(1, b'{"n":1}')]),
        lambda: store.put_aside(first),
        lambda: store.begin("1", b'{"head":2}'),
        lambda: store.append(second, [LogEntry(0, b'{"m":0}')]),
        lambda: store.put_aside(second),
        lambda: store.take_up(first),
        lambda: store.append(first, [LogEntry(2, b'{"n":2}')]),
        lambda: store.end(first, b"{}"),
        lambda: store.take_up(second),
        lambda: store.cut(second, 0, [LogEntry(0, b'{"m":1}')]),
        lambda: store.begin("1", b'{"head":3}'),
    )
    moments = [Moment(len(trace.steps), found(store))]
    for step in steps:
        step()
        moments.append(Moment(len(trace.steps), found(store)))
    return moments


def test_a_power_cut_at_each_write_of_a_switch_leaves_one_match_or_the_other(tmp_path: Path) -> None:
    random = Random(20261126)
    (tmp_path / "log.key").write_bytes(Random(1).randbytes(32) + bytes(8))
    with recorded(tmp_path / "live") as trace:
        store = Store(tmp_path / "live" / "hub.db")
        moments = switches(KeyedStore(store, tmp_path / "log.key"), trace)
        steps = list(trace.steps)
        store.close()
    disk, sides = Disk(), {(at, side): 0 for at in range(2, len(moments)) for side in ("before", "after")}
    for number, step in enumerate([*steps, steps[-1]]):
        at = max((at for at, moment in enumerate(moments) if moment.steps <= number), default=0)
        for _ in range(8 if at else 0):  # each time others of the writes that were not synced are lost
            disk.cut(random, tmp_path / "cut")
            again = Store(tmp_path / "cut" / "hub.db")
            keyed = KeyedStore(again, tmp_path / "log.key")
            there = found(keyed)
            assert there in [moment.promised for moment in moments[at : at + 2]], f"step {number}, after call {at}"
            assert (again.notice, keyed.missing("1")) == ("", None), f"step {number}: a loss that there was not"
            again.close()
            shutil.rmtree(tmp_path / "cut")
            if at + 1 < len(moments):
                sides[at + 1, "before" if there == moments[at].promised else "after"] += 1
        disk.take(step)
    assert all(sides.values()), "each call was cut off on both sides of its write"


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
