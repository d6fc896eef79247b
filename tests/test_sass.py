"""Are SASS dumps of several architectures and assemblers read right, and lines, counts and loops found in them?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recorder.compile.cubin_sections import CubinError, read_ptx, read_sections
from recorder.compile.disassembly import SassError, disassemble, entry_ptx, parse_cuobjdump, parse_nvdisasm
from recorder.compile.nvrtc import compile_cubin
from recorder.compile.toolkit import run_program
from sass.listing import (
    ListingError,
    count_opcodes,
    format_sass,
    loop_instructions,
    loops,
    main_loop,
    make_instruction,
    math_weight,
    parse_sass,
    without_padding,
)

DATA = Path(__file__).parent / "data" / "sass"
SOURCE = (DATA / "tile.cu").read_text(encoding="utf-8")
DUMPS = sorted(path.name.removesuffix(".cuobjdump.txt") for path in DATA.glob("*.cuobjdump.txt"))
MARKED = sorted(path.name.removesuffix(".nvdisasm.txt") for path in DATA.glob("*.nvdisasm.txt"))
ARCHS = ("sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120")
LINES = SOURCE.splitlines()


def read(dump: str, tool: str) -> str:
    return (DATA / f"{dump}.{tool}.txt").read_text(encoding="utf-8")


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(LINES, start=1) if text in line)


def statement(text: str) -> range:
    """The lines of a statement: NVRTC 13.0 names an asm statement by its last line, 13.5 by its first."""
    first = line_of(text)
    return range(first, next(n for n in range(first, len(LINES) + 1) if LINES[n - 1].rstrip().endswith(";")) + 1)


def listing(*texts: str):
    return tuple(make_instruction(16 * at, text) for at, text in enumerate(texts))


# ---- dumps ---------------------------------------------------------------------------------------------------


def test_the_dumps_are_of_at_least_four_architectures_and_two_assemblers():
    assert len({dump.split(".")[0] for dump in DUMPS}) >= 4
    assert len({dump.split(".")[1] for dump in DUMPS}) >= 2


@pytest.mark.parametrize("dump", DUMPS)
def test_every_instruction_of_a_dump_is_read(dump: str):
    text = read(dump, "cuobjdump")
    found = parse_cuobjdump(text, "tile")
    assert [i.offset for i in found] == list(range(0, 16 * len(found), 16))
    assert len(found) == len(re.findall(r"^\s*/\*[0-9a-f]{4}\*/", text, re.MULTILINE))
    assert found[0].opcode in ("LDC", "IMAD.MOV.U32", "MOV")
    assert all("/*" not in i.text and not i.text.endswith(";") and "  " not in i.text for i in found)
    counts = count_opcodes(found)
    assert counts["HMMA.16816.F32"] == 1
    assert counts["LDGSTS.E.BYPASS.128"] == 1
    assert counts["BAR.SYNC.DEFER_BLOCKING"] == 2
    assert counts["LDS"] == 4  # the mma's A; ptxas adds three dummies before LDGSTS
    assert "NOP" not in counts
    assert sum("LDS RZ" in i.text for i in found) == 3


@pytest.mark.parametrize("dump", DUMPS)
def test_the_loop_of_a_dump_is_found(dump: str):
    found = parse_cuobjdump(read(dump, "cuobjdump"), "tile")
    assert len(loops(found)) == 1
    loop = main_loop(found)
    assert loop is not None
    assert loop.kind == "innermost"
    body = loop_instructions(found, loop)
    assert body[-1].opcode.startswith("BRA")
    assert body[-1].operands.endswith(f"0x{loop.start_offset:x}")
    assert {"HMMA.16816.F32", "LDGSTS.E.BYPASS.128"} <= {i.opcode for i in body}
    assert not any(i.opcode.startswith(("STG", "EXIT")) for i in body)


@pytest.mark.parametrize("dump", MARKED)
def test_both_tools_agree_and_lines_fit_the_source(dump: str):
    found = parse_cuobjdump(read(dump, "cuobjdump"), "tile")
    places = parse_nvdisasm(read(dump, "nvdisasm"), "tile")
    assert list(places) == [i.offset for i in found]

    def source_of(opcode: str) -> int | None:
        return next(places[i.offset].source_line for i in found if i.opcode == opcode)

    assert source_of("HMMA.16816.F32") in statement("mma.sync.aligned")
    assert source_of("LDGSTS.E.BYPASS.128") in statement("cp.async.cg")
    assert source_of("STG.E") == line_of("y[THREADS")
    assert all(1 <= (place.source_line or 1) <= len(LINES) for place in places.values())


def test_a_dump_without_the_function_is_an_error_that_names_those_there_are():
    with pytest.raises(SassError, match="no function 'other'; it shows tile"):
        parse_cuobjdump(read(DUMPS[0], "cuobjdump"), "other")


def test_output_without_sass_is_an_error():
    with pytest.raises(SassError, match="no SASS at all"):
        parse_cuobjdump("\nFatbin ptx code:\n================\narch = sm_90\n", "tile")


def test_a_function_without_instructions_is_an_error():
    head = "\n".join(read(DUMPS[0], "cuobjdump").splitlines()[:6])
    assert "Function : tile" in head
    with pytest.raises(SassError, match="no instruction"):
        parse_cuobjdump(head + "\n", "tile")


def test_a_fat_binary_that_repeats_the_function_is_an_error():
    with pytest.raises(SassError, match="2 times"):
        parse_cuobjdump(read(DUMPS[0], "cuobjdump") + read(DUMPS[-1], "cuobjdump"), "tile")


def test_a_function_ends_where_the_next_begins():
    text = read(DUMPS[0], "cuobjdump")
    both = text + text.replace("Function : tile", "Function : second")
    assert parse_cuobjdump(both, "tile") == parse_cuobjdump(text, "tile") == parse_cuobjdump(both, "second")


def test_inlined_code_counts_for_the_line_of_the_kernels_file():
    text = """
.text.tile:
	//## File "/r/kernels/a.cu", line 4
	//## File ".nv_debug_ptx_txt", line 20
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/usr/include/helpers.h", line 333 inlined at "/usr/include/groups.h", line 909
	//## File "/usr/include/groups.h", line 909 inlined at "/r/kernels/a.cu", line 11
        /*0010*/              @!P0 MOV R2, R3 ;
	//## File "/r/kernels/a.cu", line 2 inlined at "/r/kernels/a.cu", line 12
	//## File ".nv_debug_ptx_txt", line 21
        /*0020*/                   BRA `(.L_x_0) ;
$__internal_0_$slow:
        /*0030*/                   NOP;
	.section	.text.other,"ax",@progbits
.text.other:
        /*0000*/                   EXIT ;
"""
    places = parse_nvdisasm(text, "tile")
    assert [(p.source_line, p.ptx_line) for p in places.values()] == [(4, 20), (11, 20), (2, 21), (None, None)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HMMA.16816.F32", "HMMA.1688.F32", r"at offset \w+ of 'tile' cuobjdump shows 'HMMA.16816"),
        ("EXIT ;", "", "not at the same offsets"),
    ],
)
def test_tools_that_disagree_are_an_error(old: str, new: str, message: str):
    def run(name: str, *arguments: str) -> str:
        said = run_program(name, *arguments)
        return said.replace(old, new) if name == "nvdisasm" else said

    with pytest.raises(SassError, match=message):
        disassemble(compile_cubin(SOURCE, "kernels/example/tile.cu", "sm_90").cubin, "tile", run)


# ---- the recording's line format -----------------------------------------------------------------------------


def test_the_line_format_is_the_recordings():
    made = make_instruction(0xA30, "@!P0   BRA 0xa20 ;", 42, 17)
    assert (made.predicate, made.opcode, made.operands) == ("!P0", "BRA", "0xa20")
    assert format_sass([made]) == "0a30 L42 P17 @!P0 BRA 0xa20\n"
    assert format_sass([make_instruction(0x10, "EXIT")]) == "0010 L- P- EXIT\n"
    uniform = make_instruction(0, "@UP1 UIADD3 UR4, UR4, 0x1, URZ")
    assert (uniform.predicate, uniform.opcode) == ("UP1", "UIADD3")


@pytest.mark.parametrize("dump", DUMPS)
def test_a_listing_survives_the_round_trip(dump: str):
    found = parse_cuobjdump(read(dump, "cuobjdump"), "tile")
    assert parse_sass(format_sass(found)) == found


@pytest.mark.parametrize(
    "text", ["BRA 0x10", "0010 L0 P1 EXIT", "0010 L1 EXIT", "0010 L1 P1 ", "10 L1 P1 EXIT", "<b> L1 P1 EXIT"]
)
def test_a_line_of_another_form_is_an_error(text: str):
    with pytest.raises(ListingError, match="line 2"):
        parse_sass("0000 L1 P1 NOP\n" + text)


def test_offsets_must_rise():
    with pytest.raises(ListingError, match="line 2: offset 0010"):
        parse_sass("0010 L1 P1 NOP\n0010 L1 P1 NOP\n")


# ---- counts and loops ----------------------------------------------------------------------------------------


def test_dummies_and_padding_are_not_counted():
    found = listing(
        "NOP", "@!PT LDS RZ, [RZ]", "@!UPT UIADD3 URZ, URZ, URZ, URZ", "@P0 LDS R1, [R2]", "EXIT", "BRA 0x50", "NOP"
    )
    assert count_opcodes(found) == {"EXIT": 1, "LDS": 1, "NOP": 1}
    assert without_padding(found)[-1].opcode == "EXIT"


def test_nested_loops_and_the_rule_of_the_main_loop():
    found = listing(
        "MOV R1, R2",
        "FADD R1, R1, R2",  # 10: outer begins
        "LDG.E R1, [R2]",  # 20: copying loop
        "@P0 BRA 0x20",
        "HMMA.16816.F32 R4, R8, R18, R4",
        "BRA.U UP0, 0x10",  # 50
        "FFMA R1, R2, R3, R1",  # 60: a small loop after it
        "@!P1 BRA 0x60",
        "EXIT",
        "BRA 0x90",
    )
    found_loops = loops(found)
    assert [(i.start_offset, i.end_offset, i.kind) for i in found_loops] == [
        (0x10, 0x50, "outer"),
        (0x20, 0x30, "innermost"),
        (0x60, 0x70, "innermost"),
    ]
    assert main_loop(found) == found_loops[0]


def test_the_inner_loop_is_the_main_one_where_it_does_the_arithmetic():
    found = listing(
        "LDG.E R1, [R2]", "FFMA R1, R2, R3, R1", "FFMA R1, R2, R3, R1", "@P0 BRA 0x10", "@P1 BRA 0x0", "EXIT"
    )
    loop = main_loop(found)
    assert loop is not None
    assert (loop.start_offset, loop.end_offset) == (0x10, 0x30)


def test_without_arithmetic_the_main_loop_is_the_one_that_reads_most():
    found = listing("LDGSTS.E [R1], [R2.64]", "LDG.E R1, [R2]", "@P0 BRA 0x10", "@P1 BRA 0x0", "EXIT")
    loop = main_loop(found)
    assert loop is not None
    assert (loop.start_offset, loop.end_offset) == (0x0, 0x30)


def test_a_cold_part_behind_the_end_that_jumps_back_is_no_loop():
    found = listing("@P0 BRA 0x40", "FADD R1, R1, R2", "STG.E [R2], R1", "EXIT", "MUFU.RCP R1, R2", "BRA 0x10")
    assert loops(found) == []
    assert main_loop(found) is None


def test_a_barrier_register_used_twice_makes_no_loop():
    found = listing("BSSY B0, 0x30", "@P0 BRA 0x20", "BSYNC B0", "BSSY B0, 0x60", "@P1 BRA 0x50", "BSYNC B0", "EXIT")
    assert loops(found) == []


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("HMMA.16816.F32 R4, R8, R18, R4", 64),
        ("HMMA.1688.F32 R4, R8, R18, RZ", 32),
        ("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24", 512),
        ("FFMA R1, R2, R3, R1", 1),
        ("HFMA2 R1, R2, R3, R1", 2),
        ("HFMA2.MMA R8, -RZ, RZ, 0, 0", 0),  # a move
        ("HADD2.F32 R1, -RZ, R2.H0_H0", 0),  # a conversion
        ("IMAD R1, R2, R3, R1", 0),
    ],
)
def test_arithmetic_is_weighed_by_its_multiply_adds(text: str, weight: int):
    assert math_weight(make_instruction(0, text)) == weight


# ---- cubins and PTX ------------------------------------------------------------------------------------------


def test_only_the_kernels_ptx_is_kept_and_its_lines_are_numbered_anew():
    whole = [
        ".version 9.0",
        ".visible .entry other(",
        ")",
        "{",
        "}",
        ".visible .entry tile(",
        ")",
        "{",
        "",
        ".loc 1 2 3",
        "// end inline asm",
        "{ .reg .b32 t; }",
        "ret;",
        "}",
        ".section .debug",
    ]
    kept, number = entry_ptx(whole, "tile")
    assert kept == (".visible .entry tile(", ")", "{", "{ .reg .b32 t; }", "ret;", "}")
    assert number == {6: 1, 7: 2, 8: 3, 12: 4, 13: 5, 14: 6}


def test_bytes_that_are_no_cubin_are_an_error():
    with pytest.raises(CubinError, match="no cubin"):
        read_sections(b".version 8.0\n.target sm_90\n")
    whole = compile_cubin(SOURCE, "kernels/example/tile.cu", "sm_90").cubin
    with pytest.raises(CubinError, match="damaged"):
        read_sections(whole[: len(whole) // 2])
    with pytest.raises(SassError, match="no cubin"):
        disassemble(b"nothing", "tile")


@pytest.mark.parametrize("arch", ARCHS)
def test_a_kernel_compiled_here_is_disassembled_with_its_lines(arch: str):
    cubin = compile_cubin(SOURCE, "kernels/example/tile.cu", arch).cubin
    shown = disassemble(cubin, "tile")
    assert re.fullmatch(rf"ptxas \d+\.\d+\.\d+ -lineinfo -arch {arch}", shown.ptxas)
    real = without_padding(shown.instructions)
    assert all(i.source_line and i.ptx_line for i in real)
    assert all(i.source_line is None and i.ptx_line is None for i in shown.instructions[len(real) :])
    (mma,) = (i for i in real if i.opcode.startswith("HMMA"))
    assert mma.source_line in statement("mma.sync.aligned")
    assert shown.ptx_lines[(mma.ptx_line or 0) - 1].startswith("mma.sync.aligned.m16n8k16")
    copy = next(i for i in real if i.opcode.startswith("LDGSTS"))
    assert shown.ptx_lines[(copy.ptx_line or 0) - 1].startswith("cp.async.cg.shared.global")
    assert shown.ptx_lines[0].startswith(".visible .entry tile(")
    assert shown.ptx_lines[-1] == "}"
    assert all(line.strip() and "//" not in line and "/" not in line for line in shown.ptx_lines)
    loop = main_loop(real)
    assert loop is not None
    assert mma in loop_instructions(real, loop)
    assert parse_sass(format_sass(shown.instructions)) == shown.instructions
    assert len(read_ptx(read_sections(cubin))) > len(shown.ptx_lines)


def test_a_function_that_is_not_in_the_cubin_is_an_error():
    cubin = compile_cubin(SOURCE, "kernels/example/tile.cu", "sm_90").cubin
    with pytest.raises(SassError, match="no function 'linear'; it shows tile"):
        disassemble(cubin, "linear")


def test_a_note_behind_a_spill_is_no_part_of_the_instruction():
    """nvdisasm alone marks spills; an instruction must read the same in both tools."""
    text = (
        ".text.tile:\n"
        '        /*0010*/                   STL [R1+0xb0], R0 (*"SpillRefill"*) ;\n'
        "        /*0020*/                   EXIT ;\n"
    )
    places = parse_nvdisasm(text, "tile")
    assert [place.text for place in places.values()] == ["STL [R1+0xb0], R0", "EXIT"]
