"""How does ``ladder.py`` become a ladder? It is run, and what it declares is tried: a slip has its line."""

from __future__ import annotations

import ast
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np

from schema.dtypes import DtypeMissing
from schema.kernel_file import read_source
from schema.kernel_text import SourceError
from schema.ladder import KERNELS, LIBRARIES, Ladder, LadderError
from schema.launch import Launch
from schema.owned import owned_by
from schema.rungs import Rung

MAX_TRIED = 2_000_000  # numbers in all operands of a problem that is tried when a ladder is loaded
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")


def load_ladders(kernels: Path = KERNELS) -> dict[str, Ladder]:
    """Every ladder under ``kernels/``, by slug."""
    return {p.parent.name: load_ladder(p.parent) for p in sorted(kernels.glob("*/ladder.py"))}


def load_ladder(folder: Path) -> Ladder:
    """The ``LADDER`` of ``folder/ladder.py``; LadderError or SourceError where it declares none, or a wrong one."""
    path, shown = folder / "ladder.py", f"kernels/{folder.name}/ladder.py"
    text = read_source(path, shown)
    ladder = run_declaration(path, text, shown).__dict__.get("LADDER")
    if not isinstance(ladder, Ladder):
        raise LadderError(f"{shown}:1: declares no LADDER = Ladder(...)")
    if ladder.slug != folder.name:
        raise LadderError(
            f"{shown}:1: the ladder is called {ladder.slug!r} but its folder {folder.name!r}; make them equal"
        )
    try:
        for fault in _faults(ladder):
            raise fault
    except SourceError:
        raise
    except Exception as error:  # its functions may be wrong like any other
        raise _placed(error, path, text, shown) from error
    return ladder


def run_declaration(path: Path, text: str, shown: str) -> ModuleType:
    """The module that a file beside the kernels makes; LadderError with its line where it does not run."""
    module = ModuleType(f"kernels.{path.parent.name}.{path.stem}")
    module.__file__ = str(path)
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except SourceError:
        raise
    except Exception as error:  # it is a program, and may be wrong like any other
        raise _placed(error, path, text, shown) from error
    return module


def _placed(error: Exception, path: Path, text: str, shown: str) -> LadderError:
    """The error with file and line: the line of the wrong word, or where it was raised."""
    line = _line_of(error, str(path))
    if not isinstance(error, LadderError):
        return LadderError(f"{shown}:{line or 1}: {type(error).__name__}: {error}")
    rows = list(enumerate(text.splitlines(), start=1))
    first, last = _span_of(text, error.within) if error.within else (line or 1, len(rows))
    quoted, keyword = (f'"{error.word}"', f"'{error.word}'"), re.compile(rf"\b{re.escape(error.word)}=")
    inside = [n for n, row in rows[first - 1 : last] if any(q in row for q in quoted) or keyword.search(row)]
    anywhere = [n for n, row in rows if any(q in row for q in quoted)]
    return LadderError(f"{shown}:{(inside or anywhere or [first])[0] if error.word else first}: {error}")


def _span_of(text: str, within: str) -> tuple[int, int]:
    """First and last line of the call or keyword that ``within`` names; a helper may stand for the call. 1, 1: none."""
    kind, _, name = within.rpartition(" ")
    calls, others = [], []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and not kind and node.arg == name:
            return node.lineno, node.end_lineno or node.lineno
        if kind and isinstance(node, ast.Call):
            names = [*node.args[:1], *(k.value for k in node.keywords if k.arg in ("slug", "name"))]
            if any(isinstance(value, ast.Constant) and value.value == name for value in names):
                own = isinstance(node.func, ast.Name) and node.func.id == kind
                (calls if own else others).append((node.lineno, node.end_lineno or node.lineno))
    return (calls or others or [(1, 1)])[0]


def _line_of(error: Exception, file: str) -> int | None:
    """The line of ``file`` where an error was raised, or where the file stopped making sense."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


# ---- what a declaration must be ------------------------------------------------------------------------------------


def _faults(ladder: Ladder) -> Iterator[LadderError]:
    """The first fault is raised; functions are called for the ladder's own problem."""
    yield from _name_faults(ladder)
    for operand in ladder.operands:
        shape, name = operand.shape(ladder.problem), operand.name
        if not (isinstance(shape, tuple) and shape and all(isinstance(n, int) and n >= 1 for n in shape)):
            what = f"operand {name} has the shape {shape!r}; it is a tuple of sizes"
            yield LadderError(what, name, f"Operand {name}")
    if not ladder.tolerance(ladder.problem) >= 0:
        yield LadderError("the tolerance is no number of at least 0", "tolerance")
    if not ladder.flops(ladder.problem) >= 1:
        yield LadderError("flops gives no operations", "flops")
    for scalar in ladder.scalars:
        float(scalar.value(ladder.problem))
    for rung in ladder.rungs:
        yield from _within(f"Rung {rung.slug}", _rung_faults(ladder, rung))
    _try_answers(ladder)
    if ladder.references and not (ladder.folder / LIBRARIES).is_file():
        yield LadderError(f"references call a library; their functions stand in {LIBRARIES} beside it", "references")


def _within(name: str, faults: Iterator[LadderError]) -> Iterator[LadderError]:
    """The same faults, those that are raised too, with the name of what they are about."""
    try:
        for fault in faults:
            raise fault
    except LadderError as error:
        error.within = name
        yield error


def _try_answers(ladder: Ladder) -> None:
    """Reference and scale at the smallest of the ladder's problems; not where even that takes long."""
    problems = (ladder.problem, *ladder.check_problems)
    numbers = [sum(int(np.prod(operand.shape(p))) for operand in ladder.operands) for p in problems]
    if min(numbers) > MAX_TRIED:
        return
    problem = problems[numbers.index(min(numbers))]
    try:
        values = ladder.make_inputs(problem, ladder.types(ladder.rungs[0]), seed=0)
    except DtypeMissing:
        return
    for what in ("reference", "scale"):
        ladder.answers(values, problem, what)


def _name_faults(ladder: Ladder) -> Iterator[LadderError]:
    """Names that are no names, that occur twice, or that name nothing."""
    if not ladder.rungs:
        yield LadderError("it has no rungs", "rungs")
    if not ladder.outputs:
        yield LadderError('no operand is written; declare one with role="out" or "inout"', "operands")
    argument = "name of an operand, a scalar or a size"
    named = [
        *((argument, "operands", operand.name) for operand in ladder.operands),
        *((argument, "scalars", scalar.name) for scalar in ladder.scalars),
        *((argument, "problem", size) for size in ladder.problem),
        *(("rung", "rungs", rung.slug) for rung in ladder.rungs),
        *(("library call", "references", call.slug) for call in ladder.references),
        *(("comparison", "comparisons", comparison.slug) for comparison in ladder.comparisons),
    ]
    seen: set[tuple[str, str]] = set()
    for what, keyword, name in named:
        if not _NAME.fullmatch(name):
            yield LadderError(f"{name!r} is no {what}: letters, digits and _ after a letter", name, keyword)
        if (what, name) in seen:
            yield LadderError(f"the {what} {name!r} occurs twice", name, keyword)
        seen.add((what, name))
    entries = [rung.slug for rung in ladder.rungs] + [call.slug for call in ladder.references]
    for slug in ladder.shape_entries:
        if slug not in entries:
            yield LadderError(f"shape_entries names {slug!r}; there are {', '.join(entries)}", slug, "shape_entries")
    for keyword in ("check_problems", "shapes"):
        for problem in getattr(ladder, keyword):
            if set(problem) != set(ladder.problem):
                wanted = ", ".join(ladder.problem)
                yield LadderError(f"{keyword} has the sizes {dict(problem)}; the problem's are {wanted}", keyword)
    for keyword, name in _launched(ladder):
        slug, _, wanted = name.partition(".")
        if slug not in entries[: len(ladder.rungs)]:
            has = ", ".join(rung.slug for rung in ladder.rungs)
            yield LadderError(f"{keyword} names the rung {slug!r}; there are {has}", slug, keyword)
        elif wanted and wanted not in (variants := ladder.rung(slug).variant_slugs):
            has = ", ".join(variants) or "none"
            word = slug if keyword in ("probes", "placements") else name
            yield LadderError(f"{keyword} needs a variant {wanted!r} of {slug}; it declares {has}", word, keyword)


def _launched(ladder: Ladder) -> Iterator[tuple[str, str]]:
    """(keyword, rung or rung.variant) of all that the ladder's experiments launch."""
    yield from (("probes", f"{slug}.{variant}") for slug in ladder.probes for variant in ("loads_only", "math_only"))
    yield from (("placements", f"{slug}.placement") for slug in ladder.placements)
    yield from (("comparisons", entry[2]) for comparison in ladder.comparisons for entry in comparison.entries)
    if ladder.sweep:
        yield "sweep", ladder.sweep.rung


def _rung_faults(ladder: Ladder, rung: Rung) -> Iterator[LadderError]:
    taken = ladder.taken(rung)
    there = {*ladder.taken(), *(o.name for o in ladder.operands), *(s.name for s in ladder.scalars), *ladder.problem}
    there |= {one.name for one in rung.tensor_maps}
    for name in taken:
        if name not in there:
            yield LadderError(f"{rung.slug} takes {name!r}; there are {', '.join(sorted(there))}", name)
    for one in rung.tensor_maps:
        ladder.operand(one.operand)
    for name in rung.dtypes:
        ladder.operand(name)
    constants = ladder.constants(rung)
    for choice in rung.choices:
        if choice.constant not in constants:
            has = ", ".join(constants) or "none"
            yield LadderError(f"{rung.slug} has no constant {choice.constant!r}; it has {has}", choice.constant)
    if not rung.accepts(ladder.problem, constants):
        yield LadderError(f"{rung.slug} does not accept the ladder's own problem", rung.slug)
    launch = rung.launch(ladder.problem, constants)
    if not isinstance(launch, Launch):
        yield LadderError(f"the launch of {rung.slug} is {launch!r}; it is a Launch(grid, block)", rung.slug)
    elif launch.fault:
        yield LadderError(f"{rung.slug}: {launch.fault}", rung.slug)
    elif rung.owns is not None:
        x, y, z = launch.grid
        for block in ((0, 0, 0), (x - 1, y - 1, z - 1)):
            owned_by(ladder, rung, block, ladder.problem, constants)
