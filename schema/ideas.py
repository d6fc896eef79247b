"""Is what a ladder declares of a kernel's machine code true? Opcodes that are there, gone, or kept pass for pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from sass.listing import Instruction, count_opcodes, loop_instructions, main_loop
from schema.rungs import Rung, Variant

RENAMED = {"RED": ("RED", "REDG")}  # what is called otherwise from some architecture on: a reduction, from sm_90 on
Code = Sequence[Instruction]


def code_faults(rung: Rung, variant: Variant | None, of_rung: Code, of_variant: Code = ()) -> list[str]:
    """What a rung declares that its code does not show, or a variant of it: a sentence each, which names the kernel."""
    if variant is None:
        return _rung_faults(rung, of_rung)
    name = f"{rung.slug}.{variant.slug}"
    families = _names(variant.kept[0]) if variant.kept else ()
    whole, loop, rungs_loop = _counts(of_variant), _loop(of_variant, families), _loop(of_rung, families)
    faults = [f"{name}: its code holds {o}, which nowhere forbids" for o in variant.nowhere if _of(o, whole)]
    faults += [f"{name}: its main loop holds {o}, which it declares gone" for o in variant.gone if _of(o, loop)]
    for opcode in variant.gained:
        if not _of(opcode, loop):
            faults.append(f"{name}: its main loop holds no {opcode}, which it declares gained")
        elif _of(opcode, rungs_loop):
            faults.append(f"{name}: declares {opcode} gained, and the rung's main loop holds it as well")
    return faults + _kept_faults(name, variant, rungs_loop, loop)


def _rung_faults(rung: Rung, code: Code) -> list[str]:
    found = _counts(code)
    missing = [opcode for opcode in rung.must_have if not _of(opcode, found)]
    has = ", ".join(sorted(found))
    faults = [
        f"{rung.slug}: its code holds no {opcode}, which must_have asks for; it holds {has}" for opcode in missing
    ]
    wrong = (opcode for opcode in rung.must_not_have if _of(opcode, found))
    return [*faults, *(f"{rung.slug}: its code holds {opcode}, which must_not_have forbids" for opcode in wrong)]


def _kept_faults(name: str, variant: Variant, before: Counter[str], after: Counter[str]) -> list[str]:
    """All are as often in the variant's loop as in the rung's, times the passes that the compiler put into one."""
    pairs = {opcode: (_of(opcode, before), _of(opcode, after)) for opcode in variant.kept}
    passes = next((Fraction(there, here) for here, there in pairs.values() if here and there), Fraction(1))
    if 1 not in (passes.numerator, passes.denominator):
        passes = Fraction(1)
    in_one = f", and {passes} of the rung's passes are one of its own" if passes != 1 else ""
    return [
        f"{name}: its main loop holds {opcode} {there} times, the rung's {here} times{in_one}; it is declared kept"
        for opcode, (here, there) in pairs.items()
        if there != here * passes
    ]


def _loop(code: Code, families: tuple[str, ...]) -> Counter[str]:
    """The opcodes of the main loop, as ``Variant`` says which that is; of all the code where there is no such loop."""
    loop = main_loop(code, families)
    return _counts(loop_instructions(code, loop) if loop else code)


def _counts(code: Code) -> Counter[str]:
    """How often each opcode stands there, by its name without the parts behind the first dot."""
    counts: Counter[str] = Counter()
    for opcode, count in count_opcodes(code).items():
        counts[opcode.split(".")[0]] += count
    return counts


def _names(opcode: str) -> tuple[str, ...]:
    return RENAMED.get(opcode, (opcode,))


def _of(opcode: str, counts: Counter[str]) -> int:
    """How often an opcode stands there, under any of its names."""
    return sum(counts[name] for name in _names(opcode))
