"""The file that an owner drags onto a Pico: read as its boot ROM reads it, mounted as MicroPython mounts it."""

from __future__ import annotations

import hashlib
import importlib
import os
import random
import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest
from littlefs import LittleFS

from drivers.common.frames import ShortWord
from tests.firmware.boot_rom import ROMS, absolute_block
from tests.firmware.pico import FAKE_BOARD, FIRMWARE, MICROPYTHON, ROOT, needs_micropython, needs_real_micropython

FLASH = 0x10000000
SECTOR = 4096


build_uf2 = importlib.import_module("firmware.build_uf2")  # a program, no package
BOARDS = sorted(build_uf2.BOARDS)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    compiled: dict[str, bytes] = build_uf2.compiled()
    return compiled


def flash_after(uf2: bytes, family: int, flash: bytearray) -> bytearray:
    """What lies in the flash when the file was copied to the drive. The board restarts once, and not before the end."""
    rom = ROMS[family](flash)
    rom.copy(uf2[:-512])
    assert rom.restarts == 0, "the board restarts while its file is still being copied"
    rom.copy(uf2[-512:])
    assert rom.restarts == 1
    return rom.flash


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


@pytest.mark.slow  # all of them together
@pytest.mark.parametrize("board", BOARDS)
def test_the_same_sources_make_the_same_file_with_its_checksum_beside_it(board: str, tmp_path: Path) -> None:
    made = []
    for run, where in enumerate((FIRMWARE.parents[1], tmp_path)):  # another process, hash seed and working folder
        out = tmp_path / str(run) / "box.uf2"
        out.parent.mkdir()
        subprocess.run(
            [sys.executable, FIRMWARE.parent / "build_uf2.py", "--board", board, "-o", out],
            cwd=where,
            env=os.environ | {"PYTHONHASHSEED": str(run), "TZ": f"X{run}"},
            check=True,
            capture_output=True,
            timeout=60,
        )
        made.append(out.read_bytes())
        checksum = Path(f"{out}.sha256").read_text("ascii")
        assert checksum == f"{hashlib.sha256(made[-1]).hexdigest()}  box.uf2\n"
    assert made[0] == made[1]


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


@pytest.mark.parametrize("program", ["box", "tray"])
def test_another_byte_of_the_program_is_another_version_of_this_release(program: str, tmp_path: Path) -> None:
    sources = build_uf2.PROGRAMS[program]
    now = build_uf2.version(sources)
    assert now == build_uf2.version(sources)
    number, _, digest = now.partition("-")
    assert number == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert re.fullmatch("[0-9a-f]{6}", digest)
    assert msgspec.convert(now, ShortWord) == now, "the hub takes it in a hello"
    for name in ("link.py", "main.py", "pins.py"):
        changed = tmp_path / name
        changed.write_text(
            f"{next(one for one in sources if one.name == name).read_text('utf-8')}\nmore = 1\n", "utf-8"
        )
        others = [changed if source.name == name else source for source in sources]
        assert build_uf2.version(others) != now, name
    assert now.encode() in build_uf2.compiled(sources)["version.mpy"]


def test_a_release_with_too_long_a_number_is_refused_when_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_uf2, "release", lambda: "10.10.10rc1")
    with pytest.raises(build_uf2.BuildError, match="too long for a box's hello"):
        build_uf2.version()


def test_box_and_tray_say_versions_of_their_own() -> None:
    assert build_uf2.version() != build_uf2.version(build_uf2.PROGRAMS["tray"])


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
    uf2: bytes = build_uf2.write_uf2(blocks)
    return absolute_block() + uf2 if absolute else uf2


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("pages", range(256, 272))
def test_with_micropython_in_front_it_is_one_file_and_both_are_whole(
    board: str, pages: int, files: dict[str, bytes]
) -> None:
    """All 16 lengths that MicroPython's last sector may have: the RP2040's boot ROM counts sectors by blocks."""
    it = build_uf2.BOARDS[board]
    program = micropython_uf2(it.family, size=pages * 256, absolute="PICO2" in board)
    used = bytearray(b"\0" * it.flash)  # a board that was used before: nothing in it is erased
    flash = flash_after(build_uf2.build(it, files, program), it.family, used)
    assert mounted(storage(board, flash)) == files
    assert flash[: pages * 256] == bytearray(range(256)) * pages


def test_the_order_in_which_a_computer_writes_the_blocks_does_not_matter(files: dict[str, bytes]) -> None:
    """Whoever copies writes when and in which order it likes: a drive has no notion of a file's beginning."""
    board = build_uf2.BOARDS["RPI_PICO"]
    uf2 = build_uf2.build(board, files, micropython_uf2(board.family, size=262 * 256))
    blocks = [uf2[start : start + 512] for start in range(0, len(uf2), 512)]
    random.Random(5).shuffle(blocks)
    flash = flash_after(b"".join(blocks), board.family, bytearray(board.flash))
    assert mounted(storage("RPI_PICO", flash)) == files
    assert flash[: 262 * 256] == bytearray(range(256)) * 262


def test_a_micropython_with_a_gap_in_it_is_whole_too(files: dict[str, bytes]) -> None:
    board = build_uf2.BOARDS["RPI_PICO"]
    pages = [*range(5), *range(40, 51)]
    blocks = [build_uf2.Block(board.family, FLASH + page * 256, bytes([page]) * 256) for page in pages]
    uf2 = build_uf2.build(board, files, build_uf2.write_uf2(blocks))
    flash = flash_after(uf2, board.family, bytearray(board.flash))
    assert mounted(storage("RPI_PICO", flash)) == files
    assert all(flash[page * 256 : page * 256 + 256] == bytes([page]) * 256 for page in pages)


def test_the_block_that_is_not_for_this_processor_stays_first_and_as_it_was(files: dict[str, bytes]) -> None:
    """Counted anew as "0 of 1" it would be a whole download, after which the Pico 2 restarts."""
    board = build_uf2.BOARDS["RPI_PICO2"]
    uf2 = build_uf2.build(board, files, micropython_uf2(board.family, absolute=True))
    assert uf2[:512] == absolute_block()
    assert [struct.unpack_from("<I", uf2, start + 28)[0] for start in range(512, len(uf2), 512)] == (
        [board.family] * (len(uf2) // 512 - 1)
    )


@needs_real_micropython
def test_the_real_micropython_in_one_file_is_whole(files: dict[str, bytes]) -> None:
    board = build_uf2.BOARDS["RPI_PICO"]
    program = Path(os.environ["MICROPYTHON_UF2"]).read_bytes()
    flash = flash_after(build_uf2.build(board, files, program), board.family, bytearray(board.flash))
    assert mounted(storage("RPI_PICO", flash)) == files
    for block in build_uf2.read_uf2(program):
        at = block.address - FLASH
        assert flash[at : at + 256] == block.payload


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
