"""The hub as a service restarts itself and switches off its machine if logind allows it; if not, staff learn what to do."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hub.errors import HubError
from hub.power import PowerControl


def busctl(folder: Path, answer: str, code: int = 0) -> None:
    """A `busctl` that answers as logind does (org.freedesktop.login1(5)), and writes down what it was asked."""
    script = folder / "busctl"
    script.write_text(f"#!/bin/sh\necho \"$@\" >> {folder}/asked\necho '{answer}'\nexit {code}\n")
    script.chmod(0o755)


SERVICE = {"INVOCATION_ID": "1", "NOTIFY_SOCKET": "/run/systemd/notify"}


def test_a_hub_that_was_started_by_hand_neither_restarts_nor_switches_off() -> None:
    power = PowerControl(lambda: None, {})
    with pytest.raises(HubError, match="started by hand"):
        power.restart_hub()
    with pytest.raises(HubError, match="started by hand"):
        power.power_off()


def test_a_service_ends_so_that_it_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hub.power.DELAY_SECONDS", 0.0)
    ended = threading.Event()
    PowerControl(ended.set, SERVICE).restart_hub()
    assert ended.wait(10)


def test_a_machine_is_switched_off_where_logind_lets_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("hub.power.DELAY_SECONDS", 0.0)
    busctl(tmp_path, 's "yes"')
    power = PowerControl(lambda: None, SERVICE)
    assert power.why_no_power_off == ""
    power.power_off()
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join()
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[0].endswith("org.freedesktop.login1.Manager CanPowerOff")
    assert asked[1].endswith("org.freedesktop.login1.Manager PowerOff b false")


@pytest.mark.parametrize(("answer", "code"), [('s "challenge"', 0), ('s "no"', 0), ("", 1)])
def test_where_logind_does_not_staff_are_told_what_to_do(
    answer: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    busctl(tmp_path, answer, code)
    power = PowerControl(lambda: None, SERVICE)
    assert "sudo poweroff" in power.why_no_power_off
    with pytest.raises(HubError, match="polkit"):
        power.power_off()
