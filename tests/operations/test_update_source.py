"""Where updates come from: the real apt, dpkg and gpg, with archives in folders; USB sticks are folders that look mounted."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hub.operations import sticks
from hub.operations.update import HUB, KIOSK, Machine, UpdateError
from hub.operations.update_source import Archives, SignatureError
from tests.operations.test_debian_package import build_deb

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("apt-ftparchive", "gpg")), reason="needs apt-utils and gpg"
)


class Desk(Machine):
    """A machine with sticks, and an address in its configuration."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.url = ""
        self.drives: list[dict[str, object]] = []

    def say(self, line: str) -> None:
        self.said.append(line)

    def updates(self) -> dict[str, object]:
        return {"url": self.url}

    def ask(self, *command: str) -> str:
        return json.dumps({"blockdevices": self.drives}) if command[0] == "lsblk" else super().ask(*command)

    def plug_in(self, stick: Path) -> None:
        """Plug a stick in that the desktop mounts."""
        self.drives.append({"path": "/dev/sda", "tran": "usb", "fstype": "vfat", "mountpoints": [str(stick)]})


class Publisher:
    """Somebody who makes archives, with a key."""

    def __init__(self, folder: Path, home: Path, name: str) -> None:
        self.folder, self.home, self.name = folder, home, name
        self.key = home / "key.asc"
        with self._keys():
            command = ["gpg", "--batch", "--quick-gen-key", "--passphrase", "", name, "ed25519", "sign"]
            subprocess.run(command, check=True, capture_output=True)
            build_deb._export_key(name, self.key)

    @contextmanager
    def _keys(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GNUPGHOME", str(self.home))
            yield

    def archive(self, place: str, *versions: str, kiosk: bool = False) -> Path:
        """Make an archive of packages in a folder."""
        folder = self.folder / place
        folder.mkdir(parents=True, exist_ok=True)
        for name in (HUB, KIOSK) if kiosk else (HUB,):
            for version in versions:
                tree = self.folder / "trees" / f"{place}/{name}-{version}"
                (tree / "DEBIAN").mkdir(parents=True)
                (tree / "DEBIAN/control").write_text(
                    f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Ana <a@example.org>\nDescription: x\n"
                )
                command = ["dpkg-deb", "-Znone", "--build", str(tree), str(folder)]
                subprocess.run(command, check=True, capture_output=True)
        with self._keys():
            build_deb._sign(folder, self.name)
        return folder

    def close(self) -> None:
        """End the program that holds the key."""
        with self._keys():
            subprocess.run(["gpgconf", "--kill", "all"], check=True)


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[Publisher]:
    with tempfile.TemporaryDirectory() as home:  # gpg makes a socket there, whose path must be short
        made = Publisher(tmp_path, Path(home), "table-hub")
        yield made
        made.close()


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    (tmp_path / "apt.conf").write_text('APT::Sandbox::User "root";\n')  # apt's own user may not read a folder of tests
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    monkeypatch.setattr(sticks, "FOR_STICKS", (tmp_path,))
    return Desk()


@pytest.fixture
def archives(desk: Desk, publisher: Publisher, tmp_path: Path) -> Archives:
    (tmp_path / "state").mkdir()
    return Archives(desk, tmp_path / "state", [tmp_path / "no.asc", publisher.key])


def names(files: list[Path]) -> list[str]:
    return [file.name for file in files]


def test_a_newer_version_on_a_stick_is_downloaded_for_what_is_installed(
    desk: Desk, archives: Archives, publisher: Publisher
) -> None:
    desk.plug_in(publisher.archive("stick/table-hub", "1.0", "1.1", kiosk=True).parent)
    version, files = archives.find({HUB: "1.0"})
    assert (version, names(files)) == ("1.1", ["table-hub_1.1_all.deb"])
    version, files = archives.find({HUB: "1.0", KIOSK: "1.0"})
    assert names(files) == ["table-hub-kiosk_1.1_all.deb", "table-hub_1.1_all.deb"]
    assert all(file.read_bytes() for file in files)


@pytest.mark.parametrize(("installed", "newer"), [("1.0~rc1", True), ("1.0", False), ("1.1", False)])
def test_only_a_newer_version_is_an_update(
    desk: Desk, archives: Archives, publisher: Publisher, installed: str, newer: bool
) -> None:
    desk.plug_in(publisher.archive("stick/table-hub", "1.0").parent)
    assert bool(archives.find({HUB: installed})[1]) == newer


def test_the_address_of_the_configuration_is_asked_after_the_sticks(
    desk: Desk, archives: Archives, publisher: Publisher
) -> None:
    desk.url = f"copy:{publisher.archive('server', '1.2')}"
    assert archives.find({HUB: "1.0"})[0] == "1.2"
    desk.plug_in(publisher.archive("stick/table-hub", "1.1").parent)
    assert archives.find({HUB: "1.0"})[0] == "1.1"
    assert archives.find({HUB: "1.1"})[0] == "1.2", "the stick has nothing newer"


def test_a_stick_whose_name_has_a_blank_is_read(desk: Desk, archives: Archives, publisher: Publisher) -> None:
    desk.plug_in(publisher.archive("MY STICK/table-hub", "1.1").parent)
    assert archives.find({HUB: "1.0"})[0] == "1.1"


@pytest.mark.parametrize("more", ["\ndeb [trusted=yes] copy:{0} ./", " ./ deb"])
def test_an_address_cannot_be_a_second_line_for_apt(
    desk: Desk, archives: Archives, publisher: Publisher, more: str
) -> None:
    desk.url = f"copy:{publisher.archive('server', '1.2')}" + more.format(publisher.folder)
    with pytest.raises(UpdateError, match=r"^\[updates\] url is no address\.$"):
        archives.find({HUB: "1.0"})


def test_a_stick_without_an_archive_is_no_source(desk: Desk, archives: Archives, tmp_path: Path) -> None:
    with pytest.raises(
        UpdateError, match=r"^there is no USB stick with the folder `table-hub`, and \[updates\] names no"
    ):
        archives.find({HUB: "1.0"})
    (tmp_path / "photos/table-hub").mkdir(parents=True)
    desk.plug_in(tmp_path / "photos")
    with pytest.raises(UpdateError, match=r"^there is no USB stick"):
        archives.find({HUB: "1.0"})


def test_an_archive_of_somebody_else_is_refused(
    desk: Desk, archives: Archives, publisher: Publisher, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory() as home:
        stranger = Publisher(tmp_path / "stranger", Path(home), "stranger")
        desk.plug_in(stranger.archive("stick/table-hub", "2.0").parent)
        stranger.close()
    with pytest.raises(SignatureError, match=r"^this update is damaged, or not signed with the key of your table-hub"):
        archives.find({HUB: "1.0"})


def test_an_archive_that_was_changed_after_it_was_signed_is_refused(
    desk: Desk, archives: Archives, publisher: Publisher
) -> None:
    archive = publisher.archive("stick/table-hub", "1.1")
    desk.plug_in(archive.parent)
    signed = (archive / "Packages").read_text()
    (archive / "Packages").write_text(signed.replace("1.1", "9.1"))
    with pytest.raises(SignatureError):
        archives.find({HUB: "1.0"})
    (archive / "Packages").write_text(signed)
    package = archive / "table-hub_1.1_all.deb"
    package.write_bytes(package.read_bytes()[:-1] + b"?")
    with pytest.raises(SignatureError):
        archives.find({HUB: "1.0"})


def test_an_archive_without_a_signature_is_refused(desk: Desk, archives: Archives, publisher: Publisher) -> None:
    archive = publisher.archive("server", "1.1")
    (archive / "InRelease").unlink()
    desk.url = f"copy:{archive}"
    with pytest.raises(UpdateError):
        archives.find({HUB: "1.0"})


def test_an_address_that_does_not_answer_is_no_wrong_signature(desk: Desk, archives: Archives) -> None:
    desk.url = "copy:/nowhere"
    with pytest.raises(UpdateError) as caught:
        archives.find({HUB: "1.0"})
    assert not isinstance(caught.value, SignatureError)


def test_without_a_key_nothing_is_trusted(desk: Desk, publisher: Publisher, tmp_path: Path) -> None:
    desk.plug_in(publisher.archive("stick/table-hub", "1.1").parent)
    with pytest.raises(UpdateError, match=r"^there is no key that signs updates: put it into .*/no\.asc\.$"):
        Archives(desk, tmp_path, [tmp_path / "no.asc"]).find({HUB: "1.0"})
