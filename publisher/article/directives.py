"""What does a block between colons become on one card? Figures, quotations, claims, notes, and the list of gaps."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from publisher.facts.claims import Outcome, evaluate
from publisher.facts.expressions import ExpressionError
from publisher.facts.gaps import gaps_of
from publisher.facts.values import FactMissing, UnknownFact
from publisher.source.nodes import Directive
from publisher.source.snippets import SnippetError

if TYPE_CHECKING:
    from publisher.article.weave import Weaver


def render_directive(node: Directive, page: Weaver) -> str:
    """HTML of a directive; what is wrong with it becomes a fault of the build."""
    return DIRECTIVES[node.name](node, page)


def _figure(node: Directive, page: Weaver) -> str:
    return page.figure(node)


def _snippet(node: Directive, page: Weaver) -> str:
    try:
        return page.snippet(node.argument)
    except SnippetError as error:
        page.fault(node, str(error), getattr(error, "needs", ()))
        return ""


def _claim(node: Directive, page: Weaver) -> str:
    """The body where the claim holds, its ``otherwise`` where not, a sentence where nobody measured."""
    try:
        outcome = evaluate(node.argument, page.facts)
    except (ExpressionError, UnknownFact) as error:
        page.fault(node, str(error), getattr(error, "needs", ()))
        return ""
    id = page.claim(node, outcome)
    shown = None if outcome.missing else node.body if outcome.holds else node.otherwise
    for text in (node.body, node.otherwise):
        if text is not shown:
            page.check(text or ())
    if outcome.missing is not None:
        return f'<div class="claim is-missing" id="{id}">{gap_sentence(outcome.missing)}</div>\n'
    if outcome.holds:
        return f'<div class="claim" id="{id}">{page.html(node.body)}</div>\n'
    if node.otherwise is None:
        if page.shown:
            page.fault(node, failing(node.argument, outcome, page.card.name))
        return ""
    return f'<div class="claim is-otherwise" id="{id}">{page.html(node.otherwise)}</div>\n'


def failing(expression: str, outcome: Outcome, card: str) -> str:
    """The sentence for a claim that does not hold and has nothing to say instead."""
    return (
        f"the claim {expression} does not hold on {card}: {outcome.detail}; "
        "change it, or say inside it what is true instead: :::{otherwise} … :::"
    )


def gap_sentence(missing: FactMissing) -> str:
    """What stands in place of a paragraph or a figure that a card cannot fill."""
    again = f" This would record it: <code>{escape(missing.command)}</code>" if missing.command else ""
    return f'<p class="missing">Not said here: {escape(missing.what)}.{again}</p>'


def _note(node: Directive, page: Weaver) -> str:
    title = f'<p class="margin-note-title">{page.html(node.title)}</p>' if node.title else ""
    return f'<div class="margin-note" role="note">{title}{page.html(node.body)}</div>\n'


def _not_measured(node: Directive, page: Weaver) -> str:
    rows = gaps_of(page.recordings, page.subject, page.evidence.declared)
    if not rows:
        return '<p class="not-measured">Nothing is missing: every experiment ran, and every value is there.</p>\n'
    items = ""
    for gap in rows:
        again = f" <code>{escape(gap.command)}</code>" if gap.command else ""
        items += f"<dt>{escape(gap.what)}</dt><dd>{escape(gap.why)}.{again}</dd>"
    return f'<dl class="not-measured">{items}</dl>\n'


DIRECTIVES: dict[str, Callable[[Directive, Weaver], str]] = {
    "figure": _figure,
    "snippet": _snippet,
    "claim": _claim,
    "note": _note,
    "not-measured": _not_measured,
}
ARGUMENT = ("figure", "snippet", "claim")  # those that mean nothing without one
NO_ARGUMENT = ("not-measured",)
OPTIONS = ("figure",)  # those that take lines such as :key: value
BODILESS = ("figure", "snippet", "not-measured")
