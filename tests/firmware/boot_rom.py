"""The boot ROMs' rules for a UF2 file that is copied to their drive, after their maker's published sources.

Not what this project believes: the conditions, their order and what is counted follow
- RP2040: raspberrypi/pico-bootrom-rp2040, bootrom/virtual_disk.c (`vd_write_block`, `_update_current_uf2_info`,
  `_write_uf2_page`, `_write_uf2_page_complete`), B2; B0 and B1 say the same;
- RP2350: raspberrypi/pico-bootrom-rp2350, src/nsboot/usb_virtual_disk.c (the same four), A2, without a partition table.

Left out: downloads into RAM, which no box uses, and the limit on the number of blocks (over 120 000).
"""

from __future__ import annotations

import struct

FLASH = 0x10000000
SECTOR = 4096  # bytes that are erased at once
PAGE = 256  # bytes of a block

RP2040, ABSOLUTE, RP2350_ARM = 0xE48BFF56, 0xE48BFF57, 0xE48BFF59
_NOT_FOR_FLASH, _HAS_FAMILY = 0x00000001, 0x00002000


class BootRom:
    """A board that waits as a drive. What is copied to it goes into `flash` and stays there when it restarts."""

    families: frozenset[int]
    flash_window: int  # bytes of addresses that count as flash

    def __init__(self, flash: bytearray) -> None:
        self.flash = flash
        self.restarts = 0  # downloads that were complete; the board restarts within a second of one
        self._family = 0
        self._count = 0  # 0: no download is on
        self._seen: set[int] = set()
        self._erased: set[int] = set()

    def copy(self, uf2: bytes) -> None:
        """Take in a file as a computer writes it, block after block."""
        for start in range(0, len(uf2), 512):
            self.block(uf2[start : start + 512])

    def block(self, block: bytes) -> None:
        """Take in one block of 512 bytes; what the ROM does not accept is passed over."""
        begin, second, flags, address, size, number, count, family = struct.unpack_from("<8I", block)
        (end,) = struct.unpack_from("<I", block, 508)
        if (begin, second, end) != (0x0A324655, 0x9E5D5157, 0x0AB16F30):
            return
        if not flags & _HAS_FAMILY or flags & _NOT_FOR_FLASH or size != PAGE or family not in self.families:
            return
        if not self._fits(address, count):
            self._count = 0
            return
        if self._begins(family, count):
            self._family, self._count = family, count
            self._seen, self._erased = set(), set()
        if number >= count:
            self._count = 0
            return
        if number not in self._seen:  # else it was written before and is passed over
            self._seen.add(number)
            self._write(address, number, block[32 : 32 + PAGE])
        if len(self._seen) == self._count:
            self.restarts += 1

    def _fits(self, address: int, count: int) -> bool:
        return count > 0 and FLASH <= address <= FLASH + self.flash_window and address % PAGE == 0

    def _begins(self, family: int, count: int) -> bool:
        """Return whether a block belongs to another download than the one that is on."""
        raise NotImplementedError

    def _sector(self, address: int, number: int) -> int:
        """Return what the ROM takes for the number of the sector, when it asks itself whether that one is erased."""
        raise NotImplementedError

    def _write(self, address: int, number: int, payload: bytes) -> None:
        at = (address - FLASH) % len(self.flash)  # a chip has no pins for addresses above its size
        if (sector := self._sector(address, number)) not in self._erased:
            self._erased.add(sector)
            begin = at - at % SECTOR
            self.flash[begin : begin + SECTOR] = b"\xff" * SECTOR
        # What flash does when it is written without having been erased: ones become zeros, and never the other way.
        self.flash[at : at + PAGE] = bytes(
            old & new for old, new in zip(self.flash[at : at + PAGE], payload, strict=True)
        )


class Rp2040(BootRom):
    """The Pico: a sector is known by the number of the block (erratum RP2040-E14)."""

    families = frozenset({RP2040})
    flash_window = 0x10000000  # up to the RAM

    def _begins(self, family: int, count: int) -> bool:
        return count != self._count

    def _sector(self, address: int, number: int) -> int:
        return number * PAGE // SECTOR


class Rp2350(BootRom):
    """The Pico 2: a sector is known by its address; another family is another download."""

    families = frozenset({ABSOLUTE, RP2350_ARM})  # of those that an unpartitioned flash takes: what a box's file holds
    flash_window = 32 * 1024 * 1024

    def _begins(self, family: int, count: int) -> bool:
        return (count, family) != (self._count, self._family)

    def _sector(self, address: int, number: int) -> int:
        return (address - FLASH) // SECTOR


ROMS: dict[int, type[BootRom]] = {RP2040: Rp2040, RP2350_ARM: Rp2350}


def absolute_block() -> bytes:
    """Return the block with which MicroPython for the RP2350 begins, the cure of erratum RP2350-E10.

    As raspberrypi/picotool writes it (elf2uf2/elf2uf2.cpp, `gen_abs_block`): the first of two, so that it never is a
    whole download, with the extension tag that has later tools pass over it.
    """
    flags = _HAS_FAMILY | 0x00008000
    head = struct.pack("<8I", 0x0A324655, 0x9E5D5157, flags, FLASH + 0xFFFF00, PAGE, 0, 2, ABSOLUTE)
    return head + (b"\xef" * PAGE + struct.pack("<I", 0x9957E304)).ljust(476, b"\0") + struct.pack("<I", 0x0AB16F30)
