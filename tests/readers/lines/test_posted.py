"""Log lines as people paste them: cut out, quoted by a forum, ended by the framework's own stop."""

from __future__ import annotations

from math import isnan, nan
from pathlib import Path

import numpy as np
import pytest

from spikedoc.readers.base import Table
from spikedoc.readers.text import READER


def read(tmp_path: Path, text: str) -> Table:
    path = tmp_path / "train.log"
    path.write_text(text, encoding="utf-8")
    return READER.read(path)


def points(table: Table, tag: str) -> list[tuple[int, float]]:
    series = next(s for s in table.series if s.tag == tag)
    return list(zip(series.steps.tolist(), series.values.tolist(), strict=True))


def test_typographic_quotation_marks_are_those_of_a_record(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "{‘loss’: 1.5, ‘grad_norm’: 2.0, ‘learning_rate’: 5e-05, ‘epoch’: 0.5}\n"
        "{“loss”: 1.25, “grad_norm”: 2.5, “learning_rate”: 4e-05, “epoch”: 1.0}\n",
    )
    assert [value for _, value in points(table, "loss")] == [1.5, 1.25]


@pytest.mark.parametrize(
    ("line", "precision"),
    [
        ("I0425 10:12:49.61  9167 solver.cpp:65] Iteration {}0, loss = 6.55607", "fp32"),
        (" {}: 8.512345, 8.612345 avg, 0.001000 rate, 3.430528 seconds, 145088 images", "fp32"),
        (" {}: 8.512345, 8.612345 avg loss, 0.001 rate, 3.43 seconds, 145088 images", None),
    ],
)
def test_a_framework_without_half_precision(tmp_path: Path, line: str, precision) -> None:
    table = read(tmp_path, "\n".join(line.format(i) for i in range(1, 5)) + "\n")
    assert table.config.get("precision") == precision


def test_a_nan_filled_up_with_x_is_a_nan(tmp_path: Path) -> None:
    line = (
        "[2023/01/01 10:00:0{i}] ppocr INFO: epoch: [1/5], global_step: {i}, lr: 0.001000, "
        "acc: 0.000000, CTCLoss: {loss}, loss: {loss}, avg_batch_cost: 0.50000 s, ips: 4.0\n"
    )
    table = read(tmp_path, line.format(i=1, loss="2.500000") + line.format(i=2, loss="nanxxx"))
    first, second = points(table, "loss")
    assert first == (1, 2.5)
    assert second[0] == 2
    assert isnan(second[1])


def test_detectron2_names_the_iteration_that_stopped_it_and_its_terms(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "[01/01 10:00:00 d2.utils.events]:  eta: 0:10:00  iter: 19  total_loss: 1.25  loss_cls: "
        "0.75  loss_mask: 0.5  time: 0.5000  data_time: 0.1  lr: 0.00025  max_mem: 3000M\n"
        "Traceback (most recent call last):\n"
        "FloatingPointError: Loss became infinite or NaN at iteration=27!\n"
        "loss_dict = {'loss_cls': tensor(nan, device='cuda:0', grad_fn=<NllLossBackward>), "
        "'loss_mask': tensor(125000.5, device='cuda:0',\n"
        "       grad_fn=<DivBackward0>)}\n",
    )
    np.testing.assert_equal(points(table, "total_loss"), [(19, 1.25), (27, nan)])
    np.testing.assert_equal(points(table, "loss_cls"), [(19, 0.75), (27, nan)])
    assert points(table, "loss_mask") == [(19, 0.5), (27, 125000.5)]


def test_yolov6_prints_no_memory(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "     Epoch  iou_loss  dfl_loss  cls_loss\n"
        "       0/9       1.5         0      2.25: 100%|##########| 6/6 [00:16<00:00, 2.1it/s]\n"
        "\n"
        "     Epoch  iou_loss  dfl_loss  cls_loss\n"
        "       1/9      1.25         0       nan: 100%|##########| 6/6 [00:16<00:00, 2.1it/s]\n",
    )
    assert [value for _, value in points(table, "train/iou_loss")] == [1.5, 1.25]
    assert [value for _, value in points(table, "train/dfl_loss")] == [0.0, 0.0]
    assert isnan(points(table, "train/cls_loss")[1][1])


def test_tensorflow_stops_once_at_the_step_it_was_computing(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "INFO:tensorflow:global step 7: loss = 2.5000 (0.250 sec/step)\n"
        "InvalidArgumentError: LossTensor is inf or nan. : Tensor had NaN values\n"
        "Caused by op 'CheckNumerics': LossTensor is inf or nan.\n",
    )
    first, second = points(table, "loss")
    assert first == (7, 2.5)
    assert second[0] == 8
    assert isnan(second[1])


def test_the_estimator_says_that_the_model_diverged(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "INFO:tensorflow:loss = 0.75, step = 100 (2.5 sec)\n"
        "ERROR:tensorflow:Model diverged with loss = NaN.\n",
    )
    assert [step for step, _ in points(table, "loss")] == [100, 101]


def test_keras_evaluates_behind_the_last_epoch(tmp_path: Path) -> None:
    bar = "{b}/{n} ━━━━━━━━━━━━━━━━━━━━ 0s 5ms/step - loss: {v} - mae: 1.0"
    text = (
        "Epoch 1/2\n" + bar.format(b=7, n=7, v="2.5") + "\n"
        "Epoch 2/2\n" + bar.format(b=7, n=7, v="1.5") + "\n"
        "" + bar.format(b=1, n=8, v="4.5") + "\r" + bar.format(b=8, n=8, v="3.5") + "\n"
    )
    table = read(tmp_path, text)
    assert [value for _, value in points(table, "loss")] == [2.5, 1.5]
    assert [value for _, value in points(table, "test_loss")] == [3.5]
    assert points(table, "test_loss")[0][0] == points(table, "loss")[1][0]
    assert table.framework == "keras"


def test_a_list_of_many_terms_is_a_record_however_long(tmp_path: Path) -> None:
    terms = ", ".join(f"decoder_{i}.loss_classification: 0.{100 + i}" for i in range(24))
    table = read(
        tmp_path, f"lr: 1.0e-04, eta: 2 days, 1:02:03, {terms}, loss: nan, grad_norm: nan\n"
    )
    assert isnan(points(table, "loss")[0][1])
    assert len(table.series) == 27


def test_a_word_for_the_sign_between(tmp_path: Path) -> None:
    lines = [
        f"Epoch is [1/9], mini-batch is [{i}/3], batch_loss is {i}.50000000" for i in (1, 2, 3)
    ]
    table = read(tmp_path, "\n".join(lines) + "\n")
    assert [value for _, value in points(table, "batch_loss")] == [1.5, 2.5, 3.5]


def test_names_in_brackets(tmp_path: Path) -> None:
    lines = [f"INFO:root:[Run] a, [Epoch] {i}, [Training loss] {i}.25, [Took] 9.5" for i in (3, 4)]
    assert points(read(tmp_path, "\n".join(lines) + "\n"), "Training loss") == [
        (3, 3.25),
        (4, 4.25),
    ]


def test_a_dice_coefficient_is_no_setting(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {i} finished ! Loss: 0.{i}\nINFO: Validation Dice Coeff: 0.{i + 4}\n"
        for i in (1, 2)
    )
    table = read(tmp_path, text)
    assert points(table, "Validation Dice Coeff") == [(1, 0.5), (2, 0.6)]


def test_what_is_printed_below_a_full_bar_belongs_to_its_epoch(tmp_path: Path) -> None:
    text = "".join(
        f"Epoch {i}/3: 100%|##| 9/9 [00:12<00:00,  6.00img/s, loss (batch)=0.{i}]\n"
        f"INFO: Validation Dice Coeff: 0.{i + 4}\n"
        for i in (1, 2, 3)
    )
    table = read(tmp_path, text)
    assert points(table, "loss") == [(1, 0.1), (2, 0.2), (3, 0.3)]
    assert points(table, "Validation Dice Coeff") == [(1, 0.5), (2, 0.6), (3, 0.7)]


def test_evaluation_lines_alone_hold_the_loss(tmp_path: Path) -> None:
    lines = [
        f"step {i}: train loss 2.{i}, val loss 3.{i}, mem 71.0 MiB @ 00:01:00" for i in (0, 500)
    ]
    table = read(tmp_path, "\n".join(lines) + "\n")
    assert points(table, "loss") == [(0, 2.0), (500, 2.5)]
    assert points(table, "val_loss") == [(0, 3.0), (500, 3.5)]
    assert any("evaluation lines" in note.en for note in table.notes)
    table = read(tmp_path, "\n".join([*lines, "iter 510: loss 9.5, time 80.1ms"]) + "\n")
    assert points(table, "loss") == [(510, 9.5)]


@pytest.mark.parametrize("head", ["Epoch {}/20 - ", "INFO epoch: {}/20 - ", "[Epoch {}/20 - 2s - "])
def test_a_line_for_each_epoch_counts_no_batches(tmp_path: Path, head: str) -> None:
    path = tmp_path / "train.log"
    lines = [f"{head.format(i)}loss: {2 / i:.4f} - val_loss: {3 / i:.4f}\n" for i in range(1, 21)]
    path.write_text("".join(lines))
    table = READER.read(path)
    assert points(table, "loss") == [(i, round(2 / i, 4)) for i in range(1, 21)]
    assert points(table, "val_loss") == [(i, round(3 / i, 4)) for i in range(1, 21)]
    assert "steps_per_epoch" not in table.config
