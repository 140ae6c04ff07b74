"""A program `rpicam-vid` without a Pi, made after its source (raspberrypi/rpicam-apps 1.12): options, errors, how it ends.

It writes real Motion JPEG of painted dice at the frame rate that is asked for. What lies before it, and what is wrong
with it, stands in the JSON file that RPICAM_SCENE names:

    faces     the dice that lie in the tray
    shift     how far they lie to the right, in millimetres
    trouble   "busy", "none", "hang" (after the first pictures), "silent", "garbage", "late" (ends no more), "platform"

A test starts it as `rpicam-vid` (`install`); each start adds its command line and number to RPICAM_CALLS.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

CAMERA_ID = "/base/soc/i2c0mux/i2c@1/imx708@1a"
STDIO = 4096  # bytes that C's output keeps back until there are more, or it is flushed (output/file_output.cpp)


def install(folder: Path, name: str = "rpicam-vid") -> Path:
    """Put the program into a folder for a PATH; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).parent.parent.parent
    program = folder / name
    program.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -m tests.vision.rpicam_vid "$@"\n', "utf-8")
    program.chmod(0o755)
    return folder


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def fail(words: str) -> NoReturn:
    """What `main` does with an exception: one line, exit status 255 (apps/rpicam_vid.cpp)."""
    say(f"ERROR: *** {words} ***")
    raise SystemExit(255)


class Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        fail(message)


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options that a tray uses, with their defaults (core/options.cpp, core/video_options.hpp)."""
    parser = Options(add_help=False, allow_abbrev=False)
    parser.add_argument("--camera", type=int, default=0)
    parser.add_argument("--codec", choices=("h264", "libav", "yuv420", "mjpeg"), default="h264")
    parser.add_argument("--quality", "-q", type=int, default=50)
    parser.add_argument("--timeout", "-t", default="5sec")
    parser.add_argument("--nopreview", "-n", action="store_true")
    parser.add_argument("--flush", action="store_true")
    parser.add_argument("--output", "-o", default="")
    parser.add_argument("--width", type=int, default=640)
    parser.add_argument("--height", type=int, default=480)
    parser.add_argument("--framerate", type=float, default=30.0)
    parser.add_argument("--autofocus-mode", choices=("default", "manual", "auto", "continuous"), default="default")
    parser.add_argument("--lens-position", type=float)
    parser.add_argument("--shutter", default="0")
    parser.add_argument("--gain", type=float, default=0)
    parser.add_argument("--awbgains", default="0,0")
    return parser.parse_args(arguments)


def scene() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(Path(os.environ["RPICAM_SCENE"]).read_text("utf-8"))
    return {"faces": [], "shift": 0.0, "trouble": ""} | told


def encoded(told: dict[str, Any], asked: argparse.Namespace) -> list[bytes]:
    """Three pictures of the scene: what lies there is the same, the grain is not."""
    import cv2
    import numpy as np

    from tests.vision.painter import CAMERA, DIE, PaintedDie, Scene, paint, upright

    lens = asked.lens_position
    blur = 0.6 if lens is None else 0.6 + 8 * abs(lens - 1000 / (CAMERA - DIE))  # sharp at the dice
    dice = [
        PaintedDie((-50.0 + 25 * n + told["shift"], 10.0), upright(face, 0.3 * n))
        for n, face in enumerate(told["faces"])
    ]
    painted = cv2.resize(
        paint(Scene(dice, blur=blur, noise=1.0), np.random.default_rng(0)), (asked.width, asked.height)
    )
    found = []
    for seed in range(3):
        grain = np.random.default_rng(seed).normal(0, 2.5, painted.shape)
        taken = np.clip(painted + grain, 0, 255).astype(np.uint8)
        found.append(cv2.imencode(".jpg", taken, [cv2.IMWRITE_JPEG_QUALITY, asked.quality])[1].tobytes())
    return found


class Stdout:
    """C's `stdout` on a pipe."""

    def __init__(self) -> None:
        self._kept = b""

    def write(self, data: bytes, *, flush: bool) -> None:
        self._kept += data
        cut = len(self._kept) if flush else len(self._kept) // STDIO * STDIO
        out, self._kept = self._kept[:cut], self._kept[cut:]
        while out:
            out = out[os.write(1, out) :]


def main(arguments: list[str]) -> int:
    with Path(os.environ["RPICAM_CALLS"]).open("a", encoding="utf-8") as calls:
        calls.write(json.dumps([os.getpid(), *arguments]) + "\n")
    asked = parse(arguments)
    told = scene()
    if told["trouble"] == "platform":
        say("ERROR: rpicam-apps currently only supports the Raspberry Pi platforms.")
        return 255
    say("[0:19:06.390] [2746]  INFO Camera camera_manager.cpp:330 libcamera v0.5.2")
    if told["trouble"] == "none":
        fail("no cameras available")
    if asked.camera > 0:
        fail("selected camera is not available")
    if told["trouble"] == "busy":
        say("[0:19:06.419]  INFO Camera camera.cpp:839 Pipeline handler in use by another process")
        fail(f"failed to acquire camera {CAMERA_ID}")
    say("Mode selection for 640:480:12:P(10)")
    if asked.codec != "mjpeg" or asked.output != "-" or asked.timeout != "0" or not asked.nopreview:
        fail("a tray wants an endless stream of pictures on the standard output")
    if told["trouble"] == "silent":
        time.sleep(3600)
    stopped: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: stopped.append(number))  # the loop looks at it after each picture
    out, pictures, last, number = Stdout(), [], None, 0
    while not stopped or told["trouble"] == "late":
        told = scene()
        if told["trouble"] == "hang" and number >= 3:
            signal.pause()
        if told["trouble"] == "garbage":
            out.write(os.urandom(20_000), flush=True)  # noqa: TID251 - any bytes do
        else:
            if told != last:
                pictures, last = encoded(told, asked), told
            out.write(pictures[number % len(pictures)], flush=asked.flush)
        number += 1
        time.sleep(1 / asked.framerate)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
