"""What the big screen shows, as a guest sees it: `python -m tests.acceptance.screen` prints JSON `url`, `text` and `code`.

It takes a picture of the page that the kiosk's Chromium shows (its debugging port is 9222) and reads the QR code in it, or
the one in the picture FILE that it is given.
"""

from __future__ import annotations

import base64
import json
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from websockets.sync.client import ClientConnection, connect

DEBUGGER = "http://127.0.0.1:9222/json"


def main(file: str = "") -> None:
    """Look at a picture, or at the screen."""
    seen = {"code": read_code(Path(file).read_bytes())} if file else look()
    print(json.dumps(seen))


def look() -> dict[str, str]:
    """Return the address, the text and the QR code of the page on the screen."""
    with urllib.request.urlopen(DEBUGGER, timeout=5) as answer:
        page = next(one for one in json.load(answer) if one["type"] == "page")
    with connect(page["webSocketDebuggerUrl"], max_size=None) as browser:
        text = ask(browser, "Runtime.evaluate", expression="document.body.innerText")["result"]["value"]
        picture = base64.b64decode(ask(browser, "Page.captureScreenshot")["data"])
    return {"url": page["url"], "text": text, "code": read_code(picture)}


def ask(browser: ClientConnection, method: str, **parameters: Any) -> Any:
    """Return what the browser answers to a command of the Chrome DevTools Protocol."""
    browser.send(json.dumps({"id": 1, "method": method, "params": parameters}))
    while (answer := json.loads(browser.recv(timeout=20))).get("id") != 1:
        pass
    return answer["result"]


def read_code(picture: bytes) -> str:
    """Return the text of the QR code in a picture; "" where there is none."""
    pixels = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert pixels is not None
    for size in (1, 2, 3, 4):  # small ones are read better when they are larger
        larger = cv2.resize(pixels, None, fx=size, fy=size, interpolation=cv2.INTER_NEAREST)
        for one in (larger, cv2.bitwise_not(larger)):
            # Each of OpenCV's two detectors is blind to one code in fifty.
            for detector in (cv2.QRCodeDetector(), cv2.QRCodeDetectorAruco()):
                text = ""
                with suppress(cv2.error):  # it fails on some pictures that only look as if they held a code
                    text, _, _ = detector.detectAndDecode(one)
                if text:
                    return text
    return ""


if __name__ == "__main__":
    main(*sys.argv[1:])
