"""Chains of halvings against the sawtooth of a healthy scaler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth
from plain.loss_scale import loss_scale
from told import assert_told

from spikedoc.detectors.loss_scale import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run


def found(scale: np.ndarray) -> tuple[Detection, ...]:
    return detect(synth.loss_scale_run(scale))


@pytest.mark.parametrize("halvings", [5, 8, 12])
def test_a_chain_has_its_length_and_place(halvings: int) -> None:
    (d,) = found(synth.loss_scale_chain(halvings=halvings).run.series[1].values)
    assert d.shape is Shape.HALVINGS
    assert (d.first_step, d.last_step) == (1001, 1000 + halvings)
    assert d.measures == {
        "before": 65536.0, "after": 65536.0 / 2.0**halvings, "halvings": float(halvings),
        "points": float(halvings), "chain": 1.0, "floor": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize("halvings", [1, 2, 4])
def test_a_few_halvings_are_daily_work(halvings: int) -> None:
    assert found(synth.loss_scale_chain(halvings=halvings).run.series[1].values) == ()


def test_the_floor_is_the_end() -> None:
    (d,) = detect(synth.loss_scale_floor().run)
    assert (d.measures["after"], d.measures["floor"]) == (1.0, 1.0)


def test_a_staircase_is_no_chain() -> None:
    (d,) = detect(synth.loss_scale_staircase().run)
    assert d.measures["chain"] == 0.0
    assert d.measures["halvings"] == 9.0


def test_a_lone_halving_before_the_chain_is_not_its_beginning() -> None:
    scale = np.array(synth.loss_scale_chain(halvings=8).run.series[1].values)
    scale[:400] *= 2.0
    (d,) = found(scale)
    assert d.first_step == 1001


def test_growth_in_between_ends_a_chain() -> None:
    scale = np.full(2000, 65536.0)
    for start in range(1000, 1040, 4):
        scale[start : start + 2] = 32768.0
    assert found(scale) == ()


def test_the_search_for_a_scale_is_normal_unless_it_ends_at_the_floor() -> None:
    search = np.full(500, 2.0**10)
    search[:10] = 2.0 ** (20.0 - np.arange(10))
    assert found(search) == ()
    search = np.full(500, 1.0)
    search[:20] = 2.0 ** (20.0 - np.arange(20))
    assert len(found(search)) == 1


@pytest.mark.parametrize(
    "scale", [np.full(500, 1.0), np.full(500, 65536.0), np.zeros(500), np.array([4.0, 2.0]),
              np.full(500, np.nan), synth.sawtooth_scale()],
)  # fmt: skip
def test_what_carries_no_information_is_silent(scale: np.ndarray) -> None:
    assert found(scale) == ()


class TestFloor:
    def run(self, scale: list[float], loss: list[float] | None = None, overflows: int = 0) -> Run:
        parts = [synth.series(np.array(scale), Metric.LOSS_SCALE)]
        if loss is not None:
            parts.append(synth.series(np.array(loss), Metric.LOSS))
        events = tuple((i, "OVERFLOW! Skipping step.") for i in range(overflows))
        return replace(synth.run(*parts), events=events)

    @pytest.mark.parametrize("scale", [[6.1e-5], [1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])
    def test_too_small_to_be_of_use(self, scale: list[float]) -> None:
        (found,) = detect(self.run(scale))
        assert (found.measures["floor"], found.measures["after"]) == (1.0, scale[-1])

    def test_where_it_came_from(self) -> None:
        (found,) = detect(self.run([4.0, 0.001, 0.001]))
        assert (found.first_step, found.measures["before"]) == (2, 4.0)
        assert found.measures["points"] == 2.0

    def test_a_scale_of_one_is_a_floor_only_with_overflows(self) -> None:
        assert detect(self.run([1.0] * 4)) == ()
        assert len(detect(self.run([1.0] * 4, overflows=4))) == 1

    def test_zero_throughout_beside_a_loss_that_is_fine_means_no_scaling(self) -> None:
        assert detect(self.run([0.0] * 3, [2.0, 1.9, 1.8])) == ()
        assert len(detect(self.run([0.0] * 3, [2.0, np.nan, np.nan]))) == 1

    def test_an_overflow_now_and_then_is_the_search_for_a_higher_scale(self) -> None:
        events = tuple((250 * i, "overflow detected, setting loss scale to: 1.0") for i in range(4))
        assert detect(replace(self.run([1.0] * 4), events=events)) == ()
        events = tuple((40 * i, "overflow detected, setting loss scale to: 1.0") for i in range(4))
        assert len(detect(replace(self.run([1.0] * 4), events=events))) == 1

    def test_fairseq_logs_a_scale_only_where_there_is_one(self) -> None:
        run = replace(self.run([0.0], [3.9]), config={"framework": "fairseq"})
        assert len(detect(run)) == 1
        assert detect(replace(run, config={"framework": "hf"})) == ()

    @pytest.mark.parametrize("scale", [[], [0.02], [np.nan], [-1.0]])
    def test_what_is_no_floor(self, scale: list[float]) -> None:
        assert detect(self.run(scale)) == ()


class TestExcerpt:
    """The last lines of a log, with what the scaler said."""

    OVERFLOW = "OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 8, reducing to 4"

    def excerpt(self, *scale: float, said: tuple[str, ...]) -> tuple[Detection, ...]:
        scales = synth.series(np.array(scale), Metric.LOSS_SCALE)
        return detect(replace(synth.run(scales), events=tuple((None, line) for line in said)))

    def test_halvings_down_to_a_hopeless_scale(self) -> None:
        (d,) = self.excerpt(32.0, 16.0, 8.0, 4.0, said=(self.OVERFLOW,) * 4)
        assert d.measures["halvings"] == 3.0

    def test_a_search_that_is_still_far_from_it(self) -> None:
        assert self.excerpt(65536.0, 32768.0, 16384.0, 8192.0, said=(self.OVERFLOW,) * 4) == ()
        assert self.excerpt(8.0, 4.0, said=(self.OVERFLOW,) * 2) == ()

    def test_the_message_of_giving_up(self) -> None:
        said = ("FloatingPointError: Minimum loss scale reached (0.0001).",)
        (d,) = self.excerpt(0.5, said=said)
        assert d.measures["floor"] == 1.0


SAID = ("OVERFLOW! skipped", "gradient overflow", "Loss scale already at minimum - exiting", "fine")


def random_scale(rng: np.random.Generator) -> np.ndarray:
    """Powers of two that fall and rise, from one point to the next or after a pause."""
    power, powers = float(rng.choice([0, 2, 5, 16])), []
    for _ in range(int(rng.integers(1, 14))):
        powers += [power] * int(rng.choice([1, 1, 2, 9, 10, 11, 12]))
        power += float(rng.choice([-4, -2, -1, -1, -1, -1, 1, 0.0]))
    powers = [16.0] * int(rng.choice([0, 0, 28, 31])) + powers
    values = 2.0 ** np.array(powers)
    if rng.random() < 0.2:
        values[-int(rng.integers(1, 4)) :] = float(rng.choice([0.0, 0.01, 0.011, 1.0, 4.0]))
    if rng.random() < 0.1:
        values[int(rng.integers(0, values.size))] = float(rng.choice([np.nan, -1.0, 0.0]))
    return values * float(rng.choice([1.0, 1.0, 1.0, 0.0])) if rng.random() < 0.3 else values


@pytest.mark.parametrize("block", range(15))
def test_halvings_are_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        values = random_scale(rng)
        said = [SAID[k] for k in rng.choice(4, int(rng.integers(0, 5)), p=[0.3, 0.3, 0.05, 0.35])]
        loss = [[2.0, 1.0], [2.0, float("nan")], [], None][int(rng.integers(0, 4))]
        parts = [synth.series(values, Metric.LOSS_SCALE, stride=2)]
        if loss is not None:
            parts.append(synth.series(np.array(loss)))
        run = replace(synth.run(*parts), events=tuple((None, line) for line in said))
        known = [(1 + 2 * i, v) for i, v in enumerate(values.tolist()) if np.isfinite(v)]
        expected = loss_scale([s for s, _ in known], [v for _, v in known], said, loss)
        assert_told(detect(run), expected)


@pytest.mark.parametrize(("before", "told"), [(29, 0), (30, 1)])
def test_thirty_points_are_the_search_for_a_scale(before: int, told: int) -> None:
    scale = np.concatenate(
        [np.full(before, 65536.0), 2.0 ** np.arange(16, 9, -1), np.full(9, 512.0)]
    )
    assert len(found(scale)) == told


@pytest.mark.parametrize(("at", "told"), [(49, 0), (50, 1)])
def test_a_twentieth_of_a_long_log_is_the_search_for_a_scale(at: int, told: int) -> None:
    """The fall begins after point `at` of a thousand, the twentieth of which are 50."""
    powers = np.full(1000, 16.0)
    powers[at + 1 : at + 8] = 16.0 - np.arange(1, 8)
    powers[at + 8 :] = 9.0
    assert len(found(2.0**powers)) == told


@pytest.mark.parametrize(("points", "chain"), [(50, 1.0), (51, 0.0)])
def test_a_chain_takes_fifty_points_at_most(points: int, chain: float) -> None:
    """Five halvings ten points apart, the last of them one later or not."""
    powers = np.full(200, 16.0)
    for at in (101, 111, 121, 131, 141, 100 + points):
        powers[at:] -= 1.0
    (one,) = found(2.0**powers)
    assert (one.measures["points"], one.measures["chain"]) == (float(points), chain)
