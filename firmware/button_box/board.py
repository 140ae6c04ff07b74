"""The Pico itself: the only file that knows of pins, USB, watchdog and flash mode. It decides nothing.

Every edge of a switch or of the dial interrupts, notes the level of all pins and the time, and is read later; nothing
is lost while a picture is being drawn. USB is the program's own line: `print` would be chatter between frames.
"""

import select
import sys
import time
from array import array

import machine
import micropython
from machine import I2C, PWM, Pin
from neopixel import NeoPixel

from oled import ADDRESS, Display
from pins import CONTROLS, GPIO, LAMPS

LEVELS = 0xD0000004  # GPIO_IN: all pins at one moment (RP2040 datasheet, 2.3.1.7); 30 bits, a small integer
EDGES = 64  # kept between two looks; more are bounce
MOST_READ = 256  # bytes at one look, so that a flood of noise does not keep the hands waiting
WATCHDOG = 8000  # ms, nearly the longest there is
FLUSH = 100  # ms until what was written last has left by USB


class Board:
    """One Pico with its controls, lamps, display and sound."""

    def __init__(self):
        self.id = "".join("%02x" % byte for byte in machine.unique_id())
        self._poll = select.poll()
        self._poll.register(sys.stdin.buffer, select.POLLIN)
        self._words, self._times = array("I", [0] * EDGES), array("I", [0] * EDGES)
        self._spare_words, self._spare_times = array("I", [0] * EDGES), array("I", [0] * EDGES)
        self._edges = 0
        self._inputs = [Pin(GPIO[name], Pin.IN, Pin.PULL_UP) for name in ("dial_a", "dial_b") + CONTROLS]
        self._ring = NeoPixel(Pin(GPIO["ring"], Pin.OUT), LAMPS)
        self._buzzer = PWM(Pin(GPIO["buzzer"]))
        self._buzzer.freq(880)  # before the first duty
        self._bus = I2C(0, sda=Pin(GPIO["display_data"]), scl=Pin(GPIO["display_clock"]), freq=400000)
        self._display = None
        self._watchdog = None
        time.sleep_ms(10)  # the pull-ups lift the wires

    def start(self):
        """Give the program USB, have keys interrupt, and restart a program that hangs, from now on."""
        micropython.kbd_intr(-1)  # a byte 3 on the line is noise, not Ctrl-C
        for pin in self._inputs:
            pin.irq(self._edge, Pin.IRQ_FALLING | Pin.IRQ_RISING, hard=True)
        try:
            if ADDRESS in self._bus.scan():
                self._display = Display(self._bus)
        except OSError:
            self._display = None
        self._watchdog = machine.WDT(timeout=WATCHDOG)

    # --- in ---

    def levels(self):
        """Return the level of every GPIO now."""
        return machine.mem32[LEVELS]

    def held(self, control):
        """Return whether a control is pressed now."""
        return not self.levels() >> GPIO[control] & 1

    def now(self):
        """Return milliseconds; they wrap every twelve days."""
        return time.ticks_ms()

    def _edge(self, _pin):
        # In an interrupt: nothing here may need new memory.
        at = self._edges
        if at < EDGES:
            self._words[at] = machine.mem32[LEVELS]
            self._times[at] = time.ticks_ms()
            self._edges = at + 1

    def seen(self, controls):
        """Show the controls every edge since the last look, and how things stand after the last of these edges."""
        state = machine.disable_irq()
        words, times, edges = self._words, self._times, self._edges
        self._words, self._times, self._edges = self._spare_words, self._spare_times, 0
        word, at = self.levels(), self.now()  # not later: what happens from here on is told by edges of its own
        machine.enable_irq(state)
        self._spare_words, self._spare_times = words, times
        for edge in range(edges):
            controls.see(words[edge], times[edge])
        controls.see(word, at)

    def read(self):
        """Return what the hub said since the last look."""
        data = bytearray()
        while len(data) < MOST_READ and self._poll.poll(0):
            data.extend(sys.stdin.buffer.read(1))  # of more than one byte it would wait for all of them
        return data

    # --- out ---

    def write(self, data):
        """Say something. Lost when nobody has the port open."""
        sys.stdout.buffer.write(data)

    def light(self, lamps):
        """Light the ring."""
        for place in range(LAMPS):
            self._ring[place] = lamps[place]
        self._ring.write()

    def show(self, page, memory):
        """Write one page of the display. One that was pulled out is not missed until the next power-up."""
        if self._display is not None:
            try:
                self._display.write(page, memory)
            except OSError:
                self._display = None

    def tone(self, hertz):
        """Sound, or silence with 0."""
        if hertz:
            self._buzzer.freq(hertz)
        self._buzzer.duty_u16(32768 if hertz else 0)

    # --- the program ---

    def rest(self):
        """Wait for the hub, a millisecond at most; the watchdog is told that all is well."""
        if self._watchdog is not None:
            self._watchdog.feed()
        self._poll.poll(1)

    def take_firmware(self):
        """Become the drive on which new firmware is dropped."""
        time.sleep_ms(FLUSH)
        machine.bootloader()

    def restart(self):
        """Begin anew, as after power-up."""
        time.sleep_ms(FLUSH)
        machine.reset()
