"""What does the template of a figure need? Ids, texts, its first state's SVG, and the spec that the script reads."""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup, escape

from publisher.figure import CodeLine, Listing, Provenance, Step, SteppedFigure
from publisher.highlight import highlight
from publisher.stills import Still

SOME = 5  # from this many steps on, dots with their names take a row of their own
MANY = 10  # … and from this many on, they have their names only when pointed at
KINDS = ("load", "math", "store", "barrier", "carried")


def inline_code(text: str) -> Markup:
    """Plain text with `code` in back-ticks, as HTML."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def figure_view(name: str, figure: SteppedFigure, still: Still | None, inline: bool) -> dict[str, Any]:
    """All that ``figure.html`` names. Ids begin with ``fig-NAME``: a page may hold many figures."""
    identity = f"fig-{name}"
    first = next(iter(figure.sequences))
    steps = figure.sequences[first]
    return {
        "id": identity,
        "name": name,
        "figure": figure,
        "sources": [{"kind": source.kind, "text": _without_kind(source)} for source in figure.provenance],
        "style": f"--fig-height:{figure.height}px;--fig-narrow-height:{figure.narrow_height}px",
        "still_wide": _still(still.wide, f"{identity}-w") if still else None,
        "still_narrow": _still(still.narrow, f"{identity}-n") if still else None,
        "choices": _choices(figure, first),
        "captions": [
            row for key, value in figure.sequences.items() for row in _captions(figure, identity, key, value, first)
        ],
        "steps": steps,
        "dots": " is-many" if len(steps) >= MANY else " is-some" if len(steps) >= SOME else "",
        "listings": [_listing(identity, listing, steps[0]) for listing in figure.listings],
        "spec": Markup(spec_json(figure).replace("<", "\\u003c")) if inline else "",
    }


def step_fragment(identity: str, key: str, slug: str) -> str:
    """What a link to a step names: ``fig-ladder/split_k``, or ``fig-probes/split_k,cold/loads_only`` with choices."""
    return f"{identity}/{key}/{slug}" if key else f"{identity}/{slug}"


def _without_kind(source: Provenance) -> str:
    """The text of a source after its kind, which the page shows as a mark before it."""
    begins = source.text.lower().startswith(source.kind)
    return source.text[len(source.kind) :].lstrip(" :,") if begins else source.text


def _still(svg: str, prefix: str) -> Markup:
    size = "wide" if prefix.endswith("-w") else "narrow"
    svg = svg.replace("<svg ", f'<svg class="fig-still fig-still-{size}" aria-hidden="true" focusable="false" ', 1)
    return Markup(svg.replace("{{id}}", prefix))


def _choices(figure: SteppedFigure, first: str) -> list[dict[str, Any]]:
    chosen = first.split(",")
    return [
        {
            "slug": choice.slug,
            "label": choice.label,
            "options": [
                {"slug": slug, "label": label, "checked": slug == chosen[place]} for slug, label in choice.options
            ],
        }
        for place, choice in enumerate(figure.choices)
    ]


def _captions(
    figure: SteppedFigure, identity: str, key: str, steps: tuple[Step, ...], first: str
) -> list[dict[str, Any]]:
    labels = [
        dict(choice.options).get(slug, slug) for choice, slug in zip(figure.choices, key.split(","), strict=False)
    ]
    rows = []
    show: tuple[str, ...] = ()
    for place, step in enumerate(steps):
        show = step.show or show
        rows.append(
            {
                "id": step_fragment(identity, key, step.slug),
                "key": key,
                "branch": ", ".join(labels) if place == 0 else "",
                "title": step.title,
                "text": inline_code(step.caption),
                "show": " ".join(show),
                "lit": " ".join(map(_key, step.lit)),
                "current": key == first and place == 0,
            }
        )
    return rows


def _key(key: str) -> str:
    """A line's key as an id may hold it."""
    return re.sub(r"\s", "-", key)


def _listing(identity: str, listing: Listing, step: Step) -> dict[str, Any]:
    gutter = max((len(line.label) for line in listing.lines), default=0)
    before = ()
    lines = []
    texts = [line.text for line in listing.lines]
    shown = [Markup(line) for line in highlight("\n".join(texts))] if listing.language == "cuda" else texts
    for line, text in zip(listing.lines, shown, strict=True):
        starts_loop = "loop" in line.marks and "loop" not in before
        lines.append(_line(identity, listing.slug, line, text, starts_loop))
        before = line.marks
    off = bool(step.show) and listing.slug not in step.show
    return {
        "slug": listing.slug,
        "title": listing.title,
        "language": listing.language,
        "gutter": gutter,
        "off": off,
        "lines": lines,
    }


def _line(identity: str, listing: str, line: CodeLine, text: str, starts_loop: bool) -> dict[str, Any]:
    words = [mark for mark in line.marks if mark != "loop"] + (["loop"] if starts_loop else [])
    classes = [f"is-{mark}" for mark in line.marks if mark in KINDS] + (["in-loop"] if "loop" in line.marks else [])
    return {
        # Most ids follow from the label, and listings.js gives them: here they would be a thirtieth of the page.
        "id": "" if line.key == f"{listing}-{line.label.lstrip('0') or 0}" else f"{identity}:{_key(line.key)}",
        "text": text,
        "label": line.label,
        "words": ", ".join(words),
        "classes": " ".join(classes),
        "links": " ".join(map(_key, line.links)),
    }


def spec_json(figure: SteppedFigure) -> str:
    """What the script draws from, and the notes of code lines. Captions, titles and code are in the page alone."""
    spec: dict[str, Any] = {
        "data": figure.data,
        "layout": figure.layout,
        "narrow": figure.narrow,
        "height": figure.height,
        "narrowHeight": figure.narrow_height,
        "sequences": {key: [_step(step) for step in steps] for key, steps in figure.sequences.items()},
    }
    notes = {_key(line.key): line.note for listing in figure.listings for line in listing.lines if line.note}
    if notes:
        spec["notes"] = notes
    if figure.topics:
        spec["topics"] = figure.topics
    if figure.driver:
        spec |= {"driver": figure.driver, "driverData": figure.driver_data}
    return json.dumps(spec, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _step(step: Step) -> dict[str, Any]:
    parts = {"slug": step.slug, "data": step.data, "traces": step.traces, "layout": step.layout}
    return {key: value for key, value in parts.items() if value}
