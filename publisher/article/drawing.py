"""How does a figure's name become a figure? Its module is found by file name, called, and what it gives is checked."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from publisher.faults import instead
from publisher.figures.kit.figure import Evidence, Missing, SteppedFigure
from publisher.figures.kit.margins import with_room
from publisher.figures.kit.options import wrong_value
from publisher.pages.assets import TRACE_TYPES, hashed_name
from publisher.pages.render import pictures_script, render_figure
from publisher.pictures.stills import STILLS, find_still

FIGURES = Path(__file__).parents[1] / "figures"
# What the rest of the publisher knows a figure by: loaded anew, its classes would be others than those it has.
LASTING = {f"publisher.figures.kit{name}" for name in ("", ".figure", ".margins", ".options")}
PACKAGE = "publisher.figures"
# Plotly makes links of texts that hold them. No figure does; a string of a recording might.
_LINK = re.compile(r"<(?=/?\s*a\b)", re.IGNORECASE)
Draw = Callable[..., SteppedFigure]


class FigureError(Exception):
    """A figure that cannot be drawn because of how it is written or called: a sentence, and ``Fault.needs``."""

    def __init__(self, what: str, *needs: str) -> None:
        super().__init__(what)
        self.needs = needs


@dataclass
class Figures:
    """Figure modules by name: an article's own folder ``figures/`` first, then ``publisher/figures/``."""

    stills: Path = STILLS
    loaded: dict[Path, tuple[int, Draw]] = field(default_factory=dict)
    drawn: dict[tuple[str, ...], tuple[Evidence, SteppedFigure | Missing]] = field(default_factory=dict)
    scripts: dict[tuple[tuple[str, int], ...], tuple[object, tuple[str, str]]] = field(default_factory=dict)
    rendered: dict[tuple[str, int], tuple[object, str]] = field(
        default_factory=dict
    )  # the figure is kept: its id is the key

    def draw(self, name: str, options: dict[str, str], evidence: Evidence, own: Path) -> SteppedFigure | Missing:
        """The figure on one card, or what that card lacks. Raises ``FigureError``."""
        draw = self._find(name, own)
        _check_options(name, draw, options, evidence)
        key = (name, evidence.card.slug, evidence.subject, str(own), *(f"{k}={v}" for k, v in sorted(options.items())))
        if key not in self.drawn or not _same(self.drawn[key][0], evidence):
            self.drawn[key] = (evidence, self._drawn(name, draw, options, evidence))
        return self.drawn[key][1]

    def _drawn(self, name: str, draw: Draw, options: dict[str, str], evidence: Evidence) -> SteppedFigure | Missing:
        try:
            figure = draw(evidence, **options)
        except Missing as missing:
            return missing
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error}"
            place = f"{Path(where.filename).name}:{where.lineno}"
            what = f"the figure {name} failed on {evidence.card.card.name}: {text} ({place})"
            raise FigureError(what, "glossary", "published") from error
        check(name, figure)
        return with_room(figure)

    def html(self, name: str, figure: SteppedFigure | Missing) -> str:
        """The figure as markup, rendered once as long as it is the same figure."""
        key = (name, id(figure))
        if key not in self.rendered:
            still = find_still(figure, self.stills) if isinstance(figure, SteppedFigure) else None
            self.rendered[key] = (figure, render_figure(name, figure, still, inline=False))
        return self.rendered[key][1]

    def pictures(self, figures: Mapping[str, SteppedFigure | Missing | None]) -> tuple[str, str]:
        """File name and text of the script with the states of a page's figures, made once for the same figures."""
        key = tuple((name, id(figure)) for name, figure in figures.items())
        if key not in self.scripts:
            text = _LINK.sub("&lt;", pictures_script(figures)[1])
            self.scripts[key] = (tuple(figures.values()), (hashed_name("pictures.js", text.encode()), text))
        return self.scripts[key][1]

    def _find(self, name: str, own: Path) -> Draw:
        file = f"{name.replace('-', '_')}.py"
        for folder in (own, FIGURES):
            path = folder / file
            if path.exists() and not file.startswith("_"):
                return self._load(path, name)
        known = [
            p.stem.replace("_", "-")
            for f in (own, FIGURES)
            for p in sorted(f.glob("*.py"))
            if not p.stem.startswith("_")
        ]
        raise FigureError(f"there is no figure {name}; {instead(name, known, limit=30)}")

    def _load(self, path: Path, name: str) -> Draw:
        stamp = path.stat().st_mtime_ns
        if path not in self.loaded or self.loaded[path][0] != stamp:
            try:
                module = (
                    importlib.import_module(f"{PACKAGE}.{path.stem}") if path.parent == FIGURES else _from_file(path)
                )
            except Exception as error:
                raise FigureError(f"the figure {name} cannot be loaded: {type(error).__name__}: {error}") from error
            draw: Draw | None = getattr(module, "draw", None)
            if draw is None or not callable(draw):
                raise FigureError(f"{path.name} has no function draw(evidence, **options)")
            self.loaded[path] = (stamp, draw)
        return self.loaded[path][1]

    def forget(self) -> None:
        """Load every module anew at its next use, and draw again."""
        self.loaded.clear()
        self.drawn.clear()
        self.rendered.clear()
        self.scripts.clear()
        for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.") and name not in LASTING]:
            del sys.modules[name]
        importlib.invalidate_caches()


def _same(a: Evidence, b: Evidence) -> bool:
    """Whether two pieces of evidence are the same recordings and texts: a recording that was read again is another."""
    cards = a.cards.keys() == b.cards.keys() and all(a.cards[slug] is b.cards[slug] for slug in a.cards)
    return cards and a.sources == b.sources and a.glossary == b.glossary


def _from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"article_figures.{path.parents[1].name}.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _check_options(name: str, draw: Draw, options: dict[str, str], evidence: Evidence) -> None:
    parameters = list(inspect.signature(draw).parameters.values())[1:]
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        return
    known = [p.name for p in parameters]
    for option in options:
        if option not in known:
            raise FigureError(f"the figure {name} has no option {option}; {instead(option, known)}")
    for p in parameters:
        if p.default is inspect.Parameter.empty and p.name not in options:
            raise FigureError(f"the figure {name} needs the option :{p.name}: value")
    if wrong := wrong_value(draw, options, evidence):
        raise FigureError(f"the figure {name}: {wrong}", "recordings", "kernels", "published")


def check(name: str, figure: SteppedFigure) -> None:
    """Refuse what the page's player could not show."""
    if not isinstance(figure, SteppedFigure):
        raise FigureError(f"the figure {name} gave {type(figure).__name__}, not a SteppedFigure")
    overrides = [trace for steps in figure.sequences.values() for step in steps for trace in step.data]
    for trace in (*figure.data, *overrides):
        kind = trace.get("type")
        if kind is not None and kind not in TRACE_TYPES:
            raise FigureError(f"the figure {name} has a trace of type {kind}; pages draw {', '.join(TRACE_TYPES)}")
    expected = 1
    for choice in figure.choices:
        expected *= len(choice.options)
    if not 1 <= len(figure.sequences) <= expected or (not figure.choices and list(figure.sequences) != [""]):
        raise FigureError(f"the figure {name} has {len(figure.sequences)} sequences; its choices make {expected}")
    for key, steps in figure.sequences.items():
        slugs = [step.slug for step in steps]
        if not slugs or len(set(slugs)) != len(slugs):
            wrong = "no steps" if not slugs else "two steps of one slug"
            raise FigureError(f"the figure {name} has {wrong} in {key or 'its sequence'}")
        for step in steps:
            targets = step.traces or tuple(range(len(step.data)))  # without numbers: the first traces, in order
            if len(targets) != len(step.data) or any(not 0 <= i < len(figure.data) for i in targets):
                wrong = "every trace override needs the number of a trace that exists"
                raise FigureError(f"the figure {name}, step {step.slug}: {wrong}")
