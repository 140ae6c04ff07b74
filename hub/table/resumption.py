"""Resume a table from the disk: its code, its seats, and its last match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from hub.engine.decision import CHANCE
from hub.engine.text import listed, say, to_json
from hub.errors import StartRefused
from hub.table.base.kept import KeptText
from hub.table.core import Core
from hub.table.dice.rolls import Rolls
from hub.table.people.game_choice import GameChoice
from hub.table.seating.seat import new_code
from hub.table.views.snapshot import Identity

TABLE_CODE_LENGTH = 4


class KeptLoss(msgspec.Struct, frozen=True):
    """A reported loss of the disk: its sentence, the match, and the number of people's entries in its log."""

    sentence: str
    match: str
    acts: int
    text: KeptText | None = None
    """The sentence, for other languages; None in records of earlier versions."""


class Resumption:
    """The start of one table in steps. Each is done once, however often the disk fails in between."""

    def __init__(
        self, core: Core, table: Identity, rolls: Rolls, choice: GameChoice, place_boxes: Mapping[str, int]
    ) -> None:
        self.table = table  # with its code after it was read
        self._kept, self._play, self._seats, self._notices = core.kept, core.play, core.seats, core.notices
        self._rolls, self._choice, self._random, self._place_boxes = rolls, choice, core.ports.random, dict(place_boxes)
        self._loss: KeptLoss | None = None
        self._reported_damaged = 0  # unreadable values reported so far
        self._progress: Literal["nothing", "read", "written", "all"] = "nothing"

    @property
    def knows_seats(self) -> bool:
        """Return whether the seats were read."""
        return self._progress != "nothing"

    @property
    def is_done(self) -> bool:
        """Return whether the start is complete."""
        return self._progress == "all"

    def resume(self) -> None:
        """Read the disk, then write the new epoch. `finish` must follow, once all parts are restored.

        Raise LogError: the next call continues with the step that failed.
        """
        if self._progress == "nothing":
            self._read()
            self._progress = "read"
        if self._progress == "read":
            self._write()
            self._progress = "written"

    def finish(self) -> None:
        """Note that the start is complete: the parts of the table are restored."""
        self._progress = "all"

    def _write(self) -> None:
        """Write the new epoch and what the start has found. Raise LogError."""
        self._kept.open()
        self._play.log.next_epoch()
        self._kept.write("code", self.table.code.encode())
        if self._play.match:
            self._rolls.resume()
        if self._loss:
            # settled only afterwards: a power cut does not lose the report
            self._kept.write("loss", to_json(self._loss))
        else:
            self._kept.forget("loss")
        self._play.log.settle()

    def report_damaged(self) -> bool:
        """Post a notice if further private values could not be read; return whether it was posted."""
        damaged = list(self._kept.damaged)
        if len(damaged) == self._reported_damaged:
            return False
        self._reported_damaged = len(damaged)
        text = say("The disk is damaged. At this table, the hub could not read {items}.", items=listed(damaged))
        return self._notices.post("kept", text)

    def _read(self) -> None:
        """Read the code, the seats and the last match. Raise LogError."""
        code = self._kept.read_as("code", _table_code, say("its code"))
        if code or not self.table.code:
            self.table = self.table._replace(code=code or new_code(self._random, TABLE_CODE_LENGTH))
        self._play.log.restore_epoch()
        self._seats.restore()
        for box, seat in self._place_boxes.items():
            self._seats.bind(box, seat)
        try:
            self._play.resume()
        except StartRefused as error:
            self._notices.post("set_aside", error.sentence)
        if self._play.match:
            self._choice.choose_played(self._play.match.game.name, self._play.match.setup.options)
        self._choice.choose_wished()
        self._loss = self._read_loss()
        if self._loss:
            self._notices.post("lost", self._loss.text.text if self._loss.text else self._loss.sentence)
        if self._kept.store.notice:
            self._notices.post("database", self._kept.store.notice)

    def _read_loss(self) -> KeptLoss | None:
        """Return a loss found now, or one reported before a restart if nobody has played since."""
        at, acts = self._play.log.match or "", self._acts()
        if sentence := self._play.log.describe_loss():
            return KeptLoss(sentence, at, acts, KeptText.of(sentence))
        kept = self._kept.read("loss", KeptLoss, say("what the disk has lost"))
        return kept if kept and (kept.match, kept.acts) == (at, acts) else None

    def _acts(self) -> int:
        """Return the number of log entries by people; the hub itself adds those of chance."""
        match = self._play.match
        return sum(entry.seat != CHANCE for entry in match.log) if match else 0

    def update_loss(self) -> None:
        """Forget a loss when its notice was dismissed or ended with the match. Raise LogError."""
        if self._loss and self.is_done and not self._notices.is_posted("lost"):
            self._kept.forget("loss")
            self._loss = None


def _table_code(data: bytes) -> str:
    """Return a table's code as it was kept. Raise ValueError."""
    code = data.decode("ascii")
    if len(code) != TABLE_CODE_LENGTH or not code.isalnum():
        raise ValueError("no code")
    return code
