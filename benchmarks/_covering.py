"""Which tests run a line of the package, and how long each of them takes."""

from __future__ import annotations

import ast
import json
import tempfile
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import coverage
import pytest
from _changed_runs import PASSED, ROOT, in_fork, run_tests
from _mutations import Function, Mutation

PACKAGE: Final = "spikedoc"
Lines = tuple[Path, int, int]


class _Recorder:
    """Tells coverage which test runs, and keeps its processor time."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        self.measured.switch_context(item.nodeid)
        before = time.process_time()
        yield
        self.seconds[item.nodeid] = time.process_time() - before
        self.measured.switch_context("")


@dataclass(frozen=True, slots=True)
class Covering:
    """The tests of each line of each module, and the seconds that the processor had with them."""

    seconds: dict[str, float]
    by_line: dict[Path, dict[int, list[str]]]

    def tests(self, module: Path, mutation: Mutation) -> list[str]:
        """Return the tests that could notice a change, those of its own module first, then the
        quick ones."""
        named = {test for lines in _reached(module, mutation) for test in self._of(lines)}
        own = f"tests/{module.relative_to(PACKAGE).parent}/test_{module.name.lstrip('_')}::"
        return sorted(named, key=lambda test: (not test.startswith(own), self.seconds[test], test))

    def at_import(self, module: Path, mutation: Mutation) -> bool:
        """Return whether the changed place runs before the first test does."""
        lines = self.by_line[module]
        return any("" in lines.get(at, ()) for at in range(mutation.first, mutation.last + 1))

    def _of(self, lines: Lines) -> Iterator[str]:
        module, first, last = lines
        for line in range(first, last + 1):
            yield from filter(None, self.by_line[module].get(line, ()))


def measure(paths: Sequence[str]) -> Covering:
    """Run the tests once in a fork; raises RuntimeError unless all of them pass."""
    with tempfile.TemporaryDirectory() as folder:
        lines, times = f"{folder}/coverage", Path(folder, "seconds.json")
        if in_fork(lambda: _record(paths, lines, times)) != PASSED:
            raise RuntimeError("a test fails without any change")
        data = coverage.CoverageData(lines)
        data.read()
        by_line = {
            Path(file).relative_to(ROOT): data.contexts_by_lineno(file)
            for file in data.measured_files()
        }
        data.close()
        return Covering(json.loads(times.read_text("utf-8")), by_line)


def _record(paths: Sequence[str], lines: str, times: Path) -> int:
    measured = coverage.Coverage(data_file=lines, source=[str(ROOT / PACKAGE)], config_file=False)
    recorder = _Recorder(measured)
    measured.start()
    code = run_tests(paths, [recorder])
    measured.stop()
    measured.save()
    times.write_text(json.dumps(recorder.seconds), "utf-8")
    return code


def _reached(module: Path, mutation: Mutation) -> set[Lines]:
    """Return the lines of which one must run for the change to be seen.

    In a function these are those of the statement; what stands outside is seen by whoever uses
    the names that it gives, here and in the modules that import them.
    """
    own = {(module, mutation.first, mutation.last)}
    tree = _tree(module)
    statement = next(s for s in tree.body if s.lineno <= mutation.line <= (s.end_lineno or 0))
    inside = any(
        isinstance(node, Function)
        and node.body[0].lineno <= mutation.line <= (node.end_lineno or 0)
        for node in ast.walk(statement)
    )
    if inside:
        return own
    users: set[Lines] = set()
    for name in _given(statement):
        _add_users(module, name, users, set())
    return own | users


def in_function(module: Path, mutation: Mutation) -> bool:
    """Return whether the changed place is in the body of a function, outermost or not."""
    return any(
        node.body[0].lineno <= mutation.line <= (node.end_lineno or 0)
        for node in ast.walk(_outermost(module, mutation))
        if isinstance(node, Function)
    )


def _outermost(module: Path, mutation: Mutation) -> ast.stmt:
    body = _tree(module).body  # decorators stand above the line of a function
    return next(s for s in body if mutation.line <= (s.end_lineno or 0))


def _add_users(module: Path, name: str, users: set[Lines], seen: set[tuple[Path, str]]) -> None:
    if (module, name) in seen:
        return
    seen.add((module, name))
    for other in (module, *_importers(module, name)):
        for statement in _tree(other).body:
            if isinstance(statement, Function | ast.ClassDef):
                if _uses(statement, name):
                    users.add((other, statement.body[0].lineno, statement.end_lineno or 0))
                    _add_users(other, statement.name, users, seen)
            elif not isinstance(statement, ast.ImportFrom) and _uses(statement, name):
                for given in _given(statement):
                    _add_users(other, given, users, seen)


def _uses(statement: ast.stmt, name: str) -> bool:
    return any(
        (isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.Attribute) and node.attr == name)
        for node in ast.walk(statement)
    )


def _given(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, Function | ast.ClassDef):
        return (statement.name,)
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


@cache
def _tree(module: Path) -> ast.Module:
    return ast.parse((ROOT / module).read_text("utf-8"))


@cache
def _importers(module: Path, name: str) -> tuple[Path, ...]:
    dotted = ".".join(module.with_suffix("").parts)
    files = (path.relative_to(ROOT) for path in sorted((ROOT / PACKAGE).rglob("*.py")))
    return tuple(
        file
        for file in files
        if any(
            isinstance(node, ast.ImportFrom)
            and node.module == dotted
            and any(alias.name == name for alias in node.names)
            for node in ast.walk(_tree(file))
        )
    )
