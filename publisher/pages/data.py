"""What is all the data of an article on one card? Its figures' tables and every recording, in one JSON file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from publisher.figures.kit.figure import SteppedFigure
from schema.recording import CardRecordings

if TYPE_CHECKING:
    from publisher.article.weave import Woven


def data_json(recordings: CardRecordings, page: Woven) -> str:
    """All of an article on one card: its figures' tables and every recording, as JSON."""
    tables = {}
    for drawn in page.figures.values():
        if isinstance(drawn.figure, SteppedFigure):
            table = drawn.figure.table
            tables[drawn.name] = {
                "title": drawn.figure.title,
                "columns": table.columns,
                "rows": table.rows,
                "provenance": [{"kind": p.kind, "text": p.text, "files": p.files} for p in drawn.figure.provenance],
            }
    figures = json.dumps(tables, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    parts = [
        f'"{recording.key}":{{"header":{recording.header.model_dump_json(by_alias=True)},"results":{recording.results.model_dump_json()}}}'
        for _, recording in sorted(recordings.recordings.items())
    ]
    head = f'"article":"{page.article.slug}","card":"{page.card.slug}","figures":{figures}'
    return f'{{{head},"recordings":{{{",".join(parts)}}}}}\n'
