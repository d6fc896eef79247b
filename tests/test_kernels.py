"""Do all kernels compile for six architectures, and is the idea of each in its machine code? No GPU is needed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
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
    loops,
    main_loop,
    without_padding,
)
from schema.kernel_text import blank_comments
from schema.ladder import KERNELS, Ladder, Rung, load_ladders
from schema.strict_yaml import parse_yaml
from tests.test_glossary import unexplained

ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
CUT_UP = ("sm_80", "sm_90", "sm_120")  # an architecture of each kind: the variants' machine code is read
CLOSELY = ("sm_90", "sm_120")  # read by both tools, with source lines; each call of a tool takes a third of a second
LADDERS = load_ladders()
RUNGS = [(ladder, rung) for ladder in LADDERS.values() for rung in ladder.rungs]
PROBED = [(ladder, ladder.rung(slug)) for ladder in LADDERS.values() for slug in ladder.probes]
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
# The tuned rung's sizes were chosen on an sm_90; there ptxas needs 86 registers a thread for them. For these two it
# wants more than the 128 that a block of 512 threads leaves, and keeps the rest in local memory.
SPILLS = {("tuned", "sm_86"), ("tuned", "sm_89")}


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

    @property
    def loop(self) -> dict[str, int]:
        """The same of the main loop."""
        loop = main_loop(self.instructions)
        return families(loop_instructions(self.instructions, loop)) if loop else {}

    def loop_with(self, family: str) -> dict[str, int]:
        """The same of the innermost loop that holds the most of these instructions."""
        found = [families(loop_instructions(self.instructions, loop)) for loop in loops(self.instructions)]
        return max(found, key=lambda counts: (counts.get(family, 0), -sum(counts.values())), default={})


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


def spelled(opcode: str, arch: str) -> str:
    """The name of an instruction on an architecture: from sm_90 on a reduction in device memory is REDG, before RED."""
    return "REDG" if opcode == "RED" and int(arch.removeprefix("sm_")) >= 90 else opcode


class Kernels:
    """Every kernel for every architecture, compiled side by side once for all tests of this file."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        load_core()  # once, before threads would import it side by side
        self._made: dict[tuple[str, str, str], Future[Kernel]] = {}
        for arch in ARCHS:
            for ladder, rung in RUNGS:
                for variant in ("", *rung.variants):
                    file = f"{ladder.slug}/{ladder.file(rung, variant)}"
                    self._made[arch, file, ladder.entry] = pool.submit(
                        _make,
                        ladder.source(rung, variant),
                        file,
                        arch,
                        ladder.entry,
                        linked=not variant and arch in CLOSELY,
                        read=not variant or arch in CUT_UP,
                    )
            for path, entry in MACHINE:
                file, source = f"machine/{path.name}", path.read_text(encoding="utf-8")
                self._made[arch, file, entry] = pool.submit(_make, source, file, arch, entry, read=arch in CLOSELY)

    def rung(self, arch: str, ladder: Ladder, rung: Rung, variant: str = "") -> Kernel:
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
probed = pytest.mark.parametrize(("ladder", "rung"), PROBED, ids=name)


# ---- rungs ---------------------------------------------------------------------------------------------------


@archs
@rungs
def test_the_idea_is_in_the_code(kernels, ladder, rung, arch):
    opcodes = kernels.rung(arch, ladder, rung).opcodes
    assert {spelled(opcode, arch) for opcode in rung.must_have} <= set(opcodes)


@archs
@rungs
def test_what_comes_later_is_not_there_yet(kernels, ladder, rung, arch):
    """An instruction that a later rung introduces and this one does not name would give its lesson away."""
    later = ladder.rungs.index(rung) + 1
    known = {opcode for other in ladder.rungs[:later] for opcode in other.must_have} | {"LDG"}  # every kernel loads
    introduced = {opcode for other in ladder.rungs[later:] for opcode in other.must_have} - known
    assert not {spelled(opcode, arch) for opcode in introduced} & set(kernels.rung(arch, ladder, rung).opcodes)


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
    assert local == 0 or (rung.slug, arch) in SPILLS


@archs
def test_the_tuned_rung_needs_neither_copies_nor_atomics(kernels, arch):
    ladder = LADDERS["linear"]
    kernel = kernels.rung(arch, ladder, ladder.rung("tuned"))
    assert not {"LDGSTS", "LDGDEPBAR", "RED", "REDG", "ATOM", "ATOMG"} & set(kernel.opcodes)
    assert "BAR" not in kernel.loop_with("HMMA")


@archs
def test_the_glossary_explains_every_instruction(kernels, arch):
    glossary, _ = parse_yaml((KERNELS.parent / "content" / "glossary.yaml").read_text(encoding="utf-8"), "glossary")
    found = [unexplained(kernels.rung(arch, ladder, rung).instructions, glossary) for ladder, rung in RUNGS]
    assert set().union(*found) == set()


# ---- variants ------------------------------------------------------------------------------------------------


@cut_up
@probed
def test_loads_only_loads_all_and_multiplies_nothing(kernels, ladder, rung, arch):
    full, loads = (kernels.rung(arch, ladder, rung, variant) for variant in ("", "loads_only"))
    load = "LDGSTS" if "LDGSTS" in full.opcodes else "LDG"
    assert loads.opcodes[load] == full.opcodes[load]
    assert "HMMA" not in loads.opcodes
    of_full, of_loads = full.loop_with(load), loads.loop_with(load)
    for opcode in (load, "LDGDEPBAR", "DEPBAR", "BAR"):  # asks and waits as the rung does, pass by pass
        assert of_loads.get(opcode, 0) == of_full.get(opcode, 0), opcode
    assert of_loads[load] > 0


@cut_up
@probed
def test_math_only_multiplies_as_often_and_loads_nothing_in_its_loop(kernels, ladder, rung, arch):
    full, math = (kernels.rung(arch, ladder, rung, variant) for variant in ("", "math_only"))
    passes, rest = divmod(math.loop["HMMA"], full.loop["HMMA"])
    assert passes >= 1
    assert rest == 0
    if "#pragma unroll 1" in ladder.source(rung):  # elsewhere ptxas may put several passes into one, as for sm_100
        assert passes == 1
    for opcode in ("LDS", "BAR"):
        assert math.loop.get(opcode, 0) == passes * full.loop.get(opcode, 0), opcode
    assert not {"LDGSTS", "LDG", "LDL", "LDGDEPBAR", "DEPBAR"} & set(math.loop)


@cut_up
@pytest.mark.parametrize(("ladder", "rung"), PLACED, ids=name)
def test_placement_asks_where_and_when_and_leaves_the_loop_alone(kernels, ladder, rung, arch):
    full, placed = (kernels.rung(arch, ladder, rung, variant) for variant in ("", "placement"))
    reads = [i.operands.split(", ")[-1] for i in placed.instructions if i.opcode in ("S2R", "S2UR", "CS2R")]
    assert reads.count("SR_GLOBALTIMERLO") == 2
    assert reads.count("SR_VIRTUALSMID") == 1
    assert not {"SR_GLOBALTIMERLO", "SR_VIRTUALSMID"} & {i.operands.split(", ")[-1] for i in full.instructions}
    for opcode in ("HMMA", "LDGSTS", "LDG", "LDS", "STS", "BAR", "DEPBAR"):
        assert placed.loop.get(opcode, 0) == full.loop.get(opcode, 0), opcode


@cut_up
def test_the_halves_of_the_background_copy_come_apart(kernels, arch):
    ladder = LADDERS["linear"]
    rung = ladder.rung("async_copy")
    both, copy, prefetch = (
        kernels.rung(arch, ladder, rung, variant) for variant in ("", "no_prefetch", "register_prefetch")
    )
    assert both.opcodes["LDGSTS"] == 2 * both.loop["LDGSTS"]  # before the loop, and in it
    assert copy.opcodes["LDGSTS"] == copy.loop["LDGSTS"] == both.loop["LDGSTS"]
    assert "LDGSTS" not in prefetch.opcodes
    assert prefetch.loop["LDG"] == prefetch.loop["STS"] == both.loop["LDGSTS"]
    assert both.loop["HMMA"] == copy.loop["HMMA"] == prefetch.loop["HMMA"]
    order = [i.opcode.split(".")[0] for i in prefetch.instructions]
    last_load = len(order) - order[::-1].index("LDG")
    assert order.index("HMMA") > order.index("LDG")
    assert "STS" in order[last_load:]  # what was loaded is kept after the multiplies


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
        assert kernel.loop_with(opcode)[opcode] >= least  # ptxas may unroll further


@closely
def test_the_machine_kernels_hold_nothing_else(kernels, arch):
    found = {entry: kernels.machine(arch, path, entry).opcodes for path, entry in MACHINE}
    assert set(found["empty"]) <= {"EXIT", "MOV", "LDC", "IMAD"}  # and where its stack would lie
    assert found["load_fragments"]["LDSM"] == 2
    assert found["multiply"]["HMMA"] == 1
    for entry in ("peak_fma", "peak_hmma"):
        loop = next(kernels.machine(arch, path, e).loop for path, e in MACHINE if e == entry)
        assert not {"LDG", "LDS", "STG", "STS"} & set(loop)


def test_no_machine_kernel_was_overlooked():
    for path in (KERNELS / "machine").glob("*.cu"):
        code = blank_comments(path.read_text(encoding="utf-8"))
        assert code.count("__global__") == sum(path == other for other, _ in MACHINE), path.name
