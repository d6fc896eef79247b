"""What does invented compiled code look like? SASS and PTX listings for fixture cards, in the recorder's own format."""

from __future__ import annotations

from schema.results import Code

SMEM_LIMIT = 233_472  # bytes of shared memory an SM of the fixture card has
THREAD_LIMIT = 2048

# One entry an instruction: source line, PTX line (0: unknown), text. `{loop}` becomes the offset of the loop's head.
Instruction = tuple[int, int, str]

PROLOGUE: list[Instruction] = [
    (0, 0, "LDC R1, c[0x0][0x28]"),
    (30, 8, "S2R R0, SR_TID.X"),
    (31, 9, "S2UR UR4, SR_CTAID.X"),
    (31, 9, "ULDC.64 UR6, c[0x0][0x208]"),
    (32, 10, "IMAD R3, R0, 0x4, RZ"),
    (33, 11, "MOV R5, RZ"),
    (34, 12, "CS2R R24, SRZ"),
]
EPILOGUE_STORE: list[Instruction] = [
    (70, 40, "IMAD.WIDE R2, R0, 0x4, R2"),
    (71, 41, "STG.E desc[UR6][R2.64], R24"),
    (71, 41, "STG.E desc[UR6][R2.64+0x4], R25"),
    (72, 42, "EXIT"),
]
EPILOGUE_ATOMIC: list[Instruction] = [
    (70, 40, "IMAD.WIDE R2, R0, 0x4, R2"),
    (71, 41, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R2.64], R24"),
    (71, 41, "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R2.64+0x4], R25"),
    (72, 42, "EXIT"),
]
NAIVE_LOOP: list[Instruction] = [
    (44, 20, "LDG.E.CONSTANT R8, desc[UR6][R2.64]"),
    (44, 21, "LDG.E.CONSTANT R9, desc[UR6][R4.64]"),
    (43, 22, "IADD3 R5, R5, 0x1, RZ"),
    (43, 23, "ISETP.NE.AND P0, PT, R5, 0x1000, PT"),
    (45, 24, "FFMA R24, R8, R9, R24"),
    (43, 25, "@P0 BRA {loop}"),
]
SHARED_LOOP: list[Instruction] = [
    (42, 18, "LDG.E.CONSTANT R8, desc[UR6][R2.64]"),
    (42, 19, "STS [R3], R8"),
    (46, 20, "BAR.SYNC.DEFER_BLOCKING 0x0"),
    (50, 21, "LDS R10, [R3]"),
    (50, 22, "LDS R11, [R4+0x80]"),
    (50, 23, "FFMA R24, R10, R11, R24"),
    (50, 22, "LDS R12, [R4+0x84]"),
    (50, 23, "FFMA R24, R10, R12, R24"),
    (55, 24, "BAR.SYNC.DEFER_BLOCKING 0x0"),
    (40, 25, "IADD3 R5, R5, 0x20, RZ"),
    (40, 26, "ISETP.GE.AND P0, PT, R5, 0x1000, PT"),
    (40, 27, "@!P0 BRA {loop}"),
]
MMA_LOOP: list[Instruction] = [
    (42, 18, "LDG.E.128.CONSTANT R8, desc[UR6][R2.64]"),
    (42, 19, "STS.128 [R3], R8"),
    (46, 20, "BAR.SYNC.DEFER_BLOCKING 0x0"),
    (50, 21, "LDSM.16.M88.4 R12, [R6]"),
    (51, 22, "LDSM.16.M88.2 R16, [R7]"),
    (53, 23, "HMMA.16816.F32 R24, R12, R16, R24"),
    (53, 23, "HMMA.16816.F32 R28, R12, R18, R28"),
    (55, 24, "BAR.SYNC.DEFER_BLOCKING 0x0"),
    (40, 25, "IADD3 R5, R5, 0x40, RZ"),
    (40, 26, "ISETP.GE.AND P0, PT, R5, 0x1000, PT"),
    (40, 27, "@!P0 BRA {loop}"),
]
ASYNC_LOOP: list[Instruction] = [
    (42, 18, "ISETP.GE.AND P1, PT, R5, R20, PT"),
    (44, 19, "@!P1 LDGSTS.E.BYPASS.128 [R3], desc[UR6][R2.64]"),
    (44, 19, "@!P1 LDGSTS.E.BYPASS.128 [R3+0x1000], desc[UR6][R2.64+0x80]"),
    (45, 20, "LDGDEPBAR"),
    (46, 21, "DEPBAR.LE SB0, 0x1"),
    (47, 22, "BAR.SYNC.DEFER_BLOCKING 0x0"),
    (50, 23, "LDSM.16.M88.4 R12, [R6]"),
    (51, 24, "LDSM.16.M88.4 R16, [R7]"),
    (53, 25, "HMMA.16816.F32 R24, R12, R16, R24"),
    (53, 25, "HMMA.16816.F32 R28, R12, R18, R28"),
    (50, 23, "LDSM.16.M88.4 R12, [R6+0x20]"),
    (53, 25, "HMMA.16816.F32 R24, R12, R16, R24"),
    (53, 25, "HMMA.16816.F32 R28, R12, R18, R28"),
    (55, 26, "BAR.SYNC.DEFER_BLOCKING 0x0"),
    (40, 27, "VIADD R5, R5, 0x40"),
    (40, 28, "ISETP.GE.AND P0, PT, R5, UR5, PT"),
    (40, 29, "@!P0 BRA {loop}"),
]

PTX = """\
.version 9.0
.target sm_90a
.address_size 64
.visible .entry linear(.param .u64 x, .param .u64 w, .param .u64 y)
{
.reg .pred %p<4>; .reg .f32 %f<64>;
.reg .b32 %r<64>; .reg .b64 %rd<32>;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
shl.b32 %r3, %r1, 2;
mov.b32 %r5, 0;
mov.f32 %f1, 0f00000000;
""" + "".join(f"// line {n}\n" for n in range(13, 18)) + "".join(
    f"{text}\n"
    for text in (
        "setp.ge.s32 %p1, %r5, %r20;",
        "cp.async.cg.shared.global [%r3], [%rd1], 16;",
        "cp.async.commit_group;",
        "cp.async.wait_group 1;",
        "bar.sync 0;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r12, %r13, %r14, %r15}, [%r6];",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r16, %r17, %r18, %r19}, [%r7];",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1}, {%r12}, {%r16}, {%f1};",
        "bar.sync 0;",
        "add.s32 %r5, %r5, 64;",
        "setp.ge.s32 %p0, %r5, %r21;",
        "@!%p0 bra LOOP;",
    )
) + "".join(f"// line {n}\n" for n in range(30, 40)) + """\
mul.wide.s32 %rd4, %r1, 4;
st.global.f32 [%rd4], %f1;
ret;
}
"""  # fmt: skip


def sass(loop: list[Instruction], atomic: bool = False) -> str:
    """The listing of prologue, ``loop`` and epilogue, offsets in steps of 16 bytes."""
    start = len(PROLOGUE) * 16
    lines: list[str] = []
    for source, ptx, text in [*PROLOGUE, *loop, *(EPILOGUE_ATOMIC if atomic else EPILOGUE_STORE)]:
        where = f"L{source} P{ptx}" if source else "L- P-"
        lines.append(f"{len(lines) * 16:04x} {where} {text.format(loop=f'0x{start:x}')}\n")
    return "".join(lines)


def without(loop: list[Instruction], *opcodes: str) -> list[Instruction]:
    """``loop`` as a probe would leave it: without the instructions that have one of ``opcodes``."""
    return [line for line in loop if not any(opcode in line[2] for opcode in opcodes)]


def code(
    file: str,
    loop: list[Instruction],
    constants: dict[str, int],
    blocks: int,
    threads: int,
    smem_bytes: int,
    registers: int,
    atomic: bool = False,
) -> Code:
    """A compiled kernel whose occupancy follows from shared memory, threads and registers."""
    fits = min(
        SMEM_LIMIT // (smem_bytes + 1024),
        THREAD_LIMIT // threads,
        65_536 // (registers * threads),
    )
    return Code(
        file=file,
        entry="linear",
        target="sm_90a",
        sha256="0" * 60 + f"{blocks:04x}",
        constants=constants,
        grid=[blocks, 1, 1],
        block=[threads, 1, 1],
        cluster=[1, 1, 1],
        programmatic=False,
        dynamic_smem_bytes=smem_bytes if smem_bytes > 48 * 1024 else 0,
        static_smem_bytes=0 if smem_bytes > 48 * 1024 else smem_bytes,
        registers=registers,
        local_bytes=0,
        blocks_per_sm=fits,
        zero_output=atomic,
        ptxas="13.10",
        sass=sass(loop, atomic),
        ptx=PTX,
    )
