"""A lost device says by its cause what was wrong, and not only by its sentence."""

from __future__ import annotations

import errno
import os
import sys
import termios
from pathlib import Path

import pytest

from drivers.common.gpio_header import Spi, open_spi
from drivers.common.serial_lines import Line
from hub.errors import Cause, DeviceLost


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (OSError(errno.EBUSY, "x"), Cause.BUSY),
        (BlockingIOError(errno.EAGAIN, "x"), Cause.BUSY),
        (FileNotFoundError(errno.ENOENT, "x"), Cause.MISSING),
        (PermissionError(errno.EACCES, "x"), Cause.PERMISSION),
        (termios.error(errno.EIO, "x"), Cause.UNPLUGGED),
        (ModuleNotFoundError("x"), Cause.PACKAGE),
        (ValueError("Resource busy"), Cause.FAULT),
        (KeyError(), Cause.FAULT),
    ],
)
def test_a_cause_is_found_by_type_and_errno(error: Exception, cause: Cause) -> None:
    assert Cause.of(error) is cause


def test_a_port_that_another_program_has_is_busy() -> None:
    near, far = os.openpty()
    line = Line(os.ttyname(far))
    with pytest.raises(DeviceLost) as refused:
        Line(os.ttyname(far))
    line.close()
    os.close(near)
    os.close(far)
    assert refused.value.cause is Cause.BUSY


def test_a_port_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(DeviceLost) as refused:
        Line(str(tmp_path / "ttyACM9"))
    assert refused.value.cause is Cause.MISSING


def test_a_line_whose_far_end_is_gone_was_unplugged() -> None:
    near, far = os.openpty()
    line = Line(os.ttyname(far))
    os.close(far)
    os.close(near)
    with pytest.raises(DeviceLost) as lost:
        line.read()
    line.close()
    assert lost.value.cause is Cause.UNPLUGGED


def test_a_package_that_is_not_installed_is_the_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spidev", None)
    with pytest.raises(DeviceLost) as refused:
        open_spi(Spi(0, 0), 1000)
    assert refused.value.cause is Cause.PACKAGE
