"""Stands for `select`: while the clock is held, waiting is the moment at which the test goes on."""

import uselect

import world

POLLIN = uselect.POLLIN


class poll:
    def __init__(self):
        self._poll = uselect.poll()

    def register(self, stream, flags):
        self._poll.register(stream, flags)

    def poll(self, ms):
        ready = self._poll.poll(0)
        if ready or ms == 0:
            return ready
        if world.held:
            world.turn()
            return self._poll.poll(0)
        return self._poll.poll(ms)
