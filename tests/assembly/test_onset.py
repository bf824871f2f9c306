"""The first sign, which another signal may have given."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.assembly.onset import Sign, find_first_sign, with_first_sign
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

N = 2000


def anomaly(
    kind: Kind,
    start: int,
    end: int,
    signal: str = "loss",
    severity: Severity = Severity.WARNING,
    form: Form | None = None,
) -> Anomaly:
    return Anomaly(kind, severity, 0.9, signal, start, end, end, form)


def calm(*more: Metric) -> Run:
    parts = [synth.series(np.ones(N), metric) for metric in (Metric.LOSS, Metric.GRAD_NORM, *more)]
    return synth.run(*parts)


LOST = anomaly(Kind.DIVERGENCE, 1500, N, severity=Severity.CRITICAL, form=Form.FINITE)


def test_alone_the_anomaly_is_its_own_first_sign() -> None:
    assert find_first_sign(calm(), LOST, [LOST]) == Sign(1500, "loss")
    assert with_first_sign(calm(), LOST, [LOST]) is LOST


def test_a_climb_of_the_gradient_began_where_it_bends() -> None:
    grad = np.exp(0.05 * np.random.default_rng(0).standard_normal(N))
    grad[1200:1500] *= 10.0 ** (np.arange(300) / 300)
    grad[1500:] *= 10.0
    run = synth.run(synth.series(np.ones(N)), synth.series(grad, Metric.GRAD_NORM))
    sign = find_first_sign(run, LOST, [LOST])
    assert sign.signal == "grad_norm"
    assert sign.step == pytest.approx(1200, abs=25)
    assert with_first_sign(run, LOST, [LOST]).measures["first_sign"] == sign.step


def test_a_chain_is_followed_to_its_beginning() -> None:
    explosion = anomaly(Kind.GRADIENT_EXPLOSION, 1450, 1499, "grad_norm")
    update = anomaly(Kind.UPDATE_SPIKE, 1440, 1449, "update_norm")
    rate = anomaly(Kind.LR_DISCONTINUITY, 1400, N, "lr", form=Form.JUMP)
    run = calm(Metric.UPDATE_NORM, Metric.LR)
    assert find_first_sign(run, LOST, [LOST, rate, update, explosion]) == Sign(1400, "lr")


@pytest.mark.parametrize(
    "other",
    [
        anomaly(Kind.GRADIENT_EXPLOSION, 900, 1480, "grad_norm"),  # over before
        anomaly(Kind.LR_DISCONTINUITY, 1300, N, "lr"),  # too long ago to be its doing
        anomaly(Kind.PERIODIC_SPIKES, 100, N),  # a pattern
        anomaly(Kind.UPDATE_SPIKE, 1490, 1495, "update_norm", Severity.INFO),  # harmless
        anomaly(Kind.GRADIENT_EXPLOSION, 1600, N, "grad_norm"),  # later
    ],
)
def test_what_did_not_lead_up_to_it_is_no_sign(other: Anomaly) -> None:
    run = calm(Metric.UPDATE_NORM, Metric.LR)
    assert find_first_sign(run, LOST, [LOST, other]).step == 1500


def test_the_first_series_to_become_nonfinite_is_the_sign() -> None:
    loss, grad = np.ones(N), np.ones(N)
    loss[1500:], grad[1497:] = np.nan, np.nan
    run = synth.run(synth.series(loss), synth.series(grad, Metric.GRAD_NORM))
    nan = anomaly(Kind.NONFINITE, 1501, N, severity=Severity.CRITICAL, form=Form.PERSISTENT)
    assert find_first_sign(run, nan, [nan]) == Sign(1498, "grad_norm")


def test_a_pattern_has_no_onset_to_look_before() -> None:
    comb = anomaly(Kind.PERIODIC_SPIKES, 1500, N)
    jump = anomaly(Kind.UPDATE_SPIKE, 1495, 1499, "update_norm")
    assert find_first_sign(calm(Metric.UPDATE_NORM), comb, [comb, jump]).step == 1500
