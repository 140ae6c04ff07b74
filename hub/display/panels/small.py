"""The 2.13 and 2.9 inch panels: one large text, one or two lines, the seats. All sizes are in pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hub.display.ink import Box, Sheet, fitting, width_of, wrapped
from hub.display.panels.layout import SIZES, PanelSize
from hub.display.panels.model import READY
from hub.display.panels.parts import head, main_zone, seat_ground, underline
from hub.ports import SEAT_MARKS

if TYPE_CHECKING:
    from hub.display.panels.model import PanelModel, SeatTexts

_CAPTION = 16  # text size of a caption on two lines
_CAPTION_HEIGHT = 18
_TWO_LINES = 13  # text size of a symbol above a code
_SHORT_CAPTION_HEIGHT = 23  # of a caption on one line, which may be larger


def draw(size: PanelSize, paper: Sheet, model: PanelModel) -> None:
    """Draw a complete panel of this size."""
    zones = SIZES[size].zones
    head(paper, zones["head"], model.title, model.short_round, model.phase, 16, 6)
    _main(paper, zones["main"].inset(6), model)
    zone = zones["seats"]
    paper.fill(zone._replace(bottom=zone.top + 1))
    # The width depends on the number of seats; six seats get 49 pixels each.
    for n, seat in enumerate(model.seats):
        box = zone.column(n, len(model.seats))._replace(top=zone.top + 1)
        _seat(paper, box, model, n, seat, SIZES[size].least)


def _main(paper: Sheet, box: Box, model: PanelModel) -> None:
    caption = model.next_step if model.main_rows else model.caption
    if width_of(caption, _CAPTION) > box.width:
        lines, size, height = wrapped(caption, box.width, 2, _CAPTION), _CAPTION, _CAPTION_HEIGHT
    else:
        lines, size, height = [caption], fitting(caption, box.width, (20, 18, _CAPTION)), _SHORT_CAPTION_HEIGHT
    main = Box(box.left, box.top + 2, box.right, box.bottom - 1 - len(lines) * height)
    main_zone(paper, main, model, (56, 48, 40, 32, 26, 22, 18, 16))
    for n, line in enumerate(lines):
        paper.line(box._replace(top=main.bottom).row(n, height), line, size)


def _seat(paper: Sheet, box: Box, model: PanelModel, n: int, seat: SeatTexts, least: int) -> None:
    """Draw the `n`th seat (from 0) in its cell: its symbol and the first of its short texts that fits."""
    ink = seat_ground(paper, box, seat, left=model.seats[n - 1] if n else None)
    symbol = SEAT_MARKS[seat.number].symbol
    inner = box.inset(2, 2)
    texts = [f"{symbol}{cell}" for cell in seat.cells]
    if model.is_lobby and seat.cells[0] in ("", READY):
        texts = [f"{symbol}{seat.name} {seat.cells[0]}".strip(), *texts[: len(seat.cells[0])]]
    sizes = [size for size in (20, 18, 16, 14, 13) if size >= least]
    texts += [text.removesuffix(seat.token) for text in texts]  # a token is left out before a number
    text = next((one for one in texts if width_of(one, sizes[-1]) <= inner.width), texts[-1])
    if model.is_lobby and seat.name == model.free and width_of(text, sizes[-1]) > inner.width:
        _free(paper, inner, symbol, seat.cells[-1], ink)
        return
    size = fitting(text, inner.width, sizes)
    paper.line(inner, text, size, align="centre", ink=ink)
    if seat.marked:
        underline(paper, inner, text, size, ink, align="centre")


def _free(paper: Sheet, box: Box, symbol: str, code: str, ink: int) -> None:
    """Draw a free seat whose code does not fit on a line with its symbol: on two lines, or only its symbol.

    Half a code takes no seat.
    """
    if width_of(code, _TWO_LINES) > box.width:
        paper.line(box, symbol, 16, align="centre", ink=ink)
        return
    upper, lower = box._replace(bottom=box.top + 12), box._replace(top=box.bottom - 13)
    paper.line(upper, symbol, _TWO_LINES, align="centre", ink=ink)
    paper.line(lower, code, _TWO_LINES, align="centre", ink=ink)
