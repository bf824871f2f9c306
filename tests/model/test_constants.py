"""Loss levels that mean something, against values computed by hand or from the definition."""

from __future__ import annotations

import math

import pytest

from spikedoc.model.constants import (
    chance_level,
    chance_loss,
    double_softmax_floor,
    smoothing_floor,
)


@pytest.mark.parametrize(
    ("classes", "loss"), [(2, 0.6931), (10, 2.3026), (1000, 6.9078), (50_257, 10.8249)]
)
def test_guessing_costs_ln_c(classes: int, loss: float) -> None:
    assert chance_loss(classes) == pytest.approx(loss, abs=1e-4)


@pytest.mark.parametrize("classes", [2, 10, 100, 1000])
def test_a_second_softmax_sees_probabilities_for_logits(classes: int) -> None:
    # The best there is: the right class has probability 1, so its "logit" is 1, the others' 0.
    logits = [1.0] + [0.0] * (classes - 1)
    loss = -logits[0] + math.log(math.fsum(math.exp(x) for x in logits))
    assert double_softmax_floor(classes) == pytest.approx(loss)


@pytest.mark.parametrize(("classes", "floor"), [(10, 1.4612), (100, 3.6220), (1000, 5.9093)])
def test_double_softmax_floor_in_numbers(classes: int, floor: float) -> None:
    assert double_softmax_floor(classes) == pytest.approx(floor, abs=1e-3)


@pytest.mark.parametrize("classes", [2, 10, 50_257])
@pytest.mark.parametrize("smoothing", [0.05, 0.1, 0.5])
def test_smoothed_targets_cost_their_entropy(classes: int, smoothing: float) -> None:
    off = smoothing / classes
    targets = [1.0 - smoothing + off] + [off] * (classes - 1)
    entropy = -math.fsum(p * math.log(p) for p in targets)
    assert smoothing_floor(classes, smoothing) == pytest.approx(entropy, rel=1e-9)


def test_without_smoothing_nothing_is_lost() -> None:
    assert smoothing_floor(10, 0.0) == 0.0


class TestChanceLevel:
    @pytest.mark.parametrize(
        ("level", "classes"), [(2.30, 10), (0.695, 2), (6.91, 1000), (11.93, 151_936)]
    )
    def test_common_counts_are_recognised(self, level: float, classes: int) -> None:
        found = chance_level(level, None)
        assert found is not None
        assert found == (classes, pytest.approx(math.log(classes)))

    @pytest.mark.parametrize("level", [0.3, 1.0, 1.5, 3.5, 5.5, 8.5])
    def test_other_levels_are_not(self, level: float) -> None:
        assert chance_level(level, None) is None

    def test_a_known_count_is_the_only_candidate(self) -> None:
        assert chance_level(2.30, 1000) is None
        assert chance_level(math.log(37) * 1.02, 37) == (37, pytest.approx(math.log(37)))
        assert chance_level(math.log(37) * 1.05, 37) is None

    @pytest.mark.parametrize("classes", [0, 1, -5])
    def test_a_count_that_makes_no_sense_is_not_used(self, classes: int) -> None:
        found = chance_level(2.30, classes)
        assert found is not None
        assert found[0] == 10

    @pytest.mark.parametrize("level", [0.0, -2.3, math.nan, math.inf, -math.inf])
    def test_levels_no_loss_of_classes_has(self, level: float) -> None:
        assert chance_level(level, None) is None
