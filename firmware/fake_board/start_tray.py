"""Starts the tray's program as its main.py does, and lets the test look into it."""

import board
import loop
import reader
import world

pico = board.Board()
world.program = loop.Program(pico, reader.Reader(pico))
world.program.run()
