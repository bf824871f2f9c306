"""Bare qualities beside two losses, means of returns, scores of a reward model."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric

WRITERS = Path(__file__).parents[1] / "data" / "writers"
FASTAI = "epoch     train_loss  valid_loss  accuracy  error_rate  time    \n"


def metrics(path: Path) -> dict[str, Metric]:
    (run,) = load_runs(path)
    return {one.tag: one.metric for one in run.series}


@pytest.mark.parametrize(
    ("header", "tag", "metric"),
    [
        ("epoch,train_loss,valid_loss,accuracy", "accuracy", Metric.VAL_METRIC),  # fastai
        ("epoch,train_loss,val_loss,f1", "f1", Metric.VAL_METRIC),
        ("epoch,train_loss,accuracy,valid_loss", "accuracy", Metric.TRAIN_METRIC),
        ("epoch,train_loss,valid_loss,train_acc", "train_acc", Metric.TRAIN_METRIC),
        ("epoch,loss,val_loss,accuracy", "accuracy", Metric.TRAIN_METRIC),  # Keras
        ("epoch,train_loss,valid_loss,accuracy,valid_acc", "accuracy", Metric.TRAIN_METRIC),
        ("epoch,train_loss,valid_loss,kl", "kl", Metric.OTHER),
    ],
)
def test_a_table(tmp_path: Path, header: str, tag: str, metric: Metric) -> None:
    width = header.count(",")
    rows = (",".join([str(e), *[f"{1 / (e + 2):.4f}"] * width]) for e in range(12))
    path = tmp_path / "history.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    assert metrics(path)[tag] is metric


PFRL = "steps\tepisodes\telapsed\tmean\tmedian\tstdev\tmax\tmin\taverage_loss"


@pytest.mark.parametrize(
    ("header", "role"),
    [
        (PFRL, Metric.REWARD),
        (PFRL.replace("median", "reward"), Metric.OTHER),
        (PFRL.replace("episodes", "batches"), Metric.OTHER),  # of whatever
    ],
)
def test_the_mean_of_episodes_is_their_return(tmp_path: Path, header: str, role: Metric) -> None:
    rows = ("\t".join([str(e * 1000), str(e), *[f"{e / 7:.4f}"] * 7]) for e in range(12))
    path = tmp_path / "scores.txt"
    path.write_text("\n".join([header, *rows]) + "\n")
    assert metrics(path)["mean"] is role


def test_the_scores_of_a_reward_model_are_no_reward() -> None:
    found = metrics(WRITERS / "trl_reward")
    assert found["loss"] is Metric.LOSS
    assert found["mean_reward"] is found["eval_mean_reward"] is Metric.OTHER


def test_a_policy_that_logs_the_same_rewards_has_one(tmp_path: Path) -> None:
    path = tmp_path / "progress.csv"
    rows = (f"{e},{e},{e + 1},{e - 1}" for e in range(12))
    path.write_text("\n".join(["step,mean_reward,max_reward,min_reward", *rows]) + "\n")
    assert metrics(path)["mean_reward"] is Metric.REWARD


def test_what_fastai_prints(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    rows = (
        f"{e:<9} {2 * 0.9**e:<11.6f} {2.1 * 0.9**e:<11.6f} {0.5 + e / 40:<9.6f} 0.5         00:03\n"
        for e in range(12)
    )
    path.write_text(FASTAI + "".join(rows))
    found = metrics(path)
    assert found["accuracy"] is found["error_rate"] is Metric.VAL_METRIC
    assert found["train_loss"] is Metric.LOSS
    assert found["valid_loss"] is Metric.VAL_LOSS
