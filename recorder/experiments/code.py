"""What was compiled, and how would it be launched? SASS, PTX, registers, shared memory and occupancy of each kernel."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from recorder.compile import compile_cubin
from recorder.ladder import Ladder, Rung, header
from recorder.listing import format_sass
from recorder.resources import read_resources
from recorder.results import Code, CodeResults, RungCode
from recorder.sass import Disassembly, disassemble
from recorder.session import Session, not_measured
from recorder.source import source_hash
from recorder.toolkit import load_core

ESTIMATE_S = 15


def compiled(ladder: Ladder, rung: Rung, variant: str, arch: str) -> tuple[bytes, Disassembly]:
    """The cubin of one kernel and its listing: the part that needs no card, and takes longest."""
    source, file = ladder.source(rung, variant), ladder.file(rung, variant)
    cubin = compile_cubin(source, f"kernels/{ladder.slug}/{file}", arch).cubin
    return cubin, disassemble(cubin, ladder.entry)


def code_of(
    session: Session, ladder: Ladder, rung: Rung, variant: str, made: Future[tuple[bytes, Disassembly]]
) -> Code:
    """What came out of the compiler, and what the driver says of it; occupancy needs a card."""
    source, constants = ladder.source(rung, variant), ladder.constants(rung, variant)
    file = ladder.file(rung, variant)
    cubin, listing = made.result()
    launch = rung.launch(ladder.problem, constants)
    occupancy: Any = not_measured("occupancy is the driver's to say; this was compiled without a card")
    if session.device is not None:
        module = session.device.load(cubin, ladder.entry, file)
        registers, static_smem, local = module.registers, module.static_smem_bytes, module.local_bytes
        occupancy = session.device.blocks_per_sm(module, launch)
    else:
        registers, static_smem, local = read_resources(cubin, ladder.entry)
    return Code(
        file=file,
        entry=ladder.entry,
        sha256=source_hash(source),
        constants=constants,
        grid=list(launch.grid),
        block=list(launch.block),
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


def run(session: Session, arch: str | None = None) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``code`` experiment of the session's ladder."""
    ladder = session.the_ladder
    arch = arch or session.device.arch
    kernels = [(rung, variant) for rung in ladder.rungs for variant in ("", *rung.variants)]
    rungs: dict[str, RungCode] = {}
    variants: dict[str, Any] = {}
    load_core()  # once, before threads would import it side by side
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        made = [pool.submit(compiled, ladder, rung, variant, arch) for rung, variant in kernels]
        for done, (rung, variant) in enumerate(kernels):
            name = f"{rung.slug}.{variant}" if variant else rung.slug
            session.progress(f"{name} for {arch}", done / len(kernels))
            code = session.attempt(rung.slug, lambda r=rung, v=variant, f=made[done]: code_of(session, ladder, r, v, f))
            if variant:
                variants[name] = code
            else:
                title, idea = header(ladder.source(rung))
                rungs[rung.slug] = RungCode(title=title, idea=idea, dtype=rung.dtype, code=code)
    return {"code": (CodeResults(rungs=rungs, variants=variants), {"arch": arch, "standard": "c++17"})}
