"""The first cycle of a pattern, how often it is seen, and the step of the period it peaks at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.classifier.pattern_start import with_first_cycle
from spikedoc.classifier.patterns import label_periods
from spikedoc.classifier.wording import summarise
from spikedoc.detectors.periods import detect
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.metric import Metric

N = 2000
STEPS = np.arange(N)


def descent() -> np.ndarray:
    scatter = 1 + 0.03 * np.random.default_rng(0).standard_normal(N)
    return (0.3 + 2 * np.exp(-STEPS / 300)) * scatter


def told(values: np.ndarray, epoch: int | None = None) -> Anomaly:
    config = {} if epoch is None else {"steps_per_epoch": epoch}
    run = synth.run(synth.series(values, first=0), config=config)
    (found,) = label_periods(build(run, detect(run)))
    return found


def test_all_eight_are_counted_though_the_first_lies_on_the_descent() -> None:
    values = descent()
    values[137::250] += 2.0
    found = told(values, 250)
    assert (found.start_step, found.end_step) == (137, 1887)
    assert found.measures["count"] == 8
    assert found.measures["phase_step"] == 137
    said = summarise(found)
    assert "8 times from step 137 to 1887" in said.en
    assert "It peaks 137 steps into the epoch." in said.en
    assert "峰值出现在每轮开始后的第 137 步。" in said.zh


def test_a_fold_begins_with_the_first_peak_and_peaks_at_multiples() -> None:
    values = descent()
    values[100::100] += 1.0
    found = told(values)
    assert found.start_step == 100
    assert found.measures["cycles"] == 19  # 100, 200 … 1900
    assert found.measures["phase_step"] == pytest.approx(0.0, abs=0.5)
    said = summarise(found)
    assert "It peaks at the steps that are multiples of 100." in said.en
    assert "峰值出现在步数为 100 的倍数处。" in said.zh


def test_peaks_that_begin_later_are_told_from_there() -> None:
    values = descent()
    values[500::100] += 1.0  # the first quarter, which no fold looks at, holds none
    found = told(values)
    assert found.start_step == 500
    assert found.measures["cycles"] == 15


def test_a_lower_peak_or_another_that_is_higher_ends_it() -> None:
    values = 1.0 + 0.05 * np.random.default_rng(2).standard_normal(N)
    values[50::100] = 2.0
    values[150] = 1.2
    assert told(values).start_step == 250
    values[150] = 2.0
    values[130] = 5.0
    assert told(values).start_step == 250


def test_after_evaluations_the_phase_counts_from_them_and_the_start_stays() -> None:
    values = np.full(N, 1.0) + 0.01 * np.random.default_rng(1).standard_normal(N)
    at = np.arange(30, N, 100)
    for step in at:
        values[step + 3 : step + 5] = 2.0
    val = synth.series(np.full(at.size, 0.9), Metric.VAL_LOSS, first=30, stride=100)
    run = synth.run(synth.series(values, first=0), val, config={"steps_per_epoch": 270})
    (found,) = label_periods(build(run, detect(run)))
    assert found.label == "periodic-spikes/after-evaluation"
    assert found.start_step == 500
    assert found.measures["phase_step"] == pytest.approx(3.5, abs=0.6)
    assert "after the evaluation." in summarise(found).en


def test_without_a_peak_or_with_too_few_of_them_nothing_is_told_anew() -> None:
    values = descent()
    values[137::250] += 2.0
    found = told(values, 250)
    context = build(synth.run(synth.series(values, first=0)), ())
    smooth = replace(found, measures={"period": 250.0, "gap": 5.9})
    assert with_first_cycle(context, smooth) == smooth
    few = replace(found, end_step=found.start_step + 300)
    assert with_first_cycle(context, few) == few
    assert with_first_cycle(build(synth.run(), ()), found) == found
