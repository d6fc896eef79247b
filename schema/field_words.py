"""What does each field of a declaration mean? One sentence a field, as the documentation shows it."""

from __future__ import annotations

from schema.ladder import Comparison, Ladder, LibraryCall, Sweep
from schema.launch import Launch
from schema.operands import Operand, Region, Scalar, TensorMap
from schema.rungs import Choice, Phase, Pipeline, Rung, Variant

_TYPE = "Its type, a name of `schema/dtypes.py`, such as `fp16`"
WORDS: dict[type, tuple[str, dict[str, str]]] = {  # class: (what it is, field: what it means)
    Ladder: ("One problem, and the kernels that solve it.", {
        "slug": "The name of its folder under `kernels/`.",
        "title": "How pages call it.",
        "entry": "The name of the kernel in every file.",
        "problem": "The sizes that are recorded, by name; kernels take them as `int`.",
        "operands": "The arrays on the card, in the order that kernels take them.",
        "reference": "The right answer in double precision, from the operands that are read, as they are before the "
        "launch, and the scalars; an array, or arrays by name where several operands are written.",
        "scale": "What the error of each cell is divided by, in the same form; at least as large as the answer.",
        "tolerance": "The largest relative error of sums in the type that they are held in; the rounding to the type "
        "of the operand is added.",
        "tolerance_reason": "Why it is that large; pages show it.",
        "flops": "The operations of the problem.",
        "rungs": "The kernels, from the first to the last.",
        "scalars": "Numbers that kernels take by value, behind the operands.",
        "arguments": "The names of operands, scalars and sizes in the order that kernels take them, where it is not "
        "operands, scalars, sizes.",
        "regions": "The names that regions of its kernels may have; any where it names none.",
        "references": "Library calls to compare with.",
        "check_problems": "Further sizes to check, where a rung accepts them.",
        "probes": "Rungs with a variant `loads_only` and one `math_only`, which are timed apart.",
        "placements": "Rungs with a variant `placement`, which notes where and when each block ran.",
        "sweep": "The settings of one rung that are all timed.",
        "comparisons": "Kernels that differ in one change each.",
        "shapes": "Other sizes, at which `shape_entries` are timed.",
        "shape_entries": "The rungs and library calls that are timed at other sizes.",
        "folder": "Where its files are: `Path(__file__).resolve().parent`.",
    }),
    Operand: ("An array on the card.", {
        "name": "The name of the kernel's argument.",
        "shape": "Its shape in C order, the last index the fastest.",
        "role": "`in` is read, `out` is written, `inout` is both.",
        "dtype": f"{_TYPE}; empty for that of the rung.",
        "cold": "Whether cold runs find it outside L2.",
        "title": "How pages call it; empty for its name.",
    }),
    Scalar: ("A number that a kernel takes by value.", {
        "name": "The name of the kernel's argument.",
        "dtype": "Its type: `fp64`, `fp32`, `fp16`, `int32` or `int64`.",
        "value": "Its value for a problem.",
    }),
    Rung: ("One kernel file.", {
        "slug": "Its name in recordings, chapters and on pages.",
        "file": "Its file beside `ladder.py`.",
        "dtype": f"{_TYPE}; operands that have none of their own have this one.",
        "launch": "Its grid, block and shared memory.",
        "accepts": "Whether it is right for a problem; a rung with whole tiles declines others.",
        "zero_output": "Whether what it writes is zero before each launch; the zeroing is timed with it.",
        "variants": "Cut-down or instrumented forms of it, in files beside it.",
        "must_have": "SASS opcodes, without what stands behind the first dot, that its idea needs in its code.",
        "dtypes": "The types of operands that differ from `dtype`, by operand.",
        "unit": "The unit that it multiplies on, a name of `schema/units.py`, such as `tensor_fp16`; empty for none.",
        "owns": "The part of an operand that a block is responsible for.",
        "needs": "The least architecture that it runs on, such as `sm_90`; with a suffix the one that it is compiled "
        "for, such as `sm_90a`.",
        "spills": "Architectures on which its registers may spill.",
        "arguments": "What it takes, in order, where it differs from the ladder.",
        "tensor_maps": "Descriptors for the Tensor Memory Accelerator that it takes, named in `arguments`.",
        "pipeline": "Its loop over slices, for the figures that step through it.",
        "choices": "Constants that a reader may turn; their launches are recorded and not run.",
        "must_not_have": "SASS opcodes that its code does not hold.",
        "new_start": "Whether it begins anew: its step from the rung before is no lesson in one change.",
    }),
    Variant: (
        "A form of a rung, in a file beside it: `NN_rung.VARIANT.cu`. `gone`, `kept`, `gained` and `nowhere` name SASS "
        "opcodes, without what stands behind the first dot. The main loop is the one that by itself, without the loops "
        "inside it, holds the most of the first opcode of `kept`; where that is empty, the one that multiplies the "
        "most.", {
        "slug": "Its name, behind that of the rung and a dot.",
        "changes": "The regions in which it may differ from the rung.",
        "adds": "The regions that only it has.",
        "gone": "What is not in its main loop.",
        "kept": "What is in its main loop as often as in that of the rung, pass for pass: the compiler may put several "
        "passes into one.",
        "arguments": "What it takes behind the arguments of the rung.",
        "gained": "What is in its main loop and not in that of the rung.",
        "nowhere": "What is not in its code at all.",
    }),
    Launch: ("How a kernel is launched.", {
        "grid": "The blocks of the grid in x, y and z.",
        "block": "The threads of a block in x, y and z.",
        "dynamic_smem_bytes": "Dynamic shared memory of a block, in bytes.",
        "cluster": "The blocks of a cluster in x, y and z.",
        "programmatic": "Whether it may begin before the launch before it has ended; the kernel then waits by "
        "`griddepcontrol`.",
    }),
    Region: ("A part of an operand, as `owns` and `slice_of` give it.", {
        "operand": "The name of the operand.",
        "spans": "The first and one past the last index of each dimension; the dimensions that are left out are whole.",
    }),
    Pipeline: ("The loop of a block over slices.", {
        "passes": "How many slices there are.",
        "phases": "What every pass does, in the order of the code.",
        "buffers": "The places for a slice in shared memory; none where slices go to registers.",
        "ahead": "How many slices are asked for before their pass.",
        "slice_of": "The regions that one slice holds.",
    }),
    Phase: ("One thing that every pass of a loop does.", {
        "kind": "`request`, `load`, `wait`, `barrier`, `multiply` or `release`.",
        "families": "The SASS opcodes that do it, where they are not the usual ones.",
        "words": "What it does, as a sentence, where the usual one does not say it.",
    }),
    Choice: ("A constant that a reader may turn in a what-if.", {
        "constant": "Its name in the region `constants`.",
        "title": "How pages call it.",
        "values": "The values that it may have.",
    }),
    TensorMap: ("A descriptor that is made on the host and taken as `const __grid_constant__ CUtensorMap`.", {
        "name": "The name of the kernel's argument.",
        "operand": "The operand that it describes.",
        "box": "The shape, in C order, of the tile that one copy brings.",
        "swizzle": "How the tile lies in shared memory: `0`, `32`, `64` or `128`, in bytes.",
    }),
    LibraryCall: ("A call of a library that solves the same problem.", {
        "slug": "Its name in recordings and chapters.",
        "title": "How pages call it.",
        "call": "The function of `libraries.py` that makes it.",
        "dtype": f"{_TYPE}; operands that have none of their own have this one.",
        "dtypes": "The types of operands that differ from `dtype`, by operand.",
        "accumulates": "The type in which it adds up.",
    }),
    Sweep: ("Settings of one rung that are all timed.", {
        "rung": "The rung.",
        "axes": "The values of each constant; every combination is a setting.",
        "derived": "Constants that follow from those.",
        "refuse": "Why a combination is not legal; empty where it is.",
    }),
    Comparison: ("Kernels that differ in one change each.", {
        "slug": "Its name in recordings and chapters.",
        "entries": "For each its name, its title, the rung or `rung.variant`, the constants to rewrite, and what it "
        "shows.",
    }),
}  # fmt: skip
