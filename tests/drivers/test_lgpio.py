"""The real lgpio, as another user and from a folder which that user may not enter: as `sudo -u` in somebody's home."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

ROOT = Path(__file__).parents[2]
NOBODY = 65534
# Python itself may lie where nobody but root may read: it is loaded first. lgpio is not.
AS_NOBODY = f"""
import os, sys
import drivers.gpio_box, hub.__main__, hub.display, hub.operations.device_test, hub.operations.diagnostics
assert "lgpio" not in sys.modules
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
try:
    os.listdir(".")
except PermissionError:
    sys.exit(hub.__main__.main(["test-device", "--config", sys.argv[1], "--seconds", "1"]))
sys.exit("the folder can be read")
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may enter: pytest's own are its user's alone."""
    with TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.mark.skipif(
    importlib.util.find_spec("lgpio") is None, reason="lgpio is not installed: make setup EXTRAS=dev,pi"
)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_device_on_the_header_is_tried_from_a_folder_of_somebody_else(folder: Path) -> None:
    home, temporary, config = folder / "home", folder / "tmp", folder / "hub.toml"
    config.write_text(f'[hub]\nstate = "{folder}/state"\n[[device]]\ndriver = "gpio_box"\n')
    home.mkdir(mode=0o700)
    temporary.mkdir()
    temporary.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(config)],
        cwd=home,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "The header's pins cannot be opened" in done.stdout, said  # nobody is in no group that may
    assert "Traceback" not in said
    assert ".lgd-nfy" not in said
    assert list(home.iterdir()) == []
    assert list(temporary.iterdir()) == []
