"""What does a role in a sentence become on one card? Numbers, comparisons, terms, and links that move a figure."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from publisher.facts import expressions
from publisher.facts.expressions import ExpressionError, in_words
from publisher.facts.quantity import Quantity, QuantityError, difference, divide
from publisher.facts.units import PLAIN, SUFFIXES, UNITS, formatted, significant
from publisher.facts.values import FactMissing, UnknownFact
from publisher.faults import instead
from publisher.source.nodes import Role

if TYPE_CHECKING:
    from publisher.article.weave import Weaver

GLOSSARY_URL = "glossary/index.html"

parse = lru_cache(maxsize=4096)(expressions.parse)
parse_list = lru_cache(maxsize=4096)(expressions.parse_list)


class RoleError(Exception):
    """A role that cannot be written: what is wrong, what exists instead, and by which inputs (``Fault.needs``)."""

    def __init__(self, what: str, *needs: str) -> None:
        super().__init__(what)
        self.needs = needs


def render_role(role: Role, page: Weaver) -> str:
    """HTML of a role. A gap in this card's recordings is said in its place; anything else is a fault of the build."""
    try:
        return ROLES[role.name](role.content, page, role)
    except FactMissing as missing:
        return gap(missing, page)
    except (ExpressionError, UnknownFact, QuantityError, RoleError) as error:
        page.fault(role, str(error), getattr(error, "needs", ()))
        return ""


def gap(missing: FactMissing, page: Weaver) -> str:
    """What a sentence says in place of a number that this card's recordings do not hold."""
    told = f"{missing.what}." + (f"\nThis would record it: `{missing.command}`" if missing.command else "")
    text = escape(f"(not recorded on {page.card.name})")
    return f'<span class="num is-missing" tabindex="0" data-note="{escape(told)}">{text}</span>'


def number(text: str, value: Quantity, page: Weaver, raw: float | int | str | None = None) -> str:
    """A bound number: its text, its raw value, the facts it came from, and a note that says how it was taken."""
    raw = value.value if raw is None else raw
    attributes = {
        "class": "num",
        "value": f"{raw:.6g}" if isinstance(raw, float) else str(raw),
        "data-kind": value.kind,
        "data-keys": " ".join(value.keys),
        "data-note": note(value, page),
        "tabindex": "0",
    }
    written = " ".join(f'{name}="{escape(content)}"' for name, content in attributes.items() if content)
    return f"<data {written}>{escape(text)}</data>"


def note(value: Quantity, page: Weaver) -> str:
    """How a number was taken, a sentence a row: kind, card, date; statistic, samples, resolution; how to repeat it."""
    told = {"recorded": "Recorded on", "derived": "Derived from recordings on"}.get(value.kind, "For")
    rows = [f"{told} {page.card.name}{f', {value.date}' if value.date else ''}."]
    if value.samples:
        finest = (
            f", resolution {formatted(value.resolution, value.dimension)}"
            if value.source is not None and value.resolution
            else ""
        )
        rows.append(f"{value.statistic.capitalize()} of {value.samples} samples{finest}.")
    rows += [f"Record again: `python -m recorder --gpu 0 --only {recording}`" for recording in value.recordings[:1]]
    return "\n".join(rows)


def _value(content: str, page: Weaver, role: Role) -> str:
    found = parse(content).quantity(page.facts)
    if not found.keys:
        raise RoleError(f"{content} names no fact, so no recording stands behind it")
    raw = found.value
    if isinstance(raw, (int, float)) and found.unit:
        raw = raw / UNITS[found.unit][0]
    return number(formatted(found.value, found.dimension, found.unit), found, page, raw)


def _ratio(content: str, page: Weaver, role: Role) -> str:
    parsed = parse(content)
    sides = parsed.operands
    if len(sides) != 2:
        raise RoleError(f"{content} is no ratio; write {{ratio}}`a / b`")
    found = parsed.quantity(page.facts)
    if found.dimension != PLAIN or isinstance(found.value, str):
        raise RoleError(f"{content} is not a ratio of two values of one kind; for a rate use {{expr}}`…`")
    return number(f"{significant(float(found.value))}\u00a0times", found, page)


def _compare(content: str, page: Weaver, role: Role) -> str:
    sides = parse_list(content)
    if len(sides) != 2:
        raise RoleError(f"{content}: a comparison has two values; write {{compare}}`a, b`")
    a, b = (side.quantity(page.facts) for side in sides)
    if not a.keys or not b.keys:
        raise RoleError(f"{content} compares with a number that no recording stands behind")
    text = in_words(a, b)
    ratio = (
        divide(a, b)
        if difference(a, b)
        else Quantity(1, PLAIN, "derived", divide(a, b).keys, a.recordings + b.recordings)
    )
    return number(text, ratio, page)


_STEP = re.compile(r"^([a-z0-9][a-z0-9_-]*)/([^|\s]+)$")


def _step(content: str, page: Weaver, role: Role) -> str:
    target, _, text = content.partition("|")
    found = _STEP.match(target.strip())
    if not found:
        raise RoleError(f"{content} names no step; write {{step}}`figure/step` or {{step}}`figure/step|text`")
    figure, step = found[1], found[2]
    title = page.step_title(role, figure, step)
    if title is None:
        return escape(text.strip() or step.rsplit("/", 1)[-1])
    target = f"fig-{figure}/{step}"
    label = escape(text.strip() or title)
    attributes = f'href="{page.HERE}#{escape(target)}" data-figure="{escape(figure)}" data-step="{escape(step)}"'
    return f'<a class="step-link" {attributes}>{label}</a>'


_TERM = re.compile(r"^(.*?)\s*<([a-z0-9-]+)>$", re.DOTALL)


def _term(content: str, page: Weaver, role: Role) -> str:
    named = _TERM.match(content)
    text, slug = (named[1], named[2]) if named else (content, "")
    if not text:
        raise RoleError(f"{content} has no word before it; write {{term}}`the word {content}`")
    terms = page.site.terms
    slug = slug or page.site.term_slugs.get(text.lower(), "")
    if slug not in terms:
        raise RoleError(
            f"content/terms.yaml has no term {slug or text}; {instead(slug or text, [*terms, *page.site.term_slugs])}",
            "terms",
        )
    page.use_term(slug)
    return f'<a class="term" href="{page.ROOT}/{GLOSSARY_URL}#{escape(slug)}">{escape(text)}</a>'


def _definition(content: str, page: Weaver, role: Role) -> str:
    return f'<span class="definition">{escape(content)}</span>'


def _published(content: str, page: Weaver, role: Role) -> str:
    path, _, unit = (part.strip() for part in content.partition("|"))
    name, _, rest = path.partition(".")
    sets = page.site.published
    if name not in sets:
        raise RoleError(f"recordings/published has no {name}; {instead(name, sets)}", "published")
    try:
        found = sets[name].get(rest)
    except KeyError as error:
        raise RoleError(str(error.args[0])) from None
    text = _as_printed(found.value, found.unit, unit, content)
    told = f"Published, not recorded here: {found.source}, on {found.card}."
    attributes = f'class="num published" value="{escape(str(found.value))}" data-kind="published" tabindex="0"'
    label = '<span class="visually-hidden"> (published)</span>'
    return f'<data {attributes} data-note="{escape(told)}">{escape(text)}{label}</data>'


def _as_printed(value: float | int | str, unit: str, wanted: str, content: str) -> str:
    """As the source printed it; three digits where the author asked for another unit."""
    if isinstance(value, str) or not unit:
        return str(value)
    if not wanted or wanted == unit:
        return f"{value}\u00a0{unit}"
    known = UNITS.get(wanted)
    if known is None or known[1] != UNITS[unit][1]:
        raise RoleError(f"{content}: {unit} cannot be written as {wanted}; {instead(wanted, SUFFIXES.values())}")
    return formatted(float(value) * UNITS[unit][0], known[1], wanted)


ROLES: dict[str, Callable[[str, Weaver, Role], str]] = {
    "value": _value,
    "expr": _value,
    "ratio": _ratio,
    "compare": _compare,
    "step": _step,
    "term": _term,
    "definition": _definition,
    "published": _published,
}
