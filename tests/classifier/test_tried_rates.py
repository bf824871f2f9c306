"""What a learning-rate range test breaks is its answer."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.tried_rates import as_tried
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.pipeline import detect

N = 300
RATES = 1e-6 * (1e7 ** (np.arange(N) / (N - 1)))


def finder(lr: np.ndarray = RATES, *, ends: float = 20.0, breaks: float = 0.3) -> Run:
    """A loss that falls around a rate of 1e-3 and is lost beyond `breaks`."""
    rng = np.random.default_rng(4)
    x = np.log10(RATES)
    loss = 2.3 - 1.2 / (1.0 + np.exp(-4.0 * (x + 3.0))) + 0.02 * rng.standard_normal(N)
    beyond = breaks < RATES
    loss[beyond] = np.linspace(1.2, ends, int(beyond.sum()))
    return synth.run(synth.series(loss), synth.series(lr, Metric.LR))


def alarms(run: Run) -> set[Kind]:
    found = classify(run, detect(run))
    return {a.kind for a in found if a.severity is not Severity.INFO}


@pytest.mark.parametrize("ends", [20.0, np.nan])
def test_a_rate_that_breaks_the_loss_is_what_was_looked_for(ends: float) -> None:
    run = finder(ends=ends)
    assert alarms(run) == set()
    assert any(a.kind in (Kind.DIVERGENCE, Kind.NONFINITE) for a in classify(run, detect(run)))


@pytest.mark.parametrize("lr", [np.full(N, 1e-3), np.linspace(1e-6, 10.0, N)])
def test_any_other_rate_excuses_nothing(lr: np.ndarray) -> None:
    assert Kind.DIVERGENCE in alarms(finder(lr))


def test_what_breaks_at_the_lowest_rates_is_broken() -> None:
    run = finder()
    lost = Anomaly(Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", 43, 60, N)
    later = Anomaly(Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", 44, 60, N)
    told = as_tried(build(run, ()), [lost, later])
    assert [a.severity for a in told] == [Severity.CRITICAL, Severity.INFO]


def test_what_no_rate_brings_about_stays_what_it_was() -> None:
    frozen = Anomaly(Kind.NON_CONVERGENCE, Severity.WARNING, 0.9, "loss", 200, 250, N)
    assert as_tried(build(finder(), ()), [frozen]) == [frozen]
