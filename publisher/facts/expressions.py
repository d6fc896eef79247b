"""What does an expression in prose say about one card? A quantity or a truth, with its unit and lineage.

The checked tree of grammar.py is walked here. Comparisons know the measurement's resolution: two values that are closer
are the same, so neither is smaller.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

from publisher.facts.grammar import ExpressionError, parse_tree, path_of, source_of
from publisher.facts.quantity import (
    Quantity,
    QuantityError,
    add,
    combine,
    difference,
    divide,
    multiply,
    negate,
)
from publisher.facts.units import UNITS, formatted, name_of, significant
from publisher.facts.values import Facts
from publisher.faults import instead

Value = Quantity | bool


@dataclass(frozen=True)
class Expression:
    """A parsed expression. ``unit`` is what the author asked for after the bar; empty for the natural one."""

    text: str
    unit: str
    body: ast.expr

    def value(self, facts: Facts) -> Value:
        """Evaluate on one card. Raises ``FactMissing``, ``UnknownFact`` or ``ExpressionError``."""
        try:
            return _evaluate(self.body, facts)
        except QuantityError as error:
            raise ExpressionError(f"{self.text}: {error}") from None
        except OverflowError:
            raise ExpressionError(f"{self.text}: the result is too large") from None

    def quantity(self, facts: Facts) -> Quantity:
        """As ``value``, where a number or a text is wanted; checks that it can be shown in the asked unit."""
        found = self.value(facts)
        if isinstance(found, bool):
            raise ExpressionError(f"{self.text} is true or false, not a number; use it in a claim")
        if self.unit:
            if isinstance(found.value, str):
                raise ExpressionError(f"{self.text} is a text and has no unit")
            if UNITS[self.unit][1] != found.dimension:
                wanted, has = name_of(UNITS[self.unit][1]), name_of(found.dimension)
                raise ExpressionError(f"{self.text} is {has}; {self.unit} would be {wanted}")
            found = replace(found, unit=self.unit)
        return found

    def truth(self, facts: Facts) -> bool:
        found = self.value(facts)
        if not isinstance(found, bool):
            raise ExpressionError(f"{self.text} is a number; a claim is true or false, e.g. faster(a, b)")
        return found

    @property
    def operands(self) -> list[ast.expr]:
        """The two sides of the outermost comparison, division or two-argument call; otherwise nothing."""
        body = self.body
        if isinstance(body, ast.Call) and len(body.args) == 2:
            return list(body.args)
        if isinstance(body, ast.Compare) and len(body.comparators) == 1:
            return [body.left, body.comparators[0]]
        if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Div):
            return [body.left, body.right]
        return []


def parse(text: str) -> Expression:
    """Read ``expression|unit``; raises ``ExpressionError``. The bar and the unit may be left out."""
    body_text, bar, unit = text.rpartition("|") if "|" in text else (text, "", "")
    body_text, unit = body_text.strip(), unit.strip()
    if bar and unit not in UNITS:
        raise ExpressionError(f"{text}: there is no unit {unit or 'after the bar'}; {instead(unit, UNITS, limit=30)}")
    return Expression(body_text, unit, parse_tree(body_text))


def parse_list(text: str) -> tuple[Expression, ...]:
    """Read ``a, b``: expressions with commas between them."""
    body = parse_tree(f"({text.strip()},)" if "," not in text else f"({text.strip()})")
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    return tuple(Expression(source_of(part), "", part) for part in parts)


def _evaluate(node: ast.expr, facts: Facts) -> Value:
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return facts.get(path_of(node))
    if isinstance(node, ast.Constant):
        return Quantity(node.value)  # type: ignore[arg-type]  # _check let only numbers through
    if isinstance(node, ast.BinOp):
        return _ARITHMETIC[type(node.op)](_quantity(node.left, facts), _quantity(node.right, facts))
    if isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            return not _truth(node.operand, facts)
        operand = _quantity(node.operand, facts)
        return negate(operand) if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BoolOp):
        values = [_truth(part, facts) for part in node.values]  # all of them: a gap in any is a gap of the whole
        return all(values) if isinstance(node.op, ast.And) else any(values)
    if isinstance(node, ast.Compare):
        sides = [_quantity(part, facts) for part in (node.left, *node.comparators)]
        return all(_compare(op, a, b) for op, a, b in zip(node.ops, sides, sides[1:], strict=False))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return FUNCTIONS[node.func.id]([_quantity(argument, facts) for argument in node.args])


def _quantity(node: ast.expr, facts: Facts) -> Quantity:
    found = _evaluate(node, facts)
    if isinstance(found, bool):
        raise QuantityError(f"{source_of(node)} is true or false where a number is needed")
    return found


def _truth(node: ast.expr, facts: Facts) -> bool:
    found = _evaluate(node, facts)
    if not isinstance(found, bool):
        raise QuantityError(f"{source_of(node)} is a number where true or false is needed")
    return found


def _compare(op: ast.cmpop, a: Quantity, b: Quantity) -> bool:
    if isinstance(a.value, str) or isinstance(b.value, str):
        if not isinstance(op, (ast.Eq, ast.NotEq)) or type(a.value) is not type(b.value):
            raise QuantityError(f"{a.name} and {b.name} are not both numbers, so they have no order")
        return (a.value == b.value) is isinstance(op, ast.Eq)
    return _COMPARISONS[type(op)](difference(a, b))


def _ratio(values: list[Quantity]) -> Quantity:
    a, b = values
    if a.dimension != b.dimension:
        raise QuantityError(
            f"{a.name} is {name_of(a.dimension)} and {b.name} is {name_of(b.dimension)}: they have no ratio"
        )
    return divide(a, b)


def _extreme(values: list[Quantity], sign: int) -> Quantity:
    best = values[0]
    for other in values[1:]:
        difference(best, other)  # of one dimension, or an error
        best = other if sign * (other.number - best.number) > 0 else best
    others = [v for v in values if v is not best]
    lineage = best
    for other in others:
        lineage = combine(lineage, other, best.number, best.dimension, best.resolution)
    return replace(lineage, source=best.source, twin_difference=best.twin_difference, unit=best.unit)


_ARITHMETIC: dict[type[ast.operator], Callable[[Quantity, Quantity], Quantity]] = {
    ast.Add: add,
    ast.Sub: lambda a, b: add(a, b, -1),
    ast.Mult: multiply,
    ast.Div: divide,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[float], bool]] = {
    ast.Lt: lambda d: d < 0,
    ast.LtE: lambda d: d <= 0,
    ast.Gt: lambda d: d > 0,
    ast.GtE: lambda d: d >= 0,
    ast.Eq: lambda d: d == 0,
    ast.NotEq: lambda d: d != 0,
}
FUNCTIONS: dict[str, Callable[[list[Quantity]], Value]] = {
    "same": lambda v: difference(v[0], v[1]) == 0,
    "faster": lambda v: difference(v[0], v[1]) < 0,
    "slower": lambda v: difference(v[0], v[1]) > 0,
    "ratio": _ratio,
    "value": lambda v: v[0],
    "min": lambda v: _extreme(v, -1),
    "max": lambda v: _extreme(v, 1),
}


def in_words(a: Quantity, b: Quantity) -> str:
    """How the time ``a`` relates to ``b``: the same, so many times as fast, or so many times as slow."""
    sign = difference(a, b)
    if sign == 0:
        return "the same within the resolution"
    if a.number <= 0 or b.number <= 0:
        raise QuantityError(f"{a.name} and {b.name} have no ratio: one of them is not above 0")
    factor = max(a.number, b.number) / min(a.number, b.number)
    digits = next(n for n in (3, 4, 5, 6) if n == 6 or float(significant(factor, n).replace(",", "")) != 1)
    return f"{significant(factor, digits)} times as {'fast' if sign < 0 else 'slow'}"


def shown(value: Value, unit: str = "") -> str:
    """A value as a page or an error shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return formatted(value.value, value.dimension, unit or value.unit)
