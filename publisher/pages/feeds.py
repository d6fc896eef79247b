"""What do other programs read of the site? An Atom feed and a sitemap, both only where the site's address is known."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from publisher.pages.site import Edition

FEED = "feed.xml"
_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """``text`` for XML 1.0: a character that it cannot hold, escaped or not, becomes the mark of an unknown one."""
    return html.escape(_NO_XML.sub("\ufffd", text))


def files(edition: Edition) -> dict[str, str | bytes]:
    """``feed.xml`` and ``sitemap.xml``; dates are those of recordings, so the same inputs give the same bytes."""
    if not edition.site_url:
        return {}
    entries = []
    for article in edition.content.articles:
        for page in edition.of(article):
            dates = [
                r.header.recorded
                for r in edition.cards[page.card.slug].recordings.values()
                if r.header.subject == article.subject
            ]
            entries.append((max(dates), article, page))
    home = str(edition.absolute("index.html"))
    updated = max((date for date, _, _ in entries), default="1970-01-01T00:00:00Z")
    feed = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<title>{escape(edition.content.title)}</title>",
        f"<subtitle>{escape(edition.content.tagline)}</subtitle>",
        f'<link href="{escape(home)}"/>',
        f'<link rel="self" href="{escape(str(edition.absolute(FEED)))}"/>',
        f"<id>{escape(home)}</id>",
        f"<updated>{updated}</updated>",
        f"<author><name>{escape(edition.content.title)}</name></author>",
    ]
    for date, article, page in sorted(entries, key=lambda e: (e[0], e[1].slug, e[2].card.slug), reverse=True):
        url = escape(str(edition.absolute(f"{article.slug}/{page.card.slug}/")))
        title = escape(f"{article.title} on {page.card.name}")
        feed.append(f'<entry><title>{title}</title><link href="{url}"/><id>{url}</id><updated>{date}</updated>')
        feed.append(f"<summary>{escape(page.lede_text)}</summary></entry>")
    feed.append("</feed>")
    paths = ["index.html", *(f"{place}/" for _, place in edition.places()), "claims/index.html", "glossary/index.html"]
    urls = dict.fromkeys(escape(str(edition.absolute(path))) for path in paths)
    sitemap = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
        *(f"<url><loc>{url}</loc></url>" for url in urls),
        "</urlset>",
    ]
    return {FEED: "\n".join(feed) + "\n", "sitemap.xml": "\n".join(sitemap) + "\n"}
