"""Bursts of a smooth loss: kind, levels, and a way back that is over where the log says so."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.bursts import BURSTS_MAX, label_bursts
from spikedoc.classifier.context import build
from spikedoc.classifier.wording import headline, summarise
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Kind, Severity, Status

RUN = synth.healthy(n=1000).run


def burst(index: int, points: int = 10, rise: float = 2.0) -> Detection:
    """Return a burst from this index on, at its peak from the first point on."""
    measures = {"rise": rise, "points": float(points), "index": float(index)}
    step = index + 1
    return Detection("any", Shape.BURSTS, "loss", step, step, step + points - 1, measures)


def labelled(values: np.ndarray, *bursts: Detection) -> list[Anomaly]:
    return label_bursts(build(synth.loss_run(values), bursts))


@pytest.mark.parametrize(
    ("high", "kind"), [(1, Kind.ISOLATED_SPIKE), (3, Kind.ISOLATED_SPIKE), (4, Kind.SLOW_RECOVERY)]
)
def test_up_to_three_points_are_a_spike(high: int, kind: Kind) -> None:
    values = np.full(1000, 3.0)
    values[500 : 500 + high] = 12.0
    (found,) = labelled(values, burst(500, high))
    assert (found.kind, found.severity) == (kind, Severity.WARNING)
    assert (found.start_step, found.end_step) == (501, 501 + high)
    told = {"rise": 2.0, "bursts": 1.0, "before": 3.0, "peak": 12.0, "factor": 4.0}
    assert found.measures == told | {"recovered_after_steps": float(high)}


def test_it_is_over_where_the_level_told_is_back_not_where_the_detector_lets_go() -> None:
    """The detector lets go at 20 % above a quartile that the burst itself has raised."""
    values = np.full(1000, 1.0)
    values[500:540] = np.linspace(9.0, 1.2, 40)
    (found,) = labelled(values, burst(500, 20))
    assert found.kind is Kind.SLOW_RECOVERY
    assert (found.end_step, found.measures["recovered_after_steps"]) == (541, 40.0)
    assert "needs 40 steps to come back" in summarise(found).en


def test_three_points_above_the_threshold_and_a_long_tail_are_no_spike_back_at_once() -> None:
    values = np.full(1000, 1.0)
    values[500:520] = np.linspace(9.0, 1.2, 20)
    (found,) = labelled(values, burst(500, 3))
    assert (found.kind, found.measures["recovered_after_steps"]) == (Kind.SLOW_RECOVERY, 20.0)


def test_one_that_runs_into_the_next_is_not_back() -> None:
    values = np.full(1000, 1.0)
    values[500:530] = np.linspace(9.0, 2.0, 30)
    values[530:560] = np.linspace(9.0, 1.2, 30)
    first, second = labelled(values, burst(500, 25), burst(530, 25))
    assert (first.kind, first.start_step, first.end_step) == (Kind.SLOW_RECOVERY, 501, 530)
    assert first.measures["next_step"] == 531
    assert "recovered_after_steps" not in first.measures
    # The level before the second is what it rose from: the last points before it.
    assert 2.0 <= second.measures["before"] <= 9.0
    said = summarise(first)
    assert said.en == (
        "loss rises from 1 to 9 (9 times) at step 501 and has not come back when the next one "
        "begins at step 531."
    )
    assert said.zh.endswith("还没有恢复，第 531 步又开始下一次跳高。")
    opening = headline(Status.WARNING, [first])
    assert "had not come back when it jumped again at step 531" in opening.en
    assert "还没有恢复，第 531 步又再次跳高" in opening.zh


def test_the_level_before_is_that_since_the_last_one() -> None:
    values = np.full(1000, 1.0)
    values[480:495] = 6.0
    values[500:510] = 12.0
    first, second = labelled(values, burst(480, 15), burst(500, 10))
    assert first.measures["recovered_after_steps"] == 15.0
    assert second.measures["before"] == 1.0


def test_the_last_one_may_not_be_back_where_the_log_ends() -> None:
    values = np.full(1000, 1.0)
    values[500:] = 6.0
    values[990:] = 12.0
    never, open_ = labelled(values, burst(500, 10), burst(990, 10))
    assert never.measures["next_step"] == 991.0
    assert open_.measures["log_end"] == 1000.0
    (part,) = labelled(np.where(np.arange(1000) < 500, 1.0, 6.0), burst(500, 10))
    assert part.measures["not_yet"] == 6.0


def test_levels_of_zero_and_of_nothing_have_no_factor() -> None:
    (zero,) = labelled(np.zeros(1000), burst(499))
    assert "factor" not in zero.measures
    (first,) = label_bursts(build(RUN, (burst(0),)))
    assert "before" not in first.measures
    assert label_bursts(build(synth.run(), (burst(0),))) == []


def test_a_reader_gets_the_largest_ones_in_step_order() -> None:
    many = [burst(10 * i + 9, rise=1.0 + (i % 7)) for i in range(BURSTS_MAX + 30)]
    found = label_bursts(build(RUN, tuple(many)))
    assert len(found) == BURSTS_MAX
    steps = [a.start_step for a in found]
    assert steps == sorted(steps)
    assert min(a.measures["rise"] for a in found) >= 3.0
