"""The wiring of a seat box: what hangs on which pin of the Raspberry Pi Pico.

Plain data, read by the box itself (MicroPython) and by papers and drawings (Python). Every switch closes to ground;
the Pico pulls its side up. Change a pin here and nowhere else.
"""

# name, GPIO, pin of the board, what the wire goes to
WIRES = (
    ("dial_a", 2, 4, "rotary encoder, A"),
    ("dial_b", 3, 5, "rotary encoder, B"),
    ("push", 4, 6, "rotary encoder, its push switch"),
    ("bar", 5, 7, "PASS bar"),
    ("k1", 6, 9, "key 1"),
    ("k2", 7, 10, "key 2"),
    ("k3", 8, 11, "key 3"),
    ("k4", 9, 12, "key 4"),
    ("k5", 10, 14, "key 5"),
    ("k6", 11, 15, "key 6"),
    ("buzzer", 14, 19, "piezo buzzer without electronics of its own (optional)"),
    ("display_data", 16, 21, "SSD1306 display, SDA (optional)"),
    ("display_clock", 17, 22, "SSD1306 display, SCL (optional)"),
    ("ring", 22, 29, "ring of 16 WS2812, DIN, through 330 ohm"),
)

# name, pins of the board that have it, what it feeds
SUPPLIES = (
    ("5 V", (40,), "ring, +, through a 1N4001 diode"),  # at 4.3 V it takes the Pico's 3.3 V for a one
    ("3.3 V", (36,), "display, VCC"),
    ("ground", (3, 8, 13, 18, 23, 28, 33, 38), "the other leg of every switch, the encoder's C, ring, display, buzzer"),
)

GPIO = {name: gpio for name, gpio, _pin, _to in WIRES}
CONTROLS = ("push", "bar", "k1", "k2", "k3", "k4", "k5", "k6")
LAMPS = 16
MILLIAMPERES = 180  # for the ring at most: the whole box has the 250 that it asks USB for (firmware/hardware/power.py)
