"""Starts the box's self-test as main.py does."""

import board
import selftest
import world

world.program = selftest.SelfTest(board.Board())
world.program.run()
