"""A periodic finding folded: the tooth of a comb stands where it is."""

from __future__ import annotations

import numpy as np
import synth

from spikedoc.assembly.folding import PHASES_MOST, folds
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.report import Finding
from spikedoc.model.run import Run
from spikedoc.text import Text


def finding(run: Run, **measures: float) -> Finding:
    anomaly = Anomaly(
        Kind.PERIODIC_SPIKES,
        Severity.WARNING,
        0.9,
        "loss",
        run.first_step,
        run.last_step,
        run.last_step,
        Form.EPOCH,
        measures,
    )
    return Finding("F1", anomaly, Text("", ""))


def test_the_tooth_stands_at_its_phase_and_above_all_else() -> None:
    run = synth.comb(period=50, cycles=30, factor=1.6, phase=17).run
    (fold,) = folds(run, [finding(run, period=50.0)])
    peak = int(np.argmax(fold.middle))
    assert fold.phases[peak] == 17
    assert fold.cycles in (30, 31)
    assert 1.4 < fold.middle[peak] < 1.8
    assert fold.low[peak] > max(high for i, high in enumerate(fold.high) if i != peak)
    assert fold.is_ratio
    assert not fold.log


def test_a_long_cycle_is_drawn_with_few_phases() -> None:
    run = synth.comb(period=1_000, cycles=5, factor=3.0).run
    (fold,) = folds(run, [finding(run, period=1_000.0)])
    assert len(fold.phases) == PHASES_MOST
    assert all(
        low <= middle <= high
        for low, middle, high in zip(fold.low, fold.middle, fold.high, strict=True)
    )


def test_a_loss_below_zero_is_told_as_a_difference() -> None:
    values = np.sin(np.arange(400) * 2 * np.pi / 40)
    run = synth.loss_run(values)
    (fold,) = folds(run, [finding(run, period=40.0)])
    assert not fold.is_ratio
    assert min(fold.low) < 0 < max(fold.high)


def test_without_a_period_or_enough_cycles_there_is_no_fold() -> None:
    run = synth.comb(period=50, cycles=30).run
    assert folds(run, [finding(run)]) == ()
    assert folds(run, [finding(run, period=float("nan"))]) == ()
    assert folds(run, [finding(run, period=700.0)]) == ()
    spike = Anomaly(Kind.ISOLATED_SPIKE, Severity.WARNING, 0.9, "loss", 1, 2, 3)
    assert folds(run, [Finding("F1", spike, Text("", ""))]) == ()
