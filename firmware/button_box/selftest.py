"""A box or a tray tried by itself, without a hub: begun by keys held while the cable goes in, until it is pulled.

Bar and push begin it on a box, the bar on a tray, which may have no push.

First a white lamp runs once round the ring, from the player's side clockwise, with a tone. Then each control lights a
lamp of its own and sounds as long as it is pressed, and a blue lamp follows the dial. The display names what is pressed.
"""

from time import ticks_diff

from controls import Dial, dial_at
from oled import Writer
from pins import CONTROLS, GPIO, LAMPS

STEP = 100  # ms for each lamp of the round
TONE = 880  # hertz of the round
LOWEST = 440  # hertz of the first control; each further one is a tenth of that higher
OFF, WHITE, GREEN, BLUE = (0, 0, 0), (60, 60, 60), (0, 80, 0), (0, 0, 80)  # all that can be lit takes 60 mA

# Keys 1 to 6 are the lamps 0 to 5 from the player's side clockwise; opposite lie push and bar.
PLACES = {"k1": 0, "k2": 1, "k3": 2, "k4": 3, "k5": 4, "k6": 5, "push": 8, "bar": 10}


class SelfTest:
    """The self-test on a board."""

    def __init__(self, board):
        self._board = board
        self._dial = Dial()
        self._display = Writer(board)
        self._word = board.levels()
        self._at = LAMPS // 2 + 4  # the lamp that the dial moves
        self._began = board.now()
        self._round = True
        self._lit = self._tone = None

    def see(self, word, at):
        """Take in the level of every GPIO."""
        self._word = word
        self._at = (self._at + self._dial.see(dial_at(word))) % LAMPS

    def look(self):
        """Go once round: what is pressed, and what lamps, sound and display say of it."""
        board = self._board
        board.seen(self)
        pressed = [name for name in CONTROLS if not self._word >> GPIO[name] & 1]
        step = ticks_diff(board.now(), self._began) // STEP
        self._round = self._round and step < LAMPS
        lamps = [OFF] * LAMPS
        if self._round:
            lamps[step] = WHITE
            tone = TONE
        else:
            lamps[self._at] = BLUE
            for name in pressed:
                lamps[PLACES[name]] = GREEN
            tone = LOWEST + CONTROLS.index(pressed[-1]) * LOWEST // 10 if pressed else 0
        if lamps != self._lit:
            self._lit = lamps
            board.light(lamps)
        if tone != self._tone:
            self._tone = tone
            board.tone(tone)
        self._display.due(" ".join(pressed) or "self-test", None, "")

    def run(self):
        """Run until the cable is pulled."""
        self._board.start()
        while True:
            self.look()
            self._board.rest()
