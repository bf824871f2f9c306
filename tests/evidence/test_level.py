from __future__ import annotations

import math

import numpy as np
import pytest
from levels import alike, pieces, zigzag

from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def flat(level: float, noise: float = 0.01, n: int = 400) -> np.ndarray:
    return level * np.exp(np.random.default_rng(3).normal(0, noise, n))


@pytest.mark.parametrize(
    ("level", "classes", "verdict"),
    [
        (math.log(12), 12, YES),
        (math.log(12) * 1.02, 12, YES),
        (math.log(12) * 1.1, 12, NO),
        (math.log(10), None, YES),
        (math.log(50257), None, YES),
        (1.99, None, NO),
        (7.4, None, NO),
    ],
)
def test_chance(ask, level, classes, verdict) -> None:
    config = {} if classes is None else {"num_classes": classes}
    found = ask("level_at_chance", Kind.NON_CONVERGENCE, 1, 1, 400, loss=flat(level), config=config)
    assert found.verdict is verdict


def test_chance_is_unknown_for_a_spike_and_for_a_short_log(ask) -> None:
    assert ask("level_at_chance", Kind.ISOLATED_SPIKE, 9, loss=flat(2.3)).verdict is UNKNOWN
    assert ask("level_at_chance", Kind.NON_CONVERGENCE, 9, loss=flat(2.3, n=20)).verdict is UNKNOWN


def test_double_softmax(ask) -> None:
    floor = math.log(1 + 9 / math.e)  # 1.461
    stuck = np.maximum(2.3 * np.exp(-np.arange(400) / 60), floor * 1.05) * flat(1.0)
    kind = Kind.NON_CONVERGENCE
    config = {"num_classes": 10}
    ask_it = lambda loss: ask("level_at_double_softmax", kind, 1, 1, 400, loss=loss, config=config)  # noqa: E731
    found = ask_it(stuck)
    assert found.verdict is YES
    assert found.values["floor"] == pytest.approx(1.4612, abs=1e-4)
    # Below the floor, and never moved.
    assert ask_it(2.3 * np.exp(-np.arange(400) / 60) + 0.5).verdict is NO
    assert ask_it(flat(1.5)).verdict is NO


@pytest.mark.parametrize(
    ("name", "level"),
    [("level_at_chance", math.log(10)), ("level_at_double_softmax", math.log(1 + 9 / math.e))],
)
@pytest.mark.parametrize(("share", "verdict"), [(0.6, UNKNOWN), (0.95, YES)])
def test_the_levels_of_one_term_say_nothing_of_a_sum(ask, name, level, share, verdict) -> None:
    loss = np.maximum(8.0 * np.exp(-np.arange(400) / 20), level) * flat(1.0)
    terms = {"loss_cls": share * loss, "loss_box": (1 - share) * loss}
    found = ask(name, Kind.NON_CONVERGENCE, 1, 1, 400, loss=loss, components=terms,
                config={"num_classes": 10})  # fmt: skip
    assert found.verdict is verdict


def test_learned_something(ask, falling) -> None:
    found = ask("learned_something", Kind.OSCILLATION, 300, 300, 1000, loss=falling)
    assert found.verdict is YES
    assert ask("learned_something", Kind.NON_CONVERGENCE, 1, 1, 400, loss=flat(2.3)).verdict is NO
    assert ask("learned_something", Kind.NON_CONVERGENCE, 1, loss=flat(2.3, n=9)).verdict is UNKNOWN


def test_a_run_that_diverged_had_learned(ask, falling) -> None:
    loss = falling.copy()
    loss[700:] = 9.0
    assert ask("learned_something", Kind.DIVERGENCE, 700, loss=loss).verdict is YES


def test_still_falling(ask, falling) -> None:
    slow = 3.0 * np.exp(-np.arange(1000) / 700) * np.exp(0.05 * np.sin(np.arange(1000)))
    assert ask("still_falling", Kind.NON_CONVERGENCE, 1, 1, 1000, loss=slow).verdict is YES
    assert ask("still_falling", Kind.NON_CONVERGENCE, 1, 1, 1000, loss=flat(1.0)).verdict is NO
    assert ask("still_falling", Kind.NON_CONVERGENCE, 1, loss=np.ones(5)).verdict is UNKNOWN


def test_went_to_zero(ask, falling) -> None:
    loss = falling.copy()
    loss[500:] = 0.0
    found = ask("loss_went_to_zero", Kind.NONFINITE, 501, 501, 1000, loss=loss)
    assert (found.verdict, found.values["zeros"]) == (YES, 500)
    assert ask("loss_went_to_zero", Kind.NONFINITE, 501, 501, 1000, loss=falling).verdict is NO
    assert ask("loss_went_to_zero", Kind.NONFINITE, 2000, loss=falling).verdict is UNKNOWN


def test_a_loss_that_began_at_a_guess_names_the_classes(ask) -> None:
    # ln 10 at the start, ln 5 at the end: it has learned something, and has ten classes.
    name, kind = "level_at_chance", Kind.NON_CONVERGENCE
    noise = np.exp(np.random.default_rng(3).normal(0, 0.005, 1000))
    level = np.full(1000, np.log(5))
    begun = level.copy()
    begun[:10] = np.log(10)
    assert ask(name, kind, 1, 1, 1000, loss=level * noise).verdict is YES
    assert ask(name, kind, 1, 1, 1000, loss=begun * noise).verdict is NO
    five = {"loss": begun * noise, "config": {"num_classes": 5}}
    assert ask(name, kind, 1, 1, 1000, **five).verdict is YES


STUCK = Kind.NON_CONVERGENCE


def chance(ask, loss: np.ndarray, classes: int | None = None):
    config = {} if classes is None else {"num_classes": classes}
    return ask("level_at_chance", STUCK, 1, 1, loss.size, loss=loss, config=config)


@pytest.mark.parametrize(
    ("factor", "verdict"), [(0.969, NO), (0.971, YES), (1.029, YES), (1.031, NO)]
)
def test_a_level_within_three_percent_of_a_known_guess(ask, factor: float, verdict) -> None:
    found = chance(ask, np.full(400, factor * math.log(7)), 7)
    assert found.verdict is verdict
    assert found.values == {
        "level": pytest.approx(factor * math.log(7)), "classes": 7, "chance": 1.9459,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("noise", "factor", "verdict"),
    [
        # The last tenth are 40 points: their median has an error of 1.4826 x noise / sqrt(40).
        *((0.06, 1.041, YES), (0.06, 1.043, NO)),
        # However large that is, six per cent are off.
        *((0.2, 1.059, YES), (0.2, 1.061, NO)),
    ],
)
def test_a_noisy_level_has_more_room(ask, noise: float, factor: float, verdict) -> None:
    loss = factor * math.log(7) * zigzag(400, 1.0, noise / factor)
    assert chance(ask, loss, 7).verdict is verdict


@pytest.mark.parametrize(
    ("classes", "factor", "verdict"),
    [
        *((10, 0.9935, NO), (10, 0.9945, YES), (10, 1.0195, YES), (10, 1.0205, NO)),
        *((20, 1.0065, NO), (20, 1.0055, YES)),
        *((100, 1.0055, YES), (100, 1.0065, NO), (1000, 0.9945, YES), (1000, 0.9935, NO)),
    ],
)
def test_a_level_near_a_guess_among_usual_numbers(ask, classes, factor, verdict) -> None:
    # Random logits cost up to 2 % more than ln C, over many classes .6 %; never .6 % less.
    found = chance(ask, np.full(400, factor * math.log(classes)))
    assert (found.verdict, found.values["classes"]) == (verdict, classes)


@pytest.mark.parametrize(
    ("accuracy", "verdict"), [(None, NO), (0.0556, YES), (5.56, YES), (0.10, NO), (0.9, NO)]
)
def test_an_unusual_number_of_classes_needs_an_accuracy_of_its_guess(
    ask, accuracy: float | None, verdict: Verdict
) -> None:
    parts = {} if accuracy is None else {"val_metric": np.full(400, accuracy)}
    tags = {"val_metric": "val_acc"}
    loss = np.full(400, math.log(18))
    found = ask("level_at_chance", STUCK, 1, 1, 400, loss=loss, tags=tags, **parts)
    assert found.verdict is verdict
    assert (found.values["classes"] == 18) is (verdict is YES)


def test_one_class_is_no_number_of_classes(ask) -> None:
    assert chance(ask, np.full(400, math.log(2)), 1).values["classes"] == 2
    # Two are: 2.5 % off a known guess is near enough, off an unknown one it is not.
    assert chance(ask, np.full(400, 1.025 * math.log(2)), 2).verdict is YES
    assert chance(ask, np.full(400, 1.025 * math.log(2))).verdict is NO


@pytest.mark.parametrize(("factor", "verdict"), [(1.009, NO), (1.011, YES), (-1.0, YES)])
def test_where_it_began_tells_the_classes_within_a_hundredth(ask, factor, verdict) -> None:
    loss = pieces((10, factor * math.log(10)), (390, math.log(5)))
    assert chance(ask, loss).verdict is verdict


@pytest.mark.parametrize("level", [0.0, -1.0])
def test_no_level_of_a_guess_is_zero_or_below(ask, level: float) -> None:
    assert chance(ask, np.full(400, level)).verdict is UNKNOWN
    found = ask("level_at_double_softmax", STUCK, 1, 1, 400, loss=np.full(400, level))
    assert found.verdict is UNKNOWN


def test_a_few_epochs_that_stand_at_a_guess(ask) -> None:
    told = {"last": 2.31, "classes": 10.0, "chance": math.log(10)}
    seen = Detection("any", Shape.STANDSTILL, "loss", 1, 1, 5, told)
    other = Detection("any", Shape.FLAT, "loss", 1, 1, 5, told)
    bare = Detection("any", Shape.STANDSTILL, "loss", 1, 1, 5, {"last": 2.31})
    parts = {"loss": np.full(5, 2.31)}
    found = ask("level_at_chance", STUCK, 1, 1, 5, detections=(other, bare, seen), **parts)
    assert found.verdict is YES
    assert found.values == {"level": 2.31, "classes": 10, "chance": 2.3026}
    assert ask("level_at_chance", STUCK, 1, detections=(other, bare), **parts).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("start", "factor", "verdict"),
    [
        *((2.3, 0.979, NO), (2.3, 0.981, YES), (2.3, 1.199, YES), (2.3, 1.201, NO)),
        # From 1.63 down to 1.461 is more than a tenth of it, from 1.62 less.
        *((1.63, 1.0, YES), (1.62, 1.0, NO)),
    ],
)
def test_near_the_floor_of_a_double_softmax(ask, start, factor, verdict) -> None:
    floor = math.log(1 + 9 / math.e)
    loss = pieces((10, start), (390, factor * floor))
    config = {"num_classes": 10}
    found = ask("level_at_double_softmax", STUCK, 1, 1, 400, loss=loss, config=config)
    assert found.verdict is verdict
    level = pytest.approx(factor * floor)
    assert found.values == {"level": level, "floor": 1.4612, "classes": 10}


@pytest.mark.parametrize(
    ("config", "level", "classes"),
    [({}, 3.62, 100), ({"num_classes": 1}, 3.62, 100), ({"num_classes": 2}, 0.32, 2)],
)
def test_the_classes_of_a_double_softmax(ask, config, level: float, classes: int) -> None:
    # ln(1 + 99 / e) = 3.622, ln(1 + 1 / e) = .313.
    loss = pieces((10, 4.6), (390, level))
    found = ask("level_at_double_softmax", STUCK, 1, 1, 400, loss=loss, config=config)
    assert (found.verdict, found.values["classes"]) == (YES, classes)


@pytest.mark.parametrize(
    ("start", "best", "percent", "verdict"),
    [
        *((10.0, 9.0, 10.0, YES), (10.0, 9.1, 9.0, NO)),
        *((-10.0, -11.0, 10.0, YES), (-10.0, -10.9, 9.0, NO)),
        (0.0, -1.0, 0.0, NO),  # nothing to measure the fall by
    ],
)
def test_a_tenth_of_the_start_is_learned(ask, start, best, percent, verdict) -> None:
    # The start is the median of five points, the best level that of a fortieth of the run.
    loss = pieces((3, start), (2, start + 5), (195, start), (10, best), (190, start))
    found = alike(ask, ("loss",), "learned_something", STUCK, 1, 1, 400, loss=loss)
    assert found.verdict is verdict
    assert found.values == {"start": start, "best": best, "percent": pytest.approx(percent)}


def late(levels: list[float]) -> np.ndarray:
    """Return 480 points whose last quarter are twelve blocks of ten at these levels."""
    return pieces((360, 500.0), *((10, level) for level in levels))


@pytest.mark.parametrize(("step", "verdict"), [(0.22, NO), (0.23, YES)])
def test_a_fall_of_two_percent_over_the_last_quarter(ask, step: float, verdict) -> None:
    # From the second of twelve blocks to the eleventh, each the middle of three.
    found = ask("still_falling", STUCK, 1, 1, 480, loss=late([100 - step * i for i in range(12)]))
    assert found.verdict is verdict
    first, last = 100 - step, 100 - 10 * step
    assert found.values["first"] == pytest.approx(first)
    assert found.values["last"] == pytest.approx(last)
    assert found.values["percent"] == pytest.approx(100 * (first - last) / first, rel=5e-3)


@pytest.mark.parametrize(
    ("levels", "verdict"),
    [
        # Of 66 pairs 16 rise: tau is (16 - 50) / 66 = -.515; with one more it is -.485.
        ([11, 12, 10, 4, 5, 6, 7, 8, 9, 3, 2, 1], YES),
        ([11, 12, 10, 4, 5, 6, 7, 8, 9, 3, 1, 2], NO),
    ],
)
def test_a_fall_that_is_mostly_one_way(ask, levels: list[int], verdict: Verdict) -> None:
    loss = late([float(level) for level in levels])
    assert ask("still_falling", STUCK, 1, 1, 480, loss=loss).verdict is verdict


@pytest.mark.parametrize(
    ("after", "zeros", "points", "verdict"),
    [
        ([0.0, 0.0, 1.0, 1.0], 2, 4, NO),
        ([0.0, 1.0, 0.0, 0.0], 3, 4, YES),
        ([1.0, 1.0, 0.0, 0.0], 2, 2, YES),  # all that is left of the log
        ([1.0, 0.0], 1, 1, YES),
        ([1.0, 1.0], 0, 2, NO),
    ],
)
def test_three_zeros_are_no_accident(ask, after, zeros: int, points: int, verdict) -> None:
    loss = np.concatenate([np.zeros(3), np.ones(5), after])
    found = ask("loss_went_to_zero", Kind.NONFINITE, 9, loss=loss)
    assert found.verdict is verdict
    # The points are counted from the first zero on, whatever broke before it.
    first = 9 + len(after) - points
    assert found.values == {"zeros": zeros, "points": points, "first": first}
