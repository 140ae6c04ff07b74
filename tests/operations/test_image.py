"""What the SD card image is made of, without building it: partitions, files, list of parts, manifest."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = ROOT / "systemd" / "image"
WHEN = 1_790_000_000  # 2026-09-21
_spec = importlib.util.spec_from_file_location("build_image", ROOT / "systemd" / "build_image.py")
assert _spec
assert _spec.loader
build_image = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build_image)


def layout(key: str) -> list[str]:
    return re.findall(rf'^\s*{key} = "?([^"\n]+)', (FILES / "genimage.cfg").read_text("utf-8"), re.MULTILINE)


def test_the_card_has_an_mbr_and_the_partition_that_grows_comes_last() -> None:
    assert layout("partition-table-type") == ["mbr"]
    assert layout("image") == ["firmware.vfat", "root.ext4", "data.ext4"]


def test_the_image_fits_on_a_card_of_8_gb() -> None:
    assert sum(int(size.removesuffix("M")) for size in layout("size")) << 20 < 7_500_000_000


def test_every_partition_is_mounted_by_its_label() -> None:
    lines = (FILES / "root/etc/fstab").read_text("utf-8").splitlines()
    mounts = {line.split()[0].removeprefix("LABEL="): line.split()[1] for line in lines if line.startswith("LABEL=")}
    settings = (FILES / "root/etc/default/raspi-firmware").read_text("utf-8")
    root = re.search(r'^ROOTPART="LABEL=(.+)"$', settings, re.MULTILINE)
    assert root
    assert {root[1]: "/", **mounts} == dict(zip(layout("label"), layout("mountpoint"), strict=True))


def test_only_the_data_partition_is_written_to() -> None:
    fstab = (FILES / "root/etc/fstab").read_text("utf-8")
    writable = [line.split()[1] for line in fstab.splitlines() if line.startswith("LABEL") and " ro," not in line]
    assert writable == ["/data"]
    assert (FILES / "root/etc/default/raspi-extra-cmdline").read_text("utf-8").split()[0] == "ro"


def test_what_lasts_moves_to_the_data_partition_and_is_mounted_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "etc/table-hub").mkdir(parents=True)
    (tmp_path / "etc/table-hub/table-hub.toml").write_text("[hub]\n", "utf-8")
    (tmp_path / "etc/fstab").write_text("# first\n", "utf-8")
    build_image.keep_apart(tmp_path)
    assert (tmp_path / "data/etc/table-hub/table-hub.toml").read_text("utf-8") == "[hub]\n"
    assert list((tmp_path / "etc/table-hub").iterdir()) == []
    first, *lines = (tmp_path / "etc/fstab").read_text("utf-8").splitlines()
    assert first == "# first"
    assert lines == [f"/data/{name} /{name} none bind 0 0" for name in build_image.KEPT]
    assert all((tmp_path / name).is_dir() and (tmp_path / "data" / name).is_dir() for name in build_image.KEPT)


def test_no_kept_folder_is_inside_another() -> None:
    kept = [Path(name) for name in build_image.KEPT]
    assert [(one, other) for one in kept for other in kept if one in other.parents] == []


def test_packages_are_named_once_and_hold_hub_kernel_and_firmware() -> None:
    packages = build_image.packages("arm64")
    assert len(packages) == len(set(packages))
    assert {"table-hub", "table-hub-kiosk", "linux-image-arm64", "raspi-firmware", "busybox"} <= set(packages)
    other = build_image.packages("amd64")
    assert "linux-image-amd64" in other
    assert not {"linux-image-arm64", "raspi-firmware"} & set(other)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", name) for name in packages)


def test_every_service_of_the_image_is_enabled() -> None:
    ours = {file.stem for file in (FILES / "root/etc/systemd/system").glob("*.service")}
    assert ours == set(build_image.SERVICES)


def test_the_kernel_comes_from_backports_which_apt_is_told_of() -> None:
    lines = build_image.sources("http://one.example/debian", "http://two.example/security")
    assert "deb http://one.example/debian trixie-backports main non-free-firmware" in lines
    assert "deb http://two.example/security trixie-security main non-free-firmware" in lines
    assert "Pin: release n=trixie-backports" in (FILES / "root/etc/apt/preferences.d/table-hub").read_text("utf-8")


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("", (build_image.MIRROR, build_image.SECURITY)),
        ("Debian http://one.example/debian/", ("http://one.example/debian", build_image.SECURITY)),
        ("Debian-Security http://two.example/s/", (build_image.MIRROR, "http://two.example/s")),
        ("Debian Backports http://three.example/", (build_image.MIRROR, build_image.SECURITY)),
        ("Raspbian http://four.example/", (build_image.MIRROR, build_image.SECURITY)),
    ],
)
def test_debian_comes_from_where_this_computer_takes_it(
    monkeypatch: pytest.MonkeyPatch, listed: str, expected: tuple[str, str]
) -> None:
    monkeypatch.setattr(build_image, "_output", lambda *_: listed)
    monkeypatch.setattr(build_image.shutil, "which", lambda _: "/usr/bin/apt-get")
    assert build_image.own_mirrors() == expected


def test_a_computer_without_apt_names_the_archives_of_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_image.shutil, "which", lambda _: None)
    assert build_image.own_mirrors() == (build_image.MIRROR, build_image.SECURITY)


def test_a_pc_finds_kernel_and_options_where_a_raspberry_pi_does(tmp_path: Path) -> None:
    (tmp_path / "boot").mkdir()
    (tmp_path / "boot/vmlinuz-7-amd64").write_text("kernel", "utf-8")
    (tmp_path / "boot/initrd.img-7-amd64").write_text("initramfs", "utf-8")
    options = tmp_path / "etc/default/raspi-extra-cmdline"
    options.parent.mkdir(parents=True)
    options.write_text("ro quiet\n", "utf-8")
    build_image._place_kernel(tmp_path)
    firmware = tmp_path / "boot/firmware"
    assert (firmware / "config.txt").read_text("utf-8") == "kernel=vmlinuz-7-amd64\ninitramfs initrd.img-7-amd64\n"
    assert (firmware / "cmdline.txt").read_text("utf-8") == "root=LABEL=table-hub-root ro quiet\n"
    assert (firmware / "vmlinuz-7-amd64").read_text("utf-8") == "kernel"
    assert (tmp_path / "boot/initrd.img-7-amd64").exists()  # a later kernel is installed from here


def test_no_machine_gets_the_identity_of_the_one_that_built_the_image(tmp_path: Path) -> None:
    secrets = [
        "etc/machine-id",
        "etc/resolv.conf",
        "etc/ssh/ssh_host_ed25519_key",
        "var/lib/systemd/random-seed",
        "var/log/apt/term.log",
    ]
    for name in [*secrets, "etc/ssh/sshd_config"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("made while building", "utf-8")
    build_image._clean(tmp_path)
    assert [name for name in secrets if (tmp_path / name).exists() and (tmp_path / name).read_text("utf-8")] == []
    assert (tmp_path / "etc/ssh/sshd_config").exists()
    assert (tmp_path / "etc/machine-id").read_text("utf-8") == ""
    assert (tmp_path / "etc/resolv.conf").readlink() == Path("/run/NetworkManager/resolv.conf")


def test_systemd_brings_nothing_up_to_date_at_each_start(tmp_path: Path) -> None:
    for name in ("etc", "usr", "var"):
        (tmp_path / name).mkdir()
    build_image._clean(tmp_path)
    build_image._clamp_times(tmp_path, WHEN)
    usr = (tmp_path / "usr").stat().st_mtime
    assert [(tmp_path / name / ".updated").stat().st_mtime >= usr for name in ("etc", "var")] == [True, True]


def test_only_files_younger_than_the_commit_get_its_time(tmp_path: Path) -> None:
    old, young, link = tmp_path / "old", tmp_path / "young", tmp_path / "link"
    old.touch()
    young.touch()
    link.symlink_to("nowhere")
    os.utime(old, (WHEN - 5, WHEN - 5))
    for file in (young, link):
        os.utime(file, (WHEN + 5, WHEN + 5), follow_symlinks=False)
    build_image._clamp_times(tmp_path, WHEN)
    assert [int(file.lstat().st_mtime) - WHEN for file in (old, young, link)] == [-5, 0, 0]


def test_packages_that_were_not_built_are_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"table-hub_\*_arm64\.deb: `make deb"):
        build_image._make_repository(tmp_path, tmp_path / "packages", "arm64")


@pytest.mark.parametrize("name", ["hooks/table-hub", "scripts/init-bottom/table-hub"])
def test_scripts_of_the_initramfs_need_no_others_first(name: str) -> None:
    script = FILES / "root/etc/initramfs-tools" / name
    assert script.stat().st_mode & 0o111
    done = subprocess.run(["sh", script, "prereqs"], check=True, capture_output=True, text=True)
    assert done.stdout == ""


@pytest.mark.parametrize(("machine", "emulator"), [("x86_64", ["qemu-user-static"]), ("aarch64", [])])
def test_only_another_processor_needs_an_emulator(
    monkeypatch: pytest.MonkeyPatch, machine: str, emulator: list[str]
) -> None:
    monkeypatch.setattr(build_image.platform, "machine", lambda: machine)
    monkeypatch.setattr(build_image.shutil, "which", lambda _: None)
    assert build_image.missing_packages("arm64") == sorted([*build_image.TOOLS.values(), *emulator])
    monkeypatch.setattr(build_image.shutil, "which", lambda tool: f"/usr/bin/{tool}")
    assert build_image.missing_packages("arm64") == []


def test_the_list_of_parts_is_spdx_with_ids_of_its_own_for_each_part() -> None:
    parts = [("deb/debian", "libstdc++6", "14.2.0-19"), ("deb/debian", "zstd", "1:1~x+b1"), ("pypi", "zstd", "1")]
    listed = build_image.spdx(parts, WHEN)
    assert listed["spdxVersion"] == "SPDX-2.3"
    assert listed["creationInfo"]["created"] == "2026-09-21T14:13:20Z"
    ids = [part["SPDXID"] for part in listed["packages"]]
    assert len(set(ids)) == len(parts)
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", one) for one in ids)
    assert [one["relatedSpdxElement"] for one in listed["relationships"]] == ids
    assert listed["packages"][1]["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/zstd@1%3A1~x%2Bb1"


def test_the_manifest_says_all_that_the_imager_requires(tmp_path: Path) -> None:
    image, packed = tmp_path / "table-hub.img", tmp_path / "table-hub.img.xz"
    image.write_bytes(b"image")
    packed.write_bytes(b"xz")
    entries = build_image.manifest(image, packed, "https://hub.example/table-hub.img.xz", WHEN)
    assert list(entries) == ["os_list"]  # its schema allows that and "imager" only
    entry = json.loads(json.dumps(entries))["os_list"][0]
    texts = {"name", "description", "icon", "url", "extract_sha256", "release_date", "init_format", "architecture"}
    assert {key for key, value in entry.items() if isinstance(value, str)} == texts
    assert (entry["extract_size"], entry["image_download_size"]) == (5, 2)
    assert entry["extract_sha256"] == "6105d6cc76af400325e94d588ce511be5bfdbb73b437dc51eca43917d7a43e3d"
    assert entry["release_date"] == "2026-09-21"
    assert entry["devices"] == ["pi3-64bit", "pi4-64bit", "pi5-64bit"]
