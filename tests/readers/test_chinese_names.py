"""Chinese, Japanese, Korean and Russian names in tables and printed lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric
from spikedoc.readers._chinese_names import in_english, line_in_english
from tests.readers.named_logs import check_log


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("损失", "loss"),
        ("训练损失", "train loss"),
        ("验证集损失", "val loss"),
        ("验证/损失", "val / loss"),
        ("loss", "loss"),
        ("损失比例", "损失比例"),  # not all of it is known
        ("驗證損失", "val loss"),
        ("検証損失", "val loss"),
        ("学習率", "lr"),
        ("学習回数", "学習回数"),
        ("검증 손실", "val loss"),
        ("Потери на валидации", "loss val"),
        ("val_потери", "val_ loss"),
        ("потерян", "потерян"),
    ],
)
def test_names(name: str, said: str) -> None:
    assert in_english(name) == said


@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("log.csv", "步數,損失,驗證損失,學習率\n", "{s},{t},{v},0.001\n"),
        ("log.csv", "ステップ,損失,検証損失,学習率\n", "{s},{t},{v},0.001\n"),
        ("log.csv", "스텝,손실,검증 손실,학습률\n", "{s},{t},{v},0.001\n"),
        ("log.csv", "шаг,потери,потери_валидации,скорость_обучения\n", "{s},{t},{v},0.001\n"),
        ("train.log", "", "ステップ {s}: 損失 {t}, 検証損失 {v}, 学習率 0.001\n"),
        ("train.log", "", "스텝 {s} 손실: {t} 검증 손실: {v} 학습률: 0.001\n"),
        ("train.log", "", "Шаг {s}, потери: {t}, val_потери: {v}, скорость обучения: 0.001\n"),
    ],
)
def test_a_log_in_another_language(tmp_path: Path, name: str, header: str, row: str) -> None:
    check_log(tmp_path / name, header, row)


def test_lines() -> None:
    assert line_in_english("第 3 轮, 验证损失: 0.5") == "epoch 3, val loss: 0.5"
    assert line_in_english("第3/10个epoch 损失=1") == "epoch 3 loss=1"
    assert line_in_english("loss: 0.5 ✓") == "loss: 0.5 ✓"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("总步数: 9 学习率: 0.1", "总步数: 9 lr: 0.1"),  # a setting
        ("每轮步数: 9", "每轮步数: 9"),
        ("同步: 3, 损失: 0.5", "同步: 3, loss: 0.5"),
        ("当前步数: 9", "当前 step: 9"),
        ("训练批次: 9", " train batch: 9"),
        ("总损失: 0.5", "总 loss: 0.5"),
    ],
)
def test_a_counter_has_no_word_before_it(line: str, said: str) -> None:
    assert line_in_english(line) == said


def test_settings_on_top_of_a_log_are_no_steps(tmp_path: Path) -> None:
    top = "最大步数: 10000 学习率: 0.001\n总步数: 300 预热步数: 100 损失: 9\n"
    rows = (f"第{s}步 损失: {1 / s:.4f} 学习率: {s / 1e4:.4f}\n" for s in range(1, 31))
    (tmp_path / "train.log").write_text(top + "".join(rows), encoding="utf-8")
    (run,) = load_runs(tmp_path / "train.log")
    assert (run.first_step, run.last_step, run.restarts) == (1, 30, ())


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
