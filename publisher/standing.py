"""Which claims does the committed content make? For a recorder that says which of them a new recording flipped."""

from __future__ import annotations

from publisher.build import Builder, Options
from publisher.faults import Faults


def standing_claims() -> list[str]:
    """The expression of every claim in ``content/``, in reading order; none when the content has faults."""
    content = Builder(Options()).read_content(Faults())
    return [] if content is None else [node.argument for article in content.articles for node in article.claims()]
