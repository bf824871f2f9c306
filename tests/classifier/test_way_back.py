"""How long the way back was: to the level told, and none where it is never reached."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.classifier.context import build
from spikedoc.classifier.excursions import label_excursions
from spikedoc.classifier.way_back import back_at
from spikedoc.classifier.wording import headline, summarise
from spikedoc.detectors.excursions import detect
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity, Status
from spikedoc.signal.view import view

STEPS = np.arange(2000)


def descent() -> np.ndarray:
    scatter = 1 + 0.03 * np.random.default_rng(0).standard_normal(STEPS.size)
    return (0.3 + 2 * np.exp(-STEPS / 300)) * scatter


def slow(values: np.ndarray) -> Anomaly:
    run = synth.loss_run(values)
    (found,) = (
        a for a in label_excursions(build(run, detect(run))) if a.kind is Kind.SLOW_RECOVERY
    )
    return found


def test_a_decaying_bump_on_a_steep_descent_is_back_at_the_level_told() -> None:
    values = descent()
    values[60:] += 2.5 * np.exp(-(STEPS[60:] - 60) / 60)
    told = slow(values)
    assert told.measures["before"] == pytest.approx(2.08, abs=0.05)
    # 0.3 + 2 exp(-s/300) + 2.5 exp(-(s-60)/60) is within 5 % of 2.08 from step 143 on.
    assert told.measures["recovered_after_steps"] == pytest.approx(83, abs=12)
    assert told.end_step == told.start_step + told.measures["recovered_after_steps"]


def test_a_run_learned_anew_needs_as_long_as_it_took_to_learn() -> None:
    values = descent()
    values[800:] = descent()[:1200]
    told = slow(values)
    level = told.measures["before"]
    assert values[told.end_step : told.end_step + 50] == pytest.approx(level, rel=0.15)
    # 0.3 + 2 exp(-s/300) is within 5 % of 0.457 from 720 steps on.
    assert told.measures["recovered_after_steps"] == pytest.approx(725, abs=30)


def test_every_record_that_is_high_belongs_to_it() -> None:
    values = 0.3 + 0.01 * np.random.default_rng(0).standard_normal(1000)
    values[600:606] *= 5  # steps 601 to 606
    told = slow(values)
    assert (told.start_step, told.end_step) == (601, 607)


def test_one_that_never_comes_so_low_again_has_no_time_but_its_level_at_the_end() -> None:
    values = descent()
    noise = 1 + 0.03 * np.random.default_rng(1).standard_normal(STEPS.size)
    values[800:] = np.maximum(descent()[:1200], 0.5 * noise[800:])
    told = slow(values)
    assert "recovered_after_steps" not in told.measures
    assert told.measures["not_yet"] == pytest.approx(0.5, abs=0.03)
    assert told.measures["before"] == pytest.approx(0.45, abs=0.01)
    text = summarise(told)
    assert "does not come back all the way: its level at the end is 0." in text.en
    assert "没有完全恢复：末段水平为 0." in text.zh
    opening = headline(Status.WARNING, [replace(told, severity=Severity.WARNING)])
    assert "came back only in part, to" in opening.en
    assert "只恢复了一部分" in opening.zh


@pytest.mark.parametrize("points", [1420, 1480])
def test_one_level_at_the_end_is_told_once(points: int) -> None:
    values = descent()
    values[800:] = descent()[:1200]
    run = synth.loss_run(values[:points])
    (only,) = label_excursions(build(run, detect(run)))
    assert only.kind is Kind.LEVEL_SHIFT


def test_with_nothing_before_the_end_stays() -> None:
    seen = view(STEPS[:100], np.ones(100))
    assert back_at(seen, 0, 7) == 7
    assert back_at(seen, 50, 60) == 60
