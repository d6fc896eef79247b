"""What does an experiment have at hand? The device, the ladder, what is done now, and what must not be done again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeGuard, TypeVar

from pydantic import ValidationError

from recorder.card.conditions import Nvml, Sampler
from recorder.card.device import ContextLost, DeviceError, OutOfMemory
from recorder.compile.compiled import Cubins
from recorder.compile.cubin_sections import CubinError
from recorder.compile.disassembly import SassError
from recorder.compile.nvrtc import CompileError
from recorder.compile.toolkit import ToolkitError
from recorder.measure.answers import Answer, Answers
from recorder.measure.workload import LibraryMissing, WrongResult
from sass.listing import ListingError
from schema.dtypes import DtypeMissing
from schema.kernel_file import read_source
from schema.kernel_text import SourceError, rewrite_constants
from schema.ladder import KERNELS, Ladder, LadderError, Problem, Rung, Types
from schema.launch import Launch
from schema.misfit import misfit
from schema.recording import MACHINE
from schema.results import Failed, NotMeasured

Progress = Callable[[str, float], None]
T = TypeVar("T")
MAX_SENTENCE = 400


class NotHere(Exception):
    """Something that this card cannot do; the message says what it needs."""


# Their messages are sentences for a person; any other exception is shown with its type.
SENTENCES = (
    DeviceError, CompileError, LadderError, SourceError, SassError, CubinError, ListingError, ToolkitError, WrongResult,
    LibraryMissing, NotHere, DtypeMissing,
)  # fmt: skip


@dataclass(frozen=True)
class Built:
    """A compiled and loaded kernel of a ladder, and how it is launched for one problem."""

    rung: Rung
    variant: str
    constants: dict[str, int]
    module: Any
    launch: Launch
    zero: bool


@dataclass
class Session:
    """One experiment on one card. ``skip`` maps a part to the reason why it must not run again (it broke a process)."""

    device: Any
    ladder: Ladder | None
    quick: bool
    progress: Progress = lambda what, share: None
    doing: Callable[[str], None] = lambda part: None
    skip: dict[str, str] = field(default_factory=dict)
    cubins: Cubins = field(default_factory=Cubins)
    answers: Answers = field(default_factory=Answers)
    loaded: bool = False  # was something timed, so that the card's conditions are known?

    @property
    def the_ladder(self) -> Ladder:
        assert self.ladder is not None, "this experiment belongs to a ladder"
        return self.ladder

    def samples(self, full: int) -> int:
        """How many samples to take: all, or a tenth (at least 20) in a quick run."""
        return max(20, full // 10) if self.quick else full

    @cached_property
    def sampler(self) -> Sampler:
        """What samples the card's state while something is timed."""
        return Sampler(Nvml(self.device.pci_bus_id()))

    def under_load(self) -> Sampler:
        """``with session.under_load():`` around whatever is timed."""
        self.loaded = True
        return self.sampler

    def answer(self, problem: Problem, types: Types, seed: int) -> Answer:
        """Inputs and float64 answer of the ladder's problem in these sizes and types."""
        return self.answers.get(self.the_ladder, problem, types, seed)

    # ---- kernels --------------------------------------------------------------------------------------------------

    def source(self, rung: Rung, variant: str = "", constants: dict[str, int] | None = None) -> tuple[str, str]:
        """(source, name) of a rung or its variant, with ``constants`` rewritten in memory."""
        name, source = self.the_ladder.name(rung, variant), self.the_ladder.source(rung, variant)
        return (rewrite_constants(source, constants, name) if constants else source), name

    def compile_ahead(self, kernels: Iterable[tuple[Rung, str, dict[str, int]]]) -> None:
        """Begin to compile (rung, variant, constants) side by side. One without a source says so when it is built."""
        wanted = []
        for rung, variant, constants in kernels:
            try:
                wanted.append((*self.source(rung, variant, constants), target(rung, self.device.arch)))
            except SENTENCES:
                continue
        self.cubins.ahead(wanted)

    def build(self, rung: Rung, problem: Problem, variant: str = "", constants: dict[str, int] | None = None) -> Built:
        """Compile and load a rung or its variant for ``problem``, with ``constants`` rewritten in memory."""
        ladder = self.the_ladder
        source, name = self.source(rung, variant, constants)
        all_constants = {**ladder.constants(rung, variant), **(constants or {})}
        if not rung.accepts(problem, all_constants):
            sizes = ", ".join(f"{k} {v}" for k, v in problem.items())
            raise LadderError(f"{rung.slug} does not accept {sizes}")
        cubin = self.cubins.get(source, name, target(rung, self.device.arch))
        module = self.device.load(cubin, ladder.entry, name)
        launch = rung.launch(problem, all_constants)
        require_room(self.device, module, launch)
        return Built(rung, variant, all_constants, module, launch, rung.zero_output(all_constants))

    def machine_cubin(self, file: str) -> bytes:
        """The cubin of a file of ``kernels/machine``."""
        name = f"kernels/{MACHINE}/{file}"
        return self.cubins.get(read_source(KERNELS / MACHINE / file, name), name, self.device.arch)

    def machine_kernel(self, file: str, entry: str) -> Any:
        """A kernel of ``kernels/machine``, compiled and loaded."""
        return self.device.load(self.machine_cubin(file), entry, f"kernels/{MACHINE}/{file}")

    # ---- parts ----------------------------------------------------------------------------------------------------

    def attempt(self, part: str, work: Callable[[], T]) -> T | Failed | NotMeasured:
        """The result of one part, or why there is none; the rest goes on unless the context is lost."""
        if part in self.skip:
            return Failed(failed=self.skip[part])
        self.doing(part)
        try:
            return work()
        except ContextLost:
            raise
        except (OutOfMemory, LibraryMissing, NotHere, DtypeMissing, MemoryError) as error:
            return NotMeasured(not_measured=sentence(error))
        except SENTENCES as error:
            return Failed(failed=sentence(error))
        except Exception as error:  # a ladder's own function, or a library, may raise anything
            if self.device is not None:
                self.device.sync()  # it may be the first sign that the context is lost
            return Failed(failed=sentence(error))


def target(rung: Rung, arch: str) -> str:
    """The architecture to compile a rung for on a card of ``arch``; NotHere where it needs another card."""
    try:
        return rung.target(arch)
    except LadderError as error:
        raise NotHere(str(error)) from None


def require_room(device: Any, module: Any, launch: Launch) -> None:
    """NotHere where a launch asks for what this card's blocks do not have."""
    if launch.fault:
        raise LadderError(launch.fault)
    wanted = module.static_smem_bytes + launch.dynamic_smem_bytes
    if wanted > (most := device.attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN")):
        raise NotHere(f"needs {wanted:,} bytes of shared memory a block; a block of this card has at most {most:,}")
    if launch.cluster != (1, 1, 1) and int(re.sub(r"\D", "", device.arch)) < 90:
        raise NotHere("needs clusters of blocks, which begin with sm_90")


def sentence(error: BaseException) -> str:
    """An exception as one printable line of at most 400 characters; with its type, where it is somebody's mistake."""
    if isinstance(error, ValidationError):
        return shortened(misfit(error))
    if isinstance(error, MemoryError):
        return "this machine has no memory left for it"
    text = " ".join(str(error).split())
    if not isinstance(error, SENTENCES) or not text:
        text = f"{type(error).__name__}: {text}".removesuffix(": ")
    return shortened(text)


def shortened(text: str) -> str:
    """As a recording takes it: one line that prints, of at most 400 characters."""
    text = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return text if len(text) <= MAX_SENTENCE else text[: MAX_SENTENCE - 3] + "..."


def not_measured(why: str) -> NotMeasured:
    return NotMeasured(not_measured=shortened(why))


def is_fault(value: Any) -> TypeGuard[Failed | NotMeasured]:
    """Does it only say why there is no value?"""
    return isinstance(value, (Failed, NotMeasured))


def after_timing(fault: Failed | NotMeasured) -> Failed | NotMeasured:
    """The same, of something that was right until it was timed."""
    if isinstance(fault, NotMeasured):
        return not_measured(f"after timing: {fault.not_measured}")
    return Failed(failed=shortened(f"after timing: {fault.failed}"))
