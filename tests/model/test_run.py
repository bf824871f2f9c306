"""Series and runs: contracts of shape, look-ups, and the length of an epoch."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Run, Series

NAN = np.nan


def series(steps: list[int], values: list[float] | None = None, metric: Metric = Metric.LOSS,
           rank: int | None = None, name: str = "") -> Series:  # fmt: skip
    given = np.ones(len(steps)) if values is None else np.array(values, dtype=np.float64)
    at = np.array(steps, dtype=np.int64)
    return Series(metric, name or metric.value, f"train/{metric.value}", at, given, rank=rank)


def run(*parts: Series, **config: ConfigValue) -> Run:
    return Run("name", "path", parts, config=config)


class TestSeries:
    @pytest.mark.parametrize("steps", [[1, 1], [2, 1], [1, 2, 2, 3]])
    def test_steps_must_increase(self, steps: list[int]) -> None:
        with pytest.raises(ValueError, match=r"train/loss.*increasing"):
            series(steps)

    @pytest.mark.parametrize(("steps", "values"), [([1, 2], [1.0]), ([], [1.0])])
    def test_steps_and_values_are_pairs(self, steps: list[int], values: list[float]) -> None:
        with pytest.raises(ValueError, match="equal length"):
            series(steps, values)

    def test_nested_arrays_are_no_series(self) -> None:
        with pytest.raises(ValueError, match="1-d"):
            Series(Metric.LOSS, "loss", "t", np.ones((2, 2), dtype=np.int64), np.ones((2, 2)))

    def test_nobody_can_change_it_afterwards(self) -> None:
        one = Series(Metric.LOSS, "loss", "t", np.arange(3), np.ones(3), wall_times=np.arange(3.0))
        for array in (one.steps, one.values, one.wall_times):
            assert array is not None
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7

    def test_finite_leaves_out_nan_and_both_infinities(self) -> None:
        one = series([1, 2, 3, 4], [NAN, 5.0, np.inf, -np.inf])
        steps, values = one.finite()
        assert (steps.tolist(), values.tolist()) == ([2], [5.0])
        assert one.is_finite.tolist() == [False, True, False, False]
        assert len(one) == 4

    @pytest.mark.parametrize(
        ("steps", "stride"), [([], 1.0), ([7], 1.0), ([0, 10, 20, 500], 10.0), ([0, 1, 3, 6], 2.0)]
    )
    def test_stride_is_the_usual_distance(self, steps: list[int], stride: float) -> None:
        assert series(steps).stride == stride

    @pytest.mark.parametrize(("step", "index"), [(-5, 0), (10, 1), (11, 2), (20, 2), (21, 3)])
    def test_index_at_is_the_first_point_from_a_step_on(self, step: int, index: int) -> None:
        assert series([0, 10, 20]).index_at(step) == index

    @pytest.mark.parametrize(
        ("first", "last", "found"),
        [(0, 20, [1, 2, 3]), (10, 10, [2]), (1, 9, []), (5, 15, [2]), (30, 40, []), (20, 0, [])],
    )
    def test_window_is_closed(self, first: int, last: int, found: list[float]) -> None:
        assert series([0, 10, 20], [1, 2, 3]).window(first, last).tolist() == found


class TestLookUps:
    def test_a_rank_is_not_the_run(self) -> None:
        rank = series([1], rank=0, name="loss-rank0")
        whole = series([1, 2])
        assert run(rank, whole).get(Metric.LOSS) is whole
        assert run(rank).get(Metric.LOSS) is None
        assert run(rank, whole).all(Metric.LOSS) == (whole,)
        assert run(rank, whole).named("loss-rank0") is rank
        assert run(rank, whole).named("nobody") is None

    def test_ranks_come_in_order(self) -> None:
        parts = [series([1], rank=r, name=f"loss-rank{r}") for r in (10, 2, 0)]
        assert [s.rank for s in run(*parts).ranks(Metric.LOSS)] == [0, 2, 10]

    def test_the_main_loss_is_that_of_training_else_of_validation(self) -> None:
        train, val = series([1]), series([1], metric=Metric.VAL_LOSS)
        assert run(val, train).main_loss is train
        assert run(val).main_loss is val
        assert run(series([], metric=Metric.LOSS), val).main_loss is val
        assert run(series([1], metric=Metric.LR)).main_loss is None

    def test_first_and_last_step_are_those_of_any_series(self) -> None:
        both = run(
            series([5, 6]), series([2, 9], metric=Metric.LR), series([], metric=Metric.EPOCH)
        )
        assert (both.first_step, both.last_step) == (2, 9)
        assert (run().first_step, run().last_step) == (0, 0)

    def test_eval_steps_are_those_of_every_evaluation(self) -> None:
        both = run(
            series([1, 2, 3]),
            series([10, 20], metric=Metric.VAL_LOSS),
            series([20, 30], metric=Metric.VAL_METRIC),
            series([40], metric=Metric.VAL_METRIC, rank=1, name="rank"),
        )
        assert both.eval_steps.tolist() == [10, 20, 30]
        assert run(series([1])).eval_steps.size == 0


class TestStepsPerEpoch:
    def test_the_config_knows_best(self) -> None:
        assert run(epochs([0.5, 1.0, 1.5, 2.0]), steps_per_epoch=77).steps_per_epoch == 77.0

    @pytest.mark.parametrize("value", [0, -3, "77"])
    def test_a_setting_that_makes_no_sense_is_not_used(self, value: ConfigValue) -> None:
        fractional = epochs((np.arange(1, 401) / 40.0).tolist())
        found = run(fractional, steps_per_epoch=value).steps_per_epoch
        assert found == pytest.approx(40.0)

    def test_a_fractional_epoch_has_a_slope(self) -> None:
        found = run(epochs((np.arange(1, 1001) / 62.5).tolist())).steps_per_epoch
        assert found == pytest.approx(62.5)

    @pytest.mark.parametrize("first", [0, 13])
    def test_a_staircase_has_the_length_of_its_steps(self, first: int) -> None:
        # The log begins and ends amid an epoch: its ends must not count.
        found = run(epochs(((np.arange(1000) + first) // 40).tolist())).steps_per_epoch
        assert found == pytest.approx(40.0)

    def test_a_staircase_logged_sparsely(self) -> None:
        steps = list(range(0, 2000, 5))
        found = run(epochs([s // 40 for s in steps], steps)).steps_per_epoch
        assert found == pytest.approx(40.0)

    @pytest.mark.parametrize("first", [0, 1, 5])
    def test_one_border_ends_the_first_epoch(self, first: int) -> None:
        # 20 steps of epoch 0, then 15 of epoch 1, which is not over yet.
        stride = max(1, first)
        steps = list(range(first, 35 + min(first, 1), stride))
        values = [(s - min(first, 1)) // 20 for s in steps]
        assert run(epochs(values, steps)).steps_per_epoch == pytest.approx(20.0)

    @pytest.mark.parametrize(("first", "epoch"), [(500, 0), (0, 7)])
    def test_one_border_tells_nothing_when_the_start_is_missing(
        self, first: int, epoch: int
    ) -> None:
        values = [epoch] * 20 + [epoch + 1] * 15
        steps = list(range(first, first + 35))
        assert run(epochs(values, steps)).steps_per_epoch is None

    def test_nan_between_does_not_matter(self) -> None:
        values = (np.arange(1, 401) / 40.0).tolist()
        values[100:110] = [NAN] * 10
        assert run(epochs(values)).steps_per_epoch == pytest.approx(40.0)

    @pytest.mark.parametrize(
        "values", [[], [0.1], [0.1, 0.2], [0.0] * 50, [0.1, 0.2, 0.3], [3.0, 2.0, 1.0], [NAN] * 9]
    )
    def test_less_than_an_epoch_does_not_tell(self, values: list[float]) -> None:
        assert run(epochs(values)).steps_per_epoch is None

    def test_without_either_it_is_unknown(self) -> None:
        assert run(series([1, 2])).steps_per_epoch is None


def epochs(values: list[float], steps: list[int] | None = None) -> Series:
    return series(steps or list(range(len(values))), values, Metric.EPOCH)
