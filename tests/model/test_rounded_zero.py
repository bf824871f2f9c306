"""A loss that reads 0 throughout: what two decimals hide, and what they do not."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.assembly.limits import limits
from spikedoc.assembly.report import judge
from spikedoc.ingest import load_frame
from spikedoc.model.metric import Metric
from spikedoc.model.report import Status
from spikedoc.model.rounded_zero import right_from_the_start, rounded_zero
from spikedoc.model.run import Run
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog


def run(
    accuracy: list[float], loss: float = 0.0, metric: Metric = Metric.TRAIN_METRIC, tag: str = "acc"
) -> Run:
    acc = np.resize(np.array(accuracy), 20)
    return synth.run(
        synth.series(np.full(20, loss)), synth.series(acc, metric, tag=tag, name=f"m:{tag}")
    )


@pytest.mark.parametrize("accuracy", [[0.93, 0.92], [93.27, 92.81], [1.0], [0.9], [100.0]])
def test_two_decimals_beside_right_answers_hide_a_loss(accuracy: list[float]) -> None:
    found = rounded_zero(run(accuracy))
    assert found is not None
    assert found.below == 0.005


@pytest.mark.parametrize(
    "other",
    [
        run([0.93, 0.921]),  # three decimals are printed
        run([0.89]),  # wrong answers, whatever the digits
        run([0.93], tag="f1"),
        run([0.93], loss=0.01),
        run([120.0]),
        run([-0.5, 0.95]),
        synth.run(synth.series(np.zeros(20))),
        synth.run(synth.series(np.full(20, 0.93), Metric.TRAIN_METRIC, tag="acc", name="a")),
        synth.run(*run([0.93]).series, synth.series(np.zeros(20), Metric.GRAD_NORM)),
        synth.run(*run([0.93]).series, synth.series(np.full(20, 1.234), Metric.GRAD_NORM)),
    ],
)
def test_a_loss_that_is_zero_or_is_not(other: Run) -> None:
    assert rounded_zero(other) is None


def test_one_loss_above_zero_is_enough() -> None:
    values = np.r_[0.01, np.zeros(19)]
    acc = synth.series(np.full(20, 0.93), Metric.TRAIN_METRIC, tag="acc", name="a")
    assert rounded_zero(synth.run(synth.series(values), acc)) is None


@pytest.mark.parametrize(
    ("accuracy", "least"),
    [(0.93, 0.0485), (0.99, 0.0069), (1.0, None)],  # a hundredth wrong asks for more than .005
)
def test_what_the_answers_ask_for(accuracy: float, least: float | None) -> None:
    found = rounded_zero(run([accuracy]))
    assert found is not None
    expected = None if least is None else pytest.approx(least, abs=1e-4)
    assert found.least_cross_entropy == expected


def test_other_samples_ask_for_nothing() -> None:
    found = rounded_zero(run([0.93], metric=Metric.VAL_METRIC, tag="val_acc"))
    assert found is not None
    assert found.least_cross_entropy is None


def test_what_the_report_says() -> None:
    frame = {"loss": np.zeros(20), "accuracy": np.resize(np.array([0.93, 0.94]), 20)}
    made = load_frame(frame)
    report = diagnose(made, load_catalog(None))
    assert report.status is Status.UNKNOWN
    assert (report.findings, report.causes) == ((), ())
    (said,) = (one for one in report.limits if "two decimals" in one.en)
    assert "below 0.005" in said.en
    assert "0.045 at least" in said.en
    assert "0.045" in said.zh


def test_of_answers_that_are_all_right_only_the_digits_are_told() -> None:
    made = load_frame({"loss": np.zeros(20), "accuracy": np.ones(20)})
    (said,) = (one for one in limits(made) if "two decimals" in one.en)
    assert said.en.endswith("Print more digits (`:.3e`).")


def test_a_loss_with_digits_is_judged() -> None:
    made = load_frame({"loss": np.linspace(0.5, 0.1, 20), "accuracy": np.full(20, 0.93)})
    assert judge(made, []) is Status.HEALTHY
    assert not any("two decimals" in one.en for one in limits(made))


def test_zeros_beside_three_decimals_are_still_told() -> None:
    frame = {"loss": np.zeros(20), "accuracy": np.resize(np.array([0.931, 0.934]), 20)}
    report = diagnose(load_frame(frame), load_catalog(None))
    assert report.status is Status.CRITICAL


@pytest.mark.parametrize(
    ("accuracy", "first", "stride", "right"),
    [
        ([1.0], 1, 1, True),
        ([100.0], 50, 50, True),
        ([1.0, 0.99], 1, 1, False),
        ([100.0], 6, 1, False),  # an excerpt: learned before it begins
        ([100.0], 5000, 5000, False),  # much can be learned before the first record
    ],
)
def test_all_right_from_the_first_record_on(
    accuracy: list[float], first: int, stride: int, right: bool
) -> None:
    place = {"first": first, "stride": stride}
    acc = np.resize(np.array(accuracy), 12)
    given = synth.run(
        synth.series(np.zeros(12), **place),
        synth.series(acc, Metric.TRAIN_METRIC, tag="acc", name="m:acc", **place),
    )
    assert right_from_the_start(given) is right
    labels = {f.anomaly.label for f in diagnose(given, load_catalog()).findings}
    assert ("non-convergence/constant-zero" in labels) is right
