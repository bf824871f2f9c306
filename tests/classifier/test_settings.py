"""A rise of the loss beside a logged setting: told as its effect, or not."""

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

N = 1200
AT = 600
STEPS = np.arange(N)


def course(seed: int = 0, n: int = N) -> FloatArray:
    noise = np.random.default_rng(seed).standard_normal(n)
    return (0.5 + 2.0 * np.exp(-np.arange(n) / 100.0)) * np.exp(0.06 * noise)


def run_of(
    loss: FloatArray, setting: FloatArray, tag: str = "seq_len", val: FloatArray | None = None
) -> Run:
    steps = np.arange(len(loss))
    series = [
        Series(Metric.LOSS, "loss", "loss", steps, loss),
        Series(Metric.OTHER, f"other:{tag}", tag, steps, setting.astype(float)),
    ]
    if val is not None:
        at = np.linspace(0, len(loss) - 1, val.size).astype(int)
        series.append(Series(Metric.VAL_METRIC, "val_metric:val_acc", "val_acc", at, val))
    return Run("made", "made", tuple(series))


def found(run: Run) -> list[Anomaly]:
    return classify(run, detect(run))  # type: ignore[return-value]


def alarms(run: Run) -> list[Anomaly]:
    return [a for a in found(run) if a.severity is not Severity.INFO]


def stepped(factor: float = 1.4, at: int = AT) -> FloatArray:
    return course() * np.where(at > STEPS, 1.0, factor)


LENGTHS = np.where(STEPS < AT, 512, 1024)


@pytest.mark.parametrize("factor", [1.2, 1.4, 3.0, 10.0])
@pytest.mark.parametrize("tag", ["seq_len", "label_smoothing", "kl_weight", "dropout", "margin"])
def test_a_step_of_the_loss_with_a_step_of_a_setting_is_a_remark(tag: str, factor: float) -> None:
    run = run_of(stepped(factor), LENGTHS, tag)
    assert alarms(run) == []
    said = [summarise(a).en for a in found(run) if a.kind is Kind.LEVEL_SHIFT]
    assert f"{tag} goes from 512 to 1024 at step 600, and the loss with it." in said[0]


@pytest.mark.parametrize(
    ("tag", "before", "after", "explains"),
    [
        ("kl_weight", 1.0, 1.01, False),
        ("dropout", 0.1, 0.11, False),
        ("kl_weight", 0.5, 1.0, True),
        ("label_smoothing", 0.0, 0.01, True),  # what was off before has no ratio
        ("dropout", 0.5, 0.8, True),
        ("sparsity", 0.98, 0.99, True),  # half of what was left
        ("stage", 10.0, 11.0, True),  # the number of a stage is no size
    ],
)
def test_a_rise_beyond_all_proportion_to_the_setting_is_an_alarm(
    tag: str, before: float, after: float, explains: bool
) -> None:
    run = run_of(stepped(9.0), np.where(STEPS < AT, before, after), tag)
    assert (alarms(run) == []) is explains


def test_a_small_change_may_have_a_small_effect() -> None:
    assert alarms(run_of(stepped(1.09), np.where(STEPS < AT, 1.0, 1.01), "kl_weight")) == []


@pytest.mark.parametrize("n", [10, 14, N])
def test_a_loss_that_climbs_with_a_setting_from_its_first_point(n: int) -> None:
    setting = np.sqrt(np.arange(n) / n)
    noise = 1.0 + 0.01 * np.random.default_rng(0).standard_normal(n)
    loss = (1.0 + setting) * noise
    run = run_of(loss, setting, "difficulty")
    assert alarms(run) == []
    (drift,) = [a for a in found(run) if a.kind is Kind.SUSTAINED_DRIFT]
    assert "difficulty goes from" in summarise(drift).en
    assert [a.severity for a in alarms(run_of(loss, np.ones(n), "difficulty"))] != []


def test_a_drift_along_a_ramp_is_told_once() -> None:
    n = 2000
    steps = np.arange(n)
    loss = course(n=n) * np.exp(np.maximum(0, steps - 800) / 1200.0)
    run = run_of(loss, np.maximum(0.05, 1 - steps / n), "epsilon")
    drifts = [a for a in found(run) if a.kind is Kind.SUSTAINED_DRIFT]
    assert len(drifts) == 1


@pytest.mark.parametrize(("length", "explains"), [(200, True), (900, False)])
def test_a_wave_of_the_loss_with_a_setting_that_comes_and_goes(length: int, explains: bool) -> None:
    n = 4000
    steps = np.arange(n)
    loss = course(n=n) * (1.0 + 0.3 * ((steps // 200) % 2))
    run = run_of(loss, (steps // length) % 2, "augment_strength")
    (wave,) = [a for a in found(run) if a.kind is Kind.OSCILLATION]
    assert (wave.severity is Severity.INFO) is explains


@pytest.mark.parametrize("at", [400, 560, 640, 900])
def test_a_step_at_another_place_stays_an_alarm(at: int) -> None:
    (alarm,) = alarms(run_of(stepped(at=at), LENGTHS))
    assert abs(alarm.start_step - at) <= 3


def test_a_quantity_that_is_no_setting_of_the_loss_excuses_nothing() -> None:
    assert alarms(run_of(stepped(), LENGTHS, "world_size"))


def test_a_loss_that_goes_on_climbing_is_no_effect_of_the_setting() -> None:
    climb = np.exp(np.clip(STEPS - AT, 0, None) / 150.0)
    found_there = alarms(run_of(stepped() * climb, LENGTHS))
    assert [a.severity for a in found_there][:1] == [Severity.CRITICAL]


def test_a_second_step_without_a_change_of_the_setting_is_found() -> None:
    loss = stepped() * np.where(STEPS < 900, 1.0, 2.0)
    starts = [a.start_step for a in alarms(run_of(loss, LENGTHS))]
    assert len(starts) == 1
    assert abs(starts[0] - 900) <= 3


def test_nan_after_a_change_of_the_setting_is_found() -> None:
    loss = stepped()
    loss[800:] = np.nan
    assert any(a.kind is Kind.NONFINITE for a in alarms(run_of(loss, LENGTHS)))


def test_a_quality_that_gets_worse_with_it_excuses_nothing() -> None:
    better = 0.5 + 0.3 * np.linspace(0, 1, 25)
    worse = np.where(np.arange(25) <= 12, better, 0.3)
    assert alarms(run_of(stepped(), LENGTHS, val=better)) == []
    assert any(a.signal == "loss" for a in alarms(run_of(stepped(), LENGTHS, val=worse)))


RAMP = np.clip((STEPS - 360) / 360, 0.0, 1.0)


def test_a_loss_that_follows_a_ramp_is_a_remark() -> None:
    run = run_of(course() * (1.0 + RAMP), RAMP, "kl_weight")
    assert alarms(run) == []
    told = " ".join(summarise(a).en for a in found(run))
    assert "kl_weight goes from 0 to 1 between steps 361 and 720, and the loss with it." in told


def test_a_step_halfway_up_a_ramp_is_an_alarm() -> None:
    assert alarms(run_of(stepped(2.0, 540), RAMP, "kl_weight"))


def test_a_rise_after_a_ramp_is_an_alarm() -> None:
    late = 1.0 + np.clip((STEPS - 800) / 300, 0.0, 1.0)
    assert alarms(run_of(course() * late, RAMP, "kl_weight"))


def test_stages_of_a_curriculum_are_remarks() -> None:
    stage = STEPS // 300
    loss = (0.5 * (1 + 0.4 * stage) + np.exp(-(STEPS % 300) / 50.0)) * (course() / course(1))
    assert alarms(run_of(loss, stage, "curriculum_stage")) == []
    assert alarms(run_of(loss, np.zeros(N), "curriculum_stage"))


def test_a_smaller_last_batch_explains_its_period() -> None:
    last = STEPS % 40 == 39
    loss = course() * np.where(last, 1.6, 1.0)
    sizes = np.where(last, 7.0, 64.0)
    plain = Run("made", "made", (Series(Metric.LOSS, "loss", "loss", STEPS, loss),))
    size = Series(Metric.BATCH_SIZE, "batch_size", "batch_size", STEPS, sizes)
    assert any(a.kind is Kind.PERIODIC_SPIKES for a in alarms(plain))
    beside = Run("made", "made", (*plain.series, size))
    assert alarms(beside) == []


def test_a_setting_that_changes_all_the_time_is_near_to_everything_and_says_nothing() -> None:
    often = (STEPS // 30) % 2
    assert alarms(run_of(stepped(2.0), often, "seq_len"))


def test_a_rise_along_a_ramp_is_told_once() -> None:
    steps = np.arange(1500)
    beta = np.clip((steps - 300) / 900, 0.0, 1.0)
    noise = np.exp(0.05 * np.random.default_rng(7).standard_normal(1500))
    loss = (0.4 + 2.6 * np.exp(-steps / 187.0)) * noise + 0.8 * beta
    (only,) = found(run_of(loss, beta, "beta"))
    assert (only.kind, only.severity) == (Kind.SUSTAINED_DRIFT, Severity.INFO)
