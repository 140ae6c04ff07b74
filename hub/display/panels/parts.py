"""Pieces of panels of all sizes. All positions, sizes and widths are in pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hub.display.ink import BLACK, WHITE, Box, Sheet, fitting, shortened, width_of, wrapped
from hub.display.labels import BETWEEN
from hub.engine.text import say
from hub.ports import SEAT_MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hub.display.labels import Face
    from hub.display.panels.model import PanelModel, RowCard, SeatTexts, TableRow

_DESCENDING = "gjpqyQ,;"  # letters that reach below the line
_DIE_GAP = 8
_MOST_DIE = 96  # sides of a drawn die
_MOST_CARD_TEXT = 60
_TILE_GAP = 4  # between the cards of a row in place of the large text
_LETTER_GAP = 5  # between the cards of a row of the table
_BESIDE = 10  # between a name and the fact beside it


# --- header and main zone --------------------------------------------------------------------------------


def head(paper: Sheet, box: Box, title: str, round_text: str, phase: str, size: int, margin: int) -> None:
    """Draw the header white on black: game and round on the left, the phase on the right."""
    paper.fill(box)
    inner = box.inset(margin)
    phase = shortened(phase.upper(), inner.width * 2 // 5, size, bold=True)
    phase_width = width_of(phase, size, bold=True)
    paper.line(inner._replace(left=inner.right - phase_width), phase, size, bold=True, align="right", ink=WHITE)
    left = inner._replace(right=inner.right - phase_width - size)
    round_width = width_of(round_text, size) + size // 2 if round_text else 0
    end = paper.line(left._replace(right=left.right - round_width), title.upper(), size, bold=True, ink=WHITE)
    if round_text:
        paper.line(left._replace(left=end + size // 2), round_text, size, ink=WHITE)


def main_zone(paper: Sheet, box: Box, model: PanelModel, sizes: Sequence[int]) -> None:
    """Draw the largest part of a panel: a row of cards or records if the phase has one, else the large text."""
    if model.cards:
        card_row(paper, box, model.cards, [size for size in sizes if size <= _MOST_CARD_TEXT])
    elif not (model.main_rows and main_rows(paper, box, model.main_rows)):
        large_text(paper, box, model.main, sizes, model.dice)


def large_text(paper: Sheet, box: Box, text: str, sizes: Sequence[int], dice: Sequence[tuple[int, int]]) -> None:
    """Draw the large text of a panel, with settled dice, as (face, sides), to its right."""
    line_height = 1.1 if any(letter in _DESCENDING for letter in text) else 0.8  # as a part of the text's size
    sizes = [size for size in sizes if size * line_height <= box.height] or sizes[-1:]
    if dice:
        side = min(box.height - 4, _MOST_DIE, (box.width // 2) // len(dice) - _DIE_GAP)
        top = box.top + (box.height - side) // 2
        first = box.right - len(dice) * (side + _DIE_GAP) + _DIE_GAP
        for n, (face, sides) in enumerate(dice):
            left = first + n * (side + _DIE_GAP)
            paper.die(Box(left, top, left + side, top + side), face, sides)
        box = box._replace(right=first - _DIE_GAP)
    paper.line(box, text, fitting(text, box.width, sizes, bold=True), bold=True)


def card_row(paper: Sheet, box: Box, cards: Sequence[RowCard], sizes: Sequence[int]) -> None:
    """Draw a row of cards, title over tag, the current one white on black. If there are too many, the first ones are left out."""
    least = sizes[-1]
    high = [size for size in sizes if size * 3 // 2 + 6 <= box.height and size > least] or [least]
    size = next((one for one in high if _card_row_width(cards, one, least) <= box.width), high[-1])
    tag_size = max(least, size // 2)
    widths = [_card_width(card.face, size, tag_size) for card in cards]
    ellipsis = width_of("…", size) + 6
    first = 0
    while first < len(cards) - 1 and sum(widths[first:]) + (ellipsis if first else 0) > box.width:
        first += 1
    height = min(box.height, round(size * 0.95) + tag_size + 8)
    left, top = box.left, box.top + (box.height - height) // 2
    if first:
        paper.line(Box(left, top, left + ellipsis, top + round(size * 0.95)), "…", size)
        left += ellipsis
    for card, width in zip(cards[first:], widths[first:], strict=True):
        tile = Box(left, top, min(left + width - _TILE_GAP, box.right), top + height)
        ink = WHITE if card.current else BLACK
        if card.current:
            paper.fill(tile)
        elif height > 60:
            paper.frame(tile, radius=4)
        inner = tile.inset(2, 1)
        title, tag = inner._replace(bottom=inner.bottom - tag_size - 2), inner._replace(top=inner.bottom - tag_size - 4)
        paper.line(title, card.face.title, size, bold=True, align="centre", ink=ink)
        paper.line(tag, card.face.tag, tag_size, align="centre", ink=ink)
        left += width


def _card_row_width(cards: Sequence[RowCard], size: int, least: int) -> int:
    return sum(_card_width(card.face, size, max(least, size // 2)) for card in cards)


def _card_width(face: Face, size: int, tag_size: int) -> int:
    return max(width_of(face.title, size, bold=True), width_of(face.tag, tag_size)) + max(12, size // 3)


def main_rows(paper: Sheet, box: Box, rows: Sequence[TableRow]) -> bool:
    """Draw records in place of the large text: one line each if there is room, else their titles side by side.

    Return False, without drawing, if there is no room for either.
    """
    least = 22 if box.width > 450 else 18
    height = box.height // len(rows)
    if height >= least + 2:
        height = min(height, least * 2)
        title = title_width(rows, box.width, least + 2, least)
        for n, row in enumerate(rows):
            table_row(paper, box.row(n, height), row, title, least + 2, least)
        return True
    columns = -(-len(rows) // 2)
    if box.height >= 3 * least:
        rows_in_two_columns(paper, box, rows, min(box.height // columns, least * 2), least)
        return True
    width = box.width // columns - 6
    size = min(fitting(row.title, width, (34, 30, 26, 22, 20, 18, 16), bold=True) for row in rows)
    if any(width_of(row.title, size, bold=True) > width for row in rows):
        return False
    for n, row in enumerate(rows):
        down, across = divmod(n, columns)
        paper.line(box.row(down, box.height // 2).column(across, columns).inset(3), row.title, size, bold=True)
    return True


# --- rows of the table -----------------------------------------------------------------------------------


def table_rows(paper: Sheet, box: Box, rows: Sequence[TableRow]) -> int:
    """Draw rows one below the other, in two columns if there are many. Return the y coordinate of their end."""
    height = 36
    if len(rows) > box.height // height:
        return rows_in_two_columns(paper, box, rows, 30, 22)
    title = title_width(rows, box.width, 24, 22)
    for n, row in enumerate(rows):
        table_row(paper, box.row(n, height), row, title, 24, 22)
    return box.top + height * len(rows)


def rows_in_two_columns(paper: Sheet, box: Box, rows: Sequence[TableRow], height: int, size: int) -> int:
    """Draw titles in two columns, each with the first part of its text. Return the y coordinate of their end."""
    lines = box.height // height
    for n, row in enumerate(rows[: lines * 2]):
        column, line = divmod(n, lines)
        half = box.column(column, 2).row(line, height)
        half = half._replace(right=half.right - (16 if column == 0 else 0))
        text = row.text.partition(BETWEEN)[0]
        text_left = half.right - width_of(text, size)
        paper.line(half._replace(left=text_left), text, size)
        paper.line(half._replace(right=text_left - _BESIDE), row.title, size, bold=True)
    return box.top + height * min(len(rows), lines)


def table_row(paper: Sheet, box: Box, row: TableRow, title: int, large: int, least: int) -> None:
    """Draw a row: a title `title` wide in size `large`, cards as tiles and text in size `least`."""
    side = box.height - 4
    paper.line(box._replace(right=box.left + title), row.title, large, bold=True)
    left = box.left + title + 12
    for letter in row.cards:
        if left + side > box.right:
            return
        width = side if letter is None else max(side, width_of(letter, least, bold=True) + 8)
        paper.tile(Box(left, box.top + 2, left + width, box.top + 2 + side), letter, least, lit=letter in row.lit)
        left += width + _LETTER_GAP
    if box.right - left - 8 > 0:
        text = box._replace(left=left + 8)
        paper.line(text, one_line_of(row.text.split(BETWEEN), text.width, least), least)


def title_width(rows: Sequence[TableRow], width: int, large: int, least: int) -> int:
    """Return how wide the titles of rows are: as wide as the widest, as far as the rows' `width` allows.

    Beside cards that is half of it at most; beside texts alone all that the first part of these leaves, or a third.
    """
    widest = max((width_of(row.title, large, bold=True) for row in rows), default=0)
    if any(row.cards for row in rows):
        return min(widest, width // 2)
    texts = max((width_of(row.text.partition(BETWEEN)[0], least) for row in rows), default=0)
    return max(min(widest, width // 3), min(widest, width - texts - 20))


# --- facts -----------------------------------------------------------------------------------------------


def one_line_of(facts: Sequence[str], width: int, size: int) -> str:
    """Return as many facts as fit on one line. A fact is only cut if it is the only one."""
    line = ""
    for fact in facts:
        longer = f"{line}{BETWEEN}{fact}" if line else fact
        if not line or width_of(longer, size) <= width:
            line = longer
    return line


def lines_of(facts: Sequence[str], width: int, count: int, size: int) -> list[str]:
    """Return facts on at most `count` lines, closer together if only that makes them fit; else only the first ones."""
    for many in range(len(facts), 1, -1):
        for separator in (BETWEEN, " "):
            lines = _packed(facts[:many], width, size, separator)
            if len(lines) <= count:
                return lines
    return wrapped(facts[0], width, count, size) if facts else []


def _packed(facts: Sequence[str], width: int, size: int, separator: str) -> list[str]:
    """Return facts on as many lines as necessary. A fact is only broken if it is wider than a line."""
    lines: list[str] = []
    for fact in facts:
        if lines and width_of(lines[-1] + separator + fact, size) <= width:
            lines[-1] += separator + fact
        else:
            lines += wrapped(fact, width, len(fact), size)
    return lines


# --- seats -----------------------------------------------------------------------------------------------


def seat_ground(
    paper: Sheet, box: Box, seat: SeatTexts, left: SeatTexts | None = None, above: SeatTexts | None = None
) -> int:
    """Draw the background of a seat's cell, black if the table waits for the seat. Return the ink to write with.

    A hairline parts it from the neighbours at its left and above, white between two black cells.
    """
    if seat.asked:
        paper.fill(box)
    if left:
        paper.fill(box._replace(right=box.left + 1), WHITE if seat.asked and left.asked else BLACK)
    if above:
        paper.fill(box._replace(bottom=box.top + 1), WHITE if seat.asked and above.asked else BLACK)
    return WHITE if seat.asked else BLACK


def seat_lines(
    paper: Sheet, box: Box, seat: SeatTexts, ink: int, first: tuple[int, int], others: tuple[int, int]
) -> None:
    """Draw a seat: name and token, its first fact at the right, and as many others as fit below.

    `first` and `others` are text size and height of the first line and of those below.
    """
    (size, height), (small, small_height) = first, others
    symbol = SEAT_MARKS[seat.number].symbol
    facts = [fact for fact in seat.facts if fact]
    name = f"{symbol} {seat.name} {f'· {seat.token}' if seat.token else ''}"
    if seat.token and facts and width_of(f"{name} {facts[0]}", size, bold=True) + _BESIDE > box.width:
        # If the name would be cut, the token is below it.
        name, facts = f"{symbol} {seat.name}", [facts[0], seat.token, *facts[1:]]
    if seat.name.endswith(f" {seat.number}") and facts and width_of(f"{name} {facts[0]}", size, bold=True) > box.width:
        name = f"{symbol} {seat.number}"
    room = box.width - width_of(name, size, bold=True) - _BESIDE
    beside = facts[0] if facts and width_of(facts[0], size, bold=True) <= max(room, box.width * 2 // 5) else ""
    lines = lines_of(facts[1:] if beside else facts, box.width, (box.height - height) // small_height, small)
    # Center few facts vertically in the cell.
    top = box.top + (box.height - height - len(lines) * small_height) // 2
    line = Box(box.left, top, box.right, top + height)
    name_right = line.right
    if beside_width := width_of(beside, size, bold=True):
        beside_left = line.right - beside_width
        paper.line(line._replace(left=beside_left), beside, size, bold=True, align="right", ink=ink)
        name_right = beside_left - _BESIDE
    paper.line(line._replace(right=name_right), name, size, bold=True, ink=ink)
    if seat.marked:
        underline(paper, line, symbol, size, ink, bold=True)
    for n, text in enumerate(lines):
        paper.line(box._replace(top=line.bottom).row(n, small_height), text, small, ink=ink)


def underline(
    paper: Sheet,
    box: Box,
    text: str,
    size: int,
    ink: int,
    *,
    bold: bool = False,
    align: Literal["left", "centre"] = "left",
) -> None:
    """Underline the text of a seat that the game marks."""
    width = width_of(text, size, bold)
    left = box.left + ((box.width - width) // 2 if align == "centre" else 0)
    paper.fill(Box(left, box.bottom - 2, left + width, box.bottom), ink)


# --- how to join -----------------------------------------------------------------------------------------


def invitation(paper: Sheet, box: Box, model: PanelModel, code_size: int, sizes: Sequence[int]) -> None:
    """Draw how to join: a QR code, the table's code beside it, and the address beside it or, in a high box, below."""
    line, high = sizes[0] + 10, box.height > 200
    side = min(box.height - (line if high else 0), box.width // 2 + 40)
    if model.join:
        paper.qr(Box(box.left, box.top, box.left + side, box.top + side), model.join)
    right = box._replace(left=box.left + (side + 14 if model.join else 0))
    middle = box.top + (side if high else box.height) // 2
    code_height = round(code_size * 0.9)
    code = right._replace(top=middle - code_height // 2, bottom=middle + code_height - code_height // 2)
    hint = model.say(say("scan, or type"))
    paper.line(code._replace(top=code.top - line, bottom=code.top), hint, fitting(hint, code.width, sizes))
    code_sizes = (code_size, 72, 60, 48, 40, 32, 26, 22, 18)
    paper.line(code, model.code, fitting(model.code, code.width, code_sizes), bold=True)
    beside = code._replace(top=code.bottom, bottom=code.bottom + line)
    address = box._replace(top=box.bottom - line) if high else beside
    paper.line(address, model.address, fitting(model.address, address.width, sizes))
