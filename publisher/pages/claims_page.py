"""Which claims does the whole site make, and where does each hold? The page under claims/, and the same as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from publisher.article.weave import at_root
from publisher.pages.render import CardLink, ClaimRow, ClaimsPage, Verdict, render_claims

if TYPE_CHECKING:
    from publisher.article.weave import ClaimOnCard, Woven
    from publisher.pages.site import Edition


def files(edition: Edition, common: dict[str, Any]) -> dict[str, str | bytes]:
    """``claims/index.html`` and ``claims/claims.json``."""
    cards = {page.card.slug: page.card for page in edition.woven}
    order = sorted(cards, key=lambda slug: (slug != edition.default, slug))
    rows: list[ClaimRow] = []
    data: list[dict[str, Any]] = []
    for article in edition.content.articles:
        pages = edition.of(article)
        if not pages:
            continue
        on_card = {page.card.slug: {key(claim): claim for claim in page.claims} for page in pages}
        for claim in _all_claims(pages):
            found = {slug: on_card.get(slug, {}).get(key(claim)) for slug in order}
            rows.append(_row(claim, pages[0], found, edition))
            data.append(_json(claim, article.slug, found))
    links = tuple(CardLink(slug, cards[slug].name, _home(edition, slug)) for slug in order)
    page = ClaimsPage(**common, cards=links, claims=tuple(rows))
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    return {"claims/index.html": render_claims(page), "claims/claims.json": f"{text}\n"}


def key(claim: ClaimOnCard) -> tuple[str, int, str]:
    return claim.node.file, claim.node.line, claim.node.argument


def _all_claims(pages: list[Woven]) -> list[ClaimOnCard]:
    """Every claim once: a claim inside another's text only shows on cards where that text does."""
    found = {key(claim): claim for page in reversed(pages) for claim in page.claims}
    return [found[place] for place in sorted(found)]


def _row(claim: ClaimOnCard, page: Woven, found: dict[str, ClaimOnCard | None], edition: Edition) -> ClaimRow:
    here = f"../{page.article.slug}/{page.card.slug}/index.html"
    return ClaimRow(
        expression=claim.node.argument,
        text=at_root(page.plain(claim.node.body), "..", here),
        guarded=claim.node.otherwise is not None,
        where=f"{claim.node.file}:{claim.node.line}",
        article=page.article.title,
        verdicts=tuple(
            Verdict(slug, on.outcome.holds, on.outcome.detail, f"../{page.article.slug}/{slug}/index.html#{on.id}")
            if on
            else Verdict(slug, None, "not part of the text on this card")
            for slug, on in found.items()
        ),
    )


def _json(claim: ClaimOnCard, article: str, found: dict[str, ClaimOnCard | None]) -> dict[str, Any]:
    cards = {slug: {"holds": on.outcome.holds, "detail": on.outcome.detail} for slug, on in found.items() if on}
    return {
        "article": article,
        "expression": claim.node.argument,
        "file": claim.node.file,
        "line": claim.node.line,
        "guarded": claim.node.otherwise is not None,
        "cards": cards,
    }


def _home(edition: Edition, slug: str) -> str:
    """The first article that the card has."""
    return next(f"../{page.article.slug}/{slug}/index.html" for page in edition.woven if page.card.slug == slug)
