from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
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
        tree = module.mutation(SOURCE, *at).tree
        compile(tree, "changed", "exec")
        assert ast.unparse(tree) != ast.unparse(ast.parse(SOURCE))


def test_a_condition_is_turned_round(module: ModuleType) -> None:
    trees = [module.mutation(SOURCE, *at).tree for at in module.places(SOURCE)]
    sources = [ast.unparse(tree) for tree in trees]
    assert any("if not (a < b and a == 2)" in source for source in sources)


def test_a_threshold_is_doubled(module: ModuleType) -> None:
    source = "POINTS: Final = 64\nSHARE: Final = 0.5\n"
    made = [module.mutation(source, *at) for at in module.places(source)]
    assert [(one.before, one.after) for one in made] == [("64", "128"), ("0.5", "1.0")]


def test_annotations_stay(module: ModuleType) -> None:
    source = "def f(a: int | None) -> int | None:\n    b: int | None = a\n    return b\n"
    assert module.places(source) == []


def test_a_change_knows_where_it_is(module: ModuleType) -> None:
    source = "class A:\n    def f(self, a):\n        if a > (\n            4\n        ):\n"
    source += "            pass\n"
    made = [module.mutation(source, *at) for at in module.places(source)]
    (four,) = (one for one in made if one.before == "4")
    assert (four.line, four.scope, four.text, four.first, four.last) == (4, "A.f", "4", 3, 5)


def test_what_is_listed_as_equivalent_is_still_there(module: ModuleType) -> None:
    """One line for one change; a change whose line was rewritten has to be looked at again."""
    lines = (ROOT / "benchmarks/equivalent.jsonl").read_text("utf-8").splitlines()
    listed = [json.loads(line) for line in lines]
    made: dict[str, set[tuple[str, ...]]] = {}
    for name in {one["module"] for one in listed}:
        source = (ROOT / name).read_text("utf-8")
        changes = (module.mutation(source, *at) for at in module.places(source))
        made[name] = {(one.scope, one.text, one.before, one.after) for one in changes}
    for one in listed:
        assert one["why"]
        assert (one["scope"], one["text"], one["before"], one["after"]) in made[one["module"]], one
