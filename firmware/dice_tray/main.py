"""Runs at power-up. With the dial's switch closed while the cable goes in, the tray stays at MicroPython's prompt.

With the bar pressed, it tries itself: see selftest.py.
"""

import sys

from board import Board
from loop import Program
from reader import Reader

board = Board()
if board.held("push") and not board.held("bar"):
    print("The push is closed: the tray's program is not started. To start it: Program(board, Reader(board)).run()")
else:
    try:
        if board.held("bar"):
            from selftest import SelfTest

            SelfTest(board).run()
        Program(board, Reader(board)).run()
    except Exception as fault:
        sys.print_exception(fault)
        board.restart()
