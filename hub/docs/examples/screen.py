"""A screen of your own: python3 screen.py http://HUB:PORT TABLE. A line for each new thing that everybody may know."""

import json
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any


def states(address: str) -> Iterator[dict[str, Any]]:
    """Yield the newest public state again and again, for ever: a hub that is silent for three seconds is asked anew."""
    while True:
        try:
            with urllib.request.urlopen(address, timeout=3) as stream:  # noqa: S310 - the address is typed by its owner
                for line in stream:
                    if line.startswith(b"data: {"):
                        yield json.loads(line[6:])
        except OSError as error:
            print("The hub does not answer:", error, file=sys.stderr)
            time.sleep(1)


def since(shown: int, state: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """Return the events after that number: the state has the newest ones, what this screen has missed the hub is asked for."""
    events: list[dict[str, Any]] = state.get("events", [])
    if events and events[0]["n"] > shown + 1:
        try:
            with urllib.request.urlopen(f"{table}/events/{events[0]['n']}.json", timeout=3) as page:  # noqa: S310 - as above
                events = json.load(page)["events"] + events
        except OSError as error:
            print("The hub does not answer:", error, file=sys.stderr)
    return [event for event in events if event["n"] > shown]


def main(hub: str, table: str) -> None:
    """Print who sits there, each event once, whom the table waits for, and how a match ended."""
    shown, before = -1, ""
    for state in states(f"{hub}/t/{table}/events"):
        match = state.get("match", "")  # a state leaves out fields that have their default
        if match != before:
            shown, before = -1, match
            print(f"{state['name']}: {state.get('title', 'no match')}")
        for event in since(shown, state, f"{hub}/t/{table}"):
            print(f"  {event['text']}")
            shown = event["n"]
        if "want" in state:
            print(f"  ({state['want']})")
        if "over" in state:
            print(f"  over: {state['over']['scores']}")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:3])
