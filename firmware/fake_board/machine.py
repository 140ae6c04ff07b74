"""Stands for MicroPython's `machine` on a Pico: as much of it as the box uses."""

import os

import world


class Pin:
    IN, OUT, PULL_UP = 0, 1, 1
    IRQ_FALLING, IRQ_RISING = 4, 8

    def __init__(self, gpio, mode=IN, pull=None):
        self.gpio = gpio

    def irq(self, handler, trigger, hard=False):
        assert hard and trigger == Pin.IRQ_FALLING | Pin.IRQ_RISING
        world.handlers[self.gpio] = (self, handler)


class PWM:
    def __init__(self, pin):
        self._hertz = 0

    def freq(self, hertz):
        self._hertz = hertz

    def duty_u16(self, duty):
        world.seen["tone"] = self._hertz if duty else 0


class I2C:
    def __init__(self, number, sda, scl, freq):
        self._page = 0

    def scan(self):
        return [0x3C] if os.getenv("BOARD_DISPLAY") else []

    def writeto(self, address, data):
        assert address == 0x3C
        if os.getenv("BOARD_DISPLAY") == "broken":
            raise OSError(5)
        if data[0] == 0x40:
            world.glass[self._page] = bytes(data[1:])
            world.seen["glass"] = "".join("%02x" % byte for page in range(8) for byte in world.glass.get(page, b""))
        elif data[1] & 0xF8 == 0xB0:
            self._page = data[1] & 7


class UART:
    """Another board on a serial line, which says the same again and again."""

    def __init__(self, number, baudrate, tx, rx):
        pass

    def readline(self):
        return b"3 5\n"


class WDT:
    def __init__(self, timeout):
        assert timeout <= 8388, "an RP2040 counts no further"

    def feed(self):
        world.seen["fed"] = 1
        world.take_orders()


class _Memory:
    def __getitem__(self, address):
        assert address == 0xD0000004
        if world.failing:
            raise RuntimeError("a fault in the program")
        return world.levels


mem32 = _Memory()


def unique_id():
    return bytes(int(os.getenv("BOARD_ID")[i : i + 2], 16) for i in range(0, 16, 2))


def disable_irq():
    return 0


def enable_irq(state):
    pass


def bootloader():
    world.end("bootloader")


def reset():
    world.end("reset")
