"""Printed logs as the programs themselves wrote them: every series, its steps and its NaN."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

LOGS = Path(__file__).parents[2] / "data" / "writers"
STEPS = 24


def level(step: int) -> float:
    """Return the loss of the home-made loops."""
    return round(2 * math.exp(-step / 10) + 0.1, 4)


LEVELS = [level(step) for step in range(STEPS)]
LOST = [level(step) if step < 16 else math.nan for step in range(STEPS)]
ONE_BY_ONE = list(range(STEPS))


def run_of(name: str) -> Run:
    (run,) = load_runs(LOGS / name)
    return run


def values(run: Run, metric: Metric) -> tuple[list[int], list[float]]:
    series = run.get(metric)
    assert series is not None, metric
    return series.steps.tolist(), series.values.tolist()


def check(
    run: Run, metric: Metric, steps: Sequence[int], points: Sequence[float], digits: float = 5e-5
) -> None:
    found_steps, found = values(run, metric)
    assert found_steps == list(steps)
    np.testing.assert_allclose(found, points, rtol=0, atol=digits, equal_nan=True)


@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("tqdm_description.log", LEVELS),
        ("tqdm_without_epoch.log", LEVELS),
        ("tqdm_one_bar.log", LEVELS),
        ("loguru.log", LEVELS),
        ("logfmt.log", LEVELS),
        ("absl.log", LEVELS),
        ("printed_tensors.log", LOST),
    ],
)
def test_a_home_made_loop_gives_the_loss_of_each_step(name: str, points: list[float]) -> None:
    run = run_of(name)
    check(run, Metric.LOSS, ONE_BY_ONE, points)
    assert run.restarts == ()
    assert not [s.tag for s in run.series if s.metric is Metric.OTHER]


def test_bars_with_values_set_before_the_count_give_each_batch_once() -> None:
    run = run_of("tqdm_postfix.log")
    _, found = values(run, Metric.LOSS)
    check(run, Metric.LOSS, ONE_BY_ONE, LOST, digits=5e-3)  # three digits in the bar
    assert math.isnan(found[16])
    assert not math.isnan(found[15])
    check(run, Metric.VAL_LOSS, [8, 16, 24], [1.0932, 0.5463, math.nan], digits=0.11)
    assert any("its bar showed" in note.en for source in run.sources for note in source.notes)
    assert run.restarts == ()


def test_bars_without_an_epoch_are_counted_through_and_say_so() -> None:
    run = run_of("tqdm_without_epoch.log")
    assert run.config["steps_per_epoch"] == 8
    assert any("name no epoch" in note.en for source in run.sources for note in source.notes)
    check(run, Metric.VAL_LOSS, [7, 15, 23], [level(s) + 0.1 for s in (7, 15, 23)])


def test_lightning_bars_give_each_batch_once_and_no_restart() -> None:
    run = run_of("lightning_plain.log")
    steps, losses = values(run, Metric.LOSS)
    assert steps == list(range(1, 33))
    assert losses[-8:] == [0.0905, 0.12, 0.148, 0.121, 0.154, 0.157, 0.193, 0.118]
    assert values(run, Metric.VAL_LOSS)[0] == [8, 16, 24, 32]
    assert values(run, Metric.VAL_LOSS)[1][-2:] == [0.171, 0.123]
    means = next(s for s in run.series if s.tag == "train_loss_epoch")
    assert means.steps.tolist() == [8, 16, 24, 32]
    assert means.values.tolist()[-2:] == [0.182, 0.138]
    assert run.restarts == ()


def test_lightning_pads_nan_like_a_number() -> None:
    run = run_of("lightning_nan.log")
    steps, losses = values(run, Metric.LOSS)
    assert [s for s, v in zip(steps, losses, strict=True) if math.isnan(v)] == list(range(21, 33))
    assert [math.isnan(v) for v in values(run, Metric.VAL_LOSS)[1]] == [False, False, True, True]


def test_lightning_with_rich_wraps_the_values_below_its_bars() -> None:
    run = run_of("lightning_rich.log")
    losses = [0.748, 0.574, 0.474, 0.409, 0.365, 0.333, 0.309, 0.290]
    check(run, Metric.LOSS, range(8), losses)
    check(run, Metric.VAL_LOSS, range(8), [0.786, 0.616, 0.524, 0.468, 0.429, 0.4, 0.377, 0.358])
    assert not [one.tag for one in run.series if one.metric is Metric.OTHER]


def test_lightning_with_rich_repeats_what_is_lost() -> None:
    run = run_of("lightning_rich_nan.log")
    for metric, first in ((Metric.LOSS, 0.748), (Metric.VAL_LOSS, 0.786)):
        steps, found = values(run, metric)
        assert steps == list(range(8))
        assert found[0] == first
        assert [math.isnan(value) for value in found] == [False] * 5 + [True] * 3


def test_rich_draws_a_validation_when_the_next_epoch_has_begun() -> None:
    run = run_of("lightning_rich_terminal.log")  # four batches an epoch, some never drawn
    assert values(run, Metric.LOSS)[0] == [1, 4, 8, 9, 12, 16]
    check(run, Metric.VAL_LOSS, [4, 8, 12, 16], [1.010, 0.935, 0.868, 0.809])


def test_transformers_prints_epochs_with_four_digits_and_bars_of_evaluations() -> None:
    run = run_of("transformers.log")
    assert values(run, Metric.LOSS)[0] == [1, *range(2, 37, 2)]
    assert values(run, Metric.VAL_LOSS)[0] == [12, 24, 36]
    assert run.restarts == ()


def test_ranks_of_torchrun_are_kept_apart() -> None:
    run = run_of("torchrun_ranks.log")
    check(run, Metric.LOSS, ONE_BY_ONE, [v + 0.005 for v in LEVELS])
    assert {s.tag for s in run.series if s.rank is not None} == {"loss/rank0", "loss/rank1"}


def test_the_imagenet_example_prints_its_validation_by_itself() -> None:
    run = run_of("progress_meter.log")
    assert values(run, Metric.LOSS)[0] == list(range(0, STEPS, 2))
    tags = {s.tag: s for s in run.series if s.metric is Metric.VAL_METRIC}
    assert set(tags) == {"val_Acc@1", "val_Acc@5"}
    assert tags["val_Acc@1"].values.tolist() == [12.5] * 3


@pytest.mark.parametrize(
    ("name", "loss", "val_loss", "steps"),
    [
        ("xgboost.log", "train-rmse", "eval-rmse", list(range(30))),
        ("xgboost_classifier.log", "validation_0-logloss", "validation_1-logloss", list(range(20))),
        ("lightgbm.log", "training's l2", "valid_1's l2", list(range(2, 31, 2))),
        ("catboost.log", "learn", "test", list(range(30))),
        ("catboost_info", "learn/RMSE", "test/RMSE", list(range(30))),
    ],
)
def test_boosting_gives_the_error_of_both_sets(
    name: str, loss: str, val_loss: str, steps: list[int]
) -> None:
    run = run_of(name)
    for metric, tag in ((Metric.LOSS, loss), (Metric.VAL_LOSS, val_loss)):
        series = run.get(metric)
        assert series is not None
        assert series.tag == tag
        assert series.steps.tolist() == steps
        assert series.values[0] > series.values[-1]


@pytest.mark.parametrize(
    ("name", "steps", "lost", "val_steps"),
    [
        ("keras_nan.log", list(range(1, 7)), [4, 5, 6], list(range(1, 7))),
        ("fastai_nan.log", list(range(5)), [3, 4], list(range(5))),
        ("lerobot.log", list(range(100, 2401, 100)), list(range(1800, 2401, 100)), []),
        ("torchtitan.log", list(range(1, STEPS)), list(range(18, STEPS)), [7, 15, 23]),
        ("torchtune.log", list(range(1, STEPS)), list(range(18, STEPS)), [7, 15, 23]),
        ("nnunet.log", ONE_BY_ONE, list(range(18, STEPS)), ONE_BY_ONE),
        ("speechbrain.log", list(range(1, STEPS)), list(range(18, STEPS)), list(range(1, STEPS))),
        ("litgpt.log", list(range(2, 47, 2)), list(range(36, 47, 2)), [14, 16, 30, 32, 46]),
        ("composer.log", list(range(1, 25)), [], [8, 16, 24]),
        (
            "open_clip.log",
            list(range(64, 1537, 64)),
            list(range(1216, 1537, 64)),
            [512, 1024, 1536],
        ),
    ],
)
def test_every_loss_and_every_nan_is_at_its_step(
    name: str, steps: list[int], lost: list[int], val_steps: list[int]
) -> None:
    run = run_of(name)
    found, losses = values(run, Metric.LOSS)
    assert found == steps
    assert [s for s, v in zip(found, losses, strict=True) if math.isnan(v)] == lost
    held_out = run.get(Metric.VAL_LOSS)
    assert ([] if held_out is None else held_out.steps.tolist()) == val_steps
    assert run.restarts == ()


def test_ultralytics_prints_the_terms_whose_sum_is_the_loss() -> None:
    run = run_of("ultralytics.log")
    terms = {s.tag: s for s in run.series}
    assert terms["train/box_loss"].values.tolist() == [4.528, 5.804, 2.362, 3.414]
    total = values(run, Metric.LOSS)
    assert total[0] == [1, 2, 3, 4]
    assert total[1][0] == pytest.approx(4.528 + 2.6 + 2.716)
    assert {tag for tag in terms if tag.startswith("metrics/")} == {
        "metrics/precision(B)", "metrics/recall(B)", "metrics/mAP50(B)", "metrics/mAP50-95(B)",
    }  # fmt: skip
    assert (run.config["epochs"], run.config["batch_size"]) == (4, 4)


# First and last step, first and last value of a series, of programs that print tables and dicts.
@pytest.mark.parametrize(
    ("name", "tag", "first", "last", "count"),
    [
        ("sklearn_mlp.log", "loss", (1, 0.80507198), (50, None), 50),
        ("sklearn_mlp.log", "validation_score", (1, 0.516667), (50, None), 50),
        ("sklearn_sgd.log", "loss", (1, 6.238871), (30, None), 30),
        ("sklearn_sgd.log", "weight_norm", (1, 154.98), (30, None), 30),
        ("skorch.log", "train_loss", (1, 0.6133), (30, None), 30),
        ("tabnet.log", "valid_logloss", (0, 0.66548), (14, None), 15),
        ("spacy.log", "LOSS TEXTCAT", (0, 0.25), (200, 0.02), 11),
        ("d3rlpy.log", "critic_loss", (50, 1.8293456315994263), (300, 1.6729778468608856), 6),
        ("monai.log", "train_loss", (1, 0.8829), (32, None), 32),
        ("trl_dpo.log", "rewards/margins", (None, None), (None, None), 30),
    ],
)
def test_tables_and_dicts_of_other_trainers(
    name: str,
    tag: str,
    first: tuple[int | None, float | None],
    last: tuple[int | None, float | None],
    count: int,
) -> None:
    (series,) = [one for one in run_of(name).series if one.tag == tag]
    assert len(series) == count
    for place, (step, value) in ((0, first), (-1, last)):
        assert step is None or series.steps[place] == step
        assert value is None or series.values[place] == value


def test_paddle_model_tells_training_from_evaluation() -> None:
    run = run_of("paddle_model.log")
    steps, losses = values(run, Metric.LOSS)
    assert steps == list(range(1, 13))
    assert losses[:4] == [1.0955, 1.0199, 1.1235, 1.3446]
    assert values(run, Metric.VAL_LOSS)[0] == [4, 8, 12]
    assert values(run, Metric.VAL_LOSS)[1][:2] == [1.8511, 0.8547]
    assert not run.restarts


def test_mxnet() -> None:
    run = run_of("mxnet.log")
    check(run, Metric.VAL_LOSS, [6, 12, 18, 24], [0.642320, 0.619335, 0.603734, 0.590560])
    assert values(run, Metric.LOSS)[1][:3] == [0.686193, 0.672726, 0.678072]


def test_clu_writes_to_the_log() -> None:
    run = run_of("clu.log")
    assert values(run, Metric.LOSS)[0] == list(range(20))
    assert values(run, Metric.GRAD_NORM)[1][-1] == pytest.approx(1.7103538513183594)


def given(count: int, more: float = 0.0) -> list[float]:
    """Return the values that the loggers were given."""
    return [round(2 * math.exp(-i / 10) + 0.1, 4) + more for i in range(count)]


def test_bars_of_ignite_count_after_they_show_the_values() -> None:
    run = run_of("ignite/bar.log")
    check(run, Metric.LOSS, range(1, 25), given(24), digits=6e-3)  # three digits in the bar


def test_evaluations_of_ignite_over_epochs_stand_at_the_end_of_theirs() -> None:
    run = run_of("ignite/tensorboard")
    check(run, Metric.LOSS, range(1, 25), given(24))
    check(run, Metric.VAL_LOSS, [8, 16, 24], given(3, 0.25))
    assert any("counted in epochs" in note.en for note in run.notes)


def test_keras_over_iterations_has_its_epochs_at_their_ends() -> None:
    run = run_of("keras_tensorboard/batch")
    steps, losses = values(run, Metric.LOSS)
    ends, val_losses = values(run, Metric.VAL_LOSS)
    assert (steps, ends) == (list(range(1, 37)), list(range(6, 37, 6)))
    assert values(run, Metric.LR) == (ends, pytest.approx([0.01] * 6))
    assert val_losses[0] == pytest.approx(5.687195)
    assert losses[0] == pytest.approx(10.079211)
    assert not [one.tag for one in run.series if "iterations" in one.tag]
    assert any("at the end of each of 6 steps" in note.en for note in run.notes)


def test_keras_over_epochs_stays_there() -> None:
    run = run_of("keras_tensorboard/epoch")
    for metric in (Metric.LOSS, Metric.VAL_LOSS, Metric.LR):
        assert values(run, metric)[0] == list(range(6))
    assert {int(one.steps[-1]) for one in run.series} == {5}
    assert values(run, Metric.VAL_LOSS)[1][0] == pytest.approx(2.324726)


def test_polyaxon_has_a_file_for_each_metric() -> None:
    run = run_of("polyaxon")
    check(run, Metric.LOSS, ONE_BY_ONE, given(24))
    check(run, Metric.VAL_LOSS, ONE_BY_ONE, given(24, 0.25))


def test_event_files_of_ray_hold_no_second_loss() -> None:
    run = run_of("rllib")
    check(run, Metric.LOSS, range(1, 25), given(24))
    components = [one.tag for one in run.series if one.metric is Metric.LOSS_COMPONENT]
    assert sorted(tag.rpartition("/")[2] for tag in components) == ["policy_loss", "vf_loss"]


def test_timm_goes_on_with_a_second_header() -> None:
    run = run_of("timm_summary.csv")
    check(run, Metric.LOSS, range(16), given(16))
    check(run, Metric.VAL_LOSS, range(16), given(16, 0.25))


def test_chainer_draws_its_bars_between_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    bars = (
        "     total [#########.........................................] 19.23%\n"
        "this epoch [##############....................................] 28.00%\n"
        "   120 iter, 3 epoch / 15 epochs\n    1.2 iters/sec. Estimated time to finish: 0:01:00.\n"
    )
    heading = "epoch       iteration   main/loss   validation/main/loss  elapsed_time\n"
    rows = (f"{e:<12}{e * 40:<12}{2.5 / e:<12.6g}{3 / e:<22.6g}{e * 12.5}\n" for e in range(1, 15))
    path.write_text(heading + bars.join(rows) + "01:02 WARNING: loss (=nan) is not correct\n")
    (run,) = load_runs(path)
    check(run, Metric.LOSS, range(1, 15), [2.5 / e for e in range(1, 15)])
    check(run, Metric.VAL_LOSS, range(1, 15), [3 / e for e in range(1, 15)])
    assert [text for _, text in run.events] == ["01:02 WARNING: loss (=nan) is not correct"]
