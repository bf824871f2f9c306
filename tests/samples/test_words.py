from __future__ import annotations

import math

import pytest

from spikedoc.samples.result import Sample, Verdict
from spikedoc.samples.words import ADVICE, COLUMNS, VERDICTS, cells, found_text, none_text

SAMPLE = Sample("a\x1b[31m", Verdict.HIGH_ONCE, 4, 1, 0.5, 1.25, math.nan, 12, 0.256)


def test_every_verdict_has_its_words() -> None:
    assert set(VERDICTS) == set(Verdict)
    assert set(ADVICE) == set(Verdict) - {Verdict.ORDINARY}


def test_cells_fit_the_columns() -> None:
    row = cells(SAMPLE, "step")
    assert len(row) == len(COLUMNS)
    assert [text.en for text in row[1:]] == [
        *("high at times", "1/4", "0.5", "1.25", "NaN", "step 12", "26 %"),
    ]
    assert row[6].zh == "第 12 步"
    assert "\x1b" not in row[0].en


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({Verdict.HIGH: 1}, "1 of 7 samples stands apart: 1 high."),
        ({Verdict.HIGH: 2, Verdict.NONFINITE: 1},
         "3 of 7 samples stand apart: 1 not finite, 2 high."),
    ],
)  # fmt: skip
def test_counts_are_told_the_worst_first(counts: dict[Verdict, int], told: str) -> None:
    assert found_text(counts, 7).en == told


def test_the_highest_is_named_with_its_ratio_if_it_has_one() -> None:
    assert "1.25 times" in none_text(SAMPLE).en
    without = Sample("b", Verdict.ORDINARY, 1, 0, -0.5, None, -0.5, None, None)
    assert "times" not in none_text(without).en
