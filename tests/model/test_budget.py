"""Sizes as a user writes them."""

from __future__ import annotations

import pytest

from spikedoc.model.budget import size_of


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2G", 2 * 10**9), ("1.5 gb", 1_500_000_000), ("64kib", 64_000)],
)
def test_sizes(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1e9", "2 TBs", "1.5.2MB", "9" * 40])
def test_what_is_no_size(text: str) -> None:
    assert size_of(text) is None
