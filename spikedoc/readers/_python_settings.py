"""Settings in Python source, as MMEngine dumps its config: parsed, never run."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final

from spikedoc.model.run import ConfigValue
from spikedoc.readers._numbers import holds_endless_number

# A dumped config is tens of kilobytes; the parser takes a second or more for a megabyte.
LARGEST_SOURCE: Final = 200_000
DEEPEST: Final = 8
MOST_SETTINGS: Final = 2_000
LONGEST_TEXT: Final = 200


def python_settings(source: str) -> dict[str, Any]:
    """Return the assignments of literals in `source`; anything that would need running is left out.

    `dict(a=1)` counts as a literal. Text that is no Python gives nothing.
    """
    if len(source) > LARGEST_SOURCE or holds_endless_number(source):
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A fault in the source makes the parser look for the line in the file of this name.
            tree = ast.parse(source, os.devnull)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, Any] = {}
    for statement in tree.body[:MOST_SETTINGS]:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = _value(statement.value, 0)
            if value is not _UNKNOWN:
                found[statement.targets[0].id] = value
    return found


_UNKNOWN: Final = object()


def _value(node: ast.expr, depth: int) -> Any:
    """What the expression stands for; `_UNKNOWN` when it is no literal."""
    if depth > DEEPEST:
        return _UNKNOWN
    if isinstance(node, ast.Call):
        return _called_dict(node, depth)
    if isinstance(node, ast.Dict):
        keys = (key.value if isinstance(key, ast.Constant) else _UNKNOWN for key in node.keys)
        return _known(zip(keys, node.values, strict=True), depth)
    if isinstance(node, ast.List | ast.Tuple):
        values = [_value(one, depth + 1) for one in node.elts[:MOST_SETTINGS]]
        return [value for value in values if value is not _UNKNOWN]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _UNKNOWN


def _called_dict(node: ast.Call, depth: int) -> Any:
    is_dict = isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args
    return _known(((k.arg, k.value) for k in node.keywords), depth) if is_dict else _UNKNOWN


def _known(pairs: Any, depth: int) -> dict[str, Any]:
    found = {key: _value(node, depth + 1) for key, node in pairs if isinstance(key, str)}
    return {key: value for key, value in found.items() if value is not _UNKNOWN}


def scalars(settings: Mapping[str, Any]) -> Iterator[tuple[str, ConfigValue]]:
    """Yield numbers, switches and short texts with nested keys joined by `/`."""
    pending: list[tuple[str, Any]] = list(settings.items())[::-1]
    while pending:
        name, value = pending.pop()
        if isinstance(value, dict):
            pending.extend((f"{name}/{key}", inner) for key, inner in list(value.items())[::-1])
        elif isinstance(value, bool | int | float) or (
            isinstance(value, str) and len(value) <= LONGEST_TEXT
        ):
            yield name, value
