"""The small display under the hood: a 128 x 64 SSD1306 on I2C (commands: SSD1306 datasheet, chapter 9)."""

import framebuf

ADDRESS = 0x3C
WIDTH, HEIGHT = 128, 64
PAGES = HEIGHT // 8
COLUMNS = WIDTH // 8  # letters in a line

# display off; clock; 64 lines; no offset, first line 0; charge pump on; addresses run along a page; seen upright;
# contacts, contrast, pre-charge and level of a 64-line glass; show the memory, not inverted; display on
_BEGIN = b"\xae\xd5\x80\xa8\x3f\xd3\x00\x40\x8d\x14\x20\x02\xa1\xc8\xda\x12\x81\x7f\xd9\xf1\xdb\x40\xa4\xa6\xaf"

_ACCENTS = "ÀAÁAÂAÃAÄAÅAÇCÈEÉEÊEËEÌIÍIÎIÏIÑNÒOÓOÔOÕOÖOØOÙUÚUÛUÜUÝYßsàaáaâaãaäaåaçcèeéeêeëeìiíiîiïiñnòoóoôoõoöoøoùuúuûuüuýyÿy–-—-’'‘'“\"”\"…."
_PLAIN = {_ACCENTS[i]: _ACCENTS[i + 1] for i in range(0, len(_ACCENTS), 2)}


def wrapped(text):
    """Return the text in lines of 16 letters, broken between words, in the letters that the display has."""
    plain = "".join(letter if " " <= letter <= "~" else _PLAIN.get(letter, "*") for letter in text)
    lines, line = [], ""
    for word in plain.split(" "):
        while len(word) > COLUMNS:
            lines, line, word = lines + ([line] if line else []) + [word[:COLUMNS]], "", word[COLUMNS:]
        if line and len(line) + 1 + len(word) > COLUMNS:
            lines.append(line)
            line = word
        else:
            line = line + " " + word if line else word
    return lines + ([line] if line else [])


class Screen:
    """What is to be seen, in memory. Drawn here, written a page at a time, so that no key waits for it."""

    def __init__(self):
        self.memory = bytearray(WIDTH * PAGES)
        self._canvas = framebuf.FrameBuffer(self.memory, WIDTH, HEIGHT, framebuf.MONO_VLSB)

    def draw(self, text, hood, opened):
        """Draw the box's text; in a sealed round the place of the dial, large, and whether it is locked; after it `opened`."""
        self._canvas.fill(0)
        for number, line in enumerate(wrapped(text)[:3]):
            self._canvas.text(line, 0, number * 10)
        if hood is not None:
            place, places, locked = hood
            self._large(str(place), 0, 32)
            self._canvas.text("of %d" % places, 80, 38)
            if locked:
                self._canvas.text("locked", 80, 52)
        elif opened:
            self._canvas.text(opened, 0, 52)

    def _large(self, text, x, y):
        letters = bytearray(8)
        for letter in text:
            small = framebuf.FrameBuffer(letters, 8, 8, framebuf.MONO_VLSB)
            small.fill(0)
            small.text(letter, 0, 0)
            for column in range(8):
                for row in range(8):
                    if small.pixel(column, row):
                        self._canvas.fill_rect(x + column * 4, y + row * 4, 4, 4, 1)
            x += 32


class Writer:
    """The display: drawn anew when what it says has changed, then written a page at a look."""

    def __init__(self, board):
        self._board = board
        self._screen = Screen()
        self._drawn = None
        self._page = 0

    def due(self, text, hood, opened):
        """Write the next page that is not yet on the glass."""
        if (text, hood, opened) != self._drawn:
            self._drawn = (text, hood, opened)
            self._screen.draw(text, hood, opened)
            self._page = 0
        if self._page < PAGES:
            self._board.show(self._page, self._screen.memory)
            self._page += 1


class Display:
    """The display itself, behind an I2C bus. Raise OSError when it does not answer."""

    def __init__(self, bus):
        self._bus = bus
        for command in _BEGIN:
            self._command(command)

    def write(self, page, memory):
        """Write one page of the screen: eight rows of dots."""
        self._command(0xB0 | page)
        self._command(0x00)
        self._command(0x10)
        self._bus.writeto(ADDRESS, b"\x40" + memory[page * WIDTH : (page + 1) * WIDTH])

    def _command(self, command):
        self._bus.writeto(ADDRESS, bytes((0x00, command)))
