"""What two runs of the gallery show differently: for each picture the share of pixels that changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

NOTICED = 16  # of 255: less is the smoothing of letters


@dataclass(frozen=True)
class Change:
    """One picture that differs: `share` of its pixels, from 0 to 1; `marked` shows where. A picture alone has 1."""

    file: str
    share: float
    before: str = ""
    marked: str = ""


def compare(before: Path, now: Path, marks: Path) -> list[Change]:
    """Return what differs between the pictures of two folders, most changed first; what is marked lies in `marks`."""
    files = {str(file.relative_to(folder)) for folder in (before, now) for file in folder.rglob("*.png")}
    found = [change for file in sorted(files) if (change := _change(before, now, marks, file))]
    return sorted(found, key=lambda change: (-change.share, change.file))


def _change(before: Path, now: Path, marks: Path, file: str) -> Change | None:
    if not (before / file).is_file() or not (now / file).is_file():
        return Change(file, 1.0)
    if (before / file).read_bytes() == (now / file).read_bytes():
        return None
    one, two = (_opened(folder / file) for folder in (before, now))
    size = max(one.width, two.width), max(one.height, two.height)
    old, new = (_on_ground(picture, size) for picture in (one, two))
    spots = ImageChops.difference(old, new).convert("L").point(lambda level: 255 if level > NOTICED else 0)
    changed = spots.histogram()[255]
    if not changed:
        return None
    marked = Image.composite(
        Image.new("RGB", size, "#ff2060"), Image.blend(new, Image.new("RGB", size, "white"), 0.6), spots
    )
    (marks / file).parent.mkdir(parents=True, exist_ok=True)
    marked.save(marks / file)
    one.save((marks / file).with_suffix(".before.png"))
    name = str(Path(file).with_suffix(".before.png"))
    return Change(file, changed / (size[0] * size[1]), name, file)


def _opened(file: Path) -> Image.Image:
    with Image.open(file) as picture:
        return picture.convert("RGB")


def _on_ground(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    ground = Image.new("RGB", size, "#808080")
    ground.paste(picture, (0, 0))
    return ground
