"""A rise of the loss beside a logged setting: told as its effect, or not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth
from levels import pieces

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.settings import by_setting, is_by_setting
from spikedoc.classifier.wording import summarise
from spikedoc.model.anomaly import Anomaly, Detection, Shape
from spikedoc.model.label import Form, Kind, Severity
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


# ------------------------------------------------------- one rise and one setting, without noise


def told(
    loss: FloatArray,
    setting: FloatArray,
    start: int = AT,
    *,
    tag: str = "seq_len",
    factor: float = 1.4,
    stride: int = 1,
    detections: tuple[Detection, ...] = (),
) -> bool:
    """Return whether a lasting rise that begins at `start` is taken for that of the setting."""
    run = run_of(loss, setting, tag)
    series = tuple(Series(s.metric, s.name, s.tag, stride * s.steps, s.values) for s in run.series)
    run = Run("made", "made", series)
    end = stride * (len(loss) - 1)
    a = Anomaly(
        Kind.LEVEL_SHIFT,
        Severity.CRITICAL,
        0.9,
        "loss",
        start,
        start,
        end,
        Form.UP,
        {"factor": factor},
    )
    found = by_setting(build(run, detections), a)
    assert (found.severity is Severity.INFO) is is_by_setting(found)
    return is_by_setting(found)


@pytest.mark.parametrize(
    ("n", "stride", "off", "near"),
    [
        # Ten points, in a short log a fiftieth of it, three at least.
        *((1200, 1, -11, False), (1200, 1, -10, True), (1200, 1, 10, True), (1200, 1, 11, False)),
        *((200, 1, 4, True), (200, 1, 5, False), (100, 1, 3, True), (100, 1, 4, False)),
        *((1200, 5, 50, True), (1200, 5, 51, False), (1200, 5, -50, True), (1200, 5, -51, False)),
    ],
)
def test_how_near_a_rise_begins(n: int, stride: int, off: int, near: bool) -> None:
    half = n // 2
    loss, setting = pieces((half, 1.0), (half, 1.4)), pieces((half, 512), (half, 1024))
    assert told(loss, setting, stride * half + off, stride=stride) is near


@pytest.mark.parametrize(
    ("n", "count", "rare"), [(1200, 14, True), (1200, 15, False), (20, 1, True), (20, 2, False)]
)
def test_changes_near_to_a_quarter_of_the_log_say_nothing(n: int, count: int, rare: bool) -> None:
    # Each is near to 21 points of 1200: fourteen to 294, fifteen to more than 300. One alone may.
    half, apart = n // 2, 30 if n > 99 else 5
    steps = np.arange(n)
    places = half + apart * (np.arange(count) - count // 2)
    setting = (steps[:, None] >= places[None, :]).sum(axis=1).astype(float)
    assert told(pieces((half, 1.0), (half, 1.4)), setting, half) is rare


def later(rise: float, further: float, points: int = 100) -> FloatArray:
    """Return a loss whose log rises at the change, and further at the end of the log."""
    return np.exp(pieces((600, 0.0), (600 - points, rise), (points, rise + further)))


@pytest.mark.parametrize(
    ("rise", "further", "points", "stands"),
    [
        *((0.8, 0.19, 100, True), (0.8, 0.21, 100, False)),  # a quarter of the rise
        *((0.2, 0.09, 100, True), (0.2, 0.1, 100, False)),  # and a tenth in any case
        # Late is the last fifth of what follows the first fifty points: 109 of 549.
        *((0.8, 0.5, 54, True), (0.8, 0.5, 55, False)),
    ],
)
def test_a_level_that_stands_still_with_the_setting(rise, further, points, stands) -> None:
    assert told(later(rise, further, points), LENGTHS) is stands


@pytest.mark.parametrize(("index", "apart"), [(900, True), (652, True), (651, False)])
def test_a_rise_of_its_own_later_on_is_not_that_of_the_setting(index: int, apart: bool) -> None:
    # Fifty points behind the change it is another one.
    rise = Detection(
        "any", Shape.RISE, "loss", index, index, N, {"index": float(index), "span": 20.0, "z": 9.0}
    )
    assert told(later(0.4, 1.0), LENGTHS, detections=(rise,)) is apart
    assert told(later(0.4, 1.0), LENGTHS) is False


def test_the_next_change_of_a_setting_ends_what_the_first_one_did() -> None:
    again = np.where(STEPS < AT, 512, np.where(STEPS < 1100, 1024, 2048))
    assert told(later(0.4, 1.0), again) is True


@pytest.mark.parametrize(("at", "known"), [(5, True), (4, False)])
def test_five_points_before_the_change(at: int, known: bool) -> None:
    loss, setting = pieces((at, 1.0), (200, 1.4)), pieces((at, 512), (200, 1024))
    assert told(loss, setting, at) is known


@pytest.mark.parametrize(
    ("tag", "before", "after", "log_factor", "believed"),
    [
        # Four times the move of the setting, in logs: 4 ln 1.1 = .381.
        *(("kl_weight", 2.0, 2.2, 0.38, True), ("kl_weight", 2.0, 2.2, 0.385, False)),
        # Of a share what is left counts as well: 4 ln (.5 / .4) = .893.
        *(("dropout", 0.5, 0.6, 0.88, True), ("dropout", 0.5, 0.6, 0.9, False)),
        *(("dropout", 0.9, 1.0, 5.0, True), ("kl_weight", 0.0, 0.5, 5.0, True)),
        # A tenth is no more than noise.
        *(("kl_weight", 2.0, 2.002, 0.09, True), ("kl_weight", 2.0, 2.002, 0.1, False)),
        *(("stage", 2.0, 2.002, 5.0, True), ("kl_weight", 2.0, 1.8, 0.42, True)),
    ],
)
def test_how_much_a_setting_can_account_for(tag, before, after, log_factor, believed) -> None:
    setting = np.where(STEPS < AT, before, after)
    loss = np.exp(pieces((600, 0.0), (600, 0.3)))
    assert told(loss, setting, tag=tag, factor=float(np.exp(log_factor))) is believed


def along(setting: FloatArray, levels: FloatArray, start: int = 0) -> bool:
    """Return whether a loss whose log has these levels, twenty points each, drifts along."""
    loss = np.exp(np.repeat(levels, 20))
    a = Anomaly(
        Kind.SUSTAINED_DRIFT, Severity.CRITICAL, 0.9, "loss", start, start, loss.size - 1, None, {}
    )
    return is_by_setting(by_setting(build(run_of(loss, setting, "difficulty"), ()), a))


@pytest.mark.parametrize(("size", "follows"), [(2.6, True), (3.0, False)])
def test_a_drift_that_follows_a_ramp(size: float, follows: bool) -> None:
    # Twenty levels that rise by 1 have a variance of 33.25; up and down in turn they go by `size`.
    ups = size * (-1.0) ** np.arange(20)
    levels = 0.1 * (np.arange(20) + ups)
    expected = np.corrcoef(np.arange(20), np.arange(20) + ups)[0, 1]
    assert bool(expected >= 0.9) is follows
    assert along(np.linspace(0.0, 1.0, 400), levels) is follows


@pytest.mark.parametrize(("reached", "enough"), [(4.9, False), (2.9, True)])
def test_a_drift_along_a_quarter_of_the_ramp(reached: float, enough: bool) -> None:
    # The setting goes to 1 in the end of the log's first tenth, before the drift begins, and then
    # by 1 / reached of all of it.
    early = np.linspace(0.0, reached - 1.0, 40)
    late = np.linspace(reached - 1.0, reached, 360)
    levels = 0.1 * np.r_[0.0, 0.0, np.arange(1, 19)]
    assert along(np.r_[early, late], levels, start=40) is enough


LEVEL = Anomaly(
    Kind.LEVEL_SHIFT, Severity.CRITICAL, 0.9, "loss", AT, AT, N - 1, Form.UP, {"factor": 1.4}
)
RISEN = pieces((AT, 1.0), (N - AT, 1.4))


@pytest.mark.parametrize(
    ("change", "explained"),
    [
        ({}, True),
        ({"kind": Kind.DIVERGENCE, "form": Form.FINITE}, True),
        ({"kind": Kind.SLOW_RECOVERY, "form": None}, True),
        ({"kind": Kind.ISOLATED_SPIKE, "form": None}, False),
        ({"form": Form.DOWN}, False),
        ({"signal": "grad_norm"}, False),
    ],
)
def test_which_findings_a_setting_may_explain(change, explained: bool) -> None:
    a = replace(LEVEL, **change)
    found = by_setting(build(run_of(RISEN, LENGTHS), ()), a)
    assert is_by_setting(found) is explained
    if not explained:
        assert found is a
    elif a.kind is Kind.DIVERGENCE:
        assert (found.kind, found.form) == (Kind.LEVEL_SHIFT, Form.UP)


@pytest.mark.parametrize(
    ("tag", "metric", "name", "explained"),
    [
        # A weight is part of the validation loss as well, the length of a sample is not.
        ("kl_weight", Metric.VAL_LOSS, "val_loss", True),
        ("curriculum_stage", Metric.VAL_LOSS, "val_loss", False),
        ("kl_weight", Metric.VAL_METRIC, "val_error", False),
        ("curriculum_stage", Metric.VAL_METRIC, "val_error", False),
        ("curriculum_stage", Metric.VAL_METRIC, "val/gizmo", True),  # which way is better?
    ],
)
def test_whose_validation_got_worse(tag: str, metric: Metric, name: str, explained: bool) -> None:
    setting = np.where(STEPS < AT, 1.0, 2.0)
    at = np.arange(49, N, 50)
    val = Series(metric, name, name, at, np.where(at < AT, 1.0, 3.0))
    run = run_of(RISEN, setting, tag)
    run = Run("made", "made", (*run.series, val))
    assert is_by_setting(by_setting(build(run, ()), LEVEL)) is explained


@pytest.mark.parametrize(("points", "enough"), [(8, True), (7, False)])
def test_eight_points_of_a_short_drift(points: int, enough: bool) -> None:
    levels = 0.1 * np.arange(20)
    loss = np.exp(levels)
    a = Anomaly(Kind.SUSTAINED_DRIFT, Severity.CRITICAL, 0.9, "loss", 20 - points, 19, 19, None, {})
    run = run_of(loss, np.arange(20.0), "difficulty")
    assert is_by_setting(by_setting(build(run, ()), a)) is enough


def test_a_loss_or_a_setting_that_stands_still_follows_nothing() -> None:
    rising = np.linspace(0.0, 1.0, 400)
    assert along(rising, 0.1 * np.arange(20))
    assert not along(rising, np.zeros(20))
    assert not along(np.zeros(400), 0.1 * np.arange(20))


def slow_rise(levels: FloatArray, start: int, end: int) -> bool:
    """Return whether a drift is that of a setting which goes up a little at 600, a lot at 1100.

    It moves too little within the drift for the loss to follow it as along a ramp.
    """
    setting = pieces((600, 512.0), (500, 600.0), (N - 1100, 5000.0))
    a = Anomaly(Kind.SUSTAINED_DRIFT, Severity.CRITICAL, 0.9, "loss", start, start, end, None, {})
    return is_by_setting(by_setting(build(run_of(np.exp(levels), setting), ()), a))


@pytest.mark.parametrize(
    ("start", "end", "within"),
    [
        (600, 1000, True), (601, 1000, False), (500, 600, True), (500, 599, False),
        (5, 1000, True), (4, 1000, False),  # five points before it
    ],
)  # fmt: skip
def test_a_slow_rise_holds_the_change(start: int, end: int, within: bool) -> None:
    levels = pieces((600, 0.0), (N - 600, 0.3))
    assert slow_rise(levels, start, end) is within


@pytest.mark.parametrize(("risen", "within"), [(0.09, True), (0.1, False), (-0.5, True)])
def test_a_slow_rise_does_not_begin_before_the_change(risen: float, within: bool) -> None:
    # The fifty points before the rise at 300, and those before the change.
    levels = pieces((250, 5.0), (50, 0.0), (250, 3.0), (50, risen), (N - 600, 0.4))
    assert slow_rise(levels, 300, 1000) is within


@pytest.mark.parametrize(("further", "stands"), [(0.09, True), (0.1, False)])
def test_behind_the_change_a_slow_rise_stands_still(further: float, stands: bool) -> None:
    # Until the next change: what happens from there on is another matter.
    levels = pieces((600, 0.0), (300, 0.3), (200, 0.3 + further), (N - 1100, 9.0))
    assert slow_rise(levels, 550, 1000) is stands


def ramped(weight: FloatArray, later: FloatArray | float = 0.0, seed: int = 0) -> Run:
    """A loss whose second term counts more and more, from the first step on."""
    noise = np.random.default_rng(seed).standard_normal(N)
    plain = 0.2 + 2.0 * np.exp(-STEPS / 60.0)
    loss = (plain + 0.35 * weight + later) * np.exp(0.04 * noise)
    return run_of(loss, weight, "consistency_weight")


CLIMBS = np.exp(-5.0 * (1.0 - np.minimum(1.0, STEPS / 400.0)) ** 2)
SATURATES = 2.0 / (1.0 + np.exp(-10.0 * STEPS / N)) - 1.0


@pytest.mark.parametrize("weight", [CLIMBS, SATURATES])
def test_a_ramp_from_the_first_step_on_explains_what_rises_with_it(weight: FloatArray) -> None:
    runs = [ramped(weight, seed=seed) for seed in range(5)]
    assert [alarms(run) for run in runs] == [[]] * 5
    assert any(is_by_setting(a) for run in runs for a in found(run))


@pytest.mark.parametrize("seed", range(5))
def test_a_loss_that_climbs_long_after_the_ramp_is_an_alarm(seed: int) -> None:
    assert alarms(ramped(CLIMBS, 0.6 * np.maximum(0.0, STEPS - 500) / 700.0, seed=seed))


@pytest.mark.parametrize("every", [7, 10, 50])
def test_a_setting_that_ramps_between_two_records_of_the_loss(every: int) -> None:
    steps = np.arange(3001)
    loss = (2 * np.exp(-steps / 750) + 0.4) * np.where(steps > 1500, 2.0, 1.0)
    length = np.select([steps < 1501, steps < 1505], [512.0, 768.0], 1024.0)
    run = synth.run(
        synth.series(loss[::every], stride=every, first=0),
        synth.series(length, Metric.OTHER, tag="seq_len", name="seq_len", first=0),
    )
    found = [a for a in classify(run, detect(run)) if a.signal == "loss"]
    assert found or every == 50  # sixty points are too few to see it
    assert {a.severity for a in found} <= {Severity.INFO}
