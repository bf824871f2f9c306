"""What the report says about guards: measured by a finding, where one could have helped."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.assembly.guards import replay_guards
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import GuardReplay
from spikedoc.model.run import Run

N = 2000
ONSET = 1401  # steps begin at 1


def run_of(loss: np.ndarray, grad: np.ndarray | None = None, stride: int = 1) -> Run:
    parts = [synth.series(loss, stride=stride)]
    if grad is not None:
        parts.append(synth.series(grad, Metric.GRAD_NORM, stride=stride))
    return synth.run(*parts)


def noise(seed: int = 0) -> np.ndarray:
    return np.exp(0.1 * np.random.default_rng(seed).standard_normal(N))


def lost(kind: Kind = Kind.DIVERGENCE, severity: Severity = Severity.CRITICAL,
         start: int = ONSET) -> Anomaly:  # fmt: skip
    form = Form.FINITE if kind is Kind.DIVERGENCE else None
    return Anomaly(kind, severity, 0.9, "loss", start, start + 50, N, form)


def replayed(run: Run, *anomalies: Anomaly) -> dict[str, GuardReplay]:
    ids = [f"F{i}" for i, _ in enumerate(anomalies, 1)]
    return {guard.id: guard for guard in replay_guards(run, anomalies, ids)}


def diverging() -> np.ndarray:
    loss = noise()
    loss[ONSET - 1 :] *= 20.0
    return loss


def test_both_guards_are_measured_by_the_finding() -> None:
    found = replayed(run_of(diverging(), noise(1)), lost())
    usual, band = found["best-ratio"], found["running-band"]
    assert (usual.finding, usual.signals, band.signals) == ("F1", ("loss",), ("loss", "grad_norm"))
    assert (usual.first_step, usual.steps_before_finding) == (ONSET + 9, -9)
    assert (band.first_step, band.steps_before_finding) == (ONSET + 2, -2)
    assert (usual.steps_before_end, usual.false_alarms) == (N - ONSET - 9, 0)
    assert (
        "at step 1410, 9 steps after F1 began, 590 steps before the log ends" in usual.statement.en
    )
    assert "第 1410 步" in usual.statement.zh
    assert "gradient norm" in band.title.en


def test_without_a_gradient_norm_the_loss_is_watched_alone() -> None:
    band = replayed(run_of(diverging()), lost())["running-band"]
    assert band.signals == ("loss",)
    assert "gradient" not in band.title.en


def test_a_gradient_that_warns_lets_the_guard_fire_before_the_loss() -> None:
    grad = noise(1)
    grad[1350:1450] = 40.0
    explosion = Anomaly(
        Kind.GRADIENT_EXPLOSION, Severity.WARNING, 0.9, "grad_norm", 1351, 1360, 1450
    )
    band = replayed(run_of(diverging(), grad), lost(), explosion)["running-band"]
    assert (band.first_step, band.steps_before_finding) == (1353, 48)
    assert "48 steps before F1" in band.statement.en


def test_firings_before_the_first_sign_are_false_alarms() -> None:
    loss = diverging()
    loss[400:420] = 30.0
    loss[800:820] = 30.0
    found = replayed(run_of(loss), lost())
    assert found["best-ratio"].false_alarms == found["running-band"].false_alarms == 2
    assert "false alarms before the first sign: 2" in found["best-ratio"].statement.en


def test_a_guard_that_stays_silent_says_so() -> None:
    loss = noise()
    loss[ONSET - 1 :] *= 2.0
    usual = replayed(run_of(loss), lost(Kind.LEVEL_SHIFT))["best-ratio"]
    assert (usual.first_step, usual.steps_before_finding, usual.steps_before_end) == (None,) * 3
    assert usual.statement.en.startswith("would not have fired")


def test_steps_are_those_of_the_log() -> None:
    run = run_of(diverging(), stride=10)
    onset = 1 + 10 * (ONSET - 1)
    usual = replayed(run, lost(start=onset))["best-ratio"]
    assert (usual.first_step, usual.steps_before_finding) == (onset + 90, -90)


@pytest.mark.parametrize(
    "anomalies",
    [
        (),
        (lost(severity=Severity.INFO),),
        (lost(Kind.OSCILLATION, Severity.WARNING),),
        (lost(Kind.OVERFITTING, Severity.WARNING),),
        (lost(start=50),),  # too early: a guard has no band yet
    ],
)
def test_only_what_a_guard_could_have_met_is_replayed(anomalies: tuple[Anomaly, ...]) -> None:
    assert replayed(run_of(diverging()), *anomalies) == {}


def test_a_long_log_is_replayed_around_the_first_sign() -> None:
    loss = np.tile(noise(), 80)
    loss[:20_000:1000] = 30.0
    loss[100_000:] *= 20.0
    onset = 100_001
    run = run_of(loss, np.tile(noise(1), 80))
    lost_late = Anomaly(
        Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", onset, onset, loss.size, Form.FINITE
    )
    found = replayed(run, lost_late)
    assert found["running-band"].first_step == onset + 2
    assert found["running-band"].steps_before_end == loss.size - onset - 2


def test_without_a_training_loss_there_is_no_replay() -> None:
    run = synth.run(synth.series(diverging(), Metric.VAL_LOSS))
    assert replayed(run, lost()) == {}


def test_the_first_of_the_worst_findings_is_the_measure() -> None:
    early = lost(Kind.SLOW_RECOVERY, Severity.WARNING, 500)
    found = replayed(run_of(diverging()), early, lost(start=ONSET + 100), lost())
    assert found["best-ratio"].finding == "F3"
