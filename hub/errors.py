"""The errors of the hub, each named after what failed, and so after who can mend it.

Every error carries one sentence for a person. Nothing of the hub is imported here, so every package may use it.
"""

from __future__ import annotations

import errno
from enum import StrEnum


class HubError(Exception):
    """Any error that the hub expects: `sentence`, and so `str()`, is one sentence for a person.

    A `sentence` that people at a table or staff read is a `Text` (hub/engine/text.py), which `str()` loses.
    """

    def __init__(self, sentence: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence


class ConfigError(HubError):
    """A file, key or value that a person must change. The program ends with `EXIT`."""

    EXIT = 78  # EX_CONFIG of sysexits.h: systemd does not restart what cannot start.


class TemporaryError(HubError):
    """The hub cannot start now, for a reason that may pass without a change of the configuration.

    The port is taken, an address is not there yet, the last hub still ends, the disk is full. The program ends with
    `EXIT`, and systemd starts it again, with longer and longer pauses.
    """

    EXIT = 75  # EX_TEMPFAIL of sysexits.h


class IllegalAction(HubError):
    """A player's action that is refused: shown at that seat; state and log are untouched.

    `sentence` says why. `code` is a refusal id of the rulebook (``BB-X01``), a rule id, or ``FORM``.
    """

    def __init__(self, sentence: str, code: str = "FORM") -> None:
        super().__init__(sentence)
        self.code = code


class NotAsked(IllegalAction):
    """The seat is not asked for anything now."""


class NotOffered(IllegalAction):
    """The seat is asked, but not for this move or not with these values."""


class Stale(IllegalAction):
    """The action answers an older decision than the open one."""

    def __init__(self, sentence: str, code: str = "STALE") -> None:
        super().__init__(sentence, code)


class StartRefused(HubError):
    """A match cannot begin: unknown game or option, wrong number of seats, bad stack or data."""


class BadCard(StartRefused):
    """A card that a deck cannot hold.

    `at` says where in the data: the name of a card, a line of the deck, or a part and a key of it.
    """

    def __init__(self, sentence: str, at: str | int | tuple[str, str]) -> None:
        super().__init__(sentence)
        self.at = at


class Cause(StrEnum):
    """What made a device unusable, for code that decides by it. The sentence of the error is for people."""

    BUSY = "busy"  # another program has it
    MISSING = "missing"  # no such port, device file or adapter
    PERMISSION = "permission"  # the hub's user may not open it
    PACKAGE = "package"  # a Python package or a program is not installed
    UNPLUGGED = "unplugged"  # it was open, and is gone
    SILENT = "silent"  # it is open, and does not answer
    CALIBRATION = "calibration"  # it is there, and was not set up, or not well
    FAULT = "fault"  # anything else

    @classmethod
    def of(cls, error: BaseException) -> Cause:
        """Return the cause that a caught exception stands for: by its type or errno, never by its text."""
        if isinstance(error, ImportError):
            return cls.PACKAGE
        number = getattr(error, "errno", None)
        if number is None and error.args and isinstance(error.args[0], int):  # termios.error, which is no OSError
            number = error.args[0]
        match number:
            case errno.EBUSY | errno.EAGAIN:  # EAGAIN: another program holds the lock (flock(2))
                return cls.BUSY
            case errno.ENOENT | errno.ENODEV | errno.ENXIO:
                return cls.MISSING
            case errno.EACCES | errno.EPERM:
                return cls.PERMISSION
            case errno.EIO | errno.EBADF:
                return cls.UNPLUGGED
        return cls.FAULT


class DeviceError(HubError):
    """The cable's trouble: the phone plays on, the driver retries for ever."""

    def __init__(self, sentence: str, cause: Cause = Cause.FAULT) -> None:
        super().__init__(sentence)
        self.cause = cause


class DeviceLost(DeviceError):
    """The device does not answer or was unplugged."""


class GarbledFrame(DeviceError):
    """Bytes that are not a frame of `firmware/README.md`."""


class BrokerError(DeviceError):
    """The broker cannot be started or reached; play goes on with boxes and screens."""


def of_file(error: OSError, sentence: str) -> ConfigError | TemporaryError:
    """Return the error to raise where a file of the hub's state cannot be used: a full or failing disk is temporary."""
    passing = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)
    return TemporaryError(sentence) if passing else ConfigError(sentence)


class NoReplay(HubError):
    """A match that cannot be replayed, with a sentence for the people who want to see it."""


class LogError(HubError):
    """The log cannot be written or read. The match stops; nothing is deleted."""


class DamagedLog(LogError):
    """The log of one match that cannot be read whole. It is kept; other matches are not affected."""


class ReplayDiverged(LogError):
    """A log whose entries the present rules answer otherwise. It is kept, nothing is guessed."""


class RulesBug(HubError):
    """A rulebook failed, which is a bug of ours. The match is frozen with its log whole; undo lets it go on."""
