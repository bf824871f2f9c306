"""Steps and returns of the learning rate that a schedule does not explain."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
import synth
from plain.schedule import schedule
from told import assert_told

from spikedoc.detectors.schedule import detect
from spikedoc.model.anomaly import Detection, Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series


def found(lr: np.ndarray, *restarts: Restart) -> tuple[Detection, ...]:
    return detect(synth.lr_run(lr, restarts))


def only(lr: np.ndarray, *restarts: Restart) -> Detection:
    (one,) = found(lr, *restarts)
    assert one.shape is Shape.JUMP
    return one


T = np.arange(1000)


@pytest.mark.parametrize(
    "lr",
    [
        np.full(1000, 1e-3),
        synth.cosine_lr(1000),
        synth.cosine_lr(1000, warmup=300),
        1e-3 * 0.1 ** (T // 300),  # step decay
        1e-3 * 0.99 ** (T // 10),
        np.maximum(1e-3 * (1 - T / 1000), 0.0),
        np.where(T < 500, 1e-3, 0.0),
        np.minimum(1e-3, 1e-6 * 1.02**T),  # exponential warm-up
        np.zeros(1000),
        np.full(1000, np.nan),
        np.array([1e-3, 2e-3, 4e-3]),
    ],
)
def test_ordinary_schedules_are_silent(lr: np.ndarray) -> None:
    assert found(lr) == ()


class TestJumps:
    def test_a_jump_that_is_taken_back(self) -> None:
        one = only(synth.lr_jump(at=600, factor=10.0).run.series[1].values)
        assert (one.first_step, one.last_step) == (601, 701)
        m = one.measures
        assert m["factor"] == pytest.approx(10.0, rel=0.02)
        assert (m["reverted"], m["above_all_before"], m["cyclic"], m["count"]) == (1, 1, 0, 1)

    def test_a_jump_back_to_the_first_value(self) -> None:
        lr = np.where(T < 600, 1e-3 * 0.999**T, 1e-3 * 0.999 ** (T - 600))
        m = only(lr).measures
        assert (m["at_start_value"], m["at_peak_value"], m["reverted"]) == (1, 1, 0)
        assert m["after"] == pytest.approx(1e-3)
        assert m["before"] == pytest.approx(1e-3 * 0.999**599)

    def test_a_jump_after_a_fall_too_slow_to_be_seen_between_neighbours(self) -> None:
        t = np.arange(200)
        lr = np.where(t < 100, 1e-2 * 0.975**t, 1e-2)
        one = only(lr)
        assert one.first_step == 101
        assert one.measures["before"] == pytest.approx(1e-2 * 0.975**99)

    def test_a_warm_up_that_begins_anew_at_a_restart_begins_with_its_fall(self) -> None:
        warm = np.minimum(1.0, np.arange(1, 1001) / 50.0) * 1e-2
        lr = np.where(T < 600, warm * (1 - T / 1200), warm[np.maximum(T - 600, 0)])
        one = only(lr, Restart(step=601, last_step=600, reason="rewound"))
        assert one.first_step == 601
        m = one.measures
        assert (m["before"], m["after"]) == (pytest.approx(lr[599]), pytest.approx(2e-4))
        assert m["climbs_to"] == pytest.approx(1e-2)
        assert m["at_restart"] == 1

    def test_a_warm_up_that_begins_anew_without_a_restart_begins_with_its_fall_too(self) -> None:
        warm = np.minimum(1.0, np.arange(1, 1001) / 50.0) * 1e-2
        one = only(np.where(T < 600, warm * (1 - T / 1200), warm[np.maximum(T - 600, 0)]))
        m = one.measures
        assert (one.first_step, one.peak_step) == (601, 650)
        assert m["before"] == pytest.approx(1e-2 * (1 - 599 / 1200))
        assert (m["after"], m["rises_to"]) == (pytest.approx(2e-4), pytest.approx(1e-2))
        assert (m["at_start_value"], m["at_restart"]) == (1, 0)

    def test_a_leap_that_goes_on_names_the_step_it_leads_to(self) -> None:
        lr = np.where(T < 600, 1e-4, np.minimum(2e-4 + (T - 600) * 1e-5, 1e-3))
        m = only(lr).measures
        assert (m["after"], m["climb_step"]) == (pytest.approx(1e-3), 681)
        assert "climb_step" not in only(np.where(T < 600, 1e-4, 1e-3)).measures

    @pytest.mark.parametrize(("restart", "near"), [(601, 1.0), (598, 1.0), (300, 0.0)])
    def test_whether_a_restart_is_near(self, restart: int, near: float) -> None:
        lr = np.where(T < 600, 1e-4, 1e-3)
        assert only(lr, Restart(restart, restart - 1, "new-file")).measures["at_restart"] == near

    @pytest.mark.parametrize(("factor", "jumps"), [(1.2, 0), (1.5, 1)])
    def test_thirty_per_cent_make_a_jump(self, factor: float, jumps: int) -> None:
        assert len(found(np.where(T < 600, 1e-3, 1e-3 * factor))) == jumps

    def test_jumps_close_together_are_one(self) -> None:
        lr = np.full(1000, 1e-4)
        lr[600:] *= 2.0
        lr[604:] *= 2.0
        one = only(lr)
        assert one.first_step == 601
        assert one.measures["count"] == 1.0

    def test_jumps_apart_are_several(self) -> None:
        lr = np.full(1000, 1e-4)
        lr[300:340] *= 3.0
        lr[450:700] *= 5.0
        assert [d.first_step for d in found(lr)] == [301, 451]
        assert {d.measures["count"] for d in found(lr)} == {2.0}

    def test_a_step_up_out_of_a_constant_is_one_even_before_any_fall(self) -> None:
        assert only(np.where(T < 500, 1e-4, 1e-3)).first_step == 501


def second_stage(start: float, warm: int = 60, peak: float = 5e-4) -> np.ndarray:
    """A cosine that runs out, and a second one with a linear warm-up that begins at `start`."""
    first = 1e-3 * 0.5 * (1 + np.cos(np.pi * np.arange(500) / 500))
    t = np.arange(500)
    decay = 0.5 * (1 + np.cos(np.pi * (t - warm) / (500 - warm)))
    return np.concatenate(
        [first, np.where(t < warm, start + (peak - start) * t / warm, peak * decay)]
    )


class TestSecondStages:
    @pytest.mark.parametrize("start", [0.0, 1e-9, 1e-6])
    def test_a_linear_warm_up_after_a_schedule_that_ran_out(self, start: float) -> None:
        one = only(second_stage(start))
        assert one.measures["warm_up"] == 1.0
        assert one.measures.get("factor", 1.0) < 1e6
        assert abs(one.first_step - 501) <= 2

    def test_a_rate_that_leads_higher_than_ever_is_a_jump(self) -> None:
        assert "warm_up" not in found(second_stage(0.0, peak=1e-2))[0].measures

    def test_a_warm_up_out_of_a_rate_that_was_cut_at_once_is_a_jump(self) -> None:
        lr = np.where(T < 500, 1e-3, np.minimum(1e-3, 2e-5 * (T - 500)))
        assert "comeback" not in only(lr).measures

    def test_a_jump_at_once_out_of_zero_has_no_factor(self) -> None:
        lr = np.where(T < 500, np.maximum(0.0, 1e-3 * (1 - T / 490)), 1e-3)
        m = only(lr).measures
        assert "factor" not in m
        assert (m["before"], m["after"]) == (0.0, 1e-3)

    def test_a_cosine_beyond_its_end_is_no_second_stage(self) -> None:
        lr = 1e-3 * 0.5 * (1 + np.cos(np.pi * T / 500))
        m = only(lr).measures
        assert (m["comeback"], m["warm_up"]) == (1.0, 0.0)


def test_a_rate_of_few_decimals_climbs_in_units_of_the_last_one() -> None:
    rate = 3e-3 * np.minimum(T / 300, 0.5 * (1 + np.cos(np.pi * T / T.size)))
    assert found(np.round(rate, 3)) == ()
    jump = np.where(T < 500, 0.001, 0.004)
    assert len(found(jump)) == 1


class TestCycles:
    @pytest.mark.parametrize("cycles", [4, 8])
    def test_evenly_spaced_restarts(self, cycles: int) -> None:
        jumps = detect(synth.lr_restarts(1200, cycles).run)
        assert len(jumps) == cycles - 1
        assert {d.measures["cyclic"] for d in jumps} == {1.0}

    def test_restarts_whose_cycles_double(self) -> None:
        edges = [0, 100, 300, 700, 1500]
        lr = np.concatenate(
            [0.5e-3 * (1 + np.cos(np.pi * np.arange(b - a) / (b - a)))
             for a, b in pairwise(edges)]
        )  # fmt: skip
        assert {d.measures["cyclic"] for d in found(lr)} == {1.0}

    def test_a_single_restart_with_the_same_descent(self) -> None:
        cosine = 1e-3 * 0.5 * (1 + np.cos(np.pi * np.arange(400) / 400))
        assert only(np.concatenate([cosine, cosine])).measures["cyclic"] == 1
        assert only(np.concatenate([cosine[:200], cosine])).measures["cyclic"] == 0

    @pytest.mark.parametrize("missing", [1, 60, 200, 310])
    def test_a_log_that_begins_within_a_cycle(self, missing: int) -> None:
        cosine = 1e-3 * 0.5 * (1 + np.cos(np.pi * np.arange(400) / 400))
        jumps = found(np.tile(cosine, 4)[missing:])
        assert len(jumps) == 3
        assert {d.measures["cyclic"] for d in jumps} == {1.0}
        # Cut at once on the way down, it began anew for another reason.
        cut = np.concatenate([cosine[missing:], cosine[:150], cosine])
        assert {d.measures["cyclic"] for d in found(cut)} == {0.0}

    def test_irregular_jumps_are_no_cycle(self) -> None:
        lr = synth.cosine_lr(1000)
        for at in (300, 380, 800):
            lr[at : at + 10] *= 2.0
        assert {d.measures["cyclic"] for d in found(lr)} == {0.0}

    @pytest.mark.parametrize(("second", "cyclic"), [(667, 1.0), (430, 0.0), (800, 0.0)])
    def test_two_returns_are_a_cycle_when_the_second_comes_after_as_long(
        self, second: int, cyclic: float
    ) -> None:
        since = np.where(T < 333, T, np.where(second > T, T - 333, T - second))
        lr = 1e-3 * 0.99**since
        assert {d.measures["cyclic"] for d in found(lr)} == {cyclic}

    @pytest.mark.parametrize("length", [10, 20, 60, 100, 250])
    def test_many_restarts(self, length: int) -> None:
        t = np.arange(3000)
        lr = 1e-3 * (1.0 - t % length / (1.1 * length))
        assert {d.measures["cyclic"] for d in found(lr)} == {1.0}

    @pytest.mark.parametrize("length", [10, 20, 60, 100, 250])
    def test_many_jumps_at_uneven_distances_are_no_cycle(self, length: int) -> None:
        t = np.arange(3000)
        starts = np.cumsum(np.random.default_rng(0).choice([length // 3, length], 3000))
        since = t - np.concatenate([[0], starts])[np.searchsorted(starts, t, side="right")]
        lr = 1e-3 * (1.0 - since / (1.1 * length))
        assert {d.measures["cyclic"] for d in found(lr)} == {0.0}

    def test_jumps_above_all_before_are_no_cycle(self) -> None:
        lr = 1e-3 * 0.998 ** (T % 250) * (1 + T // 250)
        assert {d.measures["cyclic"] for d in found(lr)} == {0.0}


class TestComeback:
    def test_a_schedule_that_runs_past_its_end(self) -> None:
        one = only(synth.lr_mismatch().run.series[1].values)
        m = one.measures
        assert m["comeback"] == 1.0
        assert one.first_step == pytest.approx(601, abs=3)
        assert m["before"] == pytest.approx(5e-5, rel=0.05)
        assert m["factor"] == pytest.approx(m["after"] / m["before"])

    def test_a_low_that_stays_low_is_none(self) -> None:
        assert found(np.maximum(synth.cosine_lr(1000), 5e-5)) == ()

    def test_several_smooth_cycles_are_a_schedule(self) -> None:
        lr = 5e-5 + 0.5e-3 * (1 + np.cos(2 * np.pi * T / 250))
        assert found(lr) == ()


SWING = np.arange(600) % 300 / 300.0
TRIANGLE = 1.0 - np.abs(2.0 * SWING - 1.0)
WAVE = 0.5 * (1.0 - np.cos(2.0 * np.pi * SWING))


class TestTwoSwings:
    """A cyclic rate of two cycles is a schedule, as one of three is."""

    @pytest.mark.parametrize("course", [TRIANGLE, WAVE])
    @pytest.mark.parametrize("second", [1.0, 0.6])
    @pytest.mark.parametrize("end", [500, 600])
    def test_the_same_course_twice_is_a_schedule(
        self, course: np.ndarray, second: float, end: int
    ) -> None:
        course = np.where(np.arange(600) < 300, course, second * course)
        assert found(1e-5 + 1e-3 * course[:end]) == ()

    @pytest.mark.parametrize("course", [TRIANGLE, WAVE])
    @pytest.mark.parametrize("end", [390, 440, 452])
    def test_a_log_that_ends_on_the_second_way_up_is_of_a_schedule_too(
        self, course: np.ndarray, end: int
    ) -> None:
        assert found(1e-5 + 1e-3 * course[:end]) == ()

    @pytest.mark.parametrize("end", range(218, 228))
    def test_a_log_that_ends_at_the_foot_of_another_climb(self, end: int) -> None:
        waves = 0.5 * (1.0 + np.cos(2.0 * np.pi * np.arange(end) / 39.7))
        assert found(1e-5 + 1e-3 * waves) == ()

    def test_where_the_run_was_restarted_it_is_told(self) -> None:
        assert len(found(1e-5 + 1e-3 * TRIANGLE, Restart(301, 300, "rewound"))) == 1

    @pytest.mark.parametrize(
        "lr",
        [
            WAVE[150:],  # begins at its top: a cosine beyond its end
            np.concatenate([TRIANGLE[:300], np.linspace(0.0, 1.0, 300)]),
            np.concatenate([TRIANGLE[:300], np.linspace(0.0, 1.0, 250)]),  # nor down again
            np.concatenate([np.linspace(0, 1, 30), WAVE[150:450], WAVE[150:300]]),
        ],
    )
    def test_another_course_is_told(self, lr: np.ndarray) -> None:
        assert len(found(1e-5 + 1e-3 * lr)) >= 1


LEVELS = (0.0, 1e-7, 0.05, 0.1, 0.11, 0.5, 0.52, 0.95, 1.0, 1.05, 1.06, 1.3, 2.0)


def pieces(rng: np.random.Generator) -> np.ndarray:
    """Rates of constants, lines, decays and cosines between levels that stand on thresholds."""
    parts, level = [], float(rng.choice(LEVELS[5:]))
    for _ in range(int(rng.integers(1, 6))):
        length, to = int(rng.integers(1, 14)), float(rng.choice(LEVELS))
        kind = rng.integers(0, 6)
        if kind == 5:
            parts.append(to * rng.choice([1.0, 1.05], length))
        elif kind == 0:
            parts.append(np.full(length, to))
        elif kind == 1:
            parts.append(np.linspace(level, to, length))
        elif kind == 2:
            parts.append(level * 0.9 ** np.arange(length))
        elif kind == 3:
            parts.append(to + (level - to) * 0.5 * (1 + np.cos(np.pi * np.arange(length) / length)))
        else:
            parts.append(np.linspace(0.0, to, length + 1))
        level = float(parts[-1][-1])
    return np.concatenate(parts)


def with_steps(values: np.ndarray, steps: np.ndarray, restarts: list[int]) -> Run:
    lr = Series(Metric.LR, "lr", "lr", steps, values)
    return Run("n", "p", (lr,), restarts=tuple(Restart(at, at - 1, "rewound") for at in restarts))


@pytest.mark.parametrize("block", range(20))
def test_rates_are_told_of_as_the_definition_says(block: int) -> None:
    for seed in range(35 * block, 35 * block + 35):
        rng = np.random.default_rng(seed)
        values = np.tile(pieces(rng), int(rng.choice([1, 1, 1, 2, 4])))
        steps = np.cumsum(rng.choice([1, 1, 1, 4], values.size)) * int(rng.choice([1, 5]))
        places = steps if rng.random() < 0.5 else steps[:4]
        restarts = sorted((rng.choice(places, int(rng.integers(0, 3))) + seed % 2).tolist())
        stride = float(np.median(np.diff(steps))) if steps.size > 1 else 1.0
        found = detect(with_steps(values, steps, restarts))
        assert_told(found, schedule(steps.tolist(), values.tolist(), restarts, stride))


@pytest.mark.parametrize("seed", range(40))
def test_many_jumps_are_a_cycle_where_the_definition_says(seed: int) -> None:
    """Restarts of a decay at distances that are even, or grow, or are neither."""
    rng = np.random.default_rng(seed)
    factor = rng.choice([1.0, 1.3, 1.36, 2.0, 2.4])
    lengths = 8 * factor ** np.arange(int(rng.integers(2, 7))) + rng.integers(0, 4)
    tops = rng.choice([1.0, 1.05, 1.06], lengths.size) if seed % 2 else np.ones(lengths.size)
    values = np.concatenate(
        [top * 0.9 ** np.arange(int(n)) for n, top in zip(lengths, tops, strict=True)]
    )
    steps = np.arange(values.size) * 3
    found = detect(with_steps(values, steps, []))
    assert_told(found, schedule(steps.tolist(), values.tolist(), [], 3.0))


@pytest.mark.parametrize("block", range(10))
def test_second_stages_are_those_of_the_definition(block: int) -> None:
    """A rate that falls to nearly nothing and comes back smoothly: by a third of the way down or
    not, as high or not, held for as long or not, and down again or not."""
    for seed in range(40 * block, 40 * block + 40):
        rng = np.random.default_rng(seed)
        down, up = 3 * int(rng.integers(4, 12)), int(rng.integers(3, 14))
        low = float(rng.choice([0.0, 1e-6, 0.01, 0.1]))
        peak = float(rng.choice([0.5, 0.94, 1.0, 1.05, 1.06]))
        rise = low + (peak - low) * (np.arange(1, up + 1) / up) ** float(rng.choice([0.5, 1.0]))
        after = np.linspace(peak, peak * float(rng.choice([1.0, 0.96, 0.95, 0.5])),
                            int(rng.integers(1, 2 * up)))  # fmt: skip
        values = np.concatenate([np.linspace(1.0, low, down + 1), rise, after[1:]])
        steps = 2 * np.arange(values.size)
        found = detect(with_steps(values, steps, []))
        assert_told(found, schedule(steps.tolist(), values.tolist(), [], 2.0))


@pytest.mark.parametrize("block", range(10))
def test_warm_ups_near_zero_are_those_of_the_definition(block: int) -> None:
    """A rate that ran out, or was cut, rises again by large factors in small or large steps, with a
    fall between them or not, near a restart or not."""
    for seed in range(60 * block, 60 * block + 60):
        rng = np.random.default_rng(seed)
        low = float(rng.choice([0.0, 1e-4, 0.05, 0.1, 0.11]))
        down = np.linspace(1.0, low, int(rng.choice([2, 3, 4, 12])))
        ups = np.cumsum(rng.choice([0.0, 0.02, 0.05, 0.1], int(rng.integers(2, 14))))
        rise = low + ups * float(rng.choice([1.0, 2.0, 0.5]))
        rise[int(rng.integers(0, rise.size))] -= float(rng.choice([0.0, 0.0, 0.01]))
        values = np.concatenate([np.full(4, 1.0), down, np.maximum(rise, 0.0)])
        if seed % 3 == 0:
            values = np.append(values, float(rng.choice([0.5, 1.0, 1.05, 1.06])))
        steps = np.cumsum(rng.choice([1, 1, 3], values.size))
        near = int(rng.integers(max(0, values.size - 14), values.size))
        restarts = [int(steps[near]) + int(rng.integers(-6, 7))] if seed % 2 else []
        stride = float(np.median(np.diff(steps)))
        found = detect(with_steps(values, steps, restarts))
        assert_told(found, schedule(steps.tolist(), values.tolist(), restarts, stride))


def test_a_rate_that_is_next_to_nothing_does_not_jump() -> None:
    assert found(np.where(T < 500, 1e-31, 1e-30)) == ()
    assert len(found(np.where(T < 500, 1e-31, 1.1e-30))) == 1


def test_restarts_at_steps_beyond_all_digits_have_no_lengths_to_divide_by() -> None:
    """Beyond 2**53 the steps of all restarts are one double: equally long, if anything."""
    values = np.tile(0.9 ** np.arange(20), 4)
    steps = 2**60 + np.arange(values.size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = detect(with_steps(values, steps, []))
    assert told
    assert {one.measures["cyclic"] for one in told} == {1.0}


def test_a_span_that_no_integer_holds_joins_jumps_all_the_same() -> None:
    steps = np.linspace(-9e18, 9e18, 600).astype(np.int64)
    values = np.repeat(10.0 ** np.random.default_rng(2).uniform(-5, -2, 200), 3)
    series = Series(Metric.LR, "lr", "lr", steps, values)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 2 <= len(detect(Run("run", "run", (series,)))) <= 50


def test_a_rate_below_zero_has_no_factor() -> None:
    rate = np.full(41, -3e-4)
    rate[[7, 9, 19, 30, 35]] = 3.0, 0.0, 3e-4, 0.0, 3e-4
    assert all(np.isfinite(d.measures.get("factor", 1.0)) for d in found(rate))
    assert any("factor" not in d.measures for d in found(rate))
