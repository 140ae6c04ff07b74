"""Runs at power-up. With the dial pushed in while the cable goes in, the box stays at MicroPython's prompt instead.

With dial and bar pushed in, it tries itself: see selftest.py.
"""

import sys

from board import Board
from loop import Program

board = Board()
if board.held("push") and not board.held("bar"):
    print("The dial is pushed in: the box's program is not started. To start it: Program(board).run()")
else:
    try:
        if board.held("push"):
            from selftest import SelfTest

            SelfTest(board).run()
        Program(board).run()
    except Exception as fault:
        sys.print_exception(fault)
        board.restart()
