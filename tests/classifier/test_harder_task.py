"""A reward that falls beside a logged task: told as its effect, or not."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.classify import classify
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
