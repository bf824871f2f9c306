"""A rise of the training loss beside a validation that does not get worse."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.harder import change_over, without_harm
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run, Series
from spikedoc.pipeline import detect

N = 1200
RISE_AT = 600


def run_with(validation: list[float], accuracy: list[float] | None = None) -> Run:
    """A loss that steps up fivefold halfway, and 24 evaluations."""
    steps = np.arange(1, N + 1)
    rng = np.random.default_rng(3)
    loss = (0.1 + 2.0 * np.exp(-steps / 80.0)) * np.exp(0.15 * rng.standard_normal(N))
    loss[steps > RISE_AT] *= 5.0
    at = np.arange(50, N + 1, 50)
    series = [
        Series(Metric.LOSS, "loss", "loss", steps, loss),
        Series(Metric.VAL_LOSS, "val_loss", "val_loss", at, np.asarray(validation)),
    ]
    if accuracy is not None:
        series.append(
            Series(Metric.VAL_METRIC, "val_metric:val_acc", "val_acc", at, np.asarray(accuracy))
        )
    return Run("made", "made", tuple(series))


def rises(run: Run) -> list[Anomaly]:
    kinds = (Kind.LEVEL_SHIFT, Kind.DIVERGENCE)
    return [a for a in classify(run, detect(run)) if a.kind in kinds and a.signal == "loss"]


BETTER = [0.7 + 0.01 * (-1) ** i for i in range(12)] + [0.72] * 2 + [0.4] * 10
SAME = [0.7 + 0.01 * (-1) ** i for i in range(24)]
WORSE = [0.7 + 0.01 * (-1) ** i for i in range(12)] + [1.5] * 12


def test_a_loss_on_harder_data_is_a_remark_where_validation_gets_better() -> None:
    found = rises(run_with(BETTER))
    assert [(a.kind, a.form, a.severity) for a in found] == [
        (Kind.LEVEL_SHIFT, Form.UP, Severity.INFO)
    ]
    assert abs(found[0].start_step - RISE_AT) <= 3


@pytest.mark.parametrize("validation", [SAME, WORSE])
def test_validation_that_merely_holds_or_gets_worse_excuses_nothing(
    validation: list[float],
) -> None:
    assert all(a.severity is not Severity.INFO for a in rises(run_with(validation)))
    assert rises(run_with(validation))


def test_a_metric_that_got_worse_outweighs_a_loss_that_got_better() -> None:
    falls = [0.9] * 12 + [0.6] * 12
    assert all(a.severity is not Severity.INFO for a in rises(run_with(BETTER, falls)))


def change(
    before: list[float],
    during: list[float],
    *,
    hump: bool = False,
    metric: Metric = Metric.VAL_LOSS,
) -> int | None:
    """Return how validation changed over a rise that begins between two evaluations."""
    values = np.array(before + during)
    at = 10 * np.arange(1, values.size + 1)
    kind = Kind.SLOW_RECOVERY if hump else Kind.LEVEL_SHIFT
    start = 10 * len(before) + 5
    # A hump ends with the last evaluation but one: the next one after it counts as well.
    end = int(at[-2]) if hump and len(during) > 1 else int(at[-1])
    a = Anomaly(kind, Severity.WARNING, 0.9, "loss", start, start, end)
    return change_over(Series(metric, "val", "val_acc", at, values), a)


@pytest.mark.parametrize(
    ("late", "hump", "found"),
    [
        *((95.0, False, 0), (94.9, False, 1), (105.0, False, 0), (105.1, False, -1)),
        *((90.0, True, 0), (89.9, True, 1), (110.0, True, 0), (110.1, True, -1)),
    ],
)
def test_a_twentieth_better_or_worse_and_a_tenth_in_a_hump(late, hump: bool, found: int) -> None:
    assert change([100.0] * 4, [late] * 4, hump=hump) == found
    up = change([100.0] * 4, [late] * 4, hump=hump, metric=Metric.VAL_METRIC)
    assert up == -found


@pytest.mark.parametrize(
    ("before", "during", "found"),
    [
        *(([100.0] * 2, [50.0] * 2, 1), ([100.0], [50.0] * 2, None), ([100.0] * 2, [50.0], None)),
        # The last four on either side.
        ([9.0, 100.0, 100.0, 100.0, 100.0], [999.0] * 5 + [50.0] * 4, 1),
        ([9.0] * 3 + [100.0] * 3, [50.0] * 4, 1),
        ([9.0] * 4 + [100.0] * 2, [50.0] * 4, 1),  # against 54.5
    ],
)
def test_two_to_four_evaluations_on_either_side(before, during, found: int | None) -> None:
    assert change(before, during) == found


def test_the_worst_evaluation_of_a_hump_counts_and_the_one_after_it() -> None:
    calm = [100.0] * 8
    assert change(calm, [50.0, 150.0, 50.0], hump=True) == -1
    assert change(calm, [50.0, 50.0, 150.0], hump=True) == -1
    assert change(calm, [50.0, 50.0, 50.0, 150.0]) == 1


@pytest.mark.parametrize(("late", "found"), [(84.0, 1), (84.1, 0)])
def test_twice_the_scatter_of_the_evaluations(late: float, found: int) -> None:
    # They move by 10 up and down around 105: 2 x 1.4826 x 10 / sqrt(2) is 20.97.
    assert change([100.0, 110.0] * 4, [late] * 2) == found


BEFORE, STEPS = [100.0] * 8, 10 * np.arange(1, 17)
DOWN, LEVEL, UP = [50.0] * 8, [100.0] * 8, [150.0] * 8


def judged(
    *during: list[float],
    kind: Kind = Kind.DIVERGENCE,
    form: Form | None = None,
    signal: str = "loss",
    tag: str = "val_acc",
) -> Anomaly:
    """Return a rise at step 85 beside metrics that are 100 before it and so high afterwards."""
    a = Anomaly(kind, Severity.WARNING, 0.9, signal, 85, 85, 150, form)
    metrics = [
        Series(Metric.VAL_METRIC, f"val_metric:{k}", tag, STEPS, np.array(BEFORE + values))
        for k, values in enumerate(during)
    ]
    loss = Series(Metric.LOSS, "loss", "loss", np.arange(1, 161), np.ones(160))
    return without_harm(build(Run("made", "made", (loss, *metrics)), ()), a)


@pytest.mark.parametrize(
    ("during", "kind", "severity"),
    [
        ([UP], Kind.DIVERGENCE, Severity.INFO),
        ([UP], Kind.LEVEL_SHIFT, Severity.INFO),
        ([UP, LEVEL], Kind.DIVERGENCE, Severity.INFO),
        ([LEVEL, UP], Kind.DIVERGENCE, Severity.INFO),
        ([UP, DOWN], Kind.DIVERGENCE, Severity.WARNING),
        ([LEVEL], Kind.DIVERGENCE, Severity.WARNING),
        ([DOWN], Kind.DIVERGENCE, Severity.WARNING),
        ([], Kind.DIVERGENCE, Severity.WARNING),
        # A hump is harmless where nothing got worse.
        ([LEVEL], Kind.SLOW_RECOVERY, Severity.INFO),
        ([UP], Kind.SLOW_RECOVERY, Severity.INFO),
        ([LEVEL, DOWN], Kind.SLOW_RECOVERY, Severity.WARNING),
        ([], Kind.SLOW_RECOVERY, Severity.WARNING),
        ([UP], Kind.ISOLATED_SPIKE, Severity.WARNING),
        ([UP], Kind.SUSTAINED_DRIFT, Severity.WARNING),
    ],
)
def test_what_validation_says_of_a_rise(during, kind: Kind, severity: Severity) -> None:
    found = judged(*during, kind=kind)
    assert found.severity is severity
    lasting = severity is Severity.INFO and kind is not Kind.SLOW_RECOVERY
    # What is as good as before is on a new level, harmless or not.
    lasting |= kind is Kind.DIVERGENCE and during == [LEVEL]
    assert (found.kind, found.form) == ((Kind.LEVEL_SHIFT, Form.UP) if lasting else (kind, None))


def test_of_what_validation_says_nothing() -> None:
    assert judged(UP, kind=Kind.LEVEL_SHIFT, form=Form.UP).severity is Severity.INFO
    assert judged(UP, kind=Kind.LEVEL_SHIFT, form=Form.DOWN).severity is Severity.WARNING
    assert judged(UP, signal="grad_norm").severity is Severity.WARNING
    # Which way is better is not known of it.
    assert judged(UP, tag="val/gizmo").severity is Severity.WARNING


def test_a_validation_loss_is_no_judge_of_itself() -> None:
    val = Series(Metric.VAL_LOSS, "val_loss", "val_loss", STEPS, np.array(BEFORE + DOWN))
    a = Anomaly(Kind.DIVERGENCE, Severity.WARNING, 0.9, "val_loss", 85, 85, 150)
    assert without_harm(build(Run("made", "made", (val,)), ()), a) is a


def answers(
    after: float, *, noise: float = 0.0, scale: float = 1.0, kind: Kind = Kind.DIVERGENCE
) -> Severity:
    """Return what becomes of a rise at step 41, beside training answers half right before it."""
    rng = np.random.default_rng(1)
    right = np.where(np.arange(100) < 40, 0.5, after) + noise * rng.standard_normal(100)
    steps = np.arange(1, 101)
    parts = (
        Series(Metric.LOSS, "loss", "loss", steps, np.ones(100)),
        Series(Metric.TRAIN_METRIC, "train_metric:acc", "acc", steps, scale * right),
    )
    a = Anomaly(kind, Severity.CRITICAL, 0.9, "loss", 41, 60, 100)
    return without_harm(build(Run("made", "made", parts), ()), a).severity


@pytest.mark.parametrize("scale", [1.0, 100.0])
@pytest.mark.parametrize("kind", [Kind.DIVERGENCE, Kind.SLOW_RECOVERY])
def test_a_quarter_more_right_answers_in_training_judge_without_validation(
    scale: float, kind: Kind
) -> None:
    assert answers(0.76, scale=scale, kind=kind) is Severity.INFO
    assert answers(0.74, scale=scale, kind=kind) is Severity.CRITICAL
    assert answers(0.2, scale=scale, kind=kind) is Severity.CRITICAL


def test_they_must_stand_out_of_their_own_noise() -> None:
    assert answers(0.8, noise=0.02) is Severity.INFO
    assert answers(0.8, noise=0.3) is Severity.CRITICAL


def test_beside_validation_the_training_answers_say_nothing() -> None:
    steps = np.arange(1, 101)
    parts = (
        Series(Metric.LOSS, "loss", "loss", steps, np.ones(100)),
        Series(Metric.TRAIN_METRIC, "train_metric:acc", "acc", steps, steps / 100.0),
        Series(Metric.VAL_LOSS, "val_loss", "val_loss", steps[::5], np.full(20, 0.5)),
    )
    a = Anomaly(Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", 41, 60, 100)
    assert without_harm(build(Run("made", "made", parts), ()), a) is a


@pytest.mark.parametrize(
    ("accuracy", "kind"),
    [
        ([0.9] * 24, Kind.LEVEL_SHIFT),
        ([0.9] * 12 + [0.95] * 12, Kind.LEVEL_SHIFT),
        ([0.9] * 12 + [0.5] * 12, Kind.DIVERGENCE),
        (None, Kind.DIVERGENCE),
    ],
)
def test_a_run_that_is_as_good_as_before_did_not_diverge(
    accuracy: list[float] | None, kind: Kind
) -> None:
    """The loss was defined anew: that of validation rises as well, the answers are as good."""
    run = run_with(WORSE, accuracy)
    rise = Anomaly(
        Kind.DIVERGENCE, Severity.CRITICAL, 0.9, "loss", RISE_AT + 1, RISE_AT + 5, N, Form.FINITE
    )
    found = without_harm(build(run, ()), rise)
    form = Form.UP if kind is Kind.LEVEL_SHIFT else Form.FINITE
    assert (found.kind, found.form, found.severity) == (kind, form, Severity.CRITICAL)
