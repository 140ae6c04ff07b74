"""The database on disk: the logs of matches, and the few private values of a table. SQLite.

WAL with ``synchronous=FULL``: when a method returns, the disk has it, and a plug pulled at any instant
costs nothing that was acknowledged. Only the hub's user may read the file, for it holds hands.

A file that cannot be opened now (a full disk, a backup that holds it) is tried again by each call. A file that is damaged
is set aside whole, and what can still be read of it goes on in a fresh one. How far each table had come stands outside the
database as well (`hub.store.marks`), so that a loss is noticed.
"""

from __future__ import annotations

from hub.store.keyed import KeyedStore
from hub.store.lock import lock_state
from hub.store.schema import READS_UP_TO, is_ours
from hub.store.store import Store
from hub.store.wiping import wipe_logs

__all__ = ["READS_UP_TO", "KeyedStore", "Store", "is_ours", "lock_state", "wipe_logs"]
