"""Cut the power at every change of the disk that an update makes: `python -m tests.operations.cut_install FOLDER`.

Each attempt is a process that ends without a further word at its n-th change. Prints how many there were.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from hub.operations.install import Places
from tests.operations.fake_computer import FakeComputer, clone_in, installer

CHANGES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.truncate")


def cut_at(number: int, folder: Path) -> None:
    """End this process at the n-th change below the folder, or a file opened for writing there."""
    count = 0

    def hook(event: str, args: tuple[object, ...]) -> None:
        nonlocal count
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if event in CHANGES or (writes and str(folder) in str(args[0])):
            count += 1
            if count == number:
                os._exit(9)

    sys.addaudithook(hook)


def check(places: Places) -> None:
    """Raise AssertionError unless the machine would start a whole release at the next boot."""
    release = places.current.resolve(strict=True)
    assert release.parent == places.releases.resolve()
    assert (release / ".venv/bin/table-hub").read_text(), release
    assert (release / "hub/errors.py").exists()
    assert "ExecStart" in places.unit("table-hub").read_text()
    assert 'state = "/var/lib/table-hub"' in places.config.read_text()
    if places.trial.exists():
        assert (places.releases / places.trial.read_text().split("\n")[0] / "good").exists()


def main(folder: Path) -> int:
    """Return 0 when a hub is left by every cut."""
    clone = clone_in(folder / "clone")
    number = 0
    while True:
        number += 1
        dest = folder / f"cut-{number}"
        places = Places(str(dest))
        computer = FakeComputer(places)
        installer(clone, computer).install()
        installer(clone, computer).install()
        child = os.fork()
        if child == 0:
            cut_at(number, dest)
            installer(clone, computer).install()
            os._exit(0)
        whole = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        check(places)
        computer.clock += 10
        installer(clone, computer).install()  # and the next one finds its way
        check(places)
        assert len(list(places.releases.iterdir())) == 2
        assert not places.trial.exists()
        shutil.rmtree(dest)
        if whole:
            sys.stdout.write(f"{number - 1}\n")
            return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
