"""What is a ladder? One problem, the kernels that solve it, and what they are checked and compared with.

``kernels/<slug>/ladder.py`` declares one as ``LADDER``. Sizes are named integers (the *problem*); everything that
depends on them is a function of the problem, so that a sweep over shapes needs no second declaration.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import ModuleType

import numpy as np

from schema.kernel_file import read_source
from schema.kernel_text import SourceError, read_constants, source_hash
from schema.launch import Launch

KERNELS = Path(__file__).resolve().parent.parent / "kernels"

Problem = Mapping[str, int]
Constants = Mapping[str, int]
DTYPES = {"fp32": np.dtype(np.float32), "fp16": np.dtype(np.float16)}


class LadderError(Exception):
    """A ladder that cannot be used, as a sentence for a person."""


@dataclass(frozen=True)
class Input:
    """An operand: its C order shape, and whether it is the streamed one (the one that cold runs find outside L2)."""

    name: str
    shape: Callable[[Problem], tuple[int, ...]]
    streamed: bool = False


@dataclass(frozen=True)
class Rung:
    """One kernel file. ``launch`` gives grid and block for a problem; ``accepts`` says which problems it solves."""

    slug: str
    file: str
    dtype: str
    launch: Callable[[Problem, Constants], Launch]
    accepts: Callable[[Problem, Constants], bool]
    zero_output: Callable[[Constants], bool] = lambda constants: False
    variants: tuple[str, ...] = ()
    must_have: tuple[str, ...] = ()  # SASS opcodes without which the idea of the rung is not in the code


@dataclass(frozen=True)
class LibraryCall:
    """A library call that solves the same problem: ``library`` is ``cublas`` or ``torch_linear``."""

    slug: str
    title: str
    library: str
    dtype: str
    returns: str
    tolerance: float  # added to the ladder's own, for the rounding of the type it returns


@dataclass(frozen=True)
class Sweep:
    """The constants a sweep rewrites in one rung's source, and which combinations are legal."""

    rung: str
    axes: dict[str, tuple[int, ...]]
    derived: Callable[[Constants], dict[str, int]]  # constants that follow from the axes
    refuse: Callable[[Constants], str]  # why a combination is not legal; empty when it is


@dataclass(frozen=True)
class Comparison:
    """One change at a time: entries of (slug, title, rung or rung.variant, constants to rewrite, what it shows)."""

    slug: str
    entries: tuple[tuple[str, str, str, dict[str, int], str], ...]


@dataclass(frozen=True)
class Ladder:
    """The declaration of one article's kernels."""

    slug: str
    title: str
    entry: str
    problem: dict[str, int]
    inputs: tuple[Input, ...]
    output_shape: Callable[[Problem], tuple[int, ...]]
    sizes: tuple[str, ...]  # the problem's integers in the order the kernels take them, after inputs and output
    reference: Callable[[dict[str, np.ndarray]], np.ndarray]  # float64
    scale: Callable[[dict[str, np.ndarray]], np.ndarray]  # what an error is divided by, cell by cell
    tolerance: Callable[[Problem], float]
    tolerance_reason: str
    flops: Callable[[Problem], int]
    least_bytes: Callable[[Problem, str], int]  # each operand once, for inputs of a dtype
    rungs: tuple[Rung, ...]
    references: tuple[LibraryCall, ...] = ()
    check_problems: tuple[dict[str, int], ...] = ()  # further sizes to check where a rung accepts them
    probes: tuple[str, ...] = ()  # rungs with loads_only and math_only variants
    placements: tuple[str, ...] = ()  # rungs with a placement variant
    sweep: Sweep | None = None
    comparisons: tuple[Comparison, ...] = ()
    shapes: tuple[dict[str, int], ...] = ()
    shape_entries: tuple[str, ...] = ()
    folder: Path = field(default=KERNELS)

    def rung(self, slug: str) -> Rung:
        for rung in self.rungs:
            if rung.slug == slug:
                return rung
        raise LadderError(
            f"the ladder {self.slug} has no rung {slug!r}; it has {', '.join(r.slug for r in self.rungs)}"
        )

    def source(self, rung: Rung, variant: str = "") -> str:
        """The text of a rung's file, or of its variant beside it; SourceError where it cannot be read."""
        return read_source(self.folder / self.file(rung, variant), self.name(rung, variant))

    def name(self, rung: Rung, variant: str = "") -> str:
        """The name of a kernel's file inside the repository."""
        return f"kernels/{self.slug}/{self.file(rung, variant)}"

    def file(self, rung: Rung, variant: str = "") -> str:
        return rung.file.removesuffix(".cu") + f".{variant}.cu" if variant else rung.file

    def constants(self, rung: Rung, variant: str = "") -> dict[str, int]:
        return read_constants(self.source(rung, variant))

    @cached_property
    def streamed(self) -> Input:
        return next(i for i in self.inputs if i.streamed)

    @property
    def files(self) -> list[str]:
        """The kernel files of every rung and variant."""
        return [self.file(rung, variant) for rung in self.rungs for variant in ("", *rung.variants)]

    def hashes(self) -> dict[str, str]:
        """Kernel file -> hash of its source with comments blanked, for every rung and variant."""
        found = {}
        for rung in self.rungs:
            for variant in ("", *rung.variants):
                found[self.file(rung, variant)] = source_hash(self.source(rung, variant))
        return found

    def make_inputs(self, problem: Problem, dtype: str, seed: int) -> dict[str, np.ndarray]:
        """Random inputs, uniform in [-1, 1), rounded to ``dtype``: float64 references see what the kernel sees."""
        rng = np.random.default_rng(seed)
        return {
            i.name: (rng.random(i.shape(problem), dtype=np.float32) * 2 - 1).astype(DTYPES[dtype]) for i in self.inputs
        }


def header(source: str) -> tuple[str, str]:
    """(title, one-sentence idea) from a kernel file's first line, ``// Title: idea.``"""
    first = source.splitlines()[0].removeprefix("//").strip() if source else ""
    title, _, idea = first.partition(":")
    return title.strip(), idea.strip()


def sizes_of(problem: Problem) -> str:
    """The sizes of a problem in words: ``16 x 4096 x 4096``."""
    return " x ".join(str(size) for size in problem.values())


def load_ladder(folder: Path) -> Ladder:
    """The ``LADDER`` that ``folder/ladder.py`` declares; LadderError or SourceError where it declares none."""
    path, shown = folder / "ladder.py", f"kernels/{folder.name}/ladder.py"
    module = ModuleType(f"kernels.{folder.name}.ladder")
    module.__file__ = str(path)
    text = read_source(path, shown)
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except (LadderError, SourceError):
        raise
    except Exception as error:  # it is a program, and may be wrong like any other
        raise LadderError(f"{shown}:{_line_of(error, str(path))}: {type(error).__name__}: {error}") from error
    ladder = getattr(module, "LADDER", None)
    if not isinstance(ladder, Ladder):
        raise LadderError(f"{shown}:1: declares no LADDER = Ladder(...)")
    if ladder.slug != folder.name:
        raise LadderError(
            f"{shown}:1: the ladder is called {ladder.slug!r} but its folder {folder.name!r}; make them equal"
        )
    return ladder


def _line_of(error: Exception, file: str) -> int:
    """The line of ``file`` where an error was raised, or where the file stopped making sense."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno or 1
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return (lines[-1] if lines else None) or 1


def load_ladders(kernels: Path = KERNELS) -> dict[str, Ladder]:
    """Every ladder under ``kernels/``, by slug."""
    return {p.parent.name: load_ladder(p.parent) for p in sorted(kernels.glob("*/ladder.py"))}
