"""Chinese names in tables and printed lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.readers._chinese_names import in_english, line_in_english


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("损失", "loss"),
        ("训练损失", "train loss"),
        ("验证集损失", "val loss"),
        ("验证/损失", "val / loss"),
        ("loss", "loss"),
        ("损失比例", "损失比例"),  # not all of it is known
    ],
)
def test_names(name: str, said: str) -> None:
    assert in_english(name) == said


def test_lines() -> None:
    assert line_in_english("第 3 轮, 验证损失: 0.5") == "epoch 3, val loss: 0.5"
    assert line_in_english("第3/10个epoch 损失=1") == "epoch 3 loss=1"
    assert line_in_english("loss: 0.5 ✓") == "loss: 0.5 ✓"


@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("log.csv", "步数,训练损失,验证损失,学习率\n", "{s},{t},{v},0.001\n"),
        ("log.csv", "步数，训练损失，验证损失，学习率\n", "{s}，{t}，{v}，0.001\n"),
        ("train.log", "", "步数：{s}，训练损失：{t}，验证损失：{v}，学习率：0.001\n"),
        ("train.log", "开始训练\n", "第{s}步: 训练损失 = {t}, 验证损失 = {v}, 学习率 = 0.001\n"),
    ],
)
def test_a_log_in_chinese(tmp_path: Path, name: str, header: str, row: str) -> None:
    path = tmp_path / name
    lines = (row.format(s=10 * i, t=1 + i / 10, v=2 + i / 10) for i in range(20))
    path.write_text(header + "".join(lines), encoding="utf-8")
    (run,) = load_runs(path)
    for metric, first in ((Metric.LOSS, 1.0), (Metric.VAL_LOSS, 2.0)):
        series = run.get(metric)
        assert series is not None
        assert series.steps.tolist() == list(range(0, 200, 10))
        assert series.values.tolist() == pytest.approx([first + i / 10 for i in range(20)])
    assert run.get(Metric.LR) is not None
