"""What does this SASS instruction compute? Its operands read as a formula or a phrase, by the family of its opcode."""

from __future__ import annotations

from collections.abc import Callable

from sass import operands as op
from sass.control_flow import branch_target
from sass.listing import Instruction
from sass.opcodes import byte_width, family, mma_widths, modifiers

COMPARISONS = {"LT": "<", "LE": "<=", "GT": ">", "GE": ">=", "EQ": "==", "NE": "!="}
_SPECIAL = {
    "SR_TID.X": "the thread's number in its block, in x",
    "SR_TID.Y": "the thread's number in its block, in y",
    "SR_TID.Z": "the thread's number in its block, in z",
    "SR_CTAID.X": "the block's number in the grid, in x",
    "SR_CTAID.Y": "the block's number in the grid, in y",
    "SR_CTAID.Z": "the block's number in the grid, in z",
    "SR_LANEID": "the thread's number in its warp",
    "SR_CgaCtaId": "the block's number in its cluster, which tells where its shared memory begins",
    "SR_VIRTUALSMID": "the number of the SM",
    "SR_GLOBALTIMERLO": "the card's clock in nanoseconds",
    "SR_CLOCKLO": "the SM's cycle counter",
}


def reading(instruction: Instruction) -> str:
    """What this instruction does with its own operands: a phrase without a full stop, or ""."""
    parts = op.split(instruction.operands)
    reader = _READERS.get(family(instruction), _READERS.get(family(instruction).removeprefix("U")))
    try:
        return reader(instruction, parts) if reader else _plain(parts)
    except (IndexError, ValueError):  # operands of a form that no reader knows
        return _plain(parts)


def _plain(parts: list[str]) -> str:
    if not parts:
        return ""
    inputs = [f"`{op.shown(p)}`" for p in parts[1:] if p not in ("PT", "!PT", "UPT", "!UPT")]
    return f"result in `{op.shown(parts[0])}`" + (f", from {' and '.join(inputs)}" if inputs else "")


def _sources(parts: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Predicates that are written, operands, and predicates that are read, of ``parts`` after the result."""
    numbers = [i for i, part in enumerate(parts) if not op.is_predicate(part)]
    first, last = numbers[0], numbers[-1] + 1
    real = [[p for p in chosen if p not in ("PT", "!PT", "UPT", "!UPT")] for chosen in (parts[:first], parts[last:])]
    return real[0], parts[first:last], real[1]


def _pairs(i: Instruction) -> bool:
    return bool({"64", "WIDE"} & set(modifiers(i)))


def _assign(i: Instruction, result: str, value: str, carry_out: list[str], carry_in: list[str]) -> str:
    name = op.wide(result) if _pairs(i) else op.shown(result)
    text = f"`{name} = {value}" + (f" + carry {carry_in[0]}" if carry_in and "X" in modifiers(i) else "") + "`"
    return text + (f", with the carry in `{carry_out[0]}`" if carry_out else "")


def _add(i: Instruction, parts: list[str]) -> str:
    out, terms, into = _sources(parts[1:])
    show = op.wide if "64" in modifiers(i) else op.shown
    return _assign(i, parts[0], op.total(map(show, terms)), out, into)


def _multiply_add(i: Instruction, parts: list[str]) -> str:
    out, (a, b, c), into = _sources(parts[1:])
    times = op.product(a, b)
    if "HI" in modifiers(i):
        return f"`{op.shown(parts[0])} = upper 32 bits of ({op.total([times, op.wide(c)])})`"
    return _assign(i, parts[0], op.total([times, op.wide(c) if _pairs(i) else op.shown(c)]), out, into)


def _lea(i: Instruction, parts: list[str]) -> str:
    out, sources, into = _sources(parts[1:])
    a, b, *upper, shift = sources
    bits = int(shift, 0)
    high = "HI" in modifiers(i)
    if not high:
        scaled = op.product(a, str(1 << bits)) if bits < 16 else f"({op.shown(a)} << {bits})"
        return _assign(i, parts[0], op.total([scaled, op.shown(b)]), out, into)
    if upper and op.is_zero(upper[0]):
        return _assign(i, parts[0], op.total([f"({op.shown(a)} >> {32 - bits})", op.shown(b)]), out, into)
    value = f"({op.shown(upper[0])}, {op.shown(a)})" if upper else op.shown(a)
    return _assign(i, parts[0], op.total([f"upper 32 bits of ({value} << {bits})", op.shown(b)]), out, into)


def _shift(i: Instruction, parts: list[str]) -> str:
    result, low, amount, high = parts
    said = modifiers(i)
    left = "L" in said
    if op.is_zero(high) and (left or "HI" not in said):
        value = f"{op.shown(low)} {'<<' if left else '>>'} {op.shown(amount)}"
    elif op.is_zero(low) and not left:
        value = f"{op.shown(high)} >> {op.shown(amount)}"
    else:
        word = "upper" if "HI" in said else "lower"
        value = f"{word} 32 bits of ({op.shown(high)}, {op.shown(low)}) {'<<' if left else '>>'} {op.shown(amount)}"
    text = f"`{op.shown(result)} = {value}`"
    return text + (", which is its sign in every bit" if not left and op.number(amount) == 31 and "S32" in said else "")


def _lop3(i: Instruction, parts: list[str]) -> str:
    predicate = parts.pop(0) if op.is_predicate(parts[0]) else ""
    result, *inputs = parts[:4]
    zeros = [op.is_zero(name) for name in inputs]
    rows = [r for r in range(8) if not any(z and r >> (2 - n) & 1 for n, z in enumerate(zeros))]
    formula = op.logic(int(parts[4], 0), [op.shown(name) for name in inputs], rows)
    if not predicate:
        return f"`{op.shown(result)} = {formula}`"
    also = "" if op.is_zero(result) else f", and the bits go to `{op.shown(result)}`"
    return f"`{predicate} = ({formula}) != 0`{also}"


def _plop3(_: Instruction, parts: list[str]) -> str:
    (first, second), inputs, tables = parts[:2], parts[2:5], parts[5:]
    fixed = [(name.lstrip("U!") == "PT", 0 if name.startswith("!") else 1) for name in inputs]
    rows = [r for r in range(8) if all(not known or r >> (2 - n) & 1 == bit for n, (known, bit) in enumerate(fixed))]
    said = [
        f"`{name} = {op.logic(int(table, 0), inputs, rows).replace('~', '!')}`"
        for name, table in zip((first, second), tables, strict=False)
        if name not in ("PT", "UPT")
    ]
    return " and ".join(said)


def _compare(i: Instruction, parts: list[str]) -> str:
    first, second, a, b, *rest = parts
    said = modifiers(i)
    relation = next((text for name, text in COMPARISONS.items() if name in said or f"{name}U" in said), "?")
    show = op.wide if {"64", "U64", "S64"} & set(said) else op.shown
    test = f"{show(a)} {relation} {show(b)}"
    others = [p for p in rest[:1] if p not in ("PT", "UPT")]
    joined = next((word for word in ("AND", "OR", "XOR") if word in said), "AND").lower()
    text = f"`{first} = {test}" + "".join(f" {joined} {p}" for p in others) + "`"
    if "EX" in said and len(rest) > 1:
        text += f", where `{rest[1]}` is the answer for the lower 32 bits"
    return text + ("" if second in ("PT", "UPT") else f", and `{second}` gets the opposite")


def _choose(i: Instruction, parts: list[str]) -> str:
    result, a, b, predicate = parts
    return f"`{op.shown(result)} = {predicate} ? {op.shown(a)} : {op.shown(b)}`"


def _least(_: Instruction, parts: list[str]) -> str:
    numbers = [p for p in parts if not op.is_predicate(p)]
    word = {"PT": "min", "!PT": "max", "UPT": "min", "!UPT": "max"}.get(parts[-1], f"{parts[-1]} ? min : max")
    return f"`{op.shown(numbers[0])} = {word}({', '.join(map(op.shown, numbers[1:]))})`"


def _move(i: Instruction, parts: list[str]) -> str:
    result, source = parts[0], parts[-1] if op.number(parts[-1]) is None or len(parts) < 3 else parts[1]
    pair = "64" in modifiers(i) or (family(i) == "CS2R" and "32" not in modifiers(i))
    if pair and op.is_zero(source):
        return f"`{' = '.join(op.span(result, 2))} = 0`"
    text = f"`{op.wide(result) if pair else op.shown(result)} = {op.wide(source) if pair else op.shown(source)}`"
    return text + (f", {_SPECIAL[source]}" if source in _SPECIAL else "")


def _bytes(i: Instruction) -> str:
    return f"{byte_width(i)} bytes" if byte_width(i) > 1 else "1 byte"


def _load(space: str) -> Callable[[Instruction, list[str]], str]:
    def read(i: Instruction, parts: list[str]) -> str:
        into = op.registers(parts[0], max(1, byte_width(i) // 4))
        return f"{_bytes(i)} from {space} `{op.address(parts[1])}` into {into}"

    return read


def _store(space: str) -> Callable[[Instruction, list[str]], str]:
    def read(i: Instruction, parts: list[str]) -> str:
        return (
            f"{_bytes(i)} of {op.registers(parts[1], max(1, byte_width(i) // 4))} to {space} `{op.address(parts[0])}`"
        )

    return read


def _copy(i: Instruction, parts: list[str]) -> str:
    text = f"{_bytes(i)} from global address `{op.address(parts[1])}` to shared address `{op.address(parts[0])}`"
    guard = next((p for p in parts[2:] if op.is_predicate(p)), "")
    if guard:
        state = "true" if guard.startswith("!") else "false"
        text += f", or zeros where `{guard.lstrip('!')}` is {state}"
    return text


def _from_constants(i: Instruction, parts: list[str]) -> str:
    return f"{_bytes(i)} of `{parts[1]}` into {op.registers(parts[0], max(1, byte_width(i) // 4))}"


def _reduce(i: Instruction, parts: list[str]) -> str:
    verbs = {"ADD": "adds", "MAX": "takes the larger of", "MIN": "takes the smaller of"}
    verb = next((word for name, word in verbs.items() if name in modifiers(i)), "combines")
    return (
        f"{verb} `{op.shown(parts[-1])}` and the word at global address `{op.address(parts[-2])}`, and leaves it there"
    )


def _matrix_load(i: Instruction, parts: list[str]) -> str:
    count = int(modifiers(i)[-1]) if modifiers(i)[-1].isdigit() else 1
    row = f"each thread gives the address of one row of a tile, `{op.address(parts[1])}`"
    return f"into {op.registers(parts[0], count)}; {row}"


def _mma(i: Instruction, parts: list[str]) -> str:
    d, a, b, c = parts[:4]
    wide_a, wide_b, wide_c = mma_widths(i)
    text = f"A is in {op.registers(a, wide_a)}, B in {op.registers(b, wide_b)}"
    if d == c:
        return f"{text}; the sums in {op.registers(d, wide_c)} are added to and stay where they are"
    return f"{text}, C in {op.registers(c, wide_c)}; the result goes to {op.registers(d, wide_c)}"


def _float(i: Instruction, parts: list[str]) -> str:
    result, *inputs = parts
    name = family(i)
    if name == "HADD2" and "F32" in modifiers(i) and op.is_zero(inputs[0]):
        register, _, half = inputs[1].partition(".")
        return f"`{result} = the {'upper' if half.startswith('H1') else 'lower'} half of {register}, as 32 bits`"
    if name == "HFMA2" and op.is_zero(inputs[0]) and op.is_zero(inputs[1]):
        return f"puts the two halves {' and '.join(reversed(inputs[2:4]))}, upper first, into `{op.shown(result)}`"
    if name.endswith(("FMA", "FMA2")):
        return f"`{op.shown(result)} = {op.total([op.product(*inputs[:2]), op.shown(inputs[2])])}`"
    joined = op.product(*inputs[:2]) if "MUL" in name else op.total(map(op.shown, inputs[:2]))
    return f"`{op.shown(result)} = {joined}`"


def _branch(i: Instruction, parts: list[str]) -> str:
    target = branch_target(i)
    guard = next((p for p in parts if op.is_predicate(p)), "")
    condition = f" if `{guard.lstrip('!')}` is {'false' if guard.startswith('!') else 'true'}" if guard else ""
    if target is None:
        return _plain(parts)
    if target <= i.offset:
        return f"back to `{target:04x}`{condition}, which closes a loop"
    return f"on to `{target:04x}`{condition}, skipping what lies between"


def _wait(_: Instruction, parts: list[str]) -> str:
    left = op.number(parts[-1]) or 0
    groups = (
        "no group of this thread's copies is" if left == 0 else f"at most {left} group{'s' * (left > 1)} of copies is"
    )
    return f"waits until {groups.replace('groups of copies is', 'groups of copies are')} still under way"


def _special(name: str) -> Callable[[Instruction, list[str]], str]:
    return lambda _, parts: name.format(*parts)


_READERS: dict[str, Callable[[Instruction, list[str]], str]] = {
    **dict.fromkeys(("IADD3", "IADD", "VIADD"), _add),
    "IMAD": _multiply_add, "LEA": _lea, "SHF": _shift, "LOP3": _lop3, "PLOP3": _plop3,
    **dict.fromkeys(("ISETP", "FSETP"), _compare),
    **dict.fromkeys(("SEL", "FSEL"), _choose),
    **dict.fromkeys(("IMNMX", "VIMNMX", "FMNMX"), _least),
    **dict.fromkeys(("MOV", "S2R", "S2UR", "CS2R", "R2UR"), _move),
    "LDG": _load("global address"), "LDS": _load("shared address"), "LDL": _load("local address"),
    "STG": _store("global address"), "STS": _store("shared address"), "STL": _store("local address"),
    "LD": _load("address"), "ST": _store("address"),
    **dict.fromkeys(("LDC", "ULDC", "LDCU"), _from_constants),
    "LDGSTS": _copy, "RED": _reduce, "REDG": _reduce, "ATOMG": _reduce, "LDSM": _matrix_load, "HMMA": _mma,
    **dict.fromkeys(("FFMA", "FADD", "FMUL", "HADD2", "HMUL2", "HFMA2", "DFMA"), _float),
    "BRA": _branch, "DEPBAR": _wait, "LDGDEPBAR": lambda i, parts: "",
    "BAR": lambda i, parts: f"barrier {op.shown(parts[0])} of the block" if parts else "",
    "BSSY": lambda i, parts: f"the list is kept in `{parts[0]}`, the meeting place is `{int(parts[1], 0):04x}`",
    "BSYNC": _special("waits for the threads on the list `{0}`"),
    "CALL": _special("the subroutine at `{0}`"), "RET": _special("to the address in `{0}`"),
}  # fmt: skip
