"""The page `configuration.md`, from the types: every key, what it may be, its default and what it is for.

`make renew` writes it. What a page says of a key is what the hub checks (`hub/toml.py`).
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from hub import toml
from hub.config import Config, DevicePart
from hub.devices import built_in_drivers

PAGE = Path(__file__).with_name("configuration.md")
INTRODUCTION = """\
# Configuration

<!-- Made by `make renew` from the types. -->

The configuration is one file in TOML, on an installed hub `/etc/table-hub/table-hub.toml`. You may leave out any line, and
even the file: this page lists the defaults. `table-hub run --print-config` prints a whole file to start from, with these
comments. [`systemd/every-device.toml`](../../systemd/every-device.toml) has a block for every device.

- Staff can read and change every key on the page `/staff/settings`, too ([Run](run.md#settings)). Comments stay.
- After a change by hand, `table-hub run --check` checks the file without starting anything. `sudo systemctl restart table-hub`
  applies the change. A match under way continues afterwards.
- The hub refuses an unknown key or an invalid value. The error names file, line and key, what is allowed, and the nearest
  known name.
- In a path, `~` is the home of the user that runs the hub. A relative path starts at the folder of the file.
- A block in double brackets, such as `[[table]]`, may appear several times.
"""
DEVICES = """
## Devices

Each device has one `[[device]]` block. Every block has these keys, and beside them the keys of its driver, below.
[Drivers](../../drivers/README.md) says what each driver is and how to wire its device.
"""
REQUIRED = "required"
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
    for name in built_in_drivers():
        module = importlib.import_module(f"drivers.{name}")
        parts.append(f'\n### `driver = "{name}"`\n\n{first_sentence(module.__doc__ or "")}\n\n{table(module.Settings)}')
        parts += [
            f"\nIn each `[[device.{key.name}]]`:\n\n{table(key.form)}"
            for key in toml.keys(module.Settings)
            if key.form is not None
        ]
    return "".join(parts)


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
