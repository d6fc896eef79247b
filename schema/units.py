"""Which units of an SM do arithmetic? Their names, the measured rate that is their roof, and their instructions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """``peak`` is a key of the machine's recorded peaks, or empty: that rate is not measured."""

    name: str
    title: str
    peak: str
    families: tuple[str, ...]  # SASS opcodes without the parts behind the first dot


UNITS = {
    unit.name: unit
    for unit in (
        Unit("fp64", "FP64 units", "", ("DFMA", "DMUL", "DADD")),
        Unit("fp32", "FP32 units", "fp32_tflops", ("FFMA", "FMUL", "FADD", "FFMA2")),
        Unit("fp16", "packed FP16 units", "", ("HFMA2", "HMUL2", "HADD2")),
        Unit("int32", "integer units", "", ("IMAD", "IADD3")),
        Unit("tensor_fp16", "tensor cores, FP16", "hmma_fp16_tflops", ("HMMA", "HGMMA", "UTCHMMA")),
        Unit("tensor_bf16", "tensor cores, BF16", "hmma_bf16_tflops", ("HMMA", "HGMMA", "UTCHMMA")),
        Unit("tensor_tf32", "tensor cores, TF32", "", ("HMMA", "HGMMA", "UTCHMMA")),
        Unit("tensor_fp64", "tensor cores, FP64", "", ("DMMA",)),
        Unit("tensor_int8", "tensor cores, INT8", "", ("IMMA", "IGMMA", "UTCIMMA")),
        Unit("tensor_fp8", "tensor cores, FP8", "", ("QMMA", "QGMMA", "UTCQMMA")),
    )
}
