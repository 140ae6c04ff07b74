"""Answers a test's questions to the firmware's plain modules: a Python expression a line, its value as JSON."""

import json
import sys

import box
import controls
import frames
import link
import oled
import pins
import rings


def steps(sights):
    """Return what the dial tells, sight by sight."""
    dial = controls.Dial()
    return [dial.see(at) for at in sights]


def deeds(samples):
    """Return what the controls tell of samples (level of every GPIO, time)."""
    reported = []
    hands = controls.Controls(samples[0][0], lambda control, what: reported.append((control, what)))
    for word, at in samples:
        hands.see(word, at)
    return reported


for line in sys.stdin:
    print(json.dumps(eval(line)))
