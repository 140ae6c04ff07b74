"""The 4.2 inch panel: one large text and up to four lines, the seats with their facts, the next player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hub.display.ink import Box, Sheet, fitting, width_of, wrapped
from hub.display.panels.layout import SIZES
from hub.display.panels.model import TableRow
from hub.display.panels.parts import (
    head,
    invitation,
    main_zone,
    one_line_of,
    seat_ground,
    seat_lines,
    table_row,
    title_width,
)

if TYPE_CHECKING:
    from hub.display.panels.model import PanelModel

_GRID = {0: (1, 1), 1: (1, 1), 2: (2, 1), 3: (3, 1), 4: (2, 2), 5: (3, 2), 6: (3, 2)}
"""Columns and rows of cells, by number of seats."""

_TEXT = 18  # text size, in pixels as all measures here
_LINE = 26


def draw(paper: Sheet, model: PanelModel) -> None:
    """Draw the complete panel."""
    zones = SIZES["4.2"].zones
    head(paper, zones["head"], model.title, model.round, model.phase, 22, 8)
    main = zones["main"].inset(8)
    if model.is_lobby:
        invitation(paper, main, model, 84, (22, 20, 18))
    else:
        _main(paper, main, model)
    _seats(paper, zones["seats"], model)
    _foot(paper, zones["foot"], model)


def _main(paper: Sheet, box: Box, model: PanelModel) -> None:
    caption = wrapped(model.caption, box.width, 2, _TEXT)
    if len(caption) < 2:
        caption = [model.caption]
    lines: list[str | TableRow] = []
    if not model.main_rows:
        facts = [one_line_of(model.facts, box.width, _TEXT)] if model.facts else []
        lines = [*caption, *model.rows[:1], *facts]
    main = Box(box.left, box.top + 2, box.right, box.bottom - len(lines) * _LINE - 4)
    main_zone(paper, main, model, (84, 72, 60, 50, 42, 34, 28, 24, 20, 18))
    for n, line in enumerate(lines):
        strip = box._replace(top=main.bottom).row(n, _LINE)
        if isinstance(line, TableRow):
            table_row(paper, strip, line, title_width([line], strip.width, 20, _TEXT), 20, _TEXT)
        else:
            sizes = (22, 20, _TEXT) if n == 0 and len(caption) == 1 else (_TEXT,)
            paper.line(strip, line, fitting(line, strip.width, sizes))


def _seats(paper: Sheet, zone: Box, model: PanelModel) -> None:
    paper.fill(zone._replace(bottom=zone.top + 2))
    columns, rows = _GRID[len(model.seats)]
    grid = zone._replace(top=zone.top + 2)
    for n, seat in enumerate(model.seats):
        down, across = divmod(n, columns)
        box = grid.row(down, grid.height // rows).column(across, columns)
        left = model.seats[n - 1] if across else None
        above = model.seats[n - columns] if down else None
        ink = seat_ground(paper, box, seat, left, above)
        seat_lines(paper, box.inset(6, 1), seat, ink, first=(20, 25), others=(_TEXT, 21))


def _foot(paper: Sheet, zone: Box, model: PanelModel) -> None:
    """Draw the next player, or the last event, and at the right how to join."""
    paper.fill(zone._replace(bottom=zone.top + 2))
    inner = zone.inset(8)._replace(top=zone.top + 2)
    where = f"{model.code}  {model.address}".strip()
    width = 0 if model.is_lobby else min(width_of(where, _TEXT), inner.width * 3 // 5)
    if width:
        paper.line(inner._replace(left=inner.right - width), where, _TEXT, align="right")
    paper.line(inner._replace(right=inner.right - width - 8), model.next_step or model.latest, _TEXT, bold=True)
