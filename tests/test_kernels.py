"""Do all kernels compile for six architectures, and is the idea of each in its machine code? No GPU is needed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from recorder.compile.disassembly import disassemble, parse_cuobjdump
from recorder.compile.nvrtc import compile_cubin
from recorder.compile.resources import read_resources
from recorder.compile.toolkit import load_core, run_program
from sass.listing import (
    Instruction,
    count_opcodes,
    is_dummy,
    loop_instructions,
    main_loop,
    without_padding,
)
from schema.ideas import code_faults
from schema.kernel_text import blank_comments
from schema.ladder import KERNELS, Ladder, LadderError, Rung
from schema.load_ladder import load_ladders
from schema.strict_yaml import parse_yaml
from tests.test_glossary import unexplained

ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
CUT_UP = ("sm_80", "sm_90", "sm_120")  # an architecture of each kind: the variants' machine code is read
CLOSELY = ("sm_90", "sm_120")  # read by both tools, with source lines; each call of a tool takes a third of a second
LADDERS = load_ladders()
RUNGS = [(ladder, rung) for ladder in LADDERS.values() for rung in ladder.rungs]
VARIANTS = [(ladder, rung, variant) for ladder, rung in RUNGS for variant in rung.variants]
PLACED = [(ladder, ladder.rung(slug)) for ladder in LADDERS.values() for slug in ladder.placements]
MACHINE = [
    (path, entry)
    for path in sorted((KERNELS / "machine").glob("*.cu"))
    for entry in re.findall(
        r'extern "C" __global__ void\s+(?:__launch_bounds__\(\w+\)\s+)?(\w+)\(', path.read_text(encoding="utf-8")
    )
]
MACHINE_LOOPS = {  # what a peak's loop repeats, and how often at least
    "copy": {"LDG": 4, "STG": 4},
    "peak_fma": {"FFMA": 128},
    "peak_hmma": {"HMMA": 64},
    "peak_l2": {"LDG": 8},
    "peak_smem": {"LDS": 16},
    "read": {"LDG": 8},
}
SMEM_LIMIT = 48 * 1024  # bytes a block may have on every card without asking for more
REGISTERS_PER_SM = 64 * 1024


@dataclass(frozen=True)
class Kernel:
    """One kernel compiled for one architecture, and all that may run of it, without padding and dummies, if read."""

    cubin: bytes
    found: tuple[Instruction, ...] | None

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        assert self.found is not None, "its machine code is not read for this architecture"
        return self.found

    @property
    def opcodes(self) -> dict[str, int]:
        """How often each opcode stands in the kernel, by its name without the parts behind the first dot."""
        return families(self.instructions)

    def loop(self, *families_: str) -> dict[str, int]:
        """The same of the main loop, or of the one with the most of these opcodes."""
        loop = main_loop(self.instructions, families_)
        return families(loop_instructions(self.instructions, loop)) if loop else {}


def listed(cubin: bytes, entry: str) -> tuple[Instruction, ...]:
    """What one tool reads; the other adds source lines, and takes as long again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        return parse_cuobjdump(run_program("cuobjdump", "-sass", str(path)), entry)


def families(instructions: tuple[Instruction, ...]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for opcode, count in count_opcodes(instructions).items():
        family = opcode.split(".")[0]
        counts[family] = counts.get(family, 0) + count
    return counts


def runs_on(rung: Rung, arch: str) -> bool:
    try:
        return bool(rung.target(arch))
    except LadderError:
        return False


class Kernels:
    """Every kernel for every architecture, compiled side by side once for all tests of this file."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        load_core()  # once, before threads would import it side by side
        self._made: dict[tuple[str, str, str], Future[Kernel]] = {}
        for arch in ARCHS:
            for ladder, rung in RUNGS:
                if not runs_on(rung, arch):
                    continue
                for variant in ("", *rung.variant_slugs):
                    file = f"{ladder.slug}/{ladder.file(rung, variant)}"
                    self._made[arch, file, ladder.entry] = pool.submit(
                        _make,
                        ladder.source(rung, variant),
                        file,
                        rung.target(arch),
                        ladder.entry,
                        linked=not variant and arch in CLOSELY,
                        read=not variant or arch in CUT_UP,
                    )
            for path, entry in MACHINE:
                file, source = f"machine/{path.name}", path.read_text(encoding="utf-8")
                self._made[arch, file, entry] = pool.submit(_make, source, file, arch, entry, read=arch in CLOSELY)

    def rung(self, arch: str, ladder: Ladder, rung: Rung, variant: str = "") -> Kernel:
        """The kernel; the test is skipped on an architecture that the rung does not run on."""
        if not runs_on(rung, arch):
            pytest.skip(f"{rung.slug} needs {rung.needs}")
        return self._made[arch, f"{ladder.slug}/{ladder.file(rung, variant)}", ladder.entry].result()

    def machine(self, arch: str, path: Path, entry: str) -> Kernel:
        return self._made[arch, f"machine/{path.name}", entry].result()


def _make(source: str, file: str, arch: str, entry: str, linked: bool = False, read: bool = True) -> Kernel:
    made = compile_cubin(source, f"kernels/{file}", arch)
    assert made.log == "", f"kernels/{file} for {arch}: {made.log}"
    if not read:
        return Kernel(made.cubin, None)
    found = disassemble(made.cubin, entry).instructions if linked else listed(made.cubin, entry)
    return Kernel(made.cubin, tuple(i for i in without_padding(found) if not is_dummy(i)))


@pytest.fixture(scope="session")
def kernels() -> Iterator[Kernels]:
    with ThreadPoolExecutor(2) as pool:
        yield Kernels(pool)


def name(value: object) -> str:
    return value.stem if isinstance(value, Path) else getattr(value, "slug", str(value))


archs = pytest.mark.parametrize("arch", ARCHS)
cut_up = pytest.mark.parametrize("arch", CUT_UP)
closely = pytest.mark.parametrize("arch", CLOSELY)
machine = pytest.mark.parametrize(("path", "entry"), MACHINE, ids=name)
rungs = pytest.mark.parametrize(("ladder", "rung"), RUNGS, ids=name)
variants = pytest.mark.parametrize(("ladder", "rung", "variant"), VARIANTS, ids=name)


# ---- rungs ---------------------------------------------------------------------------------------------------


@archs
@rungs
def test_the_idea_is_in_the_code(kernels, ladder, rung, arch):
    assert code_faults(rung, None, kernels.rung(arch, ladder, rung).instructions) == []


@archs
@rungs
def test_what_comes_later_is_not_there_yet(kernels, ladder, rung, arch):
    """An instruction that a later rung introduces and this one does not name would give its lesson away."""
    later = ladder.rungs.index(rung) + 1
    known = {opcode for other in ladder.rungs[:later] for opcode in other.must_have} | {"LDG"}  # every kernel loads
    introduced = {opcode for other in ladder.rungs[later:] for opcode in other.must_have} - known
    alone = replace(rung, must_have=(), must_not_have=tuple(sorted(introduced)))
    assert code_faults(alone, None, kernels.rung(arch, ladder, rung).instructions) == []


@closely
@rungs
def test_every_instruction_has_its_source_line(kernels, ladder, rung, arch):
    last = len(ladder.source(rung).splitlines())
    lines = [i.source_line for i in kernels.rung(arch, ladder, rung).instructions]
    assert all(line is not None and 1 <= line <= last for line in lines)


@archs
@rungs
def test_a_block_fits_every_card(kernels, ladder, rung, arch):
    registers, static_smem, local = read_resources(kernels.rung(arch, ladder, rung).cubin, ladder.entry)
    launch = rung.launch(ladder.problem, ladder.constants(rung))
    assert static_smem + launch.dynamic_smem_bytes <= SMEM_LIMIT
    assert registers * launch.threads <= REGISTERS_PER_SM
    assert local == 0 or arch in rung.spills


@archs
def test_the_glossary_explains_every_instruction(kernels, arch):
    glossary, _ = parse_yaml((KERNELS.parent / "content" / "glossary.yaml").read_text(encoding="utf-8"), "glossary")
    here = [(ladder, rung) for ladder, rung in RUNGS if runs_on(rung, arch)]
    found = [unexplained(kernels.rung(arch, ladder, rung).instructions, glossary) for ladder, rung in here]
    assert set().union(*found) == set()


# ---- variants ------------------------------------------------------------------------------------------------


@cut_up
@variants
def test_a_variant_is_what_it_declares(kernels, ladder, rung, variant, arch):
    full, cut = (kernels.rung(arch, ladder, rung, slug).instructions for slug in ("", variant.slug))
    assert code_faults(rung, variant, full, cut) == []


@cut_up
@pytest.mark.parametrize(("ladder", "rung"), PLACED, ids=name)
def test_placement_asks_where_and_when(kernels, ladder, rung, arch):
    full, placed = (kernels.rung(arch, ladder, rung, variant) for variant in ("", "placement"))
    reads = [i.operands.split(", ")[-1] for i in placed.instructions if i.opcode in ("S2R", "S2UR", "CS2R")]
    assert reads.count("SR_GLOBALTIMERLO") == 2
    assert reads.count("SR_VIRTUALSMID") == 1
    assert not {"SR_GLOBALTIMERLO", "SR_VIRTUALSMID"} & {i.operands.split(", ")[-1] for i in full.instructions}


# ---- the machine ---------------------------------------------------------------------------------------------


@archs
@machine
def test_a_machine_kernel_compiles(kernels, path, entry, arch):
    assert entry.encode() in kernels.machine(arch, path, entry).cubin


@closely
@machine
def test_a_peak_repeats_what_it_measures(kernels, path, entry, arch):
    kernel = kernels.machine(arch, path, entry)
    for opcode, least in MACHINE_LOOPS.get(entry, {}).items():
        assert kernel.loop(opcode)[opcode] >= least  # ptxas may unroll further


@closely
def test_the_machine_kernels_hold_nothing_else(kernels, arch):
    found = {entry: kernels.machine(arch, path, entry).opcodes for path, entry in MACHINE}
    assert set(found["empty"]) <= {"EXIT", "MOV", "LDC", "IMAD"}  # and where its stack would lie
    assert found["load_fragments"]["LDSM"] == 2
    assert found["multiply"]["HMMA"] == 1
    for entry in ("peak_fma", "peak_hmma"):
        loop = next(kernels.machine(arch, path, e).loop() for path, e in MACHINE if e == entry)
        assert not {"LDG", "LDS", "STG", "STS"} & set(loop)


def test_no_machine_kernel_was_overlooked():
    for path in (KERNELS / "machine").glob("*.cu"):
        code = blank_comments(path.read_text(encoding="utf-8"))
        assert code.count("__global__") == sum(path == other for other, _ in MACHINE), path.name
