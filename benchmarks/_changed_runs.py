"""Tests run in a fork in which one module of the package reads differently.

There are two ways. `passes` forks a process that never imported the package, so that constants
that were passed on and values worked out at import are those of the changed module. `Collected`
forks one that has imported and collected everything, and puts the changed code into the functions
that are there: fifty times as quick, and right for all that runs in tests alone.
"""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.machinery
import importlib.util
import os
import resource
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
# Imported once, before the first fork.
SHARED: Final = (
    *("numpy", "pandas", "bottleneck", "hypothesis", "hypothesis.strategies", "coverage"),
    *("yaml", "rich.console", "rich.markdown", "jinja2", "jsonschema", "click", "fsspec"),
)
# A change that makes a loop endless or fills the memory is noticed, too.
LEAST_SECONDS: Final = 20
MEMORY_BYTES: Final = 6 << 30
PASSED: Final = 0


def prepare() -> None:
    """Import what all forks share; raises RuntimeError when the package is among it."""
    os.environ["HYPOTHESIS_PROFILE"] = "gate"
    for name in SHARED:
        importlib.import_module(name)
    if "spikedoc" in sys.modules:
        raise RuntimeError("the package was imported before it could be changed")
    gc.freeze()


class Changed(importlib.machinery.SourceFileLoader):
    """Finds one module, and gives it another source."""

    def __init__(self, module: Path, tree: ast.Module) -> None:
        self.module = ".".join(module.with_suffix("").parts)
        self.tree = tree
        super().__init__(self.module, str(ROOT / module))

    def find_spec(
        self,
        fullname: str,
        path: object = None,  # noqa: ARG002 – so it is called
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.module:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002
        return compile(self.tree, self.path, "exec")


class Selected:
    """Of the tests that are found, only some, in a given order."""

    def __init__(self, order: Sequence[str]) -> None:
        self.place = {name: place for place, name in enumerate(order)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.place),
            key=lambda item: self.place[item.nodeid],
        )


def passes(module: Path, tree: ast.Module | None, tests: Sequence[str], seconds: float) -> bool:
    """Return whether all tests pass with the changed module; `None` leaves it as it is."""
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))

    def run() -> int:
        limit(seconds)
        if tree is not None:
            sys.meta_path.insert(0, Changed(module, tree))
        return run_tests(files, [Selected(tests)], "-x")

    return in_fork(run) == PASSED


class Collected:
    """All tests in this process, ready to run; made by pytest, of which it is a plugin."""

    def __init__(self, use: Callable[[Collected], None]) -> None:
        self._use = use
        self._items: dict[str, pytest.Item] = {}
        self._functions: dict[str, list[FunctionType]] = defaultdict(list)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Do what is asked instead of running the tests."""
        self._items = {item.nodeid: item for item in session.items}
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType):
                self._functions[thing.__code__.co_filename].append(thing)
        gc.freeze()
        self._use(self)
        return True

    def passes(
        self, module: Path, tree: ast.Module | None, tests: Sequence[str], seconds: float
    ) -> bool:
        """Return whether all tests pass with the changed functions; `None` changes none."""

        def run() -> int:
            limit(seconds)
            if tree is not None:
                self._change(str(ROOT / module), tree)
            return self._run([self._items[name] for name in tests])

        return in_fork(run) == PASSED

    def _change(self, file: str, tree: ast.Module) -> None:
        before = compile(Path(file).read_bytes(), file, "exec", dont_inherit=True)
        after = compile(tree, file, "exec", dont_inherit=True)
        changed = dict(zip(_codes(before), _codes(after), strict=True))
        for function in self._functions[file]:
            function.__code__ = changed[function.__code__]

    def _run(self, items: Sequence[pytest.Item]) -> int:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                return 1
        return PASSED


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Give a module's code and all code in it, always in the same order."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def in_fork(action: Callable[[], int]) -> int:
    """Return the exit code that `action` gives in a silent fork; other than 0 when it fails."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            silence()
            os.chdir(ROOT)
            code = action()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def silence() -> None:
    """Let this process, a fork, print nothing more."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)


def limit(seconds: float) -> None:
    """End this process when it takes far longer than usual, by either clock, or all memory."""
    most = round(LEAST_SECONDS + 5 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    signal.alarm(20 * most)


def run_tests(paths: Collection[str], plugins: Sequence[Any], *options: str) -> int:
    """Return pytest's exit code."""
    # Some of what pytest would like to rewrite was imported before the fork.
    options = (
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        *options,
    )
    return int(pytest.main(["-q", *options, *paths], plugins))
