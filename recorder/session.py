"""What does an experiment have at hand? The device, the ladder, what is being done now, and what it was told to skip."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from recorder.compile import CompileError, compile_cubin
from recorder.cubin import CubinError
from recorder.device import ContextLost, DeviceError
from recorder.ladder import KERNELS, Ladder, LadderError, Problem, Rung
from recorder.launch import Launch
from recorder.listing import ListingError
from recorder.results import Failed, NotMeasured
from recorder.sass import SassError
from recorder.source import SourceError, rewrite_constants
from recorder.toolkit import ToolkitError

# What one part may raise without ending the run: each message is a sentence for a person.
EXPECTED = (DeviceError, CompileError, LadderError, SourceError, SassError, CubinError, ListingError, ToolkitError)
Progress = Callable[[str, float], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Built:
    """A compiled and loaded kernel of a ladder, and how it is launched for one problem."""

    rung: Rung
    variant: str
    constants: dict[str, int]
    module: Any
    launch: Launch
    zero: bool
    cubin: bytes


@dataclass
class Session:
    """One process on one card. ``skip`` maps a slug to the reason why it must not run again (it broke the context)."""

    device: Any
    ladder: Ladder | None
    quick: bool
    progress: Progress = lambda what, share: None
    doing: Callable[[str], None] = lambda slug: None
    skip: dict[str, str] = field(default_factory=dict)
    _cubins: dict[tuple[str, str, str], bytes] = field(default_factory=dict)

    @property
    def the_ladder(self) -> Ladder:
        assert self.ladder is not None, "this experiment belongs to a ladder"
        return self.ladder

    def samples(self, full: int) -> int:
        """How many samples to take: all, or a tenth (at least 20) in a quick run."""
        return max(20, full // 10) if self.quick else full

    def compile(self, source: str, name: str, arch: str | None = None) -> bytes:
        key = (source, name, arch or self.device.arch)
        if key not in self._cubins:
            self._cubins[key] = compile_cubin(source, name, key[2]).cubin
        return self._cubins[key]

    def build(self, rung: Rung, problem: Problem, variant: str = "", constants: dict[str, int] | None = None) -> Built:
        """Compile and load a rung or its variant for ``problem``, with ``constants`` rewritten in memory."""
        ladder = self.the_ladder
        source, all_constants = ladder.source(rung, variant), ladder.constants(rung, variant)
        if constants:
            source = rewrite_constants(source, constants)
            all_constants = {**all_constants, **constants}
        if not rung.accepts(problem, all_constants):
            sizes = ", ".join(f"{k} {v}" for k, v in problem.items())
            raise LadderError(f"{rung.slug} does not accept {sizes}")
        name = f"kernels/{ladder.slug}/{ladder.file(rung, variant)}"
        cubin = self.compile(source, name)
        module = self.device.load(cubin, ladder.entry, name)
        launch = rung.launch(problem, all_constants)
        return Built(rung, variant, all_constants, module, launch, rung.zero_output(all_constants), cubin)

    def machine_kernel(self, file: str, entry: str) -> Any:
        """A kernel of ``kernels/machine``, compiled and loaded."""
        path = KERNELS / "machine" / file
        name = f"kernels/machine/{file}"
        return self.device.load(self.compile(path.read_text(encoding="utf-8"), name), entry, name)

    def attempt(self, slug: str, part: Callable[[], T]) -> T | Failed:
        """The result of one part. A fault that leaves the context whole becomes ``Failed``, and the rest goes on."""
        if slug in self.skip:
            return Failed(failed=self.skip[slug])
        self.doing(slug)
        try:
            return part()
        except ContextLost:
            raise
        except EXPECTED as error:
            return Failed(failed=sentence(error))


def sentence(error: BaseException) -> str:
    """An exception as one printable line of at most 400 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 400 else text[:397] + "..."


def not_measured(why: str) -> NotMeasured:
    return NotMeasured(not_measured=why)
