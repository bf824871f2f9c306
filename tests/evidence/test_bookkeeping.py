from __future__ import annotations

import numpy as np
import pytest
from levels import alike

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind
from spikedoc.model.run import Piece, Restart

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAME, KIND = "loss_only_rises", Kind.DIVERGENCE
LOSSES = np.exp(-np.arange(300) / 100) * np.random.default_rng(4).uniform(0.5, 1.5, 300)


def test_a_running_sum_rises_at_each_record(ask) -> None:
    found = ask(NAME, KIND, 10, 300, 300, loss=np.cumsum(LOSSES))
    assert (found.verdict, found.values["count"]) == (YES, found.values["all"])


def test_what_diverges_gets_faster(ask) -> None:
    assert ask(NAME, KIND, 10, 300, 300, loss=np.exp(np.arange(300) / 40)).verdict is NO


def test_a_noisy_rise_is_no_sum(ask) -> None:
    assert ask(NAME, KIND, 10, 300, 300, loss=LOSSES + np.arange(300) / 100).verdict is NO


def test_few_records_or_another_kind_tell_nothing(ask) -> None:
    assert ask(NAME, KIND, 1, 40, 40, loss=np.cumsum(LOSSES[:40])).verdict is UNKNOWN
    spike = ask(NAME, Kind.ISOLATED_SPIKE, 10, 10, 300, loss=np.cumsum(LOSSES))
    assert spike.verdict is UNKNOWN


class TestCountedInTwoWays:
    def verdict(self, ask, **piece) -> tuple[Verdict, dict[str, object]]:
        restart = Restart(1, 6, "rewound", Piece("a.log", "a.log", 6, 6, **piece))
        said = ask(
            "counted_in_two_ways",
            Kind.RESUME_DISCONTINUITY,
            1,
            end=6,
            loss=LOSSES[:6],
            restarts=[restart],
        )
        return said.verdict, dict(said.values)

    def test_the_ratio_is_told_both_ways(self, ask) -> None:
        said = {"step": 1, "last": 6, "ratio": 8.0, "inverse": 0.125}
        assert self.verdict(ask, ratio=8.0) == (YES, said)

    def test_other_values_are_another_training(self, ask) -> None:
        assert self.verdict(ask)[0] is NO

    def test_nothing_written_twice(self, ask) -> None:
        said = ask("counted_in_two_ways", Kind.RESUME_DISCONTINUITY, 1, loss=LOSSES[:6])
        assert said.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("downs", "late", "verdict"),
    [(1, 1.0, YES), (2, 1.0, NO), (0, 1.5, YES), (0, 1.51, NO)],
)
def test_fifty_moves_of_a_sum(ask, downs: int, late: float, verdict: Verdict) -> None:
    # Forty-nine of them up, and at the end half as large again as in the first third at most.
    moves = np.r_[np.ones(33), np.full(17, late)]
    moves[20 : 20 + downs] = -0.5
    loss = np.r_[1.0, 1 + np.cumsum(moves)]
    found = alike(ask, ("loss",), NAME, KIND, 1, 51, 51, loss=loss)
    assert found.verdict is verdict
    assert found.values == {"count": 50 - downs, "all": 50, "step": pytest.approx(late)}


@pytest.mark.parametrize(("points", "verdict"), [(50, YES), (49, UNKNOWN)])
def test_fifty_values_of_a_sum(ask, points: int, verdict: Verdict) -> None:
    loss = np.arange(1.0, points + 1)
    assert ask(NAME, KIND, 1, points, points, loss=loss).verdict is verdict


class TestScaledAlike:
    STEPS = np.arange(1, 201)

    def parts(self, loss: float, grad: float) -> dict[str, np.ndarray]:
        wave = 1.0 + 0.1 * np.random.default_rng(3).uniform(-1, 1, 200)
        after = self.STEPS >= 101
        return {
            "loss": wave * np.where(after, loss, 1.0),
            "grad_norm": wave[::-1] * np.where(after, grad, 1.0),
        }

    def ask_of(self, ask, loss: float, grad: float):
        return ask("scaled_alike", Kind.LEVEL_SHIFT, 101, end=200, **self.parts(loss, grad))

    @pytest.mark.parametrize(
        ("loss", "grad", "verdict"),
        [
            (4.0, 4.0, YES),
            (0.25, 0.25, YES),
            (4.0, 4.0 * 1.1, YES),
            (4.0, 4.0 * 1.25, NO),
            (4.0, 1.0, NO),
            (4.0, 40.0, NO),
            (1.4, 1.4, UNKNOWN),
        ],
    )
    def test_one_factor_before_both(self, ask, loss: float, grad: float, verdict) -> None:
        assert self.ask_of(ask, loss, grad).verdict is verdict

    def test_the_factors_are_told(self, ask) -> None:
        told = self.ask_of(ask, 4.0, 4.0).values
        assert told["loss"] == pytest.approx(4.0, rel=0.1)
        assert told["grad"] == pytest.approx(4.0, rel=0.1)

    @pytest.mark.parametrize(("early", "verdict"), [(0, YES), (1, YES), (2, UNKNOWN), (9, UNKNOWN)])
    def test_a_gradient_that_was_up_before_is_no_factor(self, ask, early: int, verdict) -> None:
        parts = self.parts(4.0, 4.0)
        parts["grad_norm"] = np.where(101 - early <= self.STEPS, 4.0, 1.0)
        said = ask("scaled_alike", Kind.LEVEL_SHIFT, 101, end=200, **parts)
        assert said.verdict is verdict

    @pytest.mark.parametrize(("late", "verdict"), [(0, YES), (2, YES), (3, UNKNOWN), (9, UNKNOWN)])
    def test_a_loss_that_takes_its_time_is_no_factor(self, ask, late: int, verdict) -> None:
        parts = self.parts(4.0, 4.0)
        parts["loss"] = np.where(101 + late <= self.STEPS, 4.0, 1.0)
        said = ask("scaled_alike", Kind.LEVEL_SHIFT, 101, end=200, **parts)
        assert said.verdict is verdict

    @pytest.mark.parametrize(("start", "known"), [(10, 0), (11, 1), (191, 1), (192, 0)])
    def test_ten_points_on_either_side_are_needed(self, ask, start: int, known: bool) -> None:
        rising = np.exp(self.STEPS / 10.0)
        said = ask("scaled_alike", Kind.DIVERGENCE, start, end=200, loss=rising, grad_norm=rising)
        assert said.verdict is (YES if known else UNKNOWN)

    def test_a_loss_below_zero_has_no_factor(self, ask) -> None:
        parts = self.parts(4.0, 4.0)
        parts["loss"] = np.where(self.STEPS >= 101, 4.0, -1.0)
        assert ask("scaled_alike", Kind.LEVEL_SHIFT, 101, end=200, **parts).verdict is UNKNOWN

    def test_of_a_spike_nobody_asks(self, ask) -> None:
        parts = {"loss": np.ones(200), "grad_norm": np.ones(200)}
        assert ask("scaled_alike", Kind.ISOLATED_SPIKE, 101, **parts).verdict is UNKNOWN
