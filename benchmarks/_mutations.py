"""Small changes to a module that a test should notice, one at a time."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
# A threshold that no test would miss at twice its value is not tested.
FACTOR: Final = 2
SHOWN: Final = 120
CALLS: Final = {
    "min": "max", "max": "min", "any": "all", "all": "any",
    "argmax": "argmin", "argmin": "argmax", "minimum": "maximum", "maximum": "minimum",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutation:
    """One changed place: the line, what stood there, what stands there now, the whole module."""

    line: int
    before: str
    after: str
    source: str


def places(source: str) -> list[tuple[int, int]]:
    """Return where a module's code can be changed, and which way: an operator, a number, a call."""
    nodes = enumerate(ast.walk(ast.parse(source)))
    return [(place, which) for place, node in nodes for which in range(_choices(node))]


def mutation(source: str, place: int, which: int) -> Mutation:
    """Return the module with the one change at a place that `places` gave."""
    tree = ast.parse(source)
    node = next(node for at, node in enumerate(ast.walk(tree)) if at == place)
    before = ast.unparse(node)
    _change(node, which)
    line = getattr(node, "lineno", 0)
    return Mutation(line, before[:SHOWN], ast.unparse(node)[:SHOWN], ast.unparse(tree))


def _choices(node: ast.AST) -> int:
    """In how many ways the node is changed."""
    if isinstance(node, ast.Compare):
        return sum(type(op) in SWAPS for op in node.ops)
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        return int(type(node.op) in SWAPS)
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return 1
    if isinstance(node, ast.Constant):
        return int(type(node.value) in (int, float))
    if isinstance(node, ast.Call):
        return int(_called(node) in CALLS)
    return 0


def _change(node: ast.AST, which: int) -> None:
    if isinstance(node, ast.Compare):
        places = [at for at, op in enumerate(node.ops) if type(op) in SWAPS]
        node.ops[places[which]] = SWAPS[type(node.ops[places[which]])]()  # type: ignore[call-overload]
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        node.op = SWAPS[type(node.op)]()  # type: ignore[assignment]
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        value = node.value
        assert isinstance(value, int | float)
        node.value = value * FACTOR if isinstance(value, float) and value else value + 1
    elif isinstance(node, ast.Call):
        called = CALLS[_called(node)]
        if isinstance(node.func, ast.Name):
            node.func.id = called
        elif isinstance(node.func, ast.Attribute):
            node.func.attr = called


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""
