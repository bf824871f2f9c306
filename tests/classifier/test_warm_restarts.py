"""What the restarts of a schedule do to the loss is a remark, what they break is none."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.warm_restarts import of_schedule
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.pipeline import detect

PEAK = 0.1
LASTING = (Kind.LEVEL_SHIFT, Kind.SUSTAINED_DRIFT, Kind.DIVERGENCE)


def schedule(n: int, first: int, times: int) -> np.ndarray:
    """Cosines from the peak to nothing, each `times` as long as the one before (SGDR)."""
    rates: list[float] = []
    length = first
    while len(rates) < n:
        rates += list(1e-5 + PEAK * 0.5 * (1.0 + np.cos(np.pi * np.arange(length) / length)))
        length *= times
    return np.array(rates[:n])


def run(n: int, lr: np.ndarray, *, worse: float = 1.0, since: int = 0, seed: int = 1) -> Run:
    """A loss that follows the rate with some delay, on its way down."""
    slow, eff = 0.0, np.empty(n)
    for i in range(n):
        slow = 0.95 * slow + 0.05 * lr[i]
        eff[i] = slow
    rng = np.random.default_rng(seed)
    loss = 0.3 + 2.0 / (1.0 + 15.0 * np.arange(n) / n) + 4.0 * eff
    loss *= np.exp(0.03 * rng.standard_normal(n))
    loss[since:] *= worse if since else 1.0
    return synth.run(synth.series(loss), synth.series(lr, Metric.LR))


def lasting(run_: Run) -> list[Anomaly]:
    return [a for a in classify(run_, detect(run_)) if a.kind in LASTING and a.signal == "loss"]


def alarms(run_: Run) -> set[str]:
    found = classify(run_, detect(run_))
    return {a.label for a in found if a.severity is not Severity.INFO}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [300, 900, 2000])
def test_a_log_that_ends_within_a_cycle_lost_nothing(n: int, seed: int) -> None:
    made = run(n, schedule(n, n // 5, 2), seed=seed)
    assert alarms(made) == set()


def test_nor_one_whose_loss_swings_with_many_short_cycles() -> None:
    assert alarms(run(900, schedule(900, 128, 1))) == set()


def test_what_a_rise_is_seen_in_is_told_all_the_same() -> None:
    found = [a for n in (300, 900, 2000) for a in lasting(run(n, schedule(n, n // 4, 2)))]
    assert found
    assert {a.severity for a in found} == {Severity.INFO}


@pytest.mark.parametrize("worse", [1.6, 3.0])
def test_a_loss_above_all_that_the_cycle_before_cost_is_lost(worse: float) -> None:
    made = run(2000, schedule(2000, 500, 2), worse=worse, since=1505)
    assert Severity.CRITICAL in {a.severity for a in lasting(made)}


def drift(made: Run) -> Severity:
    """What a rise from the foot of the third cycle to the end of the log is."""
    context, n = build(made, detect(made)), len(made.series[0])
    measures = {"rise": 1.0, "before": 0.4, "after": 0.8}
    rise = Anomaly(
        Kind.SUSTAINED_DRIFT, Severity.CRITICAL, 0.8, "loss", 570, n, n, measures=measures
    )
    return of_schedule(context, rise).severity


def test_a_drift_from_the_foot_of_a_cycle_to_the_top_of_a_later_one_is_the_schedule_s() -> None:
    lr = schedule(1040, 320, 1)
    assert drift(run(1040, lr)) is Severity.INFO
    assert drift(run(1040, lr, worse=1.4, since=970)) is Severity.CRITICAL


def test_a_rise_amid_a_cycle_is_none_of_the_schedule() -> None:
    made = run(2000, schedule(2000, 1000, 1), worse=1.6, since=1600)
    assert Severity.CRITICAL in {a.severity for a in lasting(made)}


def test_a_rate_that_jumped_once_without_a_schedule_excuses_nothing() -> None:
    lr = np.where(np.arange(2000) < 1500, 0.001, 0.02)
    assert Severity.INFO not in {a.severity for a in lasting(run(2000, lr, worse=1.3, since=1500))}


def test_a_log_that_ends_near_the_top_of_a_longer_cycle_is_one_of_it() -> None:
    lengths = np.repeat([200, 400, 800, 1600], [200, 400, 800, 40])
    since = np.concatenate([np.arange(n) for n in (200, 400, 800, 40)])
    rate = 0.05 * (1.0 + np.cos(np.pi * since / lengths))
    noise = np.exp(0.03 * np.random.default_rng(0).standard_normal(rate.size))
    fall = np.exp(-np.arange(rate.size) / 2500.0)
    loss = (0.3 + 2.5 * np.exp(-np.arange(rate.size) / 100.0) + 8.0 * rate * fall) * noise
    run = synth.run(synth.series(loss), synth.series(rate, Metric.LR))
    found = classify(run, detect(run))
    assert found
    assert all(a.severity is Severity.INFO for a in found)
