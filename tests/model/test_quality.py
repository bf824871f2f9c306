"""Which way a metric is better, by its role and the words of its name."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.model.metric import Metric
from spikedoc.model.quality import as_shares, direction, is_accuracy, is_poor_accuracy


@pytest.mark.parametrize(
    "tag", ["val/acc", "eval_accuracy", "val/answer_accuracy", "rewards/chosen_score", "soccer/map",
            "val/F1", "bleu", "val/dice_cerebellum", "mIoU", "metrics/mAP50(B)", "val/top1"],
)  # fmt: skip
def test_more_is_better(tag: str) -> None:
    assert direction(synth.series(np.ones(3), Metric.VAL_METRIC, tag=tag)) == 1


@pytest.mark.parametrize(
    "tag", ["val/error", "val_err", "top1err_rate/err", "eval/wer", "CER", "val_mae", "RMSE",
            "fid50k_full", "val/perplexity", "ppl", "MSELoss", "word_error_rate", "val.nll"],
)  # fmt: skip
def test_less_is_better(tag: str) -> None:
    assert direction(synth.series(np.ones(3), Metric.VAL_METRIC, tag=tag)) == -1


@pytest.mark.parametrize("tag", ["val/confidence", "val/power", "concern"])
def test_other_names_do_not_say(tag: str) -> None:
    assert direction(synth.series(np.ones(3), Metric.VAL_METRIC, tag=tag)) is None


def test_the_role_says_it_before_the_name() -> None:
    assert direction(synth.series(np.ones(3), Metric.REWARD, tag="error")) == 1
    assert direction(synth.series(np.ones(3), Metric.VAL_LOSS, tag="accuracy")) == -1


@pytest.mark.parametrize(
    ("tag", "expected"), [("val/Acc1", True), ("accuracy", True), ("f1", False)]
)
def test_an_accuracy_says_so(tag: str, expected: bool) -> None:
    assert is_accuracy(synth.series(np.ones(3), Metric.VAL_METRIC, tag=tag)) is expected


@pytest.mark.parametrize(
    ("tag", "values", "poor"),
    [
        ("val/acc", (0.0, 0.25), True),
        ("val/acc", (0.1, 0.26), False),
        ("val/acc", (-1.0, 0.1), False),
        ("val/acc", (), False),
        ("val/f1", (0.0, 0.25), False),
    ],
)
def test_a_poor_accuracy_never_gets_above_a_quarter(tag: str, values, poor: bool) -> None:
    series = synth.series(np.array(values, dtype=np.float64), Metric.VAL_METRIC, tag=tag)
    assert is_poor_accuracy(series) is poor


@pytest.mark.parametrize(
    ("logged", "shares"),
    [([0.2, 1.0], [0.2, 1.0]), ([20.0, 100.0], [0.2, 1.0]), ([0.5, 1.5], [0.005, 0.015]), ([], [])],
)
def test_shares_are_of_1_also_where_percent_were_logged(logged, shares) -> None:
    assert as_shares(np.array(logged)).tolist() == pytest.approx(shares)
