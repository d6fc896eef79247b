"""What did the mini ladder's two cards say? Invented recordings, written as the recorder writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from schema.fresh import now
from schema.kernel_text import read_constants, source_hash
from schema.load_ladder import load_ladder
from schema.recording import SCHEMA, Card, Header, dump, numbers_block, write_atomically
from schema.results import (
    Check,
    Code,
    CodeResults,
    Model,
    NotDeclared,
    NotMeasured,
    OperandUse,
    RungCode,
    RungTimes,
    Timed,
    TimePair,
    TimesResults,
)

HERE = Path(__file__).parent
KERNELS = HERE / "kernels" / "sums"
SUBJECT = "sums"
RUNGS = {"plain": "01_plain.cu", "warp": "02_warp.cu"}
PROBLEM = {"rows": 4096, "columns": 1024}
TICK_US = 0.032 / 100

NONE = NotMeasured(not_measured="the management library refused")
ALPHA = Card(
    slug="mini-alpha",
    name="Mini Alpha",
    arch="sm_90a",
    sms=40,
    l2_bytes=20_000_000,
    memory_bytes=8_000_000_000,
    smem_per_sm_bytes=100_000,
    smem_per_block_bytes=99_000,
    registers_per_sm=65_536,
    threads_per_sm=2048,
    blocks_per_sm=32,
    sm_clock_max_MHz=1500,
    memory_clock_max_MHz=NONE,
    power_limit_W=NONE,
    driver="1.2.3",
)
BETA = ALPHA.model_copy(update={"slug": "mini-beta", "name": "Mini <b>Beta</b> & Sons", "sms": 400, "driver": "9.8.7"})


def write_cards(folder: Path) -> None:
    """``mini-alpha`` has everything; on ``mini-beta`` the warp is slower, there is no code, and one time failed."""
    write(folder, ALPHA, "times", times(1, {"plain": (40.0, 31.0), "warp": (12.5, 8.0)}))
    write(folder, ALPHA, "code", code())
    write(folder, BETA, "times", times(2, {"plain": (40.0, 31.0), "warp": (61.0, None)}))


def write(folder: Path, card: Card, experiment: str, results: Model, **changes: Any) -> None:
    today = now(experiment, load_ladder(KERNELS))
    header = Header.model_validate(
        {
            "schema": SCHEMA,
            "experiment": experiment,
            "subject": SUBJECT,
            "recorded": "2026-03-04T05:06:07Z",
            "seconds": 1.5,
            "quick": False,
            "practice": False,
            "card": card,
            "toolkit": {"nvrtc": "13.10"},
            "sources": today.sources,
            "declared": today.declared,
            "method": {"launches": 100, "samples": 60},
            "conditions": NotMeasured(not_measured="a card of the test-suite"),
        }
        | changes
    )
    write_atomically(folder / card.slug / SUBJECT / f"{experiment}.yaml", dump(header, results))


def timed(random: np.random.Generator, us: float | None) -> Timed | NotMeasured:
    """60 samples around ``us`` on the event clock's grid."""
    if us is None:
        return NotMeasured(not_measured="the weights <did> not stay in L2")
    samples = np.round(us * (1 + random.normal(0, 0.001, 60)) / TICK_US) * TICK_US
    return Timed(samples_us=numbers_block(samples))


def times(seed: int, rungs: dict[str, tuple[float, float | None]]) -> TimesResults:
    random = np.random.default_rng(seed)
    not_run = NotMeasured(not_measured="plain trains were left out")
    return TimesResults(
        problem=PROBLEM,
        operands={
            "x": OperandUse(title="x", role="in", shape=[4096, 1024], cold=True),
            "y": OperandUse(title="y", role="out", shape=[4096], cold=False),
        },
        flops=PROBLEM["rows"] * PROBLEM["columns"],
        least_bytes={"fp32": 4 * (PROBLEM["rows"] * PROBLEM["columns"] + PROBLEM["rows"])},
        rungs={
            slug: RungTimes(
                cold=timed(random, cold),
                warm=timed(random, warm),
                check=Check(worst_error=0.25, tolerance=1.0, cases=["4096 x 1024"]),
                plain_cold=not_run,
                plain_warm=not_run,
            )
            for slug, (cold, warm) in rungs.items()
        },
        references={},
        floors={"empty": TimePair(cold=timed(random, 1.25), warm=timed(random, 1.25))},
        twins={"warp": TimePair(cold=timed(random, rungs["warp"][0]), warm=not_run)},
    )


def code() -> CodeResults:
    rungs = {}
    for slug, file in RUNGS.items():
        source = (KERNELS / file).read_text(encoding="utf-8")
        rungs[slug] = RungCode(
            title=slug.capitalize(),
            idea="Adds up rows.",
            dtype="fp32",
            types="fp32",
            unit="",
            pipeline=NotDeclared(not_declared="the ladder declares no loop over slices for it"),
            launches=NotDeclared(not_declared="the ladder declares no other launches of it"),
            code=Code(
                file=file,
                entry="sums",
                target="sm_90a",
                sha256=source_hash(source),
                constants=read_constants(source),
                grid=[32 if slug == "plain" else 1024, 1, 1],
                block=[128, 1, 1],
                cluster=[1, 1, 1],
                programmatic=False,
                dynamic_smem_bytes=0,
                static_smem_bytes=0,
                registers=24,
                local_bytes=0,
                blocks_per_sm=16,
                zero_output=False,
                ptxas="13.10",
                sass="0000 L19 P1 LDG.E R2, desc[UR4][R2.64]\n0010 L- P- EXIT\n",
                ptx="ld.global.f32 %f1, [%rd1];\nret;\n",
            ),
        )
    return CodeResults(rungs=rungs, variants={})
