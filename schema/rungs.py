"""What is a rung? One kernel file: how it is launched, what its blocks own, and what its code must show."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from schema.dtypes import DTYPES
from schema.launch import Launch
from schema.operands import Constants, LadderError, Problem, Region, TensorMap, known
from schema.units import UNITS

Block = tuple[int, int, int]  # a block's place in the grid
USUAL = {  # what a thing of a loop is done with, where the ladder does not say
    "request": ("LDGSTS", "LDGDEPBAR", "UBLKCP", "UTMALDG"),
    "load": ("LDG", "STS"),
    "wait": ("DEPBAR", "SYNCS"),
    "barrier": ("BAR",),
    "multiply": ("LDS", "LDSM"),
    "release": ("BAR",),
}
PHASES = tuple(USUAL)
_ARCH = re.compile(r"sm_(\d{2,3})([af]?)")


def anything(problem: Problem, constants: Constants) -> bool:
    """A rung that accepts any problem."""
    return True


@dataclass(frozen=True)
class Variant:
    """A cut-down or instrumented form of a rung, in a file beside it: ``NN_rung.VARIANT.cu``.

    ``changes``: the regions in which it may differ; ``adds``: regions that only it has. ``arguments``: what it takes
    behind the rung's own. The others are SASS opcodes, without the parts behind the first dot. ``nowhere``: not in its
    code. ``gone``: not in its main loop. ``gained``: in its main loop, and not in the rung's. ``kept``: in its main
    loop as often as in the rung's, pass for pass: ptxas may put several passes into one, so all of them may stand there
    a common whole number of times as often, or as rarely. The main loop is the one that by itself, without the loops
    inside it, holds the most of the first opcode of ``kept``; where that is empty, the one that multiplies the most.
    """

    slug: str
    changes: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class Phase:
    """One thing that every pass of a loop does, in the order of the code.

    ``kind`` is one of ``PHASES``. ``families``: the SASS opcodes that do it, where they are not the usual ones.
    ``words``: what it does, as a sentence, where the usual one does not say it.
    """

    kind: str
    families: tuple[str, ...] = ()
    words: str = ""

    def __post_init__(self) -> None:
        known(self.kind, PHASES, "a phase is")


@dataclass(frozen=True)
class Pipeline:
    """The loop of a block over slices: how many there are, where they lie, how far ahead they are asked for.

    ``passes(problem, constants)`` is the number of slices. ``buffers`` is the number of places for one in shared
    memory, 0 where slices go to registers. ``ahead``: slices asked for before their pass. ``slice_of(problem,
    constants)`` names the regions that one slice holds, each an operand's.
    """

    passes: Callable[[Problem, Constants], int]
    phases: tuple[Phase, ...]
    buffers: int = 1
    ahead: int = 0
    slice_of: Callable[[Problem, Constants], tuple[Region, ...]] = lambda problem, constants: ()


def families_of(phase: Phase, rung: Rung) -> tuple[str, ...]:
    """The SASS opcodes that do a phase of a rung's loop: its own, or the usual ones, with those of the rung's unit."""
    if phase.families:
        return phase.families
    of_unit = UNITS[rung.unit].families if rung.unit else ()
    return (*(of_unit if phase.kind == "multiply" else ()), *USUAL[phase.kind])


@dataclass(frozen=True)
class Choice:
    """A constant that a reader may turn in a what-if: its name in the source, what pages call it, and its values."""

    constant: str
    title: str
    values: tuple[int, ...]


@dataclass(frozen=True)
class Rung:
    """One kernel file.

    ``dtype`` is the type of the operands that have none of their own; ``dtypes`` overrides by operand. ``launch`` and
    ``accepts`` are functions of problem and constants. ``unit`` is the arithmetic unit it multiplies on, a name of
    ``schema.units``. ``owns(block, problem, constants)`` is the region that a block is responsible for. ``needs`` is
    the least architecture, such as ``sm_90``, or with a suffix the one it is compiled for, such as ``sm_90a``.
    ``spills``: architectures on which registers may spill. ``arguments`` overrides the ladder's. ``choices``: constants
    whose launches are recorded for what-ifs, without being run. ``must_have`` and ``must_not_have``: SASS opcodes,
    without the parts behind the first dot, that its code holds and does not hold. ``new_start``: a rung that begins
    anew: its step from the one before is no lesson in one change.
    """

    slug: str
    file: str
    dtype: str
    launch: Callable[[Problem, Constants], Launch]
    accepts: Callable[[Problem, Constants], bool] = anything
    zero_output: Callable[[Constants], bool] = lambda constants: False
    variants: tuple[Variant, ...] = ()
    must_have: tuple[str, ...] = ()
    dtypes: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    owns: Callable[[Block, Problem, Constants], Region] | None = None
    needs: str = ""
    spills: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    tensor_maps: tuple[TensorMap, ...] = ()
    pipeline: Pipeline | None = None
    choices: tuple[Choice, ...] = ()
    must_not_have: tuple[str, ...] = ()
    new_start: bool = False

    def __post_init__(self) -> None:
        for dtype in (self.dtype, *self.dtypes.values()):
            known(dtype, DTYPES, f"rung {self.slug}: a type is")
        if self.unit:
            known(self.unit, UNITS, f"rung {self.slug}: a unit is")
        for arch in filter(None, (self.needs, *self.spills)):
            if not _ARCH.fullmatch(arch):
                raise LadderError(
                    f"rung {self.slug}: {arch!r} is no architecture; one is such as sm_90 or sm_90a", arch
                )

    def variant(self, slug: str) -> Variant | None:
        return next((variant for variant in self.variants if variant.slug == slug), None)

    @property
    def variant_slugs(self) -> tuple[str, ...]:
        return tuple(variant.slug for variant in self.variants)

    def target(self, arch: str) -> str:
        """The architecture to compile for on a card of ``arch``; LadderError where the rung does not run there."""
        if not self.needs:
            return arch
        needed, has = _ARCH.fullmatch(self.needs), _ARCH.fullmatch(arch)
        assert needed is not None
        if has is None:
            raise LadderError(f"needs {self.needs}")
        least, number = int(needed[1]), int(has[1])
        same_family = number // 10 == least // 10
        fits = {"": number >= least, "a": number == least, "f": same_family and number >= least}[needed[2]]
        if not fits:
            raise LadderError(f"needs {self.needs}")
        return self.needs if needed[2] else arch
