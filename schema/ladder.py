"""What is a ladder? One problem, the kernels that solve it, and what they are checked and compared with.

``kernels/<slug>/ladder.py`` declares one as ``LADDER``. Sizes are named integers (the *problem*); everything that
depends on them is a function of the problem, so that a sweep over shapes needs no second declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from schema.dtypes import DTYPES, exact, random_values
from schema.kernel_file import read_source
from schema.kernel_text import read_constants, source_hash
from schema.launch import Launch
from schema.operands import (
    SCALARS,
    Constants,
    LadderError,
    Operand,
    Problem,
    Region,
    Scalar,
    TensorMap,
    known,
)
from schema.rungs import Choice, Phase, Pipeline, Rung, Variant, anything

KERNELS = Path(__file__).resolve().parent.parent / "kernels"
LIBRARIES = "libraries.py"  # beside ladder.py: the callables that LibraryCall names
Types = Mapping[str, str]  # operand -> type
Values = dict[str, Any]  # operand or scalar -> a float64 array or a number


@dataclass(frozen=True)
class LibraryCall:
    """A library call that solves the same problem: ``call`` names a function of ``libraries.py`` beside the ladder.

    ``dtype`` and ``dtypes`` are its operands' types, as a rung's.
    """

    slug: str
    title: str
    call: str
    dtype: str
    dtypes: Mapping[str, str] = field(default_factory=dict)
    accumulates: str = "fp32"

    def __post_init__(self) -> None:
        for dtype in (self.dtype, self.accumulates, *self.dtypes.values()):
            known(dtype, DTYPES, f"library call {self.slug}: a type is")


@dataclass(frozen=True)
class Sweep:
    """The constants a sweep rewrites in one rung's source, and which combinations are legal."""

    rung: str
    axes: dict[str, tuple[int, ...]]
    derived: Callable[[Constants], dict[str, int]] = lambda constants: {}  # constants that follow from the axes
    refuse: Callable[[Constants], str] = lambda constants: ""  # why a combination is not legal; empty when it is


@dataclass(frozen=True)
class Comparison:
    """One change at a time: entries of (slug, title, rung or rung.variant, constants to rewrite, what it shows)."""

    slug: str
    entries: tuple[tuple[str, str, str, dict[str, int], str], ...]


@dataclass(frozen=True)
class Ladder:
    """The declaration of one article's kernels.

    ``reference`` and ``scale`` are given float64 arrays of the operands that are read, as they are before the launch,
    and the scalars. They give the answer, and what an error is divided by cell by cell: an array, or where several
    operands are written one for each, by name. ``tolerance`` is the largest relative error of sums in the type that
    they are held in; the rounding to a narrower output is added to it, so ``scale`` is at least as large as the answer.
    ``arguments``: the names of operands, scalars and sizes in the order that kernels take them; that order unless said.
    """

    slug: str
    title: str
    entry: str
    problem: dict[str, int]
    operands: tuple[Operand, ...]
    reference: Callable[[Values], Any]
    scale: Callable[[Values], Any]
    tolerance: Callable[[Problem], float]
    tolerance_reason: str
    flops: Callable[[Problem], int]
    rungs: tuple[Rung, ...]
    scalars: tuple[Scalar, ...] = ()
    arguments: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()  # the names that regions of its kernels may have; any where it names none
    references: tuple[LibraryCall, ...] = ()
    check_problems: tuple[dict[str, int], ...] = ()  # further sizes to check where a rung accepts them
    probes: tuple[str, ...] = ()  # rungs with loads_only and math_only variants
    placements: tuple[str, ...] = ()  # rungs with a placement variant
    sweep: Sweep | None = None
    comparisons: tuple[Comparison, ...] = ()
    shapes: tuple[dict[str, int], ...] = ()
    shape_entries: tuple[str, ...] = ()
    folder: Path = field(default=KERNELS)

    # ---- names ------------------------------------------------------------------------------------------------

    def rung(self, slug: str) -> Rung:
        for rung in self.rungs:
            if rung.slug == slug:
                return rung
        raise LadderError(
            f"the ladder {self.slug} has no rung {slug!r}; it has {', '.join(r.slug for r in self.rungs)}", slug
        )

    def operand(self, name: str) -> Operand:
        for operand in self.operands:
            if operand.name == name:
                return operand
        raise LadderError(
            f"the ladder {self.slug} has no operand {name!r}; it has {', '.join(o.name for o in self.operands)}", name
        )

    @cached_property
    def cold(self) -> tuple[Operand, ...]:
        """What cold runs find outside L2."""
        return tuple(operand for operand in self.operands if operand.cold)

    @cached_property
    def outputs(self) -> tuple[Operand, ...]:
        """What kernels write."""
        return tuple(operand for operand in self.operands if operand.is_written)

    def taken(self, rung: Rung | None = None) -> tuple[str, ...]:
        """The names of a kernel's arguments, in order."""
        usual = (*(o.name for o in self.operands), *(s.name for s in self.scalars), *self.problem)
        return (rung.arguments if rung else ()) or self.arguments or usual

    # ---- kernel files -----------------------------------------------------------------------------------------

    def source(self, rung: Rung, variant: str = "") -> str:
        """The text of a rung's file, or of its variant beside it; SourceError where it cannot be read."""
        return read_source(self.folder / self.file(rung, variant), self.name(rung, variant))

    def name(self, rung: Rung, variant: str = "") -> str:
        """The name of a kernel's file inside the repository."""
        return f"kernels/{self.slug}/{self.file(rung, variant)}"

    def file(self, rung: Rung, variant: str = "") -> str:
        return rung.file.removesuffix(".cu") + f".{variant}.cu" if variant else rung.file

    def constants(self, rung: Rung, variant: str = "") -> dict[str, int]:
        return read_constants(self.source(rung, variant), self.name(rung, variant))

    @property
    def files(self) -> list[str]:
        """The kernel files of every rung and variant."""
        return [self.file(rung, variant) for rung in self.rungs for variant in ("", *rung.variant_slugs)]

    def hash_of(self, rung: Rung, variant: str = "") -> str:
        """The hash of a kernel's source with comments blanked."""
        return source_hash(self.source(rung, variant))

    # ---- types and values -------------------------------------------------------------------------------------

    def types(self, of: Rung | LibraryCall) -> dict[str, str]:
        """Operand -> type, for a rung or a library call."""
        return {o.name: of.dtypes.get(o.name) or o.dtype or of.dtype for o in self.operands}

    def label(self, of: Rung | LibraryCall) -> str:
        """A name for the types of a rung or a call: its own type, and those that it overrides: ``bf16_y_bf16``."""
        return "_".join([of.dtype, *(f"{name}_{dtype}" for name, dtype in sorted(of.dtypes.items()))])

    def bytes_of(self, name: str, problem: Problem, types: Types) -> int:
        """The bytes of an operand."""
        return int(np.prod(self.operand(name).shape(problem))) * DTYPES[types[name]].nbytes

    def least_bytes(self, problem: Problem, types: Types) -> int:
        """What the problem must move: each operand that is read once, and each that is written once."""
        return sum(self.bytes_of(o.name, problem, types) * (o.is_read + o.is_written) for o in self.operands)

    def make_inputs(self, problem: Problem, types: Types, seed: int) -> dict[str, np.ndarray]:
        """Random values of all that is read, rounded to its type: float64 references see what the kernel sees."""
        rng = np.random.default_rng(seed)
        return {o.name: random_values(rng, o.shape(problem), types[o.name]) for o in self.operands if o.is_read}

    def scalar_values(self, problem: Problem) -> dict[str, Any]:
        """The scalars as the numpy scalars that a kernel is given."""
        return {s.name: SCALARS[s.dtype](s.value(problem)) for s in self.scalars}

    def answers(
        self, values: dict[str, np.ndarray], problem: Problem, what: str = "reference"
    ) -> dict[str, np.ndarray]:
        """The float64 ``reference`` or ``scale`` of every operand that is written, by name.

        Raises LadderError where it has not the shape that the operand has.
        """
        given: Values = {name: exact(array) for name, array in values.items()}
        given |= {name: float(value) for name, value in self.scalar_values(problem).items()}
        found = getattr(self, what)(given)
        if not isinstance(found, dict):
            found = {operand.name: found for operand in self.outputs[:1]}
        if set(found) != {o.name for o in self.outputs}:
            wanted = ", ".join(o.name for o in self.outputs)
            raise LadderError(f"{what} gives {', '.join(found) or 'nothing'}; the ladder writes {wanted}", what)
        for operand in self.outputs:
            shape, wanted = np.shape(found[operand.name]), operand.shape(problem)
            if shape != wanted:
                raise LadderError(f"{what} gives {operand.name} the shape {shape}; it is declared as {wanted}", what)
        return {name: np.asarray(array, np.float64) for name, array in found.items()}

    def tolerances(self, problem: Problem, types: Types) -> dict[str, float]:
        """The largest relative error of each operand that is written: the ladder's, and its own type's rounding."""
        return {o.name: self.tolerance(problem) + DTYPES[types[o.name]].roundoff for o in self.outputs}


def header(source: str) -> tuple[str, str]:
    """(title, one-sentence idea) from a kernel file's first line, ``// Title: idea.``"""
    first = source.splitlines()[0].removeprefix("//").strip() if source else ""
    title, _, idea = first.partition(":")
    return title.strip(), idea.strip()


def sizes_of(problem: Problem) -> str:
    """The sizes of a problem in words: ``16 x 4096 x 4096``."""
    return " x ".join(str(size) for size in problem.values())


__all__ = [
    "KERNELS", "LIBRARIES", "Choice", "Comparison", "Constants", "Ladder", "LadderError", "Launch", "LibraryCall",
    "Operand", "Phase", "Pipeline", "Problem", "Region", "Rung", "Scalar", "Sweep", "TensorMap", "Types", "Variant",
    "anything", "header", "sizes_of",
]  # fmt: skip
