"""What was compiled, and how would it be launched? SASS, PTX, registers, shared memory and occupancy of each kernel."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from recorder.compile.compiled import THREADS
from recorder.compile.disassembly import Disassembly, disassemble
from recorder.compile.resources import read_resources
from recorder.compile.toolkit import load_core
from recorder.measure.session import Session, not_measured
from sass.listing import format_sass
from schema.kernel_text import source_hash
from schema.ladder import Rung, header
from schema.results import Code, CodeResults, RungCode

ESTIMATE_S, QUICK_S = 6, 6
Compiled = tuple[bytes, Disassembly]


def run(session: Session, arch: str = "") -> dict[str, tuple[Any, dict[str, Any]]]:
    """The ``code`` experiment of the session's ladder; ``arch`` where there is no device to say it."""
    ladder = session.the_ladder
    arch = arch or session.device.arch
    kernels = [(rung, variant) for rung in ladder.rungs for variant in ("", *rung.variants)]
    rungs: dict[str, RungCode] = {}
    variants: dict[str, Any] = {}
    load_core()  # once, before threads would import it side by side
    with ThreadPoolExecutor(THREADS) as pool:
        made = [pool.submit(_compiled, session, rung, variant, arch) for rung, variant in kernels]
        for done, (rung, variant) in enumerate(kernels):
            name = f"{rung.slug}.{variant}" if variant else rung.slug
            session.progress(f"{name} for {arch}", done / len(kernels))
            code = session.attempt(name, lambda r=rung, v=variant, f=made[done]: _code(session, r, v, f))
            if variant:
                variants[name] = code
            else:
                title, idea = header(ladder.source(rung))
                rungs[rung.slug] = RungCode(title=title, idea=idea, dtype=rung.dtype, code=code)
    return {"code": (CodeResults(rungs=rungs, variants=variants), {"arch": arch, "standard": "c++17"})}


def _compiled(session: Session, rung: Rung, variant: str, arch: str) -> Compiled:
    """The cubin of one kernel and its listing: the part that needs no card, and takes longest."""
    cubin = session.cubins.get(*session.source(rung, variant), arch)
    return cubin, disassemble(cubin, session.the_ladder.entry)


def _code(session: Session, rung: Rung, variant: str, made: Future[Compiled]) -> Code:
    """What came out of the compiler, and what the driver says of it; occupancy needs a card."""
    ladder = session.the_ladder
    source, name = session.source(rung, variant)
    constants = ladder.constants(rung, variant)
    cubin, listing = made.result()
    launch = rung.launch(ladder.problem, constants)
    occupancy: Any = not_measured("occupancy is the driver's to say; this was compiled without a card")
    if session.device is not None:
        module = session.device.load(cubin, ladder.entry, name)
        registers, static_smem, local = module.registers, module.static_smem_bytes, module.local_bytes
        occupancy = session.device.blocks_per_sm(module, launch)
    else:
        registers, static_smem, local = read_resources(cubin, ladder.entry)
    return Code(
        file=ladder.file(rung, variant),
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
