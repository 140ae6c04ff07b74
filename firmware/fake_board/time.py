"""Stands for `time` on a Pico: the clock is the test's, and comes round after 2**30 ms (the unix port's never does)."""

import world

PERIOD = 2**30

ticks_ms = world.ticks_ms


def ticks_add(ticks, delta):
    return (ticks + delta) % PERIOD


def ticks_diff(later, earlier):
    return (later - earlier + PERIOD // 2) % PERIOD - PERIOD // 2


def sleep_ms(ms):
    pass
