"""What was compiled, and how would it be launched? SASS, PTX, registers, shared memory and occupancy of each kernel."""

from __future__ import annotations

from typing import Any

from recorder.compile import compile_cubin
from recorder.ladder import Ladder, Rung, header
from recorder.listing import format_sass
from recorder.resources import read_resources
from recorder.results import Code, CodeResults, RungCode
from recorder.sass import disassemble
from recorder.session import Session, not_measured
from recorder.source import source_hash

ESTIMATE_S = 40


def code_of(session: Session, ladder: Ladder, rung: Rung, variant: str, arch: str) -> Code:
    """Compile one kernel for ``arch`` and read what came out; occupancy needs a card."""
    source, constants = ladder.source(rung, variant), ladder.constants(rung, variant)
    file = ladder.file(rung, variant)
    cubin = compile_cubin(source, f"kernels/{ladder.slug}/{file}", arch).cubin
    listing = disassemble(cubin, ladder.entry)
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
    total = sum(1 + len(r.variants) for r in ladder.rungs)
    rungs: dict[str, RungCode] = {}
    variants: dict[str, Any] = {}
    done = 0
    for rung in ladder.rungs:
        for variant in ("", *rung.variants):
            name = f"{rung.slug}.{variant}" if variant else rung.slug
            session.progress(f"{name} for {arch}", done / total)
            code = session.attempt(rung.slug, lambda r=rung, v=variant: code_of(session, ladder, r, v, arch))
            if variant:
                variants[name] = code
            else:
                title, idea = header(ladder.source(rung))
                rungs[rung.slug] = RungCode(title=title, idea=idea, dtype=rung.dtype, code=code)
            done += 1
    return {"code": (CodeResults(rungs=rungs, variants=variants), {"arch": arch, "standard": "c++17"})}
