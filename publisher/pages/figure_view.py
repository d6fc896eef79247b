"""What does the template of a figure need? Ids, texts, its first state's SVG, and the spec that the script reads."""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup, escape

from publisher.figures.kit.figure import CodeLine, Listing, Provenance, Step, SteppedFigure
from publisher.pictures.stills import Still
from publisher.source.highlight import highlight

SOME = 5  # from this many steps on, dots with their names take a row of their own
MANY = 10  # … and from this many on, they have their names only when pointed at
LONG = 21  # letters from which on a word in a table may break
KINDS = ("load", "math", "store", "barrier", "carried")


def inline_code(text: str) -> Markup:
    """Plain text with `code` in back-ticks, as HTML."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


_LONG_WORD = re.compile(rf"(\S{{{LONG},}})")
_PIECE = re.compile(r"[^_.:/,]{1,16}[_.:/,]*|[_.:/,]+")


def breakable(text: str) -> Markup:
    """Plain text as HTML in which long words, such as a library's names of kernels, may go on in a new line."""
    parts = _LONG_WORD.split(text)
    return Markup("").join(
        Markup("<wbr>").join(_PIECE.findall(part)) if place % 2 else part for place, part in enumerate(parts)
    )


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
        "spec": Markup(spec_json(name, figure).replace("<", "\\u003c")) if inline else "",
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
    for place, step in enumerate(steps):
        rows.append(
            {
                "id": step_fragment(identity, key, step.slug),
                "key": key,
                "branch": ", ".join(labels) if place == 0 else "",
                "title": step.title,
                "text": inline_code(step.caption),
                "current": key == first and place == 0,
            }
        )
    return rows


def _key(key: str) -> str:
    """A line's key as an id may hold it."""
    return re.sub(r"\s", "-", key)


def _listing(identity: str, listing: Listing, step: Step) -> dict[str, Any]:
    """A listing that the first step does not show comes without its lines: they are in the spec."""
    off = _is_off(listing, step)
    return {
        "slug": listing.slug,
        "title": listing.title,
        "language": listing.language,
        "gutter": max((len(line.label) for line in listing.lines), default=0),
        "count": len(listing.lines),
        "off": off,
        "lines": "" if off else _lines(identity, listing),
    }


def _is_off(listing: Listing, step: Step) -> bool:
    return bool(step.show) and listing.slug not in step.show


def _lines(identity: str, listing: Listing) -> Markup:
    texts = [line.text for line in listing.lines]
    shown = [Markup(line) for line in highlight("\n".join(texts))] if listing.language == "cuda" else texts
    rows: list[Markup] = []
    before: tuple[str, ...] = ()
    for line, text in zip(listing.lines, shown, strict=True):
        starts_loop = "loop" in line.marks and "loop" not in before
        rows.append(_line(identity, listing.slug, line, text, starts_loop))
        before = line.marks
    return Markup("\n").join(rows)


def _line(identity: str, listing: str, line: CodeLine, text: str, starts_loop: bool) -> Markup:
    """One <li>, without the end tag that HTML lets it leave out. Colours come from classes, and words say the same."""
    words = [mark for mark in line.marks if mark != "loop"] + (["loop"] if starts_loop else [])
    classes = [f"is-{mark}" for mark in line.marks if mark in KINDS] + (["in-loop"] if "loop" in line.marks else [])
    # Most ids follow from the label, and listings.js gives them: here they would be a thirtieth of the page.
    follows = line.key == f"{listing}-{line.label.lstrip('0') or 0}"
    attributes = {
        "id": "" if follows else f"{identity}:{_key(line.key)}",
        "class": " ".join(classes),
        "data-pair": " ".join(map(_key, line.links)),
    }
    written = Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in attributes.items() if value)
    label = Markup("<i>{}</i>").format(line.label) if line.label else ""
    said = Markup("<small>{}</small>").format(", ".join(words)) if words else ""
    return Markup("<li{}>{}<code>{}</code>{}").format(written, label, text, said)


def spec_json(name: str, figure: SteppedFigure) -> str:
    """What the script draws from, the notes of code lines, and the listings that the first step does not show.

    Captions, titles and all other code are in the page alone. ``name`` is the figure's in its page.
    """
    spec: dict[str, Any] = {
        "data": figure.data,
        "layout": figure.layout,
        "narrow": figure.narrow,
        "height": figure.height,
        "narrowHeight": figure.narrow_height,
        "sequences": {key: _steps(steps) for key, steps in figure.sequences.items()},
    }
    notes = {_key(line.key): line.note for listing in figure.listings for line in listing.lines if line.note}
    if notes:
        spec["notes"] = notes
    first = next(iter(figure.sequences.values()))[0]
    hidden = {row.slug: _lines(f"fig-{name}", row) for row in figure.listings if _is_off(row, first)}
    if hidden:
        spec["lines"] = hidden
    if figure.topics:
        spec["topics"] = figure.topics
    if figure.driver:
        spec |= {"driver": figure.driver, "driverData": figure.driver_data}
    return json.dumps(spec, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _steps(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    """What each step draws, which listings it shows, and the lines that it lights. Nothing said: as the step before."""
    found = []
    show: tuple[str, ...] = ()
    for step in steps:
        show = step.show or show
        lit = list(map(_key, step.lit))
        parts = {"slug": step.slug, "data": step.data, "traces": step.traces, "layout": step.layout}
        parts |= {"show": show, "lit": lit}
        found.append({key: value for key, value in parts.items() if value})
    return found
