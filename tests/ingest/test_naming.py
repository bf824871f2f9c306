"""Which series holds which role."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.errors import UsageError
from spikedoc.ingest.naming import candidates, check_mapping, name_series
from spikedoc.model.metric import Metric
from spikedoc.model.run import Series
from spikedoc.readers.base import RawSeries
from tests.notes import english


def raw(tag: str, count: int = 10, value: float | None = None) -> RawSeries:
    steps = np.arange(count, dtype=np.int64)
    values = steps.astype(float) + len(tag) if value is None else np.full(count, value)
    return RawSeries(tag, steps, values)


def named(*series: RawSeries, framework: str = "", **mapping: str) -> dict[str, Series]:
    found, _ = name_series(candidates(series, "log", framework), mapping)
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def notes(*series: RawSeries) -> str:
    return "; ".join(english(name_series(candidates(series, "log", ""), {})[1]))


def test_names() -> None:
    found = named(
        raw("train/loss"), raw("val_acc"), raw("grad_norm_rank0"), raw("box_loss"), raw("kl")
    )
    assert set(found) == {
        "loss",
        "val_metric:val_acc",
        "grad_norm_rank0",
        "loss_component:box_loss",
        "other:kl",
    }
    assert found["grad_norm_rank0"].rank == 0


def test_the_step_loss_wins_over_the_epoch_mean() -> None:
    for epoch_points in (3, 10):
        found = named(raw("train_loss_epoch", epoch_points), raw("train_loss_step", 10))
        assert found["loss"].tag == "train_loss_step"
        assert found["other:train_loss_epoch"].metric is Metric.OTHER


def test_the_loss_of_a_batch_wins_over_a_running_mean() -> None:
    found = named(raw("training/loss"), raw("training/batchloss"))  # of Ignite
    assert found["loss"].tag == "training/batchloss"


def test_the_epoch_mean_serves_when_there_is_nothing_finer() -> None:
    assert named(raw("train_loss_epoch"))["loss"].tag == "train_loss_epoch"


def test_the_denser_of_two_losses() -> None:
    assert named(raw("loss", 10), raw("train/total_loss", 100))["loss"].tag == "train/total_loss"
    assert named(raw("loss", 90), raw("train/total_loss", 100))["loss"].tag == "loss"
    assert "also there: loss" in notes(raw("loss", 10), raw("train/total_loss", 100))


def test_a_loss_of_numbers_wins_over_one_that_is_nan_throughout() -> None:
    bar = [raw("loss", 100, np.nan), raw("reduced_train_loss", 100, 3.9)]
    for both in (bar, bar[::-1]):
        found = named(*both)
        assert found["loss"].tag == "reduced_train_loss"
        assert found["other:loss"].metric is Metric.OTHER
    assert "loss is reduced_train_loss; also there: loss (all NaN)" in notes(*bar)
    died = raw("loss", 100, np.nan)
    died.values[0] = 3.9
    assert named(died, bar[1])["loss"].tag == "loss"
    assert named(bar[0])["loss"].tag == "loss"


def test_the_sum_of_detection_terms() -> None:
    terms = [
        raw(f"{split}/{term}_loss") for split in ("train", "val") for term in ("box", "cls", "dfl")
    ]
    found = named(*terms)
    expected = sum(one.values for one in terms[:3])
    np.testing.assert_array_equal(found["loss"].values, expected)
    assert found["loss"].tag == found["val_loss"].tag == "sum of components"
    assert {"loss_component:train/box_loss", "val_loss_component:val/box_loss"} <= set(found)
    assert "sum of train/box_loss" in notes(*terms)


def test_a_sum_with_a_nan_term_is_nan() -> None:
    terms = [raw("train/box_loss"), raw("train/cls_loss", value=np.nan)]
    assert np.isnan(named(*terms)["loss"].values).all()


def test_the_only_loss_like_series_is_the_loss() -> None:
    assert named(raw("critic_loss"), raw("kl"))["loss"].tag == "critic_loss"
    assert "nothing is called so" in notes(raw("critic_loss"))


def test_a_bonus_or_penalty_alone_is_not_the_loss() -> None:
    found = named(raw("ep_rew_mean"), raw("entropy_loss"), raw("approx_kl"))
    assert "loss" not in found
    assert found["loss_component:entropy_loss"].metric is Metric.LOSS_COMPONENT
    assert "loss" not in notes(raw("ep_rew_mean"), raw("entropy_loss"))
    both = named(raw("entropy_loss"), raw("policy_gradient_loss"))
    assert both["loss"].tag == "policy_gradient_loss"


def test_two_equal_losses_are_not_chosen_from() -> None:
    found = named(raw("gen/loss"), raw("dis/loss"))
    assert "loss" not in found
    assert "--map loss=TAG" in notes(raw("gen/loss"), raw("dis/loss"))


def test_a_clearly_denser_loss_is_chosen() -> None:
    assert named(raw("gen/loss", 100), raw("dis/loss", 10))["loss"].tag == "gen/loss"


def test_several_validation_sets() -> None:
    found = named(raw("loss"), raw("eval_news_loss"), raw("eval_code_loss"))
    assert found["val_loss"].tag == "eval_code_loss"


def test_validation_components_are_no_validation_set() -> None:
    found = named(raw("loss"), raw("loss_cls"), raw("val_loss_cls"))
    assert "val_loss" not in found


def test_the_learning_rate_of_most_groups() -> None:
    found = named(raw("lr/pg0", value=0.5), raw("lr/pg1", value=0.1), raw("lr/pg2", value=0.1))
    assert found["lr"].tag == "lr/pg1"


def test_norms_before_and_after_clipping() -> None:
    found = named(raw("learning/grad_norm"), raw("learning/raw_grad_norm"))
    assert found["grad_norm"].tag == "learning/raw_grad_norm"
    assert found["grad_norm_clipped"].tag == "learning/grad_norm"


def test_a_role_set_by_hand() -> None:
    found = named(raw("loss"), raw("my/special"), loss="my/special")
    assert found["loss"].tag == "my/special"
    assert found["other:loss"].tag == "loss"
    assert named(raw("My Special"), loss="my/special")["loss"].tag == "My Special"


def test_names_that_mean_something_in_one_framework() -> None:
    assert "step_time" in named(raw("time"), framework="mmengine")
    assert "other:time" in named(raw("time"))


def test_equal_tags_get_different_names() -> None:
    assert set(named(raw("kl"), raw("kl"))) == {"other:kl", "other:kl#2"}


def test_unknown_tags_and_roles() -> None:
    check_mapping({"loss": "Train/Loss"}, ["train_loss"])
    with pytest.raises(UsageError, match="near: train/ce"):
        check_mapping({"loss": "train/cf"}, ["train/ce", "lr", "acc"])
    with pytest.raises(UsageError, match="no such role"):
        check_mapping({"lost": "x"}, ["x"])
