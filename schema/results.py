"""What shape have the results of each experiment? One model an experiment, strict, without CUDA and without HTML.

Long rows of numbers and listings are kept as text blocks: a diff stays readable and loading stays fast.
Every measured value is in one of three states: the value, ``failed: why``, or ``not_measured: why``. What a ladder may
declare is there, ``failed: why``, or ``not_declared: why``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from sass.listing import check_sass
from schema.dtypes import DTYPES
from schema.numbers import (
    MAX_BLOCK_CHARS,
    RANGES,
    Count,
    GBps,
    Microseconds,
    Nanoseconds,
    Numbers,
    Plain,
    Size,
    Tflops,
    Times,
    Whole,
)
from schema.rungs import PHASES
from schema.statistics import Samples
from schema.units import UNITS

Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]  # of a size or an operand, as the author wrote it


def _printable(text: str) -> str:
    """No control characters and none that turn the direction of text: nothing that fools a reader or a terminal."""
    if not text.isprintable():
        for character in text:
            if not character.isprintable() and character not in "\n\t":
                raise ValueError(f"has the character U+{ord(character):04X}, which does not print")
    return text


def _one_line(text: str) -> str:
    if "\n" in text or "\t" in text:
        raise ValueError("has a line end or a tab; it is one line")
    return text


def _one_of(what: str, names: Iterable[str]) -> AfterValidator:
    """A text that is one of these names."""
    known = list(names)

    def check(text: str) -> str:
        if text not in known:
            raise ValueError(f"is no {what}; there are {', '.join(name for name in known if name)}")
        return text

    return AfterValidator(check)


Text = Annotated[str, Field(max_length=400), AfterValidator(_printable)]
Line = Annotated[Text, AfterValidator(_one_line)]
Block = Annotated[str, Field(max_length=MAX_BLOCK_CHARS), AfterValidator(_printable)]
TypeName = Annotated[str, _one_of("type", DTYPES)]
UnitName = Annotated[str, _one_of("unit", ("", *UNITS))]
PhaseKind = Annotated[str, _one_of("phase", PHASES)]
Sass = Annotated[Block, AfterValidator(check_sass)]


class Model(BaseModel):
    """Base of all parts of a recording: unknown keys, wrong types and non-finite numbers are errors."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Failed(Model):
    """The measurement was tried and went wrong."""

    failed: Text


class NotMeasured(Model):
    """The measurement was not tried, and why."""

    not_measured: Text


class NotDeclared(Model):
    """The ladder declares nothing for it: a picture that would need it says so, and nothing is missing."""

    not_declared: Text


ABSENT = (Failed, NotMeasured, NotDeclared)


class Timed(Model):
    """One time: raw samples, microseconds per launch, in the order they were taken."""

    samples_us: Times

    @cached_property
    def samples(self) -> Samples:
        return Samples(np.array(self.samples_us.split(), dtype=np.float64))


_STATES = ("sm_clock_MHz", "memory_clock_MHz", "power_W", "temperature_C")


class Table(Model):
    """A table of numbers: ``columns`` names separated by blanks, then one row a line."""

    columns: Text
    rows: Numbers

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """Each column as a float64 array, by name."""
        return _arrays(self.columns, self.rows)

    def model_post_init(self, _context: Any) -> None:
        width = len(self.columns.split())
        if width == 0 or len(self.rows.split()) % width or len(set(self.columns.split())) < width:
            raise ValueError(f"the rows do not fill the columns {self.columns!r}")


def _arrays(columns: str, rows: str) -> dict[str, np.ndarray]:
    names = columns.split()
    flat = np.array(rows.split(), dtype=np.float64)
    return dict(zip(names, flat.reshape(-1, len(names)).T, strict=True))


def _columns(limits: dict[str, tuple[float, float]], may_lack: tuple[str, ...] = ()) -> AfterValidator:
    """A table with these columns alone, each within its limits; whole numbers where a limit is an ``int``."""

    def check(table: Table) -> Table:
        arrays = _arrays(table.columns, table.rows)
        wrong = [name for name in arrays if name not in limits]
        wrong += [name for name in limits if name not in arrays and name not in may_lack]
        if wrong:
            raise ValueError(f"its columns are {table.columns!r}; they must be {' '.join(limits)!r}")
        for name, found in arrays.items():
            low, high = limits[name]
            if found.size and not (low <= found.min() and found.max() <= high):
                raise ValueError(f"its column {name} has a number that does not lie between {low:.6g} and {high:.6g}")
            if isinstance(low, int) and (found % 1).any():
                raise ValueError(f"its column {name} has a number that is not whole")
        return table

    return AfterValidator(check)


# Which SM ran which block of one launch, and when; as many SMs as a card may have.
Launched = Annotated[
    Table, _columns({"block": (0, 2**31), "sm": (0, 4095), "start_ns": (0.0, 1e15), "end_ns": (0.0, 1e15)})
]
# Which thread's register holds which cell of an operand; the lanes of at most four warps.
Cells = Annotated[
    Table, _columns({"lane": (0, 127), "register": (0, 255), "half": (0, 1), "row": (0, 511), "column": (0, 511)})
]
# The state of the card over a run.
States = Annotated[
    Table,
    _columns({name: RANGES[name.rsplit("_", 1)[-1]] for name in ("seconds", *_STATES)}, may_lack=_STATES[1:]),
]


def _state(value: Any) -> str:
    if isinstance(value, BaseModel):
        return {"Failed": "failed", "NotMeasured": "not_measured", "NotDeclared": "not_declared"}.get(
            type(value).__name__, "value"
        )
    if isinstance(value, dict) and len(value) == 1:
        key = next(iter(value))
        if key in ("failed", "not_measured", "not_declared"):
            return key
    return "value"


T = TypeVar("T")
Maybe = Annotated[
    Annotated[T, Tag("value")] | Annotated[Failed, Tag("failed")] | Annotated[NotMeasured, Tag("not_measured")],
    Discriminator(_state),
]
Declared = Annotated[
    Annotated[T, Tag("value")] | Annotated[Failed, Tag("failed")] | Annotated[NotDeclared, Tag("not_declared")],
    Discriminator(_state),
]
MaybeTimed = Maybe[Timed]
MaybeTable = Maybe[Table]
MaybeText = Maybe[Text]


class TimePair(Model):
    """Cold (the operands declared so are not in L2) and warm (they were just read) times of one thing."""

    cold: MaybeTimed
    warm: MaybeTimed


def pair_of(times: TimePair | Failed | NotMeasured) -> TimePair:
    """A pair of times whose sides both say why where there is none."""
    return times if isinstance(times, TimePair) else TimePair(cold=times, warm=times)


# ---- code: what was compiled and how it would be launched -------------------------------------------------


MOST_BLOCKS = 2**31  # of a launch that is not run
# Figures draw a cell for each block, so a launch is bounded.
Dimensions = Annotated[list[Annotated[int, Field(ge=1, le=2**20)]], Field(min_length=1, max_length=3)]


class Code(Model):
    """One compiled kernel. ``sass`` has a line an instruction: ``OFFSET Lsource Pptx TEXT`` ('-' where unknown)."""

    file: Text
    entry: Text
    target: Text  # the architecture that it was compiled for
    sha256: Text  # of the source with comments blanked
    constants: dict[str, Whole]
    grid: Dimensions
    block: Dimensions
    cluster: Dimensions
    programmatic: bool  # may begin before the launch before it has ended
    dynamic_smem_bytes: Count
    static_smem_bytes: Count
    registers: Count
    local_bytes: Count
    blocks_per_sm: Maybe[Plain]  # occupancy: resident blocks an SM can hold
    zero_output: bool
    ptxas: Text
    sass: Sass
    ptx: Block


MaybeCode = Maybe[Code]


class OperandRegion(Model):
    """A box of an operand: first and one past the last index of each dimension."""

    operand: Line
    dtype: TypeName
    spans: list[Annotated[list[Count], Field(min_length=2, max_length=2)]]


class LoopPhase(Model):
    """One thing that each pass does: a kind of ``schema.rungs.PHASES``, the opcodes that do it, the author's words."""

    kind: PhaseKind
    families: list[Text]
    words: Text


class LoopPipeline(Model):
    """The loop over slices as the ladder declares it for the recorded problem."""

    passes: Size
    buffers: Annotated[int, Field(ge=0, le=64)]
    ahead: Annotated[int, Field(ge=0, le=64)]
    phases: Annotated[list[LoopPhase], Field(min_length=1, max_length=16)]
    slice: list[OperandRegion]


class LaunchChoice(Model):
    """A constant, what pages call it, and the values for which launches were calculated."""

    constant: Name
    title: Line
    values: Annotated[list[Whole], Field(min_length=1, max_length=64)]


class Launches(Model):
    """Blocks of a launch for every combination of the choices, the last turning fastest; 0 where it is not accepted."""

    choices: Annotated[list[LaunchChoice], Field(min_length=1, max_length=3)]
    blocks: Numbers

    @cached_property
    def counts(self) -> list[int]:
        """``blocks`` as whole numbers."""
        return [int(float(word)) for word in self.blocks.split()]

    def model_post_init(self, _context: Any) -> None:
        names = [choice.constant for choice in self.choices]
        if len(set(names)) < len(names) or any(len(set(c.values)) < len(c.values) for c in self.choices):
            raise ValueError("names a constant or a value twice")
        counts = np.array(self.blocks.split(), dtype=np.float64)
        wanted = math.prod(len(choice.values) for choice in self.choices)
        if counts.size != wanted:
            raise ValueError(f"has blocks of {counts.size} launches; its choices make {wanted}")
        if (counts % 1).any() or (counts < 0).any() or (counts > MOST_BLOCKS).any():
            raise ValueError(f"its blocks are not all whole numbers from 0 to {MOST_BLOCKS:,}")


class RungCode(Model):
    title: Line
    idea: Line
    dtype: Text  # of the operands that have no type of their own: fp32, fp16, bf16 …
    types: Text  # a name for the types of all operands: the type, and the operands that have others
    unit: UnitName  # the arithmetic unit, a name of ``schema.units``; empty where it is not declared
    pipeline: Declared[LoopPipeline]
    launches: Declared[Launches]  # by the rule alone: none of them was run
    code: MaybeCode


class CodeResults(Model):
    """``rungs`` in the order of the ladder; ``variants`` by ``rung.variant``."""

    rungs: dict[Slug, RungCode]
    variants: dict[Annotated[str, Field(pattern=r"^[a-z0-9_]+\.[a-z0-9_]+$")], MaybeCode]


# ---- times: the ladder --------------------------------------------------------------------------------------


class Check(Model):
    """Agreement with the float64 reference: the worst error over all cases, in units of the tolerance's scale."""

    worst_error: Plain
    tolerance: Plain
    cases: list[Text]


class RungTimes(TimePair):
    check: Maybe[Check]
    plain_cold: MaybeTimed  # the same train launched one by one, without a graph
    plain_warm: MaybeTimed


class Reference(TimePair):
    """A library call that solves the same problem."""

    title: Line
    accumulates: Text
    returns: Text
    version: Text
    kernels: list[Text]  # the names of the kernels that the call launched
    check: Maybe[Check]


class OperandUse(Model):
    """An operand as the ladder declares it; ``cold``: cold runs find it outside L2."""

    title: Line
    role: Text  # in, out, inout
    shape: list[Size]
    cold: bool


class TimesResults(Model):
    """``twins`` are second runs of the same thing in the same session: the A/A test."""

    problem: dict[Name, Size]
    operands: dict[Name, OperandUse]
    flops: Size
    least_bytes: dict[Text, Size]  # by ``RungCode.types``: each operand that is read once, and each that is written
    rungs: dict[Slug, Maybe[RungTimes]]  # type: ignore[valid-type]
    references: dict[Slug, Maybe[Reference]]  # type: ignore[valid-type]
    floors: dict[Slug, TimePair]  # empty (an empty launch), move_<types> (reads and writes the least bytes, no more)
    twins: dict[Slug, TimePair]


# ---- placement: which SM ran which block, and when -------------------------------------------------------------


class Owned(Model):
    """The region of one operand that each block owns: a row a block, with a first and a stop for each dimension."""

    operand: Line
    shape: Annotated[list[Size], Field(min_length=1, max_length=4)]
    regions: Table

    def model_post_init(self, _context: Any) -> None:
        wanted = owned_columns(len(self.shape))
        if self.regions.columns.split() != wanted:
            raise ValueError(f"its columns are {self.regions.columns!r}; they must be {' '.join(wanted)!r}")
        arrays = self.regions.arrays
        if any((column % 1).any() for column in arrays.values()):
            raise ValueError("has a number that is not whole")
        for place, size in enumerate(self.shape):
            first, stop = arrays[f"first_{place}"], arrays[f"stop_{place}"]
            if first.size and not (first.min() >= 0 and (first < stop).all() and stop.max() <= size):
                raise ValueError(f"a region does not lie in dimension {place}, which has {size}")


def owned_columns(dimensions: int) -> list[str]:
    """The columns of ``Owned.regions``."""
    return ["block", *(f"{side}_{place}" for place in range(dimensions) for side in ("first", "stop"))]


class RungPlacement(Model):
    """``launches``: one table a launch, columns ``block sm start_ns end_ns``; ns since the launch's first start."""

    condition: Text
    instrumented: MaybeTimed
    launches: list[Launched]
    owns: Declared[Owned]


class PlacementResults(Model):
    timer_step_ns: Maybe[Nanoseconds]
    rungs: dict[Slug, Maybe[RungPlacement]]  # type: ignore[valid-type]


# ---- fragment: which thread holds which cell of an MMA's operands ------------------------------------------------


Side = Annotated[int, Field(ge=1, le=512)]


class Operand(Model):
    """Columns ``lane register half row column``; ``half``: 0 the low 16 bits, 1 the high, 0 in 32-bit operands."""

    rows: Side
    columns: Side
    cells: Cells


class FragmentMap(Model):
    instruction: Text
    sass: Text
    a: Operand
    b: Operand
    d: Operand


class FragmentResults(Model):
    shapes: dict[Slug, Maybe[FragmentMap]]  # type: ignore[valid-type]


# ---- the rest of the lab ----------------------------------------------------------------------------------------


class ProbeTimes(Model):
    full: TimePair
    loads_only: Maybe[TimePair]
    math_only: Maybe[TimePair]


class ProbesResults(Model):
    rungs: dict[Slug, ProbeTimes]


class Setting(Model):
    """One setting of a sweep: the constants that were rewritten, what was launched, and its times."""

    constants: dict[str, Whole]
    blocks: Count
    threads: Count
    smem_bytes: Count
    registers: Count
    times: Maybe[TimePair]


class SweepResults(Model):
    rung: Slug
    axes: dict[str, list[Whole]]
    settings: list[Setting]


class ChangeEntry(Model):
    """One member of a controlled comparison: the constants or variant that differ and what stayed."""

    title: Line
    what: Text
    constants: dict[str, Whole]
    blocks: Count
    times: Maybe[TimePair]


class OneChangeResults(Model):
    """Controlled comparisons by name, each an ordered map of entries."""

    comparisons: dict[Slug, dict[Slug, ChangeEntry]]


class ShapeEntry(Model):
    entry: Slug  # a rung or a reference
    problem: dict[Name, Size]
    times: Maybe[TimePair]


class ShapesResults(Model):
    shapes: list[ShapeEntry]


class ResolutionResults(Model):
    """Trains against single launches, graph against plain, with the empty kernel and one rung."""

    twins: dict[Slug, list[Timed]]  # repeated runs of the same graph
    launches: dict[Slug, dict[Slug, MaybeTimed]]  # by kernel, then graph_train, plain_train, graph_single, plain_single
    event_step_us: Maybe[Microseconds]  # step of raw event differences, microseconds


class Counters(Model):
    """Hardware counters of one launch of a rung, as the profiler reports them; keys are metric names."""

    cold: dict[Text, Maybe[Plain]]
    stalls: dict[Text, Plain]  # reason -> share of issue slots stalled


class CountersResults(Model):
    tool: Text
    rungs: dict[Slug, Maybe[Counters]]  # type: ignore[valid-type]


class PeaksResults(Model):
    copy_GBps: Maybe[GBps]
    read_GBps: Maybe[GBps]
    l2_read_GBps: Maybe[GBps]
    smem_GBps: Maybe[GBps]
    fp32_tflops: Maybe[Tflops]
    hmma_fp16_tflops: Maybe[Tflops]
    hmma_bf16_tflops: Maybe[Tflops]
    library_fp16_tflops: Maybe[Tflops]


class ConditionsResults(Model):
    """Sampled through the run: columns ``seconds sm_clock_MHz memory_clock_MHz power_W temperature_C``.

    The last three are left out where NVML refuses them.
    """

    samples: States
    throttle_reasons: dict[Text, Count]  # reason -> samples that showed it
    other_processes: Maybe[Count]


EXPERIMENTS: dict[str, type[Model]] = {
    "code": CodeResults,
    "times": TimesResults,
    "placement": PlacementResults,
    "fragment": FragmentResults,
    "probes": ProbesResults,
    "sweep": SweepResults,
    "one_change": OneChangeResults,
    "shapes": ShapesResults,
    "resolution": ResolutionResults,
    "counters": CountersResults,
    "peaks": PeaksResults,
    "conditions": ConditionsResults,
}
