"""Small changes to a module that a test should notice, one at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
# A threshold that no test would miss at twice its value is not tested; 0, 1 and 2 are places,
# counts and exponents, and become the next number.
FACTOR: Final = 2
MOST_COUNTED: Final = 2
SHOWN: Final = 120
CALLS: Final = {
    "min": "max", "max": "min", "any": "all", "all": "any",
    "argmax": "argmin", "argmin": "argmax", "minimum": "maximum", "maximum": "minimum",
}  # fmt: skip
Function = ast.FunctionDef | ast.AsyncFunctionDef
Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One changed place: where it is, what stood there, what stands there now, the whole
    module.

    `scope` is the function or class around it, "" for the module; `text` its line; `first` and
    `last` are the lines of the statement, of a compound one those before its body.
    """

    line: int
    scope: str
    text: str
    before: str
    after: str
    first: int
    last: int
    tree: ast.Module


def places(source: str) -> list[Place]:
    """Return where a module's code can be changed, and which way: an operator, a number, a call.

    Annotations are left out, since they are never evaluated.
    """
    tree = ast.parse(source)
    unused = {id(part) for annotation in _annotations(tree) for part in ast.walk(annotation)}
    return [
        (place, which)
        for place, node in enumerate(ast.walk(tree))
        if id(node) not in unused
        for which in range(_choices(node))
    ]


def mutation(source: str, place: int, which: int) -> Mutation:
    """Return the module with the one change at a place that `places` gave."""
    tree = ast.parse(source)
    node = next(node for at, node in enumerate(ast.walk(tree)) if at == place)
    scope, statement = _around(tree, node)
    before, line = ast.unparse(node), getattr(node, "lineno", statement.lineno)
    _change(node, which)
    return Mutation(
        line,
        scope,
        source.splitlines()[line - 1].strip(),
        before[:SHOWN],
        ast.unparse(node)[:SHOWN],
        statement.lineno,
        _last_line(statement),
        ast.fix_missing_locations(tree),
    )


def _annotations(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, Function) and node.returns is not None:
            yield node.returns


def _around(tree: ast.Module, node: ast.AST) -> tuple[str, ast.stmt]:
    """Return the names of the functions and classes around a node, and its statement."""
    scopes: list[str] = []
    within: ast.AST = tree
    statement: ast.stmt | None = None
    while within is not node:
        if isinstance(within, Function | ast.ClassDef):
            scopes.append(within.name)
        children = ast.iter_child_nodes(within)
        within = next(child for child in children if any(n is node for n in ast.walk(child)))
        statement = within if isinstance(within, ast.stmt) else statement
    assert statement is not None
    return ".".join(scopes), statement


def _last_line(statement: ast.stmt) -> int:
    body = getattr(statement, "body", None)
    last: int = body[0].lineno - 1 if body else statement.end_lineno or 0
    return max(last, statement.lineno)


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
        counts = isinstance(value, int) and value <= MOST_COUNTED
        node.value = value + 1 if counts or not value else value * FACTOR
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
