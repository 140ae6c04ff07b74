"""The 7.5 inch panel: large text, lines, the table; a column of seats; QR code, last event, the next player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hub.display.ink import Box, Sheet, fitting, wrapped
from hub.display.panels.layout import SIZES
from hub.display.panels.parts import head, invitation, lines_of, main_zone, seat_ground, seat_lines, table_rows

if TYPE_CHECKING:
    from hub.display.panels.model import PanelModel

_TEXT = 22  # text size, in pixels as all measures here
_LINE = 30
_CAPTION = 28
_CAPTION_LINE = 36
_MOST_SEAT = 114  # height of a seat's cell
_QR = 84
_CODE_WIDTH = 190


def draw(paper: Sheet, model: PanelModel) -> None:
    """Draw the complete panel."""
    zones = SIZES["7.5"].zones
    title = f"{model.table} · {model.title}" if model.title != model.table else model.title
    head(paper, zones["head"], title, model.round, model.phase, 28, 14)
    main = zones["main"].inset(14, 6)
    if model.is_lobby:
        invitation(paper, main, model, 120, (32, 28, 24, 22))
    else:
        _main(paper, main, model)
    _seats(paper, zones["seats"], model)
    _foot(paper, zones["foot"], model)


def _main(paper: Sheet, box: Box, model: PanelModel) -> None:
    """Draw the main zone of a match: large text, caption, rows and facts of the table, and earlier events."""
    height = min(36 * len(model.main_rows), box.height - 80) or (90 if model.rows else 150)
    top = box.top + height
    main_zone(paper, box._replace(bottom=top), model, (140, 120, 104, 88, 72, 60, 48, 40, 32, 26, 22))
    for line in wrapped(model.caption, box.width, 2, _CAPTION):
        paper.line(Box(box.left, top, box.right, top + _CAPTION_LINE), line, _CAPTION)
        top += _CAPTION_LINE
    top = table_rows(paper, box._replace(top=top + 6), model.rows)
    for line in lines_of(model.facts, box.width, max(0, (box.bottom - top) // _LINE), _TEXT):
        paper.line(Box(box.left, top, box.right, top + _LINE), line, _TEXT)
        top += _LINE
    room = (box.bottom - top - 12) // _LINE
    earlier = model.events[:-1][-room:] if room > 0 else []
    if earlier:
        paper.fill(Box(box.left, top + 6, box.right, top + 7))
    for n, line in enumerate(earlier):
        paper.line(box._replace(top=top + 12).row(n, _LINE), line, _TEXT)


def _seats(paper: Sheet, zone: Box, model: PanelModel) -> None:
    paper.fill(zone._replace(right=zone.left + 2))
    column = zone._replace(left=zone.left + 2)
    height = min(column.height // max(len(model.seats), 1), _MOST_SEAT)
    for n, seat in enumerate(model.seats):
        box = column.row(n, height)
        ink = seat_ground(paper, box, seat, above=model.seats[n - 1] if n else None)
        seat_lines(paper, box.inset(10, 2), seat, ink, first=(26, 29), others=(_TEXT, 24))


def _foot(paper: Sheet, zone: Box, model: PanelModel) -> None:
    """Draw QR code, code and address at the left, and beside them the next player and the last event."""
    paper.fill(zone._replace(bottom=zone.top + 2))
    inner = zone._replace(top=zone.top + 2).inset(14)
    left = inner.left
    if not model.is_lobby:
        if model.join:
            paper.qr(Box(left, inner.top + 1, left + _QR, inner.top + 1 + _QR), model.join)
            left += _QR + 14
        where = Box(left, inner.top + 2, left + _CODE_WIDTH, inner.bottom - 2)
        paper.line(where.row(0, 50), model.code, fitting(model.code, where.width, (44, 36, 28, 22)), bold=True)
        paper.line(where._replace(top=where.top + 50), model.address, _TEXT)
        left = where.right + 14
    news = Box(left, inner.top + 6, inner.right, inner.bottom - 6)
    next_step, latest = model.next_step, model.latest
    paper.line(news.row(0, 36), next_step, fitting(next_step, news.width, (28, 24, 22)), bold=True)
    paper.line(news.row(1, 36), latest, fitting(latest, news.width, (24, 22)))
