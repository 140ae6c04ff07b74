"""The page of the gallery: sections with headings, each picture with its name; what changed since another run first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from tests.gallery.difference import Change

STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem; background: #e9e7e2; color: #1c1b19 }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin-bottom: 2rem }
h2 { margin: 2.5rem 0 .5rem; border-bottom: 2px solid #bbb7ae }
h3 { margin: 1.4rem 0 .4rem }
.moment { display: flex; flex-wrap: wrap; gap: .8rem; align-items: flex-start }
figure { margin: 0 }
figcaption { font-size: 12px; color: #55524c; max-width: 26rem }
img { display: block; background: #fff; box-shadow: 0 0 0 1px #bbb7ae; height: 300px; width: auto; max-width: 95vw; object-fit: contain }
.panel img { height: auto; max-height: 150px }
.tall img { height: 460px }
"""


def page(taken: Mapping[tuple[str, str], Mapping[str, str]], changes: Sequence[Change] | None, against: str) -> str:
    """Return the HTML of a run: its pictures by section and moment, and what `against` another run is different."""
    sections = [(name, list(group)) for name, group in groupby(taken, key=lambda at: at[0])]
    links = "".join(f'<a href="#{escape(name)}">{escape(name)}</a>' for name, _ in sections)
    parts = [_changes(changes, against)] if changes is not None else []
    for name, moments in sections:
        parts.append(f'<h2 id="{escape(name)}">{escape(name)}</h2>')
        parts += [_moment(moment, taken[section, moment]) for section, moment in moments]
    count = sum(map(len, taken.values()))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title><style>{STYLE}</style>'
        f"<h1>Gallery: {len(taken)} moments, {count} pictures</h1><nav>{links}</nav>{''.join(parts)}</html>\n"
    )


def _moment(name: str, pictures: Mapping[str, str]) -> str:
    figures = "".join(_figure(file, what) for what, file in pictures.items())
    return f'<h3>{escape(name)}</h3><div class="moment">{figures}</div>'


def _figure(file: str, name: str) -> str:
    kind = "panel" if "panel" in name else "tall" if "whole" in name or "tab" in name else ""
    return (
        f'<figure class="{kind}"><a href="{escape(file)}"><img loading="lazy" src="{escape(file)}" alt="{escape(name)}"></a>'
        f"<figcaption>{escape(name)}</figcaption></figure>"
    )


def _changes(changes: Sequence[Change], against: str) -> str:
    if not changes:
        return f"<h2>Nothing differs from {escape(against)}</h2>"
    rows = []
    for change in changes:
        name = f"{Path(change.file).with_suffix('')} · {change.share:.2%} of the pixels"
        if change.marked:
            files = (
                (f"changes/{change.before}", "before"),
                (change.file, "now"),
                (f"changes/{change.marked}", "what changed"),
            )
            rows.append(f'<h3>{escape(name)}</h3><div class="moment">{"".join(_figure(*one) for one in files)}</div>')
        else:
            rows.append(f"<h3>{escape(change.file)} is in one of the two runs only</h3>")
    return f"<h2>{len(changes)} pictures differ from {escape(against)}</h2>{''.join(rows)}"
