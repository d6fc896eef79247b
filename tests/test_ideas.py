"""Does code that is not what its ladder declares say so? Opcodes that are missing, gone, gained and kept."""

from __future__ import annotations

import pytest

from sass.listing import Instruction, main_loop, make_instruction
from schema.ideas import code_faults
from schema.launch import Launch
from schema.rungs import Rung, Variant


def listing(*opcodes: str) -> tuple[Instruction, ...]:
    """A kernel; ``loop N`` branches back over the N instructions before it."""
    found = []
    for n, opcode in enumerate(opcodes):
        word, _, back = opcode.partition(" ")
        text = f"@P0 BRA 0x{(n - int(back)) * 16:x}" if word == "loop" else f"{opcode} R0, R1"
        found.append(make_instruction(n * 16, text))
    return (*found, make_instruction(len(found) * 16, "EXIT"))


def rung(**declared: object) -> Rung:
    return Rung("a", "01_a.cu", "fp32", lambda p, c: Launch((1, 1, 1), (32, 1, 1)), **declared)  # type: ignore[arg-type]


def of_rung(*opcodes: str, **declared: object) -> list[str]:
    return code_faults(rung(**declared), None, listing(*opcodes))


def of_variant(whole: tuple[str, ...], cut: tuple[str, ...], **declared: tuple[str, ...]) -> list[str]:
    return code_faults(rung(), Variant("cut", **declared), listing(*whole), listing(*cut))  # type: ignore[arg-type]


def test_what_a_rung_must_have_and_must_not_have():
    assert of_rung("LDG.E", "HMMA.16816.F32", must_have=("LDG", "HMMA"), must_not_have=("LDS", "LD")) == []
    assert of_rung("LDG", "FFMA", must_have=("LDG", "HMMA", "LDS"), must_not_have=("FFMA",)) == [
        "a: its code holds no HMMA, which must_have asks for; it holds EXIT, FFMA, LDG",
        "a: its code holds no LDS, which must_have asks for; it holds EXIT, FFMA, LDG",
        "a: its code holds FFMA, which must_not_have forbids",
    ]


@pytest.mark.parametrize("opcode", ["RED.E.ADD.F32", "REDG.E.ADD.F32"])
def test_an_instruction_goes_by_all_its_names(opcode: str):
    assert of_rung(opcode, must_have=("RED",)) == []
    assert of_rung(opcode, must_not_have=("RED",)) == ["a: its code holds RED, which must_not_have forbids"]


def test_what_never_runs_is_no_code():
    never = make_instruction(0x1000, "@!PT LDS RZ, [RZ]")
    assert code_faults(rung(must_not_have=("LDS",)), None, (*listing("FFMA"), never)) == []


WHOLE = ("LDG", "HMMA", "HMMA", "LDG", "LDG", "BAR", "loop 5", "LDG", "STG")  # two multiplies, two loads, a barrier


def test_gone_is_of_the_main_loop_and_nowhere_of_all_the_code():
    without = ("LDG", "HMMA", "HMMA", "BAR", "loop 3", "LDG", "STG")
    assert of_variant(WHOLE, without, gone=("LDG", "LDL"), kept=("HMMA", "BAR")) == []
    assert of_variant(WHOLE, without, nowhere=("LDG",)) == ["a.cut: its code holds LDG, which nowhere forbids"]
    assert of_variant(WHOLE, WHOLE, gone=("LDG", "LDL"), kept=("HMMA",)) == [
        "a.cut: its main loop holds LDG, which it declares gone"
    ]


@pytest.mark.parametrize("passes", [1, 2, 4])
def test_kept_is_pass_for_pass_where_the_compiler_put_several_into_one(passes: int):
    body = ("HMMA", "HMMA", "LDG", "LDG", "BAR")
    several = (*body * passes, f"loop {5 * passes}")
    assert of_variant(WHOLE, several, kept=("HMMA", "LDG", "BAR", "LDS")) == []
    assert of_variant(several, WHOLE, kept=("HMMA", "LDG", "BAR", "LDS")) == []
    less = (*body * passes, "HMMA", f"loop {5 * passes + 1}")
    assert of_variant(WHOLE, less, kept=("HMMA", "LDG", "BAR")) != []


def test_what_is_not_kept_is_counted():
    assert of_variant(WHOLE, ("HMMA", "HMMA", "LDG", "loop 3"), kept=("HMMA", "LDG", "BAR")) == [
        "a.cut: its main loop holds LDG 1 times, the rung's 2 times; it is declared kept",
        "a.cut: its main loop holds BAR 0 times, the rung's 1 times; it is declared kept",
    ]
    assert of_variant(WHOLE, ("HMMA", "HMMA", "HMMA", "HMMA", "LDG", "LDG", "loop 6"), kept=("HMMA", "LDG")) == [
        "a.cut: its main loop holds LDG 2 times, the rung's 2 times, "
        "and 2 of the rung's passes are one of its own; it is declared kept"
    ]


def test_a_loop_that_is_gone_keeps_nothing():
    assert of_variant(WHOLE, ("HMMA", "STG"), kept=("HMMA", "LDG")) != []
    assert of_variant(WHOLE, ("STG",), kept=("HMMA",)) == [
        "a.cut: its main loop holds HMMA 0 times, the rung's 2 times; it is declared kept"
    ]


def test_gained_is_in_the_main_loop_of_the_variant_alone():
    through = ("LDG", "HMMA", "HMMA", "LDG", "STS", "loop 4")
    copied = ("LDGSTS", "HMMA", "HMMA", "LDGSTS", "loop 3", "STS", "LDG")
    assert of_variant(copied, through, gained=("LDG", "STS"), kept=("HMMA",)) == []
    assert of_variant(copied, copied, gained=("STS",), kept=("HMMA",)) == [
        "a.cut: its main loop holds no STS, which it declares gained"
    ]
    assert of_variant(through, through, gained=("STS",), kept=("HMMA",)) == [
        "a.cut: declares STS gained, and the rung's main loop holds it as well"
    ]


def test_the_main_loop_is_the_one_with_the_most_of_the_first_that_is_kept():
    """A loop that only loads has no arithmetic to be known by, and one that multiplies more may lie beside it."""
    both = ("LDG", "LDG", "BAR", "loop 3", "FFMA", "FFMA", "FFMA", "loop 3")
    assert of_variant(both, both, kept=("LDG", "BAR"), gone=("FFMA",)) == []
    assert of_variant(both, both, kept=("FFMA",), gone=("LDG", "BAR")) == []
    assert of_variant(both, both, gone=("FFMA",)) == ["a.cut: its main loop holds FFMA, which it declares gone"]


def test_a_main_loop_by_opcodes_does_not_count_the_loops_inside_it():
    nested = listing("BAR", "LDG", "LDG", "loop 2", "HMMA", "HMMA", "HMMA", "loop 7", "STG", "loop 1")
    inner, outer = main_loop(nested, ("LDG",)), main_loop(nested, ("HMMA",))
    assert inner is not None and (inner.start_offset, inner.end_offset) == (0x10, 0x30)
    assert outer is not None and (outer.start_offset, outer.end_offset) == (0x00, 0x70)
    assert main_loop(nested, ("FFMA",)) is None
    assert main_loop(nested, ("LDG", "STG")) == inner
