"""What may stand in an expression? A small part of Python's grammar, checked before anything is evaluated.

Names with dots, numbers, arithmetic, comparisons, and/or/not, and calls of the functions in ``ARITY``; bounded in size
and depth, no name that begins with an underscore. The tree is never given to Python to run.
"""

from __future__ import annotations

import ast
import re

from publisher.faults import instead

MAX_CHARS = 400
MAX_NODES = 240
MAX_DEPTH = 24
PAIR, MANY = (2, 2), (2, 16)
ARITY = {"same": PAIR, "faster": PAIR, "slower": PAIR, "ratio": PAIR, "value": (1, 1), "min": MANY, "max": MANY}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)

_FACT_INDEX = re.compile(r"(?<=[A-Za-z_\]])\.(\d+)(?![\d.]*\d*[eE])")  # settings.3 is written settings[3] in Python


class ExpressionError(Exception):
    """An expression that cannot be read or makes no sense. The message is a sentence."""


def parse_tree(text: str) -> ast.expr:
    """The checked tree of an expression; raises ``ExpressionError``."""
    if not text:
        raise ExpressionError("the expression is empty; write a fact such as card.sms")
    if len(text) > MAX_CHARS:
        raise ExpressionError(f"the expression has {len(text)} characters; at most {MAX_CHARS} are read")
    try:
        body = ast.parse(_FACT_INDEX.sub(r"[\1]", text), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = error.msg if isinstance(error, SyntaxError) else "it cannot be read"
        raise ExpressionError(f"{text}: is no expression: {why}") from None
    if sum(1 for _ in ast.walk(body)) > MAX_NODES or _depth(body) > MAX_DEPTH:
        raise ExpressionError(f"{text[:60]} …: the expression is too long or too deep; split it")
    _check(body, text, top=True)
    return body


def _depth(node: ast.AST) -> int:
    return 1 + max((_depth(child) for child in ast.iter_child_nodes(node)), default=0)


def _check(node: ast.expr, text: str, top: bool = False) -> None:
    """Refuse everything that is not in the small language, before anything is evaluated."""
    if isinstance(node, ast.Tuple) and top:
        pass
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        path_of(node, text)
        return
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or not isinstance(node.value, (int, float)) or abs(node.value) > 1e18:
            raise ExpressionError(f"{text}: {ast.unparse(node)[:40]} is no number that an expression may hold")
        return
    elif isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in ARITY:
            called = ast.unparse(node.func)[:40]
            raise ExpressionError(f"{text}: there is no function {called}; {instead(called, ARITY)}")
        if node.keywords:
            raise ExpressionError(f"{text}: {node.func.id} takes values with commas between them, no names")
        least, most = ARITY[node.func.id]
        if not least <= len(node.args) <= most:
            raise ExpressionError(f"{text}: {node.func.id} takes {least if least == most else 'two or more'} values")
        for argument in node.args:
            _check(argument, text)
        return
    elif isinstance(node, ast.BinOp):
        if not isinstance(node.op, ARITHMETIC):
            raise ExpressionError(f"{text}: only + - * / are arithmetic here")
    elif isinstance(node, ast.UnaryOp):
        if not isinstance(node.op, (ast.USub, ast.UAdd, ast.Not)):
            raise ExpressionError(f"{text}: only - and not may stand before a value")
    elif isinstance(node, ast.Compare):
        if not all(isinstance(op, COMPARISONS) for op in node.ops):
            raise ExpressionError(f"{text}: only < <= > >= == != compare here")
    elif not isinstance(node, ast.BoolOp):
        raise ExpressionError(f"{text}: {ast.unparse(node)[:40]} is not allowed in an expression")
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _check(child, text)


def path_of(node: ast.expr, text: str = "") -> str:
    """The dotted path of a fact; a number among its parts is the place in a list."""
    if isinstance(node, ast.Name):
        name = node.id
        if name.startswith("_"):
            raise ExpressionError(f"{text}: no name may begin with _")
        return name
    if isinstance(node, ast.Attribute):
        if node.attr.startswith("_"):
            raise ExpressionError(f"{text}: no name may begin with _")
        return f"{path_of(node.value, text)}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        return f"{path_of(node.value, text)}.{node.slice.value}"
    raise ExpressionError(f"{text}: {ast.unparse(node)[:40]} is no fact; a fact is names with dots, e.g. card.sms")


def source_of(node: ast.expr) -> str:
    """An expression as an author writes it."""
    return re.sub(r"\[(\d+)\]", r".\1", ast.unparse(node))
