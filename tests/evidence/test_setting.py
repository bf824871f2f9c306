from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces, zigzag

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.LEVEL_SHIFT
AT = np.arange(50, 1001, 50)


@pytest.mark.parametrize(
    ("probe", "config", "verdict"),
    [
        ("label_smoothing_is_on", {"label_smoothing": 0.1}, YES),
        ("label_smoothing_is_on", {"label_smoothing": 0.0}, NO),
        ("label_smoothing_is_on", {}, UNKNOWN),
        ("augmentation_in_config", {"mixup": 0.2}, YES),
        ("augmentation_in_config", {"transform": "RandAugment"}, YES),
        ("augmentation_in_config", {"mixup": 0.0}, UNKNOWN),
        ("augmentation_in_config", {}, UNKNOWN),
    ],
)
def test_config(ask, falling, probe, config, verdict) -> None:
    assert ask(probe, KIND, 600, loss=falling, config=config).verdict is verdict


def test_speed(ask, falling, steady) -> None:
    slower = 1000 * np.where(np.arange(1000) < 599, 1.0, 0.7)
    name = "throughput_changed"
    assert ask(name, KIND, 600, loss=falling, throughput=slower).verdict is YES
    assert ask(name, KIND, 600, loss=falling, throughput=1000 + steady).verdict is NO
    assert ask(name, KIND, 600, loss=falling, step_time=1 / slower).verdict is YES
    assert ask(name, KIND, 600, loss=falling).verdict is UNKNOWN


@pytest.mark.parametrize(("kind", "said"), [(KIND, YES), (Kind.OVERFITTING, UNKNOWN)])
def test_the_training_metric_says_nothing_of_overfitting(ask, falling, kind, said) -> None:
    better = (AT, 1 - np.exp(-AT / 200))
    parts = {"loss": falling, "train_metric": better, "tags": {"train_metric": "train_acc"}}
    assert ask("quality_metric_improves", kind, 600, **parts).verdict is said


def test_an_accuracy_that_is_hardly_ever_right_has_no_calibration(ask, falling) -> None:
    parts = {"loss": falling, "val_metric": np.linspace(0.1, 0.25, 1000)}
    parts["tags"] = {"val_metric": "val_acc"}
    assert ask("quality_metric_improves", Kind.OVERFITTING, 600, **parts).verdict is UNKNOWN
    assert ask("quality_metric_improves", Kind.OSCILLATION, 600, **parts).verdict is YES


@pytest.mark.parametrize(("last", "said"), [(0.5049, NO), (0.5051, YES)])
def test_a_hundredth_is_the_least_that_counts(ask, falling, last, said) -> None:
    # All of its spread, yet next to nothing.
    metric = np.concatenate([np.full(200, 0.5), np.full(800, last)])
    parts = {"loss": falling, "val_metric": metric, "tags": {"val_metric": "val_acc"}}
    assert ask("quality_metric_improves", KIND, 600, **parts).verdict is said


@pytest.mark.parametrize(
    ("tag", "verdict"),
    [
        ("train/policy_gradient_loss", YES),
        ("loss/G_loss", YES),
        ("rewards/margins", YES),
        ("loss", NO),
    ],
)
def test_moving_targets(ask, falling, tag, verdict) -> None:
    found = ask("rl_or_gan_loss", KIND, 600, loss=falling, tags={"loss": tag})
    assert found.verdict is verdict


def test_quality(ask, falling) -> None:
    name, tags = "quality_metric_improves", {"val_metric": "accuracy"}
    better = (AT, 1 - np.exp(-AT / 200))
    assert ask(name, KIND, 600, loss=falling, val_metric=better, tags=tags).verdict is YES
    level = (AT, 0.5 + 0.01 * (-1.0) ** (AT // 50))
    assert ask(name, KIND, 600, loss=falling, val_metric=level, tags=tags).verdict is NO
    reward = np.linspace(-200, 100, 1000)
    assert ask(name, KIND, 600, loss=falling, reward=reward).verdict is YES
    assert ask(name, KIND, 600, loss=falling).verdict is UNKNOWN


def test_of_overfitting_what_was_won_since_it_began_counts(ask, falling) -> None:
    """Right answers come up to step 500, where the validation loss is best."""
    name, tags = "quality_metric_improves", {"val_metric": "accuracy"}
    for after, verdict in ((-0.1, NO), (0.0, NO), (0.1, YES)):
        share = np.interp(AT, [0, 500, 1000], [0.3, 0.8, 0.8 + after])
        parts = {"loss": falling, "val_metric": (AT, share), "tags": tags}
        assert ask(name, Kind.OVERFITTING, 500, 500, 1000, **parts).verdict is verdict


@pytest.mark.parametrize(
    ("old", "new", "by", "verdict"),
    [
        *(
            (10.0, 11.0, 0.0, NO),
            (10.0, 11.1, 0.0, YES),
            (10.0, 9.0, 0.0, YES),
            (10.0, 9.2, 0.0, NO),
        ),
        # Three errors of a median: 3 x 1.4826 / sqrt(5) = 1.989.
        *((10.0, 11.9, 1.0, NO), (10.0, 12.0, 1.0, YES)),
        *((0.0, 1.0, 0.0, UNKNOWN), (1.0, 0.0, 0.0, UNKNOWN)),
    ],
)
def test_the_speed_by_more_than_a_tenth(ask, old, new, by: float, verdict: Verdict) -> None:
    speed = np.concatenate([np.full(579, 99.0), zigzag(20, old, by), np.full(401, new)])
    kind, parts = Kind.LEVEL_SHIFT, {"loss": np.ones(1000), "throughput": speed}
    found = alike(ask, ("throughput",), "throughput_changed", kind, 600, **parts)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert (found.values["before"], found.values["after"]) == (old, new)


@pytest.mark.parametrize(
    ("before", "after", "verdict"), [(5, 5, YES), (4, 5, UNKNOWN), (5, 4, UNKNOWN)]
)
def test_five_points_of_speed_on_either_side(ask, before: int, after: int, verdict) -> None:
    speed = pieces((before, 1.0), (after, 2.0))
    parts = {"loss": np.ones(speed.size), "throughput": speed}
    found = ask("throughput_changed", Kind.LEVEL_SHIFT, before + 1, **parts)
    assert found.verdict is verdict


def quality(ask, values: np.ndarray, tag: str = "val_acc"):
    at = 10 * np.arange(1, len(values) + 1)
    parts = {"loss": np.ones(1000), "val_metric": (at, values), "tags": {"val_metric": tag}}
    name, kind = "quality_metric_improves", Kind.OSCILLATION
    return alike(ask, ("val_metric",), name, kind, 1, 1, 1000, **parts)


@pytest.mark.parametrize(
    ("last", "percent", "verdict"), [(1.3, 30.0, YES), (1.29, 29.0, NO), (0.7, -30.0, NO)]
)
def test_three_tenths_of_its_spread(ask, last: float, percent: float, verdict: Verdict) -> None:
    # The first tenth are four of forty evaluations, the last third thirteen.
    single = ((4, 1.0), (1, 2.0), (3, 1.0), (1, 2.0), (18, 1.0))
    values = pieces(*single, (7, last), (6, 1.9))
    assert np.ptp(np.quantile(values, (0.02, 0.98))) == pytest.approx(max(1.0, 2 - last))
    found = quality(ask, values)
    assert found.verdict is verdict
    percent = percent if last >= 1 else percent / 1.3
    assert found.values["percent"] == pytest.approx(percent, rel=5e-3)
    assert (found.values["first"], found.values["last"]) == (1.0, last)


@pytest.mark.parametrize(
    ("values", "tag", "verdict"),
    [
        *(([1.0, 1.0, 2.0, 2.0], "val_acc", YES), ([1.0, 1.0, 2.0], "val_acc", UNKNOWN)),
        *(([1.0] * 4, "val_acc", NO), ([2.0, 2.0, 1.0, 1.0], "val_mae", YES)),
        ([1.0, 3.0, 1.0, 2.9, 1.0, 2.9], "val_acc", NO),  # from 2 to 1.95: two of six, and two
    ],
)
def test_four_values_of_a_quality(ask, values, tag: str, verdict: Verdict) -> None:
    assert quality(ask, np.array(values), tag).verdict is verdict


@pytest.mark.parametrize(("value", "verdict"), [(0.0, NO), (0.01, YES), ("x", UNKNOWN)])
def test_any_label_smoothing_is_some(ask, value: object, verdict: Verdict) -> None:
    found = ask(
        "label_smoothing_is_on",
        Kind.NON_CONVERGENCE,
        1,
        loss=np.ones(9),
        config={"label_smoothing": value},
    )
    assert found.verdict is verdict


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        *(({"lr": 0.1, "depth": 3}, UNKNOWN), ({"lr": 0.1, "mixup": 0.2}, YES)),
        *(({"mixup": 0.0}, UNKNOWN), ({"mixup": "off"}, UNKNOWN), ({"policy": "randaug"}, YES)),
    ],
)
def test_only_words_of_augmentation_tell_of_it(ask, config, verdict: Verdict) -> None:
    name, kind = "augmentation_in_config", Kind.NON_CONVERGENCE
    assert ask(name, kind, 1, loss=np.ones(9), config=config).verdict is verdict


@pytest.mark.parametrize(
    ("last", "verdict", "word"),
    [(0.9, YES, "improves"), (0.7, YES, "better still"), (0.45, NO, "fell back")],
)
def test_what_peaked_and_fell_is_told_so(ask, last: float, verdict: Verdict, word: str) -> None:
    found = quality(ask, pieces((6, 0.1), (20, 0.9), (14, last)))
    assert found.verdict is verdict
    assert word in found.statement.en
