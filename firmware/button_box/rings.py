"""The ring of 16 lamps: from a pattern's name to its lamps, so that it moves without traffic.

The same rules as `hub/display/rings.py`, to the lamp (a test holds them together). Lamp 0 is at the player's side,
the others follow clockwise. Nothing is faster than 3 Hz.
"""

from math import cos, pi

LAMPS = 16
OFF = (0, 0, 0)
AMBER = (255, 140, 0)
WHITE = (255, 255, 255)
BEAT = 12000  # ms after which every pattern is where it was, once what happens only once (16 s at most) is over
STILL = ("off", "waiting", "choosing", "locked", "out", "dice_trouble")

_HALF = (12, 13, 14, 15, 0, 1, 2, 3, 4)
_BARS = (3, 4, 5, 11, 12, 13)
_ARCS = (14, 15, 0, 1, 2, 6, 7, 8, 9, 10)
_EIGHT, _FOUR = 3, 13


def _dim(own, level):
    return (round(own[0] * level), round(own[1] * level), round(own[2] * level))


def _wave(ms, hertz):
    return 0.5 - 0.5 * cos(2 * pi * hertz * ms / 1000)


def _all(own, level):
    return [_dim(own, level)] * LAMPS


def _some(places, colour):
    lamps = [OFF] * LAMPS
    for place in places:
        lamps[place] = colour
    return lamps


def _off(_ms, _n, _own):
    return [OFF] * LAMPS


def _attract(ms, _n, own):
    return _some((ms * LAMPS // 6000 % LAMPS,), _dim(own, 0.2))


def _claim(ms, _n, own):
    return _some((0, LAMPS // 2), _dim(own, 0.1 + 0.9 * _wave(ms, 1)))


def _waiting(_ms, _n, own):
    return _all(own, 0.25)


def _turn(ms, _n, own):
    return _some(_HALF, _dim(own, 0.2 + 0.8 * _wave(ms, 0.5)))


def _nudge(ms, n, own):
    lamps = _turn(ms, n, own)
    lamps[ms * LAMPS // 2000 % LAMPS] = WHITE
    return lamps


def _choosing(_ms, _n, own):
    return _some(range(0, LAMPS, 2), _dim(own, 0.6))


def _locked(_ms, _n, own):
    return _all(own, 1)


def _reveal(ms, _n, own):
    reach = min(300, ms) * (LAMPS // 2)
    return [own if 300 * min(place, LAMPS - place) <= reach else OFF for place in range(LAMPS)]


def _number(ms, n, own):
    lamps = _some(range(n), own)
    if n:
        lamps[n - 1] = _dim(own, 0.3 + 0.7 * _wave(ms + 500, 1))
    return lamps


def _pulsed(ms, n):
    return 1 - 0.8 * _wave(ms, 1) if ms < 1000 * n else 1


def _leader(ms, n, own):
    lamps = _all(own, 0.5 * _pulsed(ms, n))
    lamps[0] = WHITE
    return lamps


def _caller(ms, n, own):
    return _some(_ARCS, _dim(own, _pulsed(ms, n)))


def _out(_ms, _n, own):
    return _some((0,), _dim(own, 0.3))


def _comet(ms, own, hertz):
    head = ms * hertz * LAMPS // 1000
    lamps = [OFF] * LAMPS
    for tail, level in ((2, 0.15), (1, 0.4), (0, 1)):
        lamps[(head - tail) % LAMPS] = _dim(own, level)
    return lamps


def _roll(ms, _n, own):
    return _comet(ms, own, 1)


def _rolling(ms, _n, own):
    return _comet(ms, own, 2)


def _dice_trouble(_ms, _n, _own):
    return _some(_BARS, AMBER)


def _lost(ms, _n, own):
    return _some((_FOUR if ms // 1000 % 2 else _EIGHT,), own)


def _winner(ms, _n, own):
    lamps = _all(own, 0.5)
    lamps[ms * LAMPS // 4000 % LAMPS] = WHITE
    return lamps


PATTERNS = {
    "off": _off,
    "attract": _attract,
    "claim": _claim,
    "waiting": _waiting,
    "turn": _turn,
    "nudge": _nudge,
    "choosing": _choosing,
    "locked": _locked,
    "reveal": _reveal,
    "number": _number,
    "leader": _leader,
    "caller": _caller,
    "out": _out,
    "roll": _roll,
    "rolling": _rolling,
    "dice_trouble": _dice_trouble,
    "lost": _lost,
    "winner": _winner,
}


def lamps(ring, ms):
    """Return the 16 lamps of a ring (pattern, number, rrggbb), `ms` after it was told."""
    pattern, n, colour = ring
    own = (int(colour[0:2], 16), int(colour[2:4], 16), int(colour[4:6], 16))
    return PATTERNS[pattern](ms, n, own)


def within(lit, milliamperes):
    """Return the same lamps, no brighter together than the supply allows; a lamp at its brightest takes 60 mA."""
    total = sum(red + green + blue for red, green, blue in lit) * 60 // 765
    if total <= milliamperes:
        return lit
    return [tuple(part * milliamperes // total for part in lamp) for lamp in lit]
