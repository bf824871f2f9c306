"""What is known of a role before any run is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from healthy_project import STEPS, healthy, series

from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.reference.band import Side
from spikedoc.reference.signals import SEED, habit


def test_sides() -> None:
    run = healthy(0)
    found = {m: habit(m, run) for m in Metric}
    assert {m for m, h in found.items() if h is None} == {
        Metric.EPOCH,
        Metric.BATCH_SIZE,
        Metric.LOSS_SCALE,
        Metric.SKIPPED_STEPS,
    }
    assert {m.value: h.side for m, h in found.items() if h and h.side is Side.BELOW} == {
        "throughput": Side.BELOW,
        "reward": Side.BELOW,
    }


def with_tag(tag: str, *others: str, sign: float = 1.0) -> Run:
    loss = replace(series("loss", STEPS, sign / STEPS), tag=tag)
    rest = [replace(loss, metric=Metric.OTHER, name=name, tag=name) for name in others]
    return Run("a", "", (loss, *rest))


def test_a_loss_that_may_rise_in_health_is_only_told() -> None:
    policy = habit(Metric.LOSS, with_tag("loss", "rollout/ep_rew_mean"))
    assert policy is not None
    assert (policy.side, policy.judged) == (Side.BOTH, False)


def test_a_likelihood_is_in_trouble_below() -> None:
    found = habit(Metric.LOSS, with_tag("elbo", sign=-1.0))
    assert found is not None
    assert (found.side, found.spread, found.judged) == (Side.BELOW, SEED, True)
    assert np.isfinite(found.spread)
