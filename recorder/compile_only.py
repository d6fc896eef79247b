"""What does an architecture look like without a card? SASS, registers and shared memory of every ladder, compiled only."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from recorder.compile import check_arch
from recorder.experiments import ALL, Job
from recorder.experiments import code as code_experiment
from recorder.header import compile_only_card, make_header
from recorder.ladder import Ladder
from recorder.recording import dump, write_atomically
from recorder.run import RunError, locked, state_of
from recorder.session import Session


def record_archs(
    archs: list[str], ladders: dict[str, Ladder], out: Path, force: bool, say: Callable[[str], None]
) -> int:
    """Write ``<out>/<arch>/<ladder>/code.yaml`` for each arch; 1 when a kernel did not compile, else 0."""
    for arch in archs:
        check_arch(arch)
    experiment = next(e for e in ALL if e.name == "code")
    failed = False
    for arch in archs:
        card = compile_only_card(arch)
        with locked(out / arch):
            for slug, ladder in ladders.items():
                if not force and state_of(Job(slug, experiment), out / arch, ladder)[0] == "recorded":
                    say(f"{arch}: {slug} is recorded already; --force records it again")
                    continue
                started = time.monotonic()
                session = Session(None, ladder, False)
                results, method = code_experiment.run(session, arch)["code"]
                header = make_header("code", slug, ladder, card, started, False, method, None)
                path = out / arch / slug / "code.yaml"
                try:
                    write_atomically(path, dump(header, results))
                except OSError as error:
                    raise RunError(f"{path}: cannot be written: {error.strerror}") from None
                faults = [f"{n}: {r.code.failed}" for n, r in results.rungs.items() if hasattr(r.code, "failed")]
                failed = failed or bool(faults)
                say(f"{arch}: {slug}, {len(results.rungs)} rungs and {len(results.variants)} variants in "
                    f"{time.monotonic() - started:.1f} s" + "".join(f"\n  failed: {f}" for f in faults))  # fmt: skip
    return 1 if failed else 0
