"""Starts the box's program as main.py does, and lets the test look into it."""

import board
import loop
import world

world.program = loop.Program(board.Board())
world.program.run()
