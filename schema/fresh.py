"""Does a recording still say what the kernels are? The kernels that it launched and what was declared, then and now.

Recorder and publisher both ask here: the one before it measures again, the other before it publishes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from schema.experiments import by_name
from schema.kernel_file import read_source
from schema.kernel_text import source_hash
from schema.ladder import KERNELS, LIBRARIES, Ladder, LibraryCall, sizes_of
from schema.recording import MACHINE, Header
from schema.rungs import Rung

MACHINE_FILES = {  # the files of kernels/machine that an experiment launches
    "fragment": ("fragment_m16n8k16.cu",),
    "times": ("empty.cu", "move.cu"),
    "resolution": ("empty.cu",),
}
MOST = 300  # characters of a declaration that are kept as they are
Facts = dict[str, str]


def launched(experiment: str, ladder: Ladder | None) -> dict[str, str]:
    """File -> hash of every kernel that an experiment launches; those of the machine as ``machine/FILE``."""
    found: dict[str, str] = {}
    for name in _machine_files(experiment, ladder is None):
        shown = f"kernels/{MACHINE}/{name}"
        found[f"{MACHINE}/{name}"] = source_hash(read_source(KERNELS / MACHINE / name, shown))
    if ladder is not None:
        for rung, variant in _KERNELS[_own(experiment)](ladder):
            file = ladder.file(rung, variant)
            found[file] = found.get(file) or ladder.hash_of(rung, variant)
        if _calls(experiment, ladder):
            path = ladder.folder / LIBRARIES
            found[LIBRARIES] = _digest(read_source(path, f"kernels/{ladder.slug}/{LIBRARIES}"))
    return found


def declared(experiment: str, ladder: Ladder | None) -> Facts:
    """What the ladder declares of an experiment, with every function called: the same texts for the same meaning."""
    if ladder is None:
        return {}
    own = _own(experiment)
    rungs = {rung.slug: rung for rung, _ in _KERNELS[own](ladder)}
    facts = {"problem": _problem(ladder.problem), "entry": ladder.entry, "operands": _operands(ladder)}
    facts["arguments"] = ", ".join(ladder.taken())
    facts |= {f"rung_{slug}": _rung(ladder, rung) for slug, rung in rungs.items()}
    if own not in ("code", "counters"):
        facts["tolerance"] = f"{ladder.tolerance(ladder.problem):.6g}"
    facts |= _OF.get(own, lambda ladder: {})(ladder)
    return {key: text if len(text) <= MOST else _digest(text) for key, text in facts.items()}


@dataclass(frozen=True)
class Now:
    """What an experiment would launch and declare today."""

    sources: dict[str, str]
    declared: Facts


def now(experiment: str, ladder: Ladder | None) -> Now:
    """Of an experiment of a ladder, or of the machine where there is none."""
    return Now(launched(experiment, ladder), declared(experiment, ladder))


def changes(header: Header, today: Now) -> list[str]:
    """What is not as it was recorded, in words: files by name, declarations with what they were and are."""
    files = today.sources
    found = [_file_words(file, files.get(file)) for file, hash_ in header.sources.items() if files.get(file) != hash_]
    found += [f"{file} is new" for file in files if file not in header.sources]
    for key in dict.fromkeys((*header.declared, *today.declared)):
        was, is_ = header.declared.get(key), today.declared.get(key)
        if was != is_:
            found.append(_fact_words(key, was, is_))
    return found


def _file_words(file: str, hash_: str | None) -> str:
    return f"{file} is no longer launched" if hash_ is None else f"{file} has changed"


def _fact_words(key: str, was: str | None, is_: str | None) -> str:
    name = key.replace("rung_", "the declaration of ") if key.startswith("rung_") else f"the declared {key}"
    if was is None:
        return f"{name} is new"
    if is_ is None:
        return f"{name} is gone"
    if was.startswith("sha256:") or is_.startswith("sha256:"):
        return f"{name} has changed"
    return f"{name} was {was} and is {is_}"


def _own(experiment: str) -> str:
    """The experiment whose by-product this is, or itself."""
    return next((name for name in _KERNELS if experiment in by_name(name).files), experiment)


def _machine_files(experiment: str, of_machine: bool) -> Iterable[str]:
    files = MACHINE_FILES.get(_own(experiment))
    if files is None and of_machine:  # the peaks: all that no other experiment launches
        others = {name for listed in MACHINE_FILES.values() for name in listed}
        return sorted({path.name for path in (KERNELS / MACHINE).glob("*.cu")} - others)
    return files or ()


# ---- which kernels ---------------------------------------------------------------------------------------------------


def _with_variants(ladder: Ladder) -> list[tuple[Rung, str]]:
    return [(rung, variant) for rung in ladder.rungs for variant in ("", *rung.variant_slugs)]


def _rungs(ladder: Ladder) -> list[tuple[Rung, str]]:
    return [(rung, "") for rung in ladder.rungs]


def _compared(ladder: Ladder) -> list[tuple[Rung, str]]:
    names = [entry[2].partition(".") for comparison in ladder.comparisons for entry in comparison.entries]
    return [(ladder.rung(rung), variant) for rung, _, variant in names]


def _probed(ladder: Ladder) -> list[tuple[Rung, str]]:
    return [(ladder.rung(slug), form) for slug in ladder.probes for form in ("", "loads_only", "math_only")]


def _shaped(ladder: Ladder) -> list[tuple[Rung, str]]:
    return [(rung, "") for rung in ladder.rungs if rung.slug in ladder.shape_entries]


_KERNELS: dict[str, Callable[[Ladder], list[tuple[Rung, str]]]] = {
    "code": _with_variants,
    "times": _rungs,
    "placement": lambda ladder: [(ladder.rung(slug), "placement") for slug in ladder.placements],
    "probes": _probed,
    "one_change": _compared,
    "shapes": _shaped,
    "resolution": lambda ladder: [(ladder.rungs[-1], "")],
    "sweep": lambda ladder: [(ladder.rung(ladder.sweep.rung), "")] if ladder.sweep else [],
    "counters": _rungs,
}


def _calls(experiment: str, ladder: Ladder) -> list[LibraryCall]:
    """The library calls that an experiment makes."""
    if _own(experiment) == "times":
        return list(ladder.references)
    if experiment == "shapes":
        return [call for call in ladder.references if call.slug in ladder.shape_entries]
    return []


# ---- in words ------------------------------------------------------------------------------------------------------


def _problem(problem: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {size}" for name, size in problem.items())


def _operands(ladder: Ladder) -> str:
    parts = []
    for o in ladder.operands:
        cold = ", cold" if o.cold else ""
        parts.append(
            f"{o.name} {o.role} {o.dtype or 'of the rung'} {'x'.join(map(str, o.shape(ladder.problem)))}{cold}"
        )
    parts += [f"{s.name} {s.dtype} {float(s.value(ladder.problem)):.9g}" for s in ladder.scalars]
    return "; ".join(parts)


def _rung(ladder: Ladder, rung: Rung) -> str:
    """How a rung is launched and on what, with the constants of its source."""
    launch = rung.launch(ladder.problem, ladder.constants(rung))
    types = ladder.types(rung)
    parts = [launch.words, ", ".join(f"{name} {dtype}" for name, dtype in types.items())]
    if rung.zero_output(ladder.constants(rung)):
        parts.append("zeroed output")
    if rung.needs:
        parts.append(f"needs {rung.needs}")
    if rung.arguments:
        parts.append(f"takes {', '.join(rung.arguments)}")
    return "; ".join(parts)


def _of_code(ladder: Ladder) -> Facts:
    """What a page draws from the code's recording: loops and launches by the rule."""
    found = {f"unit_{rung.slug}": rung.unit for rung in ladder.rungs if rung.unit}
    for rung in ladder.rungs:
        constants = ladder.constants(rung)
        if rung.pipeline:
            p = rung.pipeline
            slices = [(r.operand, r.spans) for r in p.slice_of(ladder.problem, constants)]
            phases = [(phase.kind, phase.families, phase.words) for phase in p.phases]
            found[f"loop_{rung.slug}"] = (
                f"{p.passes(ladder.problem, constants)} passes, {p.buffers}, {p.ahead}, {phases}, {slices}"
            )
        if rung.choices:
            found[f"choices_{rung.slug}"] = str([(c.constant, c.title, c.values) for c in rung.choices])
    return found


def _of_times(ladder: Ladder) -> Facts:
    checked = "; ".join(sizes_of(problem) for problem in ladder.check_problems)
    return {"checked": checked or "at its own sizes", "libraries": _calls_in_words(ladder.references)}


def _calls_in_words(calls: Iterable[LibraryCall]) -> str:
    return (
        "; ".join(
            " ".join([c.slug, c.call, c.dtype, *(f"{name} {dtype}" for name, dtype in c.dtypes.items())]) for c in calls
        )
        or "none"
    )


def _of_shapes(ladder: Ladder) -> Facts:
    calls = _calls("shapes", ladder)
    shapes = "; ".join(sizes_of(problem) for problem in ladder.shapes)
    return {"shapes": shapes, "entries": ", ".join(ladder.shape_entries), "libraries": _calls_in_words(calls)}


def _of_sweep(ladder: Ladder) -> Facts:
    assert ladder.sweep is not None, "the ladder declares a sweep"
    return {"axes": "; ".join(f"{name} {' '.join(map(str, values))}" for name, values in ladder.sweep.axes.items())}


def _of_comparisons(ladder: Ladder) -> Facts:
    return {"comparisons": str([(c.slug, c.entries) for c in ladder.comparisons])}


_OF: dict[str, Callable[[Ladder], Facts]] = {
    "code": _of_code,
    "times": _of_times,
    "shapes": _of_shapes,
    "sweep": _of_sweep,
    "one_change": _of_comparisons,
}


def _digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
