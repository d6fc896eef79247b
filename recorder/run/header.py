"""What heads a recording? The card, the toolkit, what was launched and declared, the method and the card's state."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime
from functools import cache
from typing import Any

from recorder.card.conditions import Nvml, scaled
from recorder.compile.toolkit import versions
from schema.fresh import declared, launched
from schema.ladder import Ladder
from schema.recording import SCHEMA, Card, Header
from schema.results import NotMeasured


def card_slug(name: str) -> str:
    """``NVIDIA H200`` as ``nvidia-h200``."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64] or "unknown"


def read_card(device: Any) -> Card:
    """The card as its driver and NVML describe it; no serial number, no host."""
    nvml = Nvml(device.pci_bus_id())
    graphics = getattr(nvml.nvml, "NVML_CLOCK_SM", 1)
    memory = getattr(nvml.nvml, "NVML_CLOCK_MEM", 2)
    return Card(
        slug=card_slug(device.name),
        name=device.name,
        arch=device.arch,
        sms=device.attribute("MULTIPROCESSOR_COUNT"),
        l2_bytes=device.attribute("L2_CACHE_SIZE"),
        memory_bytes=device.memory_bytes()[1],
        smem_per_sm_bytes=device.attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
        smem_per_block_bytes=device.attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        registers_per_sm=device.attribute("MAX_REGISTERS_PER_MULTIPROCESSOR"),
        threads_per_sm=device.attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
        blocks_per_sm=device.attribute("MAX_BLOCKS_PER_MULTIPROCESSOR"),
        sm_clock_max_MHz=nvml.ask("MaxClockInfo", graphics),
        memory_clock_max_MHz=nvml.ask("MaxClockInfo", memory),
        power_limit_W=scaled(nvml.ask("PowerManagementLimit"), 1e-3),
        driver=nvml.driver(),
    )


def compile_only_card(arch: str) -> Card:
    """A card that is only an architecture: nothing of it is measured."""
    none = NotMeasured(not_measured="compiled without a card")
    fields = set(Card.model_fields) - {"slug", "name", "arch"}
    return Card(slug=arch, name=arch, arch=arch, **dict.fromkeys(fields, none))


def make_header(
    experiment: str, subject: str, ladder: Ladder | None, card: Card, started: float, quick: bool,
    method: dict[str, Any], conditions: Any, practice: bool = False,
) -> Header:  # fmt: skip
    """The header of a recording that ends now; ``started`` is ``time.monotonic()`` at its start."""
    return Header(
        schema=SCHEMA,
        experiment=experiment,
        subject=subject,
        recorded=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        seconds=round(time.monotonic() - started, 2),
        quick=quick,
        practice=practice,
        card=card,
        toolkit=toolkit_versions(),
        sources=launched(experiment, ladder),
        declared=declared(experiment, ladder),
        method=dict(method),
        conditions=conditions,
    )


@cache
def toolkit_versions() -> dict[str, str]:
    """The versions of the toolkit's parts, asked once: two of them are programs."""
    return versions()
