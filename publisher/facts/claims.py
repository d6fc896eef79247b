"""Which statements of the prose are true on which card? A claim, what it says there, and the values it says it from."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from publisher.facts.expressions import Expression, parse
from publisher.facts.grammar import ExpressionError, source_of
from publisher.facts.quantity import Quantity, QuantityError, resolution
from publisher.facts.units import PLAIN, UNITS, formatted, natural_unit, significant
from publisher.facts.values import FactMissing, Facts


@dataclass(frozen=True)
class Outcome:
    """A claim on one card. ``holds`` is None where a recording it needs is missing; ``detail`` shows the values."""

    holds: bool | None
    detail: str
    missing: FactMissing | None = None


def evaluate(text: str, facts: Facts) -> Outcome:
    """Raises ``ExpressionError`` or ``UnknownFact`` for a claim that no card could decide."""
    expression = parse(text)
    try:
        holds = expression.truth(facts)
        return Outcome(holds, "; ".join(_details(expression, facts)))
    except FactMissing as missing:
        return Outcome(None, missing.what, missing)


def _details(expression: Expression, facts: Facts) -> list[str]:
    """Both values and the resolution of every comparison in the claim."""
    found = []
    for node in ast.walk(expression.body):
        if isinstance(node, ast.Call):
            sides = node.args
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        else:
            continue
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("min", "max", "value", "ratio")
        ):
            continue
        values = [(source_of(side), Expression("", "", side).quantity(facts)) for side in sides]
        found.append(_sentence(values))
    return found


def _sentence(values: list[tuple[str, Quantity]]) -> str:
    told = ", ".join(name if _literal(name) else f"{name} is {precise(value)}" for name, value in values)
    first, last = values[0][1], values[-1][1]
    try:
        step = resolution(first, last)
    except QuantityError:
        return told
    unit = "" if isinstance(first.value, str) else natural_unit(first.value, first.dimension)
    return f"{told}; resolution {formatted(step, first.dimension, unit)}" if step else told


def _literal(name: str) -> bool:
    return name.replace(".", "").lstrip("-").isdigit()


def precise(value: Quantity) -> str:
    """With enough digits to tell two close times apart: five, where a page shows three."""
    if isinstance(value.value, (str, int)):
        return formatted(value.value, value.dimension)
    unit = natural_unit(value.value, value.dimension)
    if value.dimension == PLAIN or not unit:
        return significant(value.value, 5)
    digits = 5 if value.resolution else 3
    return f"{significant(value.value / UNITS[unit][0], digits)}\u00a0{unit}"


__all__ = ["ExpressionError", "Outcome", "evaluate", "precise"]
