"""A mean over ranks is not back where one of them left for good."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.classifier.rank_mean import without_rank_means
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

N = 800


def of_ranks() -> Run:
    """Four ranks of a loss that falls; the third is three times as high from step 301 on."""
    rng = np.random.default_rng(0)
    falls = 0.3 + 2 * np.exp(-np.arange(N) / 300)
    ranks = falls * (1 + 0.02 * rng.standard_normal((4, N)))
    ranks[2, 300:] *= 3
    parts = [
        synth.series(values, Metric.LOSS, name=f"loss_rank{k}", rank=k)
        for k, values in enumerate(ranks)
    ]
    return synth.run(synth.series(ranks.mean(axis=0)), *parts)


def test_the_rank_says_it_and_the_mean_is_not_told_to_come_back() -> None:
    report = diagnose(of_ranks(), load_catalog(None))
    kinds = [(f.anomaly.kind, f.anomaly.signal) for f in report.findings]
    assert (Kind.RANK_OUTLIER, "loss_rank2") in kinds
    assert not [k for k, signal in kinds if k is Kind.SLOW_RECOVERY and signal == "loss"]


@pytest.mark.parametrize(
    ("step", "lasting", "kept"), [(301, True, 0), (340, True, 1), (301, False, 1)]
)
def test_only_beside_a_rank_that_left_for_good(step: int, lasting: bool, kept: int) -> None:
    context = build(of_ranks(), ())
    rise = Anomaly(Kind.SLOW_RECOVERY, Severity.INFO, 0.9, "loss", step, step, step + 60)
    told = {"lasting_factor": 3.0} if lasting else {"factor": 3.0}
    rank = Anomaly(Kind.RANK_OUTLIER, Severity.WARNING, 0.9, "loss_rank2", 301, 301, N, None, told)
    left = without_rank_means(context, [rise, rank])
    assert [a.kind for a in left].count(Kind.SLOW_RECOVERY) == kept
    assert rank in left
