"""Which cards do tests publish from? Folders of invented recordings, written by the recorder's own writer.

The numbers are made up. They are for tests and for drawing figures before a card was recorded; never commit them
under ``recordings/``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schema.experiments import OF_MACHINE
from schema.recording import SCHEMA, Card, Conditions, Header, dump, write_atomically
from schema.results import EXPERIMENTS, Failed, NotMeasured
from tests.fixture_results import Lab

HALF = ("code", "times", "placement", "fragment")

WHOLE = Card(
    slug="nvidia-h200", name="NVIDIA H200", arch="sm_90a", sms=132, l2_bytes=62_914_560, memory_bytes=150_754_820_096,
    smem_per_sm_bytes=233_472, smem_per_block_bytes=232_448, registers_per_sm=65_536, threads_per_sm=2048,
    blocks_per_sm=32, sm_clock_max_MHz=1980, memory_clock_max_MHz=3201, power_limit_W=700, driver="580.95.05",
)  # fmt: skip
SLOWER = WHOLE.model_copy(
    update={
        "slug": "fixture-slow", "name": "Fixture Slow 40", "arch": "sm_86", "sms": 40, "l2_bytes": 4_194_304,
        "sm_clock_max_MHz": 1500, "power_limit_W": NotMeasured(not_measured="NVML refused: not supported"),
    }
)  # fmt: skip


def write_card(folder: Path, card: Card, lab: Lab, only: tuple[str, ...] = (), subject: str = "linear") -> Path:
    """Write every experiment (or ``only`` those) under ``folder/<card>/``; gives that folder."""
    home = folder / card.slug
    for experiment in EXPERIMENTS:
        results = getattr(lab, experiment)()  # made even when not wanted, so that the others' numbers stay as they are
        if only and experiment not in only:
            continue
        where = "machine" if experiment in OF_MACHINE else subject
        write_atomically(home / where / f"{experiment}.yaml", dump(header(card, where, experiment), results))
    return home


def header(card: Card, subject: str, experiment: str, **changes: Any) -> Header:
    """A header as the recorder writes it; ``changes`` replace fields."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "experiment": experiment,
        "subject": subject,
        "recorded": "2026-01-02T03:04:05Z",
        "seconds": 21.5,
        "quick": False,
        "practice": False,
        "card": card,
        "toolkit": {"nvrtc": "13.10", "cuda-core": "1.2.0", "cuda-bindings": "13.3.1", "cuobjdump": "13.2"},
        "sources": {},
        "declared": {},
        "method": {"launches": 100, "samples": 500, "copies_of_w": 8, "warm_up_ms": 300, "seed": 7, "graph": True},
        "conditions": Conditions(
            sm_clock_MHz=1980,
            memory_clock_MHz=3201,
            power_W=402.5,
            temperature_C=44,
            throttle_reasons=[],
            other_processes=0,
        ),
    }
    return Header.model_validate(fields | changes)


def whole_card(folder: Path) -> Path:
    """Every experiment, nothing failed."""
    return write_card(folder, WHOLE, Lab(seed=1))


def slower_card(folder: Path) -> Path:
    """Another card on which comparisons flip: tuned is slower than split_k and the library, fp16 loses to registers."""
    factor = {"default": 3.0, "tuned": 5.0, "split_k": 2.6, "fp16": 3.6, "references": 2.5}
    return write_card(folder, SLOWER, Lab(seed=2, sms=40, factor=factor))


def half_card(folder: Path) -> Path:
    """Half of the experiments were never recorded; of two there is only a file that says why there is nothing."""
    card = WHOLE.model_copy(update={"slug": "fixture-half", "name": "Fixture Half"})
    home = write_card(folder, card, Lab(seed=3), only=HALF)
    reasons = {
        "counters": NotMeasured(not_measured="ncu is not installed; with it, run: python -m recorder --with-counters"),
        "sweep": Failed(failed="ran past its time limit of 120 s"),
    }
    for experiment, why in reasons.items():
        write_atomically(home / "linear" / f"{experiment}.yaml", dump(header(card, "linear", experiment), why))
    return home


def compile_only_card(folder: Path) -> Path:
    """No device: the kernels were only compiled."""
    absent = NotMeasured(not_measured="compiled without a device")
    unknown = dict.fromkeys(("sms", "l2_bytes", "memory_bytes", "sm_clock_max_MHz", "memory_clock_max_MHz"), absent)
    unknown |= {"power_limit_W": absent, "driver": absent}
    card = WHOLE.model_copy(update={"slug": "sm_120", "name": "sm_120, compiled only", "arch": "sm_120", **unknown})
    return write_card(folder, card, Lab(seed=5), only=("code",))


def failed_rung_card(folder: Path, rung: str = "split_k") -> Path:
    """One rung failed its check: it has code and no times."""
    card = WHOLE.model_copy(update={"slug": "fixture-failed", "name": "Fixture Failed"})
    return write_card(folder, card, Lab(seed=4, failed=(rung,)))
