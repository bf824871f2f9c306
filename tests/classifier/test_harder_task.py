"""A reward that falls beside a logged task: told as its effect, or not."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.harder_task import fall_by_task
from spikedoc.classifier.wording import summarise
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.pipeline import detect

N = 2000
STEPS = np.arange(N)
FALL = 1200


def fall(reward: FloatArray, task: FloatArray, tag: str = "curriculum_level") -> Anomaly:
    rng = np.random.default_rng(0)
    series = (
        Series(Metric.LOSS, "loss", "loss", STEPS, 0.5 + 0.1 * rng.standard_normal(N)),
        Series(Metric.REWARD, "reward", "reward", STEPS, reward + 5.0 * rng.standard_normal(N)),
        Series(Metric.OTHER, f"other:{tag}", tag, STEPS, task.astype(float)),
    )
    run = Run("made", "made", series)
    (found,) = [a for a in classify(run, detect(run)) if a.kind is Kind.QUALITY_LOSS]
    return found  # type: ignore[return-value]


LEARNED = 100.0 * (1.0 - np.exp(-STEPS / 200.0))
LOST = np.where(STEPS < FALL, LEARNED, 20.0)


def test_a_reward_that_falls_with_the_task_is_a_remark() -> None:
    found = fall(LOST, STEPS >= FALL)
    assert found.severity is Severity.INFO
    said = summarise(found)
    assert "curriculum_level goes from 0 to 1 at step 1200" in said.en
    assert "curriculum_level 在第 1200 步从 0 变为 1" in said.zh


@pytest.mark.parametrize("at", [600, 1100, 1130, 1300, 1700])
def test_a_reward_that_falls_at_another_place_is_an_alarm(at: int) -> None:
    assert fall(LOST, at <= STEPS).severity is Severity.WARNING


def test_a_reward_that_falls_slowly_is_no_effect_of_one_change() -> None:
    slow = np.interp(STEPS, [0, 400, 1000, 1500, N], [0.0, 90.0, 100.0, 20.0, 15.0])
    for at in (1000, 1150, 1200, 1250, 1300):
        assert fall(slow, at <= STEPS).severity is Severity.WARNING


def test_a_weight_of_the_loss_takes_no_reward_away() -> None:
    assert fall(LOST, STEPS >= FALL, "kl_weight").severity is Severity.WARNING


def test_a_task_that_changes_all_the_time_says_nothing() -> None:
    assert fall(LOST, STEPS // 100).severity is Severity.WARNING


def by_hand(
    values: FloatArray, at: int, *, start: int = 500, changes: int = 1, lost: float = 1.0,
    first: int = 0,
) -> Severity:  # fmt: skip
    """Return how bad a fall of a quality is beside a task that changes at the step `at`."""
    n = values.size
    steps = first + np.arange(n)
    at, start = first + at, first + start
    places = at + 50 * np.arange(changes)
    task = (steps[:, None] >= places[None, :]).sum(axis=1).astype(float)
    series = (
        Series(Metric.REWARD, "reward", "reward", steps, values),
        Series(Metric.OTHER, "other:stage", "stage", steps, task),
    )
    measures = {"best": 1.0, "after": 1.0 - lost}
    a = Anomaly(Kind.QUALITY_LOSS, Severity.WARNING, 0.8, "reward", start, start, n, None, measures)
    return fall_by_task(build(Run("made", "made", series), ()), a).severity


def quality(after: float, at: int = 500) -> FloatArray:
    return np.r_[np.full(at, 1.0), np.full(1001 - at, after)]


@pytest.mark.parametrize(("after", "severity"), [(0.5, Severity.INFO), (0.51, Severity.WARNING)])
def test_half_of_what_is_lost_falls_at_once(after: float, severity: Severity) -> None:
    assert by_hand(quality(after), 500) is severity


@pytest.mark.parametrize(
    ("start", "severity"),
    [
        (550, Severity.INFO), (551, Severity.WARNING),
        (450, Severity.INFO), (449, Severity.WARNING),
    ],
)  # fmt: skip
def test_a_fall_begins_within_a_twentieth_of_the_log(start: int, severity: Severity) -> None:
    assert by_hand(quality(0.0), 500, start=start) is severity


@pytest.mark.parametrize(("start", "severity"), [(550, Severity.INFO), (551, Severity.WARNING)])
def test_where_a_log_begins_does_not_matter(start: int, severity: Severity) -> None:
    assert by_hand(quality(0.0), 500, start=start, first=100_000) is severity


def test_no_more_than_one_point_may_lie_on_either_side() -> None:
    # A fiftieth of ten points is less than one: the one before, and the one after.
    assert by_hand(np.r_[0.0, 1.0, np.zeros(8)], 2, start=2) is Severity.INFO
    assert by_hand(np.r_[1.0, 1.0, 0.0, 9.0, np.zeros(6)], 2, start=2) is Severity.INFO
    assert by_hand(np.r_[1.0, np.zeros(9)], 1, start=1) is Severity.INFO
    assert by_hand(np.r_[np.ones(9), 0.0], 9, start=9) is Severity.INFO


@pytest.mark.parametrize(("width", "severity"), [(10, Severity.INFO), (9, Severity.WARNING)])
def test_a_fiftieth_of_the_log_on_either_side(width: int, severity: Severity) -> None:
    # Twenty points before it at 1, of the twenty after it so many at 0: half of them is half.
    values = np.r_[np.full(480, 9.0), np.full(20, 1.0), np.zeros(width), np.full(20 - width, 1.0)]
    values = np.r_[values, np.full(1001 - values.size, -9.0)]
    assert by_hand(values, 500) is severity


@pytest.mark.parametrize(("changes", "severity"), [(6, Severity.INFO), (7, Severity.WARNING)])
def test_changes_near_to_a_quarter_of_the_log_say_nothing(changes: int, severity) -> None:
    # Each is near to two fiftieths of the log; a quarter of it are twelve and a half.
    assert by_hand(quality(0.0), 500, changes=changes) is severity


def test_what_lost_nothing_or_has_nothing_before_is_no_fall() -> None:
    assert by_hand(quality(0.0), 500, lost=0.0) is Severity.WARNING
