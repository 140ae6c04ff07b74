"""Diagnostics in the journal: each line with its priority."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from hub.operations.diagnostics import JournalFormatter, goes_to_journal, with_priority


def test_every_line_of_a_traceback_has_the_priority_of_its_error() -> None:
    with pytest.raises(OSError, match="nowhere") as caught:
        Path("/nowhere").read_bytes()
    traceback = caught.type, caught.value, caught.tb
    record = logging.LogRecord("hub", logging.ERROR, "", 0, "A step failed.", (), traceback)
    lines = JournalFormatter("%(name)s: %(message)s").format(record).splitlines()
    assert lines[0] == "<3>hub: A step failed."
    assert lines[-1].startswith("<3>FileNotFoundError: ")
    assert all(line.startswith("<3>") for line in lines)


def test_each_level_has_its_priority() -> None:
    levels = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
    assert [with_priority("x", level) for level in levels] == ["<7>x", "<6>x", "<4>x", "<3>x", "<2>x"]


def test_only_the_journals_own_stream_gets_priorities() -> None:
    with Path("/dev/null").open("w") as null:
        assert not goes_to_journal({"JOURNAL_STREAM": "8:1234"}, null)
        assert not goes_to_journal({}, null)
