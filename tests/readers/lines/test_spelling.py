"""Numbers with separators and units are put plainly; what may be something else is left alone."""

from __future__ import annotations

import pytest

from spikedoc.readers.lines._spelling import spelled_out, ungrouped


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("loss 1,234,567.5", "loss 1234567.5"),
        ("epoch 3 acc 0.5 tokens 12,345", "epoch 3 acc 0.5 tokens 12345"),
        ("global_step=1,000 loss=1", "global_step=1000 loss=1"),
        ("iter 5 of 10,000", "iter 5 of 10000"),
        ("1_000 and 1'000", "1000 and 1000"),
        ("loss 5,000.5, lr 1e-3", "loss 5000.5, lr 1e-3"),
    ],
)
def test_separators_are_taken_out(line: str, plain: str) -> None:
    assert ungrouped(line) == plain


@pytest.mark.parametrize(
    "line",
    [
        "loss 1,234", "loss 0,123 lr 0.5", "lr 0.5 12,34", "lr=[1e-3,100] 0.5", "lr=[0.125,100]",
        "shape [224,224] 0.5", "12:00:10,123 loss 0.5", "step 1234,567", "a=1,b=222 0.5",
        "part_1_000", "1_000_000_steps", "Epoch [1,100] 0.5",
    ],
)  # fmt: skip
def test_other_marks_are_left(line: str) -> None:
    assert ungrouped(line) == line


@pytest.mark.parametrize(
    ("line", "plain", "coarse"),
    [
        ("step 12.55k loss 1.2", "step 12550 loss 1.2", 10),
        ("Step: 12K/1.5M loss", "Step: 12000/1500000 loss", 1_000),
        ("iter 0.123456M loss 1", "iter 123456 loss 1", 1),
        ("step 12 loss 1.2k", "step 12 loss 1.2k", 0),
        ("step 12kB", "step 12kB", 0),
    ],
)
def test_counters_with_a_unit(line: str, plain: str, coarse: int) -> None:
    assert spelled_out(line) == (plain, coarse)
