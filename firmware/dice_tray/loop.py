"""The program of a dice tray on a seat box's board: keys, hub, and the ring, if there is one."""

from controls import Controls
from pins import LAMPS
from tray import Tray

DARK, ASKED, THERE = (0, 0, 0), (8, 8, 8), (0, 40, 0)


class Program:
    """A tray on its board."""

    def __init__(self, board, reader):
        self.tray = Tray(board.id, reader)
        self._board = board
        self._controls = Controls(board.levels(), reader.happened)
        self._lit = None
        board.tone(0)

    def look(self):
        """Go once round."""
        board, tray = self._board, self.tray
        board.seen(self._controls)
        tray.heard(board.read())
        now = board.now()
        tray.due(now)
        said = tray.outgoing(now)
        if said:
            board.write(said)
        self._light(tray.standing)
        if tray.wants_firmware:
            board.take_firmware()

    def _light(self, standing):
        """Dim while a throw is waited for, green when it is read; dark when nobody asks."""
        colour = DARK if standing is None else THERE if standing[0] == "settled" else ASKED
        if colour != self._lit:
            self._lit = colour
            self._board.light([colour] * LAMPS)

    def run(self):
        """Run for ever."""
        self._board.start()
        while True:
            self.look()
            self._board.rest()
