from __future__ import annotations

from spikedoc.samples.result import Verdict


def test_the_worst_verdict_comes_first() -> None:
    assert list(Verdict) == [
        *(Verdict.NONFINITE, Verdict.STAYS_HIGH, Verdict.HIGH, Verdict.HIGH_ONCE),
        Verdict.ORDINARY,
    ]
