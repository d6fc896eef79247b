"""What was compiled, and how would it be launched? SASS, PTX, registers, shared memory and occupancy of each kernel."""

from __future__ import annotations

import itertools
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from recorder.compile.compiled import THREADS
from recorder.compile.disassembly import Disassembly, disassemble
from recorder.compile.resources import read_resources
from recorder.compile.toolkit import load_core
from recorder.measure.session import Session, not_measured, require_room, target
from sass.listing import format_sass
from schema.kernel_text import source_hash
from schema.ladder import Ladder, Rung, header
from schema.owned import whole_region
from schema.recording import numbers_block
from schema.results import (
    Code,
    CodeResults,
    LaunchChoice,
    Launches,
    LoopPhase,
    LoopPipeline,
    NotDeclared,
    OperandRegion,
    RungCode,
)
from schema.rungs import families_of

ESTIMATE_S, QUICK_S = 6, 6
Compiled = tuple[bytes, Disassembly]


def run(session: Session, arch: str = "") -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``code`` experiment of the session's ladder; ``arch`` where there is no device to say it."""
    ladder = session.the_ladder
    arch = arch or session.device.arch
    kernels = [(rung, variant) for rung in ladder.rungs for variant in ("", *rung.variant_slugs)]
    rungs: dict[str, RungCode] = {}
    variants: dict[str, Any] = {}
    load_core()  # once, before threads would import it side by side
    with ThreadPoolExecutor(THREADS) as pool:
        made = [pool.submit(_compiled, session, rung, variant, arch) for rung, variant in kernels]
        for done, (rung, variant) in enumerate(kernels):
            name = f"{rung.slug}.{variant}" if variant else rung.slug
            session.progress(f"{name} for {arch}", done / len(kernels))
            code = session.attempt(name, lambda r=rung, v=variant, f=made[done]: _code(session, r, v, arch, f))
            if variant:
                variants[name] = code
            else:
                title, idea = header(ladder.source(rung))
                pipeline: Any = session.attempt(rung.slug, lambda r=rung: _pipeline(ladder, r))
                launches: Any = session.attempt(rung.slug, lambda r=rung: _launches(ladder, r))
                rungs[rung.slug] = RungCode(
                    title=title,
                    idea=idea,
                    dtype=rung.dtype,
                    types=ladder.label(rung),
                    unit=rung.unit,
                    pipeline=pipeline,
                    launches=launches,
                    code=code,
                )
    return {"code": (CodeResults(rungs=rungs, variants=variants), {"arch": arch, "standard": "c++17"})}


def _compiled(session: Session, rung: Rung, variant: str, arch: str) -> Compiled:
    """The cubin of one kernel and its listing: the part that needs no card, and takes longest."""
    cubin = session.cubins.get(*session.source(rung, variant), target(rung, arch))
    return cubin, disassemble(cubin, session.the_ladder.entry)


def _code(session: Session, rung: Rung, variant: str, arch: str, made: Future[Compiled]) -> Code:
    """What came out of the compiler, and what the driver says of it; occupancy needs a card."""
    ladder = session.the_ladder
    source, name = session.source(rung, variant)
    constants = ladder.constants(rung, variant)
    compiled_for = target(rung, arch)
    cubin, listing = made.result()
    launch = rung.launch(ladder.problem, constants)
    occupancy: Any = not_measured("occupancy is the driver's to say; this was compiled without a card")
    if session.device is not None:
        module = session.device.load(cubin, ladder.entry, name)
        registers, static_smem, local = module.registers, module.static_smem_bytes, module.local_bytes
        require_room(session.device, module, launch)
        occupancy = session.device.blocks_per_sm(module, launch)
    else:
        registers, static_smem, local = read_resources(cubin, ladder.entry)
    return Code(
        file=ladder.file(rung, variant),
        entry=ladder.entry,
        target=compiled_for,
        sha256=source_hash(source),
        constants=constants,
        grid=list(launch.grid),
        block=list(launch.block),
        cluster=list(launch.cluster),
        programmatic=launch.programmatic,
        dynamic_smem_bytes=launch.dynamic_smem_bytes,
        static_smem_bytes=static_smem,
        registers=registers,
        local_bytes=local,
        blocks_per_sm=occupancy,
        zero_output=rung.zero_output(constants),
        ptxas=listing.ptxas,
        sass=format_sass(listing.instructions),
        ptx="\n".join(listing.ptx_lines) + "\n",
    )


def _pipeline(ladder: Ladder, rung: Rung) -> LoopPipeline | NotDeclared:
    """The loop over slices as it is declared, for the ladder's problem."""
    if rung.pipeline is None:
        return NotDeclared(not_declared=f"the ladder declares no loop over slices for {rung.slug}")
    declared, constants, types = rung.pipeline, ladder.constants(rung), ladder.types(rung)
    what = f"{rung.slug}: a slice holds"
    slices = [
        whole_region(ladder, region, ladder.problem, what, "slice_of")
        for region in declared.slice_of(ladder.problem, constants)
    ]
    return LoopPipeline(
        passes=declared.passes(ladder.problem, constants),
        buffers=declared.buffers,
        ahead=declared.ahead,
        phases=[LoopPhase(kind=p.kind, families=list(families_of(p, rung)), words=p.words) for p in declared.phases],
        slice=[
            OperandRegion(
                operand=ladder.operand(r.operand).shown,
                dtype=types[r.operand],
                spans=[list(span) for span in r.spans],
            )
            for r in slices
        ],
    )


def _launches(ladder: Ladder, rung: Rung) -> Launches | NotDeclared:
    """The blocks of every launch that the rung's choices allow, by its own rule: none of them is run."""
    if not rung.choices:
        return NotDeclared(not_declared=f"the ladder declares no other launches of {rung.slug}")
    names, constants = [choice.constant for choice in rung.choices], ladder.constants(rung)
    blocks = []
    for values in itertools.product(*(choice.values for choice in rung.choices)):
        other = {**constants, **dict(zip(names, values, strict=True))}
        accepted = rung.accepts(ladder.problem, other)
        blocks.append(rung.launch(ladder.problem, other).blocks if accepted else 0)
    choices = [LaunchChoice(constant=c.constant, title=c.title, values=list(c.values)) for c in rung.choices]
    return Launches(choices=choices, blocks=numbers_block(blocks, 0))
