from __future__ import annotations

from spikedoc.fleet.engines.base import all_of


def test_results_are_in_the_order_of_the_items() -> None:
    assert all_of(abs, [-3, 2, -1]) == [3, 2, 1]
    assert all_of(abs, []) == []
