"""The page `configuration.md`, from the types: every key, what it may be, its default and what it is for.

`make renew` writes it. What a page says of a key is what the hub checks (`hub/toml.py`).
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

import drivers
from hub import toml
from hub.config import Config, DevicePart

PAGE = Path(__file__).with_name("configuration.md")
LIBRARY = "common"  # what lies in drivers/ and is none
INTRODUCTION = """\
# Configuration

<!-- Made by `make renew` from the types. -->

One file in TOML, `/etc/table-hub/table-hub.toml` on an installed hub. Every line of it may be left out, and so may the
file: this page has the defaults. `table-hub run --print-config` prints a whole file to start from, with these comments in
it; [`systemd/every-device.toml`](../../systemd/every-device.toml) has a block for every device.

- After a change, `table-hub run --check` tries the file without starting anything, and `sudo systemctl restart table-hub`
  takes it. A match that is under way goes on afterwards.
- A key that does not exist, and a value that will not do, are refused in one sentence: file, line, key, what is allowed,
  and the near miss.
- In a path, `~` is the home of the user that runs the hub; a relative path starts at the file.
- Parts in double brackets, such as `[[table]]`, may be there several times.
"""
DEVICES = """
## Devices

One `[[device]]` block for each device. These keys every block has; those of the drivers below stand beside them in the same
block. [What each driver is](../../drivers/README.md) and how its device is wired is in the builder's pages.
"""
REQUIRED = "has to be there"
LEFT_OUT = "left out"
DEFAULT_BLOCK = "one, with the defaults below"


def page() -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for part in toml.keys(Config):
        assert part.form is not None
        if part.form is not DevicePart:
            header = f"[[{part.name}]]" if part.several else f"[{part.name}]"
            parts.append(f"\n## `{header}`\n\n{_about(part.form)}\n\n{table(part.form)}")
    parts.append(f"{DEVICES}\n{table(DevicePart, without=('settings',))}")
    for name in driver_names():
        module = importlib.import_module(f"drivers.{name}")
        parts.append(f'\n### `driver = "{name}"`\n\n{first_sentence(module.__doc__ or "")}\n\n{table(module.Settings)}')
        parts += [
            f"\nIn each `[[device.{key.name}]]`:\n\n{table(key.form)}"
            for key in toml.keys(module.Settings)
            if key.form is not None
        ]
    return "".join(parts)


def driver_names() -> list[str]:
    """Return the drivers that there are, by name."""
    return sorted(found.name for found in pkgutil.iter_modules(drivers.__path__) if found.name != LIBRARY)


def table(form: type[msgspec.Struct], without: Iterable[str] = ()) -> str:
    """Return the keys of a Struct as a table in Markdown."""
    rows = ["| key | what for | it is | default |", "| --- | --- | --- | --- |"]
    for key in toml.keys(form):
        if key.name not in without:
            default = f"`{key.default}`" if key.default else REQUIRED if key.required else LEFT_OUT
            default = DEFAULT_BLOCK if key.form is not None else default
            cells = (f"`{key.name}`", key.about, key.allowed, default)
            rows.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def first_sentence(text: str) -> str:
    """Return the first sentence of a docstring, with a full stop."""
    return re.split(r"(?<=\.)\s", " ".join(text.split()), maxsplit=1)[0]


def _about(form: type[msgspec.Struct]) -> str:
    """Return what a part is, from the docstring "`[part]`: what it is."."""
    text = first_sentence(form.__doc__ or "").partition(": ")[2]
    return text[:1].upper() + text[1:]
