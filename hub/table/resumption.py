"""What a start of the hub takes up from the disk: the table's code, who sat where, the match that was played last."""

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
    """What the disk has lost, as it was told, and where that was: a match and how many acts of people its log had."""

    sentence: str
    match: str
    acts: int
    text: KeptText | None = None
    """The sentence, for other languages; None in what an earlier version has kept."""


class Resumption:
    """The start of one table, in two steps that are each done once, however often the disk fails meanwhile."""

    def __init__(
        self, core: Core, table: Identity, rolls: Rolls, choice: GameChoice, place_boxes: Mapping[str, int]
    ) -> None:
        self.table = table  # with its code once that was read
        self._kept, self._play, self._seats, self._notices = core.kept, core.play, core.seats, core.notices
        self._rolls, self._choice, self._random, self._place_boxes = rolls, choice, core.ports.random, dict(place_boxes)
        self._loss: KeptLoss | None = None
        self._reported_damaged = 0  # so many private values that could not be read
        self._progress: Literal["nothing", "read", "all"] = "nothing"

    @property
    def knows_seats(self) -> bool:
        """Return whether who sat where is taken up."""
        return self._progress != "nothing"

    @property
    def is_done(self) -> bool:
        """Return whether all that the disk has is taken up."""
        return self._progress == "all"

    def resume(self) -> bool:
        """Read what the disk has, then write that this start has begun. Return whether that is done, for the first time.

        Raise LogError: what was done by then is not done again.
        """
        if self._progress == "nothing":
            self._read()
            self._progress = "read"
        if self._progress == "all":
            return False
        self._kept.open()
        self._play.log.next_epoch()
        self._kept.write("code", self.table.code.encode())
        if self._play.match:
            self._rolls.resume()
        if self._loss:
            self._kept.write("loss", to_json(self._loss))  # settled only then: a power cut loses no loss
        else:
            self._kept.forget("loss")
        self._play.log.settle()
        self._progress = "all"
        return True

    def report_damaged(self) -> bool:
        """Tell of a private value that could not be read; return whether there is another one."""
        damaged = list(self._kept.damaged)
        if len(damaged) == self._reported_damaged:
            return False
        self._reported_damaged = len(damaged)
        text = say(
            "The disk is damaged: {items} could not be read at this table and is set aside.", items=listed(damaged)
        )
        return self._notices.post("kept", text)

    def _read(self) -> None:
        """Take up who sat where, and the match that was played last. Raise LogError."""
        code = self._kept.read_as("code", _table_code, say("its code"))
        if code or not self.table.code:
            self.table = self.table._replace(code=code or new_code(self._random, TABLE_CODE_LENGTH))
        self._play.log.recall()
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
        """Return what the disk has lost: found out now, or told before a restart to people who have not gone on since."""
        at, acts = self._play.log.match or "", self._acts()
        if sentence := self._play.log.lost():
            return KeptLoss(sentence, at, acts, KeptText.of(sentence))
        kept = self._kept.read("loss", KeptLoss, say("what its disk has lost"))
        return kept if kept and (kept.match, kept.acts) == (at, acts) else None

    def _acts(self) -> int:
        """Return how many entries of the match are what people did; the hub itself goes on with chance."""
        match = self._play.match
        return sum(entry.seat != CHANCE for entry in match.log) if match else 0

    def update_loss(self) -> None:
        """Keep a loss no longer once its notice has ended: somebody has taken it away, or begun a match. Raise LogError."""
        if self._loss and self.is_done and not self._notices.stands("lost"):
            self._kept.forget("loss")
            self._loss = None


def _table_code(data: bytes) -> str:
    """Return a table's code as it was kept. Raise ValueError."""
    code = data.decode("ascii")
    if len(code) != TABLE_CODE_LENGTH or not code.isalnum():
        raise ValueError("no code")
    return code
