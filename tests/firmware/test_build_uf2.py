"""The file that an owner drags onto a Pico: read as its boot ROM reads it, mounted as MicroPython mounts it."""

from __future__ import annotations

import importlib
import re
import struct
import subprocess
from pathlib import Path

import pytest
from littlefs import LittleFS

from tests.firmware.pico import FAKE_BOARD, FIRMWARE, MICROPYTHON, needs_micropython

FLASH = 0x10000000
SECTOR = 4096


build_uf2 = importlib.import_module("firmware.build_uf2")  # a program, no package
BOARDS = sorted(build_uf2.BOARDS)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    compiled: dict[str, bytes] = build_uf2.compiled()
    return compiled


def flash_after(uf2: bytes, family: int, flash: bytearray) -> bytearray:
    """What the boot ROM does: every block checked, a sector erased before its first page is written."""
    assert len(uf2) % 512 == 0
    erased, numbers, counts = set(), [], set()
    for start in range(0, len(uf2), 512):
        first, second, flags, address, size, number, count, its = struct.unpack_from("<8I", uf2, start)
        assert (first, second) == (0x0A324655, 0x9E5D5157)
        assert struct.unpack_from("<I", uf2, start + 508) == (0x0AB16F30,)
        assert flags == 0x2000
        assert size == 256
        if its != family:
            continue
        assert address % 256 == 0
        assert FLASH <= address <= FLASH + len(flash) - size
        numbers.append(number)
        counts.add(count)
        at = address - FLASH
        if at // SECTOR not in erased:
            erased.add(at // SECTOR)
            flash[at - at % SECTOR : at - at % SECTOR + SECTOR] = b"\xff" * SECTOR
        assert flash[at : at + size] == b"\xff" * size, "a page is written once"
        flash[at : at + size] = uf2[start + 32 : start + 32 + size]
    assert numbers == list(range(len(numbers)))
    assert counts == {len(numbers)}
    return flash


def mounted(image: bytes) -> dict[str, bytes]:
    disk = LittleFS(block_size=SECTOR, block_count=len(image) // SECTOR, prog_size=256, read_size=32, mount=False)
    disk.context.buffer = bytearray(image)
    disk.mount()
    found = {}
    for name in disk.listdir("/"):
        with disk.open(name, "rb") as file:
            found[name] = file.read()
    return found


def storage(board: str, flash: bytearray) -> bytes:
    return bytes(flash[-build_uf2.BOARDS[board].storage :])


@pytest.mark.parametrize("board", BOARDS)
def test_the_boot_rom_and_the_file_system_read_back_every_file(board: str, files: dict[str, bytes]) -> None:
    it = build_uf2.BOARDS[board]
    flash = flash_after(build_uf2.build(it, files), it.family, bytearray(b"\xff" * it.flash))
    assert mounted(storage(board, flash)) == files
    assert set(files) == {"main.py"} | {f"{file.stem}.mpy" for file in FIRMWARE.glob("*.py") if file.stem != "main"}
    assert set(flash[: it.flash - it.storage]) == {0xFF}, "nothing is written outside the file system"


def test_the_same_box_makes_the_same_file(files: dict[str, bytes]) -> None:
    board = build_uf2.BOARDS["RPI_PICO"]
    assert build_uf2.build(board, files) == build_uf2.build(board, build_uf2.compiled())


def test_a_pico_that_was_used_before_has_only_the_new_files(files: dict[str, bytes]) -> None:
    """Its old root was written more often than ours, in both of its sectors."""
    board = build_uf2.BOARDS["RPI_PICO"]
    old = LittleFS(block_size=SECTOR, block_count=board.storage // SECTOR, prog_size=256, read_size=32)
    for number in range(400):
        with old.open(f"old-{number % 7}.py", "wb") as file:
            file.write(b"old " * number)
    old.unmount()
    flash = bytearray(b"\xff" * (board.flash - board.storage)) + bytearray(old.context.buffer)
    assert mounted(storage("RPI_PICO", flash)).keys() == {f"old-{number}.py" for number in range(7)}
    flash = flash_after(build_uf2.build(board, files), board.family, flash)
    assert mounted(storage("RPI_PICO", flash)) == files


def test_both_sectors_of_the_root_are_written_though_one_were_empty() -> None:
    image = b"root".ljust(SECTOR, b"\xff") + b"\xff" * 3 * SECTOR + b"file".ljust(SECTOR, b"\xff") + b"\xff" * SECTOR
    blocks = build_uf2.pages(image, build_uf2.Storage(FLASH, len(image)), 1)
    assert sorted({(block.address - FLASH) // SECTOR for block in blocks}) == [0, 1, 4]
    assert len(blocks) == 3 * 16


MOUNTS = """
import sys, vfs
with open(sys.argv[1], "rb") as file:
    image = bytearray(file.read())

class Flash:  # as rp2.Flash: 4096 bytes a block
    def readblocks(self, block, buffer, offset=0):
        at = block * 4096 + offset
        buffer[:] = image[at : at + len(buffer)]

    def writeblocks(self, block, buffer, offset=None):
        raise OSError("mounting writes nothing")

    def ioctl(self, what, _):
        return {4: len(image) // 4096, 5: 4096}.get(what, 0)

vfs.mount(vfs.VfsLfs2(Flash(), progsize=256), "/flash")
sys.path.insert(0, "/flash")
import os
assert sorted(os.listdir("/flash")) == sys.argv[2].split(), os.listdir("/flash")
import box, loop
assert loop.__file__ == "/flash/loop.mpy"
print(box.VERSION, box.Box("e661640843210a2b").boot)
"""


@needs_micropython
def test_micropython_mounts_it_and_the_box_runs_from_its_compiled_files(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    board = build_uf2.BOARDS["RPI_PICO"]
    flash = flash_after(build_uf2.build(board, files), board.family, bytearray(b"\xff" * board.flash))
    (tmp_path / "image").write_bytes(storage("RPI_PICO", flash))
    (tmp_path / "mounts.py").write_text(MOUNTS, encoding="utf-8")
    done = subprocess.run(
        [MICROPYTHON, "-X", "heapsize=32M", tmp_path / "mounts.py", tmp_path / "image", " ".join(sorted(files))],
        env={"MICROPYPATH": f"{FAKE_BOARD}:.frozen"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split()[0] == build_uf2.version()


def test_the_trays_file_holds_every_module_that_its_program_asks_for() -> None:
    sources = build_uf2.PROGRAMS["tray"]
    names = {source.stem for source in sources}
    asked = {
        name
        for source in sources
        for name in re.findall(r"^(?:import|from) (\w+)", source.read_text("utf-8"), re.MULTILINE)
    }
    of_micropython = {"array", "hashlib", "json", "machine", "micropython", "neopixel", "os", "select", "sys", "time"}
    of_micropython |= {"framebuf", "math"}
    assert asked <= names | of_micropython
    assert {"main.py", "tray.mpy", "reader.mpy"} <= set(build_uf2.compiled(sources))
    assert build_uf2.version(sources)


# --- with MicroPython in front -----------------------------------------------------------------------------


def micropython_uf2(
    family: int, size: int = 64 * 1024, says: tuple[int, int] | None = None, absolute: bool = False
) -> bytes:
    """A program of that size for that family, with what a real one says of its file system."""
    program = bytearray(range(256)) * (size // 256)
    if says:
        entry, name = FLASH + 0x2000, FLASH + 0x30FA  # a name that goes over the end of a page
        struct.pack_into("<5I", program, 0x1D4, 0x7188EBF2, FLASH + 0x1000, FLASH + 0x1008, 0, 0xE71AA390)
        struct.pack_into("<2I", program, 0x1000, FLASH + 0x2100, entry)
        struct.pack_into("<HHII", program, 0x2100, 6, 0x5052, 0x02031C86, name)
        struct.pack_into("<HHIIIIH", program, 0x2000, 7, 0x504D, name, says[0], says[1], 0, 3)
        program[0x30FA : 0x30FA + 12] = b"MicroPython\0"
    blocks = [build_uf2.Block(family, FLASH + at, bytes(program[at : at + 256])) for at in range(0, size, 256)]
    if absolute:  # as MicroPython for the RP2350 begins
        blocks.insert(0, build_uf2.Block(0xE48BFF57, FLASH + 0xFFFF00, bytes(256)))
    uf2: bytes = build_uf2.write_uf2(blocks)
    return uf2


@pytest.mark.parametrize("board", BOARDS)
def test_with_micropython_in_front_it_is_one_file_and_both_are_whole(board: str, files: dict[str, bytes]) -> None:
    it = build_uf2.BOARDS[board]
    program = micropython_uf2(it.family, absolute=board == "RPI_PICO2")
    flash = flash_after(build_uf2.build(it, files, program), it.family, bytearray(b"\xff" * it.flash))
    assert mounted(storage(board, flash)) == files
    assert flash[: 64 * 1024] == bytearray(range(256)) * 256


def test_where_this_micropython_keeps_its_files_counts_before_the_table(files: dict[str, bytes]) -> None:
    """Else MicroPython would find no file system there and make an empty one."""
    board = build_uf2.BOARDS["RPI_PICO"]
    size = 1024 * 1024
    program = micropython_uf2(board.family, says=(FLASH + board.flash - size, size))
    flash = flash_after(build_uf2.build(board, files, program), board.family, bytearray(b"\xff" * board.flash))
    assert mounted(bytes(flash[-size:])) == files


@pytest.mark.parametrize(
    ("micropython", "why"),
    [
        (b"", None),
        (b"MZ" * 256, "no UF2 file"),
        (b"UF2\n" * 100, "download it again"),
        (micropython_uf2(0xE48BFF59), "another processor"),
        (micropython_uf2(0xE48BFF56, size=700 * 1024), "another board"),
    ],
)
def test_a_file_that_cannot_be_right_is_refused_with_a_sentence(
    micropython: bytes, why: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mp.uf2").write_bytes(micropython or micropython_uf2(0xE48BFF56))
    out = tmp_path / "box.uf2"
    code = build_uf2.main(["--micropython", str(tmp_path / "mp.uf2"), "-o", str(out)])
    said = capsys.readouterr()
    assert code == (1 if why else 0)
    assert out.exists() == (why is None)
    assert (why or "BOOTSEL") in said.out + said.err


def test_a_missing_file_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert build_uf2.main(["--micropython", str(tmp_path / "none.uf2"), "-o", str(tmp_path / "box.uf2")]) == 1
    assert "none.uf2" in capsys.readouterr().err


def test_the_file_for_the_box_alone_says_what_must_come_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_uf2.main(["-o", str(tmp_path / "box.uf2")]) == 0
    assert "MicroPython's own UF2" in capsys.readouterr().out
