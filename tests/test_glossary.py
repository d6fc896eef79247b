"""Does the glossary know every instruction that readers meet, and is each explained by its own operands?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sass.explanations import explain
from sass.formulas import reading
from sass.listing import Instruction, make_instruction, parse_sass
from sass.opcodes import family, modifiers
from sass.registers import carried, registers
from schema.recording import load_cards
from schema.results import Code
from schema.strict_yaml import parse_yaml
from tests.conftest import ROOT

CLASSES = ("load", "store", "math", "barrier", "control", "integer", "move", "convert", "other")
UNEXPLAINED = {"NTZ"}  # suffixes that NVIDIA does not document


@pytest.fixture(scope="module")
def glossary() -> dict[str, Any]:
    path = ROOT / "content" / "glossary.yaml"
    return parse_yaml(path.read_text(), "content/glossary.yaml")[0]


def test_every_entry_is_whole(glossary: dict[str, Any]) -> None:
    for opcode, entry in glossary.items():
        assert set(entry) == {"name", "class", "does", "modifiers"}, opcode
        assert entry["class"] in CLASSES, opcode
        assert entry["does"].endswith("."), opcode
        assert all(isinstance(text, str) and text for text in entry["modifiers"].values()), opcode


def test_every_recorded_opcode_has_an_entry(glossary: dict[str, Any], whole_cards: Path) -> None:
    lacking: set[str] = set()
    for folder in (ROOT / "recordings", whole_cards):
        for card in load_cards(folder).values():
            for (_, experiment), recording in card.recordings.items():
                if experiment == "code":
                    codes = [rung.code for rung in recording.results.rungs.values()]
                    codes += recording.results.variants.values()
                    for code in codes:
                        if isinstance(code, Code):
                            lacking |= unexplained(parse_sass(code.sass), glossary)
    assert not lacking, f"content/glossary.yaml explains not: {sorted(lacking)}"


def unexplained(instructions: tuple[Instruction, ...], glossary: dict[str, Any]) -> set[str]:
    """Opcodes without an entry, and suffixes that their entry does not explain."""
    found = set()
    for i in instructions:
        known = glossary.get(family(i), {}).get("modifiers", {})
        if family(i) not in glossary:
            found.add(family(i))
        found |= {f"{family(i)}.{m}" for m in modifiers(i) if m not in known and m not in UNEXPLAINED}
    return found


READINGS = {
    "IMAD R13, R17, 0x50, R2": "`R13 = R17 * 80 + R2`",
    "IMAD.MOV.U32 R24, RZ, RZ, R20": "`R24 = R20`",
    "IMAD.WIDE R4, R7, 0x4, R4": "`R4:5 = R7 * 4 + R4:5`",
    "IMAD.HI.U32 R5, R5, R9, R4": "`R5 = upper 32 bits of (R5 * R9 + R4:5)`",
    "IMAD.X R5, RZ, RZ, R5, P2": "`R5 = R5 + carry P2`",
    "IADD3 R26, P3, R26, 0x40, RZ": "`R26 = R26 + 64`, with the carry in `P3`",
    "IADD3 R8, PT, PT, R11, -R8, R9": "`R8 = R11 - R8 + R9`",
    "VIADD R5, R5, 0xffffffff": "`R5 = R5 - 1`",
    "LEA.HI R0, R7, R0, RZ, 0x1e": "`R0 = (R7 >> 2) + R0`",
    "SHF.R.S32.HI R5, RZ, 0x1f, R4": "`R5 = R4 >> 31`, which is its sign in every bit",
    "SHF.L.U64.HI R2, R12, 0x2, R31": "`R2 = upper 32 bits of (R31, R12) << 2`",
    "LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT": "`R4 = R0 & 3`",
    "LOP3.LUT R18, R25, 0x70, R18, 0xf8, !PT": "`R18 = R25 | (112 & R18)`",
    "LOP3.LUT R3, RZ, R5, RZ, 0x33, !PT": "`R3 = ~R5`",
    "LOP3.LUT P1, RZ, R0, 0x3, RZ, 0xc0, !PT": "`P1 = (R0 & 3) != 0`",
    "PLOP3.LUT P0, PT, PT, PT, UP0, 0x80, 0x0": "`P0 = UP0`",
    "ISETP.GE.AND P0, PT, R26, UR7, PT": "`P0 = R26 >= UR7`",
    "ISETP.NE.OR P0, PT, R8, RZ, P0": "`P0 = R8 != 0 or P0`",
    "SEL R9, R8, RZ, !P0": "`R9 = !P0 ? R8 : 0`",
    "VIMNMX R9, R2, 0x400, !PT": "`R9 = max(R2, 1024)`",
    "CS2R R36, SRZ": "`R36 = R37 = 0`",
    "LDS.128 R16, [R11+0x80]": "16 bytes from shared address `R11 + 128` into `R16` to `R19`",
    "LDS.64 R2, [R37+-0x288]": "8 bytes from shared address `R37 - 648` into `R2` and `R3`",
    "LDGSTS.E.BYPASS.128 [R17], desc[UR8][R20.64+0x40]": (
        "16 bytes from global address `R20:21 + 64` to shared address `R17`"
    ),
    "HMMA.16816.F32 R8, R16.reuse, R22, R8": (
        "A is in `R16` to `R19`, B in `R22` and `R23`; the sums in `R8` to `R11` are added to and stay where they are"
    ),
    "DEPBAR.LE SB0, 0x1": "waits until at most 1 group of copies is still under way",
    "DEPBAR.LE SB0, 0x0": "waits until no group of this thread's copies is still under way",
    "FFMA R24, R15, R24, R14": "`R24 = R15 * R24 + R14`",
    "HADD2.F32 R9, -RZ, R6.H1_H1": "`R9 = the upper half of R6, as 32 bits`",
    "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R8": (
        "adds `R8` and the word at global address `R2:3`, and leaves it there"
    ),
}


@pytest.mark.parametrize("text", READINGS)
def test_operands_are_read_as_a_formula(text: str) -> None:
    assert reading(make_instruction(0, text)) == READINGS[text]


@pytest.mark.parametrize(
    "text", ["BRA", "IMAD R1", "LOP3.LUT", "FOO.BAR R1, R2", "STG.E [", "HMMA R0", "ISETP P0, R1", "SHF.R", "LDSM R1"]
)
def test_odd_operands_are_survived(text: str, glossary: dict[str, Any]) -> None:
    assert explain(make_instruction(0, text), glossary)


def test_an_explanation_tells_name_operands_argument_and_guard(glossary: dict[str, Any]) -> None:
    told = explain(make_instruction(0, "@!P4 LDC.64 R2, c[0x0][0x228]"), glossary, "sm_90a")
    assert told.startswith("Load from constant memory. ")
    assert "`c[0x0][0x228]` is a kernel argument, 24 bytes into the list of arguments." in told
    assert "Done only by threads in which `P4` is false." in told


def test_a_dummy_is_told_to_never_execute(glossary: dict[str, Any]) -> None:
    assert "never executes" in explain(make_instruction(0, "@!PT LDS RZ, [RZ]"), glossary)


def test_branches_back_close_a_loop() -> None:
    assert "closes a loop" in reading(make_instruction(0x100, "BRA 0x40"))
    assert "skipping" in reading(make_instruction(0x100, "BRA.U !UP0, 0x240"))


@pytest.mark.parametrize(
    ("text", "written", "read"),
    [
        ("HMMA.16816.F32 R8, R16, R22, R8", "R8 R9 R10 R11", "R8 R9 R10 R11 R16 R17 R18 R19 R22 R23"),
        ("LDG.E.128 R4, desc[UR6][R2.64]", "R4 R5 R6 R7", "R2 R3 UR6 UR7"),
        ("STS.128 [R13], R4", "", "R13 R4 R5 R6 R7"),
        ("IMAD.WIDE R4, R7, 0x4, R4", "R4 R5", "R4 R5 R7"),
        ("ISETP.GE.AND P0, PT, R26, UR7, PT", "", "R26 UR7"),
        ("IADD3 R26, P3, R26, 0x40, RZ", "R26", "R26"),
        ("CS2R R36, SRZ", "R36 R37", ""),
        ("@!PT LDS RZ, [RZ]", "", ""),
    ],
)
def test_registers_of_an_instruction(text: str, written: str, read: str) -> None:
    assert registers(make_instruction(0, text)) == (frozenset(written.split()), frozenset(read.split()))


def test_a_loop_carries_what_it_reads_before_it_writes() -> None:
    head = ["LDS R4, [R2]", "@P1 BRA 0x40", "IADD3 R6, R6, 0x1, RZ", "MOV R5, R4"]
    tail = ["FFMA R8, R4, R9, R8", "ISETP.GE.AND P0, PT, R6, R7, PT", "@P0 BRA 0x0"]
    loop = [make_instruction(16 * n, text) for n, text in enumerate([*head, *tail])]
    assert carried(loop) == {"R6", "R8"}  # not R4 (written first), R5 (never read), R2, R7, R9 (only read)
