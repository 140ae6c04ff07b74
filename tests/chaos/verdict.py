"""What must be true at the end: the database alone is asked, and compared with all that phones were promised and shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from hub import games
from hub.engine.decision import CHANCE
from hub.engine.match import Entry, Head, Match
from hub.errors import HubError
from hub.store import Store
from tests.chaos.players import Asked, Promised, Seen


def troubles(
    state: Path, promised: Mapping[str, Promised], seats: Collection[int] = range(1, 7)
) -> tuple[list[str], dict[str, int]]:
    """Return what is wrong in the database of a hub that has ended, in sentences, and what was compared.

    `seats` are those of the phones; what the house has played at the others was promised to nobody.
    """
    found: list[str] = []
    counted = {"matches": 0, "entries": 0, "acknowledged": 0, "unanswered": 0, "hands": 0}
    with closing(sqlite3.connect(state / "table-hub.db")) as raw:
        for (line,) in raw.execute("PRAGMA integrity_check"):
            if line != "ok":
                found.append(f"The database: {line}")
        matches = list(raw.execute('SELECT id, "table" FROM matches ORDER BY rowid'))
    known = {name for name, _ in matches}
    for table, one in promised.items():
        lost = {asked.match for asked in one.asked if asked.answered} - known
        found += [f"Table {table}: match {match} is gone." for match in sorted(lost)]
    with closing(Store(state / "table-hub.db")) as store:
        for name, table in matches:
            one = promised.get(table, Promised())
            asked = [action for action in one.asked if action.match == name]
            shown = one.hands.get(name, set())
            head, lines = store.load(name)
            entries = [msgspec.json.decode(line.line, type=Entry) for line in lines]
            found += [
                f"Match {name}: {text}"
                for text in check_match(msgspec.json.decode(head, type=Head), entries, asked, shown, seats)
            ]
            counted["matches"] += 1
            counted["entries"] += len(entries)
            counted["acknowledged"] += sum(action.answered for action in asked)
            counted["unanswered"] += sum(not action.answered for action in asked)
            counted["hands"] += len(shown)
    return found, counted


def check_match(
    head: Head, entries: Sequence[Entry], asked: Sequence[Asked], shown: set[Seen], seats: Collection[int] = range(1, 7)
) -> list[str]:
    """Return what is wrong with one match: it replays, has what was promised once and in order, and hands are as they were."""
    legal: dict[tuple[int, int], set[str]] = {}
    try:
        match = Match.replay(games.find(head.game), head, [])
        for entry in [None, *entries]:
            if entry:
                match.apply_entries([entry])
            for seat in match.state.seats if match.open else ():
                view = json.dumps(msgspec.to_builtins(match.view(seat)["you"]), sort_keys=True)
                legal.setdefault((seat, match.open.number if match.open else 0), set()).add(view)
    except HubError as error:
        return [f"its log does not replay: {error}"]
    found = [
        f"seat {seen.seat} was shown another hand at decision {seen.number} than the log makes."
        for seen in sorted(shown)
        if seen.you not in legal.get((seen.seat, seen.number), set())
    ]
    played = [
        (entry.seat, entry.move, _plain(entry.args))
        for entry in entries
        if entry.seat != CHANCE and entry.seat in seats
    ]
    if not is_promised(played, asked):
        found.append("its log is not what phones were promised: an action is lost, there twice, or in another place.")
    return found


def is_promised(played: Sequence[tuple[int, str, str]], asked: Sequence[Asked]) -> bool:
    """Return whether a log has every answered action once, in their order, and of the unanswered ones each once or not."""
    places = {0}  # how much of the log may be explained so far
    for action in asked:
        this = action.seat, action.move, _plain(action.args)
        taken = {place + 1 for place in places if place < len(played) and played[place] == this}
        places = taken if action.answered else places | taken
    return len(played) in places


def _plain(args: object) -> str:
    return json.dumps(args, sort_keys=True)
