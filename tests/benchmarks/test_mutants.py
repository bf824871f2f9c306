"""Which changes are made, and which tests are asked about them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

GAP = Path("spikedoc/signal/gap.py")


@pytest.fixture
def module(benchmark: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark("mutants")


def test_of_a_module_all_changes_are_made_each_once(module: ModuleType) -> None:
    places = module.every(["signal"])["signal"]
    mine = [at for path, *at in places if path == GAP]
    made = module.of_modules([GAP])
    assert len(made) == len(mine) > 20
    assert {one.module for one in made} == {GAP}


def test_its_own_tests_are_those_of_the_file_beside_it(module: ModuleType) -> None:
    hidden = Path("spikedoc/evidence/optimizer/_probe.py")
    assert module.own_tests([GAP, hidden, GAP]) == [
        "tests/evidence/optimizer/test_probe.py",
        "tests/signal/test_gap.py",
    ]


@pytest.mark.parametrize(("killed", "made"), [(0, 10), (5, 10), (75, 100), (10, 10)])
def test_wilsons_interval_holds_the_shares_that_fit(
    module: ModuleType, killed: int, made: int
) -> None:
    """Its ends are the shares from which what was seen is 1.96 standard errors away."""
    share = killed / made
    for end in module.interval(killed, made):
        variance = end * (1 - end) / made
        assert (share - end) ** 2 == pytest.approx(1.96**2 * variance, abs=1e-12)
