"""`make fuzz` with a budget of seconds: each reader of bytes gets right input that was changed, and bytes of any kind."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz import targets
from tests.fuzz.mutate import MOST_BYTES, mutated
from tests.fuzz.targets import TARGETS

pytestmark = pytest.mark.real_time

SLOW = {
    "http": 25,
    "websocket": 12,
    "referee": 25,
    "deck": 12,
    "configuration": 60,
    "request": 80,
    "staff": 80,
    "logs": 60,
}
"""How many inputs are tried where one takes milliseconds; of the others MANY."""
MANY = 300


@pytest.fixture(scope="module", autouse=True)
def port_is_closed() -> Iterator[None]:
    yield
    targets.close()


@pytest.mark.broker
@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_are_read_or_refused(name: str) -> None:
    seeds = TARGETS[name].seeds()
    changed = st.integers(0, 2**32).map(lambda number: mutated(seeds, Random(number)))

    @settings(max_examples=SLOW.get(name, MANY), deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(changed | st.binary(max_size=200))
    def read(data: bytes) -> None:
        TARGETS[name].run(data)

    read()


@pytest.mark.broker
@pytest.mark.parametrize("name", TARGETS)
def test_the_inputs_to_begin_from_are_read_or_refused(name: str) -> None:
    seeds = TARGETS[name].seeds()
    assert seeds
    for seed in seeds:
        assert len(seed) <= MOST_BYTES
        TARGETS[name].run(seed)


@pytest.mark.broker
def test_an_input_is_to_blame_for_what_is_logged_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = b"GET /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    targets.http(asked)
    logging.getLogger("another test").error("The disk has lost something.")
    targets.http(asked)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # another test has removed all
    send = targets._send

    def fails(data: bytes, patience: float) -> bytes:
        logging.getLogger("uvicorn.error").error("An exception that the server swallowed.")
        return send(data, patience)

    monkeypatch.setattr(targets, "_send", fails)
    with pytest.raises(AssertionError, match="the hub failed: An exception"):
        targets.http(asked)


def test_a_target_that_raises_is_a_finding_whose_input_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.fuzz import __main__ as fuzz

    def wrong(data: bytes) -> None:
        if b"\0" in data:
            raise KeyError("a finding")

    monkeypatch.setattr(fuzz, "FOUND", tmp_path)
    monkeypatch.setitem(TARGETS, "wire", targets.Target(wrong, TARGETS["wire"].seeds))
    with pytest.raises(KeyError):
        fuzz.mutate("wire", 30.0, 1)
    (kept,) = tmp_path.iterdir()
    assert b"\0" in kept.read_bytes()
    assert kept.name in capsys.readouterr().out


@pytest.mark.long
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris has no wheel for this processor")
def test_atheris_runs_a_target() -> None:
    command = [sys.executable, "-m", "tests.fuzz.with_atheris", "mqtt", "2", "1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "stat::number_of_executed_units" in ended.stderr


def test_the_same_seed_makes_the_same_inputs() -> None:
    seeds = TARGETS["wire"].seeds()
    one, two = ([mutated(seeds, Random(n)) for n in range(50)] for _ in range(2))
    assert one == two
    assert len({*one}) > 40
