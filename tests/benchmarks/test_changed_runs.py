from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = (
    "LIMIT = 3\n\ndef f(a):\n    return [g(b) for b in a if b < LIMIT]\n\ng = lambda b: b + 1\n"
)


@pytest.fixture
def module(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("_changed_runs")


def test_changed_code_stands_beside_the_code_it_replaces(
    module: ModuleType, benchmark: Callable[[str], ModuleType]
) -> None:
    mutations = benchmark("_mutations")
    before = list(module._codes(compile(SOURCE, "one", "exec")))
    for at in mutations.places(SOURCE):
        change = mutations.mutation(SOURCE, *at)
        after = list(module._codes(compile(change.tree, "one", "exec")))
        assert [code.co_qualname for code in after] == [code.co_qualname for code in before]
        assert after != before


def test_a_fork_gives_its_code_and_fails_in_silence(module: ModuleType) -> None:
    assert module.in_fork(lambda: 5) == 5
    assert module.in_fork(lambda: 1 // 0) == 1


def test_a_module_is_found_changed(module: ModuleType) -> None:
    name = "spikedoc/signal/level.py"
    finder = module.Changed(Path(name), ast.parse("LIMIT = 4"))
    assert finder.find_spec("spikedoc.signal.trend") is None
    assert finder.find_spec("spikedoc.signal.level").loader is finder
    assert finder.get_code("spikedoc.signal.level").co_consts[0] == 4
