"""The program of a seat box: hands, hub, lamps, display and sound, each looked at a thousand times a second."""

from time import ticks_add, ticks_diff

import rings
from box import Box
from controls import Controls
from oled import Writer
from pins import LAMPS, MILLIAMPERES

FRAME = 40  # ms between two pictures of a ring that moves
SOUNDS = {  # hertz and ms, one after another
    "lock": ((880, 60),),
    "error": ((220, 200),),
    "reveal": ((660, 80), (990, 120)),
}


class Ring:
    """The ring as the hub wants it, moving by itself."""

    def __init__(self, board):
        self._board = board
        self._ring = None
        self._lit = None
        self._ms = 0  # since the pattern was told, as far as it matters
        self._looked_at = 0
        self._light([rings.OFF] * LAMPS)

    def due(self, ring, now):
        """Draw what is to be drawn now."""
        if ring is None:
            return
        passed = ticks_diff(now, self._looked_at)
        if ring is not self._ring:
            self._ring, self._ms = ring, 0
        elif passed < FRAME or ring[0] in rings.STILL:
            return
        else:
            self._ms += passed
            if self._ms >= 3 * rings.BEAT:
                self._ms -= rings.BEAT * (self._ms // rings.BEAT - 2)
        self._looked_at = now
        self._light(rings.within(rings.lamps(ring, self._ms), MILLIAMPERES))

    def _light(self, lamps):
        if lamps != self._lit:
            self._lit = lamps
            self._board.light(lamps)


class Sound:
    """A sound at a time; a new one takes its place."""

    def __init__(self, board):
        self._board = board
        self._tones = ()
        self._until = 0
        board.tone(0)

    def play(self, name, now):
        """Begin a sound."""
        self._tones = SOUNDS[name]
        self._begin(now)

    def due(self, now):
        """Begin the next tone, or fall silent."""
        if self._tones and ticks_diff(now, self._until) >= 0:
            self._tones = self._tones[1:]
            self._begin(now)

    def _begin(self, now):
        if self._tones:
            hertz, length = self._tones[0]
            self._board.tone(hertz)
            self._until = ticks_add(now, length)
        else:
            self._board.tone(0)


class Program:
    """A box on its board."""

    def __init__(self, board):
        self.box = Box(board.id)
        self._board = board
        self._controls = Controls(board.levels(), self.box.happened)
        self._ring = Ring(board)
        self._display = Writer(board)
        self._sound = Sound(board)

    def look(self):
        """Go once round: what hands and hub did, then what the box says and shows of it."""
        board, box = self._board, self.box
        board.seen(self._controls)
        box.heard(board.read())
        now = board.now()
        box.due(now)
        said = box.outgoing(now)
        if said:
            board.write(said)
        self._ring.due(box.ring, now)
        self._display.due(box.display_text(), box.hood(), box.opened())
        if box.sound is not None:
            self._sound.play(box.sound, now)
            box.sound = None
        self._sound.due(now)
        if box.wants_firmware:
            board.take_firmware()

    def run(self):
        """Run for ever."""
        self._board.start()
        while True:
            self.look()
            self._board.rest()
