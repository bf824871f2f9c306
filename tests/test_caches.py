"""What a process remembers is bounded by the program, never by what it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import spikedoc

PACKAGE = Path(spikedoc.__file__).parent
# Functions with arguments that are remembered without a bound, and what bounds the arguments.
BOUNDED = {
    "fleet/task.py:_catalog": "one folder of rules in a process",
    "ingest/aliases.py:_whole": "the roles in the file of aliases",
    "ingest/recognition.py:_reader": "the readers there are",
    "readers/_crc32c.py:_start": "the lengths of short records",
    "renderers/html.py:_file": "the files of the page",
}


def remembering() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield the functions of modules (not those inside others) under `@cache`."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                names = [one.id for one in node.decorator_list if isinstance(one, ast.Name)]
                if "cache" in names or "lru_cache" in names:
                    yield f"{file.relative_to(PACKAGE).as_posix()}:{node.name}", node


def test_no_memory_grows_with_the_logs() -> None:
    found = {name for name, node in remembering() if node.args.args or node.args.kwonlyargs}
    assert found == set(BOUNDED)


def test_no_bound_is_given_up() -> None:
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if is_call and node.func.id == "lru_cache":
                given = [*node.args, *(word.value for word in node.keywords)]
                assert given, file
                assert not any(isinstance(one, ast.Constant) and one.value is None for one in given)


def test_no_series_outlives_its_run() -> None:
    """What a run brings along is remembered by `signal.memo`, which lets go of it."""
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            decorators = {ast.unparse(one).partition("(")[0] for one in node.decorator_list}
            if decorators & {"cache", "lru_cache"}:
                taken = {ast.unparse(arg.annotation) for arg in node.args.args if arg.annotation}
                assert not taken & {"Run", "Series", "FloatArray", "IntArray"}, (file, node.name)
