"""Figures of one run of `make bench`: kept as they were measured, and put together to one table and one picture.

A measurement calls `note`, which writes a line where `python -m tests.bench` asks for it, and does nothing otherwise.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

FILE = "TABLE_HUB_BENCH_FIGURES"
"""The environment variable that names the file of the run."""
MOST = 60  # raw values of one figure that are kept: of more, medians of so many parts
HERE = Path(__file__).parent
PAGE, KEPT, PICTURE = HERE / "README.md", HERE / "figures.json", HERE / "figures.svg"
PEERS = {"boardgame.io": "#b5562b", "Colyseus": "#2f66b5", "OpenSpiel": "#2e7d4f", "RLCard": "#7a4fa3"}

Figures = dict[tuple[str, str], float]
"""What, and whose -> the figure."""


def note(what: str, who: str, unit: str, *values: float, at: float = 0.5) -> None:
    """Keep a figure of the run: the middle of what was measured, its 99th hundredth (`at` 0.99), or its least (0)."""
    if file := os.environ.get(FILE):
        one = min(values) if at == 0 else median(values) if at == 0.5 else quantiles(values, n=100)[98]
        size = -(-len(values) // MOST)
        raw = [round(median(values[n : n + size]), 4) for n in range(0, len(values), size)]
        told = {"what": what, "who": who, "unit": unit, "n": len(values), "value": round(one, 4), "raw": raw}
        with Path(file).open("a", encoding="utf-8") as out:
            out.write(json.dumps(told) + "\n")


# --- the table ---------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A line of the table: what was noted, whether more of it is better, and the budget, of our figure and all figures."""

    title: str
    what: str
    unit: str
    more: bool = False
    budget: str = ""
    met: Callable[[float, Figures], bool] | None = None


def at_most(limit: float) -> Callable[[float, Figures], bool]:
    return lambda ours, _: ours <= limit


def at_least(limit: float) -> Callable[[float, Figures], bool]:
    return lambda ours, _: ours >= limit


def no_worse(what: str) -> Callable[[float, Figures], bool]:
    return lambda ours, all_of_it: ours <= all_of_it.get((what, "boardgame.io"), math.inf)


def times_its_own(what: str, times: float) -> Callable[[float, Figures], bool]:
    return lambda ours, all_of_it: ours <= times * all_of_it[what, "ours"]


def counted(matches: int) -> str:
    return "one match" if matches == 1 else f"{matches} matches"


ENGINE = "checked actions per CPU second, Goofspiel"
CROWD = "of six, one action per second each, broker and phones"
ROWS = (
    Row(f"{ENGINE}, with log", "engine, none", "/s", True),
    Row(f"{ENGINE}, with log, public and own view", "engine, two", "/s", True, ">= 50,000", at_least(50_000)),
    Row(f"{ENGINE}, with log and all views", "engine, all", "/s", True),
    Row("the same with public and own view, our slowest game", "engine, slowest", "/s", True, ">= 50,000", at_least(50_000)),
    Row("an action until all six phones have it, p50", "fanout, p50", "ms", False, "<= boardgame.io", no_worse("fanout, p50")),
    Row("the same, p99", "fanout, p99", "ms", False, "<= 5 x p50", times_its_own("fanout, p50", 5)),
    Row("the same, CPU of the server per move", "fanout, CPU", "ms"),
    *(
        row
        for count in (1, 20, 100, 200)
        for row in (
            Row(f"{counted(count)} {CROWD}, p50", f"crowd {count}, p50", "ms", False, "<= 5 ms" if count == 200 else "", at_most(5) if count == 200 else None),
            Row(f"{counted(count)} {CROWD}, p99", f"crowd {count}, p99", "ms"),
            Row(f"{counted(count)} {CROWD}, CPU per action", f"crowd {count}, CPU", "ms"),
            Row(f"{counted(count)} {CROWD}, memory per match", f"crowd {count}, memory", "MB", False, "<= 0.15 MB", at_most(0.15)),
        )
    ),
    Row("200 matches of six without broker and sockets, p50", "tables 200, p50", "ms", False, "<= 5 ms", at_most(5)),
    Row("the same, memory per match", "tables 200, memory", "MB", False, "<= 0.15 MB", at_most(0.15)),
    Row("six sealed bids at the same instant: how many are accepted, fewest of 30 rounds", "six at once", "of 6", True, "6 of 6", at_least(6)),
    Row("the same, with boardgame.io's default moves", "six at once by default", "of 6", True),
    Row("resume of 500 actions, CPU", "resume", "ms", False, "<= 50 ms", at_most(50)),
    Row("time per action: last 30 % of 5,000, divided by the first 30 %", "growth, time", "x", False, "<= 1.25", at_most(1.25)),
    Row("memory per action, the same", "growth, memory", "x", False, "<= 1.25", at_most(1.25)),
    Row("start until a phone can join (peers: until the port is open)", "start", "ms", False, "<= 2,000 ms", at_most(2000)),
    Row("page at a first visit (peers: only the library)", "page weight", "kB", False, "<= 200 kB", at_most(200)),
    Row("first visit until a seat can be chosen, CPU slowed 4 times", "first visit", "ms"),
    Row("reload until the hand can be held open, CPU slowed 4 times", "hand", "ms", False, "<= 1,000 ms", at_most(1000)),
    Row("key of a box until its lamp, real firmware, p50", "key to lamp, p50", "ms", False, "<= 10 ms", at_most(10)),
    Row("the same, p99", "key to lamp, p99", "ms"),
    Row("key of a box until all six phones have it, p50", "key to phones, p50", "ms"),
)  # fmt: skip


def read(lines: Iterable[dict[str, Any]]) -> tuple[Figures, dict[str, list[tuple[str, float]]]]:
    """Return the figures by whose they are, and those that have a game of their own, by whose they are."""
    figures: Figures = {}
    games: dict[str, list[tuple[str, float]]] = {}
    slowest: list[float] = []
    for one in lines:
        game, _, who = one["who"].rpartition(", ")
        what = one["what"]
        if game and game != "goofspiel":
            games.setdefault(f"{what} {who}", []).append((game, one["value"]))
        figures[what, who] = one["value"]
        if what == "engine, two" and not game:
            slowest.append(one["value"])
    if slowest:
        figures["engine, slowest", "ours"] = min(slowest)
    return figures, games


def number(value: float) -> str:
    """Return it with three digits, or without a fraction."""
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def cell(row: Row, peer: str, figures: Figures, games: dict[str, list[tuple[str, float]]]) -> str:
    """Return a peer's figure, with ours as a multiple of it."""
    ours = figures[row.what, "ours"]
    found = games.get(f"{row.what} {peer}") or [("", figures[row.what, peer])] if (row.what, peer) in figures else []
    return "; ".join(
        f"{game + ' ' if game else ''}{number(value)} (**{number(ours / value)}**)"
        if value
        else f"{game} {number(value)}"
        for game, value in found
    )


def table(lines: Iterable[dict[str, Any]]) -> list[str]:
    """Return the lines of the table, of all that was measured."""
    figures, games = read(lines)
    made = [
        f"| measurement | ours | {' | '.join(PEERS)} | budget | met |",
        f"| {' | '.join(['---'] * (len(PEERS) + 4))} |",
    ]
    for row in ROWS:
        if (row.what, "ours") not in figures:
            continue
        ours = figures[row.what, "ours"]
        met = "" if row.met is None else "met" if row.met(ours, figures) else "**not met**"
        cells = [cell(row, peer, figures, games) for peer in PEERS]
        made.append(f"| {row.title} | {number(ours)} {row.unit} | {' | '.join(cells)} | {row.budget} | {met} |")
    return made


# --- the picture -------------------------------------------------------------------------------------

LEFT, SCALE, TOP, STEP, TENS = 480, 110, 78, 20, 3


def picture(lines: Iterable[dict[str, Any]]) -> str:
    """Return an SVG: by how many times ours is better or worse than each peer, a dot each, on a scale of powers of ten."""
    figures, _ = read(lines)
    rows = [row for row in ROWS if any((row.what, peer) in figures for peer in PEERS) and (row.what, "ours") in figures]
    height, width, middle = TOP + STEP * len(rows) + 20, LEFT + 2 * TENS * SCALE + 60, LEFT + TENS * SCALE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        '<text x="12" y="22" font-size="15" font-weight="bold">table-hub beside its peers in one run: how many times better</text>',
    ]
    for place, (peer, colour) in enumerate(PEERS.items()):
        parts.append(f'<circle cx="{20 + 120 * place}" cy="44" r="5" fill="{colour}"/>')
        parts.append(f'<text x="{30 + 120 * place}" y="48">{peer}</text>')
    for power in range(-TENS, TENS + 1):
        x, dash = middle + SCALE * power, ' stroke-dasharray="2 3"' if power else ""
        label = "same" if not power else f"{10 ** abs(power):,} x {'better' if power > 0 else 'worse'}"
        parts.append(f'<line x1="{x}" y1="{TOP - 10}" x2="{x}" y2="{height - 12}" stroke="#999"{dash}/>')
        parts.append(f'<text x="{x}" y="{TOP - 16}" text-anchor="middle" font-size="11">{label}</text>')
    for place, row in enumerate(rows):
        y, ours = TOP + STEP * place + 6, figures[row.what, "ours"]
        parts.append(f'<text x="12" y="{y + 4}" font-size="11">{escape(row.title)}</text>')
        for peer, colour in PEERS.items():
            theirs = figures.get((row.what, peer), 0.0)
            if theirs > 0 and ours > 0:
                times = math.log10(ours / theirs) * (1 if row.more else -1)
                dot = middle + SCALE * max(-TENS, min(TENS, times))
                parts.append(f'<circle cx="{dot:.1f}" cy="{y}" r="5" fill="{colour}" fill-opacity="0.85"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


# --- what is kept ------------------------------------------------------------------------------------


def said(command: list[str]) -> str:
    """Return what a program says, or nothing where it is missing."""
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, cwd=HERE).stdout.strip()
    except OSError:
        return ""


def circumstances(before: float, seconds: float, command: str) -> dict[str, Any]:
    """Return what a figure depends on: the machine, how busy it was, and the code."""
    about = Path("/proc/cpuinfo").read_text("utf-8") if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"model name\s*:\s*(.*)|Model\s*:\s*(.*)", about)
    return {
        "command": command,
        "when": time.strftime("%Y-%m-%d %H:%M", time.gmtime()) + " UTC",
        "commit": said(["git", "rev-parse", "--short=12", "HEAD"]) + (" and changes" if said(["git", "status", "--porcelain", "-uno"]) else ""),
        "processor": next((one for one in model.groups() if one), "") if model else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "node": said(["node", "--version"]),
        "kernel": platform.release(),
        "load before": round(before, 1),
        "load after": round(os.getloadavg()[0], 1),
        "seconds": round(seconds),
    }  # fmt: skip


def write(run: dict[str, Any]) -> None:
    """Keep a run: its raw lines, the picture, and the table in the page."""
    lines = run["figures"]
    own = dict(run, figures=[])
    text = json.dumps(own, indent=2)[: -len("[]\n}")] + "[\n"
    KEPT.write_text(text + ",\n".join(f"    {json.dumps(line)}" for line in lines) + "\n  ]\n}\n", "utf-8")
    PICTURE.write_text(picture(lines), "utf-8")
    PAGE.write_text(filled(PAGE.read_text("utf-8"), run), "utf-8")


def filled(page: str, run: dict[str, Any]) -> str:
    """Return the page with the run's table between its markers."""
    about = (
        f"`{run['command']}` on {run['when']}, commit {run['commit']}, {run['cores']} cores ({run['processor']}), load {run['load before']} "
        f"before and {run['load after']} after, {run['seconds']} s; [raw lines](figures.json)."
    )
    made = "\n".join([about, "", *table(run["figures"])])
    new, count = re.subn(
        r"(<!-- peers -->\n).*?(\n<!-- /peers -->)", lambda m: m[1] + made + m[2], page, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"{PAGE.name} has no place for the table.")
    return new


if __name__ == "__main__":  # after a change of the table or the picture: from the raw lines that are kept
    write(json.loads(KEPT.read_text("utf-8")))
