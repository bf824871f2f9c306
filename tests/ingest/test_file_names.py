"""What the names of two files say of their trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest.file_names import Names


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("resnet.log", "vit.log", True),
        ("resnet.txt", "vit.csv", True),
        ("alpha.csv", "beta.csv", True),
        ("resnet18.log", "resnet50.csv", True),
        ("run1.log", "run2.csv", True),
        ("gpt2_small_train.log", "gpt2_large_metrics.csv", True),
        ("b06_nanogpt_nan.txt", "b07_dcgan.txt", True),
        ("训练甲.log", "训练乙.csv", True),
        ("resnet.log", "resnet.csv", False),
        ("resnet_train.log", "resnet-metrics.csv", False),
        ("resnet.log", "metrics.csv", False),
        ("train.log", "results.csv", False),
        ("train.csv", "val.csv", False),
        ("stdout.txt", "history.json", False),
        ("slurm-4711.out", "metrics_1.csv", False),
        ("20260101_101010.log", "20260101_101012.log.json", False),
        ("log.123456.txt", "log.123457.csv", False),
        ("loss.csv", "accuracy.csv", False),
        ("loss.csv", "lr.csv", False),
        ("actor.csv", "critic.csv", False),
    ],
)
def test_names(one: str, other: str, told: bool) -> None:
    names = Names([Path("runs", one), Path("runs", other)])
    assert names.apart(0).tolist() == [False, told]
    assert names.apart(1).tolist() == [told, False]
