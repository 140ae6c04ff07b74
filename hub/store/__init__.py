"""The database on disk: the logs of matches, and the few private values of a table. SQLite.

WAL with ``synchronous=FULL``: when a method returns, its data are on disk, and a power cut at any instant loses nothing that
was acknowledged. Only the hub's user may read the file, because it contains hands.

If a file cannot be opened now (a full disk, a backup that locks it), each call tries again. A damaged file is set aside as a
whole, and its readable part is copied to a new one. Marks outside the database (`hub.store.marks`) reveal a loss of data.
"""

from __future__ import annotations

from hub.store.keyed import KeyedStore
from hub.store.lock import lock_state
from hub.store.schema import READS_UP_TO, is_ours
from hub.store.store import Store
from hub.store.wiping import wipe_logs

__all__ = ["READS_UP_TO", "KeyedStore", "Store", "is_ours", "lock_state", "wipe_logs"]
