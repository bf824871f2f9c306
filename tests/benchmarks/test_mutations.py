from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

SOURCE = "def f(a, b):\n    if a < b and a == 2:\n        return min(a, 3.0) + b\n    return -a\n"


@pytest.fixture
def module(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("_mutations")


@pytest.mark.parametrize(
    "change",
    [
        ("a < b", "a <= b"),
        ("a == 2", "a != 2"),
        ("a < b and a == 2", "a < b or a == 2"),
        ("2", "3"),
        ("3.0", "6.0"),
        ("min(a, 3.0)", "max(a, 3.0)"),
        ("min(a, 3.0) + b", "min(a, 3.0) - b"),
    ],
)
def test_each_kind_of_change_is_made(module: ModuleType, change: tuple[str, str]) -> None:
    made = [module.mutation(SOURCE, *at) for at in module.places(SOURCE)]
    assert change in {(one.before, one.after) for one in made}


def test_each_change_is_alone_and_still_python(module: ModuleType) -> None:
    for at in module.places(SOURCE):
        source = module.mutation(SOURCE, *at).source
        compile(source, "changed", "exec")
        assert source != SOURCE


def test_a_condition_is_turned_round(module: ModuleType) -> None:
    sources = [module.mutation(SOURCE, *at).source for at in module.places(SOURCE)]
    assert any("if not (a < b and a == 2)" in source for source in sources)
