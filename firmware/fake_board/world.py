"""What is around a board that is made of software: pins that a test moves, a clock that it holds, what the box shows.

Runs in MicroPython beside the real firmware. The test writes orders, a line each, on the file that BOARD_IN names:
`ms N` sets the clock, `pin GPIO LEVEL` moves a pin (and interrupts), `go` lets the program go on until it waits again;
then a line on BOARD_OUT tells how the board looks. Further orders: `count` how much memory is in use, `fail` at the
next look at the pins. Without BOARD_OUT the clock is the real one, orders are taken whenever the watchdog is fed (also
`tap GPIO`: a press of 60 ms and a pause of 40, one after another), and a line on BOARD_LAMPS tells of every picture of
the ring.
"""

import gc
import json
import os
import sys

import uselect
import utime

levels = 0x3FFFFFFF  # every switch open, but for those that are pressed at power-up
for _gpio in (os.getenv("BOARD_CLOSED") or "").split():
    levels &= ~(1 << int(_gpio))
failing = False
program = None  # the firmware's, to be looked into
handlers = {}  # GPIO -> (pin, interrupt handler)
seen = {"lamps": "", "tone": 0, "end": "", "fed": 0}
glass = {}  # page of the display -> its 128 bytes

_orders = open("/dev/fd/" + os.getenv("BOARD_IN") if os.getenv("BOARD_IN") else "/dev/null", "rb")
_answers = open("/dev/fd/" + os.getenv("BOARD_OUT"), "wb") if os.getenv("BOARD_OUT") else None
_lamps = open("/dev/fd/" + os.getenv("BOARD_LAMPS"), "wb") if os.getenv("BOARD_LAMPS") else None
_waiting = uselect.poll()
_waiting.register(_orders, uselect.POLLIN)
_ms = int(os.getenv("BOARD_MS") or 0)
_last_answer = ""
_taps = []  # GPIO, level, ms until the next one
_next_tap = 0  # when the first of them is due

held = _answers is not None  # the clock


def ticks_ms():
    """Return the board's clock."""
    return (_ms if held else utime.ticks_ms()) % 2**30


def turn():
    """Tell how the board looks, and take orders until the program may go on: it waits."""
    _tell()
    while _order() != "go":
        pass


def take_orders():
    """Whatever was ordered by now; with a held clock orders are taken only while the program waits."""
    global _next_tap
    while not held and _waiting.poll(0):
        _order()
    if _taps and utime.ticks_diff(utime.ticks_ms(), _next_tap) >= 0:
        gpio, level, pause = _taps.pop(0)
        _move(gpio, level)
        _next_tap = utime.ticks_add(utime.ticks_ms(), pause)  # a program that was not let run has missed nothing


def lit(lamps):
    """Take note that the ring shows these lamps."""
    seen["lamps"] = "".join("%02x%02x%02x" % lamp for lamp in lamps)
    if _lamps is not None:
        _lamps.write(seen["lamps"].encode() + b"\n")


def end(how):
    """End the program: the board has gone into another state."""
    seen["end"] = how
    if held:
        _tell()
    sys.exit(0)


def _order():
    global _ms, failing
    line = _orders.readline()
    if not line:
        sys.exit(0)
    words = line.decode().split()
    if words[0] == "ms":
        _ms = int(words[1])
    elif words[0] == "pin":
        _move(int(words[1]), int(words[2]))
    elif words[0] == "tap":
        _taps.extend([(int(words[1]), 0, 60), (int(words[1]), 1, 40)])
    elif words[0] == "count":
        gc.collect()
        seen["memory"] = gc.mem_alloc()
    elif words[0] == "fail":
        failing = True
    return words[0]


def _move(gpio, level):
    global levels
    before = levels
    levels = levels | 1 << gpio if level else levels & ~(1 << gpio)
    if levels != before and gpio in handlers:
        pin, handler = handlers[gpio]
        handler(pin)


def _tell():
    global _last_answer
    box = getattr(program, "box", None)  # a tray shows no more than its lamps
    state = dict(seen)
    if box is not None:
        hood = box.hood()
        state["id"], state["boot"] = box.id, box.boot
        state["ring"], state["text"] = box.ring, box.display_text()
        state["sealed"], state["locked"] = hood is not None, hood is not None and hood[2]
        state["opened"] = box.opened()
        state["hood"] = str(hood[0]) if hood is not None else ""
    answer = json.dumps(state)
    _answers.write(b"=\n" if answer == _last_answer else answer.encode() + b"\n")
    _last_answer = answer
