"""What is said of a shared place."""

from __future__ import annotations

import pytest

from spikedoc.coincidence.trace import Trace
from spikedoc.coincidence.words import describe

TRACE = Trace(0, 1999, batch_size=8, seeds={"seed": 1})


@pytest.mark.parametrize(
    ("view", "english", "chinese"),
    [
        ("step", "Step 5-6 spikes in 2 of 7 runs (a, b)", "第 5-6 步在 7 次训练中的 2 次出现尖峰"),
        ("epoch-phase", "Step 5-6 of the epoch spikes", "每个 epoch 的第 5-6 步"),
        ("samples", "Sample 5-6 spikes", "第 5-6 个样本处"),
    ],
)
def test_the_place_and_how_many(view: str, english: str, chinese: str) -> None:
    points, text = describe(view, 5, 6, [("a", TRACE), ("b", TRACE)], 7, 0.0034)
    assert points
    assert text.en.startswith(english)
    assert text.zh.startswith(chinese)
    assert "probability at most 0.003. The seed is the same" in text.en
    assert "不超过 0.003" in text.zh


def test_the_samples_are_told_where_a_step_is_one_batch() -> None:
    def said(*traces: Trace) -> str:
        return describe("step", 5, 6, [("r", one) for one in traces], 2, 0.001)[1].en

    assert "samples 40 to 55" in said(TRACE, TRACE)
    assert "samples" not in said(TRACE, Trace(0, 9, batch_size=9))
    assert "samples" not in said(Trace(0, 9, batch_size=8, accumulation=2))
    assert "samples" not in said(Trace(900, 999, batch_size=8))
    assert "samples" not in said(Trace(0, 9))


def test_few_runs_are_named_and_small_chances_bounded() -> None:
    text = describe("step", 5, 5, [(f"r{i}", TRACE) for i in range(6)], 6, 1e-9)[1]
    assert "(r0, r1, r2, r3 …)" in text.en
    assert "below 1e-06" in text.en
    assert "低于 1e-06" in text.zh
