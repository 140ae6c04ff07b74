"""Draw every drawing of the builder's book and write its tables: `make drawings`.

After a change of the firmware's table of pins, of parts.toml or of housing.toml. The drawings lie beside this file; a
table stands in README.md between two comments that name it.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from firmware.hardware import housing, parts, perfboard, power
from firmware.hardware.circuit import PlacedWrong, nets
from firmware.hardware.schematic import Schematic, differences, read

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BOOK = HERE / "README.md"


def drawings() -> dict[Path, str]:
    """Return every drawing by its file. Raise PlacedWrong or ValueError where the data cannot be drawn, or would be wrong."""
    wanted, schematic = nets(), Schematic()
    wrong = [*differences(read(schematic), wanted), *differences(perfboard.read(), wanted), *perfboard.clashes()]
    if wrong:
        raise PlacedWrong("; ".join(wrong))
    found = {
        HERE / "schematic.svg": schematic.sheet.finish(),
        HERE / "perfboard.svg": perfboard.View(copper=False).sheet.finish(),
        HERE / "perfboard-copper.svg": perfboard.View(copper=True).sheet.finish(),
        ROOT / "firmware" / "wiring.svg": importlib.import_module("firmware.draw_wiring").drawing(),
    }
    boards = housing.drawings(housing.load())
    for name, drawing in boards.items():
        found[HERE / f"{name}.svg"] = drawing.svg()
    found[HERE / "housing.dxf"] = boards["housing"].dxf()
    upright = [f"{name}.svg" for name, drawing in boards.items() if drawing.size == housing.PAGE]
    found[HERE / "print.html"] = pages(["schematic.svg", "perfboard.svg", "perfboard-copper.svg"], upright)
    return found


def pages(wide: Sequence[str], upright: Sequence[str]) -> str:
    """Return a page for a browser that prints drawings of A4 as large as they are: a picture alone it would shrink."""
    images = [
        f'<img class="{kind}" src="{name}" alt="{name}">'
        for kind, names in (("wide", wide), ("upright", upright))
        for name in names
    ]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Seat box: all drawings, A4</title>',
            "<style>@page wide { size: A4 landscape; margin: 0 } @page upright { size: A4; margin: 0 }",
            "body { margin: 0 } img { display: block; break-after: page } img:last-child { break-after: auto }",
            ".wide { page: wide; width: 297mm; height: 209.9mm } .upright { page: upright; width: 210mm; height: 297mm }</style>",
            *images,
            "</html>",
            "",
        ]
    )


def tables() -> dict[str, str]:
    """Return every table of the book by its name."""
    return {
        "parts of a box": parts.table("box"),
        "parts of a tray": parts.table("tray"),
        "parts of a table": parts.table("table"),
        "parts of rings": parts.table("ring"),
        "other parts": parts.table("other"),
        "power of a box": power.table_of_a_box(),
        "power of a hub": power.table_of_hubs(),
    }


def book(text: str) -> str:
    """Return the book with its tables as they are now. Raise ValueError where one has no place, or is not known."""
    made = tables()
    places = re.findall(r"<!-- table: (.*?) -->", text)
    if sorted(places) != sorted(made):
        raise ValueError(f"the book has places for {', '.join(places)}, and there are {', '.join(made)}")
    for name, table in made.items():
        before, rest = text.split(f"<!-- table: {name} -->\n", 1)
        text = f"{before}<!-- table: {name} -->\n{table}\n<!-- end -->{rest.split('<!-- end -->', 1)[1]}"
    return text


def main(argv: Sequence[str] | None = None) -> int:
    """Draw; return 0 when all is written."""
    argparse.ArgumentParser(prog="make drawings", description=__doc__).parse_args(argv)
    try:
        files = drawings()
        files[BOOK] = book(BOOK.read_text("utf-8"))
    except (PlacedWrong, ValueError) as error:
        print(f"Nothing was drawn: {error}", file=sys.stderr)
        return 1
    for file, text in files.items():
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
            print(f"{file.relative_to(ROOT)} is new.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
