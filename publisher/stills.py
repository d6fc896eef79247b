"""What does a figure look like before any script runs? Its first state as SVG, kept in site/stills by the spec's hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from publisher.figure import SteppedFigure

STILLS = Path(__file__).parents[1] / "site" / "stills"


@dataclass(frozen=True)
class Still:
    """Two SVG texts, for a wide and for a narrow page. Ids in them hold ``{{id}}``, to be made unique by the page."""

    wide: str
    narrow: str


def find_still(figure: SteppedFigure) -> Still | None:
    """The still kept for this figure's first state, or None: then the page reserves the place and says so."""
    raise NotImplementedError


def renew_stills(figures: Iterable[SteppedFigure]) -> list[str]:
    """Draw what is missing, drop what no figure uses any more; the names of the files written. Needs Playwright."""
    raise NotImplementedError
