"""The staff page of a machine's hub, as a browser of the venue works it: `python -m tests.acceptance.staff URL PIN VERB [NAME=VALUE ...]`.

URL is what the QR code says, with the hub's key. Signs in, asks for VERB with these arguments and prints the answer as JSON: of `look` the venue,
of any other request whether it was done and the sentence. A refused log-in prints its status and sentence.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

from hub.network.encryption import from_base64, to_base64
from tests.phone_ui.rig import Keys


class Refused(Exception):
    """The hub answered with an error: status and sentence."""


class Browser:
    """A browser at /staff. Raise Refused where the PIN is wrong."""

    def __init__(self, url: str, pin: str) -> None:
        parts = urllib.parse.urlsplit(url)
        self._base = f"{parts.scheme}://{parts.netloc}"
        self._keys, self._n = Keys(from_base64(parts.fragment.removeprefix("k="))), 0
        body = {"pk": to_base64(self._keys.public), **self._box({"pin": pin, "browser": ""})}
        self._session = self._post("/staff/login", body)["session"]

    def ask(self, verb: str, **args: Any) -> dict[str, Any]:
        """Ask for something of table 1; return the answer."""
        self._n += 1
        asked = {"n": self._n, "verb": verb, "table": "1", "args": args}
        return self._post("/staff/ask", {"session": self._session, **self._box(asked)})

    def _box(self, message: object) -> dict[str, str]:
        whole = self._keys.encrypt(message)
        return {"nonce": to_base64(whole[:24]), "box": to_base64(whole[24:])}

    def _post(self, path: str, body: dict[str, str]) -> dict[str, Any]:
        asked = urllib.request.Request(self._base + path, json.dumps(body).encode())
        asked.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(asked, timeout=40) as answer:
                told = json.load(answer)
        except urllib.error.HTTPError as error:
            raise Refused(f"{error.code} {error.read().decode()}") from None
        return self._keys.decrypt(from_base64(told["nonce"]) + from_base64(told["box"]))


def main(url: str, pin: str, verb: str, *args: str) -> None:
    """Sign in and ask once."""
    try:
        answer = Browser(url, pin).ask(verb, **dict(arg.split("=", 1) for arg in args))
    except Refused as error:
        answer = {"refused": str(error)}
    print(json.dumps(answer.get("venue") or answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
